"""A record of a file of questions and answers, read by its mapping.

* What a row of a file says of the sources that its answer rests on.
"""

import json
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import date
from typing import Any, Final

from annotation.common import identity, parts
from annotation.common import scales as references
from annotation.common import texts as contents
from annotation.common.parts import PartLevel
from annotation.files import cells, mappings
from annotation.files import messages as talks
from annotation.files.asks import FileAsk, Told
from annotation.files.cells import FileProblem, FileRecord, Unfit, excerpt, is_blank
from annotation.files.columns import Target
from annotation.files.mappings import AnswerMapping, ColumnTarget, MappedReader
from annotation.files.parts import Message, SpeakerRoles

#: Under which name the details of an answer hold what its system thought aloud.
THOUGHT: Final = "reasoning"
#: What begins the key of the question who somebody is in a conversation.
ROLE: Final = "role:"
#: How a tool begins the text of an answer that it did not get.
FAILED: Final = ("[ERROR]", "[FAILED]")
#: The last part of the name of a column that says whether a script wrote the answer.
SCRIPTED: Final = "scripted"


def tells_failure(column: str) -> bool:
    """Say whether a column tells why a system gave no answer."""
    return column.rpartition(".")[2].strip().casefold() in {"error", "error_message", "exception"}


def tells_script(column: str) -> bool:
    """Say whether a column marks answers of a script; wherever it is mapped to, the mark stays."""
    return column.rpartition(".")[2].strip().casefold() == SCRIPTED


@dataclass(slots=True)
class AnsweredItem:
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
    #: Whether the file names it; else it is called by its text.
    is_named: bool = False

    @property
    def is_bare(self) -> bool:
        """Say whether the file tells nothing of it but its text and its name."""
        return not (self.reference or self.key_points or self.extra)

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
class FileAnswer:
    column: str
    system: str
    release: str
    sample_no: int
    messages: list[Message]
    content_sha: str
    details: dict[str, Any]


@dataclass(slots=True)
class AnswersRow:
    line: int
    question: AnsweredItem | None = None
    answers: list[FileAnswer] = field(default_factory=list)
    problems: list[FileProblem] = field(default_factory=list)
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


