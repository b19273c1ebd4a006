"""Shapes of answers that no serializer writes, said in few words, their JSON schemas, and rows told by them.

A shape is one of: a Python type (str, int, float, bool, datetime, date, Decimal, UUID), a serializer
class, a record, `[shape]` for a list, `{str: shape}` for an object with names of its own, a `NamedShape` with a name
and named fields, or one of what `maybe`, `said` and `one_of` return.
"""

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from rest_framework.serializers import BaseSerializer

from evalsite.records import Record, RecordPart, once, parts, told, written

Schema = dict[str, Any]
#: Turns a serializer class, or a named shape with its schema, into a reference to a component.
Refer = Callable[[Any, "Callable[[], Schema] | None"], Schema]

_PLAIN: Mapping[Any, Schema] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    datetime: {"type": "string", "format": "date-time"},
    date: {"type": "string", "format": "date"},
    Decimal: {"type": "string", "format": "decimal"},
    UUID: {"type": "string", "format": "uuid"},
}


@dataclass(frozen=True)
class Anything:
    """Any JSON: what a file or a protocol keeps as it came."""


ANYTHING = Anything()


@dataclass(frozen=True)
class Maybe:
    of: Any
    #: Whether what is empty is told as null too.
    empty: bool = False


@dataclass(frozen=True)
class SaidShape:
    of: Any
    text: str


@dataclass(frozen=True)
class OneOf:
    values: tuple[Any, ...]


@dataclass(frozen=True)
class AnyOf:
    """One of several shapes."""

    kinds: tuple[Any, ...]


@dataclass(frozen=True)
class Optional:
    of: Any


@dataclass(frozen=True)
class Partly:
    """A body of which anything may be left out, and stays as it is."""

    of: type[Record]


@dataclass(frozen=True)
class WrittenSchema:
    """A value whose JSON schema its kind knows."""

    schema: Mapping[str, Any]


#: Where a row holds a field: "seat.state", or what finds it there.
Place = str | Callable[[Any], Any]


@dataclass(frozen=True)
class At:
    place: Place
    of: Any


#: A number as some say it.
DOUBLE = WrittenSchema({"type": "number", "format": "double"})


@dataclass(frozen=True, eq=False)
class NamedShape:
    """An object with a name. It has all fields of its bases (serializers or shapes) and its own."""

    name: str
    bases: tuple[Any, ...] = ()
    fields: Mapping[str, Any] = field(default_factory=dict)
    text: str = ""
    #: What stands under names that are not known before; False: nothing.
    rest: Any = None
    #: Of fields that a row does not hold under their own names: where it holds them.
    places: Mapping[str, "Place"] = field(default_factory=dict)


@once
def of_record(record: type[Record], *, sent: bool = False, partly: bool = False) -> NamedShape:
    """Return a record as it is answered, or as it is sent: whole, or what is named of it."""
    name = str(vars(record).get("component") or record.__name__.removesuffix("Out"))
    end = "ChangeIn" if partly else "In" if sent else ""
    fields = {
        one.called: _of_part(one, sent=sent, partly=partly, needed=one.name in record.needs)
        for one in parts(record)
    }
    text = inspect.cleandoc(vars(record).get("__doc__") or "")
    text = "" if text.startswith(f"{record.__name__}(") else text  # made by the dataclass
    name = name.removesuffix("In") if sent else name
    return NamedShape(f"{name}{end}", (), fields, text, False if sent else None)


def _of_part(one: RecordPart, *, sent: bool, partly: bool, needed: bool) -> Any:
    of: Any = of_record(one.record, sent=True) if one.record and sent else one.record
    if one.kind is not None:
        usual = sent and not (partly or one.required or one.many or one.default in (None, ""))
        default = {"default": written(one.default, one.kind, sent)} if usual else {}
        of = WrittenSchema({**one.kind.schema(), **default})
    of = [of] if one.many else of
    of = Maybe(of) if one.nullable else of
    of = SaidShape(of, one.ask.help) if one.ask and one.ask.help else of
    left_out = partly or not (one.required or needed)
    return Optional(of) if sent and left_out else of


