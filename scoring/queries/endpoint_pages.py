"""What the page of an endpoint shows."""

from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from scoring.llm import abilities, rest
from scoring.models import Endpoint, EndpointTest, Judge, SystemConnection
from scoring.queries import endpoint_keys, endpoint_wording, endpoints
from scoring.queries.endpoint_wording import Word


@dataclass(frozen=True)
class Fact:
    label: str
    value: str
    note: str = ""


@dataclass(frozen=True)
class Face:
    """An endpoint as its page shows it."""

    findings: list[Word]
    facts: list[Fact]
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


def face(endpoint: Endpoint) -> Face:
    test = endpoints.newest_test(endpoint)
    moving = test is not None and test.state == EndpointTest.State.MOVING
    others = endpoints.others_of(endpoint)
    return Face(
        findings=endpoint_wording.words(test.found if test and moving else endpoint.found),
        facts=_facts(endpoint),
        test=test,
        n_probes=len(abilities.probes_of(endpoint.kind)),
        judges=list(Judge.objects.filter(endpoint=endpoint).order_by("name")),
        connections=list(
            SystemConnection.objects.filter(endpoint=endpoint, ended_at__isnull=True)
            .select_related("release__system")
            .order_by("release__system__name", "release__label")
        ),
        others=others,
        successor=next((one for one in others if one.retired_at is None), None),
        key=key_state(endpoint),
        key_trouble=endpoint_keys.trouble(endpoint),
        request=_request(endpoint) if endpoint.is_rest else "",
    )


def has_key(endpoint: Endpoint) -> bool:
    return bool(endpoint.key_sealed or endpoint.key_env)


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
        "currency",
        "max_in_flight",
        "per_minute",
        "timeout",
        "context_length",
    )
    values = {name: getattr(endpoint, name) for name in names}
    for name in ("prompt_price", "completion_price"):
        if values[name] is not None:
            values[name] = f"{values[name]:f}".rstrip("0").rstrip(".") or "0"
    return values


def _request(endpoint: Endpoint) -> str:
    found = rest.template_of(endpoint.url, endpoint.request)
    lines = [f"{found.method} {found.url}"]
    lines += [f"{name}: {value}" for name, value in found.headers.items()]
    lines += ["", found.body] if found.body.strip() else []
    return "\n".join(lines)


def _facts(endpoint: Endpoint) -> list[Fact]:
    answer = rest.template_of(endpoint.url, endpoint.request).answer
    found = [Fact(_("Answer"), answer or _("the whole reply"))] if endpoint.is_rest else []
    return [
        Fact(_("Version") if endpoint.is_rest else _("Model"), endpoint.model_name or "–"),
        *found,
        Fact(_("Address"), endpoint.url or _("none: it answers on this site")),
        Fact(_("Key"), key_state(endpoint)),
        Fact(_("Family"), endpoint.family or _("not said")),
        _prices(endpoint),
        Fact(_("At once"), str(endpoint.max_in_flight), _("requests, over all workers")),
        Fact(_("A minute"), str(endpoint.per_minute or _("no limit"))),
        Fact(_("Waits"), _("%(n)s seconds for a reply") % {"n": endpoint.timeout}),
        Fact(
            _("Context"),
            _("%(n)s tokens") % {"n": endpoint.context_length}
            if endpoint.context_length
            else _("not known"),
        ),
    ]


def _prices(endpoint: Endpoint) -> Fact:
    values = initial(endpoint)
    if values["prompt_price"] is None and values["completion_price"] is None:
        return Fact(_("Prices"), _("not known"))
    said = _("prompt %(prompt)s, reply %(reply)s %(currency)s") % {
        "prompt": values["prompt_price"] or _("not known"),
        "reply": values["completion_price"] or _("not known"),
        "currency": endpoint.currency,
    }
    return Fact(_("Prices"), said, _("for a million tokens"))
