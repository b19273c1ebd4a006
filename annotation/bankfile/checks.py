"""A bank file read from end to end against a project; nothing is written."""

import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, TypeVar

from annotation.bankfile.reading import BankArchive, Fate, Standing, question_fate, said
from annotation.bankfile.references import Ledger
from annotation.bankfile.rules import PARTS, Fault, Record
from annotation.people.models import Project
from annotation.rubrics import queries as rubrics
from annotation.rubrics.rules import CriterionText, Wording

#: So many problems and differences are told; the rest is counted.
TOLD = 100
SOME = 200
T = TypeVar("T")


@dataclass
class Report:
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

    def note(self, part: str, record: Record, fate: Fate) -> None:
        counts = self.counts.setdefault(part, dict.fromkeys(Fate, 0))
        counts[fate] += 1
        if part == "rubrics" and fate in {Fate.NEW, Fate.MORE}:
            self.warnings += _odd(record)[: TOLD - len(self.warnings)]
        if fate is Fate.DIFFERS:
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
) -> Report:
    """Read all records: their checksums, shapes and references, and what is here already.

    Raises:
        NoBank: the file cannot be read, or was changed on the way.
    """
    archive.verify()
    report, ledger, standing = Report(), Ledger(), Standing(project)
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


def _odd(record: Record) -> list[str]:
    """Return what is odd about the newest version of a rubric, with its name."""
    criteria = tuple(
        CriterionText(
            one["key"],
            one["name"],
            Decimal(one["minimum"]),
            Decimal(one["maximum"]),
            step=Decimal(one["step"]) if one["step"] else None,
            pass_at=Decimal(one["pass_at"]) if one["pass_at"] else None,
        )
        for version in record["versions"][-1:]
        for one in version["criteria"]
        if one["minimum"] is not None and one["maximum"] is not None
    )
    found = rubrics.warnings(Wording("", criteria))
    return [f"{record['name']} › {one.message}" for one in found]


def name_of(part: str, record: Record) -> str:
    """Return what a record is called on a page."""
    for key in ("external_id", "title", "key", "name", "number"):
        if key in record:
            return str(record[key])[:120]
    if "path" in record:
        return " › ".join(record["path"])[:120]
    return " › ".join([*record["capability"], record["difficulty"]])[:120]


def batches(rows: Iterable[T], size: int) -> Iterator[list[T]]:
    source = iter(rows)
    while some := list(itertools.islice(source, size)):
        yield some


def _good(
    archive: BankArchive, part: str, ledger: Ledger, report: Report, seen: Counter[str]
) -> Iterator[Record]:
    """Yield the records that can be compared, and take note of what is wrong with the others."""
    for line, record in archive.records(part):
        seen[part] += 1
        if isinstance(record, Fault):
            report.blame(part, line, record)
            continue
        faults = list(itertools.islice(PARTS[part](record), 20))
        if not faults:
            faults = list(itertools.islice(ledger.faults(part, record), 20))
        for fault in faults:
            report.blame(part, line, fault)
        if not faults:
            yield record


def _compare(part: str, some: list[Record], standing: Standing, report: Report) -> None:
    if part == "people":
        return
    if part != "questions":
        for one in some:
            report.note(part, one, standing.fate(part, one))
        return
    ours = standing.questions([one["external_id"] for one in some])
    for one in some:
        report.note(part, one, question_fate(ours.get(one["external_id"]), one["versions"]))
