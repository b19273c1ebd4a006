"""Judges beside people as they are stored, and as the rows of their tables. No pandas here.

A row is what a page, a file and a program are told alike: names in the place of keys.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, TypeAlias

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from scoring.figures.cells import DistributionPart, ScoreDistribution
from scoring.stats.judges.said import (
    Alternative,
    AssistantWeights,
    BetweenJudges,
    Bias,
    ComparedJudges,
    Confusion,
    Correlation,
    Deviation,
    JudgeTable,
    PairwiseAccuracy,
    Powered,
    RatersCeiling,
    Resampled,
    SoftAccuracy,
)
from scoring.stats.machines.said import Classified
from scoring.stats.plain import Reason
from scoring.stats.told import Number, Told

Span: TypeAlias = tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class Correlated:
    """A coefficient with its interval by resampling systems and questions."""

    correlation: Correlation
    interval: Resampled | None


@dataclass(frozen=True, slots=True)
class SidesFacts:
    """How much was compared."""

    responses: int
    graded: int
    systems: int
    groups: int
    raters: int


@dataclass(frozen=True, slots=True)
class JudgeOnCriterion:
    """What a judge is on a criterion of the people beside its correlations."""

    criterion: str
    own: str
    higher_is_better: bool
    n_failed: int
    deviation: Deviation | None
    scale: Span


@dataclass(frozen=True, slots=True)
class JudgeOnCriteria:
    judge: int
    criteria: tuple[JudgeOnCriterion, ...]


@dataclass(frozen=True, slots=True)
class JudgeOnLabels:
    """A judge's labels beside the one that most people gave each response.

    `n_divided` responses are left out because people have no commonest label, `n_without` because the
    judge has none.
    """

    judge: int
    criterion: str
    n_divided: int
    n_without: int
    found: Classified


@dataclass(frozen=True, slots=True)
class UnreadLabels:
    """A judge that cannot be set beside people's labels on a criterion, and why."""

    judge: int
    criterion: str
    why: str


@dataclass(frozen=True, slots=True)
class JudgesFigure:
    """Every judge on every criterion at one level, with ceilings and both overalls."""

    level: str
    facts: SidesFacts
    criteria: tuple[str, ...]
    judges: tuple[JudgeOnCriteria, ...]
    table: JudgeTable
    labels: tuple[JudgeOnLabels, ...] = ()
    unread: tuple[UnreadLabels, ...] = ()


@dataclass(frozen=True, slots=True)
class JudgePairsFigure:
    """How judges correlate with each other, and which of two agrees better with people."""

    level: str
    coefficient: str
    criterion: str
    facts: SidesFacts
    judges: tuple[int, ...]
    turned: tuple[int, ...]
    between: tuple[BetweenJudges, ...]
    compared: tuple[ComparedJudges, ...]


@dataclass(frozen=True, slots=True)
class ResponseGap:
    """Judge minus people on a response, as shares of their ranges."""

    response: int
    item: int
    release: int
    human: float
    n_marks: int
    judge: float
    gap: float


@dataclass(frozen=True, slots=True)
class ApartFigure:
    """The responses that both sides marked, those farthest apart first; `of` are there."""

    judge: int
    criterion: str
    by_data: bool
    rows: tuple[ResponseGap, ...]
    of: int


@dataclass(frozen=True, slots=True)
class DrawnFrom:
    """The run that a published round was drawn from, and how many outputs it had then."""

    run: int
    name: str
    n: int


@dataclass(frozen=True, slots=True)
class PoweredRelease:
    release: int
    means: Powered


@dataclass(frozen=True, slots=True)
class PoweredFigure:
    """For each release the prediction-powered mean of people beside the plain one."""

    judge: int
    criterion: str
    facts: SidesFacts
    drawn_from: DrawnFrom | None
    scale: Span
    rows: tuple[PoweredRelease, ...]

    @property
    def method(self) -> str:
        return next((row.means.method for row in self.rows), "")


@dataclass(frozen=True, slots=True)
class LeftOut:
    judge: int
    reason: str


@dataclass(frozen=True, slots=True)
class MixRow:
    """An aggregate or a single judge, over everything and as the mean within the folds."""

    name: str
    method: str
    reason: Reason | None
    n_incomplete: int
    n: int
    cells: tuple[Correlated, ...]
    within_folds: Mapping[str, Number]


@dataclass(frozen=True, slots=True)
class MixesOnCriterion:
    criterion: str
    assistants: tuple[int, ...]
    left_out: tuple[LeftOut, ...]
    turned: tuple[int, ...]
    ceilings: tuple[RatersCeiling, ...]
    rows: tuple[MixRow, ...] = ()
    weights: tuple[AssistantWeights, ...] = ()
    in_sample: tuple[AssistantWeights, ...] = ()


