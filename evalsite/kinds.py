"""What one value may be: a text, a number, a choice, a day. Read from outside, and told as a schema."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal, InvalidOperation
from types import NoneType
from typing import Any, Final, get_args
from uuid import UUID

from pydantic_core import PydanticCustomError, core_schema


def gettext_noop(words: str) -> str:
    """Mark words for translation; whoever shows them translates them."""
    return words


_ = gettext_noop
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
    "no_id": _(
        "A UUID is expected here, such as 3b601ddc-3e75-4970-a76f-db328e907f5d: an id as lists have it, or "
        "as a key a new one of your own."
    ),
    "unfit": _("This cannot be read as what is expected here."),
    "no_file": _("A file is expected here, as a part of multipart/form-data."),
    "too_deep": _("Lists and objects stand too deep in each other. Make it flatter."),
}
FOUND: Final = _("Found: %(found)s")


def excerpt(value: object) -> str:
    """Return so much of a value that one recognises it, fit for every page and to be stored."""
    shown = "".join(
        one if one.isprintable() else "\N{REPLACEMENT CHARACTER}" for one in str(value)[:61]
    )
    return shown if len(shown) <= 60 else f"{shown[:60]}…"


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
        made = core_schema.with_info_plain_validator_function(self._validated)
        return core_schema.nullable_schema(made) if NoneType in get_args(source) else made

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
    trim: bool = True

    def read(self, value: Any, *, sent: bool) -> str:
        if sent and isinstance(value, str | int | float) and not isinstance(value, bool):
            value = str(value).strip() if self.trim else str(value)
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
        if self.like is not None:
            made["pattern"] = (
                f"^(?:{self.like.pattern})?$" if self.empty else f"^{self.like.pattern}$"
            )
        return made


SLUG: Final = re.compile("[-a-zA-Z0-9_]+")


def slug(most: int, *, empty: bool = False) -> Text:
    """Return text for addresses: letters, digits, - and _."""
    return Text(most, empty, SLUG)


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
    high: Decimal | None = None

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
            or (self.high is not None and found > self.high)
        ):
            raise Wrong("no_decimal", value, self._range())
        return found

    def _range(self) -> str:
        before = self.digits - self.places
        ends = "" if self.low is None else f"{self.low} or more, "
        ends += "" if self.high is None else f"{self.high} or less, "
        return f"{ends}up to {before} digits before the point and {self.places} after it"

    def schema(self) -> dict[str, Any]:
        return {"type": "string", "format": "decimal"}


@dataclass(frozen=True, slots=True)
class YesNo(Kind):
    def read(self, value: Any, *, sent: bool) -> bool:
        words = {"true": True, "1": True, "on": True, "false": False, "0": False, "off": False}
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
        if sent and found.tzinfo is None:
            found = found.replace(tzinfo=UTC)
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
class File(Kind):
    """A file that is handed in."""

    def read(self, value: Any, *, sent: bool) -> Any:
        if not hasattr(value, "chunks"):
            raise Wrong("no_file", value)
        return value

    def schema(self) -> dict[str, Any]:
        return {"type": "string", "format": "binary"}


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
class ByName(Kind):
    """Values by name: texts of at most so many characters (0: as long as a line may be), or of a kind."""

    most: int = 0
    of: Kind | None = None

    def read(self, value: Any, *, sent: bool) -> dict[str, Any]:
        if not isinstance(value, Mapping):
            raise Wrong("no_object", value)
        name = Text(self.most)
        one = self.of or name
        return {name.read(key, sent=sent): one.read(held, sent=sent) for key, held in value.items()}

    def schema(self) -> dict[str, Any]:
        one = self.of or Text(self.most)
        return {"type": "object", "additionalProperties": one.schema()}


@dataclass(frozen=True, slots=True)
class Real(Kind):
    """A number as computers reckon with it."""

    low: float
    high: float

    def read(self, value: Any, *, sent: bool) -> float:
        if sent and isinstance(value, str):
            try:
                value = float(value)
            except ValueError:
                raise Wrong("no_decimal", value, f"{self.low} to {self.high}") from None
        known = isinstance(value, int | float) and not isinstance(value, bool)
        if not known or not self.low <= value <= self.high:
            raise Wrong("no_decimal", value, f"{self.low} to {self.high}")
        return float(value) if sent else value

    def schema(self) -> dict[str, Any]:
        return {"type": "number", "minimum": self.low, "maximum": self.high}


@dataclass(frozen=True, slots=True)
class Weights(Kind):
    """Numbers from 0 to so many, by name."""

    most: float

    def read(self, value: Any, *, sent: bool) -> dict[str, float]:
        if not isinstance(value, Mapping):
            raise Wrong("no_object", value)
        one = Real(0, self.most)
        return {Text().read(name, sent=sent): one.read(n, sent=False) for name, n in value.items()}

    def schema(self) -> dict[str, Any]:
        return {"type": "object", "additionalProperties": Real(0, self.most).schema()}


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
