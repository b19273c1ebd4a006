"""Rows of figures against what the project has, and the dry run of a file of them.

* Write the rows of a file of figures of other benchmarks.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db.models import QuerySet

from annotation.files.cells import FileProblem, FileRecord
from annotation.files.columns import Target
from annotation.files.models import ImportBatch
from annotation.files.scores import FigureMapping
from annotation.files.scores import FigureReader as Reader
from annotation.files.scores import FigureRow as Row
from annotation.files.values import ValueReader
from annotation.imports import uploading
from annotation.imports.places import ResponsePlaces
from annotation.people.models import Project, User
from scoring.kinds.contamination.models import BenchmarkFigure

PREVIEWED = 5
#: Release, name of the figure, data set.
Key = tuple[int, str, str]


@dataclass(slots=True)
class FoundFigure:
    """A row that was looked up; it is new if it has a release and a value nobody brought before."""

    row: Row
    release: int = 0
    is_new: bool = False
    is_known: bool = False
    problems: list[FileProblem] = field(default_factory=list)

    @property
    def is_sound(self) -> bool:
        return all(problem.warning for problem in self.problems)


class FiguresResolver:
    """Looks rows up in the project, in the order of the file, a batch at a time.

    A row with something wrong in it is left out whole: it counts for no later row.
    """

    def __init__(self, project: Project, mapping: FigureMapping) -> None:
        self._mapping = mapping
        self._places = ResponsePlaces(project, mapping.column)
        self._first: dict[Key, int] = {}

    def resolve(self, rows: Sequence[Row]) -> list[FoundFigure]:
        found = []
        for row in rows:
            place = self._places.release_of(row)
            problems = [*row.problems, *place.problems]
            found.append(FoundFigure(row, place.release, problems=problems))
        before = self._before({one.release for one in found if one.release})
        for one in found:
            if one.release and one.row.figure and one.row.value is not None and one.is_sound:
                self._place(one, before)
        return found

    def _before(self, releases: set[int]) -> dict[Key, float]:
        rows = BenchmarkFigure.objects.filter(release__in=releases)
        fields = ("release_id", "name", "dataset", "value")
        return {(pk, name, where): value for pk, name, where, value in rows.values_list(*fields)}

    def _place(self, one: FoundFigure, before: dict[Key, float]) -> None:
        row = one.row
        key = (one.release, row.figure, row.dataset)
        column = self._mapping.column(Target.VALUE)
        if first := self._first.get(key):
            facts = {"first": str(first)}
            one.problems.append(FileProblem("figure_twice", row.line, column, row.system, facts))
            return
        known = before.get(key)
        if known is not None and known != row.value:
            facts = {"before": f"{known:g}"}
            one.problems.append(FileProblem("figure_before", row.line, column, row.system, facts))
            return
        self._first[key] = row.line
        one.is_new, one.is_known = known is None, known is not None


@dataclass
class FigureCheck:
    """The dry run of a file of figures."""

    project: Project
    mapping: FigureMapping
    counts: dict[str, int] = field(
        default_factory=lambda: dict.fromkeys(("figures", "known", "empty_cells"), 0)
    )
    preview: list[dict[str, Any]] = field(default_factory=list)
    values: dict[str, list[float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._reader = Reader(self.mapping)
        self._resolver = FiguresResolver(self.project, self.mapping)
        self._number = 0

    def batch(self, records: list[FileRecord]) -> list[list[FileProblem]]:
        rows = [
            self._reader.read(record, number)
            for number, record in enumerate(records, start=self._number)
        ]
        self._number += len(records)
        problems = []
        for one in self._resolver.resolve(rows):
            problems.append(one.problems)
            if one.is_sound:
                self._count(one)
        return problems

    def summary(self) -> dict[str, Any]:
        names = [
            {"name": name, "n": len(values), "low": min(values), "high": max(values)}
            for name, values in sorted(self.values.items())
        ]
        return {"counts": self.counts, "preview": self.preview, "names": names}

    def _count(self, one: FoundFigure) -> None:
        row = one.row
        self.counts["empty_cells"] += row.is_empty
        self.counts["known"] += one.is_known
        if not one.is_new or row.value is None:
            return
        self.counts["figures"] += 1
        self.values.setdefault(row.figure, []).append(row.value)
        if len(self.preview) < PREVIEWED:
            self.preview.append(
                {
                    "system": " · ".join(filter(None, (row.system, row.release))),
                    "figure": row.figure,
                    "dataset": row.dataset,
                    "value": f"{row.value:g}",
                }
            )


def check(project: Project, mapping: FigureMapping, values: ValueReader) -> FigureCheck:
    """Begin to try out a file of figures; these are read in one way only."""
    del values
    return FigureCheck(project, mapping)


def begin(*, batch: ImportBatch, report: dict[str, Any], by: User, now: datetime) -> None:
    """Nothing has to be there before the first figure."""


@dataclass(frozen=True, slots=True)
class PreparedFigures:
    """Rows that were read and looked up; what is left to do is to write."""

    found: list[FoundFigure]

    @property
    def problems(self) -> list[FileProblem]:
        return [problem for one in self.found for problem in one.problems]


class FiguresWriter:
    def __init__(self, batch: ImportBatch, mapping: FigureMapping) -> None:
        self._batch = batch
        self._reader = Reader(mapping)
        self._resolver = FiguresResolver(batch.project, mapping)
        self._number = 0

    def remember(self, records: list[FileRecord]) -> None:
        self._number += len(records)

    def prepare(self, records: list[FileRecord]) -> PreparedFigures:
        rows = [
            self._reader.read(record, number)
            for number, record in enumerate(records, start=self._number)
        ]
        self._number += len(records)
        return PreparedFigures(self._resolver.resolve(rows))

    def write(self, prepared: PreparedFigures) -> dict[str, int]:
        made = [
            BenchmarkFigure(
                release_id=one.release,
                name=one.row.figure,
                dataset=one.row.dataset,
                value=one.row.value,
                batch=self._batch,
                line=one.row.line,
            )
            for one in prepared.found
            if one.is_new and one.row.value is not None
        ]
        BenchmarkFigure.objects.bulk_create(made)
        return {"figures": len(made), "known": sum(one.is_known for one in prepared.found)}

    def finish(self, now: datetime) -> None:
        """Nothing is left to do when all rows are in."""


def layers(batch: ImportBatch) -> "Iterator[QuerySet[Any]]":
    """Yield what an undo takes away."""
    yield BenchmarkFigure.objects.filter(batch=batch)


SUPPLIED = uploading.Supplied(begin, FiguresWriter, layers)
