"""The page of a system's movement between two rounds: what can be chosen, and its rows in words.

* The desk where people say which questions and responses stayed the same: pairs with what differs.
* Tables of a movement between two rounds: the causes, and what was decided about pairs.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import combinations
from typing import Any

from django.db.models import Max
from django.utils.translation import gettext as _

from annotation.common import diffs
from annotation.common import texts as faces
from annotation.common.diffs import FieldChange
from annotation.domains.models import Capability
from annotation.grading import facts as grade_table
from annotation.people.models import Project
from annotation.rounds import sameness
from annotation.rounds.models import Round, RoundItem, RoundSystem, SamenessTag
from annotation.rounds.sameness import Sameness
from annotation.systems.models import Item, Response, System
from scoring.figures import labels as rounds
from scoring.figures import weights
from scoring.movement.causes import (
    CauseInterval,
    MovedFigure,
    MovementFigure,
)
from scoring.shown.sheet import Sheet, percent
from scoring.shown.wording import why
from scoring.stats.plain import rounded
from scoring.stats.scores.said import Causes, Share

#: Of how many rounds two are suggested.
LOOKED_AT = 6
METHODS = ("fixed_effects", "lalaeval", "shapley")
CAUSES = ("questions", "responses", "same_raters", "other_raters")


@dataclass(frozen=True, slots=True)
class ChosenMovement:
    """Two rounds and a system that took part in both."""

    before: Round
    after: Round
    system: System


@dataclass(frozen=True, slots=True)
class MovementCause:
    """A line of the table: what moved the score, in points, by each of the methods.

    `by` names it within a sentence; `exact` is what fixed effects found, not rounded.
    """

    title: str
    help: str
    by: str
    exact: float | None
    points: tuple[Decimal | None, ...]
    low: float | None
    high: float | None

    @property
    def is_sure(self) -> bool:
        """Whether its interval leaves out 0."""
        return self.low is not None and self.high is not None and not self.low <= 0 <= self.high


def choices(project: Project) -> list[Round]:
    """Return the rounds with results, newest first."""
    return list(rounds.with_results(project).filter(of_pairs=False).order_by("-number"))


def suggested(project: Project) -> tuple[Round, Round] | None:
    """Return the newest two rounds of grades that share a system and a question, the earlier one first.

    Those of closed rounds go before those of open ones, whose scores still move by themselves. Only
    the newest few are looked at.
    """
    graded = rounds.graded(project).filter(of_pairs=False)
    pairs = list(combinations(graded.order_by("-number")[:LOOKED_AT], 2))
    pairs.sort(key=lambda pair: sum(one.state == Round.State.OPEN for one in pair))
    for after, before in pairs:
        asked = RoundItem.objects.filter(round=before).values("item__prompt_sha")
        again = RoundItem.objects.filter(round=after, item__prompt_sha__in=asked)
        if systems(before, after) and again.exists():
            return before, after
    return None


def systems(before: Round, after: Round) -> list[System]:
    """Return the systems that took part in both rounds."""
    pks = [
        set(RoundSystem.objects.filter(round=one).values_list("release__system_id", flat=True))
        for one in (before, after)
    ]
    return list(System.objects.filter(pk__in=pks[0] & pks[1]))


def params(chosen: ChosenMovement) -> dict[str, Any]:
    """Return what the figure depends on besides the grades of the later round.

    What a capability weighs is as in the later round's scores, where that has it.
    """
    tags = SamenessTag.objects.filter(project_id=chosen.after.project_id)
    before, after = (weights.weights_of(one).params for one in (chosen.before, chosen.after))
    return {
        **{name: {**before[name], **after[name]} for name in after},
        "before": chosen.before.number,
        "system": chosen.system.pk,
        "ratings": faces.canonical(grade_table.version(chosen.before)).decode(),
        "tags": tags.aggregate(last=Max("pk"))["last"] or 0,
    }


class ShownMovement:
    """Reads one figure of the movement: score or accuracy, of a capability, a criterion or of all."""

    def __init__(
        self,
        movement: MovementFigure,
        which: str,
        capability: int | None = None,
        criterion: str | None = None,
    ) -> None:
        self.which = which
        self.criterion = criterion
        self.pairs = movement.pairs
        nothing = _("Nothing graded in both rounds.")
        self.figure = next(
            (
                one
                for one in movement.figures
                if (one.figure, one.capability, one.criterion) == (which, capability, criterion)
            ),
            MovedFigure(which, capability, criterion, nothing, {}, {}, ()),
        )

    @property
    def problem(self) -> str:
        known = {"Both rounds need grades.": _("Nothing graded in both rounds.")}
        said = self.figure.problem or ""
        return known.get(said, said)

    @property
    def before(self) -> Decimal:
        return points(self._fixed.before)

    @property
    def after(self) -> Decimal:
        return points(self._fixed.after)

    @property
    def change(self) -> Decimal:
        return points(self._fixed.change)

    @property
    def exact(self) -> tuple[float, float]:
        """Return both scores in points, not rounded."""
        return 100 * float(self._fixed.before), 100 * float(self._fixed.after)

    @property
    def drift(self) -> Decimal | None:
        return _points(self._fixed.drift)

    @property
    def why_together(self) -> str:
        return why(self._fixed.reason)

    @property
    def causes(self) -> list[MovementCause]:
        """Return the lines of the table; (2) and (3) in one where they cannot be told apart."""
        lines = [self._cause(name) for name in CAUSES]
        return [*lines[:3], self._cause("together"), lines[3]] if self.is_mixed else lines

    @property
    def four(self) -> list[MovementCause]:
        """Return the four causes, those that cannot be told apart without a value."""
        return [self._cause(name) for name in CAUSES]

    @property
    def known(self) -> list[MovementCause]:
        """Return the causes that have a value: they add up to the change."""
        return [one for one in self.causes if one.points[0] is not None]

    @property
    def is_mixed(self) -> bool:
        """Whether other responses and drift cannot be told apart."""
        return self._fixed.together is not None

    @property
    def own(self) -> MovementCause:
        """Return what the system itself did: other responses to the same questions."""
        return self._cause("responses")

    def ends(self, name: str = "change") -> tuple[float | None, float | None]:
        """Return the interval of the change, of a score or of a cause, in points."""
        found = self.figure.intervals.get(name)
        return (percent(found.low), percent(found.high)) if found else (None, None)

    def _cause(self, name: str) -> MovementCause:
        title, said, by = _words()[name]
        values = [getattr(self.figure.methods[method], name) for method in METHODS]
        exact = None if values[0] is None else 100 * float(values[0])
        return MovementCause(title, said, by, exact, tuple(map(_points, values)), *self.ends(name))

    @property
    def scenarios(self) -> list[dict[str, Any]]:
        kinds = {
            "replaced": _("replaced questions"),
            "changed": _("changed responses"),
            "unchanged": _("unchanged"),
        }
        who = {"common": _("by the same annotators"), "other": _("by others")}
        return [
            {
                "title": f"{kinds[one.questions]}, {who[one.raters]}",
                **{
                    name: _points(getattr(one, name))
                    for name in ("share_before", "share_after", "mean_before", "mean_after")
                },
            }
            for one in self.figure.scenarios
        ]

    @property
    def _fixed(self) -> Causes:
        return self.figure.methods["fixed_effects"]


def points(share: Share) -> Decimal:
    """Return a share in points, as tables print it."""
    return rounded(100 * Fraction(share), 1)


def _points(share: Share | None) -> Decimal | None:
    return None if share is None else points(share)


def asked(movement: MovementFigure, query: Mapping[str, str]) -> ShownMovement:
    """Return what an address asks of the figure: score or accuracy, and of what."""
    which = "accuracy" if query.get("figure") == "accuracy" else "score"
    if criterion := query.get("criterion", ""):
        return ShownMovement(movement, which, criterion=criterion)
    wanted = query.get("capability", "")
    return ShownMovement(movement, which, int(wanted) if wanted.isdecimal() else None)


@dataclass(frozen=True, slots=True)
class MovementOfCriterion:
    """How a criterion moved, for the table of all of them."""

    key: str
    title: str
    shown: ShownMovement


def by_criterion(
    movement: MovementFigure, which: str, titles: Mapping[str, str]
) -> list[MovementOfCriterion]:
    """Return the movement on every criterion that has one; none where there is a single one."""
    keys = [
        one.criterion
        for one in movement.figures
        if one.figure == which and one.criterion is not None and not one.problem
    ]
    return [
        MovementOfCriterion(one, titles.get(one, one), ShownMovement(movement, which, None, one))
        for one in keys
    ]


def capabilities(movement: MovementFigure, project: Project) -> list[Capability]:
    """Return the capabilities that a figure has."""
    keys = {one.capability for one in movement.figures}
    return list(Capability.objects.filter(project=project, pk__in=[k for k in keys if k]))


def _words() -> dict[str, tuple[str, str, str]]:
    return {
        "questions": (
            _("Other questions"),
            _("Questions of one round only."),
            _("other questions"),
        ),
        "responses": (
            _("Other responses"),
            _("Same questions, other answers."),
            _("its other responses"),
        ),
        "same_raters": (
            _("Same annotators, graded differently"),
            _("By the same people, on unchanged items."),
            _("the same annotators, grading differently"),
        ),
        "other_raters": (
            _("Other annotators"),
            _("Who came and left."),
            _("other annotators"),
        ),
        "together": (
            _("Other responses and drift together"),
            _("Not to be told apart: add anchor items."),
            _("other responses and drift together"),
        ),
    }


SIZE = 20


@dataclass(frozen=True, slots=True)
class Side:
    """Question or response of a pair: what was decided and by whom, and what changed."""

    kind: str
    left: int
    right: int
    decided: Sameness
    change: FieldChange
    likeness: int


@dataclass(frozen=True, slots=True)
class MovementLine:
    title: str
    sides: tuple[Side, ...]


@dataclass(frozen=True, slots=True)
class MovedPage:
    lines: tuple[MovementLine, ...]
    n_open: int
    n_pairs: int
    after: str


def page(chosen: ChosenMovement, *, after: str = "", everything: bool = False) -> MovedPage:
    """Return pairs whose contents differ, by question, from after `after` on.

    Args:
        chosen: the rounds and the system.
        after: the question that the page before ended with.
        everything: those that were decided as well.
    """
    moved = sameness.movement(chosen.before, chosen.after, chosen.system.pk)
    differ = [
        one
        for one in moved.pairs
        if "content" not in {one.question.by, one.response.by} or one.question.by != one.response.by
    ]
    wanted = [
        one
        for one in differ
        if one.group > after and (everything or one.question.is_open or one.response.is_open)
    ]
    shown = wanted[:SIZE]
    items = Item.objects.in_bulk([pk for one in shown for pk in (one.before, one.after)])
    responses = Response.objects.in_bulk(
        [pk for one in shown for pk in (one.response_before, one.response_after)]
    )
    lines = []
    for one in shown:
        sides = []
        if one.question.by != "content":
            texts = [_asked(items[pk]) for pk in (one.before, one.after)]
            sides.append(_side("QUESTION", one.before, one.after, one.question, texts))
        if one.response.by != "content":
            pks = (one.response_before, one.response_after)
            texts = [_answered(responses[pk]) for pk in pks]
            sides.append(_side("RESPONSE", *pks, one.response, texts))
        lines.append(MovementLine(items[one.after].question or one.group, tuple(sides)))
    last = shown[-1].group if len(wanted) > SIZE else ""
    return MovedPage(tuple(lines), moved.n_open, len(differ), last)


def _side(kind: str, left: int, right: int, decided: Sameness, texts: list[str]) -> Side:
    runs = diffs.between(texts[0], texts[1])
    same = sum(len(run.text) for run in runs if run.kind == diffs.RunFate.SAME)
    whole = sum(len(run.text) * (2 if run.kind == diffs.RunFate.SAME else 1) for run in runs)
    likeness = round(100 * 2 * same / whole) if whole else 100
    return Side(kind, left, right, decided, FieldChange(kind, runs), likeness)


def _asked(item: Item) -> str:
    return "\n\n".join([*map(faces.spoken, item.messages), item.reference])


def _answered(response: Response) -> str:
    return "\n\n".join(map(faces.spoken, response.messages))


Row = tuple[object, ...]
ENDS = ("before", "after", "change", *CAUSES, "together", "drift")


def causes(chosen: ChosenMovement, movement: MovementFigure, titles: Mapping[int, str]) -> Sheet:
    """Return the causes of the change by every method, for score and accuracy, in points.

    Args:
        chosen: the rounds and the system.
        movement: the figure.
        titles: of capabilities by key.
    """

    def rows() -> Iterator[Row]:
        who = (chosen.system.name, chosen.before.number, chosen.after.number)
        for one in movement.figures:
            title = "" if one.capability is None else titles.get(one.capability, "")
            part = (*who, one.figure, title, one.criterion or "")
            if one.problem:
                yield (*part, *[""] * 5, 0, one.problem)
            for method in METHODS if not one.problem else ():
                yield from _causes(part, one, method)

    columns = ("system", "before", "after", "figure", "capability", "criterion", "method", "cause")
    said = (
        f"points of percent; {movement.pairs.common} questions in both rounds, "
        f"{movement.pairs.same_responses} unchanged with their response; intervals resample "
        "questions and belong to fixed effects"
    )
    return Sheet("movement", (*columns, "points", "low", "high", "questions", "why"), rows(), said)


def _causes(who: Row, figure: MovedFigure, method: str) -> Iterator[Row]:
    none = CauseInterval(None, None, None, None)
    for cause in ENDS:
        value = getattr(figure.methods[method], cause)
        if value is None:
            continue
        found = figure.intervals.get(cause, none) if method == METHODS[0] else none
        points_of = (percent(float(value)), percent(found.low), percent(found.high))
        yield (*who, method, cause, *points_of, found.n_clusters, why(found.reason))


def tags(chosen: ChosenMovement) -> Sheet:
    """Return every pair of both rounds with what it counts as, and who said so."""
    moved = sameness.movement(chosen.before, chosen.after, chosen.system.pk)
    rows = (
        (pair.group, *_decided(pair.question), *_decided(pair.response)) for pair in moved.pairs
    )
    columns = ("question_same", "question_by", "question_open")
    answers = ("response_same", "response_by", "response_open")
    said = (
        "by: content is equal, tag of a person, word of the author; what is open counts as changed"
    )
    return Sheet("tags", ("question", *columns, *answers), rows, said)


def _decided(one: Sameness) -> Row:
    return one.same, one.by, one.is_open
