"""Questions of multiple choice in the layouts that the well-known sets are published in.

* What a person decided of a file of questions of multiple choice: its layout, its columns, its set.
* A record of a file of questions of multiple choice, read by its mapping into a question as items are.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Annotated, Any, Final

from annotation.common import texts as contents
from annotation.common.names import Name
from annotation.files import answers, cells, mappings
from annotation.files import columns as targets
from annotation.files.answers import Question
from annotation.files.answers import Row as ChoiceRowsRow
from annotation.files.cells import Problem, Record, Unfit, excerpt, is_blank
from annotation.files.columns import Target
from annotation.files.look.layouts import Layout
from annotation.files.mappings import FileMapping, Place
from evalsite.kinds import Text
from evalsite.kinds import gettext_noop as _
from evalsite.records import Ask

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
MOST_OPTIONS = len(LETTERS)
#: How the parts of a published set are called at the end of their files' names.
SPLITS = "dev|val|validation|test|train"
MOST_NAME = 200
#: The part of a question that a problem is about.
PARTS: Mapping[str, str] = {
    "no_question": "question",
    "too_few_options": "options",
    "repeated_label": "options",
    "not_a_list": "options",
    "no_right_option": "answer",
    "answer_is_no_option": "answer",
    "repeated_question": "external_id",
}


class Kind(StrEnum):
    ARC = "ARC"
    HELLASWAG = "HELLASWAG"
    MMLU_TABLE = "MMLU_TABLE"
    MMLU_OBJECTS = "MMLU_OBJECTS"
    LETTERED = "LETTERED"


@dataclass(frozen=True, slots=True)
class ChoiceQuestion:
    """A question with its options by label, in order, and the label of the right one."""

    external_id: str
    question: str
    options: Mapping[str, str]
    answer: str
    subject: str = ""
    explanation: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    line: int
    question: ChoiceQuestion | None
    problem: Problem | None = None


@dataclass(frozen=True, slots=True)
class Columns:
    """Which columns of a table hold what; `options` are the columns of the options, in order."""

    question: str
    options: tuple[str, ...]
    answer: str
    external_id: str = ""
    subject: str = ""
    explanation: str = ""


def recognise(layout: Layout) -> Kind | None:
    """Return which published layout a file has; None if its columns must be named."""
    names = {one.name for one in layout.columns}
    known = (
        (layout.shape == "mmlu", Kind.MMLU_TABLE),
        ("answerKey" in names, Kind.ARC),
        ({"endings", "label"} <= names, Kind.HELLASWAG),
        ({"question", "choices", "answer"} <= names, Kind.MMLU_OBJECTS),
        ({"question", "A", "B", "answer"} <= names, Kind.LETTERED),
    )
    return next((kind for fits, kind in known if fits), None)


def read(
    kind: Kind | Columns, records: Iterable[Record], *, file_name: str, dataset: str = ""
) -> Iterator[Row]:
    """Yield a question, or what is wrong with it, for each record: see Reader."""
    reader = Reader(kind, file_name=file_name, dataset=dataset)
    for record in records:
        yield reader.read(record)


class Reader:
    """Reads records one by one, in the order of the file: a question is taken once.

    Args:
        kind: the published layout, or the columns that somebody has named.
        file_name: names the subject where the layout has none (MMLU: "virology_test.csv").
        dataset: stands before names of questions that only count, so that two sets stay apart.
    """

    def __init__(self, kind: Kind | Columns, *, file_name: str, dataset: str = "") -> None:
        stem = re.sub(r"\..*$", "", file_name)
        self._subject = re.sub(rf"[_-]({SPLITS})$", "", stem)
        split = re.search(rf"[_-]({SPLITS})$", stem)
        # A set and its few examples count from the same number; what is tested keeps the plain name.
        apart = split[1] if dataset and split and split[1] != "test" else ""
        self._before = " ".join(filter(None, (dataset, apart)))
        self._reader = _of_columns(kind) if isinstance(kind, Columns) else READERS[kind]
        self._fields = _fields(kind)
        self._seen: dict[str, int] = {}

    def read(self, record: Record) -> Row:
        """Return the question of a record, or what is wrong with it."""
        if record.problems:
            return Row(record.line, None, record.problems[0])
        try:
            made = self._reader(record, self._subject)
            made = replace(made, external_id=self._named(record, made))
            if first := self._seen.get(made.external_id):
                raise Unfit("repeated_question", made.external_id, line=str(first))
        except Unfit as unfit:
            column = self._fields.get(PARTS.get(unfit.code, ""), "")
            found = excerpt(unfit.found)
            problem = Problem(unfit.code, record.line, column, found=found, facts=unfit.facts)
            return Row(record.line, None, problem)
        self._seen[made.external_id] = record.line
        return Row(record.line, made)

    def _named(self, record: Record, made: ChoiceQuestion) -> str:
        """Return the question's own name; one that only counts is told apart by set and subject."""
        own = made.external_id
        if own and not own.isdecimal():
            return own
        known = made.subject.casefold() in self._before.casefold()
        parts = (self._before, "" if known else made.subject, own or str(record.line))
        return " ".join(filter(None, parts))[:MOST_NAME]


