"""Preferences beside the grades that the same answers got in another round, as their page shows them."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from annotation.common.sentences import gettext as _
from annotation.rounds.models import Round, RoundItem
from annotation.systems.models import Item
from evalsite.templatetags.ui import interval, score
from scoring.figures.labels import Labels
from scoring.shown.names import Name
from scoring.shown.wording import why
from scoring.stats.claims import Claim
from scoring.stats.plain import percent
from scoring.stats.preferences.said import GradedApart, GradedPair, GradesBeside, GradesBesideFigure

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
