"""Questions of multiple choice: in the layouts that the well-known sets are published in, or by named columns.

* What a person decided of a file of questions of multiple choice: its layout, its columns, its set.
* A record of such a file, read by its mapping into a question as items are.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Annotated, Any, Final

from annotation.common import texts as contents
from annotation.common.names import NameKind
from annotation.files import answers, cells, mappings
from annotation.files import columns as targets
from annotation.files.answers import AnsweredItem, AnswersRow
from annotation.files.cells import FileProblem, FileRecord, Unfit, excerpt, is_blank
from annotation.files.columns import Target
from annotation.files.look.layouts import Layout
from annotation.files.mappings import ColumnTarget, FileMapping
from evalsite.kinds import Text
from evalsite.kinds import gettext_noop as _
from evalsite.records import Ask

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
MOST_OPTIONS = len(LETTERS)
#: How the parts of a published set are called at the end of their files' names.
SPLITS = re.compile(r"[_-](dev|val|validation|test|train)$")
MOST_NAME, MOST_DATASET = 200, 120
#: The part of a question that a problem is about.
PARTS: Mapping[str, str] = {
    "no_question": "question",
    "too_few_options": "options",
    "repeated_label": "options",
    "not_a_list": "options",
    "no_right_option": "answer",
    "answer_is_no_option": "answer",
    "repeated_question": "name",
}
Cells = Mapping[str, Any]


class ChoiceKind(StrEnum):
    ARC = "ARC"
    HELLASWAG = "HELLASWAG"
    MMLU_TABLE = "MMLU_TABLE"
    MMLU_OBJECTS = "MMLU_OBJECTS"
    LETTERED = "LETTERED"


#: What the set is called where nobody says otherwise.
KNOWN_NAMES: Mapping[ChoiceKind, str] = {
    ChoiceKind.ARC: "ARC",
    ChoiceKind.HELLASWAG: "HellaSwag",
    ChoiceKind.MMLU_TABLE: "MMLU",
    ChoiceKind.MMLU_OBJECTS: "MMLU",
}


_RIGHT: Final = frozenset(("answer", "correct", "correct_answer", "right", "gold", "target"))


def recognise(layout: Layout) -> ChoiceKind | None:
    """Return which published layout a file has; None if its columns must be named."""
    names = {one.name for one in layout.columns}
    known = (
        (layout.shape == "mmlu", ChoiceKind.MMLU_TABLE),
        ("answerKey" in names, ChoiceKind.ARC),
        ({"endings", "label"} <= names, ChoiceKind.HELLASWAG),
        ({"question", "choices", "answer"} <= names, ChoiceKind.MMLU_OBJECTS),
        ({"question", "A", "B"} <= names and bool(names & _RIGHT), ChoiceKind.LETTERED),
    )
    return next((kind for fits, kind in known if fits), None)


def published(layout: Layout) -> ChoiceKind | None:
    """Return the published layout whose columns need no naming.

    One with a column for each letter is a plain table: its columns can be named as any other's.
    """
    kind = recognise(layout)
    return None if kind == ChoiceKind.LETTERED else kind


@dataclass(frozen=True, slots=True)
class ChoiceMapping(FileMapping):
    """A question set; without `dataset` it is called as its published layout."""

    places: tuple[ColumnTarget, ...] = ()
    #: A published one, or empty where `places` name the columns.
    layout: str = ""
    #: What figures are grouped by.
    dataset: Annotated[
        str,
        NameKind(MOST_DATASET, empty=True),
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

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON values; the order of its columns says which option is A and which is B."""
        return asdict(self)

    def faults(self, columns: Iterable[str]) -> list[FileProblem]:
        """Return why this mapping cannot be used on these columns."""
        used = [] if self.layout else [place.target for place in self.places]
        named = bool(self.layout)
        found = [] if named else mappings.common_faults(self.places, columns, targets.CHOICES)
        return found + [
            FileProblem(code)
            for code, wrong in (
                ("no_choice_question_column", not named and Target.QUESTION not in used),
                ("too_few_option_columns", not named and used.count(Target.OPTION) < 2),
                ("no_right_column", not named and Target.RIGHT not in used),
                ("no_dataset", not self.dataset.strip()),
                ("long_dataset", len(self.dataset) > MOST_DATASET),
                ("unknown_layout", self.layout not in {"", *ChoiceKind}),
            )
            if wrong
        ]


@dataclass(frozen=True, slots=True)
class _ChoiceRecord:
    """What a record says of its question, as it is written; options without labels have letters."""

    question: object
    texts: Sequence[Any]
    answer: object
    labels: Sequence[Any] = ()
    subject: object = None
    explanation: object = None
    name: object = None


