"""Which endpoint answers as a release, with what parameters, and what that would cost to ask.

* Which key is sent to which address: one that is sealed in the database, or one of the environment.
* Reads about endpoints: how they are asked, who asks them, and what was found of them.
* What the page of an endpoint shows.
"""

import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Subquery

from annotation.common import texts as faces
from annotation.common.sentences import gettext as _
from annotation.people.models import Project
from annotation.rounds import queries as releases
from annotation.systems.models import Item, Response, SystemRelease
from evalsite import allowances, errors
from evalsite.db import secrets
from scoring.endpoints import wording as endpoint_wording
from scoring.endpoints.models import Endpoint, EndpointTest, Judge, SystemConnection
from scoring.endpoints.records import APIS
from scoring.endpoints.wording import Word
from scoring.engine.models import LLMCall, Run
from scoring.llm import abilities, config, rest
from scoring.llm.base import Message, Settings
from scoring.llm.config import EndpointConfig
from scoring.protocols import collect_v1 as v1

#: What of the settings is a parameter of a request; the rest is what the system is told.
PARAMETERS = ("temperature", "top_p", "max_tokens", "seed", "stop", "effort")


class EndpointRetired(errors.Conflict):
    """Something was to be asked that is not in use any more."""


def refuse_retired(endpoints: Iterable[int], instead: str) -> None:
    """Refuse to ask endpoints that are not in use any more.

    Raises:
        EndpointRetired: one is not; says its name, and what to do `instead`.
    """
    rows = Endpoint.objects.filter(pk__in=list(endpoints), retired_at__isnull=False)
    if gone := rows.first():
        raise EndpointRetired(
            _("The endpoint “%(name)s” was changed or retired. %(instead)s")
            % {"name": gone.name, "instead": instead}
        )


def refuse_unless_of(project: Project, endpoint: Endpoint | None) -> None:
    """Refuse an endpoint that is not in use in a project.

    Raises:
        EndpointRetired: it is not.
    """
    if endpoint is None or endpoint.project_id != project.pk or endpoint.retired_at is not None:
        raise EndpointRetired(_("This endpoint is not in use any more. Choose another."))


@dataclass(frozen=True)
class ConnectionLine:
    """A release and what answers as it, if anything does."""

    release: SystemRelease
    connection: SystemConnection | None

    @property
    def is_ready(self) -> bool:
        return self.connection is not None and self.connection.endpoint.retired_at is None


def of_project(project: Project) -> list[ConnectionLine]:
    """Return every release by name, with what answers as it."""
    found = list(releases.releases_of(project))
    by_release = current(one.pk for one in found)
    return [ConnectionLine(one, by_release.get(one.pk)) for one in found]


def current(wanted: Iterable[int]) -> dict[int, SystemConnection]:
    """Return what answers as these releases now."""
    rows = SystemConnection.objects.filter(release_id__in=list(wanted), ended_at__isnull=True)
    return {one.release_id: one for one in rows.select_related("endpoint", "release__system")}


def of_release(release: SystemRelease) -> "QuerySet[SystemConnection]":
    """Return what answered as a release, the newest first."""
    rows = SystemConnection.objects.filter(release=release)
    return rows.select_related("endpoint", "created_by__person").order_by("-pk")


class NoEndpoint(errors.Invalid): ...


def endpoints_of(project: Project) -> "QuerySet[Endpoint]":
    """Return the endpoints in use, by name."""
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


NAME = re.compile(r"[A-Z][A-Z0-9_]*")


class KeyNotThere(errors.Invalid):
    """The variable may not be used, or holds nothing."""


def variables(project: str, environ: Mapping[str, str] = os.environ) -> list[str]:
    """Return the names of the variables whose keys the operator lets a project send somewhere."""
    names = {one.variable for one in allowances.key_entries() if one.is_for(project)}
    return sorted(name for name in names if NAME.fullmatch(name) and environ.get(name))


def refuse_variable(
    name: str,
    url: str,
    project: str,
    environ: Mapping[str, str] = os.environ,
    *,
    field: str = "variable",
) -> None:
    """Refuse a variable whose key this project must not send to this address.

    Args:
        field: what the person has entered, or changed, that cannot be.

    Raises:
        KeyNotThere: the operator does not list it for both, or it is not set.
    """
    mine = [one for one in allowances.key_entries() if one.variable == name and one.is_for(project)]
    if not NAME.fullmatch(name) or not mine:
        raise _refused(
            _(
                "The operator does not allow the variable %(name)s in this project. Set a key instead, "
                "or have the operator add %(entry)s to EVALSITE_ENDPOINT_KEYS."
            )
            % {"name": name, "entry": allowances.entry(name, url, project)},
            field,
        )
    if not any(one.leads_to(url) for one in mine):
        message = _(
            "The operator allows %(name)s only for %(hosts)s. For this address EVALSITE_ENDPOINT_KEYS "
            "needs %(entry)s."
        )
        hosts = ", ".join(sorted({one.place for one in mine}))
        needed = allowances.entry(name, url, project)
        raise _refused(message % {"name": name, "hosts": hosts, "entry": needed}, field)
    if not environ.get(name):
        message = _("%(name)s is not set where the site runs. Have the operator set it.")
        raise _refused(message % {"name": name}, field)


