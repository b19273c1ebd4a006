"""What annotators wrote beside their grades: the comments of a round, found by what they are about."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal, InvalidOperation
from functools import cached_property
from typing import cast
from urllib.parse import urlencode

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.translation import gettext as _

from annotation.grading.models import Grade, Remark
from annotation.rounds.models import RoundItem
from annotation.rubrics.models import Criterion
from annotation.systems.models import Item
from evalsite import errors
from evalsite.web import keyset
from scoring.figures import labels
from scoring.figures.labels import Labels, ReadRound
from scoring.shown.sheet import Sheet, chunks, number

#: What an address chooses comments by.
FILTERS = ("system", "criterion", "level", "q")
#: A finer scale has no list of its levels.
MOST_LEVELS = 21
READ_AT_ONCE = 500


class BadCommentFilter(errors.Invalid):
    """A filter names something that the round does not have."""

    code = "bad_filter"


@dataclass(frozen=True, slots=True)
class CommentFilters:
    """Which comments: of a system by its place from 1, a criterion, a level, with a text; "" for all."""

    system: str = ""
    criterion: str = ""
    level: str = ""
    q: str = ""

    @property
    def pairs(self) -> list[tuple[str, str]]:
        return [(name, getattr(self, name)) for name in FILTERS if getattr(self, name)]

    def without(self, name: str) -> str:
        """Return the query of the same page without one of them."""
        return urlencode(replace(self, **{name: ""}).pairs)


@dataclass(frozen=True, slots=True)
class CommentMark:
    """A grade that the comment stands beside; `level` is the word of its value, if it has one."""

    criterion: str
    value: str
    level: str


@dataclass(frozen=True, slots=True)
class CommentLine:
    """A comment with what it is about; annotators go by number, systems as their reader sees them."""

    pk: int
    item_id: int
    item: str
    question: str
    capability: str
    system: str
    ordinal: int
    annotator: str
    marks: tuple[CommentMark, ...]
    text: str
    at: datetime


class Comments:
    """The comments of a round as somebody reads them."""

    def __init__(
        self, mine: ReadRound, filters: CommentFilters | None = None, named: Labels | None = None
    ) -> None:
        self.mine, self.filters, self._named = mine, filters or CommentFilters(), named

    @cached_property
    def labels(self) -> Labels:
        return self._named or labels.labels_of(self.mine.round)

    @cached_property
    def criteria(self) -> dict[str, list[Criterion]]:
        """Return the criteria of the round by key, with their levels."""
        drawn = RoundItem.objects.filter(round=self.mine.round).order_by()
        versions = drawn.values("rubric_version_id").distinct()
        rows = Criterion.objects.filter(rubric_version__in=versions).prefetch_related("levels")
        found: dict[str, list[Criterion]] = {}
        for row in rows:
            found.setdefault(row.key, []).append(row)
        return found

    @property
    def systems(self) -> list[tuple[str, str]]:
        """Return the systems to choose from: place and name."""
        return [(str(n), name.text) for n, name in enumerate(self.mine.names.values(), start=1)]

    @property
    def criteria_names(self) -> list[tuple[str, str]]:
        return [(key, self.labels.criterion(key)) for key in self.criteria]

    @cached_property
    def levels(self) -> dict[str, str]:
        """Return the levels of the chosen criterion, or of all: value, and what it is called."""
        key = self.filters.criterion
        chosen = [one for name, some in self.criteria.items() if key in {"", name} for one in some]
        found: dict[Decimal, str] = {}
        for one in chosen:
            words = {level.value: level.label for level in one.levels.all()}
            for value in _values(one) or sorted(words):
                found[value] = found.get(value) or words.get(value, "")
        alone = len({one.key for one in chosen}) == 1
        return {number(value): found[value] if alone else "" for value in sorted(found)}

    @property
    def chips(self) -> list[tuple[str, str, str]]:
        """Return every filter that is set: what it is called, its value, and the query without it."""
        filters = self.filters
        said = {
            "system": (_("System"), dict(self.systems).get(filters.system, "")),
            "criterion": (_("Criterion"), self.labels.criterion(filters.criterion)),
            "level": (_("Level"), f"{filters.level} {self.levels.get(filters.level, '')}".strip()),
            "q": (_("Text"), filters.q),
        }
        return [(*said[name], filters.without(name)) for name, _value in filters.pairs]

    def rows(self) -> "QuerySet[Remark]":
        """Return the remarks that fit: the last word of each annotator, unless it was emptied."""
        newer = Remark.objects.filter(
            Q(slot=OuterRef("slot")) | Q(grade=OuterRef("grade")),
            rater=OuterRef("rater"),
            kind=Remark.Kind.COMMENT,
            late=False,
            revision__gt=OuterRef("revision"),
        )
        rows = _of_round(self.mine).exclude(text="").exclude(Exists(newer))
        rows = rows.select_related("slot__round_response__round_item", "grade__response")
        return self._fitting(rows)

    def _fitting(self, rows: "QuerySet[Remark]") -> "QuerySet[Remark]":
        filters = self.filters
        if filters.system:
            release = list(self.mine.names)[int(filters.system) - 1]
            rows = rows.filter(
                Q(slot__round_response__release=release) | Q(grade__response__release=release)
            )
        if filters.q:
            rows = rows.filter(text__icontains=filters.q)
        if filters.criterion or filters.level:
            given = Grade.objects.current().filter(
                Q(slot=OuterRef("slot")) | Q(pk=OuterRef("grade")), kind=Grade.Kind.GIVEN
            )
            if filters.criterion:
                given = given.filter(criterion__key=filters.criterion)
            if filters.level:
                given = given.filter(value=Decimal(filters.level))
            rows = rows.filter(Exists(given))
        return rows

    def page(self, after: str = "") -> keyset.Page[Remark]:
        """Return a page of them, the newest first."""
        return keyset.page(self.rows(), by=("-pk",), after=after)

    def lines(self, rows: Sequence[Remark]) -> list[CommentLine]:
        """Return remarks with what they are about. Three queries."""
        marks = self._marks(rows)
        about = {row.pk: _about(row) for row in rows}
        known = Item.objects.filter(pk__in={item for item, _release in about.values()})
        items = known.select_related("capability").in_bulk()
        made = []
        for row in rows:
            item, name = items[about[row.pk][0]], self.mine.names[about[row.pk][1]]
            made.append(
                CommentLine(
                    row.pk,
                    item.pk,
                    item.external_id,
                    item.question,
                    item.capability.name if item.capability else "",
                    name.text,
                    name.mark,
                    self.labels.rater(row.rater_id),
                    tuple(marks.get(row.pk, ())),
                    row.text,
                    row.at,
                )
            )
        return made

    def _marks(self, rows: Sequence[Remark]) -> Mapping[int, list[CommentMark]]:
        slots = {row.slot_id: row.pk for row in rows if row.slot_id}
        grades = {row.grade_id: row.pk for row in rows if row.grade_id}
        given = Grade.objects.current().filter(
            Q(slot__in=list(slots)) | Q(pk__in=list(grades)), kind=Grade.Kind.GIVEN
        )
        found: dict[int, list[CommentMark]] = {}
        given = given.select_related("criterion").prefetch_related("criterion__levels")
        for one in given.order_by("criterion_id", "pk"):
            words = {level.value: level.label for level in one.criterion.levels.all()}
            value = _("cannot grade") if one.value is None else number(one.value)
            level = "" if one.value is None else words.get(one.value, "")
            pk = slots[one.slot_id] if one.slot_id in slots else grades[one.pk]
            found.setdefault(pk, []).append(CommentMark(one.criterion.name, value, level))
        return found

    def sheet(self) -> Sheet:
        """Return every comment that fits as a line, the newest first."""

        def rows() -> Iterator[tuple[object, ...]]:
            for some in chunks(self.rows().order_by("-pk").iterator(READ_AT_ONCE), READ_AT_ONCE):
                for one in self.lines(some):
                    marks = "; ".join(f"{mark.criterion}: {mark.value}" for mark in one.marks)
                    who = (one.system, one.annotator, marks, one.text, one.at.isoformat())
                    yield (one.item, one.capability, *who)

        columns = ("item", "capability", "system", "annotator", "grades", "comment", "at")
        said = "the last comment of each annotator on each answer; late ones are left out"
        return Sheet("comments", columns, rows(), said)


def _of_round(mine: ReadRound) -> "QuerySet[Remark]":
    of_round = Q(slot__assignment__round=mine.round) | Q(grade__round=mine.round)
    return Remark.objects.filter(of_round, kind=Remark.Kind.COMMENT, late=False)


def _about(row: Remark) -> tuple[int, int]:
    """Return the item and the release that a remark is about."""
    if row.slot:
        place = row.slot.round_response
        return place.round_item.item_id, place.release_id
    response = cast("Grade", row.grade).response  # a constraint: a grade or a slot
    return response.item_id, response.release_id


def _values(one: Criterion) -> list[Decimal]:
    """Return the levels of a scale with few steps."""
    low, high = one.ends
    if not one.step or (high - low) / one.step >= MOST_LEVELS:
        return []
    return [low + place * one.step for place in range(int((high - low) / one.step) + 1)]


def read_comments(mine: ReadRound, query: Mapping[str, str]) -> Comments:
    """Return the comments that an address asks for.

    Raises:
        BadCommentFilter: a filter names a system, criterion or level that the round does not have.
    """
    wish = {name: query.get(name, "").strip() for name in FILTERS}
    found = Comments(mine, CommentFilters(**wish))
    known = {"system": list(dict(found.systems)), "criterion": list(found.criteria)}
    for name, names in known.items():
        if wish[name] and wish[name] not in names:
            raise BadCommentFilter(
                _("The round has no such %(name)s. Choose from the list.") % {"name": name}
            )
    if wish["level"] and not _is_number(wish["level"]):
        raise BadCommentFilter(_("A level is a number. Choose from the list."))
    if "\0" in wish["q"]:
        raise BadCommentFilter(_("The text to search for holds what no comment can hold."))
    return found


def _is_number(text: str) -> bool:
    try:
        return Decimal(text).is_finite() and abs(Decimal(text)) < 10**8
    except InvalidOperation:
        return False
