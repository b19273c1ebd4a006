"""A model that answers from recorded calls only: to score again, and to see that a run says what it said.

It never asks anybody. What was not recorded is refused, so that a procedure that would ask for something
else than it did is found out instead of being paid for.
"""

from collections.abc import Mapping

from scoring.llm.base import Failed, Reply, Request

#: The hash of a request, and which sample of it.
Key = tuple[str, int]


class NotRecorded(LookupError):
    """A request that no recorded call answers.

    It is no failure of a system or a server, and so none that a procedure may take for an outcome.
    """


class ReplayModel:
    """A ChatModel over recorded calls. A recorded failure fails again."""

    def __init__(self, calls: Mapping[Key, Reply | Failed]) -> None:
        self._calls = calls
        self._asked: set[Key] = set()

    async def reply(self, request: Request) -> Reply:
        """Return the recorded reply to a request.

        Raises:
            NotRecorded: there is none.
            Failed: as it did when it was recorded.
        """
        key = (request.sha(), request.repeat)
        try:
            recorded = self._calls[key]
        except KeyError:
            raise NotRecorded(
                f"No recorded call answers this request of the {request.role.value}"
                f" (part {request.part or '–'}, exchange {request.exchange}, sample {request.repeat})."
            ) from None
        self._asked.add(key)
        if isinstance(recorded, Failed):
            raise recorded
        return recorded

    @property
    def not_asked(self) -> list[Key]:
        """The recorded calls that nobody has asked for: a procedure that went another way leaves some."""
        return [key for key in self._calls if key not in self._asked]