def _arc(has: Cells) -> _ChoiceRecord:
    listed = has.get("question.choices", has.get("choices"))
    labels, texts = (
        [one.get(name) if isinstance(one, dict) else None for one in listed]
        if isinstance(listed, list)
        else _listed(has.get(f"choices.{name}", has.get(f"question.choices.{name}")), "choices")
        for name in ("label", "text")
    )
    stem = has.get("question.stem", has.get("question"))
    return _ChoiceRecord(stem, texts, has.get("answerKey"), labels)


def _hellaswag(has: Cells) -> _ChoiceRecord:
    parts = [has["ctx"]] if not is_blank(has.get("ctx")) else [has.get("ctx_a"), has.get("ctx_b")]
    context = " ".join(str(one) for one in parts if not is_blank(one))
    texts = _listed(has.get("endings"), "endings")
    right = _by_place(has.get("label"), len(texts))
    return _ChoiceRecord(context, texts, right, subject=has.get("activity_label"))


def _mmlu_objects(has: Cells) -> _ChoiceRecord:
    texts = _listed(has.get("choices"), "choices")
    answer = has.get("answer")
    if str(answer).strip() not in [*LETTERS[: len(texts)]]:
        answer = _by_place(answer, len(texts))
    return _ChoiceRecord(has.get("question"), texts, answer, subject=has.get("subject"))


def _lettered(has: Cells) -> _ChoiceRecord:
    labels = [one for one in LETTERS if not is_blank(has.get(one))]
    texts = [has[one] for one in labels]
    said = (has.get(name) for name in ("subject", "explanation"))
    return _ChoiceRecord(has.get("question"), texts, has.get("answer"), labels, *said)


def _of_columns(mapping: ChoiceMapping) -> Callable[[Cells], _ChoiceRecord]:
    """Return what reads a table by its columns: the right option by its letter or its whole text."""
    options = [one.column for one in mapping.places if one.target == Target.OPTION]

    def read(has: Cells) -> _ChoiceRecord:
        question, answer, subject, why, name = (
            has.get(mapping.column(target))
            for target in (
                *(Target.QUESTION, Target.RIGHT, Target.SUBJECT),
                *(Target.EXPLANATION, Target.EXTERNAL_ID),
            )
        )
        texts = [has[one] for one in options if not is_blank(has.get(one))]
        said = cells.text(answer).strip()
        if said.casefold() not in [*LETTERS[: len(texts)].casefold()]:
            answer = _by_text(said, texts)
        return _ChoiceRecord(question, texts, answer, (), subject, why, name)

    return read


def _by_text(said: str, texts: Sequence[Any]) -> str:
    """Return the letter of the one option that is called so."""
    options = [cells.text(one).strip().casefold() for one in texts]
    if options.count(said.casefold()) != 1:
        raise Unfit("answer_is_no_option", said)
    return LETTERS[options.index(said.casefold()) : MOST_OPTIONS][:1]


def _listed(value: object, column: str) -> list[Any]:
    if not isinstance(value, list):
        raise Unfit("not_a_list", "" if value is None else value, column=column)
    return value


def _by_place(value: object, n_options: int) -> str:
    """Return the letter of an option that is named by its place, counted from 0."""
    text = _text(value)
    if not text:
        raise Unfit("no_right_option")
    if not text.isdecimal() or int(text) >= min(n_options, MOST_OPTIONS):
        raise Unfit("answer_is_no_option", text)
    return LETTERS[int(text)]


def _text(value: object) -> str:
    return "" if is_blank(value) else cells.text(value).strip()


def _options(said: _ChoiceRecord) -> tuple[dict[str, str], str]:
    """Return the options by their labels, and the label of the right one.

    Raises:
        Unfit: there are too few, or they or the right one are not told from each other.
    """
    texts = [_text(one) for one in said.texts]
    labels = [_text(one) for one in said.labels or LETTERS[: len(texts)]]
    if not 2 <= len(texts) <= MOST_OPTIONS or len(labels) != len(texts) or not all(texts):
        raise Unfit("too_few_options", n=str(sum(map(bool, texts))))
    if len(set(labels)) < len(labels) or not all(labels):
        raise Unfit("repeated_label", " ".join(labels))
    right = _text(said.answer)
    if not right:
        raise Unfit("no_right_option")
    label = next((one for one in labels if one.casefold() == right.casefold()), "")
    if not label:
        raise Unfit("answer_is_no_option", right)
    return dict(zip(labels, texts, strict=True)), label


@dataclass(frozen=True, slots=True)
class _ChoiceForm:
    """How records are read, and the columns of their parts, so that a problem can say where it is."""

    read: Callable[[Cells], _ChoiceRecord]
    question: str
    options: str
    answer: str
    name: str = ""

    @classmethod
    def of(cls, mapping: ChoiceMapping) -> "_ChoiceForm":
        if mapping.layout:
            return _FORMS[ChoiceKind(mapping.layout)]
        wanted = (Target.QUESTION, Target.OPTION, Target.RIGHT, Target.EXTERNAL_ID)
        return cls(_of_columns(mapping), *map(mapping.column, wanted))


