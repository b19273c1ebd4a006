"""A bank file read from end to end against a project; nothing is written."""

import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeVar

from annotation.bankfile.reading import (
    BankArchive,
    ProjectStanding,
    RecordFate,
    question_fate,
    said,
)
from annotation.bankfile.records import PARTS, AreaRecord, PlanCellRecord, RubricRecord, Skill
from annotation.bankfile.references import Ledger
from annotation.people.models import Project
from annotation.rubrics import queries as rubrics
from evalsite.records import Fault, Record

#: So many problems and differences are told; the rest is counted.
TOLD = 100
SOME = 200
T = TypeVar("T")


@dataclass
class BankFileReport:
    """What would come of a file: counts by part and fate, problems, and what differs here."""

    counts: dict[str, dict[str, int]] = field(default_factory=dict)
    problems: list[dict[str, Any]] = field(default_factory=list)
    n_problems: int = 0
    differing: list[dict[str, str]] = field(default_factory=list)
    n_differing: int = 0
    warnings: list[str] = field(default_factory=list)

    def blame(self, part: str, line: int, fault: Fault) -> None:
        self.n_problems += 1
        if len(self.problems) < TOLD:
            where = {"part": part, "line": line, "place": fault.place}
            self.problems.append({**where, "code": fault.code, "said": said(fault)})

    def note(self, part: str, record: Record, fate: RecordFate) -> None:
        counts = self.counts.setdefault(part, dict.fromkeys(RecordFate, 0))
        counts[fate] += 1
        if isinstance(record, RubricRecord) and fate in {RecordFate.NEW, RecordFate.MORE}:
            self.warnings += _odd(record)[: TOLD - len(self.warnings)]
        if fate is RecordFate.DIFFERS:
            self.n_differing += 1
            if len(self.differing) < TOLD:
                self.differing.append({"part": part, "name": name_of(part, record)})

    def as_dict(self) -> dict[str, Any]:
        return {
            "counts": self.counts,
            "problems": self.problems,
            "n_problems": self.n_problems,
            "differing": self.differing,
            "n_differing": self.n_differing,
            "warnings": self.warnings,
        }


def check(
    archive: BankArchive, project: Project, tell: Callable[[int], object] = lambda done: None
) -> BankFileReport:
    """Read all records: their checksums, shapes and references, and what is here already.

    Raises:
        NoBank: the file cannot be read, or was changed on the way.
    """
    archive.verify()
    report, ledger, standing = BankFileReport(), Ledger(), ProjectStanding(project)
    seen: Counter[str] = Counter()
    done = 0
    for part in PARTS:
        good = _good(archive, part, ledger, report, seen)
        for some in batches(good, SOME):
            _compare(part, some, standing, report)
            done += len(some)
            tell(done)
        if seen[part] != archive.manifest.counts[part]:
            found = f"{seen[part]} ≠ {archive.manifest.counts[part]}"
            report.blame(part, 0, Fault("other_count", found=found))
    return report


def _odd(record: RubricRecord) -> list[str]:
    """Return what is odd about the newest version of a rubric, with its name."""
    found = rubrics.warnings(record.versions[-1]) if record.versions else []
    return [f"{record.name} › {one.message}" for one in found]


def name_of(part: str, record: Record) -> str:
    """Return what a record is called on a page."""
    for key in ("external_id", "title", "key", "name", "number"):
        if hasattr(record, key):
            return str(getattr(record, key))[:120]
    if isinstance(record, PlanCellRecord):
        return " › ".join([*record.capability, record.difficulty])[:120]
    return " › ".join(record.path if isinstance(record, AreaRecord | Skill) else ())[:120]


def batches(rows: Iterable[T], size: int) -> Iterator[list[T]]:
    source = iter(rows)
    while some := list(itertools.islice(source, size)):
        yield some


def _good(
    archive: BankArchive, part: str, ledger: Ledger, report: BankFileReport, seen: Counter[str]
) -> Iterator[Record]:
    """Yield the records that can be compared, and take note of what is wrong with the others."""
    for line, record in archive.records(part):
        seen[part] += 1
        faults = record if isinstance(record, list) else list(ledger.faults(part, record))
        for fault in faults[:20]:
            report.blame(part, line, fault)
        if not faults and isinstance(record, Record):
            yield record


def _compare(part: str, some: list[Any], standing: ProjectStanding, report: BankFileReport) -> None:
    if part == "people":
        return
    if part != "questions":
        for one in some:
            report.note(part, one, standing.fate(part, one))
        return
    ours = standing.questions([one.external_id for one in some])
    for one in some:
        report.note(part, one, question_fate(ours.get(one.external_id), one.versions))