class AnswersReader(MappedReader):
    """Reads records one by one; every problem goes with its row."""

    def __init__(
        self,
        mapping: AnswerMapping,
        told: Told | None = None,
        lexicon: Callable[[Sequence[str]], identity.Lexicon] = identity.Lexicon,
    ) -> None:
        """Make a reader; `told` is what a person said of the file.

        `lexicon` returns what is covered before a part that systems of these names said.
        """
        self._lexicon = lexicon
        self._mapping = mapping
        self._told = told or {}
        self.asked: dict[str, FileAsk] = {}
        self._lexicons: dict[str, identity.Lexicon] = {}
        said = {key: one for key, one in self._told.items() if key.startswith(ROLE)}
        self._roles = SpeakerRoles(
            {key.removeprefix(ROLE): one for key, one in said.items()}, asked={}
        )
        super().__init__(mapping.places)
        self._failures = [name for name in self._known if tells_failure(name)]
        self._marks = [column for column in self._known if tells_script(column)]
        self._by_target: dict[str, list[ColumnTarget]] = defaultdict(list)
        for place in mapping.places:
            self._by_target[place.target].append(place)
        self._column = {target: places[0].column for target, places in self._by_target.items()}
        self._has_question = bool(self._column.keys() & {Target.QUESTION, Target.MESSAGES})

    def rows(self, record: FileRecord) -> list[AnswersRow]:
        """Return the rows of a record: one, or one for each part of its conversations that is graded."""
        row = self.read(record)
        if not self._mapping.parts or row.question is None:
            return [row]
        level = PartLevel(self._mapping.parts)
        made = []
        for answer in row.answers:
            whole, start = self._whole(row.question, answer)
            names = self._names(answer.system)
            cuts = parts.parts_of(whole, level, start=start)
            try:
                made += [_part_row(row, answer, cut, names) for cut in cuts]
            except identity.UnusablePattern as problem:
                row.problems.append(FileProblem("bad_mask", row.line, answer.column, str(problem)))
                return [row]
        if not made and row.answers:
            row.problems.append(FileProblem("no_such_part", row.line, row.answers[0].column))
        if not made:
            return [row]
        made[0].problems, made[0].n_empty = row.problems, row.n_empty
        return made

    def _whole(self, question: AnsweredItem, answer: FileAnswer) -> tuple[list[Message], int]:
        """Return the conversation that an answer is in, and with which message its system begins.

        A column of answers may hold all of it, its question too.
        """
        if any(one["role"] in {"user", "system"} for one in answer.messages):
            return answer.messages, 0
        of_file = Target.MESSAGES in self._column and Target.RESPONSE not in self._column
        start = 0 if of_file else len(question.messages)
        return [*question.messages, *answer.messages], start

    def _names(self, system: str) -> identity.Lexicon:
        if system not in self._lexicons:
            self._lexicons[system] = self._lexicon([system])
        return self._lexicons[system]

    def read(self, record: FileRecord) -> AnswersRow:
        row = AnswersRow(record.line, problems=list(record.problems))
        if record.problems:
            return row
        self._tell_new(record, row)
        conversation = self._messages(record, row)
        trailing: list[Message] = []
        if Target.MESSAGES in self._column and Target.RESPONSE not in self._column:
            conversation, trailing = talks.split_answer(conversation)
        row.question = self._question(record, row, conversation)
        self._answers(record, row, trailing)
        for spelled, role in (self._roles.asked or {}).items():
            key = f"{ROLE}{spelled.casefold()}"
            self.asked.setdefault(
                key, FileAsk(key, "role", ("assistant", "user"), role, found=spelled)
            )
        return row

    def _messages(self, record: FileRecord, row: AnswersRow) -> list[Message]:
        if Target.MESSAGES in self._column:
            return self._cell(record, row, Target.MESSAGES, self._talk, [])  # type: ignore[no-any-return]
        text = self._cell(record, row, Target.QUESTION, cells.text, "")
        return contents.as_messages(text) if text else []

    def _talk(self, value: object) -> list[Message]:
        return talks.conversation(value, self._roles)

    def _question(
        self, record: FileRecord, row: AnswersRow, messages: list[Message]
    ) -> AnsweredItem | None:
        question = AnsweredItem(messages=messages)
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
        question.is_named = bool(question.external_id)
        question.external_id = question.external_id or f"q-{question.prompt_sha[:12]}"
        question.group = question.group or question.external_id
        return question

    def _known_question(self, row: AnswersRow, question: AnsweredItem) -> AnsweredItem | None:
        if question.external_id:
            return question
        if self._has_question:
            has_messages = Target.MESSAGES in self._column
            self._need(row, Target.MESSAGES if has_messages else Target.QUESTION)
        return None

    def _need(self, row: AnswersRow, target: Target) -> None:
        self._blame(row, "empty_cell", self._column[target])

    def _blame(self, row: AnswersRow, code: str, column: str) -> None:
        """Note what is missing in a cell, unless something else is wrong with what stands there."""
        if all(problem.column != column for problem in row.problems):
            row.problems.append(FileProblem(code, row.line, column))

    def _details(self, record: FileRecord, row: AnswersRow, target: Target) -> dict[str, Any]:
        return {
            place.column: self._parse(row, place.column, value, cells.detail, None)
            for place in self._by_target.get(target, ())
            if not is_blank(value := record.cells.get(place.column))
        }

    def _mark(self, record: FileRecord) -> dict[str, bool]:
        said = [record.cells.get(column) for column in self._marks]
        yes = any(str(one).strip().casefold() in {"true", "1", "yes"} for one in said)
        return {SCRIPTED: True} if yes else {}

    def _answers(self, record: FileRecord, row: AnswersRow, trailing: list[Message]) -> None:
        sample_no = self._cell(record, row, Target.SAMPLE_NO, cells.whole_number, 1)
        release = self._cell(record, row, Target.RELEASE, mappings.release, "")
        for place in self._by_target.get(Target.ANSWER, ()):
            value = record.cells.get(place.column)
            named = (place.system, place.release or release)
            number = sample_no
            if self._mapping.samples:
                system = self._cell(record, row, Target.SYSTEM, cells.name, "")
                named, number = (system, release), int(place.system)
                if not system and not is_blank(value):
                    self._blame(row, "whose_answer", self._column[Target.SYSTEM])
                    return
            self._answer(record, row, place.column, value, named, number)
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
        record: FileRecord,
        row: AnswersRow,
        column: str,
        value: object,
        named: tuple[str, str],
        sample_no: int,
    ) -> None:
        messages = self._said(record, row, column, value)
        if not messages:
            return
        details = self._details(record, row, Target.RESPONSE_DETAILS) | self._mark(record)
        # A text that is the answer as it stands has no reasoning in it: it need not be looked for again.
        if messages[0]["content"] != value and (
            thought := self._parse(row, column, record.cells.get(column), self._thought, [])
        ):
            details.setdefault(THOUGHT, thought)
        several = len(messages) > 1 or messages[0]["role"] != "assistant"
        if not (self._mapping.whole_conversation or self._mapping.parts) and several:
            details[column] = messages  # what led to the answer is kept, and shown to nobody
            messages = self._parse(row, column, messages, talks.last_answer, [])
        if not messages:
            return
        system, release = named
        row.answers.append(
            FileAnswer(
                column,
                system,
                release or self._mapping.release,
                sample_no,
                messages,
                contents.response_sha(messages),
                details,
            )
        )

    def _said(
        self, record: FileRecord, row: AnswersRow, column: str, value: object
    ) -> list[Message]:
        """Return the messages of an answer; none where the cell says that there is no answer.

        A row of its own with an empty text is an answer too: the system had nothing to say.
        """
        if self._failed(record, row, column, value):
            return []
        if not is_blank(value) and not self._is_missing(column, value):
            said: list[Message] = self._parse(row, column, value, self._reply, [])
            return said
        if (
            isinstance(value, str)
            and is_blank(value)
            and self._column.get(Target.RESPONSE) == column
        ):
            row.problems.append(FileProblem("empty_response", row.line, column, warning=True))
            return contents.as_messages("", "assistant")
        row.n_empty += 1
        return []

    def _thought(self, value: object) -> list[str]:
        return talks.thought(value, self._roles)

    def _reply(self, value: object) -> list[Message]:
        return talks.answer(value, self._roles)

    def _failed(self, record: FileRecord, row: AnswersRow, column: str, value: object) -> bool:
        """Note that the file tells a failure in place of an answer."""
        written = value.strip() if isinstance(value, str) else ""
        reasons = [record.cells.get(name) for name in self._failures] if is_blank(value) else []
        reason = next((one for one in reasons if not is_blank(one)), "")
        if written.startswith(FAILED):
            reason = written
        if reason:
            found = excerpt(reason)
            row.problems.append(FileProblem("failed_answer", row.line, column, found))
            row.n_empty += 1
        return bool(reason)

    def _is_missing(self, column: str, value: object) -> bool:
        """Say whether an answer is a word for no answer; whether it is one only a person can say."""
        if not (isinstance(value, str) and cells.is_missing(value)):
            return False
        ask = FileAsk(
            "missing_answers", "missing_answers", ("missing", "answer"), "", column, value.strip()
        )
        self.asked.setdefault(ask.key, ask)
        return ask.answer(self._told) != "answer"


