"""The document as the reference page shows it: plain values, group by group.

* The table of every route in docs/api.md, made from the document.
"""

import functools
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.text import slugify

from evalsite.contract.document import GROUPS, JSON, document

PREFIX = "#/components/schemas/"
IN_PROJECT = "/api/v1/projects/{project}/"
#: So many levels of an object are written out in an example.
DEEP = 4


@dataclass(frozen=True)
class ShownKind:
    """What a value may be: words, and beside each the object it names, if it names one."""

    pieces: tuple[tuple[str, str], ...]

    @property
    def text(self) -> str:
        return "".join(text for text, _name in self.pieces)


@dataclass(frozen=True)
class ShownField:
    name: str
    kind: ShownKind
    is_required: bool
    text: str


@dataclass(frozen=True)
class Thing:
    """An object of a body or an answer, by name."""

    name: str
    text: str
    fields: tuple[ShownField, ...]

    @property
    def is_sent(self) -> bool:
        """Whether it is what a body is made of."""
        return self.name.endswith("In")


@dataclass(frozen=True)
class ShownAnswer:
    status: str
    text: str
    kind: ShownKind | None
    fields: tuple[ShownField, ...] = ()


@dataclass(frozen=True)
class Operation:
    """A method of an address: everything that the page says of it."""

    anchor: str
    method: str
    address: str
    title: str
    text: str
    roles: tuple[str, ...] | None
    scope: str
    parts: tuple[ShownField, ...]
    query: tuple[ShownField, ...]
    media: tuple[str, ...]
    body: ShownKind | None
    answers: tuple[ShownAnswer, ...]
    refusals: tuple[str, ...]
    example: str

    @property
    def ending(self) -> str:
        """The address from below the project on."""
        return self.address.removeprefix(IN_PROJECT)


@dataclass(frozen=True)
class CallGroup:
    """A chapter of the reference: its calls, and the objects they take and answer."""

    title: str
    slug: str
    operations: tuple[Operation, ...]
    things: tuple[Thing, ...]

    @property
    def alike(self) -> frozenset[str]:
        """The titles that several calls have, which only their addresses tell apart."""
        found = Counter(one.title for one in self.operations)
        return frozenset(title for title, n in found.items() if n > 1)


@functools.cache
def groups() -> tuple[CallGroup, ...]:
    """Return every chapter, in the order of the reference."""
    by_group: dict[str, list[Operation]] = {title: [] for title in GROUPS}
    roots: dict[str, set[str]] = {title: set() for title in GROUPS}
    for address, methods in document()["paths"].items():
        for method, told in methods.items():
            (title,) = told["tags"]
            by_group[title].append(_operation(method.upper(), address, told))
            roots[title] |= set(_names(told))
    return tuple(
        CallGroup(title, slugify(title), tuple(found), _things(roots[title]))
        for title, found in by_group.items()
        if found
    )


def _operation(method: str, address: str, told: Mapping[str, Any]) -> Operation:
    sent = told.get("requestBody", {}).get("content", {})
    schema = next((one["schema"] for one in sent.values()), None)
    parameters = told["parameters"]
    return Operation(
        anchor=told["operationId"],
        method=method,
        address=address,
        title=told["summary"],
        text=told.get("description", ""),
        roles=None if told["x-roles"] is None else tuple(told["x-roles"]),
        scope=told.get("x-scope") or "",
        parts=tuple(_parameter(one) for one in parameters if one["in"] == "path"),
        query=tuple(_parameter(one) for one in parameters if one["in"] == "query"),
        media=tuple(sent),
        body=None if schema is None else kind_of(schema),
        answers=tuple(_answers(told)),
        refusals=tuple(status for status, one in told["responses"].items() if "$ref" in one),
        example=_example(method, address, schema, next(iter(sent), "")),
    )


def _parameter(one: Mapping[str, Any]) -> ShownField:
    return ShownField(one["name"], kind_of(one["schema"]), one["required"], one["description"])


def _answers(told: Mapping[str, Any]) -> Iterator[ShownAnswer]:
    for status, one in told["responses"].items():
        if "$ref" in one:
            continue
        content = next(iter(one.get("content", {}).items()), None)
        if content is None:
            yield ShownAnswer(status, one["description"], None)
            continue
        media, schema = content[0], content[1]["schema"]
        kind = kind_of(schema) if media == JSON else _said(media)
        yield ShownAnswer(status, one["description"], kind, _fields(schema))


def kind_of(schema: Mapping[str, Any]) -> ShownKind:
    """Return what a schema allows, in words."""
    if "$ref" in schema:
        name = schema["$ref"].removeprefix(PREFIX)
        return ShownKind(((name, name),))
    for key in ("oneOf", "allOf", "anyOf"):
        if key in schema:
            return _joined([kind_of(one) for one in schema[key]])
    if "enum" in schema:
        return _said(" | ".join(_value(one) for one in schema["enum"]))
    said = schema.get("type", "anything")
    if isinstance(said, list):
        return _joined([kind_of({**schema, "type": one}) for one in said])
    if said == "array":
        return ShownKind((("list of ", ""), *kind_of(schema.get("items", {})).pieces))
    if said == "object":
        return _of_object(schema)
    return _said(str(schema.get("format") or said))


def _value(one: Any) -> str:
    """Return a value as it is asked for: the empty text in quotes, for it would not be seen."""
    return {None: "null", "": '""'}.get(one, str(one))


def _of_object(schema: Mapping[str, Any]) -> ShownKind:
    rest = schema.get("additionalProperties")
    if isinstance(rest, dict) and rest:
        return ShownKind((("object of ", ""), *kind_of(rest).pieces))
    return _said("object")


