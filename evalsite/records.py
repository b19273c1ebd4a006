"""Records: what a thing says of itself, said once: its fields, their limits and their words.

A record is a frozen dataclass below `Record`. Its fields name their kinds, and, where people are asked for
them, their words:

    name: Annotated[str, Text(200, empty=False), Ask(_("Name"))]

From it come what the API takes and answers, a page's form, the lines of a file. A record that is made by
the program is taken as it is; what comes from outside goes through `read`, which pydantic does.
"""

import dataclasses
import functools
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
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
from pydantic_core import PydanticCustomError, core_schema


def gettext_noop(words: str) -> str:
    """Mark words for translation; whoever shows them translates them."""
    return words


_ = gettext_noop
F = TypeVar("F", bound=Callable[..., Any])


def once(make: F) -> F:
    """Have what is made of a class be made once."""
    return functools.cache(make)  # type: ignore[return-value]


#: A field may hold lists and objects in each other so deep.
DEPTH: Final = 12
MOST_NUMBER: Final = 2_000_000_000
#: What is wrong with a value, and how to mend it. `%(limit)s` is what it may be.
WORDS: Final[dict[str, str]] = {
    "missing": _("This field is missing. Add it."),
    "unknown_field": _("Unknown here. This takes: %(limit)s."),
    "no_object": _("An object is expected here, in braces."),
    "no_list": _("A list is expected here, in brackets."),
    "no_such_length": _("The list has too few or too many entries."),
    "no_text": _("A text is expected here, in quotes."),
    "bad_characters": _("The text holds characters that cannot be kept. Take them out."),
    "unseen_sign": _("The name holds a sign that cannot be seen. Type it again without it."),
    "too_long": _("The text is too long. Shorten it to %(limit)s characters."),
    "empty": _("This is empty. Write something."),
    "not_like": _("This does not look as expected: %(limit)s."),
    "no_choice": _("One of these is expected here: %(limit)s."),
    "no_number": _("A whole number from %(limit)s is expected here."),
    "no_decimal": _('A number is expected here, such as "0.5": %(limit)s.'),
    "no_flag": _("Write true or false."),
    "no_day": _("A day is expected here, such as 2026-03-31."),
    "no_moment": _(
        "A date and time with its distance from UTC is expected here, such as 2026-03-31T09:00:00+00:00."
    ),
    "no_id": _("The id of a person is expected here, as lists have it."),
    "too_deep": _("Lists and objects stand too deep in each other. Make it flatter."),
}
FOUND: Final = _("Found: %(found)s")
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


class Unfit(ValueError):
    """What was handed in is no such record."""

    def __init__(self, faults: list[Fault]) -> None:
        super().__init__("; ".join(f"{one.path}: {said(one)}" for one in faults))
        self.faults = faults


def said(fault: Fault, words: Callable[[str], str] = str) -> str:
    """Return a fault as a sentence, with what was found; `words` translates."""
    told = words(WORDS[fault.code]) % {"limit": fault.limit}
    return f"{told} {words(FOUND) % {'found': fault.found}}" if fault.found else told


def excerpt(value: object) -> str:
    """Return so much of a value that one recognises it, fit for every page and to be stored."""
    shown = "".join(
        one if one.isprintable() else "\N{REPLACEMENT CHARACTER}" for one in str(value)[:61]
    )
    return shown if len(shown) <= 60 else f"{shown[:60]}…"


@dataclass(frozen=True, slots=True)
class Ask:
    """How people are asked for a field: its label, what helps, lines of a large field."""

    label: str = ""
    help: str = ""
    rows: int = 0


@dataclass(frozen=True, slots=True)
class Source:
    """Where a row keeps what the record says under another name: "question.external_id"."""

    path: str


class Wrong(Exception):
    """A value cannot be used: the code, what was found, what it may be."""

    def __init__(self, code: str, found: object = "", limit: object = "") -> None:
        super().__init__(code)
        self.code, self.found, self.limit = code, excerpt(found), str(limit)


