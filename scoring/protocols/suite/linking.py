"""The graph of a suite's dependencies: who waits for whom, and in which order all can be computed.

A dependency names another metric. If the suite has none of that name it is added, as the reference
program does. Cycles, ambiguities and levels that do not contain each other are refused.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from scoring.protocols.suite.catalogue import BadArguments, Level, Metric, NoSuchMetric, find
from scoring.protocols.suite.definition import FUNCTION, MODERATION, RUBRIC, Dependency, Entry
from scoring.protocols.suite.spots import Problem, Unusable

#: From the whole to the smallest part.
ORDER: Final = (Level.CONVERSATION, Level.TURN, Level.MESSAGE, Level.TOOL_CALL)


def link(entries: Sequence[Entry], metrics: Mapping[str, Metric]) -> tuple[Entry, ...]:
    """Return the metrics with their dependencies resolved, those that others wait for added.

    Raises:
        Unusable: a dependency names nothing, several things, or itself in the end.
    """
    linker = _Linker(entries, metrics)
    linked = linker.linked()
    order(linked)
    return linked


def order(entries: Sequence[Entry]) -> list[int]:
    """Return the places of the metrics so that each comes after those it depends on.

    Raises:
        Unusable: some wait for each other.
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
            raise Unusable([Problem(line, f"These metrics wait for each other: {names}.")])
        done += ready
        waiting = [at for at in waiting if at not in ready]
    return done


class _Linker:
    def __init__(self, entries: Sequence[Entry], metrics: Mapping[str, Metric]) -> None:
        self._entries, self._metrics = list(entries), metrics
        self._problems: list[Problem] = []

    def linked(self) -> tuple[Entry, ...]:
        self._refuse_doubles()
        at = 0
        while at < len(self._entries):  # those that are added have no dependencies of their own
            one = self._entries[at]
            found = tuple(self._resolved(one, each) for each in one.depends_on)
            self._entries[at] = replace(one, depends_on=found)
            at += 1
        if self._problems:
            raise Unusable(self._problems)
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
        self._problems.append(Problem(line, text))


def _fits(entry: Entry, wanted: Dependency) -> bool:
    return (
        entry.name == wanted.name
        and wanted.type in {"", entry.kind}
        and (wanted.kwargs is None or dict(wanted.kwargs) == dict(entry.kwargs))
        and wanted.level in {"", entry.level.value}
    )
