"""Records: what a thing says of itself, said once: its fields, their limits and their words.

A record is a frozen dataclass below `Record`. Its fields name their kinds, and, where people are asked for
them, their words:

    name: Annotated[str, Text(200, empty=False), Ask(_("Name"))]

From it come what the API takes and answers, a page's form, the lines of a file. A record that is made by
the program is taken as it is; what comes from outside goes through `read`, which pydantic does.
"""

import dataclasses
import functools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    ClassVar,
    Final,
    Self,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)
from uuid import UUID

from pydantic import ConfigDict, TypeAdapter, ValidationError
from pydantic.fields import FieldInfo

from evalsite.kinds import FOUND, WORDS, Kind, Number, Wrong

F = TypeVar("F", bound=Callable[..., Any])


def once(make: F) -> F:
    """Have what is made of a class be made once."""
    return functools.cache(make)  # type: ignore[return-value]


#: What pydantic itself calls them.
_CODES: Final = {
    "missing": "missing",
    "unexpected_keyword_argument": "unknown_field",
    "dataclass_type": "no_object",
    "tuple_type": "no_list",
    "sequence_str": "no_list",
    "is_instance_of": "no_list",
    "too_short": "no_such_length",
}


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with a value: a code, the place within the record, what was found there."""

    code: str
    place: str = ""
    found: str = ""
    limit: str = ""

    def below(self, name: str) -> "Fault":
        dot = "." if self.place and not self.place.startswith("[") else ""
        return dataclasses.replace(self, place=f"{name}{dot}{self.place}")

    @property
    def path(self) -> str:
        """The place with points only: criteria.0.name."""
        return re.sub(r"\[(\d+)\]", r".\1", self.place)


class NoSuchRecord(ValueError):
    """What was handed in is no such record."""

    def __init__(self, faults: list[Fault]) -> None:
        super().__init__("; ".join(f"{one.path}: {said(one)}" for one in faults))
        self.faults = faults


def said(fault: Fault, words: Callable[[str], str] = str) -> str:
    """Return a fault as a sentence, with what was found; `words` translates."""
    told = words(WORDS[fault.code]) % {"limit": fault.limit}
    return f"{told} {words(FOUND) % {'found': fault.found}}" if fault.found else told


@dataclass(frozen=True, slots=True)
class Ask:
    """How people are asked for a field: its label, what helps, lines of a large field.

    What is `blank` may be left empty, and is then what it is by default. Whether something is so may
    be unknown: `none` says how that is called.
    """

    label: str = ""
    help: str = ""
    rows: int = 0
    blank: bool = False
    none: str = ""


@dataclass(frozen=True, slots=True)
class KeptAs:
    """Where a row keeps what the record says under another name: "question.external_id"."""

    path: str


class Record:
    """What all records are below: fields of these names, and no others."""

    __slots__ = ()
    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")
    #: What a body has to name though the program need not.
    needs: ClassVar[frozenset[str]] = frozenset()
    #: What files leave out while it is what it is by default: so older fingerprints stay true.
    younger: ClassVar[frozenset[str]] = frozenset()

    @classmethod
    def of(cls, row: Any) -> Self:
        """Return what a row of the database says. Nothing of it is checked."""
        return of_row(cls, row)


R = TypeVar("R", bound=Record)


@dataclass(frozen=True, slots=True)
class RecordPart:
    """A field of a record, as the bridges see it."""

    name: str
    #: What the API calls it.
    called: str
    #: Of plain values: what they may be.
    kind: Kind | None
    #: Of records within: which.
    record: type[Record] | None
    many: bool
    nullable: bool
    ask: Ask | None
    #: Where a row keeps it, step by step.
    source: tuple[str, ...]
    default: Any = dataclasses.MISSING

    @property
    def required(self) -> bool:
        return self.default is dataclasses.MISSING


@once
def parts(record: type[Record]) -> tuple[RecordPart, ...]:
    """Return the fields of a record in their order."""
    hints = get_type_hints(record, include_extras=True)
    return tuple(_part(one, hints[one.name]) for one in dataclasses.fields(record))  # type: ignore[arg-type]


def part(record: type[Record], name: str) -> RecordPart:
    """Return one field of a record.

    Raises:
        StopIteration: it has no such field.
    """
    return next(one for one in parts(record) if one.name == name)


def _part(one: "dataclasses.Field[Any]", hint: Any) -> RecordPart:
    found = list(_unwrapped(hint))
    core = next(x for x in found if isinstance(x, type) and x not in {NoneType, tuple})
    told = {type(each): each for each in found if not isinstance(each, type)}
    kind = next((each for each in found if isinstance(each, Kind)), None)
    source = told.get(KeptAs, KeptAs(one.name)).path
    info = told.get(FieldInfo)
    factory = one.default_factory
    return RecordPart(
        name=one.name,
        called=(info.alias if info else None) or one.name,
        kind=kind,
        record=core if issubclass(core, Record) else None,
        many=tuple in found,
        nullable=NoneType in found,
        ask=told.get(Ask),
        source=tuple(source.split(".")),
        default=one.default if factory is dataclasses.MISSING else factory(),
    )


def _unwrapped(hint: Any) -> Iterator[Any]:
    """Yield the plain types within a hint, and whatever is said of them."""
    origin = get_origin(hint)
    if origin is Annotated:
        core, *told = get_args(hint)
        yield from _unwrapped(core)
        yield from told
    elif origin in {Union, UnionType}:
        for one in get_args(hint):
            yield from _unwrapped(one)
    elif origin in {tuple, Sequence}:
        yield tuple
        yield from _unwrapped(get_args(hint)[0])
    else:
        yield origin or hint


@once
def _adapter(record: type[R]) -> TypeAdapter[R]:
    return TypeAdapter(record)


def read(record: type[R], data: object, *, sent: bool = False) -> R:
    """Return what came from outside as a record.

    Args:
        record: which.
        data: plain values, by the names of the fields.
        sent: with a call of the API: by its names, and read as generously as a form reads.

    Raises:
        NoSuchRecord: it is no such record; with everything that is wrong.
    """
    if lacking := list(_lacking(record, data)) if sent else []:
        raise NoSuchRecord(lacking)
    try:
        found = _adapter(record).validate_python(
            data, context={"sent": True} if sent else None, by_alias=sent, by_name=not sent
        )
    except ValidationError as problem:
        raise NoSuchRecord([_fault(record, one, sent=sent) for one in problem.errors()]) from None
    return found


def _lacking(record: type[Record], data: object) -> Iterator[Fault]:
    """Yield what a body has to name and does not, in records within too."""
    if not isinstance(data, Mapping):
        return
    for name in sorted(record.needs - data.keys()):
        yield Fault("missing", name)
    for one in parts(record):
        within = data.get(one.called)
        if one.record is None or within is None:
            continue
        for place, each in enumerate(within) if isinstance(within, list) else [(None, within)]:
            name = one.called if place is None else f"{one.called}[{place}]"
            yield from (fault.below(name) for fault in _lacking(one.record, each))


def _fault(record: type[Record], one: Any, *, sent: bool) -> Fault:
    told = one.get("ctx", {})
    code = _CODES.get(one["type"], one["type"])
    code = code if code in WORDS else "unfit"
    if "field_type" in told:
        code = "no_such_length"
    at, within = Fault(""), record
    for step in reversed(one["loc"]):  # a name that nobody knows may hold anything, or nothing
        name = f"[{step}]" if isinstance(step, int) else re.sub(r"[.\[\]]|\A\Z", "·", step)
        at = at.below(name)
    if code == "unknown_field":
        for step in one["loc"][:-1]:
            known = {each.called if sent else each.name: each.record for each in parts(within)}
            within = known.get(step) or within
        told = {"limit": ", ".join(each.called if sent else each.name for each in parts(within))}
    return Fault(code, at.place, str(told.get("found", "")), str(told.get("limit", "")))


def faults(record: Record) -> Iterator[Fault]:
    """Yield what a record that the program made holds beyond its limits."""
    for one in parts(type(record)):
        value = getattr(record, one.name)
        if not one.required and value == one.default:
            continue
        for place, each in enumerate(value) if one.many else [(None, value)]:
            name = one.name if place is None else f"{one.name}[{place}]"
            for fault in _faults_of(one, each):
                yield fault.below(name)


def _faults_of(part: RecordPart, value: Any) -> Iterator[Fault]:
    if isinstance(value, Record):
        yield from faults(value)
    elif part.kind is not None and not (part.nullable and value is None):
        try:
            part.kind.read(value, sent=False)
        except Wrong as wrong:
            yield Fault(wrong.code, "", wrong.found, wrong.limit)


#: What JSON has as it is.
PLAIN: Final = frozenset({str, int, bool, float, dict})


def plain(record: Record, *, sent: bool = False) -> dict[str, Any]:
    """Return a record as JSON values: as the API answers it (`sent`), or as files hold it."""
    return {
        (one.called if sent else one.name): written(getattr(record, one.name), one.kind, sent)
        for one in parts(type(record))
        if sent or one.name not in record.younger or getattr(record, one.name) != one.default
    }


def written(value: Any, kind: Kind | None, sent: bool) -> Any:
    """Return a value as JSON: as the API answers it (`sent`), or as files hold it."""
    if value is None or type(value) in PLAIN:
        return value
    if isinstance(value, Record):
        return plain(value, sent=sent)
    if isinstance(value, tuple | list):
        return [written(one, kind, sent) for one in value]
    if isinstance(value, Decimal):
        if sent and isinstance(kind, Number):
            return f"{value:.{kind.places}f}"
        return format(value.normalize() + 0, "f")
    if isinstance(value, datetime):
        return value.isoformat().replace("+00:00", "Z") if sent else value.isoformat()
    if isinstance(value, date):
        return value.isoformat()
    return str(value) if isinstance(value, UUID | Enum) else value


#: How a row tells what stands in a field of its record.
Look = Callable[[RecordPart, Any], Any]


def looked(part: RecordPart, row: Any) -> Any:
    """Return what a row holds where the field says it does; nothing where the way there ends."""
    if len(part.source) == 1:
        return getattr(row, part.source[0])
    for step in part.source:
        row = None if row is None else getattr(row, step)
    return row


def of_row(record: type[R], row: Any, look: Look = looked) -> R:
    """Return what a row of the database says as a record. Nothing of it is checked."""
    values = {}
    for one in parts(record):
        value = look(one, row)
        if one.many and value is not None:
            rows = value.all() if hasattr(value, "all") else value
            value = tuple(of_row(one.record, each, look) if one.record else each for each in rows)
        elif one.record is not None and value is not None and not isinstance(value, Record):
            value = of_row(one.record, value, look)
        values[one.name] = value
    return record(**values)


def told(record: type[Record], row: Any, **given: Any) -> dict[str, Any]:
    """Return what the API answers of a row; `given` besides, or in place of it."""
    return {**plain(of_row(record, row), sent=True), **given}


def values(record: Record, of: type[Record] | None = None) -> dict[str, Any]:
    """Return the plain fields of a record by the names that a row has for them.

    Args:
        record: what says them.
        of: only the fields of this one of its bases.
    """
    found = {}
    for one in parts(of or type(record)):
        if one.record is None:
            value = getattr(record, one.name)
            found[one.source[0]] = list(value) if one.many and value is not None else value
    return found