def _fields(kind: Kind | Columns) -> Mapping[str, str]:
    """Return the columns that hold the parts of a question, so that a problem can say where it is."""
    if isinstance(kind, Columns):
        names = (kind.question, kind.options[0] if kind.options else "", kind.answer)
        return dict(zip(("question", "options", "answer"), names, strict=True)) | {
            "external_id": kind.external_id
        }
    return FIELDS[kind]


def _arc(record: Record, subject: str) -> ChoiceQuestion:
    has = record.cells
    stem = has.get("question.stem", has.get("question"))
    listed = has.get("question.choices", has.get("choices"))
    if isinstance(listed, list):
        labels = [one.get("label") if isinstance(one, dict) else None for one in listed]
        texts = [one.get("text") if isinstance(one, dict) else None for one in listed]
    else:
        labels = _listed(has.get("choices.label", has.get("question.choices.label")), "choices")
        texts = _listed(has.get("choices.text", has.get("question.choices.text")), "choices")
    return _made(record, stem, labels, texts, has.get("answerKey"), subject)


def _hellaswag(record: Record, subject: str) -> ChoiceQuestion:
    has = record.cells
    context = has.get("ctx")
    if is_blank(context):
        context = " ".join(
            str(has[one]) for one in ("ctx_a", "ctx_b") if not is_blank(has.get(one))
        )
    texts = _listed(has.get("endings"), "endings")
    return _made(
        record,
        context,
        list(LETTERS[: len(texts)]),
        texts,
        _by_place(has.get("label"), len(texts)),
        has.get("activity_label") or subject,
    )


def _mmlu_objects(record: Record, subject: str) -> ChoiceQuestion:
    has = record.cells
    texts = _listed(has.get("choices"), "choices")
    labels = list(LETTERS[: len(texts)])
    answer = has.get("answer")
    if str(answer).strip() not in labels:
        answer = _by_place(answer, len(texts))
    return _made(record, has.get("question"), labels, texts, answer, has.get("subject") or subject)


def _lettered(record: Record, subject: str) -> ChoiceQuestion:
    has = record.cells
    labels = [one for one in LETTERS if one in has and not is_blank(has[one])]
    return _made(
        record,
        has.get("question"),
        labels,
        [has[one] for one in labels],
        has.get("answer"),
        has.get("subject") or subject,
        has.get("explanation"),
    )


def _of_columns(columns: Columns) -> Callable[[Record, str], ChoiceQuestion]:
    def reader(record: Record, subject: str) -> ChoiceQuestion:
        has = record.cells
        texts = [has.get(one) for one in columns.options if not is_blank(has.get(one))]
        labels = list(LETTERS[: len(texts)])
        answer = has.get(columns.answer)
        said = cells.text(answer).strip()
        if said.casefold() not in {one.casefold() for one in labels}:
            answer = _of_text(said, texts, labels)
        named = has.get(columns.external_id) if columns.external_id else None
        about = has.get(columns.subject) if columns.subject else subject
        why = has.get(columns.explanation) if columns.explanation else None
        return _made(
            record, has.get(columns.question), labels, texts, answer, about, why, name=named
        )

    return reader


def _of_text(said: str, texts: Sequence[Any], labels: Sequence[str]) -> str:
    found = [
        label
        for label, text in zip(labels, texts, strict=True)
        if cells.text(text).strip().casefold() == said.casefold()
    ]
    if len(found) != 1:
        raise Unfit("answer_is_no_option", said)
    return found[0]


