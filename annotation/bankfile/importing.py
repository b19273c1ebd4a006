"""Write what questions stand on: people, checklists, rubrics, trees, sources, the plan.

* Write questions with all their versions, as the guards of the database let them come to be.
* Bring a bank file in: read it through first; then all of it in one transaction, or nothing.
* What is to be done next with a bank file.
"""

import uuid
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.contrib.auth.hashers import make_password
from django.db import DatabaseError, connection, transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from annotation.bank.models import (
    Checklist,
    Citation,
    Inspection,
    MachineDraft,
    Question,
    QuestionChange,
    QuestionComment,
    QuestionVersion,
)
from annotation.bankfile import checks, exporting
from annotation.bankfile import operations as files
from annotation.bankfile import records as filed
from annotation.bankfile import writing as people
from annotation.bankfile.models import BankFile
from annotation.bankfile.reading import (
    BankArchive,
    NoBank,
    ProjectStanding,
    RecordFate,
    question_fate,
)
from annotation.bankfile.records import PARTS
from annotation.bankfile.writing import PEOPLE, Path, walked
from annotation.common import beats
from annotation.domains.models import Capability, Domain, PlanCell, PlanShare
from annotation.inspection import operations as inspecting
from annotation.people import audit
from annotation.people.models import Person, Project, User
from annotation.rubrics.models import Criterion, Level, Rubric, RubricVersion
from annotation.search import operations as searching
from annotation.search import similarity
from annotation.sources.models import Source, SourceCheck, SourceCollection, SourceVersion
from annotation.systems.models import Item
from evalsite import records
from evalsite.records import Record


