"""What an owner says of an endpoint and of its key: by the API, on the page."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Annotated, Any, ClassVar

from annotation.common.names import Name
from evalsite.kinds import Choice, Number, Table, Text, Whole
from evalsite.kinds import gettext_noop as _
from evalsite.records import Ask, Record
from scoring.llm import rest

Price = Annotated[Decimal, Number(12, 6, Decimal(0))] | None


@dataclass(frozen=True)
class Words(Record):
    """With a `request` it is an application, which needs no model; else an OpenAI-compatible server."""

    name: Annotated[str, Name(80), Ask(_("Name"), _("As it stands in lists and beside judges."))]
    url: Annotated[str, Text(500)] = ""
    model_name: Annotated[str, Name(200, empty=True)] = ""
    family: Annotated[
        str,
        Name(80, empty=True),
        Ask(
            _("Family"),
            _(
                "In the same word as the family of a system that rests on the same language model: "
                "then it is tested whether a judge favours its own."
            ),
        ),
    ] = ""
    prompt_price: Annotated[
        Price,
        Ask(
            _("Price of a million tokens of the prompt"),
            _("Left empty, the cost is not known; 0 says that it costs nothing."),
        ),
    ] = None
    completion_price: Annotated[Price, Ask(_("Price of a million tokens of the reply"))] = None
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
            _("Prompts that are too long are then refused before a run starts."),
        ),
    ] = None


@dataclass(frozen=True)
class About(Words):
    """What an owner says of an endpoint. The key is no part of it.

    With a `request` (method, headers, body, answer) it is an application, asked over REST.
    """

    request: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Request(Record):
    """How an application is asked over REST, and where in its reply the answer stands."""

    method: Annotated[str, Choice(rest.METHODS)] = "POST"
    headers: Annotated[Mapping[str, str], Table(2000)] = field(default_factory=dict)
    body: Annotated[str, Text(rest.MOST_BODY, trim=False)] = ""
    answer: Annotated[str, Text(500)] = ""


@dataclass(frozen=True, kw_only=True)
class AboutIn(Words):
    component: ClassVar[str] = "EndpointsAbout"

    request: Request | None = None


@dataclass(frozen=True, kw_only=True)
class KeyIn(Record):
    key: Annotated[str, Text(4000)] = ""
    variable: Annotated[str, Text(120)] = ""


@dataclass(frozen=True, kw_only=True)
class EndpointIn(KeyIn, AboutIn):
    component: ClassVar[str] = "EndpointsEndpoint"
