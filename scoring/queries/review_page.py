"""A question on the review desk: its responses under letters, all grades side by side, what was decided."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.http import Http404
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from annotation.models import (
    Assignment,
    Criterion,
    Display,
    Grade,
    Item,
    Remark,
    Response,
    Round,
    RoundItem,
    RoundResponse,
)
from annotation.queries import grade_table, reviews
from annotation.queries.grade_table import GradeRow
from annotation.rules import display, faces, scales, seeds, tokens
from evalsite import markdown
from scoring.queries import disputes
from scoring.queries import labels as of_labels
from scoring.queries.labels import Labels
from scoring.queries.reading import Reading


@dataclass(frozen=True, slots=True)
class Mark:
    """A grade that was given. `seat` can be handed back; 0 where it cannot."""

    pk: int
    person: str
    mark: str
    comment: str
    evidence: tuple[str, ...]
    seconds: int | None
    at: datetime | None
    alone: bool
    valid: bool
    seat: int


@dataclass(frozen=True, slots=True)
class Part:
    """A response on one criterion."""

    criterion: Criterion
    levels: tuple[tuple[str, str], ...]
    marks: tuple[Mark, ...]
    settled: str

    @property
    def is_divided(self) -> bool:
        return len({one.mark for one in self.marks if one.valid}) > 1


@dataclass(frozen=True, slots=True)
class Answer:
    letter: str
    response: Response
    html: SafeString
    parts: tuple[Part, ...]


@dataclass(frozen=True)
class Page:
    place: RoundItem
    face: Mapping[str, Any]
    answers: list[Answer]
    decisions: list[reviews.Line]
    flags: list[Remark] = field(default_factory=list)

    @property
    def item(self) -> Item:
        return self.place.item

    @property
    def number(self) -> int:
        return self.place.ordinal + 1


def allowed(mine: Reading, number: int) -> Page:
    """Return the page of a question for whoever reads it; people are hidden as the project says.

    Raises:
        Http404: the round has no such question.
    """
    found = place_of(mine.round, number)
    if found is None:
        raise Http404
    found.round = mine.round
    hide = reviews.rule_of(mine.scope.project).hide_people
    return page(mine.round, found, of_labels.of(mine.round), hide_people=hide)


def place_of(round_: Round, number: int) -> RoundItem | None:
    """Return the place of a round at this number, counted from 1; a repeat has no page of its own."""
    rows = RoundItem.objects.filter(round=round_, ordinal=number - 1)
    found = rows.select_related("item__capability", "item__question_version__question").first()
    if found is None or found.occasion == 1:
        return found
    return RoundItem.objects.select_related("item__capability").get(
        round=round_, item=found.item_id, occasion=1
    )


def page(round_: Round, place: RoundItem, labels: Labels, *, hide_people: bool) -> Page:
    """Return a question with everything a reviewer decides by, and nothing that names a system."""
    rows = [row for row in _grades(round_, place) if not row.late]
    marked = disputes.evidence(round_, [place.item_id])
    people = _people(round_, place, rows, labels, hide=hide_people)
    seats = _seats(place)
    criteria = list(
        Criterion.objects.filter(rubric_version=place.rubric_version_id)
        .order_by("position", "pk")
        .prefetch_related("levels")
    )
    answers = [
        Answer(
            letter,
            one.response,
            _html(one),
            tuple(_part(one, criterion, rows, people, marked, seats) for criterion in criteria),
        )
        for letter, one in zip(tokens.LETTERS, _in_order(round_, place), strict=False)
    ]
    return Page(
        place,
        _safe_face(place.face or _plain_face(place.item)),
        answers,
        reviews.lines(reviews.of(round_).filter(item=place.item_id)),
        list(
            Remark.objects.flags()
            .filter(slot__assignment__round=round_, slot__assignment__round_item__item=place.item)
            .order_by("pk")
            .prefetch_related("answers")
        ),
    )


def _in_order(round_: Round, place: RoundItem) -> list[RoundResponse]:
    """Return the responses by a lot of the desk's own: a letter here is no position of a seat."""
    rows = RoundResponse.objects.filter(round_item=place).select_related("response", "display")
    seed = f"{round_.seed} review {place.item.content_sha}"
    return sorted(rows, key=lambda one: seeds.rank_key(seed, one.response.content_sha))


