"""How agreement, disputes and raters are said: figures with their intervals, or why there are none.

The types of the figures that are stored, shown and told to programs. No pandas here.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated

from scoring.stats.claims import Certainty, ClaimEstimate
from scoring.stats.told import (
    CapabilityKey,
    CriterionKey,
    Exact,
    Number,
    RaterKey,
    ReleaseKey,
    Told,
    Why,
)

LOW, HIGH = Told(column="quartile_1"), Told(column="quartile_3")


@dataclass(frozen=True, slots=True)
class Coefficient:
    name: Annotated[str, Told(column="coefficient")]
    value: Number
    low: Number
    high: Number
    reason: Why
    interval_reason: Why


@dataclass(frozen=True, slots=True)
class MeanCoefficient(Coefficient):
    n_strata: Annotated[int, Told("Those that have the coefficient.", column="")]
    n_left_out: Annotated[int, Told("Those that have none.", column="")]


@dataclass(frozen=True, slots=True)
class AgreementFigures:
    """Agreement on one criterion; `marginals` are the shares of marks at each level."""

    n_units: int
    n_pairable: int
    n_marks: int
    n_raters: int
    n_clusters: int
    levels: tuple[float, ...]
    marginals: tuple[float, ...]
    coefficients: tuple[Coefficient, ...]
    sampling: str
    method: str

    def find(self, name: str) -> Coefficient:
        """Return a coefficient by its name.

        Raises:
            KeyError: it is not among them.
        """
        return {one.name: one for one in self.coefficients}[name]


@dataclass(frozen=True, slots=True)
class AgreementTogether:
    """Means over capabilities and criteria, weighted by their responses with two marks or more."""

    n_strata: Annotated[int, Told("Capabilities × criteria; of choices × pairs of systems.")]
    n_units: int
    n_pairable: int
    n_marks: int
    n_raters: int
    n_clusters: int
    coefficients: tuple[MeanCoefficient, ...]
    method: str

    def find(self, name: str) -> MeanCoefficient:
        """Return a coefficient by its name.

        Raises:
            KeyError: it is not among them.
        """
        return {one.name: one for one in self.coefficients}[name]


@dataclass(frozen=True, slots=True)
class IccForm:
    form: Annotated[str, Told(column="coefficient")]
    value: Number
    low: Number
    high: Number
    reason: Why
    interval_reason: Why


@dataclass(frozen=True, slots=True)
class IntraclassCorrelation:
    n_units: int
    n_left_out: int
    n_raters: int
    n_clusters: int
    forms: tuple[IccForm, ...]


@dataclass(frozen=True, slots=True)
class AnnotatorPair:
    """κ of two annotators; `raw` is the share of equal marks."""

    left: Annotated[RaterKey, Told(column="annotator")]
    right: Annotated[RaterKey, Told(column="with")]
    value: Annotated[Number, Told(column="kappa")]
    low: Number
    high: Number
    reason: Why
    interval_reason: Why
    raw: Annotated[Number, Told(column="equal")]
    n_units: Annotated[int, Told(column="responses")]
    n_clusters: Annotated[int, Told(column="questions")]
    method: Annotated[str, Told(column="")]


@dataclass(frozen=True, slots=True)
class GroupDifference:
    """By how much the group `left` grades higher than `right` what both graded, as a share of the scale."""

    left: Annotated[str, Told(column="group")]
    right: Annotated[str, Told(column="with")]
    value: Annotated[Exact | None, Told(column="difference")]
    these: ClaimEstimate
    others: ClaimEstimate
    certainty: Certainty
    n_responses: Annotated[int, Told("Responses × criteria that both groups graded.")]
    n_questions: int
    n_left: Annotated[int, Told("Annotators of the first group.", column="annotators")]
    n_right: Annotated[int, Told("Those of the other.", column="annotators_with")]
    reason: Why

    @property
    def n_raters(self) -> int:
        return self.n_left + self.n_right


@dataclass(frozen=True, slots=True)
class SystemGroupDifference(GroupDifference):
    release: ReleaseKey


@dataclass(frozen=True, slots=True)
class GroupDifferences:
    """Every two groups of annotators, in all and by system."""

    overall: tuple[GroupDifference, ...]
    systems: tuple[SystemGroupDifference, ...]
    method: str


@dataclass(frozen=True, slots=True)
class Disagreement:
    """The share of responses graded at least twice whose grades differ by a rule."""

    capability: CapabilityKey
    rule: str
    value: Annotated[Exact | None, Told(column="share")]
    n_disputed: int
    n_pairs: Annotated[int, Told(column="responses")]
    reason: Why


@dataclass(frozen=True, slots=True)
class DisputeRules:
    rater: str = "alone"
    question: str = "near_half"
    #: Of the rater rule "median": how far from the others' median, on the scale of the marks.
    far: float = 2.0
    #: Of the question rules "share" and "range": the least share of the smaller side, and range of marks.
    share: float = 0.4
    span: float = 2.0
    #: Of G and F in C(k).
    w1: Exact = Fraction(1, 2)
    w2: Exact = Fraction(1, 2)


@dataclass(frozen=True, slots=True)
class AnnotatorDispute:
    """C(ij): how often an annotator stands alone in a capability; C(i), `overall`, in all of them."""

    overall: Annotated[bool, Told(column="")]
    rater: RaterKey
    capability: CapabilityKey
    value: Annotated[Exact | None, Told(column="share")]
    n_alone: int
    n_graded: Annotated[
        int, Told("Grades that could stand alone: of three or more, with a pass mark.", "grades")
    ]
    reason: Why


@dataclass(frozen=True, slots=True)
class QuestionDispute:
    """C(k) as printed, and as a share of the most it could be."""

    question: str
    printed: Annotated[Exact | None, Told(column="c_k")]
    normalised: Annotated[Exact | None, Told(column="share")]
    n_divided: int
    n_alone: int
    n_releases: int
    n_raters: int
    n_places: Annotated[
        int, Told("Responses × criteria on which the rules can say anything.", "places")
    ]
    reason: Why


@dataclass(frozen=True, slots=True)
class DisputePlace:
    """A response on a criterion, and who stands alone on it."""

    question: str
    release: ReleaseKey
    response: Annotated[int, Told(column="", hidden=True)]
    capability: CapabilityKey
    criterion: CriterionKey
    divided: bool
    alone: tuple[RaterKey, ...]
    n_raters: int
    against: Annotated[ReleaseKey, Told("Of preferences the other answer; else null.")] = None


@dataclass(frozen=True, slots=True)
class LabelDispute:
    """The share of pairs of annotators who gave a response to this question different labels."""

    question: str
    criterion: CriterionKey
    value: Annotated[Exact, Told(column="share")]
    n_apart: int
    n_pairs: int
    n_raters: int


@dataclass(frozen=True, slots=True)
class DisputesFigure:
    """Disputes by these rules; `questions` and `places` are those with the highest C(k).

    `labels` and `label_places` are of criteria whose marks are labels: they divide where not all are the
    same. `few_raters`: no response has more than three; `never`: the rule of questions cannot hold here.
    """

    rules: DisputeRules
    few_raters: bool
    never: bool
    reason: Why
    questions: tuple[QuestionDispute, ...]
    n_questions: int
    n_without_threshold: int
    raters: tuple[AnnotatorDispute, ...]
    places: tuple[DisputePlace, ...]
    n_places: int
    labels: tuple[LabelDispute, ...] = ()
    label_places: tuple[DisputePlace, ...] = ()

    @property
    def in_dispute(self) -> list[QuestionDispute]:
        return [one for one in self.questions if one.n_divided or one.n_alone]


@dataclass(frozen=True, slots=True)
class AnnotatorSeverity:
    """In logits around the average; `points` are by how much somebody lowers a share."""

    rater: RaterKey
    severity: float
    low: float
    high: float
    points: Annotated[float, Told(percent=True)]
    misfit: float
    n_grades: int


@dataclass(frozen=True, slots=True)
class GroupSeverity:
    """The mean severity of a group of annotators, each alike; its interval is for these annotators."""

    group: str
    severity: float
    low: float
    high: float
    points: Annotated[float, Told("By how much the group lowers a share.", percent=True)]
    n_raters: Annotated[int, Told(column="annotators")]
    n_grades: int


@dataclass(frozen=True, slots=True)
class FairScore:
    """All grades pooled: as graded, and under average severity."""

    release: ReleaseKey
    raw: Annotated[float, Told(column="as_graded", percent=True)]
    fair: Annotated[float, Told(percent=True)]
    shift: Annotated[float, Told("How much higher it is so.", column="change", percent=True)]
    n_grades: int


@dataclass(frozen=True, slots=True)
class Severity:
    n_left_out: int
    reason: Why
    method: str
    raters: tuple[AnnotatorSeverity, ...]
    releases: tuple[FairScore, ...]
    groups: Annotated[
        tuple[GroupSeverity, ...], Told("Of groups of annotators; empty without groups.")
    ] = ()


@dataclass(frozen=True, slots=True)
class Retest:
    """Grades of the same response twice: the share of equal ones, and how far apart they lie."""

    rater: Annotated[RaterKey, Told(column="")]
    same: Annotated[Number, Told(column="same_again")]
    apart: Number
    shift: Number
    n_pairs: int
    reason: Annotated[Why, Told(column="why_no_retest")]


@dataclass(frozen=True, slots=True)
class Drift:
    """How marks move against the others' from the first grade to the last, in time."""

    rater: RaterKey
    slope: Annotated[Number, Told(column="drift")]
    low: Annotated[Number, Told(column="drift_low")]
    high: Annotated[Number, Told(column="drift_high")]
    cusum: Number
    p: Number
    p_bh: Annotated[Number, Told("The p as one of all annotators'.")]
    n_grades: int
    n_blocks: int
    reason: Annotated[Why, Told(column="why_no_drift")]
    course: Annotated[tuple[float, ...], Told(column="")]


