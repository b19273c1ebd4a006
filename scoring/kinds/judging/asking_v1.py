"""What the direct judge, version 1, is asked: the prompt of a task, put together piece by piece.

Nothing of the material passes through string formatting, and all of it stands between delimiters.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from annotation.common import scales
from annotation.common.scales import Scale
from scoring.kinds.judging.prompts_v1 import LANGUAGES, Words
from scoring.llm.base import Message
from scoring.protocols import untrusted
from scoring.protocols.reading import Wanted

#: A scale with more levels is described by its ends.
MOST_LEVELS: Final = 21


@dataclass(frozen=True, slots=True)
class Level:
    value: Decimal
    label: str
    description: str = ""


@dataclass(frozen=True, slots=True)
class Criterion:
    """A criterion as people read it."""

    key: str
    name: str
    scale: Scale
    description: str = ""
    levels: tuple[Level, ...] = ()

    @property
    def wanted(self) -> Wanted:
        labels = {level.label: level.value for level in self.levels if level.label}
        return Wanted(self.key, self.name, self.scale, labels)

    @property
    def allowed(self) -> tuple[Decimal, ...]:
        """The values, if they are few enough to be listed."""
        found = self.scale.levels()
        return found if len(found) <= MOST_LEVELS else ()


@dataclass(frozen=True, slots=True)
class Task:
    """One answer and what it is graded by. Nothing in it says whose answer it is.

    `answer` is what people were shown; `stored` the text as the system wrote it, looked at for
    flags only.
    """

    question: tuple[Message, ...]
    answer: tuple[Message, ...]
    criteria: tuple[Criterion, ...]
    reference: str = ""
    key_points: tuple[str, ...] = ()
    principle: str = ""
    language: str = "en"
    stored: str = ""
    #: Show criteria and material in the opposite order, to see what the order does to scores.
    turned: bool = False

    @property
    def answer_texts(self) -> tuple[str, ...]:
        """What the graded system says; a simulated user's turns are not its own."""
        own = [one.content for one in self.answer if one.role not in {"user", "system"}]
        return tuple(own or [one.content for one in self.answer])


def messages(task: Task, code: str) -> tuple[Message, ...]:
    """Return the prompt of a task; `code` is that of its delimiters."""
    words = LANGUAGES[task.language]
    criteria = [
        words.criteria,
        *[_criterion(one, words) for one in _ordered(task)],
        *([words.principle, task.principle] if task.principle.strip() else []),
    ]
    reference, answer = _reference(task, words, code), _answer(task, words, code)
    middle = [answer, criteria, reference[::-1]] if task.turned else [reference, criteria, answer]
    parts = [
        *_question(task, words, code),
        *[part for each in middle for part in each],
        words.form + "\n" + _form(task, words),
    ]
    return Message("system", words.system), Message("user", "\n\n".join(parts))


def repair(task: Task, problems: Sequence[str]) -> str:
    """Return what is said when a reply gave no reading. The judge's own words may be quoted in it."""
    words = LANGUAGES[task.language]
    said = [untrusted.neutral(one).text for one in dict.fromkeys(problems) if one]
    lines = [words.repair, *["- " + one for one in said], words.repair_form, _form(task, words)]
    return "\n".join(lines)


def schema(task: Task) -> Mapping[str, Any]:
    """Return the JSON schema of the reply: for each criterion reasons, then a score."""
    return _object(
        {
            one.key: _object({"reasoning": {"type": "string"}, "score": _score(one)})
            for one in _ordered(task)
        }
    )


def _ordered(task: Task) -> tuple[Criterion, ...]:
    return task.criteria[::-1] if task.turned else task.criteria


def _object(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def _score(criterion: Criterion) -> dict[str, Any]:
    allowed = [_number(one) for one in criterion.allowed]
    if allowed:
        whole = all(isinstance(one, int) for one in allowed)
        return {"type": "integer" if whole else "number", "enum": allowed}
    scale = criterion.scale
    return {"type": "number", "minimum": _number(scale.minimum), "maximum": _number(scale.maximum)}


def _number(value: Decimal) -> int | float:
    return int(value) if value == value.to_integral_value() else float(value)


def _question(task: Task, words: Words, code: str) -> list[str]:
    keys = [one.key for one in task.criteria]
    if len(task.question) == 1:
        text = untrusted.fenced(task.question[0].content, name="QUESTION", code=code, keys=keys)
        return [words.question, text.text]
    return [words.question, words.turns, *_turns(task.question, words, code, keys)]


def _reference(task: Task, words: Words, code: str) -> list[str]:
    made: list[str] = []
    if task.reference.strip():
        text = untrusted.fenced(task.reference, name="REFERENCE", code=code).text
        made.append(words.reference + "\n" + text)
    if task.key_points:
        points = "\n".join("- " + one for one in task.key_points)
        made.append(
            words.key_points + "\n" + untrusted.fenced(points, name="POINTS", code=code).text
        )
    return made


def _answer(task: Task, words: Words, code: str) -> list[str]:
    keys = [one.key for one in task.criteria]
    if len(task.answer) == 1:
        text = untrusted.fenced(task.answer[0].content, name="ANSWER", code=code, keys=keys).text
        return [words.answer, text]
    return [words.answer, words.answer_turns, *_turns(task.answer, words, code, keys, "ANSWER ")]


def _turns(
    said: Sequence[Message], words: Words, code: str, keys: Sequence[str], before: str = ""
) -> list[str]:
    made = []
    for number, one in enumerate(said, start=1):
        name = before + words.turn_names.get(one.role, "ASSISTANT") + " " + str(number)
        made.append(untrusted.fenced(one.content, name=name, code=code, keys=keys).text)
    return made


def _criterion(one: Criterion, words: Words) -> str:
    lines = ["## " + one.key + ": " + one.name]
    if one.description.strip():
        lines.append(one.description.strip())
    if one.allowed:
        lines.append(words.values)
        lines += [_level(value, one) for value in one.allowed]
    else:
        low, high = scales.text(one.scale.minimum), scales.text(one.scale.maximum)
        lines.append(words.range + " " + low + " – " + high)
        lines += [_level(level.value, one) for level in one.levels]
    return "\n".join(lines)


def _level(value: Decimal, criterion: Criterion) -> str:
    found = next((level for level in criterion.levels if level.value == value), None)
    line = "- " + scales.text(value)
    if found is not None and found.label.strip():
        line += " " + found.label.strip()
    if found is not None and found.description.strip():
        line += ": " + found.description.strip()
    return line


def _form(task: Task, words: Words) -> str:
    """Return the object that is asked for, as a pattern to follow."""
    rows = [
        '  "'
        + one.key
        + '": {"reasoning": "<'
        + words.form_reasoning
        + '>", "score": <'
        + _choices(one, words)
        + ">}"
        for one in _ordered(task)
    ]
    return "{\n" + ",\n".join(rows) + "\n}"


def _choices(one: Criterion, words: Words) -> str:
    if one.allowed:
        return (
            words.form_score + " " + words.comma.join(scales.text(value) for value in one.allowed)
        )
    return scales.text(one.scale.minimum) + " – " + scales.text(one.scale.maximum)
