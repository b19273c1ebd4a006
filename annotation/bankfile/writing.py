"""Paths of areas and capabilities: how records name them.

* Who a bank file speaks of: pseudonyms that lead back to an account only where it was written.
* A project's bank as records: part by part, page by page, however long it is.
"""

import uuid
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any, TypeVar

from django.db import models as orm
from django.utils.crypto import salted_hmac

from annotation.bank.models import (
    Checklist,
    Citation,
    Finding,
    Inspection,
    MachineDraft,
    Question,
    QuestionChange,
    QuestionComment,
    QuestionVersion,
)
from annotation.common import scales
from annotation.domains.models import Capability, Domain, PlanCell
from annotation.people.models import Membership, Project, User
from annotation.rubrics.models import Rubric, RubricVersion
from annotation.sources.models import Source, SourceCollection

Path = list[str]
N = TypeVar("N", Capability, Domain)


def walked(rows: Iterable[N]) -> Iterator[tuple[Path, N]]:
    """Yield the nodes of a tree with their paths, each after the one it stands below."""
    below: defaultdict[int | None, list[N]] = defaultdict(list)
    for one in rows:
        below[one.parent_id].append(one)

    def under(path: Path, key: int | None) -> Iterator[tuple[Path, N]]:
        for one in sorted(below[key], key=lambda each: (each.position, each.name)):
            yield [*path, one.name], one
            yield from under([*path, one.name], one.pk)

    yield from under([], None)


#: Accounts that stand for the people of a bank from elsewhere; no person can choose such a name.
FOREIGN = "bank:"


def pseudonym(user: User) -> str:
    """Return what an account is called in a file; whoever came in by a file keeps the name they had."""
    if user.username.startswith(FOREIGN):
        return str(user.public_id)
    mac = salted_hmac("evalsite.bank.person", str(user.public_id), algorithm="sha256")
    return str(uuid.UUID(bytes=mac.digest()[:16]))


def known(project: Project, wanted: Iterable[str]) -> dict[str, int]:
    """Return the accounts behind pseudonyms: members, and whoever came in by a file before."""
    asked = set(wanted)
    members = Membership.objects.filter(project=project).values("user")
    ours = {pseudonym(one): one.pk for one in User.objects.filter(pk__in=members)}
    found = {name: pk for name, pk in ours.items() if name in asked}
    names = [FOREIGN + name for name in asked]
    for start in range(0, len(names), 500):
        some = User.objects.filter(username__in=names[start : start + 500])
        found |= {str(one.public_id): one.pk for one in some if str(one.public_id) not in found}
    return found


def name_of(user: User) -> str:
    person = getattr(user, "person", None)
    return person.name if person else ""


PAGE = 250
Made = dict[str, Any]
M = TypeVar("M", bound=orm.Model)