_FORMS: Mapping[ChoiceKind, _ChoiceForm] = {
    ChoiceKind.ARC: _ChoiceForm(_arc, "question", "choices", "answerKey", "id"),
    ChoiceKind.HELLASWAG: _ChoiceForm(_hellaswag, "ctx", "endings", "label", "ind"),
    ChoiceKind.MMLU_TABLE: _ChoiceForm(_lettered, "question", "A", "answer"),
    ChoiceKind.MMLU_OBJECTS: _ChoiceForm(_mmlu_objects, "question", "choices", "answer", "id"),
    ChoiceKind.LETTERED: _ChoiceForm(_lettered, "question", "A", "answer", "id"),
}
OPTIONS, ANSWER, DATASET, SUBJECT = "options", "answer_label", "dataset", "subject"
EXPLANATION: Final = "explanation"
_OWN: Final = frozenset({OPTIONS, ANSWER, DATASET, SUBJECT, EXPLANATION})


class ChoiceReader:
    """Reads records one by one, in the order of the file: a question is taken once.

    A subject that no row names is that of the file: its own, or the beginning of its name (MMLU: "virology_test.csv").
    """

    def __init__(self, mapping: ChoiceMapping, *, file_name: str) -> None:
        self._mapping = mapping
        self._form = _ChoiceForm.of(mapping)
        self._set = mapping.dataset.strip()
        stem = re.sub(r"\..*$", "", file_name)
        split = SPLITS.search(stem)
        self._of_file = "" if mapping.column(Target.SUBJECT) else SPLITS.sub("", stem)
        # A set and its few examples count from the same number; what is tested keeps the plain name.
        apart = split[1] if self._set and split and split[1] != "test" else ""
        self._before = " ".join(filter(None, (self._set, apart)))
        self._seen: dict[str, int] = {}
        self._known = {place.column for place in mapping.places}
        self._details = [
            place.column for place in mapping.places if place.target == Target.QUESTION_DETAILS
        ]

    def rows(self, record: FileRecord) -> list[AnswersRow]:
        return [self.read(record)]

    def read(self, record: FileRecord) -> AnswersRow:
        """Return the question of a record, or what is wrong with it."""
        row = AnswersRow(record.line, problems=list(record.problems[:1]))
        if row.problems:
            return row
        try:
            row.question = self._question(record)
        except Unfit as unfit:
            column, found = getattr(self._form, PARTS.get(unfit.code, ""), ""), excerpt(unfit.found)
            row.problems.append(FileProblem(unfit.code, record.line, column, found, unfit.facts))
        if not self._mapping.layout:
            new = sorted(record.cells.keys() - self._known)
            row.problems += [FileProblem("new_column", record.line, name) for name in new]
        return row

    def _question(self, record: FileRecord) -> AnsweredItem:
        said = self._form.read(record.cells)
        if is_blank(said.question):
            raise Unfit("no_question")
        options, right = _options(said)
        name = self._name(record, said)
        if first := self._seen.get(name):
            raise Unfit("repeated_question", name, line=str(first))
        messages = contents.as_messages(_text(said.question))
        question = AnsweredItem(name, name, messages, options[right])
        question.extra = self._extra(record, said) | {OPTIONS: options, ANSWER: right}
        question.prompt_sha = contents.prompt_sha(messages)
        question.content_sha = answers.content_sha(question)
        self._seen[name] = record.line
        return question

    def _name(self, record: FileRecord, said: _ChoiceRecord) -> str:
        """Return the question's own name; one that only counts is told apart by set and subject."""
        has = record.cells
        own = _text(said.name if said.name is not None else has.get("id", has.get("ind")))
        if own and not own.isdecimal():
            return own[:MOST_NAME]
        subject = _text(said.subject) or self._of_file
        known = subject.casefold() in self._before.casefold()
        parts = (self._before, "" if known else subject, own or str(record.line))
        return " ".join(filter(None, parts))[:MOST_NAME]

    def _extra(self, record: FileRecord, said: _ChoiceRecord) -> dict[str, Any]:
        kept = {
            column: cells.detail(record.cells[column])
            for column in self._details
            if column not in _OWN and not is_blank(record.cells.get(column))
        }
        # A file name is only a last resort, after what the person said holds for the whole file.
        subject = _text(said.subject) or self._mapping.subject.strip() or self._of_file
        own = {SUBJECT: subject[:200], EXPLANATION: _text(said.explanation)}
        return {**kept, DATASET: self._set, **{key: one for key, one in own.items() if one}}