@dataclass(frozen=True, slots=True)
class Kind:
    """What one value may be. Sent with a call, it is read as generously as a form reads it."""

    def read(self, value: Any, *, sent: bool) -> Any:
        """Return the value.

        Raises:
            Wrong: it cannot be used.
        """
        raise NotImplementedError

    def schema(self) -> dict[str, Any]:
        """Return the JSON schema of what is written."""
        return {}

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> core_schema.CoreSchema:
        return core_schema.with_info_plain_validator_function(self._validated)

    def _validated(self, value: Any, info: core_schema.ValidationInfo) -> Any:
        try:
            return self.read(value, sent=bool(info.context))
        except Wrong as wrong:
            told = {"found": wrong.found, "limit": wrong.limit}
            raise PydanticCustomError(wrong.code, "{limit} {found}", told) from None


@dataclass(frozen=True, slots=True)
class Text(Kind):
    """Text of at most so many characters (0: as long as a line may be)."""

    most: int = 0
    empty: bool = True
    like: "re.Pattern[str] | None" = None

    def read(self, value: Any, *, sent: bool) -> str:
        if sent and isinstance(value, str | int | float) and not isinstance(value, bool):
            value = str(value).strip()
        if not isinstance(value, str):
            raise Wrong("no_text", value)
        if not _storable(value):
            raise Wrong("bad_characters", value)
        if self.most and len(value) > self.most:
            raise Wrong("too_long", f"{len(value)} > {self.most}", self.most)
        if not self.empty and not value.strip():
            raise Wrong("empty")
        if self.like is not None and value and not self.like.fullmatch(value):
            raise Wrong("not_like", value, self.like.pattern)
        return value

    def schema(self) -> dict[str, Any]:
        made: dict[str, Any] = {"type": "string"}
        if self.most:
            made["maxLength"] = self.most
        if not self.empty:
            made["minLength"] = 1
        if self.like is not None and not self.empty:
            made["pattern"] = f"^{self.like.pattern}$"
        return made


def slug(most: int, *, empty: bool = False) -> Text:
    """Return text for addresses: letters, digits, - and _."""
    return Text(most, empty, re.compile("[-a-zA-Z0-9_]+"))


@dataclass(frozen=True, slots=True)
class Choice(Kind):
    of: tuple[str, ...]
    empty: bool = False
    #: What a page calls them, with each value.
    titles: tuple[tuple[str, Any], ...] = ()

    def read(self, value: Any, *, sent: bool) -> str:
        if not isinstance(value, str) or not (value in self.of or (self.empty and not value)):
            raise Wrong("no_choice", value, ", ".join(self.of))
        return str(value)

    def schema(self) -> dict[str, Any]:
        return {"type": "string", "enum": [*self.of, *([""] if self.empty else [])]}


def choice(of: Any, *, empty: bool = False) -> Choice:
    """Return the choice of one of an enumeration of Django's."""
    return Choice(tuple(map(str, of.values)), empty, tuple(of.choices))


@dataclass(frozen=True, slots=True)
class Whole(Kind):
    low: int = 0
    high: int = MOST_NUMBER

    def read(self, value: Any, *, sent: bool) -> int:
        if sent and isinstance(value, str) and re.fullmatch(r"\s*-?[0-9]{1,18}\s*", value):
            value = int(value)
        if sent and isinstance(value, float) and value.is_integer():
            value = int(value)
        if not isinstance(value, int) or isinstance(value, bool):
            raise Wrong("no_number", value, f"{self.low} to {self.high}")
        if not self.low <= value <= self.high:
            raise Wrong("no_number", value, f"{self.low} to {self.high}")
        return value

    def schema(self) -> dict[str, Any]:
        return {"type": "integer", "minimum": self.low, "maximum": self.high}


