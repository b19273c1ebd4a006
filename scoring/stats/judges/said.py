"""How judges beside people are said: coefficients with intervals, ceilings, tests, or why there are none.

The types of the figures that are stored, shown and told to programs. No pandas here.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

from scoring.stats.plain import Reason
from scoring.stats.told import Coefficient

#: Whatever stands for a judge, a person or a criterion.
Label: TypeAlias = Any
Level = Literal["system", "item", "pooled"]
Drawn = Literal["systems", "items", "both"]
LEVELS: tuple[Level, ...] = get_args(Level)


@dataclass(frozen=True, slots=True)
class Concordance:
    """Pairs of values by how both sides order them; at the item level within groups only."""

    concordant: int
    discordant: int
    tied_judge: int
    tied_human: int
    tied_both: int


@dataclass(frozen=True, slots=True)
class Correlation:
    """One coefficient at one level; `low` and `high` bound the interval by formula.

    `n` counts what is correlated: systems, responses, or at the item level the responses of the
    largest group; `n_groups` the groups that entered and `n_left_out` those in which a side does
    not vary (item level).
    """

    coefficient: Coefficient
    level: Level
    value: float | None
    reason: Reason | None
    n: int
    n_rows: int
    n_systems: int
    n_groups: int
    n_left_out: int
    pairs: Concordance
    p: float | None
    p_method: str
    low: float | None
    high: float | None
    interval_reason: Reason | None
    interval_method: str
    method: str


@dataclass(frozen=True, slots=True)
class Resampled:
    """The interval of one coefficient; `n_undefined` of the `resamples` had none."""

    coefficient: Coefficient
    level: Level
    drawn: Drawn
    low: float | None
    high: float | None
    reason: Reason | None
    confidence: float
    resamples: int
    n_undefined: int
    n_systems: int
    n_groups: int
    seed: int
    method: str


@dataclass(frozen=True, slots=True)
class Against:
    """One rater against the mean of the others."""

    rater: Label
    value: float | None
    n: int
    n_rows: int
    reason: Reason | None


@dataclass(frozen=True, slots=True)
class RatersCeiling:
    """Mean, lowest and highest over the raters that have a value; the others are counted."""

    coefficient: Coefficient
    level: Level
    value: float | None
    low: float | None
    high: float | None
    reason: Reason | None
    n_raters: int
    n_left_out: int
    raters: tuple[Against, ...]
    method: str


@dataclass(frozen=True, slots=True)
class Overall:
    """One judge over all criteria, by one of the two definitions; `n` as of its level."""

    judge: Label
    level: Level
    coefficient: Coefficient
    definition: str
    value: float | None
    reason: Reason | None
    low: float | None
    high: float | None
    interval_reason: Reason | None
    n: int
    n_criteria: int
    method: str


@dataclass(frozen=True, slots=True)
class JudgeCell:
    """One judge on one criterion; `interval` is None where none was asked for.

    `variance` is that of the judge's values over the responses (n − 1 below), KIEval's table 5.
    `n_judge_only` and `n_human_only` count the responses that one side lacks.
    """

    judge: Label
    criterion: Label
    correlation: Correlation
    interval: Resampled | None
    variance: float | None
    n_judge_only: int
    n_human_only: int


@dataclass(frozen=True, slots=True)
class JudgeTable:
    """Everything of one page; `ties` counts pairs of systems with exactly equal human means."""

    cells: tuple[JudgeCell, ...]
    overall: tuple[Overall, ...]
    ceilings: Mapping[Label, tuple[RatersCeiling, ...]]
    ties: Mapping[Label, int]
    judges: tuple[Label, ...]
    criteria: tuple[Label, ...]
    drawn: Drawn
    resamples: int
    seed: int

    def find(
        self, judge: Label, criterion: Label, level: Level, coefficient: Coefficient
    ) -> JudgeCell:
        """Return one cell.

        Raises:
            KeyError: there is none such.
        """
        wanted = (judge, criterion, level, coefficient)
        for one in self.cells:
            found = one.correlation
            if wanted == (one.judge, one.criterion, found.level, found.coefficient):
                return one
        raise KeyError(wanted)


@dataclass(frozen=True, slots=True)
class Test:
    """One comparison of two judges: `left` and `right` are their correlations with people.

    `p_holm` is corrected for the number of comparisons it was made among; None until it was.
    """

    coefficient: Coefficient
    level: Level
    left: float | None
    right: float | None
    difference: float | None
    p: float | None
    p_holm: float | None
    reason: Reason | None
    alternative: str
    n: int
    n_rows: int
    n_systems: int
    n_groups: int
    resamples: int | None
    seed: int | None
    method: str


@dataclass(frozen=True, slots=True)
class BetweenJudges:
    """Two judges' correlation with each other; `interval` is None where none was asked for."""

    left: Label
    right: Label
    correlation: Correlation
    interval: Resampled | None


@dataclass(frozen=True, slots=True)
class ComparedJudges:
    """Whether `left` and `right` agree with people equally well, by two tests."""

    left: Label
    right: Label
    permutation: Test
    williams: Test


