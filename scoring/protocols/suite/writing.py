"""A suite that was put together by a form, as the YAML that a person would have written."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import yaml

from scoring.protocols.suite.catalogue import Level
from scoring.protocols.suite.definition import FUNCTION, RUBRIC, Entry, Gate, Rubric, Suite

#: Levels at which a part is of one role.
OF_ROLES: Final = frozenset({Level.TURN, Level.MESSAGE})
ASSISTANT: Final[Mapping[str, Any]] = {
    "name": "is_role",
    "kwargs": {"role": "assistant"},
    "metric_min_value": 1,
}


@dataclass(frozen=True, slots=True)
class Draft:
    """What a form can say: functions, rubrics of turns, who judges, and gates.

    `arguments` are those of each function by its name, the same at all levels. With `answers_only`
    whatever speaks of turns or messages looks at those of the assistant alone.
    """

    name: str
    functions: Sequence[tuple[str, Level]] = ()
    arguments: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    gates: Sequence[Gate] = ()
    notes: str = ""
    rubrics: Mapping[str, Rubric] = field(default_factory=dict)
    graders: Sequence[str] = ()
    answers_only: bool = False
    #: Which systems complete the starts first: endpoints, or systems with their releases.
    completions: Sequence[tuple[str, str, str]] = ()
    samples: int = 1
    turns: int = 1


def write(draft: Draft) -> str:
    """Return the YAML of a draft."""
    functions = [_entry(name, level, draft) for name, level in draft.functions]
    rubrics = [_entry(name, Level.TURN, draft) for name in draft.rubrics]
    metrics = {"function": functions, "rubric": rubrics}
    whole: dict[str, Any] = {"name": draft.name}
    if draft.notes:
        whole["notes"] = draft.notes
    if draft.completions:
        whole["completion"] = [_completion(one, draft) for one in draft.completions]
    if draft.rubrics:
        whole["grader"] = [{"endpoint": one} for one in draft.graders]
        whole["rubrics"] = {
            name: {"prompt": one.prompt, "choice_scores": dict(one.choices)}
            for name, one in draft.rubrics.items()
        }
    whole["metrics"] = {kind: some for kind, some in metrics.items() if some}
    if draft.gates:
        whole["gates"] = [_gate(one) for one in draft.gates]
    return yaml.safe_dump(whole, sort_keys=False, allow_unicode=True, width=100)


def draft_of(suite: Suite) -> Draft:
    """Return the draft that comes nearest to a suite; what it cannot say is left out.

    A suite is the draft's whole if what `write` makes of it reads as the same suite.
    """
    answers_only = any(one.depends_on for one in suite.entries)
    functions = [
        one
        for one in suite.entries
        if one.kind == FUNCTION and not (answers_only and _is_condition(one))
    ]
    return Draft(
        name=suite.name,
        functions=[(one.name, one.level) for one in functions],
        arguments={one.name: dict(one.kwargs) for one in functions if one.kwargs},
        gates=[one for one in suite.gates if not (one.value or one.level or one.drop)],
        notes=suite.notes,
        rubrics={one.name: suite.rubrics[one.name] for one in suite.entries if one.kind == RUBRIC},
        graders=suite.graders,
        answers_only=answers_only,
        completions=[(one.endpoint, one.system, one.release) for one in suite.completions],
        samples=max((one.n for one in suite.completions), default=1),
        turns=max((one.turns for one in suite.completions), default=1),
    )


def plain(suite: Suite) -> dict[str, Any]:
    """Return all that a suite says, without the lines it says it in: two that are alike are equal."""
    whole = suite.as_dict()
    for one in (*whole["entries"], *whole["gates"], *whole["completions"]):
        one["line"] = 0
        for each in one.get("depends_on", ()):
            each["line"] = 0
    return whole


def _is_condition(one: Entry) -> bool:
    """Return whether a function is there for others to wait for: whose turn it is."""
    return one.name == str(ASSISTANT["name"]) and dict(one.kwargs) == dict(ASSISTANT["kwargs"])


def _gate(one: Gate) -> dict[str, Any]:
    bounds = {"min": one.minimum, "max": one.maximum, "confidence": one.confidence}
    made: dict[str, Any] = {"metric": one.metric, "statistic": one.statistic}
    if one.role:
        made["role"] = one.role
    return made | {name: bound for name, bound in bounds.items() if bound is not None}


def _completion(one: tuple[str, str, str], draft: Draft) -> dict[str, Any]:
    endpoint, system, release = one
    made: dict[str, Any] = {"endpoint": endpoint, "system": system, "release": release}
    made = {name: said for name, said in made.items() if said}
    if draft.samples > 1:
        made["n"] = draft.samples
    if draft.turns > 1:
        made |= {"turns": draft.turns, "start": "first"}
    return made


def _entry(name: str, level: Level, draft: Draft) -> dict[str, Any]:
    made: dict[str, Any] = {"name": name, "metric_level": level.value}
    if given := draft.arguments.get(name):
        made["kwargs"] = dict(given)
    if draft.answers_only and level in OF_ROLES:
        # At the level's own: a copy for each, since YAML would refer from one to the other.
        made["depends_on"] = [{**ASSISTANT, "kwargs": dict(ASSISTANT["kwargs"])}]
    return made
