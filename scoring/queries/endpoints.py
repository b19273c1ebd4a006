"""Reads about endpoints: how they are asked, who asks them, and what was found of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Subquery

from annotation.models import Project
from evalsite import allowances
from scoring.llm.config import EndpointConfig
from scoring.models import Endpoint, EndpointTest, Judge, LLMCall, Run, SystemConnection
from scoring.queries import endpoint_keys, endpoint_wording


@dataclass(frozen=True)
class Line:
    """An endpoint in the list."""

    endpoint: Endpoint
    n_judges: int
    n_systems: int
    #: Of the newest test; empty where there was none.
    test_state: str = ""

    @property
    def is_moving(self) -> bool:
        return self.test_state == EndpointTest.State.MOVING

    @property
    def has_failed(self) -> bool:
        return self.test_state == EndpointTest.State.FAILED

    @property
    def key_trouble(self) -> str:
        return endpoint_keys.trouble(self.endpoint)

    @property
    def abilities(self) -> list[str]:
        return endpoint_wording.short(self.endpoint.found)


def of(project: Project) -> "QuerySet[Endpoint]":
    return Endpoint.objects.filter(project=project)


def list_endpoints(project: Project) -> list[Line]:
    """Return the endpoints in use by name, and then those that were retired, newest first."""
    newest = EndpointTest.objects.filter(endpoint=OuterRef("pk")).order_by("-pk")
    states = Subquery(newest.values("state")[:1])
    rows = of(project).select_related("project").annotate(test_state=states)
    judges = _counts(Judge.objects.filter(project=project))
    systems = _counts(
        SystemConnection.objects.filter(endpoint__project=project, ended_at__isnull=True)
    )
    lines = [
        Line(row, judges.get(row.pk, 0), systems.get(row.pk, 0), row.test_state or "")
        for row in rows.order_by("name", "-number")
    ]
    return sorted(lines, key=lambda line: line.endpoint.retired_at is not None)


def config_of(endpoint: Endpoint) -> EndpointConfig:
    """Return how an endpoint is to be asked, its key among it. For workers only.

    Raises:
        KeyNotThere: the variable of its key may not be used, or holds nothing.
        SealBroken: its key does not open.
    """
    return EndpointConfig(
        kind=endpoint.kind,
        url=endpoint.url,
        model=endpoint.model_name,
        key=endpoint_keys.of(endpoint),
        timeout=float(endpoint.timeout),
        found=endpoint.found,
        script=endpoint.script,
        request=endpoint.request,
        networks=allowances.networks_of(endpoint.project.slug),
    )


def is_used(endpoint: Endpoint) -> bool:
    """Say whether something rests on what this endpoint is: a call, a judge or a system."""
    return (
        Judge.objects.filter(endpoint=endpoint).exists()
        or SystemConnection.objects.filter(endpoint=endpoint).exists()
        or LLMCall.objects.filter(endpoint=endpoint).exists()
    )


def is_waited_for(endpoint: Endpoint) -> bool:
    """Say whether a run that is not finished asks it."""
    over = (Run.State.DONE, Run.State.CANCELLED)
    calls = LLMCall.objects.filter(run=OuterRef("pk"), endpoint=endpoint)
    unfinished = Run.objects.filter(project=endpoint.project_id).exclude(state__in=over)
    return unfinished.filter(Q(judge__endpoint=endpoint) | Exists(calls)).exists()


def newest_test(endpoint: Endpoint) -> EndpointTest | None:
    return endpoint.tests.order_by("-pk").first()


def others_of(endpoint: Endpoint) -> list[Endpoint]:
    """Return the other numbers of an endpoint, newest first."""
    same = of(endpoint.project).filter(name=endpoint.name).exclude(pk=endpoint.pk)
    return list(same.order_by("-number"))


def _counts(rows: "QuerySet[Any]") -> Mapping[int, int]:
    found = rows.values("endpoint").annotate(n=Count("pk")).order_by()
    return {row["endpoint"]: row["n"] for row in found}
