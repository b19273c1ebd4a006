"""Rows of scores against what the project has: which response each one means, and the dry run.

* Write the rows of a file of scores: judgments of judges and metrics, each declared first.
* How much a project has taken of conversations and dialogues that came in from files and programs.
"""

import hashlib
import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.db.models import Avg, Count, Max, QuerySet, StdDev, Sum

from annotation.common import scales
from annotation.files import scores
from annotation.files import scores as machines
from annotation.files import stored as files
from annotation.files.asks import FileAsk, Told
from annotation.files.cells import FileProblem, FileRecord
from annotation.files.columns import Target
from annotation.files.models import SEEN, ImportBatch
from annotation.files.scores import (
    CRITERION,
    Ends,
    FileScore,
    Machine,
    ScoreMapping,
    ScoresReader,
    ScoresRow,
)
from annotation.files.scores import Machine as Declared
from annotation.files.values import ValueReader
from annotation.imports import places as surveys
from annotation.imports import uploading
from annotation.imports.found import FileFindings, PreparedRows
from annotation.imports.places import ResponsePlace, ResponsePlaces
from annotation.people.models import Project, Rater, User
from annotation.rubrics import measures as score_imports_measures
from annotation.rubrics.models import Criterion, RubricVersion
from annotation.rubrics.rules import Measure
from scoring.engine.models import Judgment, Run
from scoring.engine.models import Machine as ScoreImportsMachine
from scoring.kinds.suites.models import ConversationBatch

PREVIEWED = 10
MAX_CRITERIA = 200

#: Readings of a judge are counted as far as this.
MOST_READINGS = 32_000

#: Response, kind and name of the rater, name of the criterion, number of the reading.
Key = tuple[int, str, str, str, int]


@dataclass(slots=True)
class JudgedRow:
    """A row that was looked up: its response, and its scores that can be brought in."""

    row: ScoresRow
    place: ResponsePlace
    scores: list[FileScore] = field(default_factory=list)
    problems: list[FileProblem] = field(default_factory=list)
    n_known: int = 0

    @property
    def is_sound(self) -> bool:
        return all(problem.warning for problem in self.problems)


def measures(mapping: ScoreMapping, name: str, criteria: Sequence[str]) -> list[Measure]:
    """Return what the criteria of a machine are measured on."""
    words: dict[Decimal, list[str]] = {}
    for word, written in sorted(mapping.words.items()):
        words.setdefault(scales.parse(written), []).append(word)
    labels = tuple((number, " / ".join(words[number])[:120]) for number in sorted(words))
    declared = [mapping.machine(name, criterion) for criterion in criteria]
    return [
        Measure(one.criterion, *one.ends(), one.higher_is_better, labels) for one in declared if one
    ]


def known(project: Project) -> dict[tuple[str, str], Ends]:
    """Return the ranges of the judges and metrics of a project, by name and criterion."""
    rows = Criterion.objects.filter(rubric_version__rubric__machine__rater__project=project)
    rows = rows.order_by("rubric_version__number")
    found = rows.values_list(
        "rubric_version__rubric__machine__rater__ref", "name", "minimum", "maximum"
    )
    return {(name, criterion): (low, high) for name, criterion, low, high in found}


