"""Write what questions stand on: people, checklists, rubrics, trees, sources, the plan."""

import uuid
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.contrib.auth.hashers import make_password
from django.db.models import QuerySet
from django.utils.dateparse import parse_date
from django.utils.translation import gettext as _

from annotation.models import (
    Capability,
    Checklist,
    Criterion,
    Domain,
    Level,
    Person,
    PlanCell,
    PlanShare,
    Project,
    Rubric,
    RubricVersion,
    Source,
    SourceCheck,
    SourceCollection,
    SourceVersion,
    User,
)
from annotation.operations import searching
from annotation.queries.banks import people
from annotation.queries.banks.comparing import Fate, Standing
from annotation.queries.banks.paths import walked
from annotation.rules.banks.records import Record

Path = tuple[str, ...]


class Settling:
    """Writes record by record and remembers which row each name has got."""

    def __init__(
        self,
        project: Project,
        standing: Standing,
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

    def take(self, part: str, rows: Sequence[Record]) -> None:
        """Write the records of any part but the sources and questions."""
        if part in {"people", "checklists"}:
            (self._people if part == "people" else self._checklists)(rows)
            return
        write: dict[str, Callable[[Record, Fate], None]] = {
            "rubrics": self._rubric,
            "domains": self._domain,
            "capabilities": self._capability,
            "collections": self._collection,
            "plan": self._cell,
        }
        for one in rows:
            fate = self._standing.fate(part, one)
            self.n_differing += fate is Fate.DIFFERS
            write[part](one, fate)
            self.made[part] += fate is Fate.NEW

    def _people(self, rows: Sequence[Record]) -> None:
        self.users = people.known(self._project, [one["id"] for one in rows])
        missing = [one for one in rows if one["id"] not in self.users]
        made = User.objects.bulk_create(_account(one["id"]) for one in missing)
        self.users |= {str(one.public_id): one.pk for one in made}
        named = [(one["id"], self._name(one)) for one in missing]
        Person.objects.bulk_create(
            Person(user_id=self.users[pseudonym], name=name) for pseudonym, name in named if name
        )
        self.made["people"] += len(made)

    def _name(self, one: Record) -> str:
        if self._named:
            return str(one["name"])  # none for whoever has left
        return _("Author %(short)s") % {"short": one["id"][:4]}

    def _checklists(self, rows: Sequence[Record]) -> None:
        """Write the checklists that inspections were made by; the one in force stays in force."""
        here = list(Checklist.objects.filter(project=self._project).order_by("number"))
        number = here[-1].number if here else 0
        for one in rows:
            found = next((each.pk for each in here if each.lines == one["lines"]), None)
            if found is None:
                number = max(number + 1, one["number"]) if not here else number + 1
                found = self._checklist(number, one["lines"], one["by"], one["at"])
                self.made["checklists"] += 1
            self.checklists[one["number"]] = found
        if self.made["checklists"] and self._own_lines is not None:
            self._checklist(number + 1, self._own_lines, None, self._now.isoformat())

    def _checklist(self, number: int, lines: Any, by: str | None, at: str) -> int:
        made = Checklist.objects.create(
            project=self._project,
            number=number,
            lines=lines,
            created_by_id=self.users[by] if by else None,
            created_at=at_(at),
        )
        return made.pk

    def _rubric(self, one: Record, fate: Fate) -> None:
        if fate in {Fate.SAME, Fate.DIFFERS}:
            return
        if fate is Fate.NEW:
            rubric = Rubric.objects.create(
                project=self._project, key=one["key"], name=one["name"], created_at=at_(one["at"])
            )
            self._rubrics[one["key"]] = rubric.pk
        n_here = len(self._standing.rubrics.get(one["key"], ()))
        for version in one["versions"][n_here:]:
            self._rubric_version(self._rubrics[one["key"]], version)

    def _rubric_version(self, rubric: int, one: Record) -> None:
        made = RubricVersion.objects.create(
            rubric_id=rubric,
            number=one["number"],
            principle=one["principle"],
            created_by_id=self.users[one["by"]] if one["by"] else None,
            created_at=at_(one["at"]),
        )
        for each in one["criteria"]:
            given = {name: each[name] for name in ("key", "name", "description", "position")}
            criterion = Criterion.objects.create(
                rubric_version=made,
                minimum=_decimal(each["minimum"]),
                maximum=_decimal(each["maximum"]),
                higher_is_better=each["higher_is_better"],
                step=_decimal(each["step"]),
                pass_at=_decimal(each["pass_at"]),
                weight=Decimal(each["weight"]),
                **given,
            )
            Level.objects.bulk_create(
                Level(
                    criterion=criterion,
                    value=Decimal(level["value"]),
                    label=level["label"],
                    description=level["description"],
                    examples=level["examples"],
                )
                for level in each["levels"]
            )
        if one["frozen_at"]:  # from here on the database keeps it as it is
            RubricVersion.objects.filter(pk=made.pk).update(frozen_at=at_(one["frozen_at"]))

    def _domain(self, one: Record, fate: Fate) -> None:
        if fate is not Fate.NEW:
            return
        names = "definition", "completeness_note", "priority", "in_scope", "position"
        path = tuple(one["path"])
        made = Domain.objects.create(
            project=self._project,
            parent_id=self.domains[path[:-1]] if path[:-1] else None,
            name=path[-1],
            **{name: one[name] for name in names},
        )
        self.domains[path] = made.pk

    def _capability(self, one: Record, fate: Fate) -> None:
        if fate is not Fate.NEW:
            return
        names = "kind", "definition", "difficulties", "question_type", "position"
        path = tuple(one["path"])
        made = Capability.objects.create(
            project=self._project,
            parent_id=self.capabilities[path[:-1]] if path[:-1] else None,
            name=path[-1],
            weight=Decimal(one["weight"]),
            rubric_id=self._rubrics[one["rubric"]] if one["rubric"] else None,
            **{name: one[name] for name in names},
        )
        self.capabilities[path] = made.pk

    def _collection(self, one: Record, fate: Fate) -> None:
        if fate is not Fate.NEW:
            return
        made = SourceCollection.objects.create(
            project=self._project,
            name=one["name"],
            note=one["note"],
            created_by_id=self.users[one["by"]],
            created_at=at_(one["at"]),
        )
        self._collections[one["name"]] = made.pk

    def sources(self, some: Sequence[Record]) -> None:
        """Write some sources at once, with the versions that the corpus lacks."""
        fates = [self._standing.fate("sources", one) for one in some]
        self.n_differing += fates.count(Fate.DIFFERS)
        self.made["sources"] += fates.count(Fate.NEW)
        Source.objects.bulk_create(
            self._new_source(one) for one, fate in zip(some, fates, strict=True) if fate is Fate.NEW
        )
        titles = [one["title"] for one in some]
        rows = Source.objects.filter(project=self._project, title__in=titles)
        found = {row.title: row for row in rows}
        here: dict[tuple[str, str], int] = {}
        last: Counter[str] = Counter()
        versions = SourceVersion.objects.filter(source__in=found.values())
        for title, sha, pk, number in versions.values_list("source__title", "sha", "pk", "number"):
            here[title, sha] = pk
            last[title] = max(last[title], number)
        wanted: list[tuple[SourceVersion, Record]] = []
        for one, fate in zip(some, fates, strict=True):
            title = one["title"]
            for version in one["versions"]:
                if (title, version["sha"]) not in here:
                    last[title] = version["number"] if fate is Fate.NEW else last[title] + 1
                    row = self._source_version(found[title], last[title], version)
                    wanted.append((row, version))
        made = SourceVersion.objects.bulk_create(row for row, _version in wanted)
        SourceCheck.objects.bulk_create(
            SourceCheck(
                version=row,
                outcome=check["outcome"],
                how=check["how"],
                by_id=self.users[check["by"]],
                at=at_(check["at"]),
            )
            for row, version in wanted
            for check in version["checks"]
        )
        self.places |= here | {(row.source.title, row.sha): row.pk for row in made}
        newest = {row.source_id: row for row in made}  # of each, the last one stands
        searching.keep_sources(versions=newest.values())

    def _new_source(self, one: Record) -> Source:
        names = "title", "kind", "address", "publisher", "licence"
        return Source(
            project=self._project,
            collection_id=self._collections[one["collection"]] if one["collection"] else None,
            created_by_id=self.users[one["by"]],
            created_at=at_(one["at"]),
            **{name: one[name] for name in names},
        )

    def _source_version(self, source: Source, number: int, one: Record) -> SourceVersion:
        return SourceVersion(
            source=source,
            number=number,
            sha=one["sha"],
            text=one["text"],
            retrieved_on=day(one["retrieved_on"]),
            valid_from=day(one["valid_from"]),
            valid_until=day(one["valid_until"]),
            note=one["note"],
            file=one["file"],
            created_by_id=self.users[one["by"]],
            created_at=at_(one["at"]),
        )

    def _cell(self, one: Record, fate: Fate) -> None:
        if fate is not Fate.NEW:
            return
        cell = PlanCell.objects.create(
            project=self._project,
            capability_id=self.capabilities[tuple(one["capability"])],
            difficulty=one["difficulty"],
            domain_id=self.domains[tuple(one["domain"])] if one["domain"] else None,
            wanted=one["wanted"],
        )
        PlanShare.objects.bulk_create(
            PlanShare(
                cell=cell,
                designer_id=self.users[each["who"]],
                n=each["n"],
                due_on=day(each["due_on"]),
            )
            for each in one["shares"]
        )


def at_(written: str) -> datetime:
    return datetime.fromisoformat(written)


def day(written: str | None) -> Any:
    return parse_date(written) if written else None


def maybe(written: str | None) -> datetime | None:
    return at_(written) if written else None


def _account(pseudonym: str) -> User:
    """Return an account that nobody can sign in with: it stands for somebody elsewhere."""
    name = people.FOREIGN + pseudonym
    return User(
        public_id=uuid.UUID(pseudonym), username=name, is_active=False, password=make_password(None)
    )


def _decimal(written: str | None) -> Decimal | None:
    return None if written is None else Decimal(written)


def _paths(model: type[Capability] | type[Domain], project: Project) -> dict[Path, int]:
    rows: QuerySet[Any] = model._default_manager.filter(project=project)
    return {tuple(path): one.pk for path, one in walked(rows)}
