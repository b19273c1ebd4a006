"""What changed between two wordings, word by word and field by field.

The shortest list of changes, found by the longest common subsequence of pieces
(annotation/common/texts.py), as the browser finds it too (static/js/lib/entries.js). Texts too long
for that are first compared sentence by sentence.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from annotation.common import texts as words

#: Above so many pairs of pieces the table of the longest common subsequence is not made.
MOST_PAIRS = 4_000_000
#: The same of sentences, of which there are fewer in as long a text.
MOST_SENTENCES = 10_000_000

_SENTENCE = re.compile(r".+?(?:[.!?。！？；]\s*|\n+|\Z)", re.DOTALL)


class RunFate(StrEnum):
    SAME = "same"
    GONE = "gone"
    NEW = "new"


@dataclass(frozen=True, slots=True)
class DiffRun:
    """Pieces in a row with the same fate."""

    kind: RunFate
    text: str


@dataclass(frozen=True, slots=True)
class FieldChange:
    """One field before and after. A field that did not change is one run, or none if empty."""

    field: str
    runs: tuple[DiffRun, ...]

    @property
    def changed(self) -> bool:
        return any(run.kind != RunFate.SAME for run in self.runs)

    @property
    def before(self) -> tuple[DiffRun, ...]:
        """What stood there: the left column of two."""
        return tuple(run for run in self.runs if run.kind != RunFate.NEW)

    @property
    def after(self) -> tuple[DiffRun, ...]:
        """What stands there now: the right column of two."""
        return tuple(run for run in self.runs if run.kind != RunFate.GONE)


def between(before: str, after: str) -> tuple[DiffRun, ...]:
    """Return the runs that lead from one text to another; spaces count."""
    return _joined(_steps(words.cut(before), words.cut(after)))


def fields(before: Mapping[str, str], after: Mapping[str, str]) -> tuple[FieldChange, ...]:
    """Return the change of every field, in the order of `after`; fields gone come last."""
    names = [*after, *(name for name in before if name not in after)]
    return tuple(
        FieldChange(name, between(before.get(name, ""), after.get(name, ""))) for name in names
    )


def replaced(runs: Iterable[DiffRun]) -> tuple[tuple[str, str], ...]:
    """Return pairs of (gone, new) texts: what a sentence says of a difference in short."""
    pairs: list[tuple[str, str]] = []
    gone = new = ""
    for run in (*runs, DiffRun(RunFate.SAME, ".")):
        if run.kind == RunFate.GONE:
            gone += run.text
        elif run.kind == RunFate.NEW:
            new += run.text
        elif run.text.strip():
            if gone.strip() or new.strip():
                pairs.append((gone.strip(), new.strip()))
            gone = new = ""
        else:
            gone, new = gone and gone + run.text, new and new + run.text
    return tuple(pairs)


def _steps(left: list[str], right: list[str]) -> Iterator[DiffRun]:
    start = _shared(left, right)
    yield from (DiffRun(RunFate.SAME, piece) for piece in left[:start])
    left, right = left[start:], right[start:]
    if len(left) * len(right) <= MOST_PAIRS:
        yield from _walk(left, right)
    else:
        yield from _by_sentences("".join(left), "".join(right))


def _shared(left: list[str], right: list[str]) -> int:
    """Return how many pieces both begin with."""
    pairs = zip(left, right, strict=False)
    return next((n for n, (one, other) in enumerate(pairs) if one != other), _shorter(left, right))


def _shorter(left: list[str], right: list[str]) -> int:
    return min(len(left), len(right))


def _walk(left: list[str], right: list[str]) -> Iterator[DiffRun]:
    """Yield a step a piece along the longest common subsequence; of two ways, first what is gone."""
    table = _lengths(left, right)
    i = j = 0
    while i < len(left) and j < len(right):
        if left[i] == right[j]:
            yield DiffRun(RunFate.SAME, left[i])
            i, j = i + 1, j + 1
        elif table[i + 1, j] >= table[i, j + 1]:
            yield DiffRun(RunFate.GONE, left[i])
            i += 1
        else:
            yield DiffRun(RunFate.NEW, right[j])
            j += 1
    yield from (DiffRun(RunFate.GONE, piece) for piece in left[i:])
    yield from (DiffRun(RunFate.NEW, piece) for piece in right[j:])


def _lengths(
    left: list[str], right: list[str]
) -> "np.ndarray[tuple[int, int], np.dtype[np.int32 | np.int16]]":
    """Return the length of the longest common subsequence of every two tails."""
    kind = np.int16 if _shorter(left, right) < 2**15 else np.int32
    table = np.zeros((len(left) + 1, len(right) + 1), dtype=kind)
    if not left or not right:
        return table
    numbers: dict[str, int] = {}
    row = np.array([numbers.setdefault(piece, len(numbers)) for piece in right])
    for i in range(len(left) - 1, -1, -1):
        below = table[i + 1]
        fits = np.where(row == numbers.get(left[i], -1), below[1:] + 1, below[:-1])
        # The best of a tail is the best that any of its own tails reaches.
        table[i, :-1] = np.maximum.accumulate(fits[::-1])[::-1]
    return table


def _by_sentences(before: str, after: str) -> Iterator[DiffRun]:
    """Yield steps of long texts: sentences that stayed, and the words of those that did not.

    Where there are too many of either, they are gone and new: nobody waits for more.
    """
    left, right = _SENTENCE.findall(before), _SENTENCE.findall(after)
    start = _shared(left, right)
    end = _shared(left[start:][::-1], right[start:][::-1])
    yield DiffRun(RunFate.SAME, "".join(left[:start]))
    yield from _by_few_sentences(left[start : len(left) - end], right[start : len(right) - end])
    yield DiffRun(RunFate.SAME, "".join(left[len(left) - end :]))


def _by_few_sentences(left: list[str], right: list[str]) -> Iterator[DiffRun]:
    if len(left) * len(right) > MOST_SENTENCES:
        yield from (DiffRun(RunFate.GONE, "".join(left)), DiffRun(RunFate.NEW, "".join(right)))
        return
    budget, gone, new = MOST_PAIRS, "", ""
    for step in (*_walk(left, right), DiffRun(RunFate.SAME, "")):
        if step.kind == RunFate.GONE:
            gone += step.text
        elif step.kind == RunFate.NEW:
            new += step.text
        else:
            cut_gone, cut_new = words.cut(gone), words.cut(new)
            n_pairs = len(cut_gone) * len(cut_new)
            if n_pairs <= budget:
                budget -= n_pairs
                yield from _walk(cut_gone, cut_new)
            else:
                yield from (DiffRun(RunFate.GONE, gone), DiffRun(RunFate.NEW, new))
            gone = new = ""
            yield step


def _joined(steps: Iterable[DiffRun]) -> tuple[DiffRun, ...]:
    runs: list[tuple[RunFate, list[str]]] = []
    for step in steps:
        if runs and runs[-1][0] == step.kind:
            runs[-1][1].append(step.text)
        else:
            runs.append((step.kind, [step.text]))
    return tuple(DiffRun(kind, "".join(pieces)) for kind, pieces in runs if "".join(pieces))