@dataclass(frozen=True)
class FileShape:
    """A file; how the address ends says of which kind."""


FILE = FileShape()
MEDIA: Mapping[str, str] = {
    "csv": "text/csv",
    "jsonl": "application/x-ndjson",
    "md": "text/markdown",
    "svg": "image/svg+xml",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "zip": "application/zip",
    "sqlite": "application/vnd.sqlite3",
}


@dataclass(frozen=True)
class With:
    """One answer where the address has this part, another where it has not."""

    part: str
    then: Any
    otherwise: Any


def shape(called: str, /, *bases: Any, **fields: Any) -> NamedShape:
    """Return an object of this name.

    Args:
        called: its name in the document; without one it is written out where it stands.
        bases: serializers and shapes whose fields it has as well.
        fields: by name; words of Python end with an underscore. `_text` is a sentence about it,
            `_rest` the shape of whatever stands under other names.
    """
    text, rest = fields.pop("_text", ""), fields.pop("_rest", None)
    named = {one.removesuffix("_"): value for one, value in fields.items()}
    places = {name: one.place for name, one in named.items() if isinstance(one, At)}
    named = {name: one.of if isinstance(one, At) else one for name, one in named.items()}
    return NamedShape(called, bases, named, text, rest, places)


def at(place: Place, of: Any) -> At:
    """Return the shape of a field that a row holds at another place than its name says."""
    return At(place, of)


def maybe(of: Any) -> Maybe:
    """Return a shape that may be null."""
    return Maybe(of)


def or_null(of: Any) -> Maybe:
    """Return a shape that is null where a row holds nothing: an empty text."""
    return Maybe(of, empty=True)


def optional(of: Any) -> Optional:
    """Return the shape of a field that may be missing."""
    return Optional(of)


def said(of: Any, text: str) -> SaidShape:
    """Return a shape with a sentence about it."""
    return SaidShape(of, text)


def partly(of: type[Record]) -> Partly:
    """Return the shape of a body that changes what is named in it."""
    return Partly(of)


def one_of(*values: Any) -> OneOf:
    return OneOf(values)


def sent(of: Any) -> Any:
    """Return the shape of a body: a record as it is sent, anything else as it is."""
    return of_record(of, sent=True) if isinstance(of, type) and issubclass(of, Record) else of


def either(called: str, head: type[Record], *kinds: type[Record]) -> NamedShape:
    """Return the shape of a body that says which kind it is, and beside that what this kind takes."""
    found = [of_record(one, sent=True, partly=True).fields for one in kinds]
    whole = of_record(head, sent=True)
    named = {name: one for fields in found for name, one in fields.items()}
    return NamedShape(called, (), {**named, **whole.fields}, whole.text, rest=False)


NEXT = SaidShape(Maybe(str), "The query of the next page; null on the last one.")


def rows(of: Any, **more: Any) -> NamedShape:
    """Return the shape of a whole list: everything under `results`."""
    return shape("", results=[of], **more)


def page(of: Any, **more: Any) -> NamedShape:
    """Return the shape of a page of a list: some rows, and where the next ones are."""
    return shape("", results=[of], next=NEXT, **more)


def answer(of: NamedShape, row: Any, **given: Any) -> dict[str, Any]:
    """Return what is answered of a row by its shape; `given` stands in it as it is."""
    made: dict[str, Any] = {}
    for base in of.bases:
        made |= answer(base, row, **given) if isinstance(base, NamedShape) else told(base, row)
    for name, kind in of.fields.items():
        known = name in given
        made[name] = (
            given[name] if known else _answered(kind, _held(row, of.places.get(name, name)))
        )
    return made


def answers(of: NamedShape, rows: Iterable[Any]) -> list[dict[str, Any]]:
    return [answer(of, row) for row in rows]


def _held(row: Any, place: Place) -> Any:
    if callable(place):
        return place(row)
    for step in place.split("."):
        if row is not None:
            row = row[step] if isinstance(row, Mapping) else getattr(row, step)
    return row


