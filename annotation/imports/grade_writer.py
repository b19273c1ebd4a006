"""Write the rows of a table of grades: a round of its own, final from the start."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, Final

from django.db import transaction
from django.db.models import Count, Max
from django.utils.text import slugify
from django.utils.translation import gettext as _

from annotation.common import scales
from annotation.common.pace import Pace
from annotation.files import stored as files
from annotation.files.cells import Problem, Record
from annotation.files.grades import Cell
from annotation.files.mappings import GradeMapping, NewRubric
from annotation.files.models import ImportBatch
from annotation.grading.models import Grade, Remark
from annotation.imports import grades as reads
from annotation.imports.grades import Marked, Resolver
from annotation.people.models import Project, Rater, RaterKind, User
from annotation.rounds.models import Round, RoundItem, RoundResponse, RoundRubric, RoundSystem
from annotation.rubrics import operations as rubrics
from annotation.rubrics import queries as rubric_reads
from annotation.rubrics.models import Criterion, Rubric, RubricVersion
from annotation.rubrics.rules import CriterionText, LevelText, Wording
from annotation.systems.models import SystemRelease
from evalsite import errors
from evalsite.db.rows import insert_with_keys


class UnknownRubric(errors.Invalid):
    code = "unknown_rubric"


def open_round(*, batch: ImportBatch, criteria: Sequence[str], by: User, now: datetime) -> Round:
    """Make the round that will hold the grades; it is not seen before its batch is.

    Raises:
        UnknownRubric: the rubric that the mapping names is gone.
    """
    mapping = GradeMapping.from_dict(batch.mapping)
    version = _version(batch.project, mapping, criteria, by, now)
    rubrics.freeze(version=version, now=now)
    last = Round.everything.filter(project=batch.project).aggregate(last=Max("number"))["last"]
    round_ = Round.objects.create(
        project=batch.project,
        number=(last or 0) + 1,
        name=mapping.round_name,
        kind=Round.Kind.IMPORTED,
        state=Round.State.FINAL,
        seed=batch.file_sha,
        secret=b"",  # nothing is drawn by lot or addressed by token here
        n_seats=1,
        opened_at=now,
        review_at=now,
        final_at=now,
        created_by=by,
        created_at=now,
        batch=batch,
    )
    RoundRubric.objects.create(round=round_, rubric_version=version)
    return round_


#: What every imported grade is: the value that somebody gave, once.
_AS_GIVEN: Final = {
    "kind": str(Grade.Kind.GIVEN),
    "outcome": str(Grade.Outcome.VALUE),
    "reason": "",
    "revision": 1,
    "is_current": True,
    "late": False,
    "view": "",
}
GRADE: Final = (
    "round_id",
    "response_id",
    "criterion_id",
    "rater_id",
    "batch_id",
    "line",
    "value",
    "given_at",
    *_AS_GIVEN,
)


@dataclass(frozen=True, slots=True)
class Prepared:
    """Rows that were read and looked up; what is left to do is to write."""

    found: list[Marked]

    @property
    def problems(self) -> list[Problem]:
        return [problem for one in self.found for problem in one.problems]


class Writer:
    def __init__(self, batch: ImportBatch, mapping: GradeMapping) -> None:
        self._batch = batch
        self._round = Round.objects.get(batch=batch)
        self._version = RubricVersion.objects.get(pk=self._round.rubrics.get().rubric_version_id)
        assert batch.upload is not None
        values = files.values_of(batch.upload, batch.told)
        self._reader = reads.reader_of(batch.project, mapping, values)
        self._resolver = Resolver(batch.project, mapping)
        self._ordinal = 0
        rows = Criterion.objects.filter(rubric_version=self._version)
        self._criteria = {row.name if mapping.new_rubric else row.key: row.pk for row in rows}
        self._raters = dict(
            Rater.objects.filter(project=batch.project, kind=RaterKind.IMPORTED).values_list(
                "ref", "pk"
            )
        )

    def remember(self, records: list[Record]) -> None:
        if self._resolver.numbers_raters:  # the next number depends on those before
            self.prepare(records)
        else:
            self._ordinal += len(records)

    def prepare(self, records: list[Record]) -> Prepared:
        rows = [
            row
            for ordinal, record in enumerate(records, start=self._ordinal)
            for row in self._reader.read(record, ordinal)
        ]
        self._ordinal += len(records)
        return Prepared(self._resolver.resolve(rows))

    def write(self, prepared: Prepared) -> dict[str, int]:
        found = [one for one in prepared.found if one.cells]
        self._responses(found, self._items(found))
        self._meet(dict.fromkeys(cell.rater for one in found for cell in one.cells))
        cells = [cell for one in found for cell in one.cells]
        rows = (self._grade(one, cell) for one in found for cell in one.cells)
        remarks = [
            Remark(
                grade_id=pk,
                rater_id=self._raters[cell.rater],
                kind=Remark.Kind.COMMENT,
                text=cell.comment,
                at=cell.at or self._batch.created_at,
            )
            for pk, cell in zip(insert_with_keys(Grade, GRADE, rows), cells, strict=True)
            if cell.comment
        ]
        Remark.objects.bulk_create(remarks)
        return {"grades": len(cells), "comments": len(remarks)}

    def finish(self, now: datetime) -> None:
        """Set what is only known at the end: how many raters an item had, who took part."""
        most = self._set_seats()
        named = (
            SystemRelease.objects.filter(
                pk__in=RoundResponse.objects.filter(round_item__round=self._round).values("release")
            )
            .select_related("system")
            .order_by("system__name", "label")
        )
        with transaction.atomic():
            RoundSystem.objects.filter(round=self._round).delete()
            RoundSystem.objects.bulk_create(
                RoundSystem(round=self._round, release=release, ordinal=ordinal)
                for ordinal, release in enumerate(named)
            )
            Round.objects.filter(pk=self._round.pk).update(n_seats=most, final_at=now)

    def _set_seats(self) -> int:
        counted = Grade.objects.filter(batch=self._batch).values_list("response__item_id")
        by_count: dict[int, list[int]] = defaultdict(list)
        for item, n in counted.annotate(n=Count("rater", distinct=True)).order_by():
            by_count[n].append(item)
        for n, items in by_count.items():
            for some in Pace(start=500).batches(items):
                RoundItem.objects.filter(round=self._round, item__in=some).update(n_seats=n)
        return max(by_count, default=1)

    def _items(self, found: Sequence[Marked]) -> dict[int, int]:
        wanted = dict.fromkeys(one.item for one in found)
        here = RoundItem.objects.filter(round=self._round)
        known = dict(here.filter(item__in=wanted).values_list("item_id", "pk"))
        new = [
            RoundItem(
                round=self._round,
                item_id=item,
                ordinal=ordinal,
                n_seats=1,
                rubric_version=self._version,
            )
            for ordinal, item in enumerate(
                (item for item in wanted if item not in known), start=here.count()
            )
        ]
        RoundItem.objects.bulk_create(new)
        return known | {one.item_id: one.pk for one in new}

    def _responses(self, found: Sequence[Marked], items: dict[int, int]) -> None:
        known = set(
            RoundResponse.objects.filter(round_item__in=items.values()).values_list(
                "round_item_id", "release_id", "response_id"
            )
        )
        wanted = dict.fromkeys((items[one.item], one.release, one.response) for one in found)
        RoundResponse.objects.bulk_create(
            RoundResponse(round_item_id=item, release_id=release, response_id=response)
            for item, release, response in wanted
            if (item, release, response) not in known
        )

    def _meet(self, names: Iterable[str]) -> None:
        new = [
            Rater(
                project=self._batch.project,
                kind=RaterKind.IMPORTED,
                ref=name,
                created_at=self._batch.created_at,
            )
            for name in names
            if name not in self._raters
        ]
        Rater.objects.bulk_create(new)
        self._raters |= {rater.ref: rater.pk for rater in new}

    def _grade(self, one: Marked, cell: Cell) -> tuple[Any, ...]:
        return (
            self._round.pk,
            one.response,
            self._criteria[cell.criterion],
            self._raters[cell.rater],
            self._batch.pk,
            cell.number,
            cell.value,
            cell.at,
            *_AS_GIVEN.values(),
        )


def _version(
    project: Project, mapping: GradeMapping, criteria: Sequence[str], by: User, now: datetime
) -> RubricVersion:
    if mapping.new_rubric is None:
        version = reads.version_of(project, mapping.rubric)
        if version is None:
            raise UnknownRubric(_("The rubric of these grades is gone. Choose another one."))
        return version
    return _made(project, mapping, mapping.new_rubric, criteria, by, now)


def _made(
    project: Project,
    mapping: GradeMapping,
    new: NewRubric,
    criteria: Sequence[str],
    by: User,
    now: datetime,
) -> RubricVersion:
    """Make a rubric of the criteria in a file, or take the one that says exactly the same."""
    levels = _levels(mapping)
    wording = Wording(
        "", tuple(_criterion(new, levels, name, no) for no, name in enumerate(criteria, 1))
    )
    key = slugify(new.name)[:80] or "imported"
    rubric = Rubric.objects.filter(project=project, key=key).first()
    if rubric is None:
        return rubrics.create_rubric(
            project=project, key=key, name=new.name[:200], wording=wording, by=by, now=now
        )
    newest = rubric.versions.order_by("-number")[0]
    standing = rubric_reads.wording(newest)
    if standing.sha() == wording.sha():
        return newest
    return rubrics.new_version(
        rubric=rubric, wording=wording, base_sha=standing.sha(), by=by, now=now
    )


def _levels(mapping: GradeMapping) -> tuple[LevelText, ...]:
    """Return the words of the file as levels; several for one number stand in one label."""
    words: dict[Decimal, list[str]] = defaultdict(list)
    for word, written in mapping.words.items():
        words[scales.parse(written)].append(word)
    return tuple(LevelText(value, " / ".join(words[value])[:120]) for value in sorted(words))


def _criterion(
    new: NewRubric, levels: tuple[LevelText, ...], name: str, place: int
) -> CriterionText:
    scale = new.scale()
    return CriterionText(
        key=slugify(name)[:80] or f"criterion-{place}",
        name=name,
        minimum=scale.minimum,
        maximum=scale.maximum,
        step=scale.step,
        levels=levels,
    )
