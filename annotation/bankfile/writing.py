"""Paths of areas and capabilities: how records name them.

* Who a bank file speaks of: pseudonyms that lead back to an account only where it was written.
* A project's bank as records: part by part, page by page, however long it is.
"""

import uuid
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final, TypeVar

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
from annotation.bankfile import records as filed
from annotation.domains.models import Capability, Domain, PlanCell, PlanShare
from annotation.people.models import Membership, Project, User
from annotation.rubrics.models import Rubric, RubricVersion
from annotation.sources.models import Source, SourceCollection, SourceVersion
from evalsite import records
from evalsite.records import Record, RecordPart

R = TypeVar("R", bound=Record)
#: Where rows keep people, whom a file calls by pseudonyms.
PEOPLE: Final = frozenset({"created_by_id", "by_id", "author_id", "inspector_id", "designer_id"})
Path = tuple[str, ...]
N = TypeVar("N", Capability, Domain)


def walked(rows: Iterable[N]) -> Iterator[tuple[Path, N]]:
    """Yield the nodes of a tree with their paths, each after the one it stands below."""
    below: defaultdict[int | None, list[N]] = defaultdict(list)
    for one in rows:
        below[one.parent_id].append(one)

    def under(path: Path, key: int | None) -> Iterator[tuple[Path, N]]:
        for one in sorted(below[key], key=lambda each: (each.position, each.name)):
            here = (*path, one.name)
            yield here, one
            yield from under(here, one.pk)

    yield from under((), None)


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
#: So many sources at once: their texts are long.
FEW = 50
#: Before the names of what was read at once.
READ: Final = "read_"
M = TypeVar("M", bound=orm.Model)


class BankWriter:
    """Reads the parts of a project's bank and remembers who they speak of."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self._names: dict[int, str] = {}
        self._paths: dict[str, dict[int, Path]] = {"capability_id": {}, "domain_id": {}}
        rows = Rubric.objects.filter(project=project).for_people()
        self._rubrics = dict(rows.values_list("pk", "key"))

    def parts(self) -> dict[str, Callable[[], Iterable[Record]]]:
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

    def people(self, *, named: bool) -> list[Record]:
        """Return everybody whom the parts that were read speak of; by name only where wished."""
        users = User.objects.filter(pk__in=list(self._names)).select_related("person")
        rows = [(self._names[one.pk], name_of(one) if named else "") for one in users]
        return [filed.PersonRecord(id=pseudonym, name=name) for pseudonym, name in sorted(rows)]

    def questions(self, ids: Sequence[str] | None = None) -> Iterator[filed.QuestionRecord]:
        """Yield every question with all its versions, in the order in which they came.

        Args:
            ids: only those of these external ids.
        """
        rows = Question.objects.filter(project=self.project).prefetch_related(*_belongings())
        if ids is not None:
            rows = rows.filter(external_id__in=ids)
        yield from self._told(filed.QuestionRecord, _in_pages(rows, PAGE))

    def plan(self) -> Iterator[filed.PlanCellRecord]:
        shares = orm.Prefetch("shares", PlanShare.objects.order_by("pk"))
        cells = PlanCell.objects.filter(project=self.project).order_by("pk")
        yield from self._told(filed.PlanCellRecord, cells.prefetch_related(shares))

    def sources(self) -> Iterator[filed.SourceRecord]:
        versions = SourceVersion.objects.order_by("number").prefetch_related("checks")
        rows = Source.objects.filter(project=self.project).select_related("collection")
        rows = rows.prefetch_related(orm.Prefetch("versions", versions))
        yield from self._told(filed.SourceRecord, _in_pages(rows, FEW))

    def collections(self) -> Iterator[filed.Collection]:
        rows = SourceCollection.objects.filter(project=self.project).order_by("pk")
        yield from self._told(filed.Collection, rows)

    def capabilities(self) -> Iterator[filed.Skill]:
        yield from self._tree(filed.Skill, Capability.objects.filter(project=self.project))

    def domains(self) -> Iterator[filed.AreaRecord]:
        yield from self._tree(filed.AreaRecord, Domain.objects.filter(project=self.project))

    def rubrics(self) -> Iterator[filed.RubricRecord]:
        """Yield the rubrics for people; those of metrics and judges are made where they run."""
        versions = RubricVersion.objects.order_by("number").prefetch_related("criteria__levels")
        rows = Rubric.objects.filter(pk__in=self._rubrics).order_by("pk")
        yield from self._told(
            filed.RubricRecord, rows.prefetch_related(orm.Prefetch("versions", versions))
        )

    def checklists(self) -> Iterator[filed.ChecklistRecord]:
        rows = Checklist.objects.filter(project=self.project).order_by("number")
        yield from self._told(filed.ChecklistRecord, rows)

    def _told(self, record: type[R], rows: Iterable[orm.Model]) -> Iterator[R]:
        return (records.of_row(record, one, self._look) for one in rows)

    def _tree(self, record: type[R], rows: "orm.QuerySet[N]") -> Iterator[R]:
        for path, one in walked(rows):
            yield records.of_row(record, _Node(one, path), self._look)

    def _look(self, part: RecordPart, row: Any) -> Any:
        """Return what a row holds, people by their pseudonyms and nodes of trees by their paths."""
        where = part.source[0]
        if part.record is not None and part.many and hasattr(row, READ + where):
            return getattr(row, READ + where)
        value = records.looked(part, row)
        if value is None:
            return None
        if where in PEOPLE:
            return self._who(value)
        if where == "rubric_id":
            return self._rubrics.get(value)
        return self._path(where, value) if where in self._paths else value

    def _who(self, user: int) -> str:
        if user not in self._names:
            self._names[user] = pseudonym(User.objects.get(pk=user))
        return self._names[user]

    def _path(self, where: str, pk: int) -> Path:
        kept = self._paths[where]
        if pk not in kept:  # at first, and when one was added meanwhile
            model: Any = Capability if where == "capability_id" else Domain
            rows = model.objects.filter(project=self.project)
            kept |= {one.pk: path for path, one in walked(rows)}
        return kept[pk]


class _Node:
    """A node of a tree, and the path that leads to it."""

    def __init__(self, row: Any, path: Path) -> None:
        self._row, self.path = row, path

    def __getattr__(self, name: str) -> Any:
        return getattr(self._row, name)


def _read(name: str, rows: "orm.QuerySet[Any]") -> "orm.Prefetch[Any]":
    """Have what belongs to many rows be read at once, into a list beside its manager."""
    return orm.Prefetch(name, rows, to_attr=f"{READ}{name}")


def _belongings() -> "list[orm.Prefetch[Any]]":
    """Return what belongs to questions and their versions, each in its order."""
    cited = Citation.objects.order_by("position", "pk").annotate(
        source=orm.F("source_version__source__title"), sha=orm.F("source_version__sha")
    )
    found = Finding.objects.order_by("position", "pk")
    inspected = Inspection.objects.select_related("checklist")
    versions = QuestionVersion.objects.order_by("number").prefetch_related(
        _read("citations", cited),
        _read("machine_drafts", MachineDraft.objects.all()),
        _read("inspections", inspected.prefetch_related(_read("findings", found))),
    )
    said = QuestionComment.objects.select_related("version")
    return [
        _read("versions", versions),
        _read("changes", QuestionChange.objects.all()),
        _read("comments", said.defer("version__turns", "version__answer")),
    ]


def _in_pages(rows: "orm.QuerySet[M]", size: int) -> Iterator[M]:
    after = 0
    while page := list(rows.order_by("pk").filter(pk__gt=after)[:size]):
        yield from page
        after = page[-1].pk