def _part_row(
    row: AnswersRow, answer: FileAnswer, cut: parts.CutPart, names: identity.Lexicon
) -> AnswersRow:
    """Return a part of a conversation as a question of its own; what gives systems away is covered before it.

    A round looks for names in answers alone.
    """

    def cover(text: str) -> str:
        return identity.mask(text, [(hit.start, hit.end) for hit in identity.scan(text, names)])

    assert row.question is not None
    before = [parts.covered(one, cover) for one in cut.before]
    sha = contents.prompt_sha(before)
    where = [str(one) for one in (cut.part.turn, cut.part.tool_call) if one is not None]
    question = replace(
        row.question,
        # The same number of two systems' conversations has other words before it.
        external_id=f"{row.question.external_id[:170]} / {' / '.join(where)} / {sha[:6]}",
        messages=before,
        extra={**row.question.extra, **replace(cut.part, tool="").as_extra()},
        prompt_sha=sha,
        is_named=True,
    )
    question.content_sha = content_sha(question)
    said = [dict(one) for one in cut.said]
    part = replace(answer, messages=said, content_sha=contents.response_sha(said))
    return AnswersRow(row.line, question, [part])


def content_sha(question: AnsweredItem) -> str:
    """Return the fingerprint of an item: what is shown of it, key points and details included."""
    extra = dict(question.extra)
    if question.key_points:
        extra["key_points"] = question.key_points
    return contents.content_sha(question.messages, question.reference, extra)


MAX_TITLE, MAX_ADDRESS, MAX_LOCATOR, MAX_NAME = 300, 1000, 300, 200
KINDS = ("WEB", "DOCUMENT", "DATA", "EXPERT")
BEGINNINGS = ("https://", "http://")

