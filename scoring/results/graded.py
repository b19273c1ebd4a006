"""The grades behind a cell of the scores: items, with what was given to each system and why."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet

from annotation.common.sentences import gettext as _
from annotation.grading import facts as grade_table
from annotation.grading.facts import GradeRow, SeatFacts
from annotation.grading.models import Grade
from annotation.people.models import Rater
from annotation.rounds.models import Round, RoundItem, RoundResponse
from annotation.rubrics.models import Criterion
from evalsite import errors
from evalsite.web import keyset
from scoring.figures.labels import ALL, NONE, Labels
from scoring.results import disputes
from scoring.results.asked import Cut
from scoring.shown.names import Name
from scoring.shown.sheet import number

#: So many items stand on a page, and fewer where so many answers are exceeded.
ITEMS, ANSWERS = 20, 24
#: What an address says of a cell: at_node, at_criterion, at_difficulty, at_domain, at_release.
AT = ("node", "criterion", "difficulty", "domain", "release")
PREFIX = "at_"
ADJUDICATED = Grade.Kind.ADJUDICATED
#: Stands in the place of a seat for a grade that a reviewer wrote.
SETTLED = SeatFacts(purpose="NORMAL", occasion=1, inclusion_p=None)


class BadCell(errors.Invalid):
    """The address names a cell that this round does not have."""


@dataclass(frozen=True)
class GradedCell:
    """A cell of the tables: part, difficulty, area, criterion and releases within a cut."""

    cut: Cut
    at: Mapping[str, str]
    criterion: str
    names: Mapping[int, Name]

    @property
    def words(self) -> list[str]:
        """Return where the cell stands, in words."""
        ground = self.cut.selection.ground
        node = self.at.get("node", ALL)
        made = [one.title for one in ground.capabilities.branches if one.key == node]
        if self.criterion:
            made.append(self.cut.labels.criterion(self.criterion))
        for facet in ("difficulty", "domain"):
            if key := self.at.get(facet):
                made += [one.title for one in ground.choices(facet) if one.key == key]
        return made

    @property
    def pairs(self) -> list[tuple[str, str]]:
        return [(f"{PREFIX}{name}", value) for name, value in self.at.items()]


@dataclass(frozen=True, slots=True)
class GivenGrade:
    """A grade, or why somebody could not grade."""

    annotator: str
    person: str
    criterion: str
    mark: str
    top: str
    reason: str
    comment: str
    evidence: tuple[str, ...]
    at: datetime | None
    seconds: int | None


@dataclass(frozen=True, slots=True)
class GradedAnswer:
    """A system on an item, or two of which people chose: the grades and how many were wanted."""

    name: Name
    grades: tuple[GivenGrade, ...]
    n_wanted: int | None
    against: Name | None = None

    @property
    def other(self) -> str:
        return self.against.text if self.against else ""

    @property
    def n_missing(self) -> int:
        return max(0, (self.n_wanted or 0) - len(self.grades))


@dataclass(frozen=True, slots=True)
class GradedItem:
    """An item with its answers."""

    place: RoundItem
    question: str
    capability: str
    difficulty: str
    domain: str
    answers: tuple[GradedAnswer, ...]

    @property
    def is_ungraded(self) -> bool:
        """Whether no grade of any answer counts."""
        return not any(answer.grades for answer in self.answers)

    @property
    def is_divided(self) -> bool:
        """Whether the grades of an answer on a criterion differ."""
        marks = [{(one.criterion, one.mark) for one in answer.grades} for answer in self.answers]
        return any(len(some) > len({criterion for criterion, _mark in some}) for some in marks)


def cell(cut: Cut, query: Mapping[str, Sequence[str]]) -> GradedCell:
    """Return the cell that an address names, within a cut.

    Raises:
        BadCell: there is no such part, difficulty, area, system or criterion in this round.
    """
    at = {name: query[f"{PREFIX}{name}"][-1] for name in AT if query.get(f"{PREFIX}{name}")}
    ground = cut.selection.ground
    tree = ground.capabilities
    node = at.get("node", ALL)
    problems = [] if node in {one.key for one in tree.branches} else ["node"]
    problems += [
        facet
        for facet in ("difficulty", "domain")
        if facet in at and at[facet] not in {one.key for one in ground.choices(facet)}
    ]
    places = ground.places()
    if "release" in at and at["release"] not in places:
        problems.append("release")
    criterion = at.get("criterion", "")
    if criterion and criterion not in cut.labels.criteria:
        problems.append("criterion")
    if problems:
        said = _(
            "This round has no such cell: %(names)s. Go back to the scores and open one there."
        )
        fields = {PREFIX + name: [_("unknown")] for name in problems}
        raise BadCell(said % {"names": ", ".join(problems)}, fields=fields)
    names = cut.names
    if "release" in at:
        names = {pk: name for pk, name in names.items() if pk == places[at["release"]]}
    return GradedCell(cut, at, criterion, names)


def items(cell_: GradedCell) -> "QuerySet[RoundItem]":
    """Return the places of the round whose grades the cell counts, graded or not yet."""
    rows = cell_.cut.selection.items()
    members = _members(cell_)
    known = Q(item__capability__in=members - {None})
    rows = rows.filter(known | Q(item__capability__isnull=True) if None in members else known)
    if difficulty := cell_.at.get("difficulty"):
        rows = rows.filter(item__difficulty="" if difficulty == NONE else difficulty)
    if domain := cell_.at.get("domain"):
        areas = cell_.cut.selection.ground.domains
        inside = Q(item__domain__in=() if domain == NONE else areas.below(int(domain)))
        rows = rows.filter(Q(item__domain__isnull=True) if domain == NONE else inside)
    if cell_.criterion:
        rows = rows.filter(rubric_version__criteria__key=cell_.criterion)
    if cell_.cut.selection.ground.round.of_pairs:
        sides = RoundResponse.objects.filter(round_item=OuterRef("pk"))
        rows = rows.filter(Exists(sides.filter(release__in=cell_.names)))
        rows = rows.exclude(Exists(sides.exclude(release__in=cell_.cut.names)))
    return rows


def _members(cell_: GradedCell) -> set[int | None]:
    """Return the capabilities that a cell counts; in a mean of several, those that weigh."""
    used = cell_.cut.weights
    node = cell_.at.get("node", ALL)
    if cell_.cut.selection.ground.round.of_pairs and node == ALL:
        return {None, *used.tree.order}
    if node.startswith("c-"):
        key = node.removeprefix("c-")
        return {None if key == NONE else int(key)}
    known: set[int | None] = {
        None if key == NONE else int(key) for key, weight in used.effective.items() if weight
    }
    return known if node == ALL else known & set(used.tree.groups[node])


def page(cell_: GradedCell, *, after: str = "") -> keyset.Page[RoundItem]:
    rows = items(cell_).select_related("item__capability", "item__domain")
    size = min(max(ANSWERS // max(len(cell_.names), 1), 1), ITEMS)
    return keyset.page(rows, by=("ordinal",), after=after, size=size)


def lines(cell_: GradedCell, places: Sequence[RoundItem], *, with_people: bool) -> list[GradedItem]:
    """Return the items of a page with all grades that the cell counts.

    Args:
        cell_: whose grades.
        places: the items of the page.
        with_people: whether the reader may know who an annotator is.
    """
    round_ = cell_.cut.selection.ground.round
    keys = [place.item_id for place in places]
    given = _given(cell_, keys, with_people=with_people)
    answered = set(
        RoundResponse.objects.filter(round_item__in=places).values_list("round_item", "release")
    )
    wanted = _wanted(cell_, places) if round_.kind != round_.Kind.IMPORTED else {}
    made = []
    for place in places:
        item = place.item
        if round_.of_pairs:
            sides = [name for pk, name in cell_.cut.names.items() if (place.pk, pk) in answered]
            choices, n = tuple(given.get((place.pk, None), ())), wanted.get(place.pk)
            answers: tuple[GradedAnswer, ...] = (GradedAnswer(sides[0], choices, n, sides[-1]),)
        else:
            answers = tuple(
                GradedAnswer(name, tuple(given.get((place.pk, pk), ())), wanted.get(place.pk))
                for pk, name in cell_.names.items()
                if (place.pk, pk) in answered
            )
        made.append(
            GradedItem(
                place,
                item.question,
                item.capability.name if item.capability else "",
                str(item.get_difficulty_display()) if item.difficulty else "",
                item.domain.name if item.domain else "",
                answers,
            )
        )
    return made


def counted(cell_: GradedCell, items_: Iterable[int]) -> Iterator[GradeRow]:
    """Yield the grades on these items that the cell counts."""
    selection, weights = cell_.cut.selection, cell_.cut.weights.of_criteria
    known = grade_table.facts([selection.ground.round], items=list(items_))
    raters = set(selection.raters)
    purposes = selection.chosen.get("purpose")
    for found in grade_table.rows_on(known, list(items_)):
        row = _as_reviewed(found, selection.review)
        if (
            row.counts_for(purposes)
            and _is_in(cell_, row)
            and (not raters or row.rater.pk in raters or found.grade_kind == ADJUDICATED)
            and _is_counted(cell_, row, weights)
        ):
            yield row


def _is_in(cell_: GradedCell, row: GradeRow) -> bool:
    """Whether the answer is one of the cell's; of two, one must be, and both must be looked at."""
    if row.against is None:
        return row.release.pk in cell_.names
    sides = {row.release.pk, row.against.pk}
    return bool(sides & cell_.names.keys()) and sides <= cell_.cut.names.keys()