class Bank:
    """Reads the parts of a project's bank and remembers who they speak of."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self._names: dict[int, str] = {}
        self._capabilities: dict[int, Path] = {}
        self._domains: dict[int, Path] = {}

    def parts(self) -> dict[str, Callable[[], Iterable[Made]]]:
        """Return how each part is read, in the order of writing: who is referred to comes last."""
        return {
            "questions": self.questions,
            "plan": self.plan,
            "sources": self.sources,
            "collections": self.collections,
            "capabilities": self.capabilities,
            "domains": self.domains,
            "rubrics": self.rubrics,
            "checklists": self.checklists,
        }

    def people(self, *, named: bool) -> list[Made]:
        """Return everybody whom the parts that were read speak of; by name only where wished."""
        users = User.objects.filter(pk__in=list(self._names)).select_related("person")
        rows = [(self._names[one.pk], name_of(one) if named else "") for one in users]
        return [{"id": pseudonym, "name": name} for pseudonym, name in sorted(rows)]

    def questions(self, ids: Sequence[str] | None = None) -> Iterator[Made]:
        """Yield every question with all its versions, in the order in which they came.

        Args:
            ids: only those of these external ids.
        """
        rows = Question.objects.filter(project=self.project).order_by("pk")
        if ids is not None:
            rows = rows.filter(external_id__in=ids)
        after = 0
        while page := list(rows.filter(pk__gt=after)[:PAGE]):
            yield from self._page(page)
            after = page[-1].pk

    def plan(self) -> Iterator[Made]:
        cells = PlanCell.objects.filter(project=self.project).order_by("pk")
        for one in cells.prefetch_related("shares"):
            yield {
                "capability": self._capability(one.capability_id),
                "difficulty": one.difficulty,
                "domain": self._domain(one.domain_id),
                "wanted": one.wanted,
                "shares": [
                    {"who": self._who(each.designer_id), "n": each.n, "due_on": _day(each.due_on)}
                    for each in sorted(one.shares.all(), key=lambda each: each.pk)
                ],
            }

    def sources(self) -> Iterator[Made]:
        rows = Source.objects.filter(project=self.project).order_by("pk")
        after = 0
        while page := list(
            rows.filter(pk__gt=after)
            .select_related("collection")
            .prefetch_related("versions__checks")[:50]
        ):
            for one in page:
                yield self._source(one)
            after = page[-1].pk

    def collections(self) -> Iterator[Made]:
        for one in SourceCollection.objects.filter(project=self.project).order_by("pk"):
            yield {
                "name": one.name,
                "note": one.note,
                "by": self._who(one.created_by_id),
                "at": _moment(one.created_at),
            }

    def capabilities(self) -> Iterator[Made]:
        rows = Capability.objects.filter(project=self.project).select_related("rubric")
        own = self._own_rubrics()
        for path, one in walked(rows):
            yield {
                "path": path,
                "kind": one.kind,
                "definition": one.definition,
                "difficulties": one.difficulties,
                "question_type": one.question_type,
                "weight": scales.text(one.weight),
                "rubric": one.rubric.key if one.rubric and one.rubric_id in own else None,
                "position": one.position,
            }

    def domains(self) -> Iterator[Made]:
        for path, one in walked(Domain.objects.filter(project=self.project)):
            yield {
                "path": path,
                "definition": one.definition,
                "completeness_note": one.completeness_note,
                "priority": one.priority,
                "in_scope": one.in_scope,
                "position": one.position,
            }

    def rubrics(self) -> Iterator[Made]:
        """Yield the rubrics for people; those of metrics and judges are made where they run."""
        rows = Rubric.objects.filter(pk__in=self._own_rubrics()).order_by("pk")
        for one in rows.prefetch_related("versions__criteria__levels"):
            yield {
                "key": one.key,
                "name": one.name,
                "at": _moment(one.created_at),
                "versions": [
                    self._rubric_version(each)
                    for each in sorted(one.versions.all(), key=lambda each: each.number)
                ],
            }

    def checklists(self) -> Iterator[Made]:
        for one in Checklist.objects.filter(project=self.project).order_by("number"):
            yield {
                "number": one.number,
                "lines": one.lines,
                "by": self._who(one.created_by_id) if one.created_by_id else None,
                "at": _moment(one.created_at),
            }

    def _own_rubrics(self) -> set[int]:
        rows = Rubric.objects.filter(project=self.project).for_people()
        return set(rows.values_list("pk", flat=True))

    def _rubric_version(self, one: RubricVersion) -> Made:
        return {
            "number": one.number,
            "principle": one.principle,
            "by": self._who(one.created_by_id) if one.created_by_id else None,
            "at": _moment(one.created_at),
            "frozen_at": _day(one.frozen_at),
            "criteria": [
                {
                    "key": each.key,
                    "name": each.name,
                    "description": each.description,
                    "position": each.position,
                    "minimum": _decimal(each.minimum),
                    "maximum": _decimal(each.maximum),
                    "higher_is_better": each.higher_is_better,
                    "step": _decimal(each.step),
                    "pass_at": _decimal(each.pass_at),
                    "weight": scales.text(each.weight),
                    "levels": [
                        {
                            "value": scales.text(level.value),
                            "label": level.label,
                            "description": level.description,
                            "examples": level.examples,
                        }
                        for level in each.levels.all()
                    ],
                }
                for each in one.criteria.all()
            ],
        }

    def _source(self, one: Source) -> Made:
        return {
            "title": one.title,
            "kind": one.kind,
            "address": one.address,
            "publisher": one.publisher,
            "licence": one.licence,
            "collection": one.collection.name if one.collection else None,
            "by": self._who(one.created_by_id),
            "at": _moment(one.created_at),
            "versions": [
                {
                    "number": each.number,
                    "sha": each.sha,
                    "text": each.text,
                    "retrieved_on": _day(each.retrieved_on),
                    "valid_from": _day(each.valid_from),
                    "valid_until": _day(each.valid_until),
                    "note": each.note,
                    "file": each.file,
                    "by": self._who(each.created_by_id),
                    "at": _moment(each.created_at),
                    "checks": [
                        {
                            "outcome": check.outcome,
                            "how": check.how,
                            "by": self._who(check.by_id),
                            "at": _moment(check.at),
                        }
                        for check in each.checks.all()
                    ],
                }
                for each in sorted(one.versions.all(), key=lambda each: each.number)
            ],
        }

    def _page(self, page: list[Question]) -> Iterator[Made]:
        of = [one.pk for one in page]
        versions = QuestionVersion.objects.filter(question__in=of).order_by("number")
        by_question = _grouped(versions, "question_id")
        changes = _grouped(QuestionChange.objects.filter(question__in=of), "question_id")
        said = QuestionComment.objects.filter(question__in=of).select_related("version")
        comments = _grouped(said.defer("version__turns", "version__answer"), "question_id")
        made = _Versions(self, [each.pk for rows in by_question.values() for each in rows])
        for one in page:
            yield {
                "external_id": one.external_id,
                "state": one.state,
                "by": self._who(one.created_by_id),
                "at": _moment(one.created_at),
                "versions": [made.record(each) for each in by_question[one.pk]],
                "changes": [
                    {
                        "old": each.old,
                        "new": each.new,
                        "reason": each.reason,
                        "by": self._who(each.by_id),
                        "at": _moment(each.at),
                    }
                    for each in changes[one.pk]
                ],
                "comments": [
                    {
                        "version": each.version.number if each.version else None,
                        "field": each.field,
                        "text": each.text,
                        "by": self._who(each.author_id),
                        "at": _moment(each.at),
                    }
                    for each in comments[one.pk]
                ],
            }

    def _who(self, user: int) -> str:
        if user not in self._names:
            self._names[user] = pseudonym(User.objects.get(pk=user))
        return self._names[user]

    def _capability(self, pk: int | None) -> Path | None:
        return self._path(Capability, self._capabilities, pk)

    def _domain(self, pk: int | None) -> Path | None:
        return self._path(Domain, self._domains, pk)

    def _path(
        self, model: type[Capability] | type[Domain], kept: dict[int, Path], pk: int | None
    ) -> Path | None:
        if pk is None:
            return None
        if pk not in kept:  # at first, and when one was added meanwhile
            rows: orm.QuerySet[Any] = model._default_manager.filter(project=self.project)
            kept |= {one.pk: path for path, one in walked(rows)}
        return kept[pk]


class _Versions:
    """Makes the records of some versions; what belongs to them is read at once."""

    def __init__(self, bank: Bank, pks: list[int]) -> None:
        self._bank = bank
        cited = Citation.objects.filter(version__in=pks).order_by("position", "pk")
        fields = "version_id", "source_version__source__title", "source_version__sha"
        self._citations: defaultdict[int, list[Made]] = defaultdict(list)
        for pk, title, sha, locator, start, end, position in cited.values_list(
            *fields, "locator", "start", "end", "position"
        ):
            place = {"source": title, "sha": sha, "locator": locator}
            place |= {"start": start, "end": end, "position": position}
            self._citations[pk].append(place)
        self._drafts = _grouped(MachineDraft.objects.filter(version__in=pks), "version_id")
        rows = Inspection.objects.filter(version__in=pks).select_related("checklist")
        self._inspections = _grouped(rows, "version_id")
        self._findings = _grouped(
            Finding.objects.filter(inspection__version__in=pks).order_by("position", "pk"),
            "inspection_id",
        )

    def record(self, one: QuestionVersion) -> Made:
        bank = self._bank
        return {
            "number": one.number,
            "state": one.state,
            "author": bank._who(one.author_id),
            "turns": one.turns,
            "answer": one.answer,
            "key_points": one.key_points,
            "capability": bank._capability(one.capability_id),
            "domain": bank._domain(one.domain_id),
            "difficulty": one.difficulty,
            "question_type": one.question_type,
            "principle": one.principle,
            "as_of": one.as_of,
            "valid_until": _day(one.valid_until),
            "tags": one.tags,
            "language": one.language,
            "meaning_changed": one.meaning_changed,
            "meaning_note": one.meaning_note,
            "replies": one.replies,
            "rev": one.rev,
            "created_at": _moment(one.created_at),
            "saved_at": _moment(one.saved_at),
            "submitted_at": _day(one.submitted_at),
            "decided_at": _day(one.decided_at),
            "citations": self._citations[one.pk],
            "machine_drafts": [
                {
                    "part": each.part,
                    "endpoint": each.endpoint,
                    "protocol": each.protocol,
                    "prompts_sha": each.prompts_sha,
                    "by": bank._who(each.by_id),
                    "at": _moment(each.at),
                }
                for each in self._drafts[one.pk]
            ],
            "inspections": [self._inspection(each) for each in self._inspections[one.pk]],
        }

    def _inspection(self, one: Inspection) -> Made:
        return {
            "by": self._bank._who(one.inspector_id),
            "checklist": one.checklist.number,
            "verdict": one.verdict,
            "note": one.note,
            "suggestion": one.suggestion,
            "at": _moment(one.at),
            "findings": [
                {
                    "line": each.line,
                    "outcome": each.outcome,
                    "reason": each.reason,
                    "field": each.field,
                    "note": each.note,
                    "position": each.position,
                }
                for each in self._findings[one.pk]
            ],
        }


def _grouped(rows: "orm.QuerySet[M]", name: str) -> defaultdict[int, list[M]]:
    found: defaultdict[int, list[M]] = defaultdict(list)
    for one in rows:
        found[getattr(one, name)].append(one)
    return found


def _moment(value: datetime) -> str:
    return value.isoformat()


def _day(value: date | datetime | None) -> str | None:
    return value.isoformat() if value else None


def _decimal(value: Decimal | None) -> str | None:
    return None if value is None else scales.text(value)
