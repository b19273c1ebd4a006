"""A record of a file of questions for the bank, read by its mapping."""

from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

from annotation.common import texts
from annotation.files import answers as citations
from annotation.files import cells
from annotation.files import messages as talks
from annotation.files.answers import CitedPlace
from annotation.files.cells import FileProblem, FileRecord, Unfit, is_blank
from annotation.files.columns import Target
from annotation.files.mappings import MappedReader, QuestionMapping
from annotation.people.rules import MAX_LANGUAGE

MAX_TAG = 100
MAX_NOTE = 10_000
ROLES = frozenset({"system", "user", "assistant"})


@dataclass(slots=True)
class FileQuestion:
    """A question as the file has it."""

    external_id: str = ""
    turns: list[dict[str, str]] = field(default_factory=list)
    answer: str = ""
    key_points: list[str] = field(default_factory=list)
    capability: str = ""
    domain: str = ""
    difficulty: str = ""
    question_type: str = ""
    principle: str = ""
    as_of: str = ""
    valid_until: date | None = None
    tags: list[str] = field(default_factory=list)
    language: str = ""
    cited: list[CitedPlace] = field(default_factory=list)
    note: str = ""

    @property
    def sha(self) -> str:
        """The fingerprint of all that the file says of it."""
        parts = [str(getattr(self, name)) for name in self.__slots__]
        return texts.response_sha([{"said": parts}])


@dataclass(slots=True)
class QuestionsRow:
    line: int
    question: FileQuestion | None = None
    problems: list[FileProblem] = field(default_factory=list)


def _text(value: object) -> str:
    return _within(cells.text(value), texts.MAX_TEXT)


def _joined(value: object) -> str:
    return _within(cells.joined(value), texts.MAX_TEXT)


def _points(value: object) -> list[str]:
    given = citations.listed(value)
    if isinstance(given, list):  # as the bank has them: nothing is taken for a bullet
        found = [point for one in given if (point := cells.text(one).strip())]
    else:
        found = cells.points(given)
    _within("\n".join(found), texts.MAX_TEXT)
    return found


def _note(value: object) -> str:
    return _within(cells.joined(value).strip(), MAX_NOTE)


def _language(value: object) -> str:
    return cells.name(value, MAX_LANGUAGE)


def _within(text: str, most: int) -> str:
    if len(text) > most:
        raise Unfit("text_too_long", text, most=str(most))
    return text


def tags(value: object) -> list[str]:
    """Return tags: a list as it is, or a text between commas, semicolons and line breaks.

    Raises:
        Unfit: one is longer than a tag may be, or it is neither.
    """
    given = citations.listed(value)
    if not isinstance(given, list):
        text = cells.text(given)
        for sign in ";\n,，；、":
            text = text.replace(sign, "\x1f")
        given = text.split("\x1f")
    names = [cells.name(one, MAX_TAG) for one in given]
    return list(dict.fromkeys(name for name in names if name))


def conversation(value: object) -> list[dict[str, str]]:
    """Return the turns that lead to an answer.

    Raises:
        Unfit: it is no conversation, or one that the bank cannot hold.
    """
    given = citations.listed(value)
    if _is_empty(given):
        return []
    # An image is shown where it stood; its address is in the text.
    messages = [
        {name: one[name] for name in one if name != "images"} for one in talks.conversation(given)
    ]
    for one in messages:
        if one["role"] not in ROLES or one.keys() != {"role", "content"}:
            raise Unfit("tools_in_bank", one)
        _within(one["content"], texts.MAX_TEXT)
    if len(messages) > texts.MAX_TURNS:
        raise Unfit("too_many_turns", n=str(len(messages)), most=str(texts.MAX_TURNS))
    if messages and messages[-1]["role"] != "user":
        raise Unfit("answer_in_conversation", messages[-1]["content"])
    if empty := [one for one in messages if not one["content"].strip()]:
        raise Unfit("empty_message", empty[0])
    return messages


def _is_empty(given: object) -> bool:
    """Say whether nothing was asked yet: that is how a draft begins."""
    return isinstance(given, list) and all(
        isinstance(one, Mapping) and is_blank(one.get("content", one.get("value"))) for one in given
    )


