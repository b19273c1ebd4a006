"""Which function metrics there are, at which levels each works, and how one is called.

A metric works at the levels that the type of its first parameter names: text at every level but that of
tool calls, a conversation, turn, message or tool call at its own. An organisation adds modules of its
own by the entry point `evalsite.metrics` or by naming them in the settings. A further parameter
`conversation: Conversation` is given the conversation around the part.
"""

import inspect
import types
import typing
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Final

from scoring.kinds.suites.protocol import functions
from scoring.kinds.suites.protocol.conversations import (
    Conversation,
    Message,
    Part,
    ToolCall,
    Turn,
    text_of,
)


class Level(StrEnum):
    CONVERSATION = "Thread"
    TURN = "Turn"
    MESSAGE = "Message"
    TOOL_CALL = "ToolCall"


LEVEL_OF: Final[Mapping[type, Level]] = {
    Conversation: Level.CONVERSATION,
    Turn: Level.TURN,
    Message: Level.MESSAGE,
    ToolCall: Level.TOOL_CALL,
}
#: A further parameter of this name and type is the conversation around the part.
WHOLE: Final = "conversation"
SPOKEN: Final = frozenset({Level.CONVERSATION, Level.TURN, Level.MESSAGE})


class NoSuchMetric(ValueError):
    """There is no function metric of this name."""


class BadArguments(ValueError):
    """A metric does not work so: level, arguments, or what it returned."""


@dataclass(frozen=True, slots=True)
class MetricExample:
    """What a metric gives for a conversation (in the layout of a file) at a level: shown, and a test."""

    conversation: Mapping[str, Any]
    level: Level
    value: Mapping[str, float | None]
    kwargs: Mapping[str, Any]
    place: int = 0


@dataclass(frozen=True, slots=True)
class FunctionMetric:
    """A function metric: its name, what it does, its levels and its parameters."""

    name: str
    function: Callable[..., Any]
    about: str
    levels: frozenset[Level]
    takes_text: bool
    parameters: Mapping[str, inspect.Parameter]
    #: Whether it also looks at the conversation around the part.
    takes_whole: bool = False
    #: Whether an endpoint is asked for it, so that it is not computed here.
    asks: bool = False
    #: Whether it takes arguments of any other name, and makes nothing of them.
    takes_more: bool = False

    def check(self, level: Level, kwargs: Mapping[str, Any]) -> None:
        """Refuse a level or arguments that the metric does not take.

        Raises:
            BadArguments: says what it takes.
        """
        if level not in self.levels:
            known = ", ".join(sorted(self.levels))
            raise BadArguments(f"“{self.name}” works at the level of {known}, not of {level}.")
        unknown = sorted(set(kwargs) - set(self.parameters))
        if unknown and not self.takes_more:
            raise BadArguments(f"“{self.name}” has no parameter “{unknown[0]}”.")
        needed = [
            name
            for name, one in self.parameters.items()
            if one.default is inspect.Parameter.empty and name not in kwargs
        ]
        if needed:
            raise BadArguments(f"“{self.name}” needs “{needed[0]}”.")

    def measure(
        self, part: Part, kwargs: Mapping[str, Any], whole: Conversation | None = None
    ) -> dict[str, float | None]:
        """Return the values of a part by name; the metric's own name where it returns one value.

        Args:
            part: of a conversation.
            kwargs: of the suite.
            whole: the conversation, for metrics that look around the part.

        Raises:
            BadArguments: the metric does not take this, or returned something else than values.
        """
        self.check(LEVEL_OF[type(part)], kwargs)
        given = text_of(part) if self.takes_text and not isinstance(part, ToolCall) else part
        around = {WHOLE: whole} if self.takes_whole else {}
        return _values(self.name, self.function(given, **around, **kwargs))