class Settling:
    """Writes record by record and remembers which row each name has got."""

    def __init__(
        self,
        project: Project,
        standing: ProjectStanding,
        named: bool,
        keep_own: bool,
        by: User,
        now: datetime,
    ) -> None:
        self._project, self._standing, self._named = project, standing, named
        self._keep_own, self._by, self._now = keep_own, by, now
        self.made: Counter[str] = Counter()
        self.n_differing = 0
        self.users: dict[str, int] = {}
        self.checklists: dict[int, int] = {}
        rows = Rubric.objects.filter(project=project)
        self._rubrics = dict(rows.values_list("key", "pk"))
        self.capabilities = _paths(Capability, project)
        self.domains = _paths(Domain, project)
        collections = SourceCollection.objects.filter(project=project)
        self._collections = dict(collections.values_list("name", "pk"))
        #: The row of a version of a source, by title and fingerprint.
        self.places: dict[tuple[str, str], int] = {}
        self._own_lines = standing.checklists[-1] if standing.checklists else None

    def take(self, part: str, rows: Sequence[Any]) -> None:
        """Write the records of any part but the sources and questions."""
        if part in {"people", "checklists"}:
            (self._people if part == "people" else self._checklists)(rows)
            return
        write: dict[str, Callable[[Any, RecordFate], None]] = {
            "rubrics": self._rubric,
            "domains": self._domain,
            "capabilities": self._capability,
            "collections": self._collection,
            "plan": self._cell,
        }
        for one in rows:
            fate = self._standing.fate(part, one)
            self.n_differing += fate is RecordFate.DIFFERS
            write[part](one, fate)
            self.made[part] += fate is RecordFate.NEW

    def row(self, record: Record, *without: str) -> dict[str, Any]:
        """Return what a record says as the fields of a row, but for some that it finds elsewhere."""
        known: dict[str, Mapping[Any, int]] = dict.fromkeys(PEOPLE, self.users)
        known |= {"capability_id": self.capabilities, "domain_id": self.domains}
        known["rubric_id"] = self._rubrics
        found = {}
        for name, value in records.values(record).items():
            if name in known and value is not None:
                value = known[name][tuple(value) if isinstance(value, list) else value]
            if name not in without:
                found[name] = value
        return found

    def _people(self, rows: Sequence[filed.PersonRecord]) -> None:
        self.users = people.known(self._project, [one.id for one in rows])
        missing = [one for one in rows if one.id not in self.users]
        made = User.objects.bulk_create(_account(one.id) for one in missing)
        self.users |= {str(one.public_id): one.pk for one in made}
        named = [(one.id, self._name(one)) for one in missing]
        Person.objects.bulk_create(
            Person(user_id=self.users[pseudonym], name=name) for pseudonym, name in named if name
        )
        self.made["people"] += len(made)

    def _name(self, one: filed.PersonRecord) -> str:
        if self._named:
            return str(one.name)  # none for whoever has left
        return _("Author %(short)s") % {"short": one.id[:4]}

    def _checklists(self, rows: Sequence[filed.ChecklistRecord]) -> None:
        """Write the checklists that inspections were made by; the one in force stays in force."""
        here = list(Checklist.objects.filter(project=self._project).order_by("number"))
        number = here[-1].number if here else 0
        for one in rows:
            found = next((each.pk for each in here if each.lines == one.lines), None)
            if found is None:
                number = max(number + 1, one.number) if not here else number + 1
                made = {**self.row(one), "number": number}
                found = Checklist.objects.create(project=self._project, **made).pk
                self.made["checklists"] += 1
            self.checklists[one.number] = found
        if self.made["checklists"] and self._own_lines is not None:
            again = {"number": number + 1, "lines": self._own_lines, "created_at": self._now}
            Checklist.objects.create(project=self._project, **again)

    def _rubric(self, one: filed.RubricRecord, fate: RecordFate) -> None:
        if fate in {RecordFate.SAME, RecordFate.DIFFERS}:
            return
        if fate is RecordFate.NEW:
            rubric = Rubric.objects.create(project=self._project, **self.row(one))
            self._rubrics[one.key] = rubric.pk
        n_here = len(self._standing.rubrics.get(one.key, ()))
        for version in one.versions[n_here:]:
            self._rubric_version(self._rubrics[one.key], version)

    def _rubric_version(self, rubric: int, one: filed.RubricVersionRecord) -> None:
        given = self.row(one, "frozen_at")
        made = RubricVersion.objects.create(rubric_id=rubric, **given)
        for each in one.criteria:
            criterion = Criterion.objects.create(rubric_version=made, **self.row(each))
            Level.objects.bulk_create(
                Level(criterion=criterion, **self.row(level)) for level in each.levels
            )
        if one.frozen_at:  # from here on the database keeps it as it is
            RubricVersion.objects.filter(pk=made.pk).update(frozen_at=one.frozen_at)

    def _domain(self, one: filed.AreaRecord, fate: RecordFate) -> None:
        if fate is not RecordFate.NEW:
            return
        path = one.path
        made = Domain.objects.create(
            project=self._project,
            parent_id=self.domains[path[:-1]] if path[:-1] else None,
            name=path[-1],
            **self.row(one, "path"),
        )
        self.domains[path] = made.pk

    def _capability(self, one: filed.Skill, fate: RecordFate) -> None:
        if fate is not RecordFate.NEW:
            return
        path = one.path
        made = Capability.objects.create(
            project=self._project,
            parent_id=self.capabilities[path[:-1]] if path[:-1] else None,
            name=path[-1],
            **self.row(one, "path"),
        )
        self.capabilities[path] = made.pk

    def _collection(self, one: filed.Collection, fate: RecordFate) -> None:
        if fate is not RecordFate.NEW:
            return
        made = SourceCollection.objects.create(project=self._project, **self.row(one))
        self._collections[one.name] = made.pk

    def sources(self, some: Sequence[filed.SourceRecord]) -> None:
        """Write some sources at once, with the versions that the corpus lacks."""
        fates = [self._standing.fate("sources", one) for one in some]
        self.n_differing += fates.count(RecordFate.DIFFERS)
        self.made["sources"] += fates.count(RecordFate.NEW)
        Source.objects.bulk_create(
            self._new_source(one)
            for one, fate in zip(some, fates, strict=True)
            if fate is RecordFate.NEW
        )
        titles = [one.title for one in some]
        rows = Source.objects.filter(project=self._project, title__in=titles)
        found = {row.title: row for row in rows}
        here: dict[tuple[str, str], int] = {}
        last: Counter[str] = Counter()
        versions = SourceVersion.objects.filter(source__in=found.values())
        for title, sha, pk, number in versions.values_list("source__title", "sha", "pk", "number"):
            here[title, sha] = pk
            last[title] = max(last[title], number)
        wanted: list[tuple[SourceVersion, filed.SourceVersionRecord]] = []
        for one, fate in zip(some, fates, strict=True):
            title = one.title
            for version in one.versions:
                if (title, version.sha) not in here:
                    last[title] = version.number if fate is RecordFate.NEW else last[title] + 1
                    given = {**self.row(version), "number": last[title]}
                    row = SourceVersion(source=found[title], **given)
                    wanted.append((row, version))
        made = SourceVersion.objects.bulk_create(row for row, _version in wanted)
        SourceCheck.objects.bulk_create(
            SourceCheck(version=row, **self.row(check))
            for row, version in wanted
            for check in version.checks
        )
        self.places |= here | {(row.source.title, row.sha): row.pk for row in made}
        newest = {row.source_id: row for row in made}  # of each, the last one stands
        searching.keep_sources(versions=newest.values())

    def _new_source(self, one: filed.SourceRecord) -> Source:
        return Source(
            project=self._project,
            collection_id=self._collections[one.collection] if one.collection else None,
            **self.row(one, "collection"),
        )

    def _cell(self, one: filed.PlanCellRecord, fate: RecordFate) -> None:
        if fate is not RecordFate.NEW:
            return
        cell = PlanCell.objects.create(project=self._project, **self.row(one))
        PlanShare.objects.bulk_create(PlanShare(cell=cell, **self.row(each)) for each in one.shares)


