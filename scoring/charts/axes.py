"""Axes of drawings: where values lie, round places to name, and numbers as they are written."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

Place = Callable[[float], float]


@dataclass(frozen=True, slots=True)
class Layout:
    """How lines of a plot are laid out, in pixels: names left and figures right of the axis.

    On a phone both stand above the line, which then is higher.
    """

    width: float
    left: float
    right: float
    row: float
    on_top: bool

    @property
    def middle(self) -> float:
        return (self.left + self.right) / 2


WIDE = Layout(width=800, left=272, right=612, row=26, on_top=False)
NARROW = Layout(width=352, left=10, right=340, row=58, on_top=True)


def layout(*, narrow: bool) -> Layout:
    return NARROW if narrow else WIDE


def placing(start: float, end: float, left: float, right: float) -> Place:
    """Return where values between two ends lie; what is beyond an end lies on it.

    Raises:
        ValueError: the axis has no width.
    """
    if not end > start:
        raise ValueError("The axis needs a width.")
    return lambda value: left + min(max((value - start) / (end - start), 0.0), 1.0) * (right - left)


def check(values: Iterable[float | None]) -> None:
    """Refuse what cannot be drawn.

    Raises:
        ValueError: a number is not finite.
    """
    if not all(value is None or math.isfinite(value) for value in values):
        raise ValueError("A value or a bound of its interval is not a finite number.")


def ticks(start: float, end: float, *, most: int = 7) -> list[float]:
    """Return round places on an axis, its ends among them where they are round."""
    rough = (end - start) / most
    power = 10.0 ** math.floor(math.log10(rough))
    sizes = (power, 2 * power, 2.5 * power, 5 * power, 10 * power)
    step = next(size for size in sizes if size >= rough * (1 - 1e-9))
    first, last = math.ceil(start / step - 1e-9), math.floor(end / step + 1e-9)
    return [n * step for n in range(first, last + 1)]


def decimals(found: list[float]) -> int:
    """Return how many decimals it takes to tell ticks apart."""
    step = found[1] - found[0] if len(found) > 1 else 1.0
    return next((n for n in range(6) if abs(round(step, n) - step) < 1e-9), 6)


def said(value: float, digits: int) -> str:
    """Write a number with a true minus sign, halves away from zero as tables do; a nought has none."""
    number = Decimal(str(value)).quantize(Decimal(1).scaleb(-digits), rounding=ROUND_HALF_UP)
    return f"−{abs(number)}" if number < 0 else str(abs(number))


def interval(low: float | None, high: float | None, digits: int) -> str:
    """Write an interval in brackets; nothing where there is none."""
    if low is None or high is None:
        return ""
    return f" ({said(low, digits)} to {said(high, digits)})"
