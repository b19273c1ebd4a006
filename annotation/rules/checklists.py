"""The checklist of an inspection: its lines, the reasons for a return, what an inspection lacks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

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


@dataclass(frozen=True, slots=True)
class Line:
    key: str
    text: str
    field: str = ""
    reason: str = "other"  # the usual one when the line fails


DEFAULT = (
    Line("traceable", "A source is named and bears the answer out", "sources", "untraceable"),
    Line("correct", "The standard answer is correct as of its date", "answer", "wrong"),
    Line("unambiguous", "The question can be read in one way only", "turns", "ambiguous"),
    Line("one_task", "It asks one thing", "turns", "several_tasks"),
    Line("answerable", "It can be answered from knowledge that is generally accepted", "turns"),
    Line("points", "The key points are complete, and none is needless", "key_points", "incomplete"),
    Line("difficulty", "The difficulty fits its definition", "difficulty", "difficulty"),
    Line("place", "Capability and domain are the right ones", "capability", "misplaced"),
    Line("timely", "It says what date it holds for, if that matters", "as_of", "outdated"),
    Line("new", "The bank has nothing like it", "turns", "duplicate"),
    Line("no_leak", "The question does not give its answer away", "turns", "leak"),
    Line("harmless", "No personal or secret data; the licence allows it", "answer", "sensitive"),
    Line("language", "Language and form are right", "turns", "language"),
    Line("gradable", "The rubric can be used on it", "answer", "rubric"),
)


@dataclass(frozen=True, slots=True)
class Checked:
    """What an inspector says of one line."""

    line: str
    outcome: str  # PASS, FAIL or NOT_APPLICABLE
    reason: str = ""
    field: str = ""
    note: str = ""


def problems(
    lines: Sequence[Line], checked: Sequence[Checked], verdict: str
) -> dict[str, list[str]]:
    """Return what keeps an inspection from being recorded, by line."""
    found: dict[str, list[str]] = {}
    said = {one.line: one for one in checked}
    for line in lines:
        one = said.get(line.key)
        if one is None or not one.outcome:
            found[line.key] = ["Say pass, fail or not applicable."]
        elif one.outcome == "FAIL" and one.reason not in REASONS:
            found[line.key] = ["Say why it fails."]
        elif one.outcome == "FAIL" and one.field not in FIELDS:
            found[line.key] = ["Say which field it is about."]
    failed = [one for one in checked if one.outcome == "FAIL"]
    if verdict == "ACCEPT" and failed:
        found.setdefault("verdict", []).append(
            "A line failed. Return the question, or change the line."
        )
    if verdict == "RETURN" and not failed:
        found.setdefault("verdict", []).append(
            "Nothing failed. Say which line is not met, so that the author knows what to mend."
        )
    return found


def from_rows(rows: Sequence[Mapping[str, str]]) -> tuple[Line, ...]:
    """Read the lines of a stored checklist."""
    return tuple(
        Line(row["key"], row["text"], row.get("field", ""), row.get("reason", "other"))
        for row in rows
    )


def rows(lines: Sequence[Line]) -> list[dict[str, str]]:
    return [
        {"key": one.key, "text": one.text, "field": one.field, "reason": one.reason}
        for one in lines
    ]


def line_problems(lines: Sequence[Line]) -> dict[str, list[str]]:
    """Return what is wrong with the lines of a new checklist."""
    found: dict[str, list[str]] = {}
    if not lines:
        found["lines"] = ["A checklist needs at least one line."]
    seen: set[str] = set()
    for place, line in enumerate(lines):
        if not line.text.strip():
            found[f"lines.{place}.text"] = ["Write what is checked, or take the line out."]
        if line.key in seen:
            found[f"lines.{place}.key"] = ["Two lines have the same key."]
        if line.field and line.field not in FIELDS:
            found[f"lines.{place}.field"] = ["There is no such field of a question."]
        if line.reason not in REASONS:
            found[f"lines.{place}.reason"] = ["There is no such reason."]
        seen.add(line.key)
    return found