@dataclass(frozen=True, slots=True)
class Number(Kind):
    """A decimal number, as exact as the database keeps it; in files it is written as text."""

    digits: int
    places: int
    low: Decimal | None = None

    def read(self, value: Any, *, sent: bool) -> Decimal:
        if sent and isinstance(value, int | float) and not isinstance(value, bool):
            value = str(value)
        try:
            found = Decimal(value) if isinstance(value, str) and len(value) < 40 else None
        except InvalidOperation:
            found = None
        if isinstance(value, Decimal):
            found = value
        if (
            found is None
            or not found.is_finite()
            or abs(found) >= 10 ** (self.digits - self.places)
            or found != round(found, self.places)
            or (self.low is not None and found < self.low)
        ):
            raise Wrong("no_decimal", value, self._range())
        return found

    def _range(self) -> str:
        before = self.digits - self.places
        low = "" if self.low is None else f"{self.low} or more, "
        return f"{low}up to {before} digits before the point and {self.places} after it"

    def schema(self) -> dict[str, Any]:
        return {"type": "string", "format": "decimal"}


@dataclass(frozen=True, slots=True)
class Flag(Kind):
    def read(self, value: Any, *, sent: bool) -> bool:
        words = {"true": True, "false": False}
        if sent and isinstance(value, str):
            value = words.get(value.lower(), value)
        if not isinstance(value, bool):
            raise Wrong("no_flag", value)
        return value

    def schema(self) -> dict[str, Any]:
        return {"type": "boolean"}


@dataclass(frozen=True, slots=True)
class Day(Kind):
    def read(self, value: Any, *, sent: bool) -> date:
        if isinstance(value, date) and not isinstance(value, datetime):
            return value
        try:
            return date.fromisoformat(value if isinstance(value, str) else "")
        except ValueError:
            raise Wrong("no_day", value) from None

    def schema(self) -> dict[str, Any]:
        return {"type": "string", "format": "date"}


@dataclass(frozen=True, slots=True)
class Moment(Kind):
    """A date and time with its distance from UTC."""

    def read(self, value: Any, *, sent: bool) -> datetime:
        try:
            found = datetime.fromisoformat(value if isinstance(value, str) else "")
        except ValueError:
            raise Wrong("no_moment", value) from None
        if found.tzinfo is None or not 1900 <= found.year <= 9000:
            raise Wrong("no_moment", value)
        return found

    def schema(self) -> dict[str, Any]:
        return {"type": "string", "format": "date-time"}


@dataclass(frozen=True, slots=True)
class Id(Kind):
    """What stands for a person: no number, nothing that tells who it is."""

    def read(self, value: Any, *, sent: bool) -> UUID:
        try:
            return value if isinstance(value, UUID) else UUID(str(value))
        except ValueError:
            raise Wrong("no_id", value) from None

    def schema(self) -> dict[str, Any]:
        return {"type": "string", "format": "uuid"}


@dataclass(frozen=True, slots=True)
class Json(Kind):
    """A list (or an object) of whatever JSON the database can keep."""

    of: type = dict

    def read(self, value: Any, *, sent: bool) -> Any:
        if not isinstance(value, self.of):
            raise Wrong("no_list" if self.of is list else "no_object", value)
        left: list[tuple[object, int]] = [(value, 0)]
        while left:
            one, depth = left.pop()
            _check_plain(one, depth)
            left += [(each, depth + 1) for each in _inside(one)]
        return value

    def schema(self) -> dict[str, Any]:
        return {"type": "array" if self.of is list else "object"}


@dataclass(frozen=True, slots=True)
class Table(Kind):
    """Texts by name, each of at most so many characters."""

    most: int

    def read(self, value: Any, *, sent: bool) -> dict[str, str]:
        if not isinstance(value, Mapping):
            raise Wrong("no_object", value)
        text = Text(self.most)
        return {
            text.read(key, sent=sent): text.read(words, sent=sent) for key, words in value.items()
        }

    def schema(self) -> dict[str, Any]:
        return {"type": "object", "additionalProperties": Text(self.most).schema()}


