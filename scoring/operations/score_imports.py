"""Write the rows of a file of scores: judgments of judges and metrics, each declared first."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import QuerySet

from annotation.models import Criterion, ImportBatch, Rater, RubricVersion, User
from annotation.rubrics import measures
from annotation.rules.tabular.machines import Machine as Declared
from annotation.rules.tabular.problems import Problem
from annotation.rules.tabular.records import Record
from annotation.rules.tabular.score_mappings import ScoreMapping
from annotation.rules.tabular.scores import Reader, Score
from scoring.models import Judgment, Machine
from scoring.queries import score_checks
from scoring.queries.score_checks import Judged, Resolver


def begin(*, batch: ImportBatch, report: dict[str, Any], by: User, now: datetime) -> None:
    """Declare the judges and metrics of which the check found scores."""
    mapping = ScoreMapping.from_dict(batch.mapping)
    judges: dict[str, Declared] = {}
    for one in mapping.machines:
        judges.setdefault(one.name, one)
    for one in judges.values():
        criteria = report["criteria"].get(one.name)
        if criteria:
            machine = _meet(batch, one, now)
            wanted = score_checks.measures(mapping, one.name, criteria)
            measures.declare(rubric=machine.rubric, measures=wanted, by=by, now=now)


@dataclass(frozen=True, slots=True)
class Prepared:
    """Rows that were read and looked up; what is left to do is to write."""

    found: list[Judged]

    @property
    def problems(self) -> list[Problem]:
        return [problem for one in self.found for problem in one.problems]


class Writer:
    def __init__(self, batch: ImportBatch, mapping: ScoreMapping) -> None:
        self._batch = batch
        self._reader = Reader(mapping)
        self._resolver = Resolver(batch.project, mapping)
        self._ordinal = 0
        self._raters: dict[str, int] = {}
        self._criteria: dict[tuple[str, str], int] = {}
        kinds = {one.name: one.kind for one in mapping.machines}
        for machine in _machines(batch, kinds):
            name = machine.rater.ref
            self._raters[name] = machine.rater_id
            version = RubricVersion.objects.filter(rubric=machine.rubric_id).order_by("-number")[0]
            rows = Criterion.objects.filter(rubric_version=version)
            self._criteria |= {(name, row.name): row.pk for row in rows}

    def remember(self, records: list[Record]) -> None:
        self._ordinal += len(records)

    def prepare(self, records: list[Record]) -> Prepared:
        rows = [
            self._reader.read(record, ordinal)
            for ordinal, record in enumerate(records, start=self._ordinal)
        ]
        self._ordinal += len(records)
        return Prepared(self._resolver.resolve(rows))

    def write(self, prepared: Prepared) -> dict[str, int]:
        made = [
            self._judgment(one.place.response, score)
            for one in prepared.found
            for score in one.scores
        ]
        Judgment.objects.bulk_create(made)
        n_scored = sum(one.value is not None for one in made)
        n_known = sum(one.n_known for one in prepared.found)
        return {"scores": n_scored, "unscored": len(made) - n_scored, "known": n_known}

    def finish(self, now: datetime) -> None:
        """Nothing is left to do when all rows are in."""

    def _judgment(self, response: int, score: Score) -> Judgment:
        return Judgment(
            rater_id=self._raters[score.rater],
            response_id=response,
            criterion_id=self._criteria[score.rater, score.criterion],
            batch=self._batch,
            line=score.number,
            outcome=score.outcome,
            reason=score.reason,
            value=score.value,
            label=score.label,
            text=score.text,
            at=score.at,
        )


def layers(batch: ImportBatch) -> "Iterator[QuerySet[Any]]":
    """Yield what an undo takes away. What was declared of judges and metrics stays."""
    yield Judgment.objects.filter(batch=batch)


def _meet(batch: ImportBatch, one: Declared, now: datetime) -> Machine:
    rater, _new = Rater.objects.get_or_create(
        project=batch.project, kind=one.kind, ref=one.name, defaults={"created_at": now}
    )
    machine = Machine.objects.filter(rater=rater).first()
    if machine is None:
        rubric = measures.create(project=batch.project, name=one.name, now=now)
        return Machine.objects.create(
            rater=rater, rubric=rubric, family=one.family[:80], created_at=now
        )
    if one.family and one.family != machine.family:
        machine.family = one.family[:80]
        machine.save(update_fields=["family"])
    return machine


def _machines(batch: ImportBatch, kinds: dict[str, str]) -> list[Machine]:
    rows = Machine.objects.filter(rater__project=batch.project, rater__ref__in=list(kinds))
    return [one for one in rows.select_related("rater") if kinds[one.rater.ref] == one.rater.kind]
