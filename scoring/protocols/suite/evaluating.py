"""Compute a suite's function metrics of a conversation, and say where a dependency leaves one out.

What comes out depends on nothing but the conversation and the suite: not on the order in which the
metrics stand, nor on who computes beside.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from scoring.protocols.suite import catalogue, linking
from scoring.protocols.suite.catalogue import BadArguments, Level, Metric, NoSuchMetric
from scoring.protocols.suite.conversations import (
    Conversation,
    Part,
    ToolCall,
    Turn,
)
from scoring.protocols.suite.definition import FUNCTION, MODERATION, Dependency, Entry
from scoring.protocols.suite.functions import BadArgument

SCORED: Final = "SCORED"
UNSCORED: Final = "UNSCORED"
SKIPPED: Final = "SKIPPED"
NOTHING: Final = "There is nothing to measure."
MOST_REASON: Final = 300
#: Named values of one metric on one part of a conversation.
MOST_VALUES: Final = 100


@dataclass(frozen=True, slots=True)
class Finding:
    """What a metric says of a part of a conversation; without a value it says why.

    `entry` is the metric's place in the suite, `place` the part's number at its level, `name` that of
    the value.
    """

    entry: int
    place: int
    name: str
    value: float | None = None
    outcome: str = SCORED
    reason: str = ""
    text: str = ""


#: The named values of a metric on a part; None where it has none, for the reason beside it.
Values = Mapping[str, float | None]
Known = dict[tuple[int, int], tuple[Values, str]]


def functions(
    conversation: Conversation,
    entries: Sequence[Entry],
    metrics: Mapping[str, Metric],
    *,
    wanted: Collection[int] | None = None,
) -> tuple[list[Finding], Known]:
    """Return what the function metrics say of a conversation, in the order of the suite.

    Args:
        conversation: that is measured.
        entries: the suite's metrics, linked.
        metrics: the function metrics there are.
        wanted: the places of the metrics to compute; all functions unless given.
    """
    known: Known = {}
    found: dict[int, list[Finding]] = {}
    chosen = set(range(len(entries)) if wanted is None else wanted)
    for at in linking.order(entries):
        entry = entries[at]
        if entry.kind != FUNCTION or at not in chosen or entry.name == MODERATION:
            continue
        found[at] = []
        for place, part in enumerate(catalogue.measured(conversation, entry.level)):
            why = left_out(conversation, part, entry, entries, known)
            if why:
                known[at, place] = ({}, why)
                made = [Finding(at, place, entry.name, None, SKIPPED, why)]
            else:
                made = _measured(at, place, part, entry, metrics, conversation)
                known[at, place] = (
                    {one.name: one.value for one in made if one.outcome == SCORED},
                    next((one.reason for one in made if one.reason), ""),
                )
            # What was recorded before a system completed it is known for others to wait for, and no finding.
            found[at] += made if conversation.has(part) else ()
    return [one for at in sorted(found) for one in found[at]], known


def left_out(
    conversation: Conversation, part: Part, entry: Entry, entries: Sequence[Entry], known: Known
) -> str:
    """Return why a metric is left out of a part; nothing where all it depends on is as wanted."""
    for wanted in entry.depends_on:
        if wanted.target is None:
            continue
        why = _unmet(conversation, part, wanted, entries[wanted.target], known)
        if why:
            return why[:MOST_REASON]
    return ""


def left_out_by_functions(
    conversation: Conversation, entry: Entry, entries: Sequence[Entry], known: Known
) -> set[int]:
    """Return the places of the parts that a metric is left out of, by functions it depends on."""
    is_function = [one.kind == FUNCTION for one in entries]
    mine = (one for one in entry.depends_on if one.target is not None and is_function[one.target])
    looked = replace(entry, depends_on=tuple(mine))
    return {
        place
        for place, part in enumerate(catalogue.parts(conversation, entry.level))
        if left_out(conversation, part, looked, entries, known)
    }


def needed(entries: Sequence[Entry], of: Collection[int]) -> set[int]:
    """Return the places of all that some metrics depend on, directly or through others."""
    found: set[int] = set()
    waiting = list(of)
    while waiting:
        for one in entries[waiting.pop()].depends_on:
            if one.target is not None and one.target not in found:
                found.add(one.target)
                waiting.append(one.target)
    return found


def place_of(conversation: Conversation, part: Part, level: Level) -> int:
    """Return the number of the part of this level that a part is, or lies in."""
    if level == Level.CONVERSATION or isinstance(part, Conversation):
        return 0
    if isinstance(part, Turn):
        return part.index
    message = conversation.messages[part.message] if isinstance(part, ToolCall) else part
    if level == Level.TURN:
        return message.turn
    return message.index if level == Level.MESSAGE else part.index


def _unmet(
    conversation: Conversation, part: Part, wanted: Dependency, other: Entry, known: Known
) -> str:
    where = place_of(conversation, part, other.level) + wanted.relative
    if where < 0:
        return f"There is no {other.level} before this one to look at “{other.key}” in."
    values, why = known.get((wanted.target or 0, where), ({}, "it was not computed"))
    if not values:
        return f"“{other.key}” has no value: {why or 'it found nothing'}"
    if len(values) > 1 and not wanted.metric_name:
        return f"“{other.key}” gives several values. Say which by “metric_name”."
    value = values.get(wanted.metric_name) if wanted.metric_name else next(iter(values.values()))
    if value is None:
        return f"“{other.key}” has no value “{wanted.metric_name or other.name}” here."
    return _beyond(value, wanted, other)


def _beyond(value: float, wanted: Dependency, other: Entry) -> str:
    if wanted.minimum is not None and value < wanted.minimum:
        return f"“{other.key}” is {value:g}, below {wanted.minimum:g}."
    if wanted.maximum is not None and value > wanted.maximum:
        return f"“{other.key}” is {value:g}, above {wanted.maximum:g}."
    return ""


def _measured(
    at: int,
    place: int,
    part: Part,
    entry: Entry,
    metrics: Mapping[str, Metric],
    conversation: Conversation,
) -> list[Finding]:
    try:
        metric = catalogue.find(entry.name, metrics)
        values = metric.measure(part, entry.kwargs, conversation)
    except (BadArguments, BadArgument, NoSuchMetric) as problem:
        return [Finding(at, place, entry.name, None, UNSCORED, str(problem)[:MOST_REASON])]
    except Exception as problem:  # noqa: BLE001  code of an organisation's own; one part fails, no more
        said = f"The metric stopped: {type(problem).__name__}."
        return [Finding(at, place, entry.name, None, UNSCORED, said)]
    if len(values) > MOST_VALUES:
        said = f"More than {MOST_VALUES} values in one place."
        return [Finding(at, place, entry.name, None, UNSCORED, said)]
    return [
        Finding(at, place, name, value)
        if value is not None
        else Finding(at, place, name, None, UNSCORED, NOTHING)
        for name, value in values.items()
    ]