def _check_plain(one: object, depth: int) -> None:
    if depth > DEPTH:
        raise Wrong("too_deep")
    if isinstance(one, str) and not _storable(one):
        raise Wrong("bad_characters", one)
    if isinstance(one, float) and not math.isfinite(one):
        raise Wrong("no_number", one)
    if isinstance(one, int) and abs(one) > 10**18:
        raise Wrong("no_number", one)


def _inside(value: object) -> list[object]:
    if isinstance(value, dict):
        return [*value, *value.values()]
    return value if isinstance(value, list) else []


def _storable(value: str) -> bool:
    """Return whether both databases keep a text: no null character, no half of a pair."""
    if value.isascii():
        return "\x00" not in value
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return "\x00" not in value


class Record:
    """What all records are below: fields of these names, and no others."""

    __slots__ = ()
    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    @classmethod
    def of(cls, row: Any) -> Self:
        """Return what a row of the database says. Nothing of it is checked."""
        return of_row(cls, row)


R = TypeVar("R", bound=Record)


@dataclass(frozen=True, slots=True)
class Part:
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
def parts(record: type[Record]) -> tuple[Part, ...]:
    """Return the fields of a record in their order."""
    hints = get_type_hints(record, include_extras=True)
    return tuple(_part(one, hints[one.name]) for one in dataclasses.fields(record))  # type: ignore[arg-type]


def part(record: type[Record], name: str) -> Part:
    """Return one field of a record.

    Raises:
        StopIteration: it has no such field.
    """
    return next(one for one in parts(record) if one.name == name)


def _part(one: "dataclasses.Field[Any]", hint: Any) -> Part:
    found = list(_unwrapped(hint))
    core = next(x for x in found if isinstance(x, type) and x not in {NoneType, tuple})
    told = {type(each): each for each in found if not isinstance(each, type)}
    kind = next((each for each in found if isinstance(each, Kind)), None)
    source = told.get(Source, Source(one.name)).path
    info = told.get(FieldInfo)
    factory = one.default_factory
    return Part(
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
        Unfit: it is no such record; with everything that is wrong.
    """
    try:
        found = _adapter(record).validate_python(
            data, context={"sent": True} if sent else None, by_alias=sent, by_name=not sent
        )
    except ValidationError as problem:
        raise Unfit([_fault(record, one, sent=sent) for one in problem.errors()]) from None
    return found


def _fault(record: type[Record], one: Any, *, sent: bool) -> Fault:
    told = one.get("ctx", {})
    code = _CODES.get(one["type"], one["type"])
    if "field_type" in told:
        code = "no_such_length"
    at, within = Fault(""), record
    for step in reversed(one["loc"]):
        at = at.below(f"[{step}]" if isinstance(step, int) else step)
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


def _faults_of(part: Part, value: Any) -> Iterator[Fault]:
    if isinstance(value, Record):
        yield from faults(value)
    elif part.kind is not None and not (part.nullable and value is None):
        try:
            part.kind.read(value, sent=False)
        except Wrong as wrong:
            yield Fault(wrong.code, "", wrong.found, wrong.limit)


def plain(record: Record, *, sent: bool = False) -> dict[str, Any]:
    """Return a record as JSON values: as the API answers it (`sent`), or as files hold it."""
    return {
        (one.called if sent else one.name): _written(getattr(record, one.name), one.kind, sent)
        for one in parts(type(record))
    }


def _written(value: Any, kind: Kind | None, sent: bool) -> Any:
    if isinstance(value, Record):
        return plain(value, sent=sent)
    if isinstance(value, tuple | list):
        return [_written(one, kind, sent) for one in value]
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
Look = Callable[[Part, Any], Any]


def looked(part: Part, row: Any) -> Any:
    """Return what a row holds where the field says it does; nothing where the way there ends."""
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