class ScoresResolver:
    """Looks rows up in the project, in the order of the file, a batch at a time.

    A row with something wrong in it is left out whole: it counts for no later row.
    """

    def __init__(self, project: Project, mapping: ScoreMapping, told: Told) -> None:
        self._mapping = mapping
        self._kinds = {one.name: one.kind for one in mapping.machines}
        self._ends: dict[tuple[str, str], Ends | None] = {}
        self._places = ResponsePlaces(
            project, mapping.column, readings=told.get("readings") == "yes"
        )
        self._given: dict[bytes, int] = {}
        self.undeclared: dict[str, None] = {}
        self.criteria: dict[str, dict[str, None]] = {}

    def resolve(self, rows: Sequence[ScoresRow]) -> list[JudgedRow]:
        places = self._places.find(rows)
        found = [
            JudgedRow(row, place, problems=[*row.problems, *place.problems])
            for row, place in zip(rows, places, strict=True)
        ]
        before = self._before([place.response for place in places if place.response])
        for judged in found:
            self._look_up(judged, before)
        return found

    @property
    def matched(self) -> Mapping[str, Mapping[str, str]]:
        """What names of the file mean here, where they are written in another way."""
        return self._places.matched

    def _look_up(self, judged: JudgedRow, before: dict[Key, tuple[Any, ...]]) -> None:
        keys: dict[bytes, FileScore] = {}
        new = []
        if judged.place.reading > MOST_READINGS:
            column = self._mapping.column(Target.SAMPLE_NO)
            found = str(judged.place.reading)
            judged.problems.append(FileProblem("no_whole_number", judged.row.line, column, found))
        for score in judged.row.scores:
            if not self._is_declared(judged, score) or not self._fits(judged, score):
                continue
            key = self._key(judged, score)
            first = judged.row.line if key in keys else self._given.get(key)
            if first is not None:
                self._refuse(judged, "judged_twice", score, score.rater, first=str(first))
                continue
            keys[key] = score
            if self._is_new(judged, score, before):
                new.append(score)
        if judged.is_sound:
            judged.scores, judged.n_known = new, len(keys) - len(new)
            self._given |= dict.fromkeys(keys, judged.row.line)
            for score in keys.values():
                self.criteria.setdefault(score.rater, {}).setdefault(score.criterion)

    def _is_new(
        self, judged: JudgedRow, score: FileScore, before: dict[Key, tuple[Any, ...]]
    ) -> bool:
        """Say whether no earlier import holds a score; another one is refused."""
        place = judged.place
        said = (place.response, self._kinds[score.rater], score.rater, score.criterion)
        known = before.get((*said, place.reading))
        if known == (score.outcome, score.value):
            return False
        if other := known or before.get((*said, 0)):  # readings have a mean, which stays as it is
            shown = other[0].lower() if other[1] is None else f"{other[1]:g}"
            self._refuse(judged, "judged_before", score, score.rater, before=shown)
        return True

    def _before(self, responses: Sequence[int]) -> dict[Key, tuple[Any, ...]]:
        """Return what earlier imports hold of these responses by the machines of the file."""
        rows = Judgment.objects.filter(
            SEEN, response__in=responses, rater__ref__in=list(self._kinds)
        )
        found = rows.filter(batch__isnull=False).values_list(
            "response_id",
            "rater__kind",
            "rater__ref",
            "criterion__name",
            "repeat",
            "outcome",
            "value",
        )
        return {row[:5]: row[5:] for row in found}

    def _is_declared(self, judged: JudgedRow, score: FileScore) -> bool:
        if self._ends_of(score) is None:
            if score.rater not in self.undeclared:  # once is enough
                self._refuse(judged, "undeclared_machine", score, score.rater)
            self.undeclared.setdefault(score.rater)
            return False
        here = {one.criterion for one in judged.row.scores if one.rater == score.rater}
        known = self.criteria.get(score.rater, {})
        if len(known.keys() | here) > MAX_CRITERIA and score.criterion not in known:
            self._refuse(judged, "too_many_criteria", score, most=str(MAX_CRITERIA))
            return False
        return True

    def _ends_of(self, score: FileScore) -> Ends | None:
        pair = (score.rater, score.criterion)
        if pair not in self._ends:
            declared = self._mapping.machine(*pair)
            self._ends[pair] = declared.ends() if declared else None
        return self._ends[pair]

    def _fits(self, judged: JudgedRow, score: FileScore) -> bool:
        low, high = self._ends_of(score) or (None, None)
        if score.value is None or machines.within(score.value, low, high):
            return True
        bounds = Measure("", low, high).bounds()
        name = score.rater if score.criterion == CRITERION else f"{score.rater}, {score.criterion}"
        self._refuse(judged, "out_of_range", score, score.written, name=name, range=bounds)
        return False

    def _key(self, judged: JudgedRow, score: FileScore) -> bytes:
        row = judged.row
        said = (
            judged.place.response
            or f"{row.item}\x1f{row.system}\x1f{row.release}\x1f{row.sample_no}"
        )
        written = f"{said}\x1e{judged.place.reading}\x1e{score.criterion}\x1e{score.rater}"
        return hashlib.blake2b(written.encode(), digest_size=12).digest()

    def _refuse(
        self, judged: JudgedRow, code: str, score: FileScore, found: str = "", **facts: str
    ) -> None:
        judged.problems.append(FileProblem(code, judged.row.line, score.column, found, facts))


