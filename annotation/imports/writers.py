"""Let the questions of an import be seen, all at once, and take them out of sight again.

* Write the rows of a file of questions and answers.
* Write the rows of a file of questions: drafts in the bank, out of sight until all are in.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Protocol

from django.db.models import OuterRef, QuerySet, Subquery
from django.utils.translation import gettext as _

from annotation.bank.models import Citation, Question, QuestionComment, QuestionVersion
from annotation.domains import operations as taxonomy
from annotation.domains.models import Capability, Domain
from annotation.files import choices as choice_rows
from annotation.files import stored as files
from annotation.files.answers import AnsweredItem, AnswersReader, AnswersRow, CitedPlace, FileAnswer
from annotation.files.cells import FileRecord
from annotation.files.choices import ChoiceMapping
from annotation.files.mappings import AnswerMapping, QuestionMapping
from annotation.files.models import ImportBatch
from annotation.files.questions import QuestionsReader
from annotation.imports.answers import AnswersResolved, AnswersResolver, Key
from annotation.imports.found import PreparedRows
from annotation.imports.places import Placed
from annotation.imports.questions import QuestionsResolved, QuestionsResolver, RowFate, writers
from annotation.people import queries as people_queries
from annotation.people import rules as people_rules
from annotation.people.models import Project, User
from annotation.search import operations as searching
from annotation.search import similarity
from annotation.search.models import IndexedText
from annotation.sources import operations as sources
from annotation.sources.models import Source
from annotation.systems.models import Item, Response, System, SystemRelease
from evalsite import errors
from evalsite.db.rows import insert, insert_with_keys

STEP = " › "


def appear(batch: ImportBatch) -> None:
    """Show the questions that an import brought, and hand next versions to their questions.

    Called in the transaction that applies the import. A question that got another version
    meanwhile is an IntegrityError: nothing appears.
    """
    holders = Question.everything.filter(batch=batch, stands_for__isnull=False)
    held = QuestionVersion.objects.filter(batch=batch, question__in=holders.values("pk"))
    target = Question.everything.filter(pk=OuterRef("question_id")).values("stands_for_id")
    changed = list(holders.values_list("stands_for_id", flat=True))
    if changed:
        searching.follow(questions=holders)
        held.update(question_id=Subquery(target))
        holders._raw_delete(holders.db)  # nothing refers to them now
        _read_anew(changed)
    Question.everything.filter(batch=batch, state=Question.State.STAGED).update(
        state=Question.State.LIVE
    )


def hide(batch: ImportBatch) -> None:
    """Take the questions of an import out of sight.

    Called in the transaction that begins to take the import back, before it is asked what stands
    on them: from here on nobody can begin to use them.
    """
    live = Question.everything.filter(batch=batch, state=Question.State.LIVE)
    live.update(state=Question.State.STAGED)


def take_later_versions(batch: ImportBatch) -> None:
    """Take next versions away from questions that were here before, all at once."""
    later = later_versions(batch)
    changed = list(later.values_list("question_id", flat=True))
    if changed:
        Citation.objects.filter(version__in=later.values("pk")).delete()
        later.delete()
        for start in range(0, len(changed), 500):
            searching.forget(questions=changed[start : start + 500])
        _read_anew(changed)
        # Their earlier wording is found as soon as a worker has read it.
        similarity.ring(batch.project_id)


def later_versions(batch: ImportBatch) -> "QuerySet[QuestionVersion]":
    """Return the versions that an import added to questions that were there before."""
    return QuestionVersion.objects.filter(batch=batch).exclude(question__batch=batch)


def _read_anew(questions: Sequence[int]) -> None:
    """Have near-duplicates of these questions be found by their newest wording, by and by."""
    for start in range(0, len(questions), 500):
        some = questions[start : start + 500]
        IndexedText.objects.filter(question__in=some).update(method=0)


def create_missing(*, batch: ImportBatch, report: Mapping[str, Any], by: User) -> None:
    """Make the capabilities and subject areas that the check missed, with what they stand below."""
    project, now = batch.project, batch.created_at
    for path in report["new_capabilities"]:
        above: Capability | None = None
        for name in path.split(STEP):
            here = Capability.objects.filter(project=project, parent=above, name=name).first()
            above = here or taxonomy.save_capability(
                project=project, text=taxonomy.CapabilityText(name, above), by=by, now=now
            )
    for path in report["new_domains"]:
        over: Domain | None = None
        for name in path.split(STEP):
            there = Domain.objects.filter(project=project, parent=over, name=name).first()
            over = there or taxonomy.save_domain(
                project=project, text=taxonomy.DomainText(name, over), by=by, now=now
            )


COLOURS = 8
#: The columns of an answer, in the order in which they are written.
ITEM: Final = (
    "project_id",
    "external_id",
    "content_sha",
    "prompt_sha",
    "group",
    "messages",
    "reference",
    "key_points",
    "extra",
    "capability_id",
    "domain_id",
    "difficulty",
    "question_type",
    "as_of",
    "batch_id",
    "created_at",
)
RESPONSE: Final = (
    "item_id",
    "release_id",
    "sample_no",
    "content_sha",
    "messages",
    "origin",
    "details",
    "batch_id",
    "created_at",
)


class ReadsRows(Protocol):
    def rows(self, record: FileRecord) -> list[AnswersRow]: ...


class QuestionsWriter:
    """Writes questions, with or without answers: of multiple choice where the mapping says so."""

    def __init__(self, batch: ImportBatch, mapping: AnswerMapping | ChoiceMapping) -> None:
        self._batch = batch
        self._reader: ReadsRows = (
            choice_rows.ChoiceReader(mapping, file_name=batch.file_name)
            if isinstance(mapping, ChoiceMapping)
            else AnswersReader(mapping, batch.told, people_queries.masks_of(batch.project).lexicon)
        )
        self._resolver = AnswersResolver(batch.project, mapping, batch, batch.told)
        self._now = batch.created_at

    def remember(self, records: list[FileRecord]) -> None:
        self._resolver.remember(self._rows(records))

    def prepare(self, records: list[FileRecord]) -> PreparedRows[AnswersResolved]:
        return PreparedRows(self._resolver.resolve(self._rows(records)))

    def _rows(self, records: list[FileRecord]) -> list[AnswersRow]:
        return [row for record in records for row in self._reader.rows(record)]

    def write(self, prepared: PreparedRows[AnswersResolved]) -> dict[str, int]:
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

    def _systems(self, found: Sequence[AnswersResolved]) -> dict[str, int]:
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

    def _items(self, found: Sequence[AnswersResolved]) -> "_Items":
        known: dict[Key, int] = {
            one.key: one.item.pk for one in found if one.key and one.item is not None
        }
        new = [one for one in found if one.is_new and one.key and one.row.question]
        rows = (self._item(one.row.question) for one in new if one.row.question)
        keys = [one.key for one in new if one.key]
        pks = insert_with_keys(Item, ITEM, rows)
        return _Items(known | dict(zip(keys, pks, strict=True)), keys)

    def _item(self, question: AnsweredItem) -> tuple[Any, ...]:
        return (
            self._batch.project_id,
            question.external_id,
            question.content_sha,
            question.prompt_sha,
            question.group,
            question.messages,
            question.reference,
            question.key_points,
            question.extra,
            *self._resolver.labels(question),
            question.difficulty,
            question.question_type,
            question.as_of,
            self._batch.pk,
            self._now,
        )

    def _responses(self, found: Sequence[AnswersResolved], items: "_Items") -> int:
        return insert(
            Response,
            RESPONSE,
            (
                (items.pks[one.key], *self._response(answer))
                for one in found
                if one.key
                for answer in one.new_answers
            ),
        )

    def _response(self, answer: FileAnswer) -> tuple[Any, ...]:
        return (
            self._resolver.releases[answer.system, answer.release],
            answer.sample_no,
            answer.content_sha,
            answer.messages,
            str(Response.Origin.IMPORTED),
            answer.details,
            self._batch.pk,
            self._now,
        )


@dataclass(frozen=True, slots=True)
class _Items:
    pks: dict[Key, int]
    new: list[Key]


def author_of(*, project: Project, mapping: QuestionMapping, by: User) -> User:
    """Return whose drafts the questions become.

    Raises:
        NotNow: their role does not write questions, or they name somebody else without being
            curator or owner, or somebody who does not write questions here.
    """
    roles = people_queries.roles(project.pk, by)
    if not roles & people_rules.DESIGNERS:
        raise errors.NotNow(_("Your role in this project does not write questions."))
    if mapping.author in {"", by.username}:
        return by
    if not roles & people_rules.CURATORS:
        raise errors.NotNow(_("Only owners and curators bring in questions under another name."))
    found = writers(project).get(mapping.author)
    if found is None:
        raise errors.NotNow(
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
    create_missing(batch=batch, report=report, by=by)


class QuestionWriter:
    def __init__(self, batch: ImportBatch, mapping: QuestionMapping) -> None:
        shielded = batch.upload is not None and files.is_table(batch.upload)
        self._batch = batch
        self._mapping = mapping
        self._reader = QuestionsReader(mapping, shielded=shielded)
        self._resolver = QuestionsResolver(batch.project, mapping, self._reader.said)
        self._author = writers(batch.project).get(mapping.author, batch.created_by)
        self._now = batch.created_at

    def remember(self, records: list[FileRecord]) -> None:
        self._resolver.remember([self._reader.read(record) for record in records])

    def prepare(self, records: list[FileRecord]) -> PreparedRows[QuestionsResolved]:
        return PreparedRows(
            self._resolver.resolve([self._reader.read(record) for record in records])
        )

    def write(self, prepared: PreparedRows[QuestionsResolved]) -> dict[str, int]:
        wanted = [one for one in prepared.found if one.fate in {RowFate.NEW, RowFate.VERSION}]
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
            "questions": sum(one.fate == RowFate.NEW for one in wanted),
            "new_versions": sum(one.fate == RowFate.VERSION for one in wanted),
            "unchanged": sum(one.fate == RowFate.SAME for one in prepared.found),
            "sources": made,
            "notes": len(notes),
        }

    def finish(self, now: datetime) -> None:
        """Nothing is left to do when all rows are in."""

    def _sources(self, wanted: Sequence[QuestionsResolved]) -> int:
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

    def _version(self, one: QuestionsResolved) -> QuestionVersion:
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

    def _note(self, one: QuestionsResolved, version: QuestionVersion) -> QuestionComment:
        assert one.row.question is not None
        return QuestionComment(
            question=version.question,
            version=version,
            text=one.row.question.note,
            author=self._batch.created_by,
            at=self._now,
        )


def _has_note(one: QuestionsResolved) -> bool:
    """A changed question's notes would stay with it after an undo, so only new ones bring theirs."""
    return bool(one.fate == RowFate.NEW and one.row.question and one.row.question.note)


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


def _about(one: CitedPlace) -> sources.SourceAbout:
    kind = one.kind or (Source.Kind.WEB if one.address else Source.Kind.DOCUMENT)
    return sources.SourceAbout(one.title, kind, one.address, one.publisher, one.licence)


def _said(one: CitedPlace) -> sources.SourceSaid:
    return sources.SourceSaid(
        retrieved_on=one.retrieved_on, valid_from=one.valid_from, valid_until=one.valid_until
    )
