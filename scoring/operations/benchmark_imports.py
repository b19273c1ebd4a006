"""Write the rows of a file of figures of other benchmarks."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import QuerySet

from annotation.models import ImportBatch, User
from annotation.rules.tabular.figure_mappings import FigureMapping
from annotation.rules.tabular.figures import Reader
from annotation.rules.tabular.problems import Problem
from annotation.rules.tabular.records import Record
from scoring.models import BenchmarkFigure
from scoring.queries.benchmark_checks import Found, Resolver


def begin(*, batch: ImportBatch, report: dict[str, Any], by: User, now: datetime) -> None:
    """Nothing has to be there before the first figure."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """Rows that were read and looked up; what is left to do is to write."""

    found: list[Found]

    @property
    def problems(self) -> list[Problem]:
        return [problem for one in self.found for problem in one.problems]


class Writer:
    def __init__(self, batch: ImportBatch, mapping: FigureMapping) -> None:
        self._batch = batch
        self._reader = Reader(mapping)
        self._resolver = Resolver(batch.project, mapping)
        self._number = 0

    def remember(self, records: list[Record]) -> None:
        self._number += len(records)

    def prepare(self, records: list[Record]) -> Prepared:
        rows = [
            self._reader.read(record, number)
            for number, record in enumerate(records, start=self._number)
        ]
        self._number += len(records)
        return Prepared(self._resolver.resolve(rows))

    def write(self, prepared: Prepared) -> dict[str, int]:
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