@dataclass
class ScoreCheck:
    """The dry run of a file of scores."""

    project: Project
    mapping: ScoreMapping
    values: ValueReader
    counts: dict[str, int] = field(
        default_factory=lambda: dict.fromkeys(("scores", "unscored", "known", "empty_cells"), 0)
    )
    preview: list[dict[str, Any]] = field(default_factory=list)
    items: set[int] = field(default_factory=set)
    releases: set[int] = field(default_factory=set)
    found: dict[str, machines.Seen] = field(default_factory=dict)
    doubts: list[list[str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._reader = scores.ScoresReader(self.mapping, self.values)
        self._resolver = ScoresResolver(self.project, self.mapping, self.values.told)
        self._found = FileFindings(self.project)
        self._survey = self.values.survey()
        self._asks: list[FileAsk] = []
        self.taken: dict[str, str] = {}

    def look(self, records: list[FileRecord]) -> None:
        for record in records:
            self._reader.look(record, self._survey)

    def settle(self) -> None:
        """Read the rows by what is known of the whole file now."""
        known = surveys.machines_of(self.project)
        self._asks = self._survey.asks(
            known, lambda part, number: surveys.holds(self.mapping, part, number)
        )
        self.taken = self._survey.taken(known, self._asks)
        self._reader = scores.ScoresReader(self.mapping, self.values.told_by(self.taken))
        self._resolver = ScoresResolver(self.project, self.mapping, self.taken)

    def asks(self) -> list[FileAsk]:
        return self._asks

    def batch(self, records: list[FileRecord]) -> list[list[FileProblem]]:
        problems = []
        for judged in self._resolver.resolve(self._reader.next(records)):
            problems.append(judged.problems)
            self._count(judged)
            self._found.problems(judged.problems)
        return problems

    def closing(self) -> list[FileProblem]:
        """Return the ranges that somebody has to confirm, now that all scores are known."""
        problems = []
        standing = surveys.standing(self.project, self.mapping)
        for whole in self.found.values():
            for part in whole.criteria.values():
                if declared := self.mapping.machine(whole.name, part.name):
                    code, other = machines.doubt(declared, whole, part, standing)
                    if code:
                        self.doubts.append([whole.name, part.name])
                        facts = {
                            "criterion": part.name,
                            "range": Measure("", *declared.ends()).bounds(),
                            "other": other,
                            "low": f"{part.low:g}",
                            "high": f"{part.high:g}",
                            "n": str(part.n),
                        }
                        problems.append(FileProblem(code, found=whole.name, facts=facts))
        return problems

    def summary(self) -> dict[str, Any]:
        counts = self.counts | {"items": len(self.items), "systems": len(self.releases)}
        criteria = {name: list(found) for name, found in self._resolver.criteria.items()}
        return {
            "counts": counts,
            "preview": self.preview,
            "found": self._found.as_dict(),
            "criteria": criteria,
            "matched": self._resolver.matched,
            "undeclared": list(self._resolver.undeclared),
            "doubts": self.doubts,
            "seen": [one.as_dict() for one in self.found.values()],
            "machines": [self._said(one, criteria) for one in self.mapping.machines],
        }

    def _said(self, one: Machine, criteria: dict[str, list[str]]) -> dict[str, Any]:
        seen = self.found.get(one.name)
        if seen and one.criterion:
            seen = seen.criteria.get(one.criterion)
        return {
            "name": ", ".join(filter(None, (one.name, one.criterion))),
            "kind": one.kind,
            "range": Measure("", *one.ends()).bounds(),
            "criteria": [one.criterion] if one.criterion else criteria.get(one.name, []),
            "n": seen.n if seen else 0,
            "low": seen.low if seen and seen.n else None,
            "high": seen.high if seen and seen.n else None,
        }

    def _count(self, judged: JudgedRow) -> None:
        if judged.is_sound:
            self.counts["empty_cells"] += judged.row.n_empty
            self.counts["known"] += judged.n_known
            self.items.add(judged.place.item)
            self.releases.add(judged.place.release)
            machines_of = [one.rater for one in judged.row.scores]
            self._found.marks(judged.row.item, judged.row.system, machines_of)
        for score in judged.scores:
            self.counts["scores" if score.value is not None else "unscored"] += 1
        for score in judged.row.scores:  # those outside their range, or by nobody declared, too
            seen = self.found.setdefault(score.rater, machines.Seen(score.rater))
            seen.criteria.setdefault(score.criterion, machines.Seen(score.criterion))
            if score.value is not None:
                seen.add(score.value, score.criterion, worded=bool(score.label))
        if judged.scores and len(self.preview) < PREVIEWED:
            self.preview.append(
                {
                    "item": judged.row.item,
                    "system": judged.row.system,
                    "grades": [
                        {
                            "rater": one.rater,
                            "criterion": "" if one.criterion == "score" else one.criterion,
                            "value": one.written if one.value is not None else f"({one.reason})",
                        }
                        for one in judged.scores
                    ],
                }
            )


def begin(*, batch: ImportBatch, report: dict[str, Any], by: User, now: datetime) -> None:
    """Declare the judges and metrics of which the check found scores."""
    mapping = ScoreMapping.from_dict(batch.mapping)
    judges: dict[str, Declared] = {}
    for one in mapping.machines:
        judges.setdefault(one.name, one)
    for one in judges.values():
        criteria = report["criteria"].get(one.name)
        if criteria:
            machine = _meet(batch, one, now)
            wanted = measures(mapping, one.name, criteria)
            score_imports_measures.declare(rubric=machine.rubric, measures=wanted, by=by, now=now)


class ScoresWriter:
    def __init__(self, batch: ImportBatch, mapping: ScoreMapping) -> None:
        self._batch = batch
        assert batch.upload is not None
        self._reader = ScoresReader(mapping, files.values_of(batch.upload, batch.told))
        self._resolver = ScoresResolver(batch.project, mapping, batch.told)
        self._raters: dict[str, int] = {}
        self._criteria: dict[tuple[str, str], int] = {}
        kinds = {one.name: one.kind for one in mapping.machines}
        for machine in _machines(batch, kinds):
            name = machine.rater.ref
            self._raters[name] = machine.rater_id
            version = RubricVersion.objects.filter(rubric=machine.rubric_id).order_by("-number")[0]
            rows = Criterion.objects.filter(rubric_version=version)
            self._criteria |= {(name, row.name): row.pk for row in rows}

    def remember(self, records: list[FileRecord]) -> None:
        self._reader.skip(records)

    def prepare(self, records: list[FileRecord]) -> PreparedRows[JudgedRow]:
        return PreparedRows(self._resolver.resolve(self._reader.next(records)))

    def write(self, prepared: PreparedRows[JudgedRow]) -> dict[str, int]:
        made = [self._judgment(one.place, score) for one in prepared.found for score in one.scores]
        Judgment.objects.bulk_create(made)
        n_scored = sum(one.value is not None for one in made)
        n_known = sum(one.n_known for one in prepared.found)
        return {"scores": n_scored, "unscored": len(made) - n_scored, "known": n_known}

    def finish(self, now: datetime) -> None:
        """Write the mean of the readings of each response, which counts in figures."""
        readings = Judgment.objects.filter(batch=self._batch, repeat__gt=0)
        means = Judgment.objects.filter(batch=self._batch, n_valid__isnull=False, repeat=0)
        means.delete()  # of a worker that died over them
        groups = (
            readings.values("rater_id", "response_id", "criterion_id")
            .annotate(mean=Avg("value"), n=Count("value"), sd=StdDev("value", sample=True))
            .order_by("rater_id", "response_id", "criterion_id")
        )
        last = Judgment.objects.filter(batch=self._batch).aggregate(last=Max("line"))["last"] or 0
        made = (self._mean(group, line) for line, group in enumerate(groups, start=last + 1))
        while some := list(itertools.islice(made, 500)):
            Judgment.objects.bulk_create(some)

    def _mean(self, group: Mapping[str, Any], line: int) -> Judgment:
        scored = group["n"] > 0
        return Judgment(
            rater_id=group["rater_id"],
            response_id=group["response_id"],
            criterion_id=group["criterion_id"],
            batch=self._batch,
            line=line,
            outcome=Judgment.Outcome.SCORED if scored else Judgment.Outcome.UNSCORED,
            reason="" if scored else "no reading",
            value=group["mean"],
            n_valid=group["n"],
            sd=group["sd"],
        )

    def _judgment(self, place: ResponsePlace, score: FileScore) -> Judgment:
        return Judgment(
            rater_id=self._raters[score.rater],
            response_id=place.response,
            repeat=place.reading,
            criterion_id=self._criteria[score.rater, score.criterion],
            batch=self._batch,
            line=score.number,
            outcome=score.outcome,
            reason=score.reason,
            value=score.value,
            label=score.label,
            text=score.text,
            at=score.at,
        )


def layers(batch: ImportBatch) -> "Iterator[QuerySet[Any]]":
    """Yield what an undo takes away. What was declared of judges and metrics stays."""
    yield Judgment.objects.filter(batch=batch)


SUPPLIED = uploading.Supplied(begin, ScoresWriter, layers)


def _meet(batch: ImportBatch, one: Declared, now: datetime) -> ScoreImportsMachine:
    rater, _new = Rater.objects.get_or_create(
        project=batch.project, kind=one.kind, ref=one.name, defaults={"created_at": now}
    )
    machine = ScoreImportsMachine.objects.filter(rater=rater).first()
    if machine is None:
        rubric = score_imports_measures.create(project=batch.project, name=one.name, now=now)
        return ScoreImportsMachine.objects.create(
            rater=rater, rubric=rubric, family=one.family[:80], created_at=now
        )
    if one.family and one.family != machine.family:
        machine.family = one.family[:80]
        machine.save(update_fields=["family"])
    return machine


def _machines(batch: ImportBatch, kinds: dict[str, str]) -> list[ScoreImportsMachine]:
    rows = ScoreImportsMachine.objects.filter(
        rater__project=batch.project, rater__ref__in=list(kinds)
    )
    return [one for one in rows.select_related("rater") if kinds[one.rater.ref] == one.rater.kind]


def kept(project: Project) -> int:
    """Return the bytes that were sent; of what came in before they were counted, nothing."""
    batches = ConversationBatch.objects.filter(set__project=project)
    sizes = Run.objects.filter(project=project, config__has_key="imported").values_list(
        "config__imported__bytes", flat=True
    )
    return int(batches.aggregate(n=Sum("size"))["n"] or 0) + sum(one or 0 for one in sizes)
