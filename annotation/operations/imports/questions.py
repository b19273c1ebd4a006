"""Write the rows of a file of questions: drafts in the bank, out of sight until all are in."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _

from annotation.models import (
    Citation,
    ImportBatch,
    Project,
    Question,
    QuestionComment,
    QuestionVersion,
    Source,
    User,
)
from annotation.operations import searching
from annotation.operations.bank import sources
from annotation.operations.bank.refusals import NotNow
from annotation.operations.imports import appearing
from annotation.queries import standing
from annotation.queries.imports import files
from annotation.queries.imports.corpus import Placed
from annotation.queries.imports.questions import Fate, Resolved, Resolver, writers
from annotation.rules import questions as rules
from annotation.rules.tabular.citations import Cited
from annotation.rules.tabular.mappings import QuestionMapping
from annotation.rules.tabular.problems import Problem
from annotation.rules.tabular.questions import Reader
from annotation.rules.tabular.records import Record


def author_of(*, project: Project, mapping: QuestionMapping, by: User) -> User:
    """Return whose drafts the questions become.

    Raises:
        NotNow: their role does not write questions, or they name somebody else without being
            curator or owner, or somebody who does not write questions here.
    """
    roles = standing.roles(project.pk, by)
    if not roles & rules.DESIGNERS:
        raise NotNow(_("Your role in this project does not write questions."))
    if mapping.author in {"", by.username}:
        return by
    if not roles & rules.CURATORS:
        raise NotNow(_("Only owners and curators bring in questions under another name."))
    found = writers(project).get(mapping.author)
    if found is None:
        raise NotNow(
            _("%(name)s may not write questions here any more. Choose another author.")
            % {"name": mapping.author}
        )
    return found


def begin(*, batch: ImportBatch, report: Mapping[str, Any], by: User) -> None:
    """Make the capabilities and subject areas of which the check said that they are missing.

    Raises:
        NotNow: they do not write questions, or not under the name that was chosen.
    """
    author_of(project=batch.project, mapping=QuestionMapping.from_dict(batch.mapping), by=by)
    appearing.create_missing(
        batch=batch,
        capabilities=report["new_capabilities"],
        domains=report["new_domains"],
        by=by,
    )


@dataclass(frozen=True, slots=True)
class Prepared:
    """Rows that were read and looked up; what is left to do is to write."""

    found: list[Resolved]

    @property
    def problems(self) -> list[Problem]:
        return [problem for one in self.found for problem in one.problems]


class Writer:
    def __init__(self, batch: ImportBatch, mapping: QuestionMapping) -> None:
        shielded = batch.upload is not None and files.is_table(batch.upload)
        self._batch = batch
        self._mapping = mapping
        self._reader = Reader(mapping, shielded=shielded)
        self._resolver = Resolver(batch.project, mapping, self._reader.said)
        self._author = writers(batch.project).get(mapping.author, batch.created_by)
        self._now = batch.created_at

    def remember(self, records: list[Record]) -> None:
        self._resolver.remember([self._reader.read(record) for record in records])

    def prepare(self, records: list[Record]) -> Prepared:
        return Prepared(self._resolver.resolve([self._reader.read(record) for record in records]))

    def write(self, prepared: Prepared) -> dict[str, int]:
        wanted = [one for one in prepared.found if one.fate in {Fate.NEW, Fate.VERSION}]
        made = self._sources(wanted)
        versions = [self._version(one) for one in wanted]
        Question.everything.bulk_create([one.question for one in versions])
        QuestionVersion.objects.bulk_create(versions)
        searching.keep_questions(versions=versions, new=True)
        pairs = list(zip(wanted, versions, strict=True))
        Citation.objects.bulk_create(
            citation for one, version in pairs for citation in _citations(version, one.placed)
        )
        notes = [self._note(one, version) for one, version in pairs if _has_note(one)]
        QuestionComment.objects.bulk_create(notes)
        return {
            "questions": sum(one.fate == Fate.NEW for one in wanted),
            "new_versions": sum(one.fate == Fate.VERSION for one in wanted),
            "unchanged": sum(one.fate == Fate.SAME for one in prepared.found),
            "sources": made,
            "notes": len(notes),
        }

    def finish(self, now: datetime) -> None:
        """Nothing is left to do when all rows are in."""

    def _sources(self, wanted: Sequence[Resolved]) -> int:
        """Add the sources that rows cite and the corpus lacks."""
        missing = {
            place.cited.title: place.cited
            for one in reversed(wanted)
            for place in reversed(one.placed)
            if place.source_version is None
        }
        if not missing:
            return 0
        made = sources.add_missing(
            project=self._batch.project,
            found=[(_about(one), _said(one)) for one in missing.values()],
            by=self._batch.created_by,
            now=self._now,
        )
        self._resolver.corpus.look_again()
        for one in wanted:
            for place in one.placed:
                place.source_version = place.source_version or self._resolver.corpus.version_of(
                    place.cited
                )
        return made

    def _version(self, one: Resolved) -> QuestionVersion:
        said = one.row.question
        assert said is not None
        old = one.newest
        question = Question(
            project=self._batch.project,
            external_id=said.external_id if old is None else _place_holder(self._batch, old),
            state=Question.State.STAGED,
            stands_for_id=old.question_id if old else None,
            created_by=self._author,
            created_at=self._now,
            batch=self._batch,
        )
        given: dict[str, Any] = {
            "turns": said.turns,
            "answer": said.answer,
            "key_points": said.key_points,
            "capability_id": one.capability,
            "domain_id": one.domain,
            "difficulty": said.difficulty,
            "question_type": said.question_type,
            "principle": said.principle,
            "as_of": said.as_of,
            "valid_until": said.valid_until,
            "tags": said.tags,
            "language": said.language,
        }
        if old is not None:  # what the file does not speak of stays as it was
            kept = {name for name in given if name.removesuffix("_id") not in self._reader.said}
            given |= {name: getattr(old, name) for name in kept}
        return QuestionVersion(
            question=question,
            number=old.number + 1 if old else 1,
            author=self._author,
            created_at=self._now,
            saved_at=self._now,
            batch=self._batch,
            **given,
        )

    def _note(self, one: Resolved, version: QuestionVersion) -> QuestionComment:
        assert one.row.question is not None
        return QuestionComment(
            question=version.question,
            version=version,
            text=one.row.question.note,
            author=self._batch.created_by,
            at=self._now,
        )


def _has_note(one: Resolved) -> bool:
    """A changed question's notes would stay with it after an undo, so only new ones bring theirs."""
    return bool(one.fate == Fate.NEW and one.row.question and one.row.question.note)


def _place_holder(batch: ImportBatch, old: QuestionVersion) -> str:
    """Return an id for the question that holds a next version until all rows are in."""
    return f"import {batch.number}: {old.question_id}"


def _citations(version: QuestionVersion, placed: Sequence[Placed]) -> Iterator[Citation]:
    places: dict[tuple[int | None, str], Placed] = {}
    for one in placed:
        places.setdefault((one.source_version, one.cited.locator), one)
    for position, ((source_version, locator), one) in enumerate(places.items()):
        if source_version is not None:
            yield Citation(
                version=version,
                source_version_id=source_version,
                locator=locator,
                start=one.start,
                end=one.end,
                position=position,
            )


def _about(one: Cited) -> sources.About:
    kind = one.kind or (Source.Kind.WEB if one.address else Source.Kind.DOCUMENT)
    return sources.About(one.title, kind, one.address, one.publisher, one.licence)


def _said(one: Cited) -> sources.Said:
    return sources.Said(
        retrieved_on=one.retrieved_on, valid_from=one.valid_from, valid_until=one.valid_until
    )
