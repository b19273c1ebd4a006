"""What tools gave in a recorded conversation, for a system that calls the same ones, version 1.

No tool is run here. A call gets the result that is recorded of the same call; of which the last comes again,
where it is called more often; else that of the next call of this tool. Its message says which it is.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from scoring.kinds.suites.protocol import conversations as talks
from scoring.llm.base import ToolCall

TOOLS: Final = frozenset({"tool", "function"})
SAME, OTHER = "same", "other"


@dataclass(frozen=True, slots=True)
class Result:
    """What a tool gave in the recorded conversation."""

    name: str
    arguments: Mapping[str, Any]
    content: str


def results(messages: Sequence[Mapping[str, Any]]) -> list[Result]:
    """Return what tools gave in a recorded conversation, in order."""
    found: list[Result] = []
    open_: list[talks.ToolCall] = []
    for one in talks.read({"messages": messages}).messages:
        open_ += one.tool_calls
        if one.role not in TOOLS or not open_:
            continue
        own, name = one.details.get("tool_call_id"), one.details.get("name")
        call = next(
            (each for each in open_ if own and each.id == own),
            next((each for each in open_ if name and each.name == name), open_[0]),
        )
        open_.remove(call)
        found.append(Result(call.name, call.arguments, one.content))
    return found


class Recorded:
    """The results of a recorded conversation, as they are given to a system."""

    def __init__(self, found: Sequence[Result]) -> None:
        self._left, self._given = list(found), list[Result]()

    def results(self, calls: Sequence[ToolCall]) -> tuple[list[dict[str, Any]], str]:
        """Return messages with the results of some calls, and the name of a tool that has none."""
        made: list[dict[str, Any]] = []
        missing = ""
        for call in calls:
            arguments = talks.arguments_of(call.arguments)
            result = self._result(call.name, arguments)
            if result is None:
                missing = missing or call.name
                continue
            same = SAME if result.arguments == arguments else OTHER
            message = {"role": "tool", "tool_call_id": call.id, "name": call.name}
            made.append({**message, "content": result.content, talks.RECORDED: same})
        return made, missing

    def _result(self, name: str, arguments: Mapping[str, Any]) -> Result | None:
        mine = [one for one in self._left if one.name == name]
        same = [one for one in mine if one.arguments == arguments]
        again = [one for one in self._given if (one.name, one.arguments) == (name, arguments)]
        found = next(iter([*same, *reversed(again), *mine]), None)
        if found in self._left:
            self._left.remove(found)
            self._given.append(found)
        return found