def _said(text: str) -> ShownKind:
    return ShownKind(((text, ""),))


def _joined(kinds: list[ShownKind]) -> ShownKind:
    """Return the kinds with "or" between them, each once."""
    made: list[tuple[str, str]] = []
    for one in dict.fromkeys(kinds):
        made += [(" or ", ""), *one.pieces] if made else one.pieces
    return ShownKind(tuple(made))


def _fields(schema: Mapping[str, Any]) -> tuple[ShownField, ...]:
    required = schema.get("required", ())
    return tuple(
        ShownField(name, kind_of(one), name in required, one.get("description", ""))
        for name, one in schema.get("properties", {}).items()
    )


def _things(roots: set[str]) -> tuple[Thing, ...]:
    """Return the objects of these names, and those that they hold, by name."""
    schemas = document()["components"]["schemas"]
    found, left = set[str](), set(roots)
    while left:
        name = left.pop()
        found.add(name)
        left |= set(_names(schemas[name])) - found
    return tuple(
        Thing(name, schemas[name].get("description", ""), _fields(schemas[name]))
        for name in sorted(found)
    )


def _names(of: Any) -> Iterator[str]:
    """Yield the objects that something refers to."""
    if isinstance(of, Mapping):
        if str(of.get("$ref", "")).startswith(PREFIX):
            yield of["$ref"].removeprefix(PREFIX)
        for one in of.values():
            yield from _names(one)
    elif isinstance(of, list):
        for one in of:
            yield from _names(one)


def _example(method: str, address: str, schema: Mapping[str, Any] | None, media: str) -> str:
    lines = [f'curl "$SITE{address}"', '  -H "Authorization: Bearer $TOKEN"']
    if method != "GET":
        lines.insert(1, f"  -X {method}")
    if schema is not None and media == JSON:
        body = json.dumps(sample(schema), indent=2, ensure_ascii=False).replace("'", "’")
        lines += ['  -H "Content-Type: application/json"', f"  -d '{body}'"]
    elif schema is not None:
        lines += [f"  -F {name}={_form(name, one)}" for name, one in _sent(schema)]
    return " \\\n".join(lines)


def _sent(schema: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Return the fields of a form that must be sent."""
    whole = _whole(schema)
    required = whole.get("required", [])
    return [(name, one) for name, one in whole["properties"].items() if name in required]


def _form(name: str, schema: Mapping[str, Any]) -> str:
    return f"@{name}.csv" if schema.get("format") == "binary" else str(sample(schema))


def _whole(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    if "$ref" in schema:
        whole: Mapping[str, Any] = document()["components"]["schemas"][
            schema["$ref"].removeprefix(PREFIX)
        ]
        return whole
    return schema


_SAMPLES: Mapping[str, Any] = {
    "uuid": "1c1b2a5e-0000-4000-8000-000000000001",
    "date": "2030-01-31",
    "date-time": "2030-01-31T09:00:00Z",
    "decimal": "1.0",
    "integer": 1,
    "number": 1.0,
    "boolean": False,
    "string": "…",
}


def sample(schema: Mapping[str, Any], depth: int = 0) -> Any:
    """Return an example of a body: what must be sent, with values that say of which kind they are."""
    whole = _whole(schema)
    for key in ("oneOf", "allOf", "anyOf"):
        if key in whole:
            return sample(whole[key][0], depth)
    if "enum" in whole:
        return next((one for one in whole["enum"] if one not in (None, "")), None)
    said = whole.get("type", "object")
    kind = said[0] if isinstance(said, list) else said
    if kind == "array":
        return [sample(whole.get("items", {}), depth + 1)] if depth < DEEP else []
    if kind == "object":
        return _sample_of_object(whole, depth)
    return _SAMPLES.get(str(whole.get("format")), _SAMPLES.get(kind, "…"))


def _sample_of_object(whole: Mapping[str, Any], depth: int) -> dict[str, Any]:
    named = whole.get("properties", {})
    wanted = whole.get("required", ()) or list(named)[:2]
    if depth >= DEEP:
        return {}
    return {name: sample(one, depth + 1) for name, one in named.items() if name in wanted}


BEGIN, END = "<!-- routes: made by manage.py api_table -->", "<!-- routes end -->"


class NoPlace(ValueError):
    """The text has no place for the table."""


def table() -> str:
    """Return every route as Markdown, group by group: method, address, who, and what it does."""
    rows: dict[str, list[str]] = {title: [] for title in GROUPS}
    for address, methods in document()["paths"].items():
        for method, told in methods.items():
            roles = told["x-roles"]
            who = "everybody" if roles is None else ", ".join(one.lower() for one in roles)
            rows[told["tags"][0]].append(
                f"| {method.upper()} | `{address.removeprefix('/api/v1')}` | {who} | {told['summary']} |"
            )
    head = "| method | below `/api/v1` | who may | what it does |\n|---|---|---|---|\n"
    return "\n\n".join(
        f"### {title}\n\n{head}" + "\n".join(found) for title, found in rows.items() if found
    )


def written_into(text: str) -> str:
    """Return a text with the table between its two marks.

    Raises:
        NoPlace: it lacks one of the marks.
    """
    before, begin, rest = text.partition(BEGIN)
    _old, end, after = rest.partition(END)
    if not (begin and end):
        raise NoPlace(f"The text needs the lines {BEGIN} and {END}.")
    return f"{before}{BEGIN}\n\n{table()}\n\n{END}{after}"
