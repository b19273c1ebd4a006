"""The checklist of an inspection: its lines, the reasons for a return, what an inspection lacks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from evalsite.kinds import Choice, Text
from evalsite.records import Record

OUTCOMES = ("PASS", "FAIL", "NOT_APPLICABLE")
VERDICTS = ("ACCEPT", "RETURN")
MAX_LINE_NOTE = 1000
MAX_NOTE = 10_000
MAX_SUGGESTED = 100_000
MAX_LINES = 40
MAX_LINE_TEXT = 300
MAX_KEY = 40

#: Fields of a question that a finding may point at.
FIELDS = (
    "turns",
    "answer",
    "key_points",
    "capability",
    "domain",
    "difficulty",
    "question_type",
    "principle",
    "sources",
    "as_of",
    "valid_until",
    "tags",
    "language",
)
#: Fields that an inspector may propose another text for.
SUGGESTED = ("question", "answer", "key_points", "principle")

REASONS = {
    "untraceable": "no source, or it does not say this",
    "wrong": "the answer is wrong",
    "incomplete": "something is missing",
    "ambiguous": "it can be read in more than one way",
    "several_tasks": "it asks several things at once",
    "difficulty": "the difficulty does not fit",
    "misplaced": "the capability or domain does not fit",
    "outdated": "it is out of date, or its date is missing",
    "duplicate": "the bank has it already",
    "leak": "the question gives the answer away",
    "sensitive": "it holds personal or secret data",
    "language": "language or form",
    "rubric": "it cannot be graded with the rubric",
    "other": "something else",
}


@dataclass(frozen=True)
class ChecklistLine(Record):
    """A line; how long its texts may be is checked with the whole list."""

    component: ClassVar[str] = "Line"

    key: Annotated[str, Text(empty=False)]
    text: Annotated[str, Text(empty=False)]
    field: Annotated[str, Choice(FIELDS, empty=True)] = ""
    #: The usual one when the line fails.
    reason: Annotated[str, Choice(tuple(REASONS))] = "other"


DEFAULT = (
    ChecklistLine(
        "traceable", "A source is named and bears the answer out", "sources", "untraceable"
    ),
    ChecklistLine("correct", "The standard answer is correct as of its date", "answer", "wrong"),
    ChecklistLine("unambiguous", "The question can be read in one way only", "turns", "ambiguous"),
    ChecklistLine("one_task", "It asks one thing", "turns", "several_tasks"),
    ChecklistLine(
        "answerable", "It can be answered from knowledge that is generally accepted", "turns"
    ),
    ChecklistLine(
        "points", "The key points are complete, and none is needless", "key_points", "incomplete"
    ),
    ChecklistLine("difficulty", "The difficulty fits its definition", "difficulty", "difficulty"),
    ChecklistLine("place", "Capability and domain are the right ones", "capability", "misplaced"),
    ChecklistLine("timely", "It says what date it holds for, if that matters", "as_of", "outdated"),
    ChecklistLine("new", "The bank has nothing like it", "turns", "duplicate"),
    ChecklistLine("no_leak", "The question does not give its answer away", "turns", "leak"),
    ChecklistLine(
        "harmless", "No personal or secret data; the licence allows it", "answer", "sensitive"
    ),
    ChecklistLine("language", "Language and form are right", "turns", "language"),
    ChecklistLine("gradable", "The rubric can be used on it", "answer", "rubric"),
)


@dataclass(frozen=True)
class Checked(Record):
    """What an inspector says of one line."""

    line: Annotated[str, Text(MAX_KEY, empty=False)]
    outcome: Annotated[str, Choice(OUTCOMES)]
    reason: Annotated[str, Text(40)] = ""
    field: Annotated[str, Text(40)] = ""
    note: Annotated[str, Text(MAX_LINE_NOTE)] = ""


def problems(
    lines: Sequence[ChecklistLine], checked: Sequence[Checked], verdict: str, note: str = ""
) -> dict[str, list[str]]:
    """Return what keeps an inspection from being recorded, by line.

    Only what is said of the checklist's own lines counts.
    """
    said = {one.line: one for one in checked}
    found = {
        line.key: [message]
        for line in lines
        if (message := _line_problem(said.get(line.key, Checked(line.key, ""))))
    }
    failed = any(line.key in said and said[line.key].outcome == "FAIL" for line in lines)
    if message := _verdict_problem(verdict, failed=failed):
        found["verdict"] = [message]
    if len(note) > MAX_NOTE:
        found["note"] = [f"At most {MAX_NOTE} characters. Shorten the note."]
    return found


def _line_problem(one: Checked) -> str:
    if one.outcome not in OUTCOMES:
        return "Say pass, fail or not applicable."
    if len(one.note) > MAX_LINE_NOTE:
        return f"At most {MAX_LINE_NOTE} characters. Write the rest into the note at the end."
    if one.outcome != "FAIL":
        return ""
    if one.reason not in REASONS:
        return "Say why it fails."
    if one.field not in FIELDS:
        return "Say which field it is about."
    if one.reason == "other" and not one.note.strip():
        return "Something else: say in words what it is."
    return ""


def _verdict_problem(verdict: str, *, failed: bool) -> str:
    if verdict not in VERDICTS:
        return "Accept the question or return it."
    if verdict == "ACCEPT" and failed:
        return "A line failed. Return the question, or change the line."
    if verdict == "RETURN" and not failed:
        return "Nothing failed. Say which line is not met, so that the author knows what to mend."
    return ""


def suggested(given: Mapping[str, Any], stands: Mapping[str, Any]) -> dict[str, Any]:
    """Return the texts that are proposed: those of the right kind that differ from what stands."""
    found: dict[str, Any] = {}
    for name in SUGGESTED:
        text = _points(given.get(name)) if name == "key_points" else _text(given.get(name))
        if text and text != stands.get(name):
            found[name] = text
    return found


def suggestion_problems(found: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return what is wrong with proposed texts: they are too long to be kept."""
    return {
        f"suggest_{name}": [f"At most {MAX_SUGGESTED} characters. Shorten the text."]
        for name, text in found.items()
        if len("\n".join(text) if isinstance(text, list) else text) > MAX_SUGGESTED
    }