def _grades(round_: Round, place: RoundItem) -> list[GradeRow]:
    known = grade_table.facts([round_], items=[place.item_id])
    rows = grade_table.rows_on(known, [place.item_id])
    return [row for row in rows if row.seat.occasion == 1]


def _people(
    round_: Round, place: RoundItem, rows: Sequence[GradeRow], labels: Labels, *, hide: bool
) -> dict[int, str]:
    """Return what the annotators are called: by their number, or by one of this question alone."""
    keys = {row.rater.pk for row in rows if row.grade_kind == Grade.Kind.GIVEN}
    if not hide:
        return {key: labels.rater(key) for key in keys}
    seed = f"{round_.seed} people {place.item.content_sha}"
    order = sorted(keys, key=lambda key: seeds.rank_key(seed, str(key)))
    return {key: _("Person %(number)d") % {"number": n} for n, key in enumerate(order, start=1)}


def _seats(place: RoundItem) -> dict[int, int]:
    """Return the seat of each rater whose grades are submitted."""
    rows = Assignment.objects.filter(round_item=place, state=Assignment.State.SUBMITTED)
    return dict(rows.values_list("rater_id", "pk"))


def _part(
    of: RoundResponse,
    criterion: Criterion,
    rows: Sequence[GradeRow],
    people: Mapping[int, str],
    marked: Mapping[tuple[int, int], Sequence[str]],
    seats: Mapping[int, int],
) -> Part:
    here = [
        row
        for row in rows
        if row.response_id == of.response_id and row.criterion.key == criterion.key
    ]
    given = [row for row in here if row.grade_kind == Grade.Kind.GIVEN]
    alone = lonely({row.pk: row.value for row in given if row.valid}, criterion.pass_at)
    labels = {level.value: level.label for level in criterion.levels.all()}
    marks = [
        Mark(
            row.pk,
            people[row.rater.pk],
            _("cannot grade") if row.value is None else scales.text(row.value),
            row.reason if row.value is None else row.comment,
            tuple(marked.get((row.response_id, row.rater.pk), ())),
            None if row.active_ms is None else round(row.active_ms / 1000),
            row.at,
            row.pk == alone,
            row.valid,
            seats.get(row.rater.pk, 0),
        )
        for row in given
    ]
    settled = [
        row
        for row in here
        if row.grade_kind == Grade.Kind.ADJUDICATED and row.valid and row.value is not None
    ]
    return Part(
        criterion,
        tuple((scales.text(one), labels.get(one, "")) for one in criterion.scale.levels()),
        tuple(sorted(marks, key=lambda one: one.person)),
        scales.text(settled[-1].value) if settled and settled[-1].value is not None else "",
    )


def lonely(values: Mapping[int, Decimal | None], pass_at: Decimal | None) -> int | None:
    """Return who of three or more stands alone on their side of the pass mark, if anybody does.

    References:
        LalaEval, appendix F.1: F(ikq).
    """
    known = (
        {key: value >= pass_at for key, value in values.items() if value is not None}
        if (pass_at is not None)
        else {}
    )
    if len(known) < 3:
        return None
    for side in (True, False):
        same = [key for key, passes in known.items() if passes is side]
        if len(same) == 1:
            return same[0]
    return None


def _html(of: RoundResponse) -> SafeString:
    """Return what annotators were shown, names masked; of an import, its text."""
    shown: Display | None = of.display
    return _safe(shown.html if shown else markdown.render(faces.conversation(of.response.messages)))


def _safe(html: str) -> SafeString:
    return mark_safe(html)  # noqa: S308 - made by evalsite.markdown's allow-list


def _safe_face(face: Mapping[str, Any]) -> dict[str, Any]:
    made = dict(face)
    for name in ("question", "reference", "principle"):
        made[name] = _safe(str(face.get(name, "")))
    turns = face.get("turns", ())
    made["turns"] = [{**one, "html": _safe(str(one.get("html", "")))} for one in turns]
    return made


def _plain_face(item: Item) -> dict[str, Any]:
    """Return the face of a question that no round of ours has shown."""
    reference = display.normalise(item.reference)
    return {
        "question": markdown.render(display.normalise(item.question)),
        "reference": markdown.render(reference) if reference else "",
        "key_points": [display.normalise(str(one)) for one in item.key_points],
        "capability": item.capability.name if item.capability else "",
        "difficulty": str(item.get_difficulty_display()) if item.difficulty else "",
    }