@dataclass(frozen=True, slots=True)
class MixesFigure:
    """AVG, LLMSel and CorrW (cross-fitted and in-sample) beside their assistants."""

    level: str
    facts: SidesFacts
    alignment: Mapping[str, tuple[int, ...]]
    by_data: bool
    folds: int
    criteria: tuple[MixesOnCriterion, ...]


@dataclass(frozen=True, slots=True)
class JudgeUse:
    """The pooled coefficient on a capability beside that of people, and what the judge is good for."""

    capability: int
    n: int
    value: Number
    reason: Reason | None
    low: Number
    high: Number
    people: Number
    people_low: Number
    people_high: Number
    n_questions: int
    use: str


@dataclass(frozen=True, slots=True)
class SystemSides:
    """Both sides' means of a release over the responses that both have."""

    release: int
    n: int
    human: float
    judge: float
    shift: Number


@dataclass(frozen=True, slots=True)
class Readings:
    """What lies behind a judge's scores: its readings, their spread, weights, and their order."""

    n: int
    n_scored: int
    n_readings: int
    n_valid: Number
    fewest_valid: int | None
    sd: Number
    n_weighted: int
    mass: Number
    least_mass: Number
    distribution: ScoreDistribution | None
    parts: tuple[DistributionPart, ...]
    order: Deviation | None


@dataclass(frozen=True, slots=True)
class ScatterPoint:
    human: float
    judge: float
    response: int
    release: int


@dataclass(frozen=True, slots=True)
class Scatter:
    """A sample of responses, and how far two people lie apart four times in five."""

    points: tuple[ScatterPoint, ...]
    of: int
    same_scale: bool
    band: Number


@dataclass(frozen=True, slots=True)
class JudgeFigure:
    """One judge beside people on one criterion, from every side."""

    judge: int
    criterion: str
    own: str
    turned: tuple[int, ...]
    coefficient: str
    facts: SidesFacts
    n: int
    n_failed: int
    n_human_only: int
    scale: Span
    levels: tuple[Correlated, ...]
    ceilings: tuple[RatersCeiling, ...]
    scatter: Scatter
    parts: tuple[JudgeUse, ...]
    systems: tuple[SystemSides, ...]
    deviation: Deviation | None
    confusion: Confusion | None
    alternative: Alternative | None
    pairwise: Mapping[str, PairwiseAccuracy]
    over_systems: PairwiseAccuracy
    soft: SoftAccuracy
    bias: Bias | None
    readings: Readings
    apart: tuple[ResponseGap, ...]


# ------------------------------------------------------------------------------------- rows of tables
WORDS = Told("Why there is no number, in words.", column="why")
InWords: TypeAlias = Annotated[str | None, WORDS]
#: For pages alone.
ASIDE = Told(column="")
#: What a judge may be used for: its words, and the look of their sign.
USES = {
    "person": (gettext_lazy("may stand in"), "ok"),
    "screen": (gettext_lazy("check a sample"), "warn"),
    "not": (gettext_lazy("do not use"), "bad"),
    "unclear": (gettext_lazy("cannot be told"), "muted"),
    "few": (gettext_lazy("too few"), "muted"),
}


@dataclass(frozen=True, slots=True)
class JudgeCorrelation:
    judge: str
    criterion: str
    own_criterion: str | None
    level: str
    coefficient: str
    value: Number
    low: Number
    high: Number
    why: InWords
    p: Number
    n: int | None
    without_score: int | None


@dataclass(frozen=True, slots=True)
class JudgeShift:
    judge: str
    criterion: str
    shift: Number
    low: Number
    high: Number
    mean_distance: Number


@dataclass(frozen=True, slots=True)
class JudgeOverall:
    judge: str
    definition: str
    level: str
    coefficient: str
    value: Number
    low: Number
    high: Number
    n: int | None


@dataclass(frozen=True, slots=True)
class PeopleCeiling:
    criterion: str
    coefficient: str
    value: Number
    lowest: Number
    highest: Number
    people: int | None


@dataclass(frozen=True, slots=True)
class JudgeLabel:
    """One label: how often people and the judge gave it, and how far the judge found it."""

    judge: str
    criterion: str
    label: str
    n_people: Annotated[int, Told(column="people")]
    n_judge: Annotated[int, Told("How often the judge gave it.", column="given")]
    precision: Number
    recall: Number
    f1: Number


