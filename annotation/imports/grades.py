"""Rows of grades against what the project has: which response and criterion each one means.

* Write the rows of a table of grades: a round of its own, final from the start.
"""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any, Final

from django.db import transaction
from django.db.models import Count, Max
from django.utils.text import slugify
from django.utils.translation import gettext as _

from annotation.common import scales
from annotation.common.pace import Batches
from annotation.common.scales import Scale
from annotation.files import stored as files
from annotation.files.cells import FileProblem, FileRecord
from annotation.files.columns import Target
from annotation.files.grades import FileLabels, GradeCell, GradesReader, GradesRow, Labels
from annotation.files.mappings import FileRubric, GradeMapping
from annotation.files.models import ImportBatch
from annotation.files.values import ValueReader, fold
from annotation.grading.models import Grade, Remark
from annotation.imports.found import PreparedRows
from annotation.imports.places import ResponsePlace, ResponsePlaces
from annotation.people.models import Project, Rater, RaterKind, User
from annotation.rounds.models import Round, RoundItem, RoundResponse, RoundRubric, RoundSystem
from annotation.rubrics import operations as rubrics
from annotation.rubrics import queries as rubric_reads
from annotation.rubrics.models import Criterion, Level, Rubric, RubricVersion
from annotation.rubrics.rules import CriterionText, LevelText, Wording
from annotation.systems.models import SystemRelease
from evalsite import errors
from evalsite.db.rows import insert_with_keys

DECIMALS = Decimal("0.0001")
MAX_CRITERIA = 200


@dataclass(slots=True)
class Marked:
    """A row that was looked up: the response it grades, and its grades that can be used."""

    row: GradesRow
    item: int = 0
    release: int = 0
    response: int = 0
    cells: list[GradeCell] = field(default_factory=list)
    problems: list[FileProblem] = field(default_factory=list)

    @property
    def is_sound(self) -> bool:
        return all(problem.warning for problem in self.problems)


def version_of(project: Project, name: str) -> RubricVersion | None:
    """Return the version that a mapping names, such as "factuality@2"; without number the newest."""
    key, _, number = name.partition("@")
    versions = RubricVersion.objects.filter(
        rubric__project=project, rubric__key=key, kind=RubricVersion.Kind.HUMAN
    )
    if number:
        versions = versions.filter(number=int(number) if number.isdecimal() else 0)
    return versions.order_by("-number").first()


def asks_for_choices(project: Project, name: str) -> bool:
    """Say whether the rubric that a mapping names asks which of two answers is better."""
    version = version_of(project, name)
    rows = Criterion.objects.filter(rubric_version=version, mark=Criterion.Mark.CHOICE)
    return version is not None and rows.exists()


def scales_of(project: Project, mapping: GradeMapping) -> dict[str, Scale] | None:
    """Return the scale of each criterion; None if the rubric is to be made from the file."""
    if mapping.new_rubric is not None:
        return None
    version = version_of(project, mapping.rubric)
    rows = Criterion.objects.filter(rubric_version=version) if version else ()
    return {row.key: row.scale for row in rows}


def labels_of(project: Project, mapping: GradeMapping) -> Labels:
    """Return the numbers of the levels of a rubric by their labels, criterion by criterion."""
    version = None if mapping.new_rubric else version_of(project, mapping.rubric)
    found: dict[str, dict[str, Decimal]] = defaultdict(dict)
    rows = Level.objects.filter(criterion__rubric_version=version).exclude(label="")
    for key, label, value in rows.values_list("criterion__key", "label", "value"):
        found[key][label.casefold()] = value
    return found


def keys_of(project: Project, mapping: GradeMapping) -> dict[str, str]:
    """Return the keys of a rubric's criteria by their keys and names, folded, where these are clear."""
    version = None if mapping.new_rubric else version_of(project, mapping.rubric)
    found: dict[str, set[str]] = defaultdict(set)
    keys: dict[str, str] = {}
    rows = Criterion.objects.filter(rubric_version=version) if version else Criterion.objects.none()
    for key, name in rows.values_list("key", "name"):
        found[fold(key)].add(key)
        found[fold(name)].add(key)
        keys[key] = key
    return keys | {name: min(of) for name, of in found.items() if len(of) == 1}


def raters_of(project: Project) -> list[str]:
    """Return the names of raters of earlier imports."""
    rows = Rater.objects.filter(project=project, kind=RaterKind.IMPORTED)
    return list(rows.values_list("ref", flat=True))


