"""Preferences beside the grades that the same answers got in another round, as their page shows them."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from django.db.models import Exists, OuterRef

from annotation.common.sentences import gettext as _
from annotation.grading.models import Grade
from annotation.rounds.models import Round, RoundItem, RoundResponse
from annotation.systems.models import Item
from evalsite import errors
from evalsite.templatetags.ui import interval, score
from scoring.figures import labels
from scoring.figures.labels import Labels, ReadRound
from scoring.shown.names import Name
from scoring.shown.wording import why
from scoring.stats.claims import Claim
from scoring.stats.plain import percent
from scoring.stats.preferences.said import GradedApart, GradedPair, GradesBeside, GradesBesideFigure

PREFERENCES, FIGURE = "preferences", "beside_grades"
#: So many pairs of answers stand on the page; the CSV has all of them.
TOP = 50


class NoGrades(errors.Invalid):
    """No other round has graded these answers, or not the one that is asked for."""

    code = "bad_setting"


def grades_beside(mine: ReadRound) -> list[Round]:
    """Return the rounds in which answers of this one were graded, and which may be read, newest first."""
    if not mine.round.of_pairs:
        return []
    answers = RoundResponse.objects.filter(round_item__round=mine.round).values("response")
    given = Grade.objects.current().filter(round=OuterRef("pk"), response__in=answers)
    found = labels.readable(mine.scope).filter(of_pairs=False).exclude(pk=mine.round.pk)
    return list(found.filter(Exists(given)).order_by("-number"))


def asked(mine: ReadRound, number: str) -> tuple[Round, list[Round]]:
    """Return the round of grades that an address asks for, else the newest, and all there are.

    Raises:
        NoGrades: there is none, or not this one.
    """
    known = grades_beside(mine)
    if not known:
        said = _(
            "No other round has graded these answers. Grade some of them in a round of grades."
        )
        raise NoGrades(said)
    for one in known:
        if number in ("", str(one.number)):
            return one, known
    said = _("Round %(number)s has graded none of these answers. Choose one of: %(known)s.")
    names = ", ".join(str(one.number) for one in known)
    raise NoGrades(said % {"number": number[:20], "known": names})


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