_PARTS: Mapping[Target, tuple[str, Callable[[Any], Any]]] = {
    Target.EXTERNAL_ID: ("external_id", cells.name),
    Target.STANDARD_ANSWER: ("answer", _joined),
    Target.KEY_POINTS: ("key_points", _points),
    Target.CAPABILITY: ("capability", lambda value: cells.name(value, 1000)),
    Target.DOMAIN: ("domain", lambda value: cells.name(value, 1000)),
    Target.DIFFICULTY: ("difficulty", lambda value: cells.code(value, "difficulty")),
    Target.TYPE: ("question_type", lambda value: cells.code(value, "type")),
    Target.PRINCIPLE: ("principle", _joined),
    Target.AS_OF: ("as_of", cells.day),
    Target.VALID_UNTIL: ("valid_until", cells.calendar_day),
    Target.TAGS: ("tags", tags),
    Target.LANGUAGE: ("language", _language),
    Target.NOTE: ("note", _note),
}
_SOURCES = (Target.SOURCES, Target.SOURCE_TITLE, Target.SOURCE_ADDRESS)
_OF_FILE = ("capability", "difficulty", "domain", "language")


class QuestionsReader(MappedReader):
    """Reads records one by one; every problem goes with its row.

    `said` names the parts of a question that the file speaks of. Of a question that the bank has
    already, the other parts stay as they are.
    """

    def __init__(self, mapping: QuestionMapping, *, shielded: bool = False) -> None:
        """Make a reader.

        Args:
            shielded: the file is a table, whose texts may carry a shield against formulas.
        """
        super().__init__(mapping.places)
        self._mapping = mapping
        self._shielded = shielded
        self.said = self._said()

    def _said(self) -> Set[str]:
        said = {name for target, (name, _) in _PARTS.items() if target in self._column}
        said |= {name for name in _OF_FILE if getattr(self._mapping, name)}
        if any(target in self._column for target in _SOURCES):
            said.add("cited")
        return said - {"external_id", "note"} | {"turns"}

    def read(self, record: FileRecord) -> QuestionsRow:
        row = QuestionsRow(record.line, problems=list(record.problems))
        if record.problems:
            return row
        self._tell_new(record, row)
        if self._shielded:
            record = replace(record, cells={name: _bare(one) for name, one in record.cells.items()})
        question = FileQuestion(turns=self._turns(record, row))
        for target, (name, parse) in _PARTS.items():
            setattr(question, name, self._cell(record, row, target, parse, getattr(question, name)))
        for name in _OF_FILE:
            setattr(question, name, getattr(question, name) or getattr(self._mapping, name))
        question.cited = self._cited(record, row)
        self._refuse_empty(row, question)
        question.external_id = question.external_id or f"q-{texts.prompt_sha(question.turns)[:12]}"
        row.question = question
        return row

    def _turns(self, record: FileRecord, row: QuestionsRow) -> list[dict[str, str]]:
        if Target.MESSAGES in self._column:
            return self._cell(record, row, Target.MESSAGES, conversation, [])  # type: ignore[no-any-return]
        text = self._cell(record, row, Target.QUESTION, _text, "")
        return texts.as_messages(text) if text else []

    def _cited(self, record: FileRecord, row: QuestionsRow) -> list[CitedPlace]:
        if Target.SOURCES in self._column:
            found = self._cell(record, row, Target.SOURCES, citations.read_sources, [])
        else:
            one = CitedPlace(
                title=self._cell(record, row, Target.SOURCE_TITLE, citations.title, ""),
                address=self._cell(record, row, Target.SOURCE_ADDRESS, citations.address, ""),
                locator=self._cell(record, row, Target.SOURCE_PLACE, citations.locator, ""),
            )
            found = [one.named] if one.title or one.address else []
            if one.locator and not found:
                self._need(row, Target.SOURCE_TITLE, Target.SOURCE_ADDRESS)
        return list(dict.fromkeys(found))

    def _refuse_empty(self, row: QuestionsRow, question: FileQuestion) -> None:
        if not question.turns:
            self._need(row, Target.MESSAGES, Target.QUESTION)
        if Target.EXTERNAL_ID in self._column and not question.external_id:
            self._need(row, Target.EXTERNAL_ID)

    def _need(self, row: QuestionsRow, *targets: Target) -> None:
        column = next(self._column[one] for one in targets if one in self._column)
        if all(problem.column != column for problem in row.problems):
            row.problems.append(FileProblem("empty_cell", row.line, column))


def _bare(value: object) -> object:
    return texts.restored(value) if isinstance(value, str) else value
