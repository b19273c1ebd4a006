"""Which of two answers is better, from a file: rows against what the project has, tried out and written.

What people chose becomes a round of pairs, final from the start; questions, answers and systems that the
project lacks come with it.
"""

import hashlib
import itertools
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any, Final

from django.utils.text import slugify
from django.utils.translation import gettext as _

from annotation.common import texts as faces
from annotation.common.pace import Batches
from annotation.files import pairs as pair_rows
from annotation.files import stored as files
from annotation.files.answers import AnsweredItem, AnswersRow, FileAnswer
from annotation.files.asks import FileAsk, Told
from annotation.files.cells import FileProblem, FileRecord
from annotation.files.columns import Target
from annotation.files.models import ImportBatch, Upload
from annotation.files.pairs import ChoicesSeen, PairMapping, PairReader, PairRow, PairSide
from annotation.files.scores import is_judge
from annotation.files.values import CRITERION, RATER, ValueReader, fold
from annotation.grading.models import Grade, Remark
from annotation.imports import grades, writers
from annotation.imports.answers import (
    AnswersResolved,
    AnswersResolver,
    ItemStock,
    Noted,
    said_key,
)
from annotation.imports.found import FileFindings, PreparedRows
from annotation.people.models import Project, User
from annotation.rounds.models import Round, RoundItem, RoundResponse
from annotation.rubrics import operations as rubrics
from annotation.rubrics import queries as rubric_reads
from annotation.rubrics.models import Criterion, Level, Rubric, RubricVersion
from annotation.rubrics.rules import BETTER, CHOICES, MUCH, CriterionText, LevelText, Wording
from annotation.systems.models import Response
from evalsite.db.rows import insert_with_keys
from evalsite.text import markdown

#: The release of a system that a file names without one, and that is new here.
FIRST_RELEASE: Final = "1"
PREVIEWED, SHOWN = 10, 2000
GRADE: Final = (
    "round_id",
    "response_id",
    "against_id",
    "criterion_id",
    "rater_id",
    "batch_id",
    "line",
    "value",
    "given_at",
    "text",
    *grades.AS_GIVEN,
)


@dataclass(frozen=True, slots=True)
class ChoiceRubric:
    """What a rubric of the project offers: choices by the key of their criterion, and their words."""

    offered: Mapping[str, frozenset[int]] = field(default_factory=dict)
    labels: Mapping[str, int] = field(default_factory=dict)
    keys: Mapping[str, str] = field(default_factory=dict)


def rubric_of(project: Project, mapping: PairMapping) -> ChoiceRubric | None:
    """Return what the rubric of a mapping offers; None where one is made of the file."""
    version = grades.version_of(project, mapping.rubric) if mapping.rubric else None
    if version is None:
        return None
    rows = Level.objects.filter(criterion__rubric_version=version, criterion__mark="CHOICE")
    offered: dict[str, set[int]] = defaultdict(set)
    labels: dict[str, int] = {}
    keys: dict[str, str] = {}
    for key, name, value, label in rows.values_list(
        "criterion__key", "criterion__name", "value", "label"
    ):
        offered[key].add(int(value))
        labels[label.casefold()] = int(value)
        keys |= {fold(key): key, fold(name): key}
    return ChoiceRubric({key: frozenset(some) for key, some in offered.items()}, labels, keys)


def machines_of(upload: Upload) -> Callable[[str], bool]:
    """Return what says whether a rater of a file is a machine: in some shapes all are."""
    shape = files.layout_of(upload).known_shape
    return bool if shape is not None and shape.by_machines else is_judge


def reader_of(
    project: Project,
    mapping: PairMapping,
    values: ValueReader,
    is_machine: Callable[[str], bool],
) -> PairReader:
    """Return what reads the rows of a file, for the check and for the import alike."""
    rubric = rubric_of(project, mapping) or ChoiceRubric()
    return PairReader(mapping, values, rubric.labels, rubric.keys, is_machine)