def _account(pseudonym: str) -> User:
    """Return an account that nobody can sign in with: it stands for somebody elsewhere."""
    name = people.FOREIGN + pseudonym
    return User(
        public_id=uuid.UUID(pseudonym), username=name, is_active=False, password=make_password(None)
    )


def _paths(model: type[Capability] | type[Domain], project: Project) -> dict[Path, int]:
    rows: QuerySet[Any] = model._default_manager.filter(project=project)
    return {tuple(path): one.pk for path, one in walked(rows)}


StateThen = QuestionVersion.State


class Histories:
    """Writes questions batch by batch."""

    def __init__(
        self, project: Project, standing: ProjectStanding, settling: Settling, keep_own: bool
    ) -> None:
        self._project, self._standing, self._on = project, standing, settling
        self._keep_own = keep_own
        self.made: Counter[str] = Counter()
        self.n_differing = 0

    def add(self, some: Sequence[filed.QuestionRecord]) -> None:
        here = self._standing.questions([one.external_id for one in some])
        fresh: list[filed.QuestionRecord] = []
        longer: list[tuple[filed.QuestionRecord, int]] = []
        for one in some:
            ours = here.get(one.external_id)
            fate = question_fate(ours, one.versions)
            self.n_differing += fate is RecordFate.DIFFERS
            if fate is RecordFate.NEW:
                fresh.append(one)
            elif fate is RecordFate.MORE:
                longer.append((one, len(ours or ())))
        rows = Question.objects.bulk_create(self._question(one) for one in fresh)
        wanted = [(row, one.versions) for row, one in zip(rows, fresh, strict=True)]
        old = Question.objects.filter(
            project=self._project, external_id__in=[one.external_id for one, _n in longer]
        )
        known = {row.external_id: row for row in old}
        wanted += [(known[one.external_id], one.versions[n:]) for one, n in longer]
        versions = self._versions(wanted)
        self._around(list(zip(rows, fresh, strict=True)), versions)
        self.made["questions"] += len(fresh)
        self.made["versions"] += len(versions)

    def _question(self, one: filed.QuestionRecord) -> Question:
        return Question(project=self._project, **self._on.row(one))

    def _versions(
        self, wanted: Sequence[tuple[Question, Sequence[filed.VersionRecord]]]
    ) -> dict[tuple[int, int], QuestionVersion]:
        """Write the first versions of all questions, then the second ones, and so on."""
        made: dict[tuple[int, int], QuestionVersion] = {}
        for place in range(max((len(theirs) for _q, theirs in wanted), default=0)):
            layer = [(q, theirs[place]) for q, theirs in wanted if place < len(theirs)]
            rows = QuestionVersion.objects.bulk_create(self._version(*one) for one in layer)
            pairs = list(zip(rows, [one for _q, one in layer], strict=True))
            self._belongings(pairs)
            self._hand_in(pairs)
            self._inspections(pairs)
            self._decide(pairs)
            made |= {(row.question_id, row.number): row for row in rows}
        return made

    def _version(self, question: Question, one: filed.VersionRecord) -> QuestionVersion:
        return QuestionVersion(question=question, **self._on.row(one, "state", "decided_at"))

    def _belongings(self, pairs: Sequence[tuple[QuestionVersion, filed.VersionRecord]]) -> None:
        Citation.objects.bulk_create(
            Citation(
                version=row,
                source_version_id=self._on.places[each.source, each.sha],
                **self._on.row(each, "source", "sha"),
            )
            for row, one in pairs
            for each in one.citations
        )
        MachineDraft.objects.bulk_create(
            MachineDraft(version=row, **self._on.row(each))
            for row, one in pairs
            for each in one.machine_drafts
        )

    def _hand_in(self, pairs: Sequence[tuple[QuestionVersion, filed.VersionRecord]]) -> None:
        submitted = [row.pk for row, one in pairs if one.state != StateThen.DRAFT]
        QuestionVersion.objects.filter(pk__in=submitted).update(state=StateThen.SUBMITTED)

    def _inspections(self, pairs: Sequence[tuple[QuestionVersion, filed.VersionRecord]]) -> None:
        on = self._on
        wanted = [(row, each) for row, one in pairs for each in one.inspections]
        made = Inspection.objects.bulk_create(
            Inspection(
                version=row,
                author_id=row.author_id,
                checklist_id=on.checklists[each.checklist],
                **on.row(each, "checklist"),
            )
            for row, each in wanted
        )
        names = "line", "outcome", "reason", "field", "note", "position"
        values = [
            (row.pk, *(getattr(finding, name) for name in names))
            for row, (_version, each) in zip(made, wanted, strict=True)
            for finding in each.findings
        ]
        with connection.cursor() as cursor:  # there are many of them, and they are plain
            cursor.executemany(
                "INSERT INTO annotation_finding "
                "(inspection_id, line, outcome, reason, field, note, position) "
                "VALUES (%s, %s, %s, %s, %s, %s, %s)",
                values,
            )
        self.made["inspections"] += len(made)

    def _decide(self, pairs: Sequence[tuple[QuestionVersion, filed.VersionRecord]]) -> None:
        decided = [(row, one) for row, one in pairs if one.decided_at is not None]
        moment = connection.ops.adapt_datetimefield_value
        values = [(one.state, moment(one.decided_at), row.pk) for row, one in decided]
        with connection.cursor() as cursor:  # every row has a moment of its own
            cursor.executemany(
                "UPDATE annotation_questionversion SET state = %s, decided_at = %s WHERE id = %s",
                values,
            )
        for row, one in decided:
            row.state, row.decided_at = one.state, one.decided_at
        Item.objects.bulk_create(
            inspecting.item_of(row, row.decided_at)
            for row, _one in decided
            if row.state == StateThen.ACCEPTED and row.decided_at is not None
        )

    def _around(
        self,
        fresh: Sequence[tuple[Question, filed.QuestionRecord]],
        versions: dict[tuple[int, int], QuestionVersion],
    ) -> None:
        on = self._on
        QuestionChange.objects.bulk_create(
            QuestionChange(question=row, **on.row(each))
            for row, one in fresh
            for each in one.changes
        )
        QuestionComment.objects.bulk_create(
            QuestionComment(
                question=row,
                version=versions[row.pk, each.version] if each.version else None,
                **on.row(each, "version"),
            )
            for row, one in fresh
            for each in one.comments
        )