def made_of(version: RubricVersion) -> dict[str, FileLabels]:
    """Return the labels of the criteria of a rubric that was made from a file, by their names there."""
    named = Criterion.objects.filter(
        rubric_version=version, mark__in=[Criterion.Mark.LABEL, Criterion.Mark.LABELS]
    )
    return {
        one.name: FileLabels(one.mark, tuple(level.label for level in one.levels.order_by("value")))
        for one in named.prefetch_related("levels")
    }


def reader_of(
    project: Project,
    mapping: GradeMapping,
    values: ValueReader,
    made: Mapping[str, FileLabels] | None = None,
) -> GradesReader:
    """Return what reads the rows of a file, for the check and for the import alike.

    Args:
        project: whose grades they are.
        mapping: where the columns go.
        values: reads numbers and moments.
        made: the labels of criteria that are made from the file.
    """
    labels, keys = labels_of(project, mapping), keys_of(project, mapping)
    version = None if mapping.new_rubric else version_of(project, mapping.rubric)
    rows = Criterion.objects.filter(rubric_version=version) if version else Criterion.objects.none()
    asked: dict[str, set[str]] = defaultdict(set)
    for key, mark in rows.values_list("key", "mark"):
        asked[mark].add(key)
    marks = Criterion.Mark
    for name, of in (made or {}).items():
        labels = {**labels, name: of.places}
        asked[of.mark].add(name)
    return GradesReader(mapping, labels, values, keys, asked[marks.LABELS], asked[marks.TEXT])


class GradesResolver:
    """Looks rows up in the project, in the order of the file, a batch at a time.

    A row with something wrong in it is left out whole: none of its grades count for later rows.
    """

    def __init__(
        self,
        project: Project,
        mapping: GradeMapping,
        made: Mapping[str, FileLabels] | None = None,
    ) -> None:
        self._scales = scales_of(project, mapping)
        new = mapping.new_rubric
        self._new_scale = new.scale() if new and new.has_scale else None
        self._made = {name: _of_labels(name, 1, of).scale for name, of in (made or {}).items()}
        #: Whether no column names the raters: then grades of one answer are by as many of them.
        self.numbers_raters = bool(mapping.column(Target.VALUE)) and not mapping.column(
            Target.RATER
        )
        self._numbered = False
        self._given: dict[bytes, int] = {}
        self._pointed_at: set[str] = set()
        self._places = ResponsePlaces(project, mapping.column)
        self.criteria: dict[str, None] = {}

    def holds(self, part: tuple[str, ...], number: Decimal) -> bool:
        """Say whether the scale of a criterion has room for a number."""
        scale = self._new(part[-1]) if self._scales is None else self._scales.get(part[-1])
        return scale is not None and scale.minimum <= number <= scale.maximum

    @property
    def matched(self) -> Mapping[str, Mapping[str, str]]:
        """What names of the file mean here, where they are written in another way."""
        return self._places.matched

    def resolve(self, rows: Sequence[GradesRow]) -> list[Marked]:
        places = self._places.find(rows)
        marked = [self._mark(row, place) for row, place in zip(rows, places, strict=True)]
        self._warn_of_older(marked)
        return marked

    def _mark(self, row: GradesRow, place: ResponsePlace) -> Marked:
        marked = Marked(row, place.item, place.release, place.response)
        marked.problems = [*row.problems, *place.problems]
        fitting = [cell for cell in row.cells if self._fits(marked, cell)]
        keys = {cell.number: self._key(marked, cell) for cell in fitting}
        if not self.numbers_raters:
            self._refuse_again(marked, fitting, keys)
        if marked.is_sound:
            marked.cells = fitting
            for cell in fitting:
                self.criteria.setdefault(cell.criterion)
                self._note(marked, cell, keys[cell.number])
        return marked

    def _fits(self, marked: Marked, cell: GradeCell) -> bool:
        scale = self._scale(marked, cell)
        if scale is None:
            return False
        if cell.value is None:
            return True
        try:
            scale.check(cell.value)
        except ValueError as problem:
            self._refuse(
                marked, "off_scale", cell.column, found=str(cell.value), allowed=str(problem)
            )
            return False
        if cell.value != cell.value.quantize(DECIMALS):
            self._refuse(marked, "too_precise", cell.column, found=str(cell.value))
            return False
        return True

    def _scale(self, marked: Marked, cell: GradeCell) -> Scale | None:
        if self._scales is not None and cell.criterion not in self._scales:
            known = ", ".join(self._scales)
            self._refuse(
                marked, "unknown_criterion", cell.column, found=cell.criterion, known=known
            )
            return None
        here = self.criteria.keys() | {one.criterion for one in marked.row.cells}
        if len(here) > MAX_CRITERIA and cell.criterion not in self.criteria:
            self._refuse(marked, "too_many_criteria", cell.column, most=str(MAX_CRITERIA))
            return None
        if self._scales is not None:
            return self._scales[cell.criterion]
        if (scale := self._new(cell.criterion)) is None:
            self._refuse(marked, "no_scale", cell.column, found=str(cell.value))
        return scale

    def _new(self, criterion: str) -> Scale | None:
        return self._made.get(criterion, self._new_scale)

    def _key(self, marked: Marked, cell: GradeCell) -> bytes:
        row = marked.row
        said = marked.response or f"{row.item}\x1f{row.system}\x1f{row.release}\x1f{row.sample_no}"
        written = f"{said}\x1e{cell.criterion}\x1e{cell.rater}"
        return hashlib.blake2b(written.encode(), digest_size=12).digest()

    def _refuse_again(
        self, marked: Marked, cells: Sequence[GradeCell], keys: Mapping[int, bytes]
    ) -> None:
        """Refuse what was graded in an earlier row, or earlier in this one."""
        here: set[bytes] = set()
        for cell in cells:
            key = keys[cell.number]
            first = marked.row.line if key in here else self._given.get(key)
            if first is not None:
                self._refuse(
                    marked, "graded_twice", cell.column, found=cell.rater, first=str(first)
                )
            here.add(key)

    def _note(self, marked: Marked, cell: GradeCell, key: bytes) -> None:
        if not self.numbers_raters:
            self._given[key] = marked.row.line
            return
        self._given[key] = self._given.get(key, 0) + 1
        self._number(marked, cell, self._given[key])

    def _number(self, marked: Marked, cell: GradeCell, number: int) -> None:
        """Take the second grade of one answer for that of a second rater, and say so once."""
        if number == 1:
            return
        if not self._numbered:
            line, found = marked.row.line, cell.rater
            problem = FileProblem("raters_numbered", line, cell.column, found, warning=True)
            marked.problems.append(problem)
        self._numbered = True
        cell.rater = f"{cell.rater} {number}"

    def _warn_of_older(self, marked: Sequence[Marked]) -> None:
        """Point, once a rater, at grades of the same responses in an earlier import."""
        responses = {one.response for one in marked if one.response}
        older = set(
            Grade.objects.seen()
            .filter(response__in=responses, batch__isnull=False, rater__kind=RaterKind.IMPORTED)
            .values_list("response_id", "criterion__key", "rater__ref")
        )
        for one in marked if older else ():
            for cell in one.cells:
                known = (one.response, cell.criterion, cell.rater) in older
                if known and cell.rater not in self._pointed_at:
                    self._pointed_at.add(cell.rater)
                    line, rater = one.row.line, cell.rater
                    one.problems.append(
                        FileProblem("graded_before", line, cell.column, rater, warning=True)
                    )

    def _refuse(
        self, marked: Marked, code: str, column: str = "", found: str = "", **facts: str
    ) -> None:
        marked.problems.append(FileProblem(code, marked.row.line, column, found, facts))