def _made(
    record: Record,
    question: object,
    labels: Sequence[Any],
    texts: Sequence[Any],
    answer: object,
    subject: object,
    explanation: object = None,
    *,
    name: object = None,
) -> ChoiceQuestion:
    if is_blank(question):
        raise Unfit("no_question")
    known = [cells.text(one).strip() for one in labels]
    said = [cells.text(one).strip() for one in texts]
    if not 2 <= len(said) <= MOST_OPTIONS or len(known) != len(said) or not all(said):
        raise Unfit("too_few_options", n=str(len([one for one in said if one])))
    if len(set(known)) < len(known) or not all(known):
        raise Unfit("repeated_label", " ".join(known))
    right = cells.text(answer).strip() if not is_blank(answer) else ""
    if not right:
        raise Unfit("no_right_option")
    label = next((one for one in known if one.casefold() == right.casefold()), None)
    if label is None:
        raise Unfit("answer_is_no_option", right)
    about = cells.text(subject).strip() if not is_blank(subject) else ""
    own = name if name is not None else record.cells.get("id", record.cells.get("ind"))
    return ChoiceQuestion(
        external_id="" if is_blank(own) else cells.text(own).strip()[:MOST_NAME],
        question=cells.text(question).strip(),
        options=dict(zip(known, said, strict=True)),
        answer=label,
        subject=about,
        explanation=cells.text(explanation).strip() if not is_blank(explanation) else "",
    )


def _listed(value: object, column: str) -> list[Any]:
    if not isinstance(value, list):
        raise Unfit("not_a_list", "" if value is None else value, column=column)
    return value


def _by_place(value: object, n_options: int) -> str:
    """Return the label of an option that is named by its place, counted from 0."""
    text = cells.text(value).strip() if not is_blank(value) else ""
    if not text:
        raise Unfit("no_right_option")
    if not text.isdecimal() or int(text) >= n_options:
        raise Unfit("answer_is_no_option", text)
    return LETTERS[int(text)]


READERS: Mapping[Kind, Callable[[Record, str], ChoiceQuestion]] = {
    Kind.ARC: _arc,
    Kind.HELLASWAG: _hellaswag,
    Kind.MMLU_TABLE: _lettered,
    Kind.MMLU_OBJECTS: _mmlu_objects,
    Kind.LETTERED: _lettered,
}
FIELDS: Mapping[Kind, Mapping[str, str]] = {
    Kind.ARC: {
        "question": "question",
        "options": "choices",
        "answer": "answerKey",
        "external_id": "id",
    },
    Kind.HELLASWAG: {
        "question": "ctx",
        "options": "endings",
        "answer": "label",
        "external_id": "ind",
    },
    Kind.MMLU_TABLE: {"question": "question", "options": "A", "answer": "answer"},
    Kind.MMLU_OBJECTS: {
        "question": "question",
        "options": "choices",
        "answer": "answer",
        "external_id": "id",
    },
    Kind.LETTERED: {
        "question": "question",
        "options": "A",
        "answer": "answer",
        "external_id": "id",
    },
}


MOST_DATASET = 120
#: What the set is called where nobody says otherwise.
KNOWN_NAMES: Mapping[Kind, str] = {
    Kind.ARC: "ARC",
    Kind.HELLASWAG: "HellaSwag",
    Kind.MMLU_TABLE: "MMLU",
    Kind.MMLU_OBJECTS: "MMLU",
}


def published(layout: Layout) -> Kind | None:
    """Return the published layout whose columns need no naming.

    One with a column for each letter is a plain table: its columns can be named as any other's.
    """
    kind = recognise(layout)
    return None if kind == Kind.LETTERED else kind