Clock = Callable[[], datetime]
State = BankFile.State


class _Differs(Exception):
    """Something differs here that did not when the file was read through."""


def check(*, file: BankFile, clock: Clock) -> None:
    """Read a file through and store what would come of it. Nothing of the bank is written."""

    def tell(done: int) -> None:
        BankFile.objects.filter(pk=file.pk).update(done=done, touched_at=clock())

    try:
        with files.opened(file) as kept:
            archive = BankArchive(kept)
            said = archive.manifest
            BankFile.objects.filter(pk=file.pk).update(total=min(said.n_records, 2**31 - 1))
            report = checks.check(archive, file.project, tell)
    except NoBank as stop:
        files.move(file, State.REFUSED, clock(), said=str(stop)[:500], report={})
        return
    found: dict[str, Any] = report.as_dict()
    found |= {"sha": said.sha, "from": said.title, "slug": said.slug, "named": said.named}
    state = State.REFUSED if report.n_problems else State.READY
    files.move(file, state, clock(), report=found, said="")


def bring_in(*, file: BankFile, clock: Clock) -> None:
    """Bring in a file that was confirmed: all of it, or nothing and the reason is told."""
    now = clock()
    try:
        with files.opened(file) as kept, transaction.atomic():
            Project.objects.select_for_update().get(pk=file.project_id)
            fresh = BankFile.objects.select_for_update().get(pk=file.pk)
            if fresh.state != State.CONFIRMED:
                return
            archive = BankArchive(kept)
            archive.verify()
            counts: dict[str, Any] = write(
                archive=archive, project=file.project, keep_own=fresh.keep_own, by=file.by, now=now
            )
            files.move(fresh, State.APPLIED, now, report={**fresh.report, "made": counts})
            audit.done(file, "bank.imported", file.by, now, sha=file.sha, **counts)
            _read_anew(file.project)
    except NoBank as stop:
        files.move(file, State.FAILED, clock(), said=str(stop)[:500])
    except _Differs as stop:
        files.move(file, State.FAILED, clock(), said=str(stop)[:500])
    except DatabaseError as problem:
        words = _("Nothing was brought in: the database refused a record (%(reason)s).")
        files.move(file, State.FAILED, clock(), said=(words % {"reason": problem})[:500])