class UnknownRubric(errors.Invalid): ...


def open_round(
    *,
    batch: ImportBatch,
    criteria: Sequence[str],
    made: Mapping[str, FileLabels],
    by: User,
    now: datetime,
) -> Round:
    """Make the round that will hold the grades; it is not seen before its batch is.

    Args:
        batch: the import.
        criteria: those of the file, in order.
        made: the labels of those that are made from it.
        by: who brings it in.
        now: when.

    Raises:
        UnknownRubric: the rubric that the mapping names is gone.
    """
    mapping = GradeMapping.from_dict(batch.mapping)
    version = _version(batch.project, mapping, criteria, made, by, now)
    return make_round(batch=batch, version=version, name=mapping.round_name, by=by, now=now)


def make_round(
    *,
    batch: ImportBatch,
    version: RubricVersion,
    name: str,
    by: User,
    now: datetime,
    of_pairs: bool = False,
) -> Round:
    """Make the round of an import by a rubric; in the transaction that begins the import."""
    rubrics.freeze(version=version, now=now)
    last = Round.everything.filter(project=batch.project).aggregate(last=Max("number"))["last"]
    round_ = Round.objects.create(
        project=batch.project,
        number=(last or 0) + 1,
        name=name,
        kind=Round.Kind.IMPORTED,
        of_pairs=of_pairs,
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


def end_round(round_: Round, most: int, now: datetime) -> None:
    """Set what is only known when all grades are in: whose answers they are of, and how many raters one had."""
    named = (
        SystemRelease.objects.filter(
            pk__in=RoundResponse.objects.filter(round_item__round=round_).values("release")
        )
        .select_related("system")
        .order_by("system__name", "label")
    )
    with transaction.atomic():
        RoundSystem.objects.filter(round=round_).delete()
        RoundSystem.objects.bulk_create(
            RoundSystem(round=round_, release=release, ordinal=ordinal)
            for ordinal, release in enumerate(named)
        )
        Round.objects.filter(pk=round_.pk).update(n_seats=most, final_at=now)


def imported_raters(project: Project) -> dict[str, int]:
    """Return the keys of raters of earlier imports, by their names."""
    rows = Rater.objects.filter(project=project, kind=RaterKind.IMPORTED)
    return dict(rows.values_list("ref", "pk"))


def meet(batch: ImportBatch, known: dict[str, int], names: Iterable[str]) -> None:
    """Add the raters that are not known yet."""
    new = [
        Rater(project=batch.project, kind=RaterKind.IMPORTED, ref=name, created_at=batch.created_at)
        for name in names
        if name not in known
    ]
    Rater.objects.bulk_create(new)
    known |= {rater.ref: rater.pk for rater in new}


#: What every imported grade is: the value that somebody gave, once.
AS_GIVEN: Final = {
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
    "text",
    *AS_GIVEN,
)


class GradesWriter:
    def __init__(self, batch: ImportBatch, mapping: GradeMapping) -> None:
        self._batch = batch
        self._round = Round.objects.get(batch=batch)
        self._version = RubricVersion.objects.get(pk=self._round.rubrics.get().rubric_version_id)
        assert batch.upload is not None
        values = files.values_of(batch.upload, batch.told)
        made = made_of(self._version) if mapping.new_rubric else {}
        self._reader = reader_of(batch.project, mapping, values, made)
        self._resolver = GradesResolver(batch.project, mapping, made)
        rows = Criterion.objects.filter(rubric_version=self._version)
        self._criteria = {row.name if mapping.new_rubric else row.key: row.pk for row in rows}
        self._raters = imported_raters(batch.project)

    def remember(self, records: list[FileRecord]) -> None:
        if self._resolver.numbers_raters:  # the next number depends on those before
            self.prepare(records)
        else:
            self._reader.skip(records)

    def prepare(self, records: list[FileRecord]) -> PreparedRows[Marked]:
        rows = [row for of_one in self._reader.next(records) for row in of_one]
        return PreparedRows(self._resolver.resolve(rows))

    def write(self, prepared: PreparedRows[Marked]) -> dict[str, int]:
        found = [one for one in prepared.found if one.cells]
        self._responses(found, self._items(found))
        names = dict.fromkeys(cell.rater for one in found for cell in one.cells)
        meet(self._batch, self._raters, names)
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
        end_round(self._round, self._set_seats(), now)

    def _set_seats(self) -> int:
        counted = Grade.objects.filter(batch=self._batch).values_list("response__item_id")
        by_count: dict[int, list[int]] = defaultdict(list)
        for item, n in counted.annotate(n=Count("rater", distinct=True)).order_by():
            by_count[n].append(item)
        for n, items in by_count.items():
            for some in Batches(start=500).batches(items):
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

    def _grade(self, one: Marked, cell: GradeCell) -> tuple[Any, ...]:
        return (
            self._round.pk,
            one.response,
            self._criteria[cell.criterion],
            self._raters[cell.rater],
            self._batch.pk,
            cell.number,
            cell.value,
            cell.at,
            cell.text,
            *AS_GIVEN.values(),
        )


def _version(
    project: Project,
    mapping: GradeMapping,
    criteria: Sequence[str],
    made: Mapping[str, FileLabels],
    by: User,
    now: datetime,
) -> RubricVersion:
    if mapping.new_rubric is None:
        version = version_of(project, mapping.rubric)
        if version is None:
            raise UnknownRubric(_("The rubric of these grades is gone. Choose another one."))
        return version
    levels = _levels(mapping)
    wording = Wording(
        "",
        tuple(
            _of_labels(name, no, made[name])
            if name in made
            else _criterion(mapping.new_rubric, levels, name, no)
            for no, name in enumerate(criteria, 1)
        ),
    )
    return _made(project, mapping.new_rubric, wording, by, now)


def _made(
    project: Project, new: FileRubric, wording: Wording, by: User, now: datetime
) -> RubricVersion:
    """Make a rubric of the criteria in a file, or take the one that says exactly the same."""
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


def _of_labels(name: str, place: int, of: FileLabels) -> CriterionText:
    levels = tuple(LevelText(Decimal(no), label) for no, label in enumerate(of.labels, start=1))
    key = slugify(name)[:80] or f"criterion-{place}"
    return CriterionText(key, name, mark=of.mark, levels=levels).settled()


def _criterion(
    new: FileRubric, levels: tuple[LevelText, ...], name: str, place: int
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
