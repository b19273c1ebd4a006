"""The dry run: a whole file against the project, with every problem and what would come of it."""

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from annotation.models import Difficulty, ImportKind, Project, QuestionType, Upload
from annotation.queries.imports import answers, files, grades
from annotation.queries.imports.choice_checks import ChoiceCheck
from annotation.queries.imports.question_checks import QuestionCheck
from annotation.rules import faces
from annotation.rules.tabular import answers as answer_rows
from annotation.rules.tabular import ratings
from annotation.rules.tabular.choice_mappings import ChoiceMapping
from annotation.rules.tabular.figure_mappings import FigureMapping
from annotation.rules.tabular.mappings import AnswerMapping, GradeMapping, QuestionMapping
from annotation.rules.tabular.problems import Problem, Unreadable
from annotation.rules.tabular.records import Record
from annotation.rules.tabular.score_mappings import ScoreMapping
from evalsite import markdown

BATCH = 500
PREVIEWED = 5
SHOWN = 400  # signs of a text in the preview
SHOWN_WHOLE = 2000  # of one that is shown as annotators see it


FileMapping = (
    AnswerMapping | QuestionMapping | GradeMapping | ScoreMapping | ChoiceMapping | FigureMapping
)


class Check(Protocol):
    def batch(self, records: list[Record]) -> list[Problem]: ...
    def summary(self) -> dict[str, Any]: ...


@runtime_checkable
class Closing(Protocol):
    """A check that finds more when it has seen the whole file."""

    def closing(self) -> list[Problem]: ...


#: The checks of files that another app reads, by kind.
_SUPPLIED: dict[str, Callable[[Project, Any], Check]] = {}


def supply(kind: ImportKind, check: Callable[[Project, Any], Check]) -> None:
    """Have another app check the files of a kind. Supplying twice is harmless."""
    _SUPPLIED[kind] = check


@dataclass(frozen=True, slots=True)
class Step:
    """So many records were looked at, with these problems."""

    n_rows: int
    problems: list[Problem]


def begin(upload: Upload) -> Check:
    mapping = mapping_of(upload.kind, upload.mapping or {})
    if isinstance(mapping, AnswerMapping):
        return AnswerCheck(upload.project, mapping)
    if isinstance(mapping, QuestionMapping):
        return QuestionCheck(upload.project, mapping, shielded=files.is_table(upload))
    if isinstance(mapping, ScoreMapping | FigureMapping):
        return _SUPPLIED[ImportKind(upload.kind)](upload.project, mapping)
    if isinstance(mapping, ChoiceMapping):
        return ChoiceCheck(upload.project, mapping, file_name=upload.name)
    return GradeCheck(upload.project, mapping)


def mapping_of(kind: str, stored: dict[str, Any]) -> FileMapping:
    """Return the mapping of a file as it was stored."""
    if kind == ImportKind.ANSWERS:
        return AnswerMapping.from_dict(stored)
    if kind == ImportKind.QUESTIONS:
        return QuestionMapping.from_dict(stored)
    if kind == ImportKind.SCORES:
        return ScoreMapping.from_dict(stored)
    if kind == ImportKind.CHOICES:
        return ChoiceMapping.from_dict(stored)
    if kind == ImportKind.FIGURES:
        return FigureMapping.from_dict(stored)
    return GradeMapping.from_dict(stored)


def steps(upload: Upload, check: Check) -> Iterator[Step]:
    """Look at a file from beginning to end, some rows at a time."""
    source = files.records(upload)
    n_rows = 0
    try:
        if upload.unpacked is None:  # before minutes are spent on what is too much
            files.weigh(upload, whole=True)
        while records := list(itertools.islice(source, BATCH)):
            n_rows += len(records)
            yield Step(n_rows, check.batch(records))
        if n_rows == 0:
            yield Step(0, [Problem("no_rows")])
        if isinstance(check, Closing):
            yield Step(n_rows, check.closing())
    except Unreadable as stop:
        yield Step(n_rows, [stop.problem])


@dataclass
class AnswerCheck:
    project: Project
    mapping: AnswerMapping
    counts: dict[str, int] = field(
        default_factory=lambda: dict.fromkeys(
            ("new_items", "known_items", "new_responses", "known_responses", "empty_cells"), 0
        )
    )
    preview: list[dict[str, Any]] = field(default_factory=list)
    releases: dict[answers.Key, None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._reader = answer_rows.Reader(self.mapping)
        self._resolver = answers.Resolver(self.project, self.mapping)
        self._systems = self._resolver.systems()

    def batch(self, records: list[Record]) -> list[Problem]:
        rows = [self._reader.read(record) for record in records]
        problems = []
        for resolved in self._resolver.resolve(rows):
            problems += resolved.problems
            self._count(resolved)
        return problems

    def summary(self) -> dict[str, Any]:
        new = [key for key in self.releases if key not in self._resolver.releases]
        return {
            "counts": self.counts,
            "preview": self.preview,
            "new_systems": sorted({name for name, _ in new if name not in self._systems}),
            "new_releases": [f"{name} · {label}" for name, label in sorted(new)],
            "new_capabilities": list(self._resolver.missing["capability"]),
            "new_domains": list(self._resolver.missing["domain"]),
        }

    def _count(self, resolved: answers.Resolved) -> None:
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

    def _show(self, resolved: answers.Resolved) -> None:
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
    counts: dict[str, int] = field(
        default_factory=lambda: dict.fromkeys(("grades", "empty_cells", "comments"), 0)
    )
    preview: list[dict[str, Any]] = field(default_factory=list)
    raters: dict[str, int] = field(default_factory=dict)
    items: set[int] = field(default_factory=set)
    releases: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._reader = ratings.Reader(self.mapping, grades.labels_of(self.project, self.mapping))
        self._resolver = grades.Resolver(self.project, self.mapping)
        self._ordinal = 0

    def batch(self, records: list[Record]) -> list[Problem]:
        rows = [
            self._reader.read(record, ordinal)
            for ordinal, record in enumerate(records, start=self._ordinal)
        ]
        self._ordinal += len(records)
        problems = []
        for marked in self._resolver.resolve(rows):
            problems += marked.problems
            self._count(marked)
        return problems

    def summary(self) -> dict[str, Any]:
        counts = self.counts | {"items": len(self.items), "systems": len(self.releases)}
        return {
            "counts": counts,
            "preview": self.preview,
            "criteria": list(self._resolver.criteria),
            "raters": self.raters,
        }

    def _count(self, marked: grades.Marked) -> None:
        self.counts["empty_cells"] += marked.row.n_empty
        self.counts["grades"] += len(marked.cells)
        if marked.response:
            self.items.add(marked.item)
            self.releases.add(marked.release)
        for cell in marked.cells:
            self.raters[cell.rater] = self.raters.get(cell.rater, 0) + 1
            self.counts["comments"] += bool(cell.comment)
        if marked.cells and len(self.preview) < PREVIEWED:
            self.preview.append(
                {
                    "item": marked.row.item,
                    "system": marked.row.system,
                    "grades": [
                        {"rater": one.rater, "criterion": one.criterion, "value": str(one.value)}
                        for one in marked.cells
                    ],
                }
            )


_WORDS = {**dict(Difficulty.choices), **dict(QuestionType.choices)}


def _card(question: answer_rows.Question) -> dict[str, Any]:
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
    return markdown.render(text if len(text) <= SHOWN_WHOLE else f"{text[:SHOWN_WHOLE]} …")


def _said(messages: list[dict[str, Any]]) -> str:
    return str(messages[-1]["content"])[:SHOWN] if messages else ""
