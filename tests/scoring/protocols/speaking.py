"""A ChatModel for tests of procedures: it says what a test hands it and keeps what it was asked."""

from collections.abc import Callable, Sequence

from scoring.llm.base import Reply, Request

Said = str | Reply | Exception


class Speaking:
    """Answers from a list, one after the other, or by a function of the request."""

    def __init__(self, says: Sequence[Said] | Callable[[Request], Said]) -> None:
        self._says = says if callable(says) else list(says)
        self.asked: list[Request] = []

    async def reply(self, request: Request) -> Reply:
        self.asked.append(request)
        says = self._says(request) if callable(self._says) else self._says[len(self.asked) - 1]
        if isinstance(says, Exception):
            raise says
        return Reply(says) if isinstance(says, str) else says
