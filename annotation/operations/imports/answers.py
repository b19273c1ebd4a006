"""Write the rows of a file of questions and answers."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from django.db.models import Q

from annotation.models import (
    ImportBatch,
    Item,
    Response,
    System,
    SystemRelease,
    User,
)
from annotation.operations import searching, taxonomy
from annotation.queries.imports.answers import Key, Resolved, Resolver
from annotation.rules.tabular import choice_rows
from annotation.rules.tabular.answers import Answer, Question, Reader, Row
from annotation.rules.tabular.choice_mappings import ChoiceMapping
from annotation.rules.tabular.mappings import AnswerMapping
from annotation.rules.tabular.problems import Problem
from annotation.rules.tabular.records import Record

COLOURS = 8


@dataclass(frozen=True, slots=True)
class Prepared:
    """Rows that were read and looked up; what is left to do is to write."""

    found: list[Resolved]

    @property
    def problems(self) -> list[Problem]:
        return [problem for one in self.found for problem in one.problems]


class RowReader(Protocol):
    def read(self, record: Record) -> Row: ...


class Writer:
    """Writes questions, with or without answers: of multiple choice where the mapping says so."""

    def __init__(self, batch: ImportBatch, mapping: AnswerMapping | ChoiceMapping) -> None:
        self._batch = batch
        self._reader: RowReader = (
            choice_rows.Reader(mapping, file_name=batch.file_name)
            if isinstance(mapping, ChoiceMapping)
            else Reader(mapping)
        )
        self._resolver = Resolver(batch.project, mapping, batch)
        self._now = batch.created_at

    def remember(self, records: list[Record]) -> None:
        self._resolver.remember([self._reader.read(record) for record in records])

    def prepare(self, records: list[Record]) -> Prepared:
        return Prepared(self._resolver.resolve([self._reader.read(record) for record in records]))

    def write(self, prepared: Prepared) -> dict[str, int]:
        found = prepared.found
        made = self._systems(found)
        items = self._items(found)
        made["responses"] = self._responses(found, items)
        made["items"] = len(items.new)
        made["known_items"] = sum(one.is_first and not one.is_new for one in found)
        made["known_responses"] = sum(one.n_known for one in found)
        return made

    def finish(self, now: datetime) -> None:
        """Nothing is left to do when all rows are in."""

    def _systems(self, found: Sequence[Resolved]) -> dict[str, int]:
        wanted = dict.fromkeys(
            (answer.system, answer.release) for one in found for answer in one.new_answers
        )
        missing = [key for key in wanted if key not in self._resolver.releases]
        if not missing:
            return {}
        systems = self._resolver.systems()
        names = [name for name in dict.fromkeys(name for name, _ in missing) if name not in systems]
        n_systems = System.objects.filter(project=self._batch.project).count()
        for place, name in enumerate(names, start=n_systems):
            made = System.objects.create(
                project=self._batch.project,
                name=name,
                colour=place % COLOURS + 1,
                batch=self._batch,
                created_at=self._now,
            )
            systems[name] = made.pk
        SystemRelease.objects.bulk_create(
            SystemRelease(
                system_id=systems[name], label=label, batch=self._batch, created_at=self._now
            )
            for name, label in missing
        )
        self._resolver.look_again()
        return {"systems": len(names), "releases": len(missing)}

    def _items(self, found: Sequence[Resolved]) -> "_Items":
        known: dict[Key, int] = {
            one.key: one.item.pk for one in found if one.key and one.item is not None
        }
        new = [
            (one.key, self._item(one.row.question))
            for one in found
            if one.is_new and one.key and one.row.question
        ]
        searching.keep_items(items=Item.objects.bulk_create([item for _, item in new]), new=True)
        return _Items(known | {key: item.pk for key, item in new}, [key for key, _ in new])

    def _item(self, question: Question) -> Item:
        capability, domain = self._resolver.labels(question)
        return Item(
            project=self._batch.project,
            external_id=question.external_id,
            content_sha=question.content_sha,
            prompt_sha=question.prompt_sha,
            group=question.group,
            messages=question.messages,
            reference=question.reference,
            key_points=question.key_points,
            extra=question.extra,
            capability_id=capability,
            domain_id=domain,
            difficulty=question.difficulty,
            question_type=question.question_type,
            as_of=question.as_of,
            batch=self._batch,
            created_at=self._now,
        )

    def _responses(self, found: Sequence[Resolved], items: "_Items") -> int:
        rows = [
            self._response(items.pks[one.key], answer)
            for one in found
            if one.key
            for answer in one.new_answers
        ]
        searching.keep_responses(responses=Response.objects.bulk_create(rows))
        return len(rows)

    def _response(self, item: int, answer: Answer) -> Response:
        return Response(
            item_id=item,
            release_id=self._resolver.releases[answer.system, answer.release],
            sample_no=answer.sample_no,
            content_sha=answer.content_sha,
            messages=answer.messages,
            details=answer.details,
            batch=self._batch,
            created_at=self._now,
        )


@dataclass(frozen=True, slots=True)
class _Items:
    pks: dict[Key, int]
    new: list[Key]


def create_missing(*, batch: ImportBatch, report: dict[str, Any], by: User, now: datetime) -> None:
    """Make the capabilities and domains of which the check said that they are missing."""
    project = batch.project
    for name in report["new_capabilities"]:
        if not project.capabilities.filter(Q(name=name)).exists():
            taxonomy.save_capability(
                project=project, text=taxonomy.CapabilityText(name), by=by, now=now
            )
    for name in report["new_domains"]:
        if not project.domains.filter(Q(name=name)).exists():
            taxonomy.save_domain(project=project, text=taxonomy.DomainText(name), by=by, now=now)
