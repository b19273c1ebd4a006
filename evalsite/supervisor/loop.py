"""Start the processes, start again what ends, and stop them in order."""

import contextlib
import signal
import time
from collections.abc import Callable, Iterator, Sequence

from evalsite.supervisor import refusals
from evalsite.supervisor.children import Child

TICK = 0.1
PATIENCE = 60.0  # for the job in hand; what is cut off is done again later, from the database
COLD_PATIENCE = 3.0
TELL_AFTER = 3.0


class Supervisor:
    """Watches groups of processes. Groups start in the order given and stop in the reverse order."""

    def __init__(
        self,
        groups: Sequence[Sequence[Child]],
        say: Callable[[str], object],
        *,
        cold_patience: float = COLD_PATIENCE,
    ) -> None:
        self.groups = groups
        self.say = say
        self.cold_patience = cold_patience
        self.stop_requests = 0

    @property
    def children(self) -> list[Child]:
        return [child for group in self.groups for child in group]

    def request_stop(self, *_signal: object) -> None:
        """Stop warm; asked a second time, stop at once."""
        self.stop_requests += 1

    @contextlib.contextmanager
    def signals(self) -> Iterator[None]:
        """Take Ctrl-C and the usual signals as requests to stop."""
        numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
        before = {number: signal.signal(number, self.request_stop) for number in numbers}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def watch(self, *, is_ready: Callable[[], bool], announce: Callable[[], object]) -> None:
        """Keep everything running until a stop is asked for; announce once, when the site answers.

        Raises:
            GaveUp: a process ended five times within a minute.
        """
        announced = False
        while not self.stop_requests:
            self.mend()
            if not announced and is_ready():
                announce()
                announced = True
            time.sleep(TICK)

    def mend(self) -> None:
        """Start again what has ended.

        Raises:
            GaveUp: a process ended five times within a minute.
        """
        for child in self.children:
            if child.process is not None and not child.is_alive:
                child.note_exit()
                if child.is_hopeless:
                    raise refusals.GaveUp(
                        f"The process {child.name!r} ended five times within a minute. "
                        f"The end of {child.log} says why:\n{child.last_lines()}"
                    )
            elif child.process is None and child.is_due:
                if child.exits:
                    self.say(
                        f"The process {child.name!r} ended and is started again; see {child.log}."
                    )
                child.start()

    def stop(self) -> None:
        """Stop everything, last group first: nobody new comes in while work in hand is finished."""
        for group in reversed(self.groups):
            for child in group:
                child.ask_to_stop()
            self._wait(group)

    def _wait(self, group: Sequence[Child]) -> None:
        started, told = time.monotonic(), False
        while any(child.is_alive for child in group):
            waited = time.monotonic() - started
            if not told and waited > TELL_AFTER:
                self.say("Finishing the work in hand. Ctrl-C again stops at once.")
                told = True
            if self.stop_requests > 1 or waited > PATIENCE:
                self._cut_off(group)
                return
            time.sleep(TICK)

    def _cut_off(self, group: Sequence[Child]) -> None:
        # A worker that is asked twice ends its job's process too, which killing its group would not reach.
        for child in group:
            child.ask_to_stop()
        deadline = time.monotonic() + self.cold_patience
        while any(child.is_alive for child in group) and time.monotonic() < deadline:
            time.sleep(TICK)
        for child in group:
            child.kill()
