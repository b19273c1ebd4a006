"""Rounding for display: decimal, half away from zero, from exact fractions."""

from decimal import Decimal
from fractions import Fraction


def rounded(value: Fraction, digits: int) -> Decimal:
    """Return the value with so many decimals, halves rounded away from zero."""
    shifted = abs(value) * 10**digits
    whole = (2 * shifted.numerator + shifted.denominator) // (2 * shifted.denominator)
    return Decimal(whole if value >= 0 else -whole).scaleb(-digits)


def percent(value: Fraction, digits: int = 1) -> Decimal:
    """Return a share as a percentage with so many decimals, as tables print it."""
    return rounded(value * 100, digits)