@dataclass(frozen=True, slots=True)
class JudgeValue:
    """A value with its interval; `reason` says why there is none, `interval_reason` why no bounds."""

    value: float | None
    low: float | None
    high: float | None
    reason: Reason | None
    interval_reason: Reason | None


@dataclass(frozen=True, slots=True)
class Deviation:
    """`shift` = mean of judge − people; `mae` and `rmse` in the unit of the scale."""

    shift: JudgeValue
    mae: JudgeValue
    rmse: JudgeValue
    n: int
    n_clusters: int
    n_left_out: int
    method: str


@dataclass(frozen=True, slots=True)
class LevelClass:
    """One level: how often people gave it, the judge said it, and both at once.

    Precision is undefined where the judge never says it, recall where people never give it, F1
    where neither does.
    """

    level: float
    n_human: int
    n_judge: int
    n_both: int
    precision: float | None
    recall: float | None
    f1: float | None


@dataclass(frozen=True, slots=True)
class Confusion:
    """`table` has people's levels down and the judge's across, `rounded` to levels or not."""

    levels: tuple[float, ...]
    table: tuple[tuple[int, ...], ...]
    classes: tuple[LevelClass, ...]
    accuracy: JudgeValue
    macro_f1: JudgeValue
    kappa: JudgeValue
    kappa_quadratic: JudgeValue
    constant_level: float | None
    constant_accuracy: float | None
    constant_macro_f1: float | None
    n: int
    n_clusters: int
    method: str
    rounded: bool = False


@dataclass(frozen=True, slots=True)
class Length:
    """How scores go with the logarithm of length.

    `overall` is the correlation whatever people say, over all responses; `correlation` that within the
    question at equal grades of people; `slope` in shares of the range for each doubling of the length.
    """

    overall: JudgeValue
    correlation: JudgeValue
    slope: JudgeValue
    n: int


@dataclass(frozen=True, slots=True)
class PositionResidual:
    """The mean residual of what stood at a position (from 1)."""

    position: int
    n: int
    residual: JudgeValue


@dataclass(frozen=True, slots=True)
class Family:
    """Own family less the others."""

    difference: JudgeValue
    n_own: int
    n_other: int


@dataclass(frozen=True, slots=True)
class Bias:
    length: Length
    positions: tuple[PositionResidual, ...]
    position_reason: Reason | None
    family: Family
    n: int
    n_clusters: int
    method: str


@dataclass(frozen=True, slots=True)
class PairwiseAccuracy:
    """Share of pairs decided alike; `margins` has one ε a fold, in the judge's own unit."""

    value: float | None
    low: float | None
    high: float | None
    reason: Reason | None
    interval_reason: Reason | None
    n_pairs: int
    n_groups: int
    n_tied_human: int
    n_tied_judge: int
    n_tied_both: int
    n_agree: int
    margins: tuple[float, ...]
    seed: int
    method: str


@dataclass(frozen=True, slots=True)
class SoftAccuracy:
    """`n_pairs` pairs of systems entered; `n_left_out` share no group and did not."""

    value: float | None
    reason: Reason | None
    n_pairs: int
    n_left_out: int
    n_groups: int
    permutations: int
    seed: int
    method: str


@dataclass(frozen=True, slots=True)
class AgainstPerson:
    """The judge against one person, by their number among the columns; wins are shares of `n`."""

    person: int
    n: int
    n_questions: int
    judge_wins: float | None = None
    person_wins: float | None = None
    p: float | None = None
    replaceable: bool = False
    reason: Reason | None = None


@dataclass(frozen=True, slots=True)
class Alternative:
    """`winning_rate` = ω, `advantage` = ρ, both over the people who could be tested."""

    winning_rate: float | None
    advantage: float | None
    passes: bool | None
    reason: Reason | None
    people: tuple[AgainstPerson, ...]
    n_people: int
    n_tested: int
    epsilon: float
    rate: float
    nearness: str
    test: str
    method: str


@dataclass(frozen=True, slots=True)
class ResidualMean:
    """A mean with its interval."""

    value: float | None
    low: float | None
    high: float | None
    reason: Reason | None


@dataclass(frozen=True, slots=True)
class Powered:
    """The mean of one system on the people's scale.

    `humans` rests on the human grades alone, with the same weights. `n_imputed` responses have no
    score by the judge; the judge's mean stands for it, which widens the interval and biases
    nothing. `saved` is the effective sample size less the human grades that there are.
    """

    powered: ResidualMean
    humans: ResidualMean
    judge_mean: float | None
    share: float | None
    n: int
    n_human: int
    n_clusters: int
    n_imputed: int
    effective: float | None
    saved: float | None
    confidence: float
    method: str


@dataclass(frozen=True, slots=True)
class AssistantWeights:
    """What each assistant counts for in one fold; None everywhere where it could not be told."""

    fold: int
    by_assistant: Mapping[str, float | None]
    n_train: int
