"""Into which groups the routes fall, by the word that follows the project in their address.

* Every route of the API with its contract, found through the URLconf.
* The OpenAPI document of the API, made from the contracts of its routes.
"""

import functools
import inspect
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.urls import URLPattern, URLResolver, get_resolver
from django.utils import translation

from evalsite.contract import shapes
from evalsite.contract.calls import Call, Promise, Query
from evalsite.contract.shapes import MEDIA, FileShape, Schema, With, shape
from evalsite.web import scopes

if TYPE_CHECKING:  # it loads what few processes need
    from evalsite.contract.components import Components

#: Title of a group, and the words its addresses go by. Longer beginnings win.
GROUPS: Mapping[str, tuple[str, ...]] = {
    "You and your projects": ("", "me", "projects", "search", "openapi.json"),
    "People, settings and what was done": ("about", "people", "invitations", "settings", "audit"),
    "Areas, capabilities and the plan": ("domains", "capabilities", "plan"),
    "Questions": ("questions", "saved-filters", "bulk-edits", "bank-files", "imports", "drafting"),
    "Sources": ("sources", "source-collections"),
    "Inspection": ("inspect",),
    "Items, systems and rubrics": ("items", "systems", "rubrics", "rubric-copies"),
    "Annotators and their training": ("annotators", "training", "workload"),
    "Rounds": (
        "rounds",
        "rounds/{number}/draw",
        "rounds/{number}/manifest",
        "rounds/{number}/references",
        "rounds/{number}/trial",
        "rounds/{number}/prepare",
        "rounds/{number}/identity",
        "rounds/{number}/open",
        "rounds/{number}/withdraw",
        "rounds/{number}/pause",
        "rounds/{number}/resume",
        "rounds/{number}/prolong",
        "rounds/{number}/close",
        "rounds/{number}/finish",
        "rounds/{number}/copy",
        "rounds/{number}/discard",
        "rounds/{number}/seats",
        "rounds/{number}/items/{place}/seats",
        "rounds/{number}/flags",
    ),
    "Results of a round": ("rounds/{number}/", "movement", "trend"),
    "The review desk": ("rounds/{number}/review",),
    "Endpoints and connections": ("endpoints", "releases", "answers"),
    "Runs": ("runs", "runs/{number}/publish"),
    "Interviews": (
        "interviews",
        "runs/{number}/interviews",
        "runs/{number}/dialogues",
        "runs/{number}/evaluators",
        "runs/{number}/contamination",
    ),
    "Accuracy and losses": (
        "accuracy",
        "losses",
        "runs/{number}/accuracy",
        "runs/{number}/losses",
    ),
    "Judges, metrics and assistants": (
        "judges",
        "tunings",
        "metrics",
        "assistants",
        "pairs",
        "rounds/{number}/judge",
        "runs/{number}/pairs",
        "runs/{number}/metrics",
        "runs/{number}/assistant",
    ),
    "Evaluation tasks": ("tasks", "runs/{number}/fusion"),
    "Conversations and suites": ("conversations", "suites", "schedules", "runs/{number}/suite"),
}
#: What stands before the word.
PROJECT = "projects/{project}/"


class NoGroup(LookupError):
    """A route that no group knows."""


def group_of(address: str) -> str:
    """Return the group of an address below /api/v1/.

    Raises:
        NoGroup: evalsite.contract.document knows no word for it.
    """
    rest = address.removeprefix(PROJECT)
    if rest == address and address.startswith("projects/"):
        rest = "projects"
    fitting = [
        (len(word), title)
        for title, words in GROUPS.items()
        for word in words
        if _begins(rest, word)
    ]
    if not fitting:
        raise NoGroup(f"GROUPS of evalsite/contract/document.py needs a word for {address}.")
    return max(fitting)[1]


def _begins(rest: str, word: str) -> bool:
    if word.endswith("/"):
        return rest.startswith(word) and rest != word
    return rest.rstrip("/") == word or (bool(word) and rest.startswith((f"{word}/", f"{word}.")))


ROOT = "/api/v1/"


class NoContract(LookupError):
    """A route of the API says nothing of what it takes and answers."""


@dataclass(frozen=True)
class Route:
    """A route: its address with `{…}` for what is filled in, and the kinds of what is."""

    name: str
    address: str
    parts: Mapping[str, str]
    view: Any
    #: As Django writes it, without the slash in front.
    pattern: str

    @property
    def methods(self) -> list[str]:
        return [one for one in self.view.cls().allowed_methods if one not in {"OPTIONS", "HEAD"}]

    @property
    def parsers(self) -> list[str]:
        """Return the media types that a body may have."""
        return [one.media_type for one in self.view.cls.parser_classes]

    @property
    def promise(self) -> Promise:
        """Return what the route promises.

        Raises:
            NoContract: a method of it says nothing.
        """
        found = self.view.cls.schema
        if not isinstance(found, Promise) or set(found.calls) != set(self.methods):
            raise NoContract(f"{self.name} needs a contract for each of {self.methods}.")
        return found


