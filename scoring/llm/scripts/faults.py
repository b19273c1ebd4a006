"""How a scripted server fails, by plan: the same requests fail in the same way on every run."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import Any, Self

from scoring.llm.scripts import chance


class Fault(StrEnum):
    """What goes wrong with a request that arrived."""

    TOO_MANY = "429"
    SERVER = "500"
    GARBAGE = "garbage"
    ERROR_BODY = "error_body"
    TRUNCATED = "truncated"
    HANG = "hang"
    DROP = "drop"
    SLOW = "slow"
    # Replies that are paid for, and hold nothing that can be used.
    EMPTY = "empty"
    FILTERED = "filtered"
    TOOL_CALL = "tool_call"
    CUT_OFF = "cut_off"
    REFUSED = "refused"
    #: Reasoning before the reply, as servers send it that do not keep it apart.
    THINKING = "thinking"
    #: The reply as it is, without a count of its tokens.
    NO_USAGE = "no_usage"


@dataclass(frozen=True, slots=True)
class Faults:
    """Shares of faults, drawn by the request's hash and by how often it came before."""

    shares: Mapping[Fault, float] = field(default_factory=dict)
    seed: int = 0
    #: How often the same request may fail; after that it gets its reply. None: as chance will have it.
    at_most: int | None = None
    #: Seconds that a 429 asks to wait; below 0 it asks for none.
    retry_after: float = 1.0
    hang_seconds: float = 3600.0
    slow_seconds: float = 2.0

    @classmethod
    def of(cls, stored: Mapping[str, Any]) -> Self:
        """Read a plan: faults by name, and the options beside them.

        Raises:
            ValueError: a name is unknown, or the shares are more than all requests.
        """
        options = {one.name for one in fields(cls)} - {"shares"}
        shares = {name: float(value) for name, value in stored.items() if name not in options}
        if unknown := sorted(set(shares) - set(Fault)):
            known = ", ".join([*Fault, *sorted(options)])
            raise ValueError(f"There is no fault {', '.join(unknown)}. There are: {known}.")
        if min(shares.values(), default=0) < 0 or sum(shares.values()) > 1:
            raise ValueError("The shares of faults are negative, or together more than 1.")
        chosen = {name: value for name, value in stored.items() if name in options}
        return cls(shares={Fault(name): value for name, value in shares.items()}, **chosen)

    def draw(self, sha: str, nth: int) -> Fault | None:
        """Return what happens to a request that comes for the nth time, counted from 0."""
        if not self.shares or (self.at_most is not None and nth >= self.at_most):
            return None
        drawn = chance.number(self.seed, "fault", sha, nth)
        for fault, share in self.shares.items():
            if drawn < share:
                return fault
            drawn -= share
        return None


def read_list(text: str) -> dict[str, float]:
    """Read "429=0.2,hang=0.01" as a plan's values.

    Raises:
        ValueError: a part is not a name and a number.
    """
    parts = [part.split("=") for part in text.split(",") if part.strip()]
    try:
        return {name.strip(): float(value) for name, value in parts}
    except ValueError:
        raise ValueError(
            f"Faults are written as 429=0.2,hang=0.01 (name and share); this is {text!r}."
        ) from None
