"""A suite that was put together by a form, as the YAML that a person would have written."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import yaml

from scoring.protocols.suite.catalogue import Level, Metric
from scoring.protocols.suite.definition import Rubric, Suite

#: Levels at which a part is of one role.
OF_ROLES: Final = frozenset({Level.TURN, Level.MESSAGE})
ASSISTANT: Final[Mapping[str, Any]] = {
    "name": "is_role",
    "kwargs": {"role": "assistant"},
    "metric_min_value": 1,
}


@dataclass(frozen=True, slots=True)
class Draft:
    """What a form can say: functions without arguments, rubrics of turns, and who judges.

    With `answers_only` whatever speaks of turns or messages looks at those of the assistant alone.
    """

    name: str
    functions: Sequence[tuple[str, Level]] = ()
    rubrics: Mapping[str, Rubric] = field(default_factory=dict)
    graders: Sequence[str] = ()
    answers_only: bool = False
    #: Which systems complete the starts first: endpoints, or systems with their releases.
    completions: Sequence[tuple[str, str, str]] = ()
    samples: int = 1
    turns: int = 1


def choosable(metrics: Mapping[str, Metric]) -> list[tuple[str, Level]]:
    """Return the functions that need no arguments, at every level they work at."""
    return [
        (name, level)
        for name, one in sorted(metrics.items())
        if all(each.default is not each.empty for each in one.parameters.values())
        for level in Level
        if level in one.levels
    ]


def write(draft: Draft) -> str:
    """Return the YAML of a draft."""
    functions = [_entry(name, level, draft) for name, level in draft.functions]
    rubrics = [_entry(name, Level.TURN, draft) for name in draft.rubrics]
    metrics = {"function": functions, "rubric": rubrics}
    whole: dict[str, Any] = {"name": draft.name}
    if draft.completions:
        whole["completion"] = [_completion(one, draft) for one in draft.completions]
    if draft.rubrics:
        whole["grader"] = [{"endpoint": one} for one in draft.graders]
        whole["rubrics"] = {
            name: {"prompt": one.prompt, "choice_scores": dict(one.choices)}
            for name, one in draft.rubrics.items()
        }
    whole["metrics"] = {kind: some for kind, some in metrics.items() if some}
    return yaml.safe_dump(whole, sort_keys=False, allow_unicode=True, width=100)


def draft_of(suite: Suite) -> Draft:
    """Return the draft that comes nearest to a suite; what it cannot say is left out.

    A suite is the draft's whole if what `write` makes of it reads as the same suite.
    """
    named = [one for one in suite.entries if not one.kwargs]
    return Draft(
        name=suite.name,
        functions=[(one.name, one.level) for one in named if one.kind == "function"],
        rubrics={
            one.name: suite.rubrics[one.name] for one in suite.entries if one.kind == "rubric"
        },
        graders=suite.graders,
        answers_only=any(one.depends_on for one in suite.entries),
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
    if draft.answers_only and level in OF_ROLES:
        # At the level's own: a copy for each, since YAML would refer from one to the other.
        made["depends_on"] = [{**ASSISTANT, "kwargs": dict(ASSISTANT["kwargs"])}]
    return made