def routes() -> list[Route]:
    """Return every route below /api/v1/, in the order of the addresses."""
    found = _walk(get_resolver().url_patterns, "")
    return sorted(found, key=lambda one: one.address)


def _walk(patterns: Iterable[URLPattern | URLResolver], before: str) -> Iterator[Route]:
    for pattern in patterns:
        text = before + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from _walk(pattern.url_patterns, text)
            continue
        address = "/" + re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", text)
        parts = {name: kind or "str" for kind, name in re.findall(r"<(?:(\w+):)?(\w+)>", text)}
        if address.startswith(ROOT):
            yield Route(pattern.name or "", address, parts, pattern.callback, text)


VERSION = "3.1.0"
JSON = "application/json"
ERROR = shape(
    "Error",
    _text="What every refusal says: a code for programs, a sentence for people, and what is wrong.",
    code=shapes.said(str, "One word for programs, such as `not_found`."),
    message=shapes.said(str, "A sentence for people, in their language."),
    fields=shapes.said({str: shapes.ANYTHING}, "What is wrong with which field or parameter."),
)
#: What any call may be answered, and what those that change something may.
REFUSED: Mapping[str, str] = {
    "400": "The body or the parameters cannot be used; `fields` says which and why.",
    "401": "Nobody is signed in, or the token does not hold.",
    "403": "You may look at this, but not do it.",
    "404": "There is nothing here that you may see.",
    "409": "It stands against this, has moved on since you looked, or could not be computed; "
    "`message` says why.",
    "422": "What was asked can be read but not be used; `fields` says why.",
    "429": "Too many requests. `Retry-After` says when to go on.",
}
REFUSED_DEED: Mapping[str, str] = {
    "413": "More was sent than is taken at once.",
    "415": "The body has a media type that is not read here.",
}
#: Of what is answered with 202.
WAITING: Mapping[str, Any] = {
    "Location": {"schema": {"type": "string"}, "description": "Where to ask what became of it."},
    "Retry-After": {"schema": {"type": "integer"}, "description": "Seconds to wait before that."},
}
PARTS: Mapping[str, Schema] = {
    "int": {"type": "integer", "minimum": 0},
    "slug": {"type": "string", "pattern": "^[-a-zA-Z0-9_]+$"},
    "uuid": {"type": "string", "format": "uuid"},
    "str": {"type": "string"},
}
SAID_OF_PARTS: Mapping[str, str] = {
    "project": "The short name of the project, as in the address of its pages.",
    "number": "The number, as in the address of its page.",
    "pk": "The `id`, as the list has it.",
    "person": "The public id of a person.",
    "judge": "The `key` of a judge, as the list of judges has it.",
    "key": "The key of a rubric, as the list of rubrics has it.",
    "release": "The `id` of a release, as its system has it.",
    "before": "The number of the earlier one.",
    "after": "The number of the later one.",
    "system": "The place of a system among those of both rounds, by name, from 1.",
    "place": "The `place` of a question in its round.",
    "seat": "The `seat`, as the round's seats have it.",
    "table": "The name of the table, as the link beside it on the page has it.",
    "plot": "The name of the plot, as the link beside it on the page has it.",
}
ABOUT = (
    "What the pages show and do, for programs. Sign in with a personal token "
    "(`Authorization: Bearer …`) or with the session of the site. What your roles do not allow, a "
    "token does not allow either. Lists come in pages; `next` is the query of the next one."
)


@functools.cache
def document() -> dict[str, Any]:
    """Return the document, the same for everybody who may read it, in English.

    Raises:
        NoContract: a route says nothing of itself.
        NameTaken: two shapes have one name.
    """
    with translation.override("en"):
        made: dict[str, Any] = _plain(_document())
        return made