@dataclass(frozen=True, slots=True)
class JudgeKappa:
    """All labels of a criterion: Cohen’s κ without weights, and how often both sides say the same."""

    judge: str
    criterion: str
    kappa: Number
    low: Number
    high: Number
    why: InWords
    equal: Number
    constant: Annotated[
        Number, Told("As often as this, by always giving people’s commonest label.")
    ]
    macro_f1: Number
    n: int
    divided: Annotated[int, Told("Responses on which people have no commonest label.")]
    without: Annotated[int, Told("Responses to which the judge gave none.")]


@dataclass(frozen=True, slots=True)
class JudgeLevel:
    level: str
    coefficient: str
    value: Number
    low: Number
    high: Number
    why: InWords
    p: Number
    n: int | None


@dataclass(frozen=True, slots=True)
class JudgeCapability:
    """A capability where people used the criterion."""

    capability: str
    value: Number
    low: Number
    high: Number
    why: InWords
    people: Number
    n: int | None
    use: str | None
    people_low: Annotated[Number, ASIDE]
    people_high: Annotated[Number, ASIDE]
    n_questions: Annotated[int, ASIDE]
    #: Its use, unless it has few questions.
    verdict: Annotated[str, ASIDE]

    @property
    def words(self) -> Promise:
        return USES[self.verdict][0]

    @property
    def kind(self) -> str:
        return USES[self.verdict][1]


@dataclass(frozen=True, slots=True)
class JudgeInTheirPlace:
    person: Annotated[int, Told("Their place, from 1.")]
    n: int
    questions: int
    judge_wins: Number
    person_wins: Number
    p: Number
    replaceable: bool
    why: InWords


@dataclass(frozen=True, slots=True)
class JudgeSystem:
    system: str
    people: Number
    judge: Number
    shift: Number
    n: int | None


@dataclass(frozen=True, slots=True)
class JudgeSway:
    """What may sway a judge: what, how much, and how to read it."""

    what: str
    value: Number
    low: Number
    high: Number
    why: InWords
    meaning: str


@dataclass(frozen=True, slots=True)
class JudgeGap:
    """One response: who answered what, and what both sides said of it."""

    item: str
    system: str
    people: Number
    marks: int
    judge: Number
    gap: Number
    item_key: Annotated[int, ASIDE]
    response: Annotated[int, ASIDE]


@dataclass(frozen=True, slots=True)
class JudgePair:
    left: str
    right: str
    level: str
    coefficient: str
    value: Number
    why: InWords
    p: Number
    n: int | None


@dataclass(frozen=True, slots=True)
class JudgePairTest:
    """Whether two judges agree with people equally well: both correlations and the p of two tests."""

    left_name: Annotated[str, Told(column="left")]
    right_name: Annotated[str, Told(column="right")]
    level: str
    coefficient: str
    left: Annotated[Number, Told(column="left_with_people")]
    right: Annotated[Number, Told(column="right_with_people")]
    difference: Number
    p: Number
    p_holm: Number
    williams_p: Number
    williams_p_holm: Number
    why: Annotated[str, WORDS]
    williams_why: Annotated[str, WORDS]
    n: int | None

    # As scoring/kinds/fusion reads them.
    @property
    def permutation(self) -> Mapping[str, Number]:
        return {"p": self.p, "p_holm": self.p_holm}

    @property
    def williams(self) -> Mapping[str, Number]:
        return {"p": self.williams_p, "p_holm": self.williams_p_holm}


@dataclass(frozen=True, slots=True)
class JudgeMix:
    """An aggregate or a single judge on one criterion; `within_folds` is its mean over the folds."""

    criterion: str
    name: str
    method: str
    level: str
    coefficient: str
    value: Number
    low: Number
    high: Number
    why: InWords
    p: Number
    n: int | None
    within_folds: Number
    incomplete: int | None


@dataclass(frozen=True, slots=True)
class JudgeWeight:
    criterion: str
    weighing: str
    fold: int | None
    n_train: Annotated[int | None, Told(column="n_train")]
    judge: str
    weight: Number


@dataclass(frozen=True, slots=True)
class PoweredMean:
    """One system: people with the judge, and people alone."""

    system: str
    value: Number
    low: Number
    high: Number
    people: Number
    people_low: Number
    people_high: Number
    why: InWords
    judge_mean: Number
    #: λ
    trust: Annotated[Number, Told(column="lambda")]
    n: int | None
    graded: int | None
    imputed: int | None
    effective: Number
    saved: Number
    mark: Annotated[int, ASIDE]

    @property
    def narrower(self) -> float | None:
        """By how many percent the interval is shorter than that of people alone."""
        alone, helped = _width(self.people_low, self.people_high), _width(self.low, self.high)
        return None if helped is None or not alone or alone <= 0 else 100 * (1 - helped / alone)


def _width(low: Number, high: Number) -> Number:
    return None if low is None or high is None else high - low
