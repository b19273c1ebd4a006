"""The dry run of a file of questions for the bank: what would come of it, and what asks the same.

* The dry run of a file of questions of multiple choice: what would come of it, and the first ones.
* The dry run: a whole file against the project, with every problem and what would come of it.
"""

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Final, Protocol, runtime_checkable

from annotation.common import texts as faces
from annotation.common import traces
from annotation.domains.models import Difficulty, QuestionType
from annotation.files import answers as answer_rows
from annotation.files import choices as choice_rows
from annotation.files import grades as grade_rows
from annotation.files import guessing
from annotation.files import questions as rows
from annotation.files import stored as files
from annotation.files.answers import AnsweredItem
from annotation.files.asks import FileAsk, Told
from annotation.files.cells import BadFile, FileProblem, FileRecord
from annotation.files.choices import ChoiceMapping
from annotation.files.columns import Target
from annotation.files.mappings import AnswerMapping, FileMapping, GradeMapping, QuestionMapping
from annotation.files.models import ImportKind, Upload
from annotation.files.pairs import PairMapping
from annotation.files.scores import FigureMapping, ScoreMapping
from annotation.files.values import RATER, ValueReader
from annotation.imports import answers, grades
from annotation.imports import questions as likenesses
from annotation.imports.answers import AnswersResolver
from annotation.imports.found import FileFindings
from annotation.imports.pairs import PairCheck, machines_of
from annotation.imports.questions import QuestionsResolved, QuestionsResolver, RowFate
from annotation.people.models import Project
from evalsite import panels
from evalsite.text import markdown

PREVIEWED = 10
SHOWN = 400  # signs of a text in the preview
LISTED = 100  # names of new sources in the report

_WORDS = {**dict(Difficulty.choices), **dict(QuestionType.choices)}
_COUNTS = {
    RowFate.NEW: "new_questions",
    RowFate.VERSION: "new_versions",
    RowFate.SAME: "unchanged",
}