def _document() -> dict[str, Any]:
    # With drf-spectacular and all that comes with it: few ask for the document.

    from evalsite.contract.components import Components

    known = routes()  # first of all: what they import is what components are named among
    components, paths = Components(), dict[str, Any]()
    for route in known:
        promise = route.promise
        paths[route.address] = {
            method.lower(): _operation(route, call, promise.roles(method), components)
            for method, call in sorted(promise.calls.items())
        }
    error = components.refer(ERROR, lambda: shapes.schema_of_fields(ERROR, components.refer))
    return {
        "openapi": VERSION,
        "info": {"title": "evalsite", "version": "1", "description": ABOUT},
        "servers": [{"url": "/"}],
        "tags": [{"name": title} for title in GROUPS],
        "security": [{"token": []}, {"session": []}],
        "paths": paths,
        "components": {
            "schemas": components.built(),
            "responses": {
                f"Refused{status}": {
                    "description": text,
                    "content": {JSON: {"schema": error}},
                }
                for status, text in sorted({**REFUSED, **REFUSED_DEED}.items())
            },
            "securitySchemes": {
                "token": {"type": "http", "scheme": "bearer"},
                "session": {"type": "apiKey", "in": "cookie", "name": "sessionid"},
            },
        },
    }


def _operation(
    route: Route, call: Call, roles: frozenset[str] | None, components: "Components"
) -> dict[str, Any]:
    title, text = _words(route, call)
    made: dict[str, Any] = {
        "operationId": f"{call.method.lower()}_{route.name.removeprefix('api_')}",
        "summary": title,
        "tags": [group_of(route.address.removeprefix(ROOT))],
        "parameters": [
            *(_part(name, kind, call) for name, kind in route.parts.items()),
            *(_query(one) for one in call.query),
        ],
        "responses": _answers(route, call, components),
        "x-roles": None if roles is None else sorted(roles),
        "x-scope": ", ".join(scopes.needed(route.pattern, call.method)),
    }
    if text:
        made["description"] = text
    if call.takes is not None:
        schema = shapes.schema(shapes.sent(call.takes), components.refer)
        made["requestBody"] = {
            "required": True,
            "content": {media: {"schema": schema} for media in route.parsers},
        }
    return made


def _words(route: Route, call: Call) -> tuple[str, str]:
    """Return the first sentence of what a call does, and the rest."""
    said = call.summary or inspect.cleandoc(route.promise.view.__doc__ or "")
    first, _blank, rest = said.partition("\n\n")
    return " ".join(first.split()), " ".join(rest.split())


def _part(name: str, kind: str, call: Call) -> dict[str, Any]:
    told = next((one for one in call.parts if one.name == name), None)
    return {
        "name": name,
        "in": "path",
        "required": True,
        "schema": dict(PARTS[kind] if told is None else told.schema),
        "description": SAID_OF_PARTS.get(name, "") if told is None else told.text,
    }


def _query(one: Query) -> dict[str, Any]:
    schema = dict(one.schema)
    made = {
        "name": re.sub("…", "{name}", one.name),
        "in": "query",
        "required": False,
        "schema": {"type": "array", "items": schema} if one.many else schema,
        "description": one.text,
    }
    return made | ({"x-pattern": True} if "…" in one.name else {})


def _answers(route: Route, call: Call, components: "Components") -> dict[str, Any]:
    refused = {**REFUSED, **(REFUSED_DEED if call.method != "GET" else {})}
    made: dict[str, Any] = {
        str(status): _answer(route, status, of, components) for status, of in call.answers.items()
    }
    for status in refused:
        made[status] = {"$ref": f"#/components/responses/Refused{status}"}
    return dict(sorted(made.items()))


def _answer(route: Route, status: int, of: Any, components: "Components") -> dict[str, Any]:
    if of is None:
        return {"description": "Done; nothing is answered."}
    if isinstance(of, With):
        of = of.then if of.part in route.parts else of.otherwise
    if isinstance(of, FileShape):
        media = MEDIA[route.address.rpartition(".")[2]]
        content = {media: {"schema": {"type": "string", "contentMediaType": media}}}
        return {"description": "The file.", "content": content}
    content = {JSON: {"schema": shapes.schema(of, components.refer)}}
    made: dict[str, Any] = {"description": _DESCRIBED.get(status, "Done."), "content": content}
    if status == 202:
        made["headers"] = WAITING
    return made


_DESCRIBED: Mapping[int, str] = {
    200: "What was asked for.",
    201: "Made.",
    202: "Taken on; it is not done yet.",
}


def _plain(of: Any) -> Any:
    """Return the same with nothing but JSON in it: translated words, choices as their values."""
    if isinstance(of, Mapping):
        return {str(name): _plain(one) for name, one in of.items()}
    if isinstance(of, list | tuple):
        return [_plain(one) for one in of]
    if of is None or type(of) in {bool, int, float, str}:
        return of
    if isinstance(of, int | float):
        return int(of) if isinstance(of, int) else float(of)
    return str(of)
