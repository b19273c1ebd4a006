"""What of a round becomes an example for training: pairs of a better and a worse answer, and good answers.

Marks and choices of one question go in; what is left out is counted by its reason.
"""

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from annotation.rubrics.rules import BOTH_BAD
from evalsite.kinds import gettext_noop as _

#: The forms of a file: pairs of a better and a worse answer, good answers, battles, our own preferences.
DPO, SFT, ARENA, OWN = "dpo", "sft", "arena", "preferences"
#: What a choice is worth to the answer at A, by its value; both bad is worth nothing to either.
WORTH: Final[Mapping[int, tuple[float, float]]] = {
    1: (1.0, 0.0),
    2: (1.0, 0.0),
    3: (0.5, 0.5),
    4: (0.0, 1.0),
    5: (0.0, 1.0),
    6: (0.0, 0.0),
}
#: Sums of floating point differ by less than this where they are the same.
ALIKE: Final = 1e-9


class LeftOut(StrEnum):
    """Why a pair, or a question, gives no example."""

    FEW = "few"
    CLOSE = "close"
    DISAGREED = "disagreed"
    TIED = "tied"
    BAD = "bad"
    LOW = "low"
    SAME = "same"


REASONS: Final[Mapping[LeftOut, str]] = {
    LeftOut.FEW: _("Too few annotators"),
    LeftOut.CLOSE: _("Scores too close"),
    LeftOut.DISAGREED: _("Annotators disagree"),
    LeftOut.TIED: _("A tie"),
    LeftOut.BAD: _("Both bad"),
    LeftOut.LOW: _("No answer good enough"),
    LeftOut.SAME: _("Both say the same, or nothing"),
}


@dataclass(frozen=True, slots=True)
class AnswerMark:
    """What one annotator gave an answer, as a share of the scale."""

    response: int
    rater: int
    share: float


@dataclass(frozen=True, slots=True)
class PairVote:
    """What one annotator chose between two answers; `first` stood at A."""

    first: int
    second: int
    rater: int
    value: int


@dataclass(frozen=True, slots=True)
class DataRules:
    """From where on a difference, an agreement and an answer count; shares from 0 to 1.

    `one_each` takes one pair a question: the largest difference, or the clearest choice.
    """

    margin: float = 0.25
    agreement: float = 0.75
    raters: int = 1
    good: float = 0.75
    one_each: bool = False


@dataclass(frozen=True, slots=True)
class DataWish:
    """A file that somebody wants, by which criterion, with which texts that people wrote."""

    form: str = DPO
    criterion: str = ""
    written: str = ""
    rules: DataRules = field(default_factory=DataRules)


@dataclass(frozen=True, slots=True)
class TrainingPair:
    """A better answer and a worse one; scores are shares of what could be had."""

    chosen: int
    rejected: int
    n_raters: int
    agreement: float
    chosen_score: float
    rejected_score: float

    @property
    def margin(self) -> float:
        return self.chosen_score - self.rejected_score


@dataclass(frozen=True, slots=True)
class GoodAnswer:
    """An answer that is good enough to learn from."""

    response: int
    n_raters: int
    score: float


@dataclass(slots=True)
class Examples:
    """What comes of some questions, and why the rest does not, by reason."""

    pairs: list[TrainingPair] = field(default_factory=list)
    good: list[GoodAnswer] = field(default_factory=list)
    left_out: Counter[LeftOut] = field(default_factory=Counter)


def pairs_of_marks(
    marks: Iterable[AnswerMark], rules: DataRules, contents: Mapping[int, str]
) -> Examples:
    """Return the pairs of one question's answers by their marks.

    The annotators who marked both are asked: their means have to be apart, and enough of them have to
    have marked the better one higher.

    Args:
        marks: of one question, at most one of each annotator and answer.
        rules: what counts.
        contents: tells answers of the same text; an empty one says nothing.
    """
    found = Examples()
    given: dict[int, dict[int, float]] = defaultdict(dict)
    for one in marks:
        given[one.response][one.rater] = one.share
    for first, second in itertools.combinations(sorted(given), 2):
        made = _compared(first, second, given, rules, contents)
        if isinstance(made, TrainingPair):
            found.pairs.append(made)
        else:
            found.left_out[made] += 1
    return _one_each(found, rules)


