"""What a person declares of a judge or a metric, and what its name and its scores suggest.

A range is of a machine and a criterion: a judge may give 1 to 10 for one and 0 to 2 for another.
"""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

from annotation.rules import scales

METRIC, JUDGE = "METRIC", "JUDGE"
KINDS = (METRIC, JUDGE)
DECIMALS = 4
#: Scores from which on a judge that uses less than so much of its range is asked about.
MANY, LITTLE, MOST = 20, 0.4, 0.75
#: What the only criterion of a machine is called where nothing else is said.
UNNAMED = "score"
#: Signs that two names have in common at least, where one is short for the other.
SHORTEST = 3

_JUDGE = re.compile(
    r"gpt|llm|judge|claude|gemini|llama|mi[sx]tral|qwen|deepseek|prometheus|palm|pandalm|chatglm|vicuna"
    r"|g-?eval|fusion|评委|裁判",
    re.IGNORECASE,
)
_LOWER_IS_BETTER = re.compile(
    r"(?:^|[^a-z])(?:[twcmt]er|ppl|nll|mae|mse|rmse)(?:$|[^a-z])"
    r"|perplex|error|loss|toxic|distance|hallucinat|困惑|错误|毒性",
    re.IGNORECASE,
)
#: Ranges in use, the narrowest first.
_RANGES = ((0, 1), (-1, 1), (1, 3), (1, 5), (0, 5), (1, 10), (0, 10), (0, 100))
#: Those of grades in whole numbers.
_WHOLE = ((0, 2), (0, 3))
#: Words that stand for numbers wherever they are used.
_WORDS = {"true": "1", "false": "0", "yes": "1", "no": "0", "pass": "1", "fail": "0"}


@dataclass(frozen=True, slots=True)
class Machine:
    """A judge or a metric as it was declared. An end of its range that is empty is open.

    `criterion` is what it says of one criterion alone; empty, of all that nothing else is said of.
    `guessed` is a range that nobody has confirmed.
    """

    name: str
    kind: str = METRIC
    minimum: str = ""
    maximum: str = ""
    higher_is_better: bool = True
    family: str = ""
    criterion: str = ""
    guessed: bool = False

    def ends(self) -> tuple[Decimal | None, Decimal | None]:
        """Return the lowest and the highest score; None where the range is open.

        Raises:
            ValueError: they are no numbers, have too many decimals, or lie the wrong way round.
        """
        low, high = _end(self.minimum), _end(self.maximum)
        if low is not None and high is not None and low >= high:
            raise ValueError("The lowest score must lie below the highest.")
        return low, high


@dataclass(slots=True)
class Seen:
    """What was found of a machine, or of one of its criteria, in the rows that were looked at."""

    name: str
    n: int = 0
    n_worded: int = 0
    low: float = math.inf
    high: float = -math.inf
    whole: bool = True
    words: dict[str, None] = field(default_factory=dict)
    criteria: "dict[str, Seen]" = field(default_factory=dict)

    def add(self, value: float, criterion: str = "", *, worded: bool = False) -> None:
        self.n += 1
        self.n_worded += worded
        self.low, self.high = min(self.low, value), max(self.high, value)
        self.whole = self.whole and value == int(value)
        if criterion:
            part = self.criteria.setdefault(criterion, Seen(criterion))
            part.add(value, worded=worded)

    @property
    def is_share(self) -> bool:
        """Whether the scores look like shares or probabilities, which no rubric's levels do."""
        return self.n > 0 and not self.whole and self.low >= 0 and self.high <= 1

    def parts(self) -> "Iterator[tuple[str, Seen]]":
        """Yield what a range is declared of: each of several criteria by its name, else the whole."""
        several = len(self.criteria) > 1
        for name, part in (self.criteria or {"": self}).items():
            yield name if several else "", part

    def as_dict(self) -> dict[str, Any]:
        ends = {"low": self.low, "high": self.high} if self.n else {}
        counts = {"n": self.n, "n_worded": self.n_worded, "whole": self.whole}
        return {"name": self.name, **counts, **ends} | (
            {"criteria": [one.as_dict() for one in self.criteria.values()]} if self.criteria else {}
        )

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> "Seen":
        criteria = [cls.from_dict(one) for one in stored.get("criteria", ())]
        return cls(**{**stored, "criteria": {one.name: one for one in criteria}})


Ends = tuple[Decimal | None, Decimal | None]


@dataclass(frozen=True, slots=True)
class Standing:
    """What a project says already: the scales of its rubrics' criteria, and of machines it knows.

    `scales` are by the plain name of the criterion, `known` by machine and criterion; `words` are the
    numbers that words of the file stand for.
    """

    scales: Mapping[str, Sequence[Ends]] = field(default_factory=dict)
    known: Mapping[tuple[str, str], Ends] = field(default_factory=dict)
    words: Sequence[Decimal] = ()

    def scales_of(self, part: "Seen", *, judge: bool) -> Sequence[Ends]:
        """Return the scales that rubrics have for a criterion: of its name, else of its beginning."""
        wanted = plain_name(part.name)
        if found := self.scales.get(wanted):
            return found
        for name, found in self.scales.items():
            short, long = sorted((name, wanted), key=len)
            if len(short) >= SHORTEST and long.startswith(short):
                return found
        every = {ends for found in self.scales.values() for ends in found}
        # A judge's only mark is compared with whatever people graded.
        return tuple(every) if judge and wanted == UNNAMED and len(every) == 1 else ()

    def ends_of_words(self, part: "Seen") -> Ends | None:
        """Return the range of scores that are all written in words."""
        if not part.n or part.n_worded < part.n or len(set(self.words)) < 2:
            return None
        return min(self.words), max(self.words)


NOTHING = Standing()