def write(
    *, archive: BankArchive, project: Project, keep_own: bool, by: User, now: datetime
) -> dict[str, Any]:
    """Write the records of a bank that a project lacks; return how many of each part.

    Called within a transaction. The archive was read through and had no problems.

    Raises:
        _Differs: something differs here, and nothing was said of what is to become of it.
        NoBank: the archive cannot be read.
    """
    standing = ProjectStanding(project)
    settling = Settling(project, standing, archive.manifest.named, keep_own, by, now)
    histories = Histories(project, standing, settling, keep_own)
    in_batches: dict[str, Callable[[Any], None]] = {
        "questions": histories.add,
        "sources": settling.sources,
    }
    for part in PARTS:
        rows = (one for _line, one in archive.records(part) if isinstance(one, Record))
        if part in in_batches:
            for some in checks.batches(rows, checks.SOME):
                in_batches[part](some)
        else:
            settling.take(part, list(rows))
    differing = settling.n_differing + histories.n_differing
    if differing and not keep_own:
        raise _Differs(
            _("Nothing was brought in: meanwhile something differs here. Check the file again.")
        )
    return {**settling.made, **histories.made}


def _read_anew(project: Project) -> None:
    """Have the questions be found by words and near-duplicates as soon as a worker has read them."""
    similarity.ring(project.pk)


def work(*, file: BankFile, clock: Clock) -> None:
    """Do what a bank file waits for; nothing if it waits for a person. Coming twice is harmless."""
    if not file.is_moving or not files.begin(file, clock()):
        return
    with beats.beating(lambda: files.beat(file, clock())):
        if file.state == BankFile.State.CONFIRMED:
            bring_in(file=file, clock=clock)
        elif file.way == BankFile.Way.OUT:
            exporting.export(file=file, clock=clock)
        else:
            check(file=file, clock=clock)