def metric_of(function: Callable[..., Any], name: str = "") -> FunctionMetric:
    """Return the metric that a function is.

    Raises:
        BadArguments: its first parameter has no type that a part of a conversation has.
    """
    name = name or function.__name__
    first, *others = inspect.signature(function).parameters.values()
    hints = typing.get_type_hints(function)
    annotation = hints.get(first.name)
    takes_whole = any(one.name == WHOLE and hints.get(WHOLE) is Conversation for one in others)
    named = set(typing.get_args(annotation)) if _is_union(annotation) else {annotation}
    takes_text = named == {str}
    levels = frozenset(level for one, level in LEVEL_OF.items() if one in named)
    levels = SPOKEN if takes_text else levels
    if not levels or (not takes_text and len(levels) < len(named)):
        raise BadArguments(
            f"The first parameter of “{name}” must be text, a conversation, a turn, a message or a tool call."
        )
    about = (inspect.getdoc(function) or "").partition("\n")[0]
    takes_more = any(one.kind is one.VAR_KEYWORD for one in others)
    known = {
        one.name: one
        for one in others
        if one.kind is not one.VAR_KEYWORD and (one.name != WHOLE or not takes_whole)
    }
    return FunctionMetric(
        name, function, about, levels, takes_text, known, takes_whole, takes_more=takes_more
    )


def builtin() -> dict[str, FunctionMetric]:
    """Return the metrics that come with the product, by name."""
    asking = replace(metric_of(functions.moderation), asks=True)
    return of_module(functions) | {asking.name: asking}


def of_module(module: types.ModuleType) -> dict[str, FunctionMetric]:
    """Return the public functions of a module as metrics."""
    return {
        name: metric_of(one, name)
        for name, one in vars(module).items()
        if inspect.isfunction(one)
        and one.__module__ == module.__name__
        and not name.startswith("_")
    }


def find(name: str, metrics: Mapping[str, FunctionMetric]) -> FunctionMetric:
    """Return a metric by name.

    Raises:
        NoSuchMetric: with those there are whose names are alike.
    """
    if name in metrics:
        return metrics[name]
    alike = [
        one
        for one in metrics
        if one.casefold().replace("_", "") == name.casefold().replace("_", "")
    ]
    hint = f" Did you mean “{alike[0]}”?" if alike else ""
    raise NoSuchMetric(f"There is no function metric “{name}”.{hint}")


def parts(conversation: Conversation, level: Level) -> Iterable[Part]:
    """Return the parts of a conversation at a level, in order."""
    made: Mapping[Level, Iterable[Part]] = {
        Level.CONVERSATION: (conversation,),
        Level.TURN: conversation.turns,
        Level.MESSAGE: conversation.messages,
        Level.TOOL_CALL: conversation.tool_calls,
    }
    return made[level]


def measured(conversation: Conversation, level: Level) -> Iterable[Part]:
    """Return the parts as functions see them: without what was recorded before a system completed it."""
    if level == Level.CONVERSATION:
        return (conversation.counted(),)
    if level == Level.TURN:
        return tuple(one.counted() for one in conversation.turns)
    return parts(conversation, level)


def _is_union(annotation: Any) -> bool:
    return typing.get_origin(annotation) in {typing.Union, types.UnionType}


def _values(name: str, made: Any) -> dict[str, float | None]:
    if isinstance(made, Mapping):
        return {str(key): _value(name, one) for key, one in made.items()}
    if isinstance(made, list | tuple):
        found: dict[str, float | None] = {}
        for one in made:
            if not isinstance(one, Mapping) or not {"name", "value"} <= set(one):
                raise BadArguments(
                    f"“{name}” returned a list of something else than names and values."
                )
            found[str(one["name"])] = _value(name, one["value"])
        return found
    return {name: _value(name, made)}


def _value(name: str, made: Any) -> float | None:
    if made is None:
        return None
    if not isinstance(made, bool | int | float) or made != made:
        raise BadArguments(f"“{name}” returned “{str(made)[:40]}”, which is no number.")
    return float(made)