def _compared(
    first: int,
    second: int,
    given: Mapping[int, Mapping[int, float]],
    rules: DataRules,
    contents: Mapping[int, str],
) -> TrainingPair | LeftOut:
    both = given[first].keys() & given[second].keys()
    if len(both) < max(1, rules.raters):
        return LeftOut.FEW
    if _are_alike(first, second, contents):
        return LeftOut.SAME
    means = {one: sum(given[one][rater] for rater in both) / len(both) for one in (first, second)}
    chosen, rejected = (first, second) if means[first] >= means[second] else (second, first)
    apart = means[chosen] - means[rejected]
    if apart <= ALIKE:
        return LeftOut.TIED
    if apart < rules.margin - ALIKE:
        return LeftOut.CLOSE
    agree = sum(given[chosen][rater] > given[rejected][rater] + ALIKE for rater in both)
    if agree / len(both) < rules.agreement - ALIKE:
        return LeftOut.DISAGREED
    return TrainingPair(
        chosen, rejected, len(both), agree / len(both), means[chosen], means[rejected]
    )


def pairs_of_votes(
    votes: Iterable[PairVote], rules: DataRules, contents: Mapping[int, str]
) -> Examples:
    """Return the pairs of one question's answers by what people chose.

    The better one was chosen by a share of all who were asked; ties and both bad count among these.
    """
    found = Examples()
    asked: dict[tuple[int, int], list[PairVote]] = defaultdict(list)
    for one in votes:
        asked[min(one.first, one.second), max(one.first, one.second)].append(one)
    for pair, some in sorted(asked.items()):
        made = _chosen(pair, some, rules, contents)
        if isinstance(made, TrainingPair):
            found.pairs.append(made)
        else:
            found.left_out[made] += 1
    return _one_each(found, rules)


def _chosen(
    pair: tuple[int, int], votes: Sequence[PairVote], rules: DataRules, contents: Mapping[int, str]
) -> TrainingPair | LeftOut:
    n = len(votes)
    if n < max(1, rules.raters):
        return LeftOut.FEW
    if _are_alike(*pair, contents):
        return LeftOut.SAME
    won = Counter(response for one in votes for response, worth in _worths(one) if worth == 1.0)
    n_bad = sum(one.value == BOTH_BAD for one in votes)
    n_tied = n - won.total() - n_bad
    most = max(won.values(), default=0)
    if won[pair[0]] == won[pair[1]] or most <= max(n_bad, n_tied):
        if n_bad > max(n_tied, most):
            return LeftOut.BAD
        return LeftOut.TIED if n_tied > max(n_bad, most) else LeftOut.DISAGREED
    chosen, rejected = pair if won[pair[0]] > won[pair[1]] else (pair[1], pair[0])
    if won[chosen] / n < rules.agreement - ALIKE:
        return LeftOut.DISAGREED
    scores: Counter[int] = Counter()
    for one in votes:
        for response, worth in _worths(one):
            scores[response] += worth  # type: ignore[assignment]
    return TrainingPair(
        chosen, rejected, n, won[chosen] / n, scores[chosen] / n, scores[rejected] / n
    )


def _worths(vote: PairVote) -> Iterator[tuple[int, float]]:
    first, second = WORTH[vote.value]
    yield vote.first, first
    yield vote.second, second


def _are_alike(first: int, second: int, contents: Mapping[int, str]) -> bool:
    """Say whether two answers have the same text, or one of them has none."""
    said = contents.get(first, ""), contents.get(second, "")
    return not (said[0] and said[1]) or said[0] == said[1]


def _one_each(found: Examples, rules: DataRules) -> Examples:
    if rules.one_each and len(found.pairs) > 1:
        best = max(found.pairs, key=lambda one: (one.margin, one.agreement, -one.chosen))
        found.pairs = [best]
    return found


def marks_of_votes(votes: Iterable[PairVote]) -> list[AnswerMark]:
    """Return what each choice is worth to both answers; of one annotator and answer the mean."""
    worths: dict[tuple[int, int], list[float]] = defaultdict(list)
    for one in votes:
        for response, worth in _worths(one):
            worths[response, one.rater].append(worth)
    return [
        AnswerMark(response, rater, sum(some) / len(some))
        for (response, rater), some in worths.items()
    ]


def good_answers(
    marks: Iterable[AnswerMark], rules: DataRules, contents: Mapping[int, str]
) -> Examples:
    """Return the best answer of one question, if its mean is good enough."""
    found = Examples()
    given: dict[int, list[float]] = defaultdict(list)
    for one in marks:
        given[one.response].append(one.share)
    if not given:
        return found
    enough = {one: some for one, some in given.items() if len(some) >= max(1, rules.raters)}
    scored = [
        GoodAnswer(one, len(some), sum(some) / len(some))
        for one, some in enough.items()
        if contents.get(one)
    ]
    best = max(scored, key=lambda one: (one.score, one.n_raters, -one.response), default=None)
    if best is None:
        found.left_out[LeftOut.SAME if enough else LeftOut.FEW] += 1
    elif best.score < rules.good - ALIKE:
        found.left_out[LeftOut.LOW] += 1
    else:
        found.good.append(best)
    return found