def plain_name(criterion: str) -> str:
    """Return what two names have in common that mean the same criterion."""
    return "".join(sign for sign in criterion.casefold() if sign.isalnum())


def suggest(seen: Seen, standing: Standing = NOTHING) -> list[Machine]:
    """Return what to declare of a machine: a range for each criterion where they are several."""
    kind = JUDGE if _JUDGE.search(seen.name) else METRIC
    better = _LOWER_IS_BETTER.search(seen.name) is None
    return [
        Machine(
            seen.name,
            kind,
            *_suggest_ends(seen, part, standing, judge=kind == JUDGE),
            better,
            "",
            criterion,
            guessed=True,
        )
        for criterion, part in seen.parts()
    ]


def _suggest_ends(seen: Seen, part: Seen, standing: Standing, *, judge: bool) -> tuple[str, str]:
    """Return the range of a criterion: as it is known, else as the rubric has it, else by its scores."""
    known = standing.known.get((seen.name, part.name))
    worded = standing.ends_of_words(part)
    ruled = () if part.is_share else standing.scales_of(part, judge=judge)
    first = [known, *ruled, worded]
    for low, high in (ends for ends in first if ends is not None):
        if not part.n or (within(part.low, low, high) and within(part.high, low, high)):
            return tuple(scales.text(end) if end is not None else "" for end in (low, high))  # type: ignore[return-value]
    own, all_ = suggest_range(part), suggest_range(seen)
    # One scale for all its criteria, if it is used from end to end in whole numbers.
    return all_ if seen.whole and _reaches(seen, all_) else own


def suggest_range(seen: Seen) -> tuple[str, str]:
    """Return the narrowest usual range that holds the scores; open ends where none does."""
    if not seen.n:
        return "", ""
    for low, high in sorted((*_RANGES, *(_WHOLE if seen.whole else ())), key=_width):
        if low <= seen.low and seen.high <= high:
            return str(low), str(high)
    return ("0" if seen.low >= 0 else ""), ""


def _width(ends: tuple[int, int]) -> int:
    return ends[1] - ends[0]


def _reaches(seen: Seen, ends: tuple[str, str]) -> bool:
    return all(ends) and (seen.low, seen.high) == (float(ends[0]), float(ends[1]))


def doubt(one: Machine, whole: Seen, part: Seen, standing: Standing) -> tuple[str, str]:
    """Return why the range of a criterion is to be confirmed, as a code, and what it clashes with.

    Args:
        one: what is declared of the machine on this criterion.
        whole: all scores of the machine in the file.
        part: its scores on this criterion.
        standing: what the project has.
    """
    ends = one.ends()
    if not one.guessed:
        return "", ""
    known = standing.known.get((one.name, part.name))
    if known is not None:
        return ("range_known", _said(known)) if known != ends else ("", "")
    # What is named like a metric is asked about too where it scored a criterion of a rubric.
    is_judge = one.kind == JUDGE
    ruled = standing.scales_of(part, judge=is_judge)
    if not part.n or (not is_judge and (not ruled or part.is_share)):
        return "", ""
    if ruled and ends not in ruled:
        return "range_of_rubric", _said(ruled[0])
    if len(set(ruled)) > 1:
        return "range_of_rubrics", ", ".join(map(_said, ruled))
    if ends == standing.ends_of_words(part):
        return "", ""
    return _doubt_of_use(one, whole, part, ruled=bool(ruled)) if is_judge else "", ""


def _doubt_of_use(one: Machine, whole: Seen, part: Seen, *, ruled: bool) -> str:
    """Return why the scores do not show that this is their range."""
    low, high = one.ends()
    if low is None or high is None:
        return "range_guessed"
    used = (part.high - part.low) / float(high - low)
    if ruled:
        return "range_little_used" if part.n >= MANY and used < LITTLE else ""
    ends = (one.minimum, one.maximum)
    if part.whole:
        return (
            ""
            if _reaches(part, ends) or (whole.whole and _reaches(whole, ends))
            else "range_guessed"
        )
    return "" if used >= MOST else "range_guessed"


def _said(ends: Ends) -> str:
    return " – ".join("…" if end is None else scales.text(end) for end in ends)


def declared_for(machines: Iterable[Machine], name: str, criterion: str) -> Machine | None:
    """Return what is declared of a machine on a criterion; none if nothing is."""
    found = {one.criterion: one for one in machines if one.name == name}
    said = found.get(criterion) or found.get("")
    return replace(said, criterion=criterion) if said else None


def completed(
    declared: Iterable[Machine], seen: Iterable[Seen], standing: Standing
) -> Iterator[Machine]:
    """Yield what was declared, and a suggestion for every criterion of which nothing was."""
    said = list(declared)
    yield from said
    kinds = {one.name: one for one in reversed(said)}
    for one in seen:
        for guess in suggest(one, standing):
            if declared_for(said, one.name, guess.criterion) is None:
                of = kinds.get(one.name)
                yield replace(guess, kind=of.kind, family=of.family) if of else guess


def suggest_words(words: Iterable[str]) -> dict[str, str]:
    """Return the words of a file with the numbers they usually stand for, "" where none is usual."""
    return {word: _WORDS.get(word.casefold(), "") for word in words}


def within(value: float, low: Decimal | None, high: Decimal | None) -> bool:
    """Return whether a score lies in a range, as it is written rather than as it is stored."""
    exact = Decimal(repr(value))
    return (low is None or low <= exact) and (high is None or exact <= high)


def _end(written: str) -> Decimal | None:
    if not written.strip():
        return None
    number = scales.parse(written)
    if number != round(number, DECIMALS):
        raise ValueError(f"The end of a range has at most {DECIMALS} decimals.")
    return number
