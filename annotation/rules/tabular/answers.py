"""A record of a file of questions and answers, read by its mapping."""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from annotation.rules import contents, references
from annotation.rules.tabular import cells, mappings
from annotation.rules.tabular.cells import Message, Unfit
from annotation.rules.tabular.mappings import AnswerMapping, Place
from annotation.rules.tabular.problems import Problem, excerpt
from annotation.rules.tabular.records import Record, is_blank
from annotation.rules.tabular.targets import Target

#: Under which name the details of an answer hold what its system thought aloud.
THOUGHT: Final = "reasoning"
#: The last part of the name of a column that says whether a script wrote the answer.
SCRIPTED: Final = "scripted"


def tells_script(column: str) -> bool:
    """Say whether a column marks answers of a script; wherever it is mapped to, the mark stays."""
    return column.rpartition(".")[2].strip().casefold() == SCRIPTED


@dataclass(slots=True)
class Question:
    """An item as the file has it; without messages it only names one that is known."""

    external_id: str = ""
    group: str = ""
    messages: list[Message] = field(default_factory=list)
    reference: str = ""
    key_points: list[str] = field(default_factory=list)
    extra: dict[str, Any] = field(default_factory=dict)
    capability: str = ""
    domain: str = ""
    difficulty: str = ""
    question_type: str = ""
    as_of: str = ""
    prompt_sha: str = ""
    content_sha: str = ""
    fingerprint: str = ""

    @property
    def labels(self) -> tuple[str, ...]:
        """What may be said of a question beside its content."""
        return (
            self.capability,
            self.domain,
            self.difficulty,
            self.question_type,
            self.as_of,
            self.group,
        )


@dataclass(slots=True)
class Answer:
    column: str
    system: str
    release: str
    sample_no: int
    messages: list[Message]
    content_sha: str
    details: dict[str, Any]


@dataclass(slots=True)
class Row:
    line: int
    question: Question | None = None
    answers: list[Answer] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    n_empty: int = 0


_LABELS: dict[Target, tuple[str, Callable[[Any], Any]]] = {
    Target.EXTERNAL_ID: ("external_id", cells.name),
    Target.GROUP: ("group", cells.name),
    Target.FINGERPRINT: ("fingerprint", cells.name),
    Target.STANDARD_ANSWER: ("reference", cells.joined),
    Target.KEY_POINTS: ("key_points", cells.points),
    Target.CAPABILITY: ("capability", cells.name),
    Target.DOMAIN: ("domain", cells.name),
    Target.DIFFICULTY: ("difficulty", lambda value: cells.code(value, "difficulty")),
    Target.TYPE: ("question_type", lambda value: cells.code(value, "type")),
    Target.AS_OF: ("as_of", cells.day),
}