class PairResolver(AnswersResolver):
    """Looks rows up in the project, in the order of the file, a batch at a time.

    The same question and answers stand in many rows: each is brought in once.
    """

    def __init__(
        self,
        project: Project,
        mapping: PairMapping,
        batch: ImportBatch | None = None,
        told: Told | None = None,
    ) -> None:
        self._labels_of: dict[str, list[str]] = {}
        super().__init__(project, mapping.for_answers(), batch, told)
        self._columns = mapping.column
        self._rubric = rubric_of(project, mapping)
        #: Whether no column names who chose: then choices of one pair are by as many people.
        self.numbers_raters = not mapping.column(Target.RATER)
        self._is_numbered = False
        self._given: dict[bytes, int] = {}
        self._times: dict[bytes, int] = defaultdict(int)
        self._samples: dict[tuple[int, int], list[int]] = {}
        self.criteria: dict[str, None] = {}

    def look_again(self) -> None:
        super().look_again()
        self._labels_of = defaultdict(list)
        for system, label in self.releases:
            self._labels_of[system].append(label)

    def choices(self, rows: Sequence[PairRow]) -> list[AnswersResolved]:
        """Return the rows with what they mean here."""
        return self.resolve(rows)

    def _adopt(self, rows: Sequence[AnswersRow]) -> None:
        """Take names for those of the project; a side without a release is of the system's only one."""
        for row in rows:
            for side in row.sides if isinstance(row, PairRow) else ():
                if side.system:
                    side.system = self._system(side.system)
                    side.release = side.release or self._only_release(side.system)
                if side.answer is not None:
                    side.answer.system, side.answer.release = side.system, side.release
        super()._adopt(rows)

    def _only_release(self, system: str) -> str:
        """Return the release of a system that has one, or will have; empty where it has several."""
        labels = self._labels_of.get(system) or [FIRST_RELEASE]
        return labels[0] if len(labels) == 1 else ""

    def _stock(self, rows: Sequence[AnswersRow]) -> ItemStock:
        found = super()._stock(rows)
        self._samples = defaultdict(list)
        for item, release, sample_no in found.responses:
            self._samples[item, release].append(sample_no)
        return found

    def _looked_up(self, row: AnswersRow, stock: ItemStock) -> AnswersResolved:
        assert isinstance(row, PairRow)
        resolved = super()._looked_up(row, stock)
        if resolved.key is None or any(not one.warning for one in resolved.problems):
            return resolved
        for side in row.sides:
            self._find(resolved, side)
        ends = [(one.system, one.release) for one in row.sides]
        if ends[0] == ends[1]:
            self._refuse(resolved, "one_system_twice", Target.SYSTEM_B, ends[0][0])
        if row.value is not None and not row.is_left_out:
            self._choose(resolved, row)
        return resolved

    def _again(self, resolved: AnswersResolved, question: AnsweredItem, first: Noted) -> None:
        before = len(resolved.problems)
        super()._again(resolved, question, first)
        found = resolved.problems[before:]
        resolved.problems[before:] = [one for one in found if one.code != "row_twice"]

    def _repeated(self, resolved: AnswersResolved, answer: FileAnswer) -> bool:
        if resolved.key is not None:
            key = said_key(resolved.key[0], answer.system, answer.release, answer.sample_no)
            before = self._said.get(key)
            if before is not None and before[0] == answer.content_sha[:16]:
                return True
        return super()._repeated(resolved, answer)

    def _find(self, resolved: AnswersResolved, side: PairSide) -> None:
        """Find which answer one side is, where the row does not have it."""
        assert resolved.key is not None
        if not side.release:
            self._refuse(resolved, "which_release", None, side.system)
        elif side.answer is not None:
            side.sample_no = side.answer.sample_no
        else:
            here = self._known(resolved, side)
            if side.sample_no is not None:
                here = [one for one in here if one == side.sample_no]
            if len(here) == 1:
                side.sample_no = here[0]
                return
            known = side.system in self._labels_of or side.system in self.systems()
            code = "several_responses" if here else "no_response" if known else "unknown_system"
            found = resolved.key[0] if known else side.system
            self._refuse(resolved, code, None, found, system=side.system)

    def _known(self, resolved: AnswersResolved, side: PairSide) -> list[int]:
        """Return the numbers of a side's answers to a question: of those here, or of the file so far."""
        assert resolved.key is not None
        item, release = resolved.item, self.releases.get((side.system, side.release))
        here = self._samples.get((item.pk, release), []) if item and release else []
        number = side.sample_no or 1
        key = said_key(resolved.key[0], side.system, side.release, number)
        return here or ([number] if key in self._said else [])

    def _choose(self, resolved: AnswersResolved, row: PairRow) -> None:
        """Look at what was chosen; a pair is chosen of once by one person and criterion."""
        assert resolved.key is not None
        if self._rubric is not None:
            offered = self._rubric.offered.get(row.criterion)
            if offered is None:
                known = ", ".join(self._rubric.offered)
                self._refuse(
                    resolved, "unknown_criterion", Target.CRITERION, row.criterion, known=known
                )
            elif row.value not in offered:
                said = str(CHOICES[row.value or 0])
                self._refuse(resolved, "choice_not_offered", Target.CHOICE, said)
        elif row.criterion not in self.criteria and len(self.criteria) >= grades.MAX_CRITERIA:
            most = str(grades.MAX_CRITERIA)
            self._refuse(resolved, "too_many_criteria", Target.CRITERION, most=most)
        if any(not one.warning for one in resolved.problems):
            return
        ends = sorted(f"{one.system}\x1f{one.release}\x1f{one.sample_no}" for one in row.sides)
        where = "\x1e".join((*resolved.key, *ends, row.criterion, row.rater))
        key = hashlib.blake2b(where.encode(), digest_size=12).digest()
        if self.numbers_raters:
            self._number(resolved, row, key)
        elif (first := self._given.get(key)) is not None:
            self._refuse(resolved, "chosen_twice", Target.RATER, row.rater, first=str(first))
            return
        self._put(self._given, key, row.line)
        self.criteria.setdefault(row.criterion)

    def _number(self, resolved: AnswersResolved, row: PairRow, key: bytes) -> None:
        """Take the second choice of one pair for that of a second person, and say so once."""
        self._times[key] += 1
        if self._times[key] == 1:
            return
        if not self._is_numbered:
            self._is_numbered = True
            column = self._columns(Target.CHOICE)
            resolved.problems.append(
                FileProblem("raters_numbered", row.line, column, row.rater, warning=True)
            )
        row.rater = f"{row.rater} {self._times[key]}"

    def _refuse(
        self,
        resolved: AnswersResolved,
        code: str,
        target: Target | None,
        found: str = "",
        **facts: str,
    ) -> None:
        column = self._columns(target) if target else ""
        resolved.problems.append(FileProblem(code, resolved.row.line, column, found, facts))