@dataclass(frozen=True, slots=True)
class ChoiceMapping(FileMapping):
    """A question set; without `dataset` it is called as its published layout."""

    places: tuple[Place, ...] = ()
    #: A published one, or empty where `places` name the columns.
    layout: str = ""
    #: What figures are grouped by.
    dataset: Annotated[
        str,
        Name(MOST_DATASET, empty=True),
        Ask(
            _("Data set"),
            _("Accuracies are shown by data set and over all."),
        ),
    ] = ""
    subject: Annotated[
        str,
        Text(200),
        Ask(
            _("Subject, where no row names one"),
            _("Empty: the file’s name."),
        ),
    ] = ""
    create_missing: bool = False

    @property
    def kind(self) -> Kind | Columns:
        """How the file is read."""
        if self.layout:
            return Kind(self.layout)
        named = {
            "question": Target.QUESTION,
            "answer": Target.RIGHT,
            "external_id": Target.EXTERNAL_ID,
            "subject": Target.SUBJECT,
            "explanation": Target.EXPLANATION,
        }
        options = tuple(one.column for one in self.places if one.target == Target.OPTION)
        return Columns(
            options=options, **{name: self.column(target) for name, target in named.items()}
        )

    def faults(self, columns: Iterable[str]) -> list[Problem]:
        """Return why this mapping cannot be used on these columns."""
        found = [
            Problem(code)
            for code, wrong in (
                ("no_dataset", not self.dataset.strip()),
                ("long_dataset", len(self.dataset) > MOST_DATASET),
                ("unknown_layout", self.layout not in {"", *Kind}),
            )
            if wrong
        ]
        return found if self.layout else [*self._column_faults(columns), *found]

    def _column_faults(self, columns: Iterable[str]) -> list[Problem]:
        used = [place.target for place in self.places]
        return mappings.common_faults(self.places, columns, targets.CHOICES) + [
            Problem(code)
            for code, wrong in (
                ("no_choice_question_column", Target.QUESTION not in used),
                ("too_few_option_columns", used.count(Target.OPTION) < 2),
                ("no_right_column", Target.RIGHT not in used),
            )
            if wrong
        ]


OPTIONS, ANSWER, DATASET, SUBJECT = "options", "answer_label", "dataset", "subject"
EXPLANATION: Final = "explanation"
_OWN: Final = frozenset({OPTIONS, ANSWER, DATASET, SUBJECT, EXPLANATION})


class ChoiceReader:
    """Reads records one by one, in the order of the file; every problem goes with its row."""

    def __init__(self, mapping: ChoiceMapping, *, file_name: str) -> None:
        self._mapping = mapping
        self._set = mapping.dataset.strip()
        self._reader = Reader(mapping.kind, file_name=file_name, dataset=self._set)
        self._known = {place.column for place in mapping.places}
        self._details = [
            place.column for place in mapping.places if place.target == Target.QUESTION_DETAILS
        ]

    def rows(self, record: Record) -> list[ChoiceRowsRow]:
        return [self.read(record)]

    def read(self, record: Record) -> ChoiceRowsRow:
        """Return the question of a record, or what is wrong with it."""
        found = self._reader.read(record)
        row = ChoiceRowsRow(record.line)
        if found.problem:
            row.problems.append(found.problem)
        if not self._mapping.layout and not record.problems:
            row.problems += [
                Problem("new_column", record.line, name)
                for name in sorted(record.cells.keys() - self._known)
            ]
        if found.question is not None:
            row.question = self._question(found.question, record)
        return row

    def _question(self, found: ChoiceQuestion, record: Record) -> Question:
        messages = contents.as_messages(found.question)
        question = Question(
            external_id=found.external_id,
            group=found.external_id,
            messages=messages,
            reference=found.options[found.answer],
            extra=self._extra(found, record),
        )
        question.prompt_sha = contents.prompt_sha(messages)
        question.content_sha = answers.content_sha(question)
        return question

    def _extra(self, found: ChoiceQuestion, record: Record) -> dict[str, Any]:
        kept = {
            column: cells.detail(record.cells[column])
            for column in self._details
            if column not in _OWN and not is_blank(record.cells.get(column))
        }
        own: dict[str, Any] = {
            OPTIONS: dict(found.options),
            ANSWER: found.answer,
            DATASET: self._set,
        }
        # A file name is only a last resort, after what the person said holds for the whole file.
        subject = (
            found.subject
            if self._names_subject(record)
            else self._mapping.subject.strip() or found.subject
        )
        if subject:
            own[SUBJECT] = subject[:200]
        if found.explanation:
            own[EXPLANATION] = found.explanation
        return kept | own

    def _names_subject(self, record: Record) -> bool:
        column = self._mapping.column(Target.SUBJECT)
        named = (column,) if column else ("subject", "activity_label")
        return any(not is_blank(record.cells.get(one)) for one in named)