def _as_reviewed(row: GradeRow, review: Sequence[str]) -> GradeRow:
    """Return a grade as the filter of the review wants it: what reviewers wrote counts as given."""
    if row.grade_kind == ADJUDICATED and "adjudicated" in review:
        return row._replace(grade_kind=Grade.Kind.GIVEN, seat=SETTLED)
    if row.grade_kind == Grade.Kind.GIVEN and "struck" in review:
        return row._replace(valid=True)
    return row


def _is_counted(cell_: GradedCell, row: GradeRow, weights: Mapping[str, Fraction]) -> bool:
    """Whether the cell's criteria hold this one; in a mean of several, it must weigh."""
    if cell_.criterion:
        return row.criterion.key == cell_.criterion
    if row.against:  # choices are in no mean
        return True
    capability = NONE if row.item.capability_id is None else str(row.item.capability_id)
    return weights.get(f"{capability}.{row.criterion.key}", 1) != 0


def _given(
    cell_: GradedCell, keys: Sequence[int], *, with_people: bool
) -> dict[tuple[int, int | None], list[GivenGrade]]:
    round_ = cell_.cut.selection.ground.round
    evidence = disputes.evidence(round_, keys)
    known = people(cell_.cut) if with_people else {}
    labels = cell_.cut.labels
    places = _places(round_, keys)
    found: dict[tuple[int, int | None], list[GivenGrade]] = {}
    for row in counted(cell_, keys):
        sides = frozenset((row.release.pk, row.against.pk)) if row.against else None
        place = places.get((row.item.pk, row.seat.occasion, sides))
        if place is None:
            continue
        found.setdefault((place, None if row.against else row.release.pk), []).append(
            GivenGrade(
                annotator(row, labels),
                known.get(row.rater.pk, ""),
                row.criterion.name,
                _mark(row, cell_.cut.selection.ground.names),
                "" if row.against else number(row.criterion.scale_max),
                row.reason,
                row.comment,
                tuple(evidence.get((row.response_id, row.rater.pk), ())),
                row.at,
                None if row.active_ms is None else round(row.active_ms / 1000),
            )
        )
    for grades in found.values():
        grades.sort(key=lambda one: (one.criterion, one.annotator))
    return found


