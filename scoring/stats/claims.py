"""What may be claimed of scores: for whom a figure holds, and how sure that is. No pandas here."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Literal

from scoring.stats.plain import Reason
from scoring.stats.told import CapabilityKey, CriterionKey, Exact, ReleaseKey

Label = Hashable
Figure = Literal["score", "accuracy"]
Level = Literal["criterion", "capability", "group", "overall"]
FIGURES: tuple[Figure, Figure] = ("score", "accuracy")
#: How far apart two systems may be and still be called equal, as a share, unless somebody says otherwise.
MARGIN = 0.05


#: Annotators from which on a figure is claimed to hold for others too.
FEWEST_RATERS = 3


class Claim(StrEnum):
    """For whom a figure holds: questions are always a sample, annotators in the second claim."""

    THESE = "these"
    OTHERS = "others"

    @classmethod
    def of(cls, n_raters: int) -> "Claim":
        """Return the widest claim that so many annotators allow."""
        return cls.OTHERS if n_raters >= FEWEST_RATERS else cls.THESE


class Certainty(StrEnum):
    """How sure it is that two systems differ, all pairs compared at once.

    CLEAR holds for other annotators too, LIKELY for these annotators; EQUAL is within the margin,
    and OPEN may be chance.
    """

    CLEAR = "clear"
    LIKELY = "likely"
    EQUAL = "equal"
    OPEN = "open"


@dataclass(frozen=True, slots=True)
class ClaimEstimate:
    """A figure with its interval for one claim; `interval_reason` says why there is no interval.

    `n` questions stand behind it. Of a difference, `p` is that of none, for this comparison alone,
    `p_holm` the same corrected for all pairs, and `p_equal` (so corrected) that of one wider than
    the margin.
    """

    claim: Claim
    value: Exact | None
    low: float | None
    high: float | None
    n: int
    reason: Reason | None
    interval_reason: Reason | None
    p: float | None = None
    p_holm: float | None = None
    p_equal: float | None = None


@dataclass(frozen=True, slots=True)
class ClaimScore:
    """One figure of one release: `capability` and `criterion` are None where it spans several.

    `value`, `numerator` and `denominator` are exact. `reason` says why there is no value. `missing`
    names the parts without grades that a partial figure leaves out.
    """

    figure: Figure
    level: Level
    release: ReleaseKey
    capability: CapabilityKey
    criterion: Label
    group: str | None
    value: Exact | None
    numerator: Exact | None
    denominator: Exact | None
    these: ClaimEstimate
    others: ClaimEstimate
    n_grades: int
    n_questions: int
    n_raters: int
    partial: bool
    missing: tuple[str, ...]
    reason: Reason | None
    method: str


@dataclass(frozen=True, slots=True)
class ClaimDifference:
    """`left` minus `right`; undefined for the reason given.

    `n_questions` are common to both, of `n_either` that either was graded on; `n_pairs` grades of
    one side have a partner, and `n_left_out` of both sides have none. `missing` names the parts of
    a partial difference that it leaves out.
    """

    figure: Figure
    left: ReleaseKey
    right: ReleaseKey
    capability: CapabilityKey
    group: str | None
    value: Exact | None
    these: ClaimEstimate
    others: ClaimEstimate
    certainty: Certainty
    n_questions: int
    n_either: int
    n_pairs: int
    n_left_out: int
    n_raters: int
    missing: tuple[str, ...]
    reason: Reason | None
    method: str


@dataclass(frozen=True, slots=True)
class Rank:
    """Between which ranks a release stands when all pairs are compared at once."""

    release: ReleaseKey
    low: int | None
    high: int | None
    reason: Reason | None


@dataclass(frozen=True, slots=True)
class Ranks:
    """The ranks of all releases by one claim, and the longest runs of which no two differ."""

    claim: Claim
    ranks: tuple[Rank, ...]
    groups: tuple[tuple[Label, ...], ...]


@dataclass(frozen=True, slots=True)
class ClaimRanking:
    """Releases by their score, the ranks by both claims, and all pairs."""

    releases: tuple[Label, ...]
    these: Ranks
    others: Ranks
    differences: tuple[ClaimDifference, ...]
    level: float
    margin: float
    method: str


@dataclass(frozen=True, slots=True)
class CoverageRow:
    """Grades of one release × capability; `missing` is what is still wanted.

    Each row of the frame is counted once: late, else invalid, else cannot grade, else given.
    """

    release: ReleaseKey
    capability: CapabilityKey
    wanted: int | None
    given: int
    cannot_grade: int
    late: int
    invalid: int
    missing: int | None


@dataclass(frozen=True, slots=True)
class ClaimCoverage:
    rows: tuple[CoverageRow, ...]
    total: CoverageRow


@dataclass(frozen=True, slots=True)
class RankedView:
    """The releases from the highest down, their figures, their ranks and all pairs."""

    releases: tuple[ReleaseKey, ...]
    scores: tuple[ClaimScore, ...]
    differences: tuple[ClaimDifference, ...]
    ranks: Mapping[Claim, Ranks]


@dataclass(frozen=True, slots=True)
class Top:
    """The figures of a part scored as if it were all there is, and the pair on top of it."""

    scores: tuple[ClaimScore, ...]
    lead: ClaimDifference | None


@dataclass(frozen=True, slots=True)
class PieceFigure:
    """A capability, a criterion or an area (`by`) with its key, of one criterion or of all ("")."""

    criterion: str
    by: str
    key: Any
    figures: Mapping[str, Top]


@dataclass(frozen=True, slots=True)
class LabelShares:
    """How often a label was given, by release, and all pairs; p is corrected over all labels, too.

    `label` is its place among those of its criterion, from 1; 0 stands for none of several.
    """

    label: int
    name: str
    scores: tuple[ClaimScore, ...]
    differences: tuple[ClaimDifference, ...]


@dataclass(frozen=True, slots=True)
class LabelsFigure:
    """A criterion whose marks are labels; `several` may be given at once."""

    criterion: CriterionKey
    several: bool
    n_grades: int
    n_questions: int
    n_raters: int
    labels: tuple[LabelShares, ...]


@dataclass(frozen=True, slots=True)
class ScoresFigure:
    """Everything the page of results shows of a round.

    `methods` are those of the scores by "figure.level". `usual` holds every score there is. `views`
    are what else systems can be ranked by, with overall figures alone: "accuracy", and "score/KEY" and
    "accuracy/KEY" of each of several criteria.
    """

    level: float
    claim: Claim
    margin: float
    counts: Mapping[str, int]
    methods: Mapping[str, str]
    method_of_ranks: str
    capabilities: tuple[CapabilityKey, ...]
    usual: RankedView
    views: Mapping[str, RankedView]
    pieces: tuple[PieceFigure, ...]
    widest: ClaimDifference | None
    coverage: ClaimCoverage
    #: Of criteria whose marks are labels: they have no mean, and are in nothing else here.
    labels: tuple[LabelsFigure, ...] = ()
    #: Why there is no score at all, where what was graded has none.
    reason: Reason | None = None
