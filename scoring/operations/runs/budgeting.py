"""A hard limit to what a run costs: no call is sent that would go beyond it."""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping
from decimal import Decimal
from typing import Any

from django.db.models import Max, Sum

from scoring.llm import tokens
from scoring.llm.base import Reply, Request
from scoring.models import LLMCall, Run
from scoring.operations.runs.estimating import cost_of

#: Tokens of a reply where nothing is known: no limit was given, and none came back yet.
A_REPLY = 400
#: After so many replies of a role their mean says what the next one costs.
ENOUGH = 5


class Prices:
    """What calls of a run cost, by the prices it began with."""

    def __init__(self, known: Mapping[str, Mapping[str, Any]]) -> None:
        self._of = {
            int(pk): (_decimal(one.get("prompt")), _decimal(one.get("completion")))
            for pk, one in known.items()
        }

    def of_reply(self, endpoint_id: int, request: Request, reply: Reply) -> Decimal | None:
        """Return what a call cost; what a server did not count is estimated."""
        n_in = reply.prompt_tokens
        return self.of_tokens(
            endpoint_id,
            tokens.of_messages(request.messages) if n_in is None else n_in,
            _n_tokens(reply),
        )

    def of_tokens(self, endpoint_id: int, n_in: int, n_out: int) -> Decimal | None:
        return cost_of(*self._of.get(endpoint_id, (None, None)), n_in, n_out)


class Purse:
    """What a run may still spend. `spent` asks the table of calls, so that other workers count too."""

    def __init__(
        self, prices: Prices, budget: Decimal | None, spent: Callable[[], Awaitable[Decimal]]
    ) -> None:
        self.prices, self.budget, self._spent = prices, budget, spent
        self._reserved = Decimal(0)
        self._replies: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0])
        self._changed = asyncio.Event()

    def expect(self, endpoint_id: int, request: Request) -> Decimal:
        """Return what a call is going to cost, about."""
        n_replies, n_tokens = self._replies[request.role.value]
        n_out = request.settings.max_tokens or A_REPLY
        if n_replies >= ENOUGH:
            n_out = -(-n_tokens // n_replies)
        n_in = tokens.of_messages(request.messages)
        n_out *= request.settings.n or 1
        return self.prices.of_tokens(endpoint_id, n_in, n_out) or Decimal(0)

    async def reserve(self, amount: Decimal) -> bool:
        """Set money aside for a call; return whether there is enough. Waits for calls in flight."""
        while self.budget is not None:
            self._reserved += amount
            spent = await self._spent()
            if spent + self._reserved <= self.budget:
                return True
            self._reserved -= amount
            if spent + amount > self.budget:
                return False
            if self._reserved:  # else the others gave up at the same moment
                self._changed.clear()
                await self._changed.wait()
        self._reserved += amount
        return True

    def settle(self, amount: Decimal) -> None:
        """Give back what was set aside: the call is in the table, or was not made."""
        self._reserved -= amount
        self._changed.set()

    def learn(self, request: Request, reply: Reply) -> None:
        """Remember how long a reply was."""
        known = self._replies[request.role.value]
        known[0] += request.settings.n or 1
        known[1] += _n_tokens(reply)


class Till:
    """The sum of what a run's calls cost, read as they come in. For one thread."""

    #: On PostgreSQL a smaller key may be committed later: now and then everything is counted anew.
    RECOUNT = 200

    def __init__(self, run: Run) -> None:
        self._run = run
        self._last, self._sum, self._n_reads = 0, Decimal(0), 0

    def read(self) -> Decimal:
        if self._n_reads % self.RECOUNT == 0:
            self._last, self._sum = 0, Decimal(0)
        self._n_reads += 1
        new = LLMCall.objects.filter(run=self._run, pk__gt=self._last)
        found = new.aggregate(cost=Sum("cost"), last=Max("pk"))
        self._sum += found["cost"] or Decimal(0)
        self._last = found["last"] or self._last
        return self._sum


def _n_tokens(reply: Reply) -> int:
    """Return the tokens of a reply, its reasoning with it; estimated where the server did not count."""
    if reply.completion_tokens is not None:
        return reply.completion_tokens
    return tokens.of_text(reply.text) + tokens.of_text(str(reply.notes.get("reasoning", "")))


def _decimal(text: Any) -> Decimal | None:
    return None if text is None else Decimal(str(text))
