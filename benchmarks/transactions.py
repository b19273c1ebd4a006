"""How long the longest transaction of some work takes, without slowing the work down.

SQLite's own trace would copy every statement out, with all its values, once more for every row
that a trigger sees: that takes as long as an import itself.
"""

import time
from collections.abc import Callable
from typing import Any


class Longest:
    """Notes the longest time from a BEGIN to the end of the last statement before its COMMIT.

    Used as `with connection.execute_wrapper(longest): …`; by the clock and of the processor.
    """

    def __init__(self) -> None:
        self.seconds = self.cpu = 0.0
        self._began: tuple[float, float] | None = None

    def __call__(
        self, execute: Callable[..., Any], sql: Any, params: Any, many: bool, context: Any
    ) -> Any:
        began = time.perf_counter(), time.process_time()
        try:
            return execute(sql, params, many, context)
        finally:
            if str(sql).startswith("BEGIN"):
                self._began = began
            elif self._began and context["connection"].in_atomic_block:
                self.seconds = max(self.seconds, time.perf_counter() - self._began[0])
                self.cpu = max(self.cpu, time.process_time() - self._began[1])