def _places(
    round_: Round, items_: Sequence[int]
) -> dict[tuple[int, int, frozenset[int] | None], int]:
    """Return the places of items by occasion; those of pairs also by the releases that meet there."""
    rows = RoundItem.objects.filter(round=round_, item__in=items_)
    if not round_.of_pairs:
        known = rows.values_list("item_id", "occasion", "pk")
        return {(item, occasion, None): pk for item, occasion, pk in known}
    sides: dict[tuple[int, int, int], set[int]] = {}
    for *at, release in rows.values_list("item_id", "occasion", "pk", "responses__release_id"):
        item, occasion, pk = at
        sides.setdefault((item, occasion, pk), set()).add(release)
    return {(item, occasion, frozenset(of)): pk for (item, occasion, pk), of in sides.items()}


def _mark(row: GradeRow, names: Mapping[int, Name]) -> str:
    if row.against:
        return disputes.chose(row, names)
    return _("cannot grade") if row.value is None else number(row.value)


def annotator(row: GradeRow, labels: Labels) -> str:
    """Return who gave a grade: an annotator by number, or that reviewers settled it."""
    return _("Adjudicated") if row.seat is SETTLED else labels.rater(row.rater.pk)


def people(cut: Cut) -> dict[int, str]:
    """Return who the annotators are, for readers who may know."""
    project = cut.selection.ground.round.project_id
    rows = Rater.objects.filter(project_id=project, user__isnull=False)
    return dict(rows.values_list("pk", "user__username"))


def _wanted(cell_: GradedCell, places: Sequence[RoundItem]) -> dict[int, int]:
    """Return how many marks an answer on each place was to get; nothing for chosen annotators."""
    if cell_.cut.selection.raters:
        return {}
    rows: Any = Criterion.objects.filter(
        rubric_version__in={place.rubric_version_id for place in places}
    )
    if cell_.criterion:
        rows = rows.filter(key=cell_.criterion)
    n: dict[int, int] = {}
    for version in rows.values_list("rubric_version_id", flat=True):
        n[version] = n.get(version, 0) + 1
    return {place.pk: place.n_seats * n.get(place.rubric_version_id or 0, 0) for place in places}
