"""What an owner says of an endpoint and of its key: by the API, on the page."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Annotated, Any, ClassVar

from annotation.common.names import NameKind
from evalsite.kinds import ByName, Choice, Json, Number, Text, Whole
from evalsite.kinds import gettext_noop as _
from evalsite.records import Ask, Record
from scoring.llm import config, rest

Price = Annotated[Decimal, Number(12, 6, Decimal(0))] | None


@dataclass(frozen=True)
class EndpointWords(Record):
    """With a `request` it is an application, which needs no model; else an OpenAI-compatible server."""

    name: Annotated[str, NameKind(80), Ask(_("Name"), _("As shown in lists."))]
    url: Annotated[str, Text(500)] = ""
    model_name: Annotated[str, NameKind(200, empty=True)] = ""
    family: Annotated[
        str,
        NameKind(80, empty=True),
        Ask(
            _("Family"),
            _("As at systems on the same model: then favouring its own is tested."),
        ),
    ] = ""
    prompt_price: Annotated[
        Price,
        Ask(
            _("Price, 1M prompt tokens"),
            _("Empty: unknown; 0: free."),
        ),
    ] = None
    completion_price: Annotated[Price, Ask(_("Price, 1M reply tokens"))] = None
    cached_price: Annotated[
        Price,
        Ask(
            _("Price, 1M cached prompt tokens"),
            _("Empty: as other tokens."),
        ),
    ] = None
    currency: Annotated[str, Text(3, empty=False, like=re.compile("[A-Z]{3}"))] = "USD"
    max_in_flight: Annotated[
        int, Whole(1, 256), Ask(_("Requests at once"), _("Over all workers together."))
    ] = 8
    per_minute: Annotated[
        Annotated[int, Whole(1, 1_000_000)] | None, Ask(_("Requests a minute"))
    ] = None
    timeout: Annotated[int, Whole(1, 3600), Ask(_("Seconds to wait for a reply"))] = 120
    context_length: Annotated[
        Annotated[int, Whole(1, 100_000_000)] | None,
        Ask(
            _("Context in tokens"),
            _("Longer prompts are refused."),
        ),
    ] = None
    certificates: Annotated[
        str,
        Text(100_000),
        Ask(
            _("Certificates"),
            _("PEM certificate to trust."),
            rows=3,
        ),
    ] = ""


APIS = ((config.CHAT, "/chat/completions"), (config.RESPONSES, "/responses"))


@dataclass(frozen=True, kw_only=True)
class EndpointsOptions(Record):
    """How a server is asked, where that is not as usual. `body` is added to every request."""

    api: Annotated[
        str,
        Choice((config.CHAT, config.RESPONSES), titles=APIS),
        Ask(_("Form"), _("Most servers know the first.")),
    ] = config.CHAT
    limit_name: Annotated[
        str,
        Choice(config.LIMIT_NAMES, empty=True),
        Ask(_("Name of the token limit"), _("Empty: detected.")),
    ] = ""
    effort: Annotated[
        str,
        Choice(config.EFFORTS, empty=True),
        Ask(_("Reasoning effort"), _("Empty: the server decides.")),
    ] = ""
    thinking_room: Annotated[
        Annotated[int, Whole(0, 200_000)] | None,
        Ask(
            _("Tokens for reasoning"),
            _("Added to token limits. Empty: as tested."),
        ),
    ] = None
    leave_out: tuple[Annotated[str, Choice(config.OPTIONAL)], ...] = ()
    query: Annotated[Mapping[str, str], ByName(2000)] = field(default_factory=dict)
    body: Annotated[dict[str, Any], Json()] = field(default_factory=dict)


@dataclass(frozen=True)
class EndpointAbout(EndpointWords):
    """What an owner says of an endpoint. The key is no part of it.

    With a `request` (method, headers, body, answer) it is an application, asked over REST.
    """

    request: Mapping[str, Any] = field(default_factory=dict)
    #: Of a server: `EndpointsOptions` as plain values, and its headers; HIDDEN stands for what one holds already.
    options: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Request(Record):
    """How an application is asked over REST, and where in its reply the answer stands."""

    method: Annotated[str, Choice(rest.METHODS)] = "POST"
    headers: Annotated[Mapping[str, str], ByName(2000)] = field(default_factory=dict)
    body: Annotated[str, Text(rest.MOST_BODY, trim=False)] = ""
    answer: Annotated[str, Text(500)] = ""


@dataclass(frozen=True, kw_only=True)
class AboutIn(EndpointWords):
    component: ClassVar[str] = "EndpointsAbout"

    request: Request | None = None
    options: EndpointsOptions = field(default_factory=EndpointsOptions)
    #: Kept as keys are: what comes back holds names only, and "•••" sent back leaves a value as it is.
    headers: Annotated[Mapping[str, str], ByName(2000)] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class KeyIn(Record):
    key: Annotated[str, Text(4000)] = ""
    variable: Annotated[str, Text(120)] = ""


@dataclass(frozen=True, kw_only=True)
class EndpointIn(KeyIn, AboutIn):
    component: ClassVar[str] = "EndpointsEndpoint"