_NAMES = {
    "title": "title name 标题 名称",
    "address": "address url link href 链接 网址",
    "locator": "locator place page pages section 页码 位置",
    "kind": "kind type",
    "publisher": "publisher",
    "licence": "licence license",
    "retrieved_on": "retrieved_on",
    "valid_from": "valid_from",
    "valid_until": "valid_until",
    "version": "version",
    "start": "start",
    "end": "end",
    "quote": "quote",
}
_FIELDS = {word: name for name, words in _NAMES.items() for word in words.split()}


@dataclass(frozen=True, slots=True)
class CitedPlace:
    """A place in a source, and what the file says of the source in case it is new.

    `version` is the number of the source's version, None where the file names none. A passage stands
    from `start` up to `end` in its text, in characters, and says `quote`.
    """

    title: str = ""
    address: str = ""
    locator: str = ""
    kind: str = ""
    publisher: str = ""
    licence: str = ""
    retrieved_on: date | None = None
    valid_from: date | None = None
    valid_until: date | None = None
    version: int | None = None
    start: int | None = None
    end: int | None = None
    quote: str = ""

    @property
    def named(self) -> "CitedPlace":
        """The same, called by its address where it has no title."""
        return self if self.title else replace(self, title=self.address[:MAX_TITLE])

    def as_record(self) -> dict[str, Any]:
        """Return what a file says of it: what is there, dates as text."""
        return {
            name: value.isoformat() if isinstance(value, date) else value
            for name, value in asdict(self).items()
            if value not in {None, ""}
        }


def title(value: object) -> str:
    return cells.name(value, MAX_TITLE)


def address(value: object) -> str:
    return cells.name(value, MAX_ADDRESS)


def locator(value: object) -> str:
    return cells.name(value, MAX_LOCATOR)


def listed(value: object) -> object:
    """Return a list or an object from its JSON text; anything else as it is."""
    if isinstance(value, str) and value.lstrip()[:1] in {"[", "{"}:
        try:
            found = json.loads(value)
        except (ValueError, RecursionError):
            return value
        return found if isinstance(found, list | dict) else value
    return value


def read_sources(value: object) -> list[CitedPlace]:
    """Return the sources of a cell: a list of titles or objects, or a text with one on each line.

    On a line the title, the address and the place stand between " | "; what begins like an
    address is one.

    Raises:
        Unfit: it is neither, or something in it cannot be used.
    """
    given = listed(value)
    if isinstance(given, Mapping):
        given = [given]
    if not isinstance(given, list):
        given = cells.text(given).splitlines()
    found = [_of_object(one) if isinstance(one, Mapping) else _of_line(one) for one in given]
    return [one for one in found if one is not None]


def _of_line(value: object) -> CitedPlace | None:
    parts = [part.strip() for part in cells.text(value).split(" | ")]
    if not any(parts):
        return None
    links = [part for part in parts if part.startswith(BEGINNINGS)]
    others = [part for part in parts if part and part not in links]
    if len(links) > 1 or len(others) > 2:
        raise Unfit("no_source", value)
    name, place = [*others, "", ""][:2]
    return CitedPlace(title(name), address(links[0] if links else ""), locator(place)).named


def _of_object(value: Mapping[str, Any]) -> CitedPlace:
    said = {_FIELDS.get(str(key).strip().lower(), ""): one for key, one in value.items()}
    if not (said.get("title") or said.get("address")):
        raise Unfit("no_source", value)
    start, end = (_sign(said.get(name), value) for name in ("start", "end"))
    if (start is None) != (end is None) or (start is not None and end is not None and start >= end):
        raise Unfit("no_passage", value)
    return CitedPlace(
        title=title(said.get("title")),
        address=address(said.get("address")),
        locator=locator(said.get("locator")),
        kind=_kind(said.get("kind")),
        publisher=cells.name(said.get("publisher"), MAX_NAME),
        licence=cells.name(said.get("licence"), MAX_NAME),
        retrieved_on=cells.calendar_day(said.get("retrieved_on")),
        valid_from=cells.calendar_day(said.get("valid_from")),
        valid_until=cells.calendar_day(said.get("valid_until")),
        version=cells.whole_number(said["version"]) if said.get("version") else None,
        start=start,
        end=end,
        quote=cells.text(said.get("quote")),
    ).named


def _sign(value: object, whole: object) -> int | None:
    """Return the place of a character, from 0 on; None where none is named."""
    if value is None or value == "":
        return None
    written = str(value).removesuffix(".0")
    if not written.isascii() or not written.isdigit() or len(written) > 9:
        raise Unfit("no_passage", whole)
    return int(written)


def _kind(value: object) -> str:
    word = cells.name(value).upper()
    if word and word not in KINDS:
        raise Unfit("unknown_source_kind", value)
    return word