def trouble(endpoint: Endpoint, environ: Mapping[str, str] = os.environ) -> str:
    """Say why the variable that an endpoint names is not read; empty where it is, or none is named."""
    if not endpoint.key_env:
        return ""
    try:
        refuse_variable(endpoint.key_env, endpoint.url, endpoint.project.slug, environ)
    except KeyNotThere as refusal:
        return refusal.message
    return ""


def is_key(text: str) -> bool:
    """Say whether a text may be sent as a key: an error about one that may not would show it."""
    return text.isascii() and text.isprintable() and " " not in text


def key_of(endpoint: Endpoint, environ: Mapping[str, str] = os.environ) -> str:
    """Return the key of an endpoint; "" where none is set. Show it to nobody.

    Raises:
        KeyNotThere: its variable may not be used, or holds nothing.
        SealBroken: the sealed key does not open.
    """
    if endpoint.key_env:
        refuse_variable(endpoint.key_env, endpoint.url, endpoint.project.slug, environ)
        key = environ[endpoint.key_env].strip()
        if not is_key(key):
            message = _("%(name)s holds signs that no key has. Have the operator set it again.")
            raise _refused(message % {"name": endpoint.key_env})
        return key
    return secrets.unseal(endpoint.key_sealed) if endpoint.key_sealed else ""


def headers_of(endpoint: Endpoint) -> dict[str, str]:
    """Return the headers of an endpoint. Show what they hold to nobody.

    Raises:
        SealBroken: they do not open.
    """
    if not endpoint.headers_sealed:
        return {}
    found: dict[str, str] = json.loads(secrets.unseal(endpoint.headers_sealed))
    return found


def _refused(message: str, field: str = "variable") -> KeyNotThere:
    return KeyNotThere(message, fields={field: [message]})


@dataclass(frozen=True)
class EndpointsLine:
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
        return trouble(self.endpoint)

    @property
    def abilities(self) -> list[str]:
        return endpoint_wording.short(self.endpoint.found)


def of_endpoints(project: Project) -> "QuerySet[Endpoint]":
    return Endpoint.objects.filter(project=project)


