"""A suite that was put together by a form, as the YAML that a person would have written.

* One example of each function metric with its value: shown to whoever chooses, and a test.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import yaml

from scoring.kinds.suites.protocol.catalogue import Level, MetricExample
from scoring.kinds.suites.protocol.definition import (
    FUNCTION,
    RUBRIC,
    Entry,
    Rubric,
    SuiteGate,
    SuiteText,
)

#: Levels at which a part is of one role.
OF_ROLES: Final = frozenset({Level.TURN, Level.MESSAGE})
ASSISTANT: Final[Mapping[str, Any]] = {
    "name": "is_role",
    "kwargs": {"role": "assistant"},
    "metric_min_value": 1,
}


@dataclass(frozen=True, slots=True)
class SuiteDraft:
    """What a form can say: functions, rubrics, who judges, and gates.

    `arguments` are those of each function by its name, the same at all levels. With `answers_only`
    whatever speaks of turns or messages looks at those of the assistant alone.
    """

    name: str
    functions: Sequence[tuple[str, Level]] = ()
    arguments: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    gates: Sequence[SuiteGate] = ()
    notes: str = ""
    rubrics: Mapping[str, Rubric] = field(default_factory=dict)
    #: What each rubric judges, by its name; a turn unless it is said.
    levels: Mapping[str, Level] = field(default_factory=dict)
    graders: Sequence[str] = ()
    answers_only: bool = False
    #: Which systems complete the starts first: endpoints, or systems with their releases.
    completions: Sequence[tuple[str, str, str]] = ()
    samples: int = 1
    turns: int = 1


def write(draft: SuiteDraft) -> str:
    """Return the YAML of a draft."""
    functions = [_entry(name, level, draft) for name, level in draft.functions]
    rubrics = [_entry(name, draft.levels.get(name, Level.TURN), draft) for name in draft.rubrics]
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


def draft_of(suite: SuiteText) -> SuiteDraft:
    """Return the draft that comes nearest to a suite; what it cannot say is left out.

    A suite is the draft's whole if what `write` makes of it reads as the same suite.
    """
    answers_only = any(one.depends_on for one in suite.entries)
    functions = [
        one
        for one in suite.entries
        if one.kind == FUNCTION and not (answers_only and _is_condition(one))
    ]
    judged = [one for one in suite.entries if one.kind == RUBRIC]
    return SuiteDraft(
        name=suite.name,
        functions=[(one.name, one.level) for one in functions],
        arguments={one.name: dict(one.kwargs) for one in functions if one.kwargs},
        gates=[one for one in suite.gates if not (one.value or one.level or one.drop)],
        notes=suite.notes,
        rubrics={one.name: suite.rubrics[one.name] for one in judged},
        levels={one.name: one.level for one in judged},
        graders=suite.graders,
        answers_only=answers_only,
        completions=[(one.endpoint, one.system, one.release) for one in suite.completions],
        samples=max((one.n for one in suite.completions), default=1),
        turns=max((one.turns for one in suite.completions), default=1),
    )


def plain(suite: SuiteText) -> dict[str, Any]:
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


def _gate(one: SuiteGate) -> dict[str, Any]:
    bounds = {"min": one.minimum, "max": one.maximum, "confidence": one.confidence}
    made: dict[str, Any] = {"metric": one.metric, "statistic": one.statistic}
    if one.role:
        made["role"] = one.role
    return made | {name: bound for name, bound in bounds.items() if bound is not None}


def _completion(one: tuple[str, str, str], draft: SuiteDraft) -> dict[str, Any]:
    endpoint, system, release = one
    made: dict[str, Any] = {"endpoint": endpoint, "system": system, "release": release}
    made = {name: said for name, said in made.items() if said}
    if draft.samples > 1:
        made["n"] = draft.samples
    if draft.turns > 1:
        made |= {"turns": draft.turns, "start": "first"}
    return made


def _entry(name: str, level: Level, draft: SuiteDraft) -> dict[str, Any]:
    made: dict[str, Any] = {"name": name, "metric_level": level.value}
    if given := draft.arguments.get(name):
        made["kwargs"] = dict(given)
    if draft.answers_only and level in OF_ROLES:
        # At the level's own: a copy for each, since YAML would refer from one to the other.
        made["depends_on"] = [{**ASSISTANT, "kwargs": dict(ASSISTANT["kwargs"])}]
    return made


TALK: Final[Mapping[str, Any]] = {
    "id": "talk",
    "messages": [
        {"role": "system", "content": "You help drivers."},
        {"role": "user", "content": "Where is my truck? 🚚"},
        {
            "role": "assistant",
            "content": "I look it up.",
            "tool_calls": [
                {"function": {"name": "locate", "arguments": '{"truck": 7, "unit": "km"}'}}
            ],
            "model": "small",
            "latency": 1.5,
            "usage": {"prompt_tokens": 20, "completion_tokens": 5},
        },
        {"role": "tool", "content": "gate 12", "type": "tool", "error": "slow"},
        {"role": "assistant", "content": "As an AI model I say: it is at gate 12."},
        {"role": "user", "content": "Thanks. Call +44 20 7946 0018."},
    ],
}
ANSWER: Final = 1  # the turn of the assistant and its tool


def _of(
    level: Level, place: int, value: Mapping[str, float | None], **kwargs: Any
) -> MetricExample:
    return MetricExample(TALK, level, value, kwargs, place)


EXAMPLES: Final[Mapping[str, MetricExample]] = {
    "identity": _of(Level.MESSAGE, 2, {"gate 12": 1}),
    "constant": _of(Level.TURN, 0, {"constant": 3}, response=3),
    "string_length": _of(Level.TURN, 0, {"string_length": 20}),
    "flesch_reading_ease": _of(Level.MESSAGE, 1, {"flesch_reading_ease": 118.175}),
    "flesch_kincaid_grade": _of(Level.MESSAGE, 1, {"flesch_kincaid_grade": -2.23}),
    "count_emojis": _of(Level.CONVERSATION, 0, {"count_emojis": 1}),
    "message_matches_regex": _of(Level.MESSAGE, 0, {r"\?": 1}, expression=r"\?"),
    "count_of_parts_matching_regex": _of(Level.TURN, ANSWER, {r"\d+": 2}, expression=r"\d+"),
    "is_role": _of(Level.TURN, ANSWER, {"assistant": 1}, role="assistant"),
    "index_in_thread": _of(Level.MESSAGE, 3, {"index_in_thread": 3}),
    "is_last_turn_in_thread": _of(Level.TURN, 2, {"is_last_turn_in_thread": 1}),
    "count_messages": _of(Level.TURN, ANSWER, {"count_messages": 3}),
    "count_turns": _of(Level.CONVERSATION, 0, {"count_turns": 3}),
    "count_messages_per_role": _of(Level.CONVERSATION, 0, {"user": 2, "assistant": 2, "tool": 1}),
    "tool_was_called": _of(Level.TURN, ANSWER, {"tool_was_called": 1}, name="locate"),
    "count_tool_calls": _of(Level.CONVERSATION, 0, {"count_tool_calls": 1}),
    "count_tool_calls_by_name": _of(Level.CONVERSATION, 0, {"locate": 1}),
    "count_numeric_tool_call_params_by_name": _of(Level.TOOL_CALL, 0, {"truck": 1}),
    "value_counts_by_tool_name": _of(Level.CONVERSATION, 0, {"locate km": 1}, json_key="unit"),
    "count_llm_models": _of(Level.CONVERSATION, 0, {"small": 1}),
    "count_tokens": _of(Level.TURN, ANSWER, {"prompt_tokens": 20, "completion_tokens": 5}),
    "count_errors": _of(Level.CONVERSATION, 0, {"count_errors": 1}),
    "latency": _of(Level.TURN, ANSWER, {"latency": 1.5}),
    "is_langgraph_type": _of(Level.MESSAGE, 2, {"tool": 1}, type="tool"),
    "is_refusal": _of(Level.MESSAGE, 3, {"is_refusal": 0}),
    "names_itself": _of(Level.MESSAGE, 3, {"names_itself": 1}),
    "count_toxic_words": MetricExample(
        {"messages": [{"role": "user", "content": "You stupid idiots, watch your back."}]},
        Level.MESSAGE,
        {"profanity": 0, "insult": 2, "threat": 1, "slur": 0},
        {},
    ),
    "lexical_overlap": MetricExample(
        {
            "messages": [
                {"role": "user", "content": "Is the truck at gate 12?"},
                {"role": "assistant", "content": "The truck is at gate 9."},
            ]
        },
        Level.MESSAGE,
        {"precision": 5 / 6, "recall": 5 / 6, "f1": 5 / 6},
        {},
        place=1,
    ),
    "language": MetricExample(
        {"messages": [{"role": "user", "content": "Wo steht mein Lastwagen?"}]},
        Level.MESSAGE,
        {"de": 1},
        {},
    ),
    "moderation": MetricExample(
        {"messages": [{"role": "user", "content": "Only an idiot would hit the crane."}]},
        Level.MESSAGE,
        {"flagged": 1, "harassment": 0.977, "violence": 0.975},
        {},
    ),
    "is_in_language": MetricExample(
        {"messages": [{"role": "user", "content": "Where is my truck?"}]},
        Level.MESSAGE,
        {"is_in_language": 1},
        {"code": "en"},
    ),
    "count_private_data": _of(
        Level.MESSAGE, 4, {"email": 0, "phone": 1, "card": 0, "ip_address": 0, "iban": 0}
    ),
}