def _answered(kind: Any, value: Any) -> Any:
    while isinstance(kind, SaidShape | Maybe | Optional):
        if value is None or (isinstance(kind, Maybe) and kind.empty and not value):
            return None
        kind = kind.of
    if isinstance(kind, list):
        return [_answered(kind[0], one) for one in value]
    if isinstance(kind, dict):
        (inner,) = kind.values()
        return {name: _answered(inner, one) for name, one in value.items()}
    if isinstance(kind, NamedShape):
        return answer(kind, value)
    if kind is DOUBLE:
        return float(value)
    return str(value) if kind in {str, Decimal} else value


def schema(of: Any, refer: Refer) -> Schema:
    """Return the JSON schema (2020-12) of a shape.

    Raises:
        TypeError: it is none.
    """
    for kind, make in _KINDS.items():
        if isinstance(of, kind):
            return make(of, refer)
    if isinstance(of, type) and issubclass(of, BaseSerializer):
        return refer(of, None)
    if isinstance(of, type) and issubclass(of, Record):
        return _of_shape(of_record(of), refer)
    if of in _PLAIN:
        return dict(_PLAIN[of])
    raise TypeError(f"{of!r} is no shape.")


def _of_list(of: Any, refer: Refer) -> Schema:
    (one,) = of
    return {"type": "array", "items": schema(one, refer)}


def _of_names(of: Any, refer: Refer) -> Schema:
    ((_name, one),) = of.items()
    return {"type": "object", "additionalProperties": schema(one, refer)}


def _of_maybe(of: Maybe, refer: Refer) -> Schema:
    found = schema(of.of, refer)
    if "type" in found and isinstance(found["type"], str) and "enum" not in found:
        return {**found, "type": [found["type"], "null"]}
    return {"oneOf": [found, {"type": "null"}]} if found else {}


def _of_said(of: SaidShape, refer: Refer) -> Schema:
    found = schema(of.of, refer)
    if "$ref" in found:
        return {"allOf": [found], "description": of.text}
    return {**found, "description": of.text}


def _of_partly(of: Partly, refer: Refer) -> Schema:
    return _of_shape(of_record(of.of, sent=True, partly=True), refer)


def _of_choice(of: OneOf, _refer: Refer) -> Schema:
    return {"enum": list(of.values), **_PLAIN[type(of.values[0])]}


def _of_shape(of: NamedShape, refer: Refer) -> Schema:
    return (
        refer(of, lambda: schema_of_fields(of, refer)) if of.name else schema_of_fields(of, refer)
    )


def schema_of_fields(of: NamedShape, refer: Refer) -> Schema:
    """Return the schema of a shape itself, not a reference to it."""
    made: Schema = {"type": "object", "properties": {}, "required": []}
    for base in of.bases:
        found = _bare(base, refer)
        made["properties"] |= found.get("properties", {})
        made["required"] += found.get("required", [])
    for name, value in of.fields.items():
        inner = value.of if isinstance(value, Optional) else value
        made["properties"][name] = schema(inner, refer)
        if not isinstance(value, Optional) and name not in made["required"]:
            made["required"].append(name)
    if of.rest is not None:
        made["additionalProperties"] = of.rest and schema(of.rest, refer)
    if of.text:
        made["description"] = of.text
    if not made["required"]:
        del made["required"]
    return made


def _bare(base: Any, refer: Refer) -> Schema:
    """Return the schema of a base itself, not a reference to it; it stands in the document too."""
    if isinstance(base, type) and issubclass(base, Record):
        return schema_of_fields(of_record(base), refer)
    if isinstance(base, NamedShape):
        schema(base, refer)
        return schema_of_fields(base, refer)
    found: Schema = refer(base, dict)
    return found


_KINDS: Mapping[type, Callable[[Any, Refer], Schema]] = {
    list: _of_list,
    dict: _of_names,
    Maybe: _of_maybe,
    SaidShape: _of_said,
    WrittenSchema: lambda of, _refer: dict(of.schema),
    OneOf: _of_choice,
    Partly: _of_partly,
    NamedShape: _of_shape,
    AnyOf: lambda of, refer: {"anyOf": [schema(one, refer) for one in of.kinds]},
    Anything: lambda _of, _refer: {},
}