def list_endpoints(project: Project) -> list[EndpointsLine]:
    """Return the endpoints in use by name, and then those that were retired, newest first."""
    newest = EndpointTest.objects.filter(endpoint=OuterRef("pk")).order_by("-pk")
    states = Subquery(newest.values("state")[:1])
    rows = of_endpoints(project).select_related("project").annotate(test_state=states)
    judges = _counts(Judge.objects.filter(project=project))
    systems = _counts(
        SystemConnection.objects.filter(endpoint__project=project, ended_at__isnull=True)
    )
    lines = [
        EndpointsLine(row, judges.get(row.pk, 0), systems.get(row.pk, 0), row.test_state or "")
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
        key=key_of(endpoint),
        timeout=float(endpoint.timeout),
        found=endpoint.found,
        script=endpoint.script,
        request=endpoint.request,
        options=endpoint.options,
        headers=headers_of(endpoint),
        certificates=endpoint.certificates,
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
    same = of_endpoints(endpoint.project).filter(name=endpoint.name).exclude(pk=endpoint.pk)
    return list(same.order_by("-number"))


def _counts(rows: "QuerySet[Any]") -> Mapping[int, int]:
    found = rows.values("endpoint").annotate(n=Count("pk")).order_by()
    return {row["endpoint"]: row["n"] for row in found}


@dataclass(frozen=True)
class EndpointFact:
    label: str
    value: str
    note: str = ""


@dataclass(frozen=True)
class EndpointFace:
    """An endpoint as its page shows it."""

    findings: list[Word]
    facts: list[EndpointFact]
    test: EndpointTest | None
    n_probes: int
    judges: list[Judge]
    connections: list[SystemConnection]
    others: list[Endpoint]
    successor: Endpoint | None
    key: str
    #: Why its key cannot be read from the variable; empty where it can.
    key_trouble: str
    #: How an application is asked, as a text; its key is a placeholder in it.
    request: str = ""

    @property
    def is_moving(self) -> bool:
        return self.test is not None and self.test.state == EndpointTest.State.MOVING

    @property
    def has_failed(self) -> bool:
        return self.test is not None and self.test.state == EndpointTest.State.FAILED

    @property
    def failure(self) -> str:
        """Say what went wrong with the newest test, and what to do about it."""
        if self.test is None:
            return ""
        return endpoint_wording.failure(self.test.trouble, self.test.problem)


def face(endpoint: Endpoint) -> EndpointFace:
    test = newest_test(endpoint)
    moving = test is not None and test.state == EndpointTest.State.MOVING
    others = others_of(endpoint)
    return EndpointFace(
        findings=endpoint_wording.words(test.found if test and moving else endpoint.found),
        facts=_facts(endpoint),
        test=test,
        n_probes=len(abilities.probes_of(endpoint.kind, endpoint.options.get("api", ""))),
        judges=list(Judge.objects.filter(endpoint=endpoint).order_by("name")),
        connections=list(
            SystemConnection.objects.filter(endpoint=endpoint, ended_at__isnull=True)
            .select_related("release__system")
            .order_by("release__system__name", "release__label")
        ),
        others=others,
        successor=next((one for one in others if one.retired_at is None), None),
        key=key_state(endpoint),
        key_trouble=trouble(endpoint),
        request=_request(endpoint) if endpoint.is_rest else "",
    )


def has_key(endpoint: Endpoint) -> bool:
    return bool(endpoint.key_sealed or endpoint.key_env or endpoint.headers_sealed)


def key_state(endpoint: Endpoint) -> str:
    """Say where the key is, never what it is."""
    if endpoint.is_scripted:
        return _("needs none")
    if endpoint.key_env:
        return _("in the variable %(name)s") % {"name": endpoint.key_env}
    return _("set, stored encrypted") if endpoint.key_sealed else _("none is sent")


def initial(endpoint: Endpoint) -> dict[str, Any]:
    """Return what a form about it begins with: never a key."""
    names = (
        "name",
        "url",
        "model_name",
        "family",
        "prompt_price",
        "completion_price",
        "cached_price",
        "currency",
        "max_in_flight",
        "per_minute",
        "timeout",
        "context_length",
        "certificates",
    )
    values = {name: getattr(endpoint, name) for name in names}
    for name in ("prompt_price", "completion_price", "cached_price"):
        if values[name] is not None:
            values[name] = f"{values[name]:f}".rstrip("0").rstrip(".") or "0"
    return values


def _request(endpoint: Endpoint) -> str:
    found = rest.template_of(endpoint.url, endpoint.request)
    lines = [f"{found.method} {found.url}"]
    lines += [f"{name}: {value}" for name, value in found.headers.items()]
    lines += ["", found.body] if found.body.strip() else []
    return "\n".join(lines)


def _facts(endpoint: Endpoint) -> list[EndpointFact]:
    answer = rest.template_of(endpoint.url, endpoint.request).answer
    found = [EndpointFact(_("Answer"), answer or _("the whole reply"))] if endpoint.is_rest else []
    return [
        EndpointFact(_("Version") if endpoint.is_rest else _("Model"), endpoint.model_name or "–"),
        *found,
        EndpointFact(_("Address"), endpoint.url or _("none")),
        EndpointFact(_("Key"), key_state(endpoint)),
        *_asked_by(endpoint),
        EndpointFact(_("Family"), endpoint.family or _("not said")),
        _prices(endpoint),
        EndpointFact(_("At once"), str(endpoint.max_in_flight), _("requests, over all workers")),
        EndpointFact(_("A minute"), str(endpoint.per_minute or _("no limit"))),
        EndpointFact(_("Waits"), _("%(n)s seconds for a reply") % {"n": endpoint.timeout}),
        EndpointFact(
            _("Context"),
            _("%(n)s tokens") % {"n": endpoint.context_length}
            if endpoint.context_length
            else _("not known"),
        ),
    ]


def _asked_by(endpoint: Endpoint) -> list[EndpointFact]:
    """Return how a server is asked, where that is not as usual."""
    options = endpoint.options
    query = "&".join(
        f"{name}={value if config.KEY in value or not config.is_secret(name) else '…'}"
        for name, value in options.get("query", {}).items()
    )
    said = {
        _("Form"): dict(APIS)[options["api"]] if "api" in options else "",
        _("Name of the token limit"): options.get("limit_name"),
        _("Reasoning effort"): options.get("effort"),
        _("Tokens for reasoning"): options.get("thinking_room"),
        _("Never sent"): ", ".join(options.get("leave_out", ())),
        _("Query"): query,
        _("Headers"): ", ".join(endpoint.header_names),
        _("Added to the body"): json.dumps(options["body"]) if "body" in options else "",
        _("Certificates"): _("of its own") if endpoint.certificates else "",
    }
    return [
        EndpointFact(label, str(value)) for label, value in said.items() if value not in ("", None)
    ]


def _prices(endpoint: Endpoint) -> EndpointFact:
    values = initial(endpoint)
    if values["prompt_price"] is None and values["completion_price"] is None:
        return EndpointFact(_("Prices"), _("not known"))
    parts = {
        "prompt": values["prompt_price"] or _("not known"),
        "reply": values["completion_price"] or _("not known"),
        "cached": values["cached_price"],
        "currency": endpoint.currency,
    }
    if parts["cached"] is None:
        said = _("prompt %(prompt)s, reply %(reply)s %(currency)s") % parts
    else:
        said = _("prompt %(prompt)s, cached %(cached)s, reply %(reply)s %(currency)s") % parts
    return EndpointFact(_("Prices"), said, _("for a million tokens"))


def endpoint_named(project: Project, name: str, field: str) -> Endpoint:
    """Return the endpoint of a name that is in use.

    Raises:
        NoEndpoint: there is none; `field` says so.
    """
    found = endpoints_of(project).filter(name=name).first()
    if found is None:
        message = _("No endpoint called “%(name)s” is in use in this project.") % {"name": name}
        raise NoEndpoint(message, fields={field: [message]})
    return found
