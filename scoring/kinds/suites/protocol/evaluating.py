"""The graph of a suite's dependencies: who waits for whom, and in which order all can be computed.

* Compute a suite's function metrics of a conversation, and say where a dependency leaves one out.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from scoring.kinds.suites.protocol import catalogue
from scoring.kinds.suites.protocol.catalogue import (
    BadArguments,
    FunctionMetric,
    Level,
    NoSuchMetric,
    find,
)
from scoring.kinds.suites.protocol.conversations import Conversation, Part, ToolCall, Turn
from scoring.kinds.suites.protocol.definition import (
    FUNCTION,
    MODERATION,
    RUBRIC,
    Dependency,
    Entry,
    SuiteProblem,
    UnusableSuite,
)
from scoring.kinds.suites.protocol.functions import BadArgument

#: From the whole to the smallest part.
ORDER: Final = (Level.CONVERSATION, Level.TURN, Level.MESSAGE, Level.TOOL_CALL)


def link(entries: Sequence[Entry], metrics: Mapping[str, FunctionMetric]) -> tuple[Entry, ...]:
    """Return the metrics with their dependencies resolved, those that others wait for added.

    Raises:
        UnusableSuite: a dependency names nothing, several things, or itself in the end.
    """
    linker = _Linker(entries, metrics)
    linked = linker.linked()
    order(linked)
    return linked


def order(entries: Sequence[Entry]) -> list[int]:
    """Return the places of the metrics so that each comes after those it depends on.

    Raises:
        UnusableSuite: some wait for each other.
    """
    done: list[int] = []
    waiting = list(range(len(entries)))
    while waiting:
        ready = [
            at
            for at in waiting
            if all(one.target in done for one in entries[at].depends_on if one.target is not None)
        ]
        if not ready:
            names = ", ".join(f"“{entries[at].key}”" for at in waiting[:5])
            line = entries[waiting[0]].line
            raise UnusableSuite(
                [SuiteProblem(line, f"These metrics wait for each other: {names}.")]
            )
        done += ready
        waiting = [at for at in waiting if at not in ready]
    return done


class _Linker:
    def __init__(self, entries: Sequence[Entry], metrics: Mapping[str, FunctionMetric]) -> None:
        self._entries, self._metrics = list(entries), metrics
        self._problems: list[SuiteProblem] = []

    def linked(self) -> tuple[Entry, ...]:
        self._refuse_doubles()
        at = 0
        while at < len(self._entries):  # those that are added have no dependencies of their own
            one = self._entries[at]
            found = tuple(self._resolved(one, each) for each in one.depends_on)
            self._entries[at] = replace(one, depends_on=found)
            at += 1
        if self._problems:
            raise UnusableSuite(self._problems)
        return tuple(self._entries)

    def _refuse_doubles(self) -> None:
        seen: set[tuple[str, str, Level]] = set()
        for one in self._entries:
            mine = (one.kind, one.key, one.level)
            if mine in seen:
                self._say(one.line, f"“{one.key}” is there twice at the level of {one.level}.")
            seen.add(mine)

    def _resolved(self, entry: Entry, wanted: Dependency) -> Dependency:
        if not wanted.name:
            self._say(wanted.line, "A dependency needs the “name” of a metric.")
            return wanted
        fits = [at for at, one in enumerate(self._entries) if _fits(one, wanted)]
        if not wanted.level:
            same = [at for at in fits if self._entries[at].level == entry.level]
            fits = same or fits
        if len(fits) > 1:
            self._say(
                wanted.line,
                f"“{wanted.name}” could be {len(fits)} metrics of this suite. Say which by type, "
                "kwargs or metric_level.",
            )
            return wanted
        target = fits[0] if fits else self._added(entry, wanted)
        if target is None:
            return wanted
        self._check(entry, self._entries[target], wanted)
        return replace(wanted, target=target)

    def _added(self, entry: Entry, wanted: Dependency) -> int | None:
        level = Level(wanted.level) if wanted.level else entry.level
        if wanted.type == RUBRIC:
            self._say(wanted.line, f"The suite has no rubric “{wanted.name}” to depend on.")
            return None
        kwargs = dict(wanted.kwargs or {})
        try:
            find(wanted.name, self._metrics).check(level, kwargs)
        except (NoSuchMetric, BadArguments) as problem:
            self._say(wanted.line, str(problem))
            return None
        self._entries.append(Entry(FUNCTION, wanted.name, level, kwargs, line=wanted.line))
        return len(self._entries) - 1

    def _check(self, entry: Entry, other: Entry, wanted: Dependency) -> None:
        if entry.kind == FUNCTION and other.kind == RUBRIC:
            self._say(
                wanted.line,
                f"The function “{entry.name}” cannot wait for the rubric “{other.name}”: functions "
                "are computed before anybody is asked.",
            )
        if other.name == MODERATION and other.kind == FUNCTION:
            self._say(
                wanted.line,
                f"“{entry.name}” cannot wait for “{MODERATION}”: that is asked of an endpoint.",
            )
        if ORDER.index(other.level) > ORDER.index(entry.level):
            self._say(
                wanted.line,
                f"A metric of a {entry.level} cannot depend on one of a {other.level}: there may be "
                "several.",
            )
        elif wanted.relative and other.level != entry.level:
            self._say(
                wanted.line,
                "“relative_object_position” needs a metric of the same level.",
            )

    def _say(self, line: int, text: str) -> None:
        self._problems.append(SuiteProblem(line, text))


def _fits(entry: Entry, wanted: Dependency) -> bool:
    return (
        entry.name == wanted.name
        and wanted.type in {"", entry.kind}
        and (wanted.kwargs is None or dict(wanted.kwargs) == dict(entry.kwargs))
        and wanted.level in {"", entry.level.value}
    )


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
    metrics: Mapping[str, FunctionMetric],
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
    for at in order(entries):
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
    metrics: Mapping[str, FunctionMetric],
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