@dataclass(frozen=True, slots=True)
class AtPosition:
    position: int
    mean: float
    low: Number
    high: Number
    n_grades: int

    @property
    def in_points(self) -> tuple[Number, Number, Number]:
        """Return the mean and its interval in points of percent."""
        low, high = (None if one is None else 100 * one for one in (self.low, self.high))
        return 100 * self.mean, low, high


@dataclass(frozen=True, slots=True)
class Position:
    positions: tuple[AtPosition, ...]
    p: Number
    n_questions: int
    reason: Why


@dataclass(frozen=True, slots=True)
class Pace:
    """Active seconds a question; `n_fast` took under a third of the median of the capability."""

    rater: RaterKey
    capability: CapabilityKey
    median: float
    low: Annotated[float, LOW]
    high: Annotated[float, HIGH]
    n_fast: int
    n_seats: Annotated[int, Told(column="questions")]


@dataclass(frozen=True, slots=True)
class Tempo:
    """The usual time of a question beside how often somebody stands alone."""

    rater: RaterKey
    seconds: float
    low: Annotated[float, LOW]
    high: Annotated[float, HIGH]
    n_seats: Annotated[int, Told(column="questions")]
    alone: Annotated[Number, Told("C(i): the share of graded responses.", percent=True)]
    n_graded: Annotated[int, Told(column="grades")]


@dataclass(frozen=True, slots=True)
class SignalHits:
    """How often something was seen, against the share that the others have together."""

    n: int
    n_hits: int
    expected: float
    chance: float
    alarm: bool
    #: How often the test raises the signal where nothing is wrong: exact, at most what was asked.
    false_alarm: float
