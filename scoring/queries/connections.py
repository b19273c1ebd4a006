"""Which endpoint answers as a release, with what parameters, and what that would cost to ask."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, QuerySet

from annotation.models import Item, Project, Response, SystemRelease
from annotation.queries import rounds as releases
from annotation.rules import faces
from scoring.llm.base import Message, Settings
from scoring.models import Endpoint, SystemConnection
from scoring.protocols.collect import v1

#: What of the settings is a parameter of a request; the rest is what the system is told.
PARAMETERS = ("temperature", "top_p", "max_tokens", "seed", "stop")


@dataclass(frozen=True)
class Line:
    """A release and what answers as it, if anything does."""

    release: SystemRelease
    connection: SystemConnection | None

    @property
    def is_ready(self) -> bool:
        return self.connection is not None and self.connection.endpoint.retired_at is None


def of_project(project: Project) -> list[Line]:
    """Return every release by name, with what answers as it."""
    found = list(releases.releases_of(project))
    by_release = current(one.pk for one in found)
    return [Line(one, by_release.get(one.pk)) for one in found]


def current(wanted: Iterable[int]) -> dict[int, SystemConnection]:
    """Return what answers as these releases now."""
    rows = SystemConnection.objects.filter(release_id__in=list(wanted), ended_at__isnull=True)
    return {one.release_id: one for one in rows.select_related("endpoint", "release__system")}


def of_release(release: SystemRelease) -> "QuerySet[SystemConnection]":
    """Return what answered as a release, the newest first."""
    rows = SystemConnection.objects.filter(release=release)
    return rows.select_related("endpoint", "created_by__person").order_by("-pk")


def endpoints_of(project: Project) -> "QuerySet[Endpoint]":
    """Return the endpoints that a release can be connected with."""
    return Endpoint.objects.in_use().filter(project=project).order_by("name")


def n_collected(release: SystemRelease) -> int:
    """Return how many responses of a release were asked for here."""
    kept = Response.objects.filter(release=release, origin=Response.Origin.GENERATED)
    return kept.aggregate(n=Count("pk"))["n"] or 0


def manner_of(settings: Mapping[str, Any], *, seed: int | None = None) -> v1.Manner:
    """Return how a system is asked. Its own seed goes before the one that is given."""
    known = {name: settings[name] for name in PARAMETERS if settings.get(name) is not None}
    if "stop" in known:
        known["stop"] = tuple(known["stop"])
    if seed is not None:
        known.setdefault("seed", seed)
    return v1.Manner(str(settings.get("system_prompt") or ""), Settings(**known))


def asked(item: Item) -> Sequence[Message]:
    """Return the messages of an item as they are sent."""
    return [Message(str(one.get("role") or v1.USER), faces.spoken(one)) for one in item.messages]
