"""What planner and judge are asked, version 1, put together piece by piece.

Nothing passes through string formatting; what systems and sources wrote stands between delimiters.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from annotation.common import scales
from annotation.common.scales import Scale
from scoring.llm.base import Message
from scoring.protocols import untrusted
from scoring.protocols.reading import Wanted
from scoring.protocols.task_prompts_v1 import LANGUAGES, Words

OVERALL: Final = "overall"
#: Digits of an assistant's score in a prompt.
DIGITS: Final = 3


@dataclass(frozen=True, slots=True)
class Criterion:
    key: str
    name: str
    scale: Scale
    definition: str = ""
    steps: tuple[str, ...] = ()

    @property
    def wanted(self) -> Wanted:
        return Wanted(self.key, self.name, self.scale)


@dataclass(frozen=True, slots=True)
class Assistant:
    """An assistant evaluator; `low` and `high` are its declared range, None where it is open."""

    key: str
    name: str
    meaning: str = ""
    compares: str = ""
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Design:
    """What does not change from answer to answer: the task, its criteria and its assistants.

    `overall` is the scale of an overall score that the judge is asked for; None asks for none.
    """

    task: str
    criteria: tuple[Criterion, ...]
    assistants: tuple[Assistant, ...] = ()
    overall: Scale | None = None
    language: str = "en"

    @property
    def words(self) -> Words:
        return LANGUAGES[self.language]

    @property
    def wanted(self) -> tuple[Wanted, ...]:
        made = tuple(one.wanted for one in self.criteria)
        if self.overall is None:
            return made
        return (*made, Wanted(OVERALL, self.words.overall_name, self.overall))


@dataclass(frozen=True, slots=True)
class Example:
    """One answer: the named fields of its item, what the system said, and the assistants' scores by key."""

    fields: tuple[tuple[str, str], ...]
    answer: tuple[Message, ...]
    scores: Mapping[str, float | None] = field(default_factory=dict)


def planning(design: Design) -> tuple[Message, ...]:
    """Return what the planner is asked."""
    words = design.words
    keys = ", ".join(f'"{one.key}": ["…"]' for one in design.criteria)
    parts = [
        *_design(design, assistants=True),
        words.plan_now,
        words.plan_form + "\n" + '{"alignment": {' + keys + "}}",
    ]
    return Message("system", words.planner), Message("user", "\n\n".join(parts))


def judging(
    design: Design,
    example: Example,
    *,
    plan: str,
    assistants: bool,
    code: str,
    turned: bool = False,
) -> tuple[Message, ...]:
    """Return what the judge is asked about one answer.

    Args:
        plan: goes before the example; empty for none.
        assistants: whether it is told of them and their scores.
        code: of the delimiters.
        turned: whether the answer comes first, and the fields after it in the opposite order.
    """
    words = design.words
    keys = [one.key for one in design.wanted]
    parts = [*_design(design, assistants=assistants)]
    if plan.strip():
        parts.append(words.plan + "\n" + plan.strip())
    parts.append(words.example)
    material = []
    for number, (name, text) in enumerate(example.fields, start=1):
        fenced = untrusted.fenced(text, name=f"FIELD {number}", code=code, keys=keys).text
        material.append(f"## {name}\n{fenced}")
    material.append(words.response + "\n" + _answer(example, words, code, keys))
    parts += material[::-1] if turned else material
    if assistants and design.assistants:
        parts.append(words.scores + "\n" + _scores(design, example))
    parts.append(words.form + "\n" + _form(design))
    return (
        Message("system", words.judge + "\n\n" + words.material),
        Message("user", "\n\n".join(parts)),
    )


def schema(design: Design) -> Mapping[str, Any]:
    """Return the JSON schema of an evaluation: for each criterion a score and why, then overall."""
    return _object(
        {
            one.key: _object({"score": _score(one.scale), "explanation": {"type": "string"}})
            for one in design.wanted
        }
    )


def written(value: float | None, words: Words) -> str:
    """Return an assistant's score as a prompt has it."""
    return words.not_available if value is None else f"{value:.{DIGITS}f}"


def _design(design: Design, *, assistants: bool) -> list[str]:
    words = design.words
    parts = [words.task + "\n" + design.task.strip(), words.criteria]
    parts += [_criterion(one, words) for one in design.criteria]
    if assistants and design.assistants:
        parts.append(words.assistants)
        parts += [_assistant(one, words) for one in design.assistants]
    return parts


def _criterion(one: Criterion, words: Words) -> str:
    lines = [f"## {one.key}: {one.name}", _range(words, one.scale)]
    if one.definition.strip():
        lines.append(one.definition.strip())
    if one.steps:
        lines.append(words.criterion_steps)
        lines += [f"{number}. {step}" for number, step in enumerate(one.steps, start=1)]
    return "\n".join(lines)


def _range(words: Words, scale: Scale) -> str:
    return f"{words.from_to} {scales.text(scale.minimum)} – {scales.text(scale.maximum)}"


def _assistant(one: Assistant, words: Words) -> str:
    lines = [f"## {one.key}: {one.name}"]
    if one.low is not None and one.high is not None:
        lines.append(f"{words.from_to} {one.low:g} – {one.high:g}")
    lines += [f"{words.meaning} {one.meaning}"] if one.meaning else []
    lines += [f"{words.given} {one.compares}"] if one.compares else []
    return "\n".join(lines)


def _scores(design: Design, example: Example) -> str:
    return "\n".join(
        f"{one.key}: {written(example.scores.get(one.key), design.words)}"
        for one in design.assistants
    )


def _answer(example: Example, words: Words, code: str, keys: Sequence[str]) -> str:
    if len(example.answer) == 1:
        said = example.answer[0].content or words.no_reply
        return untrusted.fenced(said, name="ANSWER", code=code, keys=keys).text
    return "\n".join(
        untrusted.fenced(
            one.content or words.no_reply,
            name=f"ANSWER {one.role.upper()} {number}",
            code=code,
            keys=keys,
        ).text
        for number, one in enumerate(example.answer, start=1)
    )


def _form(design: Design) -> str:
    words = design.words
    rows = [
        f'  "{one.key}": {{"score": <{words.form_score}, {scales.text(one.scale.minimum)} – '
        f'{scales.text(one.scale.maximum)}>, "explanation": "<'
        + (words.form_overall if one.key == OVERALL else words.form_explanation)
        + '>"}'
        for one in design.wanted
    ]
    return "{\n" + ",\n".join(rows) + "\n}"


def _score(scale: Scale) -> dict[str, Any]:
    whole = scale.step is not None and scale.step == scale.step.to_integral_value()
    return {
        "type": "integer" if whole else "number",
        "minimum": float(scale.minimum),
        "maximum": float(scale.maximum),
    }


def _object(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }
