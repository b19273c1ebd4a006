"""What somebody has entered on a grading page: a flat table of places and texts.

A place is "mark/A/grade", "cannot/A", "comment/A", "evidence/A", "point/3" or "flag"; a value is a
text. A patch is such a table too, None taking a place away. Pages, drafts and queues on devices
speak of nothing else, so that two versions can be merged place by place.
"""

import itertools
import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal

from annotation.rules import scales
from annotation.rules.scales import Scale

Entries = Mapping[str, str]
Patch = Mapping[str, str | None]

LONGEST_TEXT = 5000
MOST_SPANS = 50
MOST_POINTS = 100


class Unfit(ValueError):
    """A place or a value that no page of this seat can send; `place` names it."""

    def __init__(self, place: str, message: str) -> None:
        super().__init__(message)
        self.place = place


@dataclass(frozen=True, slots=True)
class Desk:
    """What can be entered on the page of one seat."""

    letters: Collection[str]
    criteria: Mapping[str, Scale]
    reasons: Collection[str]


def patched(entries: Entries, patch: Patch) -> dict[str, str]:
    """Return the entries after a patch."""
    after = {**entries, **patch}
    return {place: value for place, value in after.items() if value is not None}


def check(patch: Patch, desk: Desk) -> None:
    """Check every place and value of a patch.

    Raises:
        Unfit: one of them does not belong on this desk.
    """
    for place, value in patch.items():
        kind, *rest = place.split("/")
        checker = _CHECKS.get(kind)
        if checker is None or not checker(rest, value, desk):
            raise Unfit(place, "This cannot be entered here. Load the page again.")


def _mark(rest: list[str], value: str | None, desk: Desk) -> bool:
    if len(rest) != 2 or rest[0] not in desk.letters or rest[1] not in desk.criteria:
        return False
    if value is None:
        return True
    try:
        desk.criteria[rest[1]].check(scales.parse(value))
    except ValueError:
        return False
    return True


def _cannot(rest: list[str], value: str | None, desk: Desk) -> bool:
    return _of_letter(rest, desk) and (value is None or value in desk.reasons)


def _comment(rest: list[str], value: str | None, desk: Desk) -> bool:
    return _of_letter(rest, desk) and _is_text(value)


def _evidence(rest: list[str], value: str | None, desk: Desk) -> bool:
    if not _of_letter(rest, desk):
        return False
    try:
        return value is None or len(spans(value)) <= MOST_SPANS
    except ValueError:
        return False


def _point(rest: list[str], value: str | None, desk: Desk) -> bool:
    known = len(rest) == 1 and rest[0].isascii() and rest[0].isdigit() and len(rest[0]) < 3
    return known and value in {None, "1"}


def _flag(rest: list[str], value: str | None, desk: Desk) -> bool:
    return not rest and _is_text(value)


_CHECKS = {
    "mark": _mark,
    "cannot": _cannot,
    "comment": _comment,
    "evidence": _evidence,
    "point": _point,
    "flag": _flag,
}


def _of_letter(rest: list[str], desk: Desk) -> bool:
    return len(rest) == 1 and rest[0] in desk.letters


def _is_text(value: str | None) -> bool:
    return value is None or len(value) <= LONGEST_TEXT


def spans(written: str) -> list[tuple[int, int]]:
    """Read the marked places of a text: JSON of [start, end] pairs, in order, not overlapping.

    Raises:
        ValueError: it is not such a list.
    """
    read = json.loads(written)
    pairs = [_pair(one) for one in read] if isinstance(read, list) else None
    if pairs is None or any(pair is None for pair in pairs):
        raise ValueError("Marked places are pairs of offsets.")
    found = [pair for pair in pairs if pair is not None]
    if any(one[1] > two[0] for one, two in itertools.pairwise(found)):
        raise ValueError("Marked places follow each other and do not overlap.")
    return found


def _pair(one: object) -> tuple[int, int] | None:
    if not isinstance(one, list) or len(one) != 2:
        return None
    start, end = one
    whole = type(start) is int and type(end) is int
    return (start, end) if whole and 0 <= start < end < 10**7 else None


def values(entries: Entries) -> Iterable[tuple[str, str, Decimal]]:
    """Yield letter, criterion and value of every mark: what the digest is made of."""
    for place, value in entries.items():
        if place.startswith("mark/"):
            _kind, letter, criterion = place.split("/")
            yield letter, criterion, scales.parse(value)


def of_kind(entries: Entries, kind: str) -> dict[str, str]:
    """Return the entries of one kind by what follows it: {"A": "…"} for comments."""
    start = f"{kind}/"
    return {
        place.removeprefix(start): value
        for place, value in entries.items()
        if place.startswith(start)
    }
