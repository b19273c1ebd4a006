"""What a person declares of a judge or a metric, and what its name and its scores suggest."""

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from decimal import Decimal

from annotation.rules import scales

METRIC, JUDGE = "METRIC", "JUDGE"
KINDS = (METRIC, JUDGE)
DECIMALS = 4

_JUDGE = re.compile(
    r"gpt|llm|judge|claude|gemini|llama|mi[sx]tral|qwen|deepseek|prometheus|palm|chatglm|vicuna"
    r"|g-?eval|fusion|评委|裁判",
    re.IGNORECASE,
)
_LOWER_IS_BETTER = re.compile(
    r"(?:^|[^a-z])(?:[twcmt]er|ppl|nll|mae|mse|rmse)(?:$|[^a-z])"
    r"|perplex|error|loss|toxic|distance|hallucinat|困惑|错误|毒性",
    re.IGNORECASE,
)
#: Ranges in use, the narrowest first.
_RANGES = ((0, 1), (-1, 1), (1, 3), (1, 5), (0, 5), (1, 10), (0, 10), (0, 100))
#: Words that stand for numbers wherever they are used.
_WORDS = {"true": "1", "false": "0", "yes": "1", "no": "0", "pass": "1", "fail": "0"}


@dataclass(frozen=True, slots=True)
class Machine:
    """A judge or a metric as it was declared. An end of its range that is empty is open."""

    name: str
    kind: str = METRIC
    minimum: str = ""
    maximum: str = ""
    higher_is_better: bool = True
    family: str = ""

    def ends(self) -> tuple[Decimal | None, Decimal | None]:
        """Return the lowest and the highest score; None where the range is open.

        Raises:
            ValueError: they are no numbers, have too many decimals, or lie the wrong way round.
        """
        low, high = _end(self.minimum), _end(self.maximum)
        if low is not None and high is not None and low >= high:
            raise ValueError("The lowest score must lie below the highest.")
        return low, high


@dataclass(slots=True)
class Seen:
    """What was found of a machine in the rows that were looked at."""

    name: str
    n: int = 0
    low: float = math.inf
    high: float = -math.inf
    words: dict[str, None] = field(default_factory=dict)
    criteria: dict[str, None] = field(default_factory=dict)

    def add(self, value: float) -> None:
        self.n += 1
        self.low, self.high = min(self.low, value), max(self.high, value)


def suggest(seen: Seen) -> Machine:
    """Return what to declare of a machine, from its name and its scores."""
    low, high = suggest_range(seen)
    return Machine(
        seen.name,
        JUDGE if _JUDGE.search(seen.name) else METRIC,
        low,
        high,
        _LOWER_IS_BETTER.search(seen.name) is None,
    )


def suggest_range(seen: Seen) -> tuple[str, str]:
    """Return the narrowest usual range that holds the scores; open ends where none does."""
    if not seen.n:
        return "", ""
    for low, high in _RANGES:
        if low <= seen.low and seen.high <= high:
            return str(low), str(high)
    return ("0" if seen.low >= 0 else ""), ""


def suggest_words(words: Iterable[str]) -> dict[str, str]:
    """Return the words of a file with the numbers they usually stand for, "" where none is usual."""
    return {word: _WORDS.get(word.casefold(), "") for word in words}


def within(value: float, low: Decimal | None, high: Decimal | None) -> bool:
    """Return whether a score lies in a range, as it is written rather than as it is stored."""
    exact = Decimal(repr(value))
    return (low is None or low <= exact) and (high is None or exact <= high)


def _end(written: str) -> Decimal | None:
    if not written.strip():
        return None
    number = scales.parse(written)
    if number != round(number, DECIMALS):
        raise ValueError(f"The end of a range has at most {DECIMALS} decimals.")
    return number
