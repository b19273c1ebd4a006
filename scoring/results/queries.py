"""The result of a round as its page shows it: its figure, with names put in."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any

from django.db.models import Exists, OuterRef
from django.utils.translation import gettext_lazy

from annotation.common.sentences import gettext as _
from annotation.domains.models import Capability
from annotation.grading.models import Grade
from annotation.people import queries as settings
from annotation.rounds.models import Round, RoundResponse
from evalsite import errors
from scoring.figures import cells
from scoring.figures import labels as branches
from scoring.figures import weights as weighing
from scoring.figures.cells import (
    CellPart,
    Count,
    HeadlineLine,
    Notes,
    RankRange,
    ScoreCell,
    ScoreGap,
    Widest,
)
from scoring.figures.labels import ReadRound, criteria_names
from scoring.figures.weights import ChosenWeights
from scoring.shown.names import Name
from scoring.shown.wording import why
from scoring.stats.claims import (
    MARGIN,
    Claim,
    ClaimDifference,
    ClaimEstimate,
    ClaimScore,
    CoverageRow,
    LabelsFigure,
    PieceFigure,
    ScoresFigure,
)
from scoring.stats.plain import percent

FIGURE, PREFERENCES, BESIDE_GRADES = "scores", "preferences", "beside_grades"
#: What systems are ranked by unless somebody asks for accuracy, or for one criterion alone.
SCORE = "score"
OVERALL = "overall"
#: How a score is made of marks, by what the address calls it; the first is usual.
WAYS = {
    "": gettext_lazy("marks above the lowest, over all grades"),
    "printed": gettext_lazy("ΣAS / ΣTS over all grades, as printed in LalaEval"),
    "questions": gettext_lazy("mean over questions of their ratio"),
}


def params(
    round_: Round,
    weights: ChosenWeights | None = None,
    selection: Mapping[str, Any] | None = None,
    margin: float | None = None,
    way: str = "",
) -> dict[str, Any]:
    """Return what the figure of a round depends on besides its grades.

    Args:
        round_: whose figure.
        weights: others than the stored ones.
        selection: which grades, as `selection.Selection.params` says it; nothing for the usual.
        margin: how far apart two systems are still called equal, as a share; the project's if not said.
        way: how a score is made of marks, one of `WAYS`.
    """
    margin = usual_margin(round_) if margin is None else margin
    used = weights or weighing.weights_of(round_)
    made = {
        **used.params,
        "groups": {kind: list(pks) for kind, pks in used.tree.kinds.items()},
    }
    if margin != MARGIN:
        made["margin"] = margin
    if way:
        made["way"] = way
    return {**made, "selection": dict(selection)} if selection else made


def usual_margin(round_: Round) -> float:
    """Return how far apart the project still calls two systems equal, as a share."""
    return settings.verdicts_of(round_.project).within / 100


def capabilities(round_: Round) -> list[Capability]:
    """Return what the items of a round are about, in the order of the tree."""
    tree = branches.capabilities(round_)
    return [tree.by_key[pk] for pk in tree.order]


@dataclass(frozen=True, slots=True)
class ResultPart:
    """A capability, a criterion or an area by itself: its cells by release, and the pair on top."""

    by: str
    key: Any
    cells: Mapping[int, ScoreCell]
    lead: ScoreGap | None


@dataclass(frozen=True, slots=True)
class Shares:
    """A label of a criterion: its share by release, and all pairs."""

    title: str
    cells: Mapping[int, ScoreCell]
    gaps: tuple[ScoreGap, ...]


class RoundResult:
    """Reads the figure of a round for its page; `names` decides what the releases are called."""

    def __init__(
        self,
        figure: ScoresFigure,
        names: Mapping[int, Name],
        parts: Sequence[Capability],
        criteria: Mapping[str, str],
        weights: Mapping[str, Fraction] | None = None,
        *,
        places: Sequence[int] | None = None,
        claim: Claim = Claim.OTHERS,
        view: str = SCORE,
    ) -> None:
        self.data = figure
        self.shown = figure.views.get(view, figure.usual)
        self.figure, _slash, self.criterion = view.partition("/")
        self.claim = min(claim, figure.claim, key=list(Claim).index)
        order = self.shown.releases
        self.names = [names[pk] for pk in order if pk in names]
        self.names += [name for pk, name in names.items() if pk not in order]
        self._titles = {str(one.pk): one.name for one in parts}
        stored = {str(one.pk): Fraction(one.weight) for one in parts}
        self._weights = stored if weights is None else weights
        self.places = {pk: n for n, pk in enumerate(places or names, start=1)}
        self.headline_notes, self.gap_notes = Notes(), Notes()
        self._order = {one.pk: place for place, one in enumerate(parts)}
        self._kinds = {one.pk: one.kind for one in parts}
        self._criteria = criteria
        self._rows: Mapping[tuple[object, ...], ClaimScore] = {
            (row.figure, row.level, row.release, row.group or row.capability, row.criterion): row
            for row in self.shown.scores
        }

    @property
    def is_empty(self) -> bool:
        """Whether nothing has a score: labels have none."""
        return not any(row.n_grades for row in self.data.usual.scores)

    def by_claim(self, row: ClaimScore | ClaimDifference) -> ClaimEstimate:
        """Return what is claimed of a figure: for other annotators too, or for these."""
        return row.others if self.claim is Claim.OTHERS else row.these

    def title(self, capability: object) -> str:
        """Return the name of a capability by its key; those that have gone, by what is left."""
        if capability is None or capability == "None":
            return _("Without a capability")
        return self._titles.get(str(capability), _("Removed capability"))

    def criterion_title(self, key: str) -> str:
        return self._criteria.get(key, key)

    @cached_property
    def capabilities(self) -> list[int | None]:
        """Return the keys of the capabilities that were graded, in the order of the project."""
        known = self.data.capabilities
        return sorted(known, key=lambda pk: (pk is None, self._order.get(pk or 0, 0)))

    @cached_property
    def groups(self) -> list[str]:
        found = (row.group for row in self.shown.scores if row.level == "group")
        return list(dict.fromkeys(filter(None, found)))

    @cached_property
    def headline(self) -> list[HeadlineLine]:
        return [self._line(name) for name in self.names]

    def _line(self, name: Name) -> HeadlineLine:
        notes = self.headline_notes
        made = [self._cell("accuracy", "overall", name.release, OVERALL, notes=notes)]
        made += [
            self._cell("score", "group", name.release, group, notes=notes) for group in self.groups
        ]
        overall = self._cell(self.figure, "overall", name.release, OVERALL, notes=notes)
        standing = self.standing(name, self.claim)
        return HeadlineLine(name, tuple(made), overall, self.better_than(name), standing)

    def better_than(self, name: Name) -> tuple[Name, ...]:
        """Return the releases that one is above beyond doubt, by the claim that is shown."""
        above = [gap for gap in self.gaps if gap.is_clear]
        better = [gap.right for gap in above if gap.left == name and (gap.value or 0) > 0]
        return (*better, *(gap.left for gap in above if gap.right == name and (gap.value or 0) < 0))

    def standing(self, name: Name, claim: Claim) -> RankRange:
        """Return between which ranks a release lies by a claim."""
        for row in self.shown.ranks[claim].ranks:
            if row.release == name.release:
                return RankRange(row.low, row.high)
        return RankRange(None, None)

    @property
    def pieces(self) -> list[ResultPart]:
        """Return the parts of what is ranked here, one by one: capabilities, criteria, areas."""
        return [
            ResultPart(row.by, row.key, self._scored(row), self._lead(row))
            for row in self.data.pieces
            if row.criterion == self.criterion
        ]

    def _scored(self, row: PieceFigure) -> dict[int, ScoreCell]:
        return {
            one.release: cells.cell(one, self.by_claim(one), notes=Notes())
            for one in row.figures[self.figure].scores
        }

    def _lead(self, row: PieceFigure) -> ScoreGap | None:
        pair = row.figures[self.figure].lead
        return self._gap(pair, Notes()) if pair and self.has_names(pair) else None

    def shares(self, found: LabelsFigure) -> list[Shares]:
        """Return the labels of a criterion as they are read."""
        return [
            Shares(
                one.name or _("None of these"),
                {
                    row.release: cells.cell(row, self.by_claim(row), notes=Notes())
                    for row in one.scores
                },
                tuple(self._gap(row, Notes()) for row in one.differences if self.has_names(row)),
            )
            for one in found.labels
        ]

    @cached_property
    def _by_key(self) -> dict[int, Name]:
        return {name.release: name for name in self.names}

    def has_names(self, pair: ClaimDifference) -> bool:
        """Whether both systems of a difference have a name here."""
        return {pair.left, pair.right} <= self._by_key.keys()

    @property
    def not_separable(self) -> list[list[Name]]:
        """Return the groups of two or more releases of which no two differ beyond doubt."""
        groups = [
            [self._by_key[key] for key in group if key in self._by_key]
            for group in self.shown.ranks[self.claim].groups
        ]
        return [group for group in groups if len(group) > 1]

    def parts(self, figure: str, *, criteria: bool, notes: Notes | None = None) -> list[CellPart]:
        """Return a line for each capability and, if asked for, its criteria; overall comes first."""
        notes = notes or Notes()
        lines = [self._part(figure, "overall", OVERALL, _("Overall"), "", notes)]
        for capability in self.capabilities:
            title = self.title(capability)
            lines.append(self._part(figure, "capability", capability, title, "", notes))
            if criteria:
                lines += self._criteria_of(figure, capability, title, notes)
        return lines

    def _criteria_of(
        self, figure: str, capability: int | None, title: str, notes: Notes
    ) -> list[CellPart]:
        keys = {
            str(row.criterion): None
            for row in self.shown.scores
            if (row.figure, row.level, row.capability) == (figure, "criterion", capability)
        }
        if len(keys) < 2:
            return []
        return [
            self._part(
                figure, "criterion", capability, self._criteria.get(key, key), title, notes, key
            )
            for key in keys
        ]

    def _part(
        self,
        figure: str,
        level: str,
        of: object,
        title: str,
        below: str,
        notes: Notes,
        criterion: object = None,
    ) -> CellPart:
        made = [
            self._cell(figure, level, name.release, of, criterion, notes=notes)
            for name in self.names
        ]
        return CellPart(title, below, tuple(made))

    def _cell(
        self,
        figure: str,
        level: str,
        release: int,
        of: object,
        criterion: object = None,
        *,
        notes: Notes,
    ) -> ScoreCell:
        row = self._rows.get((figure, level, release, of, criterion))
        at: dict[str, object] = {"release": self.places[release], "node": _node(level, of)}
        if criterion is not None or self.criterion:
            at["criterion"] = criterion or self.criterion
        if row is None:
            without = self.data.reason or cells.NO_GRADES
            return cells.cell(None, None, notes=notes, at=at, without=without)
        covered = {} if "criterion" in at else self.covered(row)
        shown, missing = self.by_claim(row), tuple(self.missing(row))
        return cells.cell(row, shown, notes=notes, at=at, missing=missing, **covered)

    def covered(self, score: ClaimScore) -> dict[str, Any]:
        """Return how many grades a figure wanted, and how many there are."""
        mine = [row for row in self.data.coverage.rows if row.release == score.release]
        if score.level == "group":
            mine = [row for row in mine if self._kinds.get(row.capability) == score.group]
        elif score.level == "capability":
            mine = [row for row in mine if row.capability == score.capability]
        planned = bool(mine) and mine[0].wanted is not None
        return {
            "wanted": sum(row.wanted or 0 for row in mine) if planned else None,
            "came": sum(row.given + row.cannot_grade for row in mine),
        }

    def missing(self, row: ClaimScore) -> list[str]:
        """Return what a partial figure leaves out, by name."""
        return self.named(row.missing) if row.partial else []

    def named(self, missing: Sequence[str]) -> list[str]:
        """Return the parts that something leaves out, by name."""
        found = []
        for name in missing:
            capability, _slash, criterion = name.partition(" / ")
            title = self.title(capability)
            known = self._criteria.get(criterion, criterion)
            found.append(f"{title}, {known}" if criterion else title)
        return found

    @cached_property
    def gaps(self) -> list[ScoreGap]:
        return [self._gap(row, self.gap_notes) for row in self.differences]

    @property
    def differences(self) -> list[ClaimDifference]:
        """Return the pairs of releases that have names."""
        return [row for row in self.shown.differences if self.has_names(row)]

    def _gap(self, row: ClaimDifference, notes: Notes) -> ScoreGap:
        by_claim = self.by_claim(row)
        reason, p = why(row.reason or by_claim.interval_reason), by_claim.p_holm
        return ScoreGap(
            self._by_key[row.left],
            self._by_key[row.right],
            cells.points(row.value),
            *cells.ends(by_claim),
            row.n_questions,
            row.n_either,
            reason,
            p,
            is_clear=p is not None and p < 1 - self.data.level,
            certainty=row.certainty,
            note=notes.number(reason),
            n_raters=row.n_raters,
            n_pairs=row.n_pairs,
            n_left_out=row.n_left_out,
            missing=tuple(self.named(row.missing)),
            these=cells.ends(row.these),
        )

    @property
    def margin(self) -> float:
        """Return how many points two systems may lie apart and still be called equal."""
        return 100 * self.data.margin

    @property
    def few_shared(self) -> list[ScoreGap]:
        """Return the pairs that fewer than half of their questions are common to."""
        return [gap for gap in self.gaps if gap.shares_few]

    @property
    def is_uneven(self) -> bool:
        """Whether some systems were graded on what others were not, so that differences leave it out."""
        return any(row.n_left_out for row in self.shown.differences)

    @property
    def widest(self) -> Widest | None:
        """Return the largest difference in a capability, on what both were graded on."""
        row = self.data.widest
        if row is None or row.value is None or not self.has_names(row):
            return None
        high, low = self._by_key[row.left], self._by_key[row.right]
        return Widest(self.title(row.capability), high, low, percent(row.value))

    @cached_property
    def coverage(self) -> list[Count]:
        """Return a line for each capability, summed over its releases; all of them come last."""
        by_part: dict[object, list[CoverageRow]] = {}
        for row in self.data.coverage.rows:
            by_part.setdefault(row.capability, []).append(row)
        place = {pk: n for n, pk in enumerate(self.capabilities)}
        lines = [
            _count(self.title(part), rows)
            for part, rows in sorted(by_part.items(), key=lambda pair: place.get(pair[0], -1))  # type: ignore[call-overload]
        ]
        return [*lines, _count(_("All"), [self.data.coverage.total])]

    @property
    def method_of_scores(self) -> str:
        return self.data.methods.get("score.overall", "")

    @property
    def method_of_accuracy(self) -> str:
        return self.data.methods.get("accuracy.overall", "")

    @property
    def weights(self) -> list[tuple[str, str]]:
        """Return the weights that were used, those of groups in them, by capability."""
        return [
            (self.title(pk), weighing.written(Fraction(self._weights.get(_key(pk), Decimal(1)))))
            for pk in self.capabilities
        ]


def result_of(
    round_: Round,
    figure: ScoresFigure,
    names: Mapping[int, Name],
    weights: Mapping[str, Fraction] | None = None,
) -> RoundResult:
    """Return the result of a round from its figure; `weights` are those it was computed with."""
    return RoundResult(figure, names, capabilities(round_), criteria_names(round_), weights)


def _key(capability: int | None) -> str:
    return branches.NONE if capability is None else str(capability)


def _node(level: str, of: object) -> str:
    """Return how an address names the part of a cell."""
    if level == "overall":
        return branches.ALL
    return f"g-{of}" if level == "group" else f"c-{branches.NONE if of is None else of}"


def _count(title: str, rows: Sequence[CoverageRow]) -> Count:
    def added(name: str) -> int:
        return sum(getattr(row, name) or 0 for row in rows)

    planned = rows[0].wanted is not None
    return Count(
        title,
        added("wanted") if planned else None,
        added("given"),
        added("cannot_grade"),
        added("late"),
        added("invalid"),
        added("missing") if planned else None,
    )


class NoGrades(errors.Invalid):
    """No other round has graded these answers, or not the one that is asked for."""

    code = "bad_setting"


class NamesApart(errors.NotAllowed):
    """The reader has the names of this round shown, not those of the round of grades."""

    code = "names_hidden"

    def __init__(self, hidden: Round) -> None:
        said = _("The names of round %(number)s are hidden from you. Show them there first.")
        super().__init__(said % {"number": hidden.number})
        self.hidden = hidden


def grades_beside(mine: ReadRound) -> list[Round]:
    """Return the rounds in which answers of this one were graded, and which may be read, newest first."""
    if not mine.round.of_pairs:
        return []
    answers = RoundResponse.objects.filter(round_item__round=mine.round).values("response")
    given = Grade.objects.current().filter(round=OuterRef("pk"), response__in=answers)
    found = branches.readable(mine.scope).filter(of_pairs=False).exclude(pk=mine.round.pk)
    return list(found.filter(Exists(given)).order_by("-number"))


def round_beside(mine: ReadRound, number: str) -> tuple[Round, list[Round]]:
    """Return the round of grades that an address asks for, else the newest, and all there are.

    Where names are shown they would be of both rounds, so they must have been shown in both.

    Raises:
        NoGrades: there is none, or not this one.
        NamesApart: it hides the names that would be told.
    """
    known = grades_beside(mine)
    if not known:
        said = _(
            "No other round has graded these answers. Grade some of them in a round of grades."
        )
        raise NoGrades(said)
    asked = [one for one in known if number in ("", str(one.number))]
    for one in asked:
        if not mine.shown or ReadRound(mine.scope, one).shown:
            return one, known
    if asked:
        raise NamesApart(asked[0])
    said = _("Round %(number)s has graded none of these answers. Choose one of: %(known)s.")
    names = ", ".join(str(one.number) for one in known)
    raise NoGrades(said % {"number": number[:20], "known": names})
