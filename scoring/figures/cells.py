"""What a figure is read as on the pages of scores: cells with interval and n, lines, footnotes.

* What agreement is read against: chance, and bands that somebody's convention gave a name.
* How scores are distributed: few numbers that say it, and how many lie in each part of the range.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from statistics import fmean, quantiles
from typing import Any
from urllib.parse import urlencode

from django.utils.translation import gettext_lazy as _

from scoring.shown.names import Name
from scoring.shown.wording import why
from scoring.stats.claims import Certainty, ClaimEstimate, ClaimScore
from scoring.stats.plain import percent

Ends = tuple[float | None, float | None]


@dataclass(frozen=True, slots=True)
class ScoreCell:
    """A figure as it is read: percent, interval, what it rests on, or why there is none.

    `at` is the part of an address that opens the grades behind it; `wanted` how many grades were
    asked for and `came` how many there are, "cannot grade" among them, where that is known.
    """

    value: Decimal | None
    low: float | None
    high: float | None
    n_grades: int
    n_questions: int
    n_raters: int
    why: str
    why_no_interval: str
    missing: tuple[str, ...]
    exact: str
    at: str = ""
    wanted: int | None = None
    came: int = 0
    #: The number of its footnote: why there is no value, or no interval.
    note: int | None = None
    #: The intervals for these annotators, and for others too.
    these: Ends = (None, None)
    others: Ends = (None, None)

    @property
    def is_incomplete(self) -> bool:
        return self.wanted is not None and self.came < self.wanted


@dataclass
class Notes:
    """The reasons under a table, each said once; a cell holds the number of its reason."""

    texts: list[str] = field(default_factory=list)
    #: Why there is no interval: each said once, and no cell points at it.
    intervals: list[str] = field(default_factory=list)

    def tell(self, text: str) -> None:
        if text and text not in self.intervals:
            self.intervals.append(text)

    def number(self, text: str) -> int | None:
        if not text:
            return None
        if text not in self.texts:
            self.texts.append(text)
        return self.texts.index(text) + 1


@dataclass(frozen=True, slots=True)
class RankRange:
    """Between which ranks a release lies when all pairs are compared at once."""

    low: int | None
    high: int | None

    @property
    def ranks(self) -> str:
        if self.low is None:
            return ""
        return str(self.low) if self.low == self.high else f"{self.low}–{self.high}"


@dataclass(frozen=True, slots=True)
class HeadlineLine:
    """A line of the headline: a release, its cells, and whom it is above beyond doubt."""

    name: Name
    cells: tuple[ScoreCell, ...]
    overall: ScoreCell
    better: tuple[Name, ...]
    standing: RankRange


@dataclass(frozen=True, slots=True)
class CellPart:
    """A line of a table with a column a release: a capability, or one of its criteria."""

    title: str
    below: str
    cells: tuple[ScoreCell, ...]


@dataclass(frozen=True, slots=True)
class ScoreGap:
    """A paired difference between two releases on what both were graded on, in points of percent.

    `low`, `high` and `p` (corrected for the number of pairs) are those of the claim that is shown,
    `is_clear` whether the two differ beyond doubt by it.
    """

    left: Name
    right: Name
    value: Decimal | None
    low: float | None
    high: float | None
    #: The questions that both were graded on, of those that either was.
    n_questions: int
    n_either: int
    why: str
    p: float | None = None
    is_clear: bool = False
    certainty: Certainty = Certainty.OPEN
    note: int | None = None
    #: How many annotators graded both.
    n_raters: int = 0
    #: How many grades of one side have a partner, and how many of both have none.
    n_pairs: int = 0
    n_left_out: int = 0
    #: What only one of the two was graded on, by name.
    missing: tuple[str, ...] = ()
    #: The interval for these annotators.
    these: Ends = (None, None)

    @property
    def shares_few(self) -> bool:
        """Whether fewer than half of the questions are common."""
        return 2 * self.n_questions < self.n_either


@dataclass(frozen=True, slots=True)
class Widest:
    """The largest difference in a capability, in points of percent: `high` is above `low`."""

    title: str
    high: Name
    low: Name
    points: Decimal


@dataclass(frozen=True, slots=True)
class Count:
    """What was wanted and what came, of one capability or of all."""

    title: str
    wanted: int | None
    given: int
    cannot_grade: int
    late: int
    invalid: int
    missing: int | None


@dataclass(frozen=True, slots=True)
class CellRow:
    """A cell of release × part × difficulty × area as it is stored; "" stands for all of them together.

    A node is "all", a group, or "c-" and a capability. The ends are those of the widest claim there is.
    """

    figure: str
    release: int
    node: str
    criterion: str
    difficulty: str
    domain: str
    value: Fraction | None
    low: float | None
    high: float | None
    n_grades: int
    n_questions: int
    n_raters: int
    came: int
    wanted: int | None
    n_parts_missing: int
    reason: str | None
    interval_reason: str | None

    @classmethod
    def read(cls, row: Sequence[Any]) -> "CellRow":
        """Return a stored row: its values in this order."""
        place, stored, rest = row[:6], row[6], row[7:]
        value = None if stored is None else Fraction(stored["num"], stored["den"])
        return cls(*place, value, *rest)  # type: ignore[call-arg]


NO_GRADES = "no_grades"
#: Where nothing was to be graded: an empty place of a table.
NOWHERE = ScoreCell(None, None, None, 0, 0, 0, "", "", (), "")


def cell(
    row: ClaimScore | CellRow | None,
    shown: ClaimEstimate | CellRow | None,
    *,
    notes: Notes,
    at: Mapping[str, object] | None = None,
    missing: tuple[str, ...] = (),
    came: int = 0,
    wanted: int | None = None,
    without: str = NO_GRADES,
) -> ScoreCell:
    """Return a figure with the interval that is shown as a cell; `without` says why there is none."""
    where = urlencode([(f"at_{name}", str(value)) for name, value in (at or {}).items()])
    if row is None or shown is None:
        said = why(without)
        return ScoreCell(None, None, None, 0, 0, 0, said, "", (), "", note=notes.number(said))
    reason, no_interval = why(row.reason), "" if row.reason else why(shown.interval_reason)
    made = ScoreCell(
        points(row.value),
        *ends(shown),
        row.n_grades,
        row.n_questions,
        row.n_raters,
        reason,
        no_interval,
        missing,
        "" if row.value is None else f"{row.value.numerator}/{row.value.denominator}",
        where,
        wanted,
        came,
        notes.number(reason or no_interval),
    )
    if isinstance(row, CellRow):
        return made
    return replace(made, these=ends(row.these), others=ends(row.others))


def ends(shown: ClaimEstimate | CellRow) -> Ends:
    """Return the ends of an interval in percent."""
    return hundredfold(shown.low), hundredfold(shown.high)


def points(value: Fraction | None) -> Decimal | None:
    """Return an exact share in percent."""
    return None if value is None else percent(value)


def hundredfold(share: float | None) -> float | None:
    return None if share is None else 100 * share


#: Where agreement is what chance alone would give.
CHANCE = 0.0


@dataclass(frozen=True, slots=True)
class ScoreBand:
    start: float
    end: float
    name: Any


@dataclass(frozen=True, slots=True)
class Convention:
    """Bands from one source; they are habits of reading and no tests."""

    source: str
    of: Any
    bands: tuple[ScoreBand, ...]


BANDS: Mapping[str, Convention] = {
    # Krippendorff (2004), Content analysis, 2nd edition, section 11.4.2.
    "krippendorff": Convention(
        "Krippendorff (2004)",
        _("α"),
        (ScoreBand(0.667, 0.8, _("tentative")), ScoreBand(0.8, 1.0, _("reliable"))),
    ),
    # Landis and Koch (1977), The measurement of observer agreement for categorical data, table 2.
    "landis_koch": Convention(
        "Landis and Koch (1977)",
        _("κ"),
        (
            ScoreBand(0.0, 0.2, _("slight")),
            ScoreBand(0.2, 0.4, _("fair")),
            ScoreBand(0.4, 0.6, _("moderate")),
            ScoreBand(0.6, 0.8, _("substantial")),
            ScoreBand(0.8, 1.0, _("almost perfect")),
        ),
    ),
    # Koo and Li (2016), A guideline of selecting and reporting intraclass correlation coefficients.
    "koo_li": Convention(
        "Koo and Li (2016)",
        "ICC",
        (
            ScoreBand(0.0, 0.5, _("poor")),
            ScoreBand(0.5, 0.75, _("moderate")),
            ScoreBand(0.75, 0.9, _("good")),
            ScoreBand(0.9, 1.0, _("excellent")),
        ),
    ),
}


#: Parts of a range that scores are counted in.
PARTS = 10


@dataclass(frozen=True, slots=True)
class DistributionPart:
    """How many scores lie from `low` up to `high`, the last part with its end."""

    low: float
    high: float
    n: int


@dataclass(frozen=True, slots=True)
class ScoreDistribution:
    """Quartiles are those of the method "inclusive": the scores are all there are, and no sample."""

    n: int
    mean: float
    lowest: float
    lower: float
    middle: float
    upper: float
    highest: float


def distribution_of(values: Sequence[float]) -> ScoreDistribution | None:
    """Return how scores are distributed; None where there is none."""
    if not values:
        return None
    # Quartiles want two numbers; one stands for all of them.
    several = values if len(values) > 1 else [*values, *values]
    lower, middle, upper = quantiles(several, n=4, method="inclusive")
    return ScoreDistribution(
        len(values), fmean(values), min(values), lower, middle, upper, max(values)
    )


def parts(values: Sequence[float], low: float | None, high: float | None) -> list[DistributionPart]:
    """Return how many scores lie in each tenth of a range; an open end is where the scores end."""
    if not values:
        return []
    start = min(values) if low is None else low
    end = max(values) if high is None else high
    if end <= start:
        return [DistributionPart(start, end, len(values))]
    wide = (end - start) / PARTS
    counts = [0] * PARTS
    for value in values:
        counts[min(max(int((value - start) / wide), 0), PARTS - 1)] += 1
    return [
        DistributionPart(start + place * wide, start + (place + 1) * wide, n)
        for place, n in enumerate(counts)
    ]
