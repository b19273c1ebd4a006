"""All work on the database of a job, in one thread: coroutines of another one hand it in and wait.

What waits at the same moment is committed together, so that thirty calls that come back at once
cost one wait for the disk.
"""

import asyncio
import contextvars
import queue
import threading
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from django.db import transaction

T = TypeVar("T")

#: So many deeds share a transaction at most: it stays short.
MOST_TOGETHER = 32


@dataclass
class _Order(Generic[T]):
    deed: Callable[[], T]
    loop: asyncio.AbstractEventLoop
    future: "asyncio.Future[T]"
    writes: bool
    result: Any = None
    problem: BaseException | None = field(default=None)

    def tell(self) -> None:
        if self.future.done():
            return
        if self.problem is not None:
            self.future.set_exception(self.problem)
        else:
            self.future.set_result(self.result)


class Desk:
    """Does what coroutines hand in. Everything is done in the order in which it came, writes first."""

    def __init__(self) -> None:
        self._inbox: queue.SimpleQueue[_Order[Any] | None] = queue.SimpleQueue()

    async def write(self, deed: Callable[[], T]) -> T:
        """Do something in a transaction, which others may share; return what it returns.

        If somebody else's deed fails in it, this one is done again in one of its own.
        """
        return await self._hand_in(deed, writes=True)

    async def read(self, deed: Callable[[], T]) -> T:
        """Read something, outside of any transaction."""
        return await self._hand_in(deed, writes=False)

    def serve(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Run a coroutine in an event loop of its own thread, and do here what it hands in.

        Returns what it returns, or raises what it raises.
        """
        ended: list[T] = []
        broken: list[BaseException] = []

        def run() -> None:
            try:
                ended.append(asyncio.run(work()))
            except BaseException as problem:  # noqa: BLE001  raised again in the other thread
                broken.append(problem)
            finally:
                self._inbox.put(None)

        context = contextvars.copy_context()
        thread = threading.Thread(target=lambda: context.run(run), name="run", daemon=True)
        thread.start()
        while self._do_what_waits():
            pass
        thread.join()
        if broken:
            raise broken[0]
        return ended[0]

    async def _hand_in(self, deed: Callable[[], T], *, writes: bool) -> T:
        loop = asyncio.get_running_loop()
        order: _Order[T] = _Order(deed, loop, loop.create_future(), writes)
        self._inbox.put(order)
        return await order.future

    def _do_what_waits(self) -> bool:
        """Do what has been handed in; return whether more can come."""
        orders: list[_Order[Any]] = []
        goes_on = True
        first = self._inbox.get()
        while True:
            if first is None:
                goes_on = False
                break
            orders.append(first)
            if len(orders) >= MOST_TOGETHER:
                break
            try:
                first = self._inbox.get_nowait()
            except queue.Empty:
                break
        writes = [one for one in orders if one.writes]
        if writes:
            _write_together(writes)
            _tell(writes)
        for one in orders:
            if not one.writes:
                _do(one)
                _tell([one])
        return goes_on


def _write_together(orders: list[_Order[Any]]) -> None:
    """Do deeds in one transaction; if one of them fails, each in its own."""
    if len(orders) > 1:
        try:
            with transaction.atomic():
                for one in orders:
                    one.result = one.deed()
        except Exception:  # noqa: BLE001, S110  whose it was comes out below
            pass
        else:
            return
    for one in orders:
        _do(one)


def _do(order: _Order[Any]) -> None:
    try:
        if order.writes:
            with transaction.atomic():
                order.result = order.deed()
        else:
            order.result = order.deed()
    except Exception as problem:  # noqa: BLE001  it belongs to whoever waits for it
        order.problem = problem


def _tell(orders: list[_Order[Any]]) -> None:
    def tell() -> None:
        for one in orders:
            one.tell()

    try:
        orders[0].loop.call_soon_threadsafe(tell)
    except RuntimeError:  # the loop has ended: nobody waits any more
        return
