"""Preferences as tables that can be downloaded.

* Preferences beside the grades that the same answers got in another round, as their page shows them.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal

from annotation.common.sentences import gettext as _
from annotation.rounds.models import Round, RoundItem
from annotation.systems.models import Item
from evalsite.templatetags.ui import interval, score
from scoring.figures import typed
from scoring.figures.labels import Labels
from scoring.results.asked import FigureSource
from scoring.shown.names import Name
from scoring.shown.sheet import Sheet
from scoring.shown.wording import why
from scoring.stats.claims import Claim, ClaimEstimate
from scoring.stats.plain import percent
from scoring.stats.preferences.said import (
    AnnotatorChoices,
    GradedApart,
    GradedPair,
    GradesBeside,
    GradesBesideFigure,
    PreferencesFigure,
    SystemPair,
    SystemRate,
)

Row = tuple[object, ...]
ENDS = ("rate", "low", "high", "low_others", "high_others")
RANKS = ("rank_low", "rank_high", "rank_low_others", "rank_high_others")
N = ("choices", "questions", "why")
SAID = "rates in percent, a tie counted half; intervals at 95 %, for these annotators and for others too"


def _ends(these: ClaimEstimate, others: ClaimEstimate) -> Row:
    found = (these.value, these.low, these.high, others.low, others.high)
    return tuple(None if one is None else round(100 * float(one), 4) for one in found)


def _rate(one: SystemRate) -> Row:
    ranks = (*(one.ranks_these or (None, None)), *(one.ranks_others or (None, None)))
    reason = why(one.these.reason or one.others.interval_reason)
    return (*_ends(one.these, one.others), *ranks, one.n, one.these.n, reason)


def strengths(source: FigureSource) -> Sheet:
    """The rate of every system against the mean of the others, by criterion."""
    found = source.read(PreferencesFigure)

    def rows() -> Iterator[Row]:
        for of in found.criteria:
            criterion = source.labels.criterion(of.criterion)
            for one in typed.there(of.systems, source.named):
                yield (criterion, source.names[one.release].text, *_rate(one))

    methods = sorted({of.method for of in found.criteria})
    columns = ("criterion", "system", *ENDS, *RANKS, *N)
    return Sheet("rates", columns, rows(), "; ".join([SAID, *methods]))


def parts(source: FigureSource) -> Sheet:
    """The same by capability and by topic, each as if its choices were all there are."""
    found = source.read(PreferencesFigure)

    def rows() -> Iterator[Row]:
        for of in found.criteria:
            criterion = source.labels.criterion(of.criterion)
            for part in of.parts:
                of_area = part.by == "area"
                title = part.area if of_area else source.labels.capability(part.capability)
                for one in typed.there(part.systems, source.named):
                    yield (criterion, part.by, title, source.names[one.release].text, *_rate(one))

    columns = ("criterion", "by", "part", "system", *ENDS, *RANKS, *N)
    return Sheet("rates-by-part", columns, rows(), SAID)


def wins(source: FigureSource) -> Sheet:
    """How often one system was preferred to another, of every two of them."""
    found = source.read(PreferencesFigure)

    def rows() -> Iterator[Row]:
        for of in found.criteria:
            criterion = source.labels.criterion(of.criterion)
            for one in of.pairs:
                if {one.left, one.right} <= source.names.keys():
                    yield (criterion, *_pair(one, source))

    columns = ("criterion", "preferred", "to", *ENDS, "won", "same", "both_bad", "lost")
    more = ("choices", "annotators", "p", "p_others", "certainty")
    return Sheet("wins", (*columns, *more), rows(), f"{SAID}; p corrected for all pairs (Holm)")


def _pair(one: SystemPair, source: FigureSource) -> Row:
    counts = (one.won, one.tied - one.both_bad, one.both_bad, one.lost, one.n, one.n_raters)
    names = (source.names[one.left].text, source.names[one.right].text)
    p = (one.these.p_holm, one.others.p_holm)
    return (*names, *_ends(one.these, one.others), *counts, *p, one.certainty.value)


def annotators(source: FigureSource) -> Sheet:
    """How each annotator chose."""
    found = source.read(PreferencesFigure)

    def rows() -> Iterator[Row]:
        for of in found.criteria:
            criterion = source.labels.criterion(of.criterion)
            for one in of.raters:
                yield (criterion, *typed.cells(one, source.named))

    said = "shares of an annotator's choices in percent; alike: of the choices of others on the same answers"
    columns = ("criterion", *typed.columns(AnnotatorChoices))
    return Sheet("annotator-choices", columns, rows(), said)


def beside(source: FigureSource) -> Sheet:
    """The pairs of answers of which people chose the one that was graded worse."""
    found = source.read(GradesBesideFigure)

    def rows() -> Iterator[Row]:
        for of in found.criteria:
            criterion = source.labels.criterion(of.criterion)
            for one in of.apart:
                if {one.left, one.right} <= source.names.keys():
                    yield (criterion, *typed.cells(one, source.named))

    methods = sorted({of.method for of in found.criteria})
    columns = ("criterion", *typed.columns(GradedApart))
    return Sheet("grades-beside", columns, rows(), "; ".join(methods))


# ------------------------------------------------------------------------------- beside grades
#: So many pairs of answers stand on the page; the CSV has all of them.
TOP = 50


@dataclass(frozen=True, slots=True)
class ApartLine:
    """Two answers of which people chose the one that was graded worse."""

    row: GradedApart
    chosen: Name
    other: Name
    text: str


@dataclass(frozen=True, slots=True)
class PairLine:
    left: Name
    right: Name
    row: GradedPair


class GradesBoard:
    """Reads the figure, one criterion at a time."""

    def __init__(
        self,
        figure: GradesBesideFigure,
        named: Labels,
        names: Mapping[int, Name],
        criterion: str,
    ) -> None:
        known = {one.criterion: one for one in figure.criteria}
        self.criterion = criterion if criterion in known else next(iter(known), "")
        self.of: GradesBeside | None = known.get(self.criterion)
        self.criteria = [(key, named.criterion(key)) for key in known]
        self._names = names
        #: The questions in words, where a page shows them.
        self.texts: Mapping[str, str] = {}

    @property
    def claim(self) -> Claim:
        return Claim.of(self.of.n_raters if self.of else 0)

    @property
    def title(self) -> str:
        """Return in a sentence how often grades and choices go together."""
        if self.of is None or self.of.these.value is None:
            return ""
        share = score(percent(self.of.these.value), 0)
        return _("People chose the better graded answer in %(share)s %%.") % {"share": share}

    @property
    def interval(self) -> str:
        """Return the interval of the widest claim in words, or why there is none."""
        of = self.of
        if of is None:
            return ""
        shown = of.others if self.claim is Claim.OTHERS else of.these
        if shown.low is None or shown.high is None:
            return why(shown.reason or shown.interval_reason)
        return interval(100 * shown.low, 100 * shown.high)

    @property
    def gamma(self) -> Decimal | None:
        gamma = self.of.gamma if self.of else None
        return None if gamma is None else Decimal(str(round(gamma, 2)))

    @property
    def why(self) -> str:
        return why(self.of.reason) if self.of else why("no_grades")

    @property
    def pairs(self) -> list[PairLine]:
        rows = self.of.pairs if self.of else ()
        return [
            PairLine(self._names[one.left], self._names[one.right], one)
            for one in rows
            if {one.left, one.right} <= self._names.keys() and one.n
        ]

    @property
    def apart(self) -> list[ApartLine]:
        rows = self.of.apart if self.of else ()
        return [
            ApartLine(one, self._names[one.left], self._names[one.right], self._text(one.question))
            for one in rows[:TOP]
            if {one.left, one.right} <= self._names.keys()
        ]

    def _text(self, question: str) -> str:
        return self.texts.get(question, "")


def texts(round_: Round, found: GradesBoard) -> dict[str, str]:
    """Return what the questions that the page lists ask."""
    groups = {one.question for one in (found.of.apart[:TOP] if found.of else ())}
    drawn = RoundItem.objects.filter(round=round_).values("item")
    rows = Item.objects.filter(pk__in=drawn, group__in=groups)
    return {one.group: one.question for one in rows}