@dataclass
class QuestionCheck:
    project: Project
    mapping: QuestionMapping
    shielded: bool
    counts: dict[str, int] = field(
        default_factory=lambda: dict.fromkeys(
            ("new_questions", "new_versions", "unchanged", "near_duplicates", "without_source"), 0
        )
    )
    preview: list[dict[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._reader = rows.QuestionsReader(self.mapping, shielded=self.shielded)
        self._resolver = QuestionsResolver(self.project, self.mapping, self._reader.said)
        self._finder = likenesses.Finder(self.project)

    def batch(self, records: list[FileRecord]) -> list[list[FileProblem]]:
        problems = []
        for resolved in self._resolver.resolve([self._reader.read(record) for record in records]):
            problems.append(resolved.problems + self._like(resolved))
            self._count(resolved)
        return problems

    def summary(self) -> dict[str, Any]:
        sources = [one.title for one in self._resolver.corpus.missing.values()]
        return {
            "counts": {**self.counts, "new_sources": len(sources)},
            "preview": self.preview,
            "new_capabilities": list(self._resolver.missing["capability"]),
            "new_domains": list(self._resolver.missing["domain"]),
            "new_sources": sources[:LISTED],
        }

    def _like(self, resolved: QuestionsResolved) -> list[FileProblem]:
        """Return a warning if a row of its own asks what the bank or an earlier row asks."""
        question = resolved.row.question
        if question is None or not question.turns or resolved.newest is not None:
            return []
        if resolved.fate == RowFate.REFUSED:
            return []
        line = resolved.row.line
        found = self._finder.like(line, question.external_id, question.turns, question.answer)
        if found is None:
            return []
        self.counts["near_duplicates"] += 1
        column = self.mapping.column(Target.QUESTION) or self.mapping.column(Target.MESSAGES)
        facts = {"other": found.external_id, "percent": str(found.percent)}
        if found.line is None:
            return [
                FileProblem("like_in_bank", line, column, question.external_id, facts, warning=True)
            ]
        facts |= {"first": str(found.line)}
        return [
            FileProblem("like_in_file", line, column, question.external_id, facts, warning=True)
        ]

    def _count(self, resolved: QuestionsResolved) -> None:
        question = resolved.row.question
        if question is None or resolved.fate == RowFate.REFUSED:
            return
        self.counts[_COUNTS[resolved.fate]] += 1
        if resolved.fate == RowFate.SAME:
            return
        self.counts["without_source"] += not question.cited
        if len(self.preview) < PREVIEWED:
            self.preview.append(_question_card(resolved, question))


def _question_card(resolved: QuestionsResolved, question: rows.FileQuestion) -> dict[str, Any]:
    labels = (
        question.capability,
        question.domain,
        str(_WORDS.get(question.difficulty, "")),
        str(_WORDS.get(question.question_type, "")),
        question.as_of,
        *question.tags,
    )
    return {
        "external_id": question.external_id,
        "fate": str(resolved.fate),
        "question": question.turns[-1]["content"][:SHOWN] if question.turns else "",
        "n_messages": len(question.turns),
        "reference": question.answer[:SHOWN],
        "key_points": question.key_points,
        "labels": [label for label in labels if label],
        "sources": [
            ", ".join(part for part in (one.title, one.locator) if part) for one in question.cited
        ],
    }


@dataclass
class ChoiceCheck:
    project: Project
    mapping: ChoiceMapping
    file_name: str
    counts: dict[str, int] = field(
        default_factory=lambda: dict.fromkeys(("new_items", "known_items"), 0)
    )
    preview: list[dict[str, Any]] = field(default_factory=list)
    subjects: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self._reader = choice_rows.ChoiceReader(self.mapping, file_name=self.file_name)
        self._resolver = AnswersResolver(self.project, self.mapping)

    def batch(self, records: list[FileRecord]) -> list[list[FileProblem]]:
        problems = []
        for resolved in self._resolver.resolve([self._reader.read(one) for one in records]):
            problems.append(resolved.problems)
            if resolved.row.question and resolved.key and is_sound(resolved.problems):
                self.counts["new_items" if resolved.is_new else "known_items"] += 1
                self._show(resolved.row.question)
        return problems

    def summary(self) -> dict[str, Any]:
        named = self.subjects.most_common(LISTED)
        return {
            "counts": self.counts,
            "preview": self.preview,
            "subjects": dict(sorted(named)),
            # Nothing has to be made for such a file before its first row.
            "new_capabilities": [],
            "new_domains": [],
        }

    def _show(self, question: AnsweredItem) -> None:
        if subject := question.extra.get(choice_rows.SUBJECT):
            self.subjects[subject] += 1
        if len(self.preview) < PREVIEWED:
            right = question.extra[choice_rows.ANSWER]
            self.preview.append(
                {
                    "external_id": question.external_id,
                    "question": str(question.messages[-1]["content"])[:SHOWN],
                    "subject": question.extra.get(choice_rows.SUBJECT, ""),
                    "options": [
                        {"label": label, "text": text[:SHOWN], "right": label == right}
                        for label, text in question.extra[choice_rows.OPTIONS].items()
                    ],
                }
            )


#: Problems that are told with a row but are not about that row alone: reading stops, or the mapping is short.
OF_THE_FILE = frozenset(
    {
        "new_column",
        "undeclared_machine",
        "broken_quotes",
        "cell_too_long",
        "broken_list",
        "damaged_workbook",
    }
)
BATCH = 500
SHOWN_WHOLE = 2000  # of one that is shown as annotators see it


class RowCheck(Protocol):
    """Tries rows out; what comes of them counts rows alone in which nothing is wrong."""

    def batch(self, records: list[FileRecord]) -> list[list[FileProblem]]:
        """Return what is wrong with each record, in their order."""
        ...

    def summary(self) -> dict[str, Any]: ...


@runtime_checkable
class Surveying(Protocol):
    """A check that looks at the whole file before it tries the first row."""

    #: What the rows are read by: what was answered, and what is taken of the rest.
    taken: dict[str, str]

    def look(self, records: list[FileRecord]) -> None: ...
    def settle(self) -> None: ...


@runtime_checkable
class AskingCheck(Protocol):
    """A check that finds what only a person can say."""

    def asks(self) -> list[FileAsk]: ...


@runtime_checkable
class Closing(Protocol):
    """A check that finds more when it has seen the whole file."""

    def closing(self) -> list[FileProblem]: ...


@dataclass(frozen=True, slots=True)
class CheckStep:
    """So many records were looked at, with these problems.

    Args:
        n_rows: of the file, up to here.
        problems: what is wrong.
        broken: the places of rows that cannot be used, counted from 0.
        n_other: problems that are no warning and about no row alone.
    """

    n_rows: int
    problems: list[FileProblem]
    broken: Sequence[int] = ()
    n_other: int = 0


def _of_file(n_rows: int, problems: list[FileProblem]) -> CheckStep:
    return CheckStep(n_rows, problems, n_other=sum(not one.warning for one in problems))


def begin(upload: Upload) -> RowCheck:
    mapping = mapping_of(upload.kind, upload.mapping or {})
    if isinstance(mapping, AnswerMapping):
        return AnswerCheck(upload.project, mapping, upload.told)
    if isinstance(mapping, QuestionMapping):
        return QuestionCheck(upload.project, mapping, shielded=files.is_table(upload))
    if isinstance(mapping, ScoreMapping | FigureMapping):
        values = files.values_of(upload, upload.told)
        begun = panels.supplied("files_checked")[upload.kind]
        check: RowCheck = begun(upload.project, mapping, values)
        return check
    if isinstance(mapping, ChoiceMapping):
        return ChoiceCheck(upload.project, mapping, file_name=upload.name)
    if isinstance(mapping, PairMapping):
        values = files.values_of(upload, upload.told)
        return PairCheck(upload.project, mapping, values, machines_of(upload))
    assert isinstance(mapping, GradeMapping)
    return GradeCheck(upload.project, mapping, files.values_of(upload, upload.told))


#: What a person says of a file, by what the file holds.
MAPPINGS: Final[dict[str, type[Any]]] = {
    ImportKind.ANSWERS: AnswerMapping,
    ImportKind.QUESTIONS: QuestionMapping,
    ImportKind.SCORES: ScoreMapping,
    ImportKind.CHOICES: ChoiceMapping,
    ImportKind.FIGURES: FigureMapping,
    ImportKind.GRADES: GradeMapping,
    ImportKind.PAIRS: PairMapping,
}


def mapping_of(kind: str, stored: dict[str, Any]) -> FileMapping:
    """Return the mapping of a file as it was stored."""
    made: FileMapping = MAPPINGS[kind].from_dict(stored)
    return made


def steps(upload: Upload, check: RowCheck) -> Iterator[CheckStep]:
    """Look at a file from beginning to end, some rows at a time."""
    n_rows = 0
    try:
        if upload.unpacked is None:  # before minutes are spent on what is too much
            files.weigh(upload, whole=True)
        if isinstance(check, Surveying):
            yield from _survey(upload, check)
        source = files.records(upload)
        while records := list(itertools.islice(source, BATCH)):
            yield _tried(n_rows, records, check.batch(records))
            n_rows += len(records)
        if n_rows == 0:
            yield _of_file(0, [FileProblem("no_rows")])
        if isinstance(check, Closing):
            yield _of_file(n_rows, check.closing())
    except BadFile as stop:
        yield _of_file(n_rows, [stop.problem])


def _survey(upload: Upload, check: Surveying) -> Iterator[CheckStep]:
    source = files.records(upload)
    try:
        while records := list(itertools.islice(source, BATCH)):
            check.look(records)
            yield CheckStep(0, [])
    except BadFile:
        pass  # it is told when the rows are tried
    check.settle()


def _tried(
    n_before: int, records: list[FileRecord], found: Sequence[Sequence[FileProblem]]
) -> CheckStep:
    problems = [
        replace(problem, part=record.part) if record.part else problem
        for record, of_row in zip(records, found, strict=True)
        for problem in of_row
    ]
    broken = [
        place
        for place, of_row in enumerate(found, start=n_before)
        if any(not one.warning and one.code not in OF_THE_FILE for one in of_row)
    ]
    n_other = sum(not one.warning and one.code in OF_THE_FILE for one in problems)
    return CheckStep(n_before + len(found), problems, broken, n_other)


def is_sound(problems: Iterable[FileProblem]) -> bool:
    """Say whether nothing is wrong with a row."""
    return all(problem.warning for problem in problems)


@dataclass
class AnswerCheck:
    project: Project
    mapping: AnswerMapping
    told: Told
    counts: dict[str, int] = field(
        default_factory=lambda: dict.fromkeys(
            ("new_items", "known_items", "new_responses", "known_responses", "empty_cells"), 0
        )
    )
    preview: list[dict[str, Any]] = field(default_factory=list)
    releases: dict[answers.Key, None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._reader = answer_rows.AnswersReader(self.mapping, self.told)
        self._resolver = answers.AnswersResolver(self.project, self.mapping, told=self.told)
        self._systems = self._resolver.systems()
        self._found = FileFindings(self.project)

    def batch(self, records: list[FileRecord]) -> list[list[FileProblem]]:
        by_record = [self._reader.rows(record) for record in records]
        found = iter(self._resolver.resolve([row for some in by_record for row in some]))
        problems: list[list[FileProblem]] = []
        for some in by_record:
            problems.append([])
            for resolved in itertools.islice(found, len(some)):
                problems[-1] += resolved.problems
                if is_sound(resolved.problems):
                    self._count(resolved)
                self._find(resolved)
        return problems

    def closing(self) -> list[FileProblem]:
        """Return what gives systems away, now that all answers are known."""
        return self._found.warnings()

    def summary(self) -> dict[str, Any]:
        new = [key for key in self.releases if key not in self._resolver.releases]
        return {
            "counts": self.counts,
            "preview": self.preview,
            "found": self._found.as_dict(),
            "marks": [
                one.column
                for one in self.mapping.places
                if one.target == Target.RESPONSE_DETAILS and guessing.names_mark(one.column)
            ],
            "new_systems": sorted({name for name, _ in new if name not in self._systems}),
            "new_releases": [f"{name} · {label}" for name, label in sorted(new)],
            "new_capabilities": list(self._resolver.missing["capability"]),
            "new_domains": list(self._resolver.missing["domain"]),
        }

    def asks(self) -> list[FileAsk]:
        return [*self._reader.asked.values(), *self._resolver.asks()]

    def _find(self, resolved: answers.AnswersResolved) -> None:
        question = resolved.row.question
        self._found.problems(resolved.problems)
        if question is not None and resolved.key is not None:
            differs = question.external_id in self._resolver.differing
            self._found.question(question, is_new=resolved.is_new, differs=differs)
            self._found.answers(resolved.row.answers)

    def _count(self, resolved: answers.AnswersResolved) -> None:
        self.counts["empty_cells"] += resolved.row.n_empty
        if resolved.key is None:
            return
        if resolved.is_new:
            self.counts["new_items"] += 1
        elif resolved.is_first:
            self.counts["known_items"] += 1
        self.counts["new_responses"] += len(resolved.new_answers)
        self.counts["known_responses"] += resolved.n_known
        for answer in resolved.new_answers:
            self.releases.setdefault((answer.system, answer.release))
        self._show(resolved)

    def _show(self, resolved: answers.AnswersResolved) -> None:
        question = resolved.row.question
        if question is None:
            return
        card = next(
            (one for one in self.preview if one["external_id"] == question.external_id), None
        )
        if card is None and len(self.preview) < PREVIEWED:
            card = _card(question) | {"answers": []}
            self.preview.append(card)
        if card is not None:
            card["answers"] += [
                {"name": f"{one.system} · {one.release}", "html": _shown(one.messages)}
                for one in resolved.row.answers
            ]


@dataclass
class GradeCheck:
    project: Project
    mapping: GradeMapping
    values: ValueReader
    counts: dict[str, int] = field(
        default_factory=lambda: dict.fromkeys(("grades", "empty_cells", "comments"), 0)
    )
    preview: list[dict[str, Any]] = field(default_factory=list)
    raters: dict[str, int] = field(default_factory=dict)
    items: set[int] = field(default_factory=set)
    releases: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._reader = grades.reader_of(self.project, self.mapping, self.values)
        self._resolver = grades.GradesResolver(self.project, self.mapping)
        self._found = FileFindings(self.project)
        self._survey = self.values.survey()
        #: What a rubric that is made from the file may have as its labels.
        self._words = grade_rows.LabelSurvey(self.values.told) if self.mapping.new_rubric else None
        self._made: dict[str, grade_rows.FileLabels] = {}
        self._asks: list[FileAsk] = []
        self.taken: dict[str, str] = {}

    def look(self, records: list[FileRecord]) -> None:
        for record in records:
            self._reader.look(record, self._survey, self._words)

    def settle(self) -> None:
        """Read the rows by what is known of the whole file now."""
        known = {RATER: grades.raters_of(self.project)}
        self._asks = self._survey.asks(known, self._resolver.holds)
        if self._words is not None:
            self._asks += self._words.asks()
        self.taken = self._survey.taken(known, self._asks)
        if self._words is not None:
            self._made = self._words.taken(self.taken)
        values = self.values.told_by(self.taken)
        self._reader = grades.reader_of(self.project, self.mapping, values, self._made)
        self._resolver = grades.GradesResolver(self.project, self.mapping, self._made)

    def asks(self) -> list[FileAsk]:
        return self._asks

    def batch(self, records: list[FileRecord]) -> list[list[FileProblem]]:
        read = self._reader.next(records)
        resolved = iter(self._resolver.resolve([row for parts in read for row in parts]))
        problems = []
        for parts in read:
            marked = list(itertools.islice(resolved, len(parts)))
            found = [problem for one in marked for problem in one.problems]
            problems.append(found)
            for one in marked if is_sound(found) else ():
                self._count(one)
            self._found.problems(found)
        return problems

    def summary(self) -> dict[str, Any]:
        counts = self.counts | {"items": len(self.items), "systems": len(self.releases)}
        return {
            "counts": counts,
            "preview": self.preview,
            "found": self._found.as_dict(),
            "criteria": list(self._resolver.criteria),
            "raters": self.raters,
            "matched": self._resolver.matched,
            "made": {
                name: asdict(of)
                for name, of in self._made.items()
                if name in self._resolver.criteria
            },
        }

    def _count(self, marked: grades.Marked) -> None:
        self.counts["empty_cells"] += marked.row.n_empty
        self.counts["grades"] += len(marked.cells)
        if marked.response:
            self.items.add(marked.item)
            self.releases.add(marked.release)
            raters = [cell.rater for cell in marked.cells]
            self._found.marks(marked.row.item, marked.row.system, raters)
        for cell in marked.cells:
            self.raters[cell.rater] = self.raters.get(cell.rater, 0) + 1
            self.counts["comments"] += bool(cell.comment)
        if marked.cells and len(self.preview) < PREVIEWED:
            self.preview.append(
                {
                    "item": marked.row.item,
                    "system": marked.row.system,
                    "grades": [
                        {
                            "rater": one.rater,
                            "criterion": one.criterion,
                            "value": self._said(one),
                        }
                        for one in marked.cells
                    ],
                }
            )

    def _said(self, cell: grade_rows.GradeCell) -> str:
        made = self._made.get(cell.criterion)
        return cell.text or (made.words(cell.value) if made else str(cell.value))


def _card(question: answer_rows.AnsweredItem) -> dict[str, Any]:
    return {
        "external_id": question.external_id,
        "question": _said(question.messages),
        "html": _shown(question.messages),
        "n_messages": len(question.messages),
        "reference": question.reference[:SHOWN],
        "key_points": question.key_points,
        "labels": [str(_WORDS.get(label, label)) for label in question.labels[:-1] if label],
        "extra": sorted(question.extra),
    }


def _shown(messages: list[dict[str, Any]]) -> str:
    """Return a text as annotators see it, a long one to a certain length."""
    text = faces.conversation(messages)
    if traces.is_trace(messages) and len(text) <= SHOWN_WHOLE:
        return traces.html(messages)
    return markdown.render(text if len(text) <= SHOWN_WHOLE else f"{text[:SHOWN_WHOLE]} …")


def _said(messages: list[dict[str, Any]]) -> str:
    return str(messages[-1]["content"])[:SHOWN] if messages else ""