class Reader:
    """Reads records one by one; every problem goes with its row."""

    def __init__(self, mapping: AnswerMapping) -> None:
        self._mapping = mapping
        self._known = {place.column for place in mapping.places}
        self._marks = [column for column in self._known if tells_script(column)]
        self._by_target: dict[str, list[Place]] = defaultdict(list)
        for place in mapping.places:
            self._by_target[place.target].append(place)
        self._column = {target: places[0].column for target, places in self._by_target.items()}
        self._has_question = bool(self._column.keys() & {Target.QUESTION, Target.MESSAGES})

    def read(self, record: Record) -> Row:
        row = Row(record.line, problems=list(record.problems))
        if record.problems:
            return row
        for name in record.cells.keys() - self._known:
            row.problems.append(Problem("new_column", record.line, name))
        conversation = self._messages(record, row)
        trailing: list[Message] = []
        if Target.MESSAGES in self._column and Target.RESPONSE not in self._column:
            conversation, trailing = cells.split_answer(conversation)
        row.question = self._question(record, row, conversation)
        self._answers(record, row, trailing)
        return row

    def _cell(
        self, record: Record, row: Row, target: Target, parse: Callable[[Any], Any], empty: Any
    ) -> Any:
        column = self._column.get(target)
        if column is None or is_blank(value := record.cells.get(column)):
            return empty
        return self._parse(row, column, value, parse, empty)

    def _parse(
        self, row: Row, column: str, value: object, parse: Callable[[Any], Any], empty: Any
    ) -> Any:
        try:
            return parse(value)
        except Unfit as unfit:
            found = excerpt(unfit.found)
            row.problems.append(Problem(unfit.code, row.line, column, found, unfit.facts))
            return empty

    def _messages(self, record: Record, row: Row) -> list[Message]:
        if Target.MESSAGES in self._column:
            return self._cell(record, row, Target.MESSAGES, cells.conversation, [])  # type: ignore[no-any-return]
        text = self._cell(record, row, Target.QUESTION, cells.text, "")
        return contents.as_messages(text) if text else []

    def _question(self, record: Record, row: Row, messages: list[Message]) -> Question | None:
        question = Question(messages=messages)
        for target, (name, parse) in _LABELS.items():
            if target in self._column:
                empty = getattr(question, name)
                setattr(question, name, self._cell(record, row, target, parse, empty))
        question.extra = self._details(record, row, Target.QUESTION_DETAILS)
        if texts := self._cell(record, row, Target.REFERENCES, cells.texts, []):
            question.extra[references.FIELD] = texts
        if language := self._cell(record, row, Target.LANGUAGE, cells.name, ""):
            question.extra["language"] = language
        if Target.EXTERNAL_ID in self._column and not question.external_id:
            self._need(row, Target.EXTERNAL_ID)
        if not messages:
            return self._known_question(row, question)
        question.prompt_sha = contents.prompt_sha(messages)
        question.content_sha = content_sha(question)
        question.external_id = question.external_id or f"q-{question.prompt_sha[:12]}"
        question.group = question.group or question.external_id
        return question

    def _known_question(self, row: Row, question: Question) -> Question | None:
        if question.external_id:
            return question
        if self._has_question:
            has_messages = Target.MESSAGES in self._column
            self._need(row, Target.MESSAGES if has_messages else Target.QUESTION)
        return None

    def _need(self, row: Row, target: Target) -> None:
        self._blame(row, "empty_cell", self._column[target])

    def _blame(self, row: Row, code: str, column: str) -> None:
        """Note what is missing in a cell, unless something else is wrong with what stands there."""
        if all(problem.column != column for problem in row.problems):
            row.problems.append(Problem(code, row.line, column))

    def _details(self, record: Record, row: Row, target: Target) -> dict[str, Any]:
        return {
            place.column: self._parse(row, place.column, value, cells.detail, None)
            for place in self._by_target.get(target, ())
            if not is_blank(value := record.cells.get(place.column))
        }

    def _mark(self, record: Record) -> dict[str, bool]:
        said = [record.cells.get(column) for column in self._marks]
        yes = any(str(one).strip().casefold() in {"true", "1", "yes"} for one in said)
        return {SCRIPTED: True} if yes else {}

    def _answers(self, record: Record, row: Row, trailing: list[Message]) -> None:
        sample_no = self._cell(record, row, Target.SAMPLE_NO, cells.whole_number, 1)
        release = self._cell(record, row, Target.RELEASE, _release, "")
        for place in self._by_target.get(Target.ANSWER, ()):
            value = record.cells.get(place.column)
            named = (place.system, place.release or release)
            self._answer(record, row, place.column, value, named, sample_no)
        if Target.RESPONSE in self._column:
            column = self._column[Target.RESPONSE]
            value = record.cells.get(column)
        elif trailing:
            column, value = self._column[Target.MESSAGES], trailing
        else:
            return
        system = self._cell(record, row, Target.SYSTEM, cells.name, "") or self._mapping.system
        if system:
            self._answer(record, row, column, value, (system, release), sample_no)
        elif not is_blank(value):
            self._blame(row, "whose_answer", self._column.get(Target.SYSTEM, column))

    def _answer(
        self,
        record: Record,
        row: Row,
        column: str,
        value: object,
        named: tuple[str, str],
        sample_no: int,
    ) -> None:
        messages = self._said(row, column, value)
        if not messages:
            return
        details = self._details(record, row, Target.RESPONSE_DETAILS) | self._mark(record)
        if thought := self._parse(row, column, record.cells.get(column), cells.thought, []):
            details.setdefault(THOUGHT, thought)
        several = len(messages) > 1 or messages[0]["role"] != "assistant"
        if not self._mapping.whole_conversation and several:
            details[column] = messages  # what led to the answer is kept, and shown to nobody
            messages = self._parse(row, column, messages, cells.last_answer, [])
        if not messages:
            return
        system, release = named
        row.answers.append(
            Answer(
                column,
                system,
                release or self._mapping.release,
                sample_no,
                messages,
                contents.response_sha(messages),
                details,
            )
        )

    def _said(self, row: Row, column: str, value: object) -> list[Message]:
        """Return the messages of an answer; none where the cell says that there is no answer.

        A row of its own with an empty text is an answer too: the system had nothing to say.
        """
        if not is_blank(value):
            said: list[Message] = self._parse(row, column, value, cells.answer, [])
            return said
        if isinstance(value, str) and self._column.get(Target.RESPONSE) == column:
            row.problems.append(Problem("empty_response", row.line, column, warning=True))
            return contents.as_messages("", "assistant")
        row.n_empty += 1
        return []


def content_sha(question: Question) -> str:
    """Return the fingerprint of an item: what is shown of it, key points and details included."""
    extra = dict(question.extra)
    if question.key_points:
        extra["key_points"] = question.key_points
    return contents.content_sha(question.messages, question.reference, extra)


def _release(value: object) -> str:
    return cells.name(value, mappings.MAX_RELEASE)