def faults_of(project: Project, mapping: PairMapping) -> list[FileProblem]:
    """Return why no choices can be brought in by the rubric of a mapping."""
    if not mapping.rubric:
        return []
    rubric = rubric_of(project, mapping)
    if rubric is None:
        return [FileProblem("unknown_rubric", found=mapping.rubric)]
    return [] if rubric.offered else [FileProblem("rubric_of_marks", found=mapping.rubric)]


@dataclass
class PairCheck:
    """The dry run of a file of choices: what would come of it, and the first ones."""

    project: Project
    mapping: PairMapping
    values: ValueReader
    is_machine: Callable[[str], bool]
    counts: dict[str, int] = field(
        default_factory=lambda: dict.fromkeys(
            (
                *("choices", "ties", "both_bad", "machine_choices", "empty_cells", "comments"),
                *("new_items", "known_items", "new_responses", "known_responses"),
            ),
            0,
        )
    )
    preview: list[dict[str, Any]] = field(default_factory=list)
    raters: dict[str, int] = field(default_factory=dict)
    chosen: dict[int, int] = field(default_factory=dict)
    places: dict[tuple[str, str], None] = field(default_factory=dict)
    releases: dict[tuple[str, str], None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._reader = reader_of(self.project, self.mapping, self.values, self.is_machine)
        self._resolver = PairResolver(self.project, self.mapping, told=self.values.told)
        self._systems = self._resolver.systems()
        self._found = FileFindings(self.project)
        self._survey = self.values.survey()
        self._seen = ChoicesSeen()
        self._asks: list[FileAsk] = []
        self._is_broken = False
        self.taken: dict[str, str] = {}

    def look(self, records: list[FileRecord]) -> None:
        for record in records:
            self._reader.look(record, self._survey, self._seen)

    def settle(self) -> None:
        """Read the rows by what is known of the whole file now."""
        told = self.values.told
        known = {RATER: grades.raters_of(self.project), CRITERION: []}
        of_values = self._survey.asks(known, lambda _part, _number: False)
        self._asks = [*of_values, *self._seen.asks(told)]
        self.taken = self._survey.taken(known, of_values)
        self.taken |= {one.key: one.answer(told) for one in self._seen.asks(told)}
        self.taken = {key: said for key, said in self.taken.items() if said}
        values = self.values.told_by(self.taken)
        self._reader = reader_of(self.project, self.mapping, values, self.is_machine)

    def asks(self) -> list[FileAsk]:
        return [*self._asks, *self._reader.asked.values(), *self._resolver.asks()]

    def batch(self, records: list[FileRecord]) -> list[list[FileProblem]]:
        found = self._resolver.choices(self._reader.next(records))
        for one in found:
            self._found.problems(one.problems)
            if all(problem.warning for problem in one.problems):
                self._count(one)
            else:
                self._is_broken = True
        return [one.problems for one in found]

    def closing(self) -> list[FileProblem]:
        """Return that nobody chose, where only machines did or all cells are empty."""
        if (
            self.counts["choices"]
            or self._is_broken
            or any(not self._answer(o) for o in self._asks)
        ):
            return []
        machines = self.counts["machine_choices"]
        return [FileProblem("only_machines_chose" if machines else "nobody_chose")]

    def _answer(self, ask: FileAsk) -> str:
        return ask.answer(self.values.told)

    def summary(self) -> dict[str, Any]:
        new = [key for key in self.releases if key not in self._resolver.releases]
        systems = {name for place in self.places for name in place[1].split("\x1f")}
        return {
            "counts": self.counts
            | {"items": len({name for name, _ends in self.places}), "systems": len(systems)},
            "preview": self.preview,
            "found": self._found.as_dict(),
            "criteria": list(self._resolver.criteria),
            "raters": self.raters,
            "chosen": {str(value): n for value, n in sorted(self.chosen.items())},
            "n_pairs": len(self.places),
            "new_systems": sorted({name for name, _ in new if name not in self._systems}),
            "new_releases": [f"{name} · {label}" for name, label in sorted(new)],
        }

    def _count(self, resolved: AnswersResolved) -> None:
        row, question = resolved.row, resolved.row.question
        assert isinstance(row, PairRow)
        assert question is not None
        assert resolved.key is not None
        differs = question.external_id in self._resolver.differing
        self._found.question(question, is_new=resolved.is_new, differs=differs)
        for side in row.sides:
            self._found.marks(question.external_id, side.system, ())
        self.counts["new_items"] += resolved.is_new
        self.counts["known_items"] += resolved.is_first and not resolved.is_new
        self.counts["new_responses"] += len(resolved.new_answers)
        self.counts["known_responses"] += resolved.n_known
        self.counts["empty_cells"] += row.value is None
        for answer in resolved.new_answers:
            self.releases.setdefault((answer.system, answer.release))
        if row.is_left_out:
            self.counts["machine_choices"] += 1
        elif row.value is not None:
            self._chosen(row, question)

    def _chosen(self, row: PairRow, question: AnsweredItem) -> None:
        assert row.value is not None
        self.counts["choices"] += 1
        self.counts["ties"] += row.value == pair_rows.TIE
        self.counts["both_bad"] += row.value == pair_rows.BOTH_BAD
        self.counts["comments"] += bool(row.comment)
        self.raters[row.rater] = self.raters.get(row.rater, 0) + 1
        self.chosen[row.value] = self.chosen.get(row.value, 0) + 1
        self._found.raters[row.rater] += 1
        names = "\x1f".join(sorted(one.system for one in row.sides))
        self.places.setdefault((question.external_id, names))
        if len(self.preview) < PREVIEWED:
            self.preview.append(_card(row, question))


def _card(row: PairRow, question: AnsweredItem) -> dict[str, Any]:
    """Return a choice as it is shown before it comes in."""
    return {
        "external_id": question.external_id,
        "html": _shown(question.messages),
        "sides": [
            {"name": side.system, "html": _shown(side.answer.messages) if side.answer else ""}
            for side in row.sides
        ],
        "rater": row.rater,
        "criterion": row.criterion,
        "choice": str(CHOICES[row.value or pair_rows.TIE]),
        "comment": row.comment[:SHOWN],
    }


def _shown(messages: list[dict[str, Any]]) -> str:
    text = faces.conversation(messages)
    return markdown.render(text if len(text) <= SHOWN else f"{text[:SHOWN]} …")


def open_round(*, batch: ImportBatch, report: Mapping[str, Any], by: User, now: datetime) -> Round:
    """Make the round that will hold the choices; it is not seen before its batch is.

    Raises:
        UnknownRubric: the rubric that the mapping names is gone.
    """
    mapping = PairMapping.from_dict(batch.mapping)
    if mapping.rubric:
        version = grades.version_of(batch.project, mapping.rubric)
        if version is None:
            raise grades.UnknownRubric(_("The rubric of these choices is gone. Choose another."))
    else:
        values = {int(value) for value in report["chosen"]}
        version = _made(batch.project, mapping.new_rubric, report["criteria"], values, by, now)
    return grades.make_round(
        batch=batch, version=version, name=mapping.round_name, by=by, now=now, of_pairs=True
    )


def _made(
    project: Project, name: str, criteria: Sequence[str], values: set[int], by: User, now: datetime
) -> RubricVersion:
    """Make a rubric of choices, or take the one that says exactly the same.

    It offers what the file has, and both sides always.
    """
    offered = values | BETTER | (MUCH if values & MUCH else frozenset())
    levels = tuple(LevelText(Decimal(one), str(CHOICES[one])) for one in sorted(offered))
    texts = tuple(
        CriterionText(
            key=slugify(name)[:80] or f"criterion-{place}",
            name=name,
            mark=Criterion.Mark.CHOICE,
            levels=levels,
        ).settled()
        for place, name in enumerate(criteria, 1)
    )
    wording = Wording("", texts)
    base = slugify(name)[:70] or "preferences"
    # A rubric of marks stays one.
    for number in itertools.count():
        key = f"{base}-{number}" if number else base
        rubric = Rubric.objects.filter(project=project, key=key).first()
        if rubric is None:
            return rubrics.create_rubric(
                project=project, key=key, name=name[:200], wording=wording, by=by, now=now
            )
        newest = rubric.versions.order_by("-number")[0]
        standing = rubric_reads.wording(newest)
        if standing.sha() == wording.sha():
            return newest
        if all(one.mark == Criterion.Mark.CHOICE for one in standing.criteria):
            return rubrics.new_version(
                rubric=rubric, wording=wording, base_sha=standing.sha(), by=by, now=now
            )
    raise AssertionError


class PairsWriter(writers.QuestionsWriter):
    """Writes questions and answers as they come, and what was chosen of them."""

    _resolver: PairResolver

    def __init__(self, batch: ImportBatch, mapping: PairMapping) -> None:
        assert batch.upload is not None
        self._batch = batch
        self._now = batch.created_at
        values = files.values_of(batch.upload, batch.told)
        self._pairs = reader_of(batch.project, mapping, values, machines_of(batch.upload))
        self._resolver = PairResolver(batch.project, mapping, batch, batch.told)
        self._round = Round.objects.get(batch=batch)
        self._version = RubricVersion.objects.get(pk=self._round.rubrics.get().rubric_version_id)
        rows = Criterion.objects.filter(rubric_version=self._version)
        self._criteria = {row.key if mapping.rubric else row.name: row.pk for row in rows}
        self._raters = grades.imported_raters(batch.project)

    def remember(self, records: list[FileRecord]) -> None:
        rows = self._pairs.next(records)
        if self._resolver.numbers_raters:  # the next number depends on those before
            self._resolver.choices(rows)
        else:
            self._resolver.remember(rows)

    def prepare(self, records: list[FileRecord]) -> PreparedRows[AnswersResolved]:
        return PreparedRows(self._resolver.choices(self._pairs.next(records)))

    def write(self, prepared: PreparedRows[AnswersResolved]) -> dict[str, int]:
        found = prepared.found
        made = self._systems(found)
        items = self._items(found)
        made["responses"] = self._responses(found, items)
        made["items"] = len(items.new)
        made["known_items"] = sum(one.is_first and not one.is_new for one in found)
        made["known_responses"] = sum(one.n_known for one in found)
        rows = [(one.row, items.pks[one.key]) for one in found if one.key is not None]
        return made | self._choices(
            [
                (row, item)
                for row, item in rows
                if isinstance(row, PairRow) and row.value is not None and not row.is_left_out
            ]
        )

    def finish(self, now: datetime) -> None:
        """Set what is only known at the end: how many people chose of a pair, whose answers they are."""
        grades.end_round(self._round, self._set_seats(), now)

    def _choices(self, found: Sequence[tuple[PairRow, int]]) -> dict[str, int]:
        answers = self._answers({item for _row, item in found})
        ends = [
            tuple(answers[item, *self._place(side)] for side in row.sides) for row, item in found
        ]
        self._put_pairs({item for _row, item in found}, list(zip(found, ends, strict=True)))
        grades.meet(self._batch, self._raters, dict.fromkeys(row.rater for row, _item in found))
        rows = (self._grade(row, of) for (row, _item), of in zip(found, ends, strict=True))
        made = insert_with_keys(Grade, GRADE, rows)
        remarks = [
            Remark(
                grade_id=pk,
                rater_id=self._raters[row.rater],
                kind=Remark.Kind.COMMENT,
                text=row.comment,
                at=row.at or self._now,
            )
            for pk, (row, _item) in zip(made, found, strict=True)
            if row.comment
        ]
        Remark.objects.bulk_create(remarks)
        return {"choices": len(found), "comments": len(remarks)}

    def _place(self, side: PairSide) -> tuple[int, int]:
        return self._resolver.releases[side.system, side.release], side.sample_no or 1

    def _answers(self, items: set[int]) -> dict[tuple[int, int, int], int]:
        """Return the answers to some questions by question, release and number."""
        rows = Response.objects.filter(self._resolver.mine, item__in=items).order_by("pk")
        return {
            (item, release, number): pk
            for pk, item, release, number in rows.values_list(
                "pk", "item_id", "release_id", "sample_no"
            )
        }

    def _put_pairs(
        self,
        items: set[int],
        found: Sequence[tuple[tuple[PairRow, int], tuple[int, ...]]],
    ) -> None:
        """Put the pairs into the round that are not in it yet, numbered question by question."""
        here = RoundItem.objects.filter(round=self._round)
        shown = RoundResponse.objects.filter(
            round_item__round=self._round, round_item__item__in=items
        )
        known: dict[int, set[int]] = defaultdict(set)
        for place, response in shown.values_list("round_item_id", "response_id"):
            known[place].add(response)
        pairs = {frozenset(some) for some in known.values()}
        last: dict[int, int] = defaultdict(int)
        for item, number in here.filter(item__in=items).values_list("item_id", "pair"):
            last[item] = max(last[item], number)
        new: dict[frozenset[int], tuple[PairRow, int, tuple[int, ...]]] = {}
        for (row, item), of in found:
            if frozenset(of) not in pairs:
                new.setdefault(frozenset(of), (row, item, of))
        start = here.count()
        places = []
        for ordinal, (_row, item, _of) in enumerate(new.values(), start=start):
            last[item] += 1
            places.append(
                RoundItem(
                    round=self._round,
                    item_id=item,
                    pair=last[item],
                    ordinal=ordinal,
                    n_seats=1,
                    rubric_version=self._version,
                )
            )
        RoundItem.objects.bulk_create(places)
        RoundResponse.objects.bulk_create(
            RoundResponse(round_item=place, release_id=self._place(side)[0], response_id=response)
            for place, (row, _item, of) in zip(places, new.values(), strict=True)
            for side, response in zip(row.sides, of, strict=True)
        )

    def _grade(self, row: PairRow, of: tuple[int, ...]) -> tuple[Any, ...]:
        return (
            self._round.pk,
            *of,
            self._criteria[row.criterion],
            self._raters[row.rater],
            self._batch.pk,
            row.number,
            row.value,
            row.at,
            "",
            *grades.AS_GIVEN.values(),
        )

    def _set_seats(self) -> int:
        """Note how many people chose of each pair; return the most."""
        chosen: dict[frozenset[int], set[int]] = defaultdict(set)
        rows = Grade.objects.filter(batch=self._batch).order_by()
        for first, second, rater in (
            rows.values_list("response_id", "against_id", "rater_id").distinct().iterator()
        ):
            chosen[frozenset((first, second))].add(rater)
        shown: dict[int, set[int]] = defaultdict(set)
        served = RoundResponse.objects.filter(round_item__round=self._round)
        for place, response in served.values_list("round_item_id", "response_id").iterator():
            shown[place].add(response)
        by_count: dict[int, list[int]] = defaultdict(list)
        for place, some in shown.items():
            by_count[max(1, len(chosen[frozenset(some)]))].append(place)
        for n, places in by_count.items():
            for part in Batches(start=500).batches(places):
                RoundItem.objects.filter(pk__in=part).update(n_seats=n)
        return max(by_count, default=1)
