"""What the records of a bank file say of each other, read in the order of the file."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

from annotation.bankfile import records
from evalsite.records import Fault, Record

Path = tuple[str, ...]
T = TypeVar("T")


class Ledger:
    """Remembers what was read, and says of each record what it refers to in vain or says twice.

    It takes records whose shape is right, part by part in the order of `records.PARTS`.
    """

    def __init__(self) -> None:
        self.people: set[str] = set()
        self.checklists: set[int] = set()
        self.rubrics: set[str] = set()
        self.domains: set[Path] = set()
        self.capabilities: set[Path] = set()
        self.collections: set[str] = set()
        self.sources: dict[str, set[str]] = {}
        self.cells: set[tuple[Path, str, Path | None]] = set()
        self.questions: set[str] = set()

    def faults(self, part: str, record: Record) -> Iterator[Fault]:
        yield from getattr(self, f"_{part}")(record)

    def _people(self, one: records.PersonRecord) -> Iterator[Fault]:
        yield from _twice("id", one.id, self.people)

    def _checklists(self, one: records.ChecklistRecord) -> Iterator[Fault]:
        yield from _twice("number", one.number, self.checklists)
        yield from self._known("by", one.by)

    def _rubrics(self, one: records.RubricRecord) -> Iterator[Fault]:
        yield from _twice("key", one.key, self.rubrics)
        yield from _rising(one.versions)
        for version in one.versions:
            yield from self._known("versions.by", version.by)
            criteria = version.criteria
            yield from _each_once("versions.criteria.key", (each.key for each in criteria))
            for each in criteria:
                if each.minimum >= each.maximum:
                    found = f"{each.minimum} – {each.maximum}"
                    yield Fault("bad_range", "versions.criteria", found)
                levels = (level.value for level in each.levels)
                yield from _each_once("versions.criteria.levels", levels)

    def _domains(self, one: records.AreaRecord) -> Iterator[Fault]:
        yield from _node(one, self.domains)

    def _capabilities(self, one: records.Skill) -> Iterator[Fault]:
        yield from _node(one, self.capabilities)
        if one.rubric is not None and one.rubric not in self.rubrics:
            yield Fault("nowhere", "rubric", one.rubric)

    def _collections(self, one: records.Collection) -> Iterator[Fault]:
        yield from _twice("name", one.name, self.collections)
        yield from self._known("by", one.by)

    def _sources(self, one: records.SourceRecord) -> Iterator[Fault]:
        if one.title in self.sources:
            yield Fault("twice", "title", one.title)
        if one.collection is not None and one.collection not in self.collections:
            yield Fault("nowhere", "collection", one.collection)
        yield from self._known("by", one.by)
        yield from _rising(one.versions)
        yield from _each_once("versions.sha", (version.sha for version in one.versions))
        for version in one.versions:
            yield from self._known("versions.by", version.by)
            if records.source_sha(version) != version.sha:
                yield Fault("other_sha", "versions.sha", version.sha)
            for check in version.checks:
                yield from self._known("versions.checks.by", check.by)
        self.sources[one.title] = {version.sha for version in one.versions}

    def _plan(self, one: records.PlanCellRecord) -> Iterator[Fault]:
        cell = (one.capability, one.difficulty, one.domain)
        if cell in self.cells:
            yield Fault("twice", "capability", " › ".join(cell[0]))
        self.cells.add(cell)
        yield from self._places(one, "")
        yield from _each_once("shares.who", (share.who for share in one.shares))
        for share in one.shares:
            yield from self._known("shares.who", share.who)

    def _questions(self, one: records.QuestionRecord) -> Iterator[Fault]:
        yield from _twice("external_id", one.external_id, self.questions)
        yield from self._known("by", one.by)
        yield from _rising(one.versions)
        for place, version in enumerate(one.versions):
            for fault in self._version(version, last=version is one.versions[-1]):
                yield fault.below(f"versions[{place}]")
        for change in one.changes:
            yield from self._known("changes.by", change.by)
        numbers = {version.number for version in one.versions}
        for comment in one.comments:
            yield from self._known("comments.by", comment.by)
            if comment.version is not None and comment.version not in numbers:
                yield Fault("nowhere", "comments.version", str(comment.version))

    def _version(self, one: records.VersionRecord, *, last: bool) -> Iterator[Fault]:
        yield from self._known("author", one.author)
        yield from self._places(one, "")
        under_way, decided = one.state in {"DRAFT", "SUBMITTED"}, one.decided_at is not None
        if under_way and not last:
            yield Fault("under_way", "state", one.state)
        if under_way == decided or (one.state != "DRAFT" and one.submitted_at is None):
            yield Fault("dates_and_state", "state", one.state)
        for place in one.citations:
            if place.sha not in self.sources.get(place.source, ()):
                yield Fault("nowhere", "citations.source", place.source)
            start, end = place.start, place.end
            if (start is None) != (end is None) or (
                start is not None and end is not None and start > end
            ):
                yield Fault("bad_range", "citations.start", f"{start} – {end}")
        cited = ((place.source, place.sha, place.locator) for place in one.citations)
        yield from _each_once("citations", cited)
        for draft in one.machine_drafts:
            yield from self._known("machine_drafts.by", draft.by)
        yield from self._inspections(one)

    def _inspections(self, one: records.VersionRecord) -> Iterator[Fault]:
        yield from _each_once("inspections.by", (each.by for each in one.inspections))
        for each in one.inspections:
            yield from self._known("inspections.by", each.by)
            if each.by == one.author:
                yield Fault("own_work", "inspections.by", each.by)
            if each.checklist not in self.checklists:
                yield Fault("nowhere", "inspections.checklist", str(each.checklist))
            lines = (finding.line for finding in each.findings)
            yield from _each_once("inspections.findings.line", lines)
            for finding in each.findings:
                if finding.outcome == "FAIL" and not finding.reason:
                    yield Fault("no_reason", "inspections.findings.reason", finding.line)

    def _places(
        self, one: records.VersionRecord | records.PlanCellRecord, name: str
    ) -> Iterator[Fault]:
        for field, known in (("capability", self.capabilities), ("domain", self.domains)):
            if (path := getattr(one, field)) is not None and path not in known:
                yield Fault("nowhere", f"{name}{field}", " › ".join(path))

    def _known(self, field: str, who: str | None) -> Iterator[Fault]:
        if who is not None and who not in self.people:
            yield Fault("nowhere", field, who)


def _node(one: records.AreaRecord | records.Skill, known: set[Path]) -> Iterator[Fault]:
    path = one.path
    if path in known:
        yield Fault("twice", "path", " › ".join(path))
    if path[:-1] and path[:-1] not in known:
        yield Fault("nowhere", "path", " › ".join(path[:-1]))
    known.add(path)


def _twice(field: str, value: T, known: set[T]) -> Iterator[Fault]:
    if value in known:
        yield Fault("twice", field, str(value))
    known.add(value)


def _each_once(field: str, values: Iterable[object]) -> Iterator[Fault]:
    for value, n in Counter(values).items():
        if n > 1:
            yield Fault("twice", field, str(value)[:60])


def _rising(versions: Iterable[Any]) -> Iterator[Fault]:
    numbers = [version.number for version in versions]
    if numbers != sorted(set(numbers)):
        yield Fault("not_rising", "versions.number", ", ".join(map(str, numbers[:10])))
