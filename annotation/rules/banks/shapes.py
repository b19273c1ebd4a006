"""What a value of a record may be. A check yields what is wrong, where; a good value yields nothing."""

import math
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal, InvalidOperation

from annotation.rules import names
from annotation.rules.tabular import problems

#: A field may hold lists and objects in each other so deep.
DEPTH = 12
MOST_NUMBER = 2_000_000_000
HEX = re.compile(r"[0-9a-f]{64}")
UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
SLUG = re.compile(r"[-a-zA-Z0-9_]+")


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with a value: a code, the place within the record, what was found there."""

    code: str
    place: str = ""
    found: str = ""

    def below(self, name: str) -> "Fault":
        dot = "." if self.place and not self.place.startswith("[") else ""
        return Fault(self.code, f"{name}{dot}{self.place}", self.found)


Check = Callable[[object], Iterator[Fault]]


def excerpt(value: object) -> str:
    """Return so much of a value that one recognises it, fit for every page and to be stored."""
    return problems.excerpt(value)


def text(most: int = 0, *, empty: bool = True, like: "re.Pattern[str] | None" = None) -> Check:
    """Accept text of at most so many characters (0: as long as a line may be)."""

    def check(value: object) -> Iterator[Fault]:
        if not isinstance(value, str):
            yield Fault("no_text", found=excerpt(value))
        elif not _storable(value):
            yield Fault("bad_characters", found=excerpt(value))
        elif most and len(value) > most:
            yield Fault("too_long", found=f"{len(value)} > {most}")
        elif not value.strip() and not empty:
            yield Fault("empty")
        elif like is not None and not like.fullmatch(value):
            yield Fault("not_like", found=excerpt(value))

    return check


def name(most: int, *, empty: bool = False) -> Check:
    """Accept a text that names something: nothing in it is unseen or turns the direction."""
    plain = text(most, empty=empty)

    def check(value: object) -> Iterator[Fault]:
        wrong = list(plain(value))
        yield from wrong
        if not wrong and isinstance(value, str) and names.unseen_in(value):
            yield Fault("unseen_sign", found=excerpt(value))

    return check


def maybe(check: Check) -> Check:
    """Accept what a check accepts, and null."""

    def either(value: object) -> Iterator[Fault]:
        if value is not None:
            yield from check(value)

    return either


def choice(of: Collection[str], *, empty: bool = False) -> Check:
    allowed = set(of) | ({""} if empty else set())

    def check(value: object) -> Iterator[Fault]:
        if not isinstance(value, str) or value not in allowed:
            yield Fault("no_choice", found=excerpt(value))

    return check


def number(low: int = 0, high: int = MOST_NUMBER) -> Check:
    def check(value: object) -> Iterator[Fault]:
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            yield Fault("no_number", found=excerpt(value))

    return check


def decimal(digits: int, places: int, low: Decimal | None = None) -> Check:
    """Accept a number written as text, as exact as the database keeps it."""

    def check(value: object) -> Iterator[Fault]:
        try:
            found = Decimal(value) if isinstance(value, str) and len(value) < 40 else None
        except InvalidOperation:
            found = None
        if (
            found is None
            or not found.is_finite()
            or abs(found) >= 10 ** (digits - places)
            or found != round(found, places)
            or (low is not None and found < low)
        ):
            yield Fault("no_decimal", found=excerpt(value))

    return check


def flag(value: object) -> Iterator[Fault]:
    if not isinstance(value, bool):
        yield Fault("no_flag", found=excerpt(value))


def day(value: object) -> Iterator[Fault]:
    try:
        date.fromisoformat(value if isinstance(value, str) else "")
    except ValueError:
        yield Fault("no_day", found=excerpt(value))


def moment(value: object) -> Iterator[Fault]:
    """Accept a date and time with its distance from UTC."""
    try:
        found = datetime.fromisoformat(value if isinstance(value, str) else "")
    except ValueError:
        yield Fault("no_moment", found=excerpt(value))
    else:
        if found.tzinfo is None or not 1900 <= found.year <= 9000:
            yield Fault("no_moment", found=excerpt(value))


def many(check: Check, *, least: int = 0, most: int = 5000) -> Check:
    def each(value: object) -> Iterator[Fault]:
        if not isinstance(value, list):
            yield Fault("no_list", found=excerpt(value))
        elif not least <= len(value) <= most:
            yield Fault("no_such_length", found=str(len(value)))
        else:
            for place, one in enumerate(value):
                for fault in check(one):
                    yield fault.below(f"[{place}]")

    return each


def record(fields: Mapping[str, Check]) -> Check:
    """Accept an object that has these fields and no other: what is not known would be lost."""

    def check(value: object) -> Iterator[Fault]:
        if not isinstance(value, dict):
            yield Fault("no_object", found=excerpt(value))
            return
        for name, of_field in fields.items():
            if name not in value:
                yield Fault("missing", name)
            else:
                for fault in of_field(value[name]):
                    yield fault.below(name)
        for name in value:
            if name not in fields:
                yield Fault("unknown_field", found=excerpt(name))

    return check


def anything(kind: type[list[object]] | type[dict[str, object]]) -> Check:
    """Accept a list (or an object) of whatever JSON the database can keep."""

    def check(value: object) -> Iterator[Fault]:
        if not isinstance(value, kind):
            yield Fault("no_list" if kind is list else "no_object", found=excerpt(value))
        else:
            yield from _plain(value)

    return check


def _plain(value: object) -> Iterator[Fault]:
    left: list[tuple[object, int]] = [(value, 0)]
    while left:
        one, depth = left.pop()
        inner = _inside(one)
        if depth > DEPTH:
            yield Fault("too_deep")
            return
        if isinstance(one, str) and not _storable(one):
            yield Fault("bad_characters", found=excerpt(one))
            return
        if isinstance(one, float) and not math.isfinite(one):
            yield Fault("no_number", found=excerpt(one))
            return
        if isinstance(one, int) and abs(one) > 10**18:
            yield Fault("no_number", found=excerpt(one))
            return
        left += [(each, depth + 1) for each in inner]


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