def _text(given: object) -> str:
    return str(given or "").replace("\r\n", "\n").strip()


def _points(given: object) -> list[str]:
    points = given if isinstance(given, list | tuple) else ()
    return [_text(one) for one in points if _text(one)]


def from_rows(rows: Sequence[Mapping[str, str]]) -> tuple[ChecklistLine, ...]:
    """Read the lines of a stored checklist."""
    return tuple(
        ChecklistLine(row["key"], row["text"], row.get("field", ""), row.get("reason", "other"))
        for row in rows
    )


def rows(lines: Sequence[ChecklistLine]) -> list[dict[str, str]]:
    return [
        {"key": one.key, "text": one.text, "field": one.field, "reason": one.reason}
        for one in lines
    ]


def line_problems(lines: Sequence[ChecklistLine]) -> dict[str, list[str]]:
    """Return what is wrong with the lines of a new checklist."""
    found: dict[str, list[str]] = {}
    if not lines:
        found["lines"] = ["A checklist needs at least one line."]
    if len(lines) > MAX_LINES:
        found["lines"] = [f"A checklist has at most {MAX_LINES} lines. Take some out."]
    keys = [line.key for line in lines]
    for place, line in enumerate(lines):
        for name, problem in _wrong(line, keys[:place]).items():
            found[f"lines.{place}.{name}"] = [problem]
    return found


def _wrong(line: ChecklistLine, before: Sequence[str]) -> dict[str, str]:
    found = {}
    if not line.text.strip():
        found["text"] = "Write what is checked, or take the line out."
    elif len(line.text) > MAX_LINE_TEXT:
        found["text"] = f"At most {MAX_LINE_TEXT} characters. Shorten it."
    if not line.key or len(line.key) > MAX_KEY:
        found["key"] = f"A key has 1 to {MAX_KEY} characters."
    elif line.key in before:
        found["key"] = "Two lines have the same key."
    if line.field and line.field not in FIELDS:
        found["field"] = "There is no such field of a question."
    if line.reason not in REASONS:
        found["reason"] = "There is no such reason."
    return found
