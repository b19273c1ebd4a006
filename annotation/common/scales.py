"""Scales: which values a criterion accepts, and how a value is written.

* Texts that a good answer may resemble, kept with an item beside its one standard answer.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from evalsite.kinds import gettext_noop as _

MAX_LEVELS = 1001  # 0 to 100 in tenths; more is a scale without steps
MAX_DIGITS = 12
MAX_DECIMALS = 6

_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,2})?")


class UnfitValue(ValueError):
    """A value that no scale has, or not this one; `words` and `values` say why in any language."""

    def __init__(self, words: str, values: Mapping[str, Any]) -> None:
        lists = {key: ", ".join(one) for key, one in values.items() if isinstance(one, tuple)}
        super().__init__(words % {**values, **lists})
        self.words, self.values = words, values


@dataclass(frozen=True, slots=True)
class Scale:
    """A range of values, in steps or without, and where it counts as passed."""

    minimum: Decimal
    maximum: Decimal
    step: Decimal | None = None
    pass_at: Decimal | None = None
    #: Whole numbers only, though none is a level: each stands for a set of labels.
    whole: bool = False
    #: Of its values, those that are offered; none said: all.
    only: frozenset[Decimal] = frozenset()

    def __post_init__(self) -> None:
        for number in (self.minimum, self.maximum, self.step, self.pass_at):
            if number is not None and not number.is_finite():
                raise ValueError("A scale is made of finite numbers.")
        if self.minimum >= self.maximum:
            raise ValueError("The lowest value of a scale must lie below its highest.")
        if self.step is not None:
            self._check_step(self.step)
        if self.pass_at is not None and not self.minimum <= self.pass_at <= self.maximum:
            raise ValueError(f"The pass mark must lie {self._range()}.")

    def levels(self) -> tuple[Decimal, ...]:
        """Return the values from lowest to highest; none if the scale has no steps."""
        if self.step is None:
            return ()
        count = int((self.maximum - self.minimum) / self.step) + 1
        values = (plain(self.minimum + place * self.step) for place in range(count))
        return tuple(one for one in values if not self.only or one in self.only)

    def check(self, value: Decimal) -> Decimal:
        """Return the value in its plain form.

        Raises:
            ValueError: the scale has no such value; the message says which it has.
        """
        on_scale = value.is_finite() and self.minimum <= value <= self.maximum
        if on_scale and self.step is not None:
            on_scale = (value - self.minimum) % self.step == 0
        if on_scale and self.whole:
            on_scale = value == value.to_integral_value()
        if on_scale and self.only:
            on_scale = value in self.only
        if not on_scale:
            raise UnfitValue(*self._allowed())
        return plain(value)

    def passes(self, value: Decimal) -> bool | None:
        """Return whether the value passes, or None if the scale has no pass mark."""
        return None if self.pass_at is None else value >= self.pass_at

    @property
    def all_pass(self) -> bool:
        """Whether the lowest value passes already, so that everything does."""
        return self.pass_at is not None and self.pass_at <= self.minimum

    def upper_half(self) -> Decimal:
        """Return where the upper half of the scale begins: what to suggest as a pass mark."""
        middle = plain((self.minimum + self.maximum) / 2)
        return next((level for level in self.levels() if level >= middle), middle)

    def canonical(self, value: Decimal) -> str:
        """Return the value on this scale as it is written in digests and files."""
        return text(self.check(value))

    def allowed(self) -> str:
        """Return a sentence that says which values the scale has."""
        return str(UnfitValue(*self._allowed()))

    def _allowed(self) -> tuple[str, dict[str, Any]]:
        levels = self.levels()
        if 0 < len(levels) <= 11:
            *first, last = (text(level) for level in levels)
            said = _("The value must be %(first)s or %(last)s.")
            return said, {"first": tuple(first), "last": last}
        step = Decimal(1) if self.whole else self.step
        ends = {"low": text(self.minimum), "high": text(self.maximum)}
        if step is None:
            return _("The value must lie between %(low)s and %(high)s."), ends
        said = _("The value must lie between %(low)s and %(high)s, in steps of %(step)s.")
        return said, {**ends, "step": text(step)}

    def _range(self) -> str:
        return f"between {text(self.minimum)} and {text(self.maximum)}"

    def _check_step(self, step: Decimal) -> None:
        if step <= 0:
            raise ValueError("The step of a scale must be greater than 0.")
        width = self.maximum - self.minimum
        if width / step > MAX_LEVELS - 1:
            raise ValueError(f"A scale has at most {MAX_LEVELS} steps; leave the step out.")
        if width % step != 0:
            raise ValueError(
                f"Steps of {text(step)} do not lead from {text(self.minimum)} "
                f"to {text(self.maximum)}."
            )


def parse(written: str) -> Decimal:
    """Read a number as a person or a file wrote it, with a point and no other signs.

    Raises:
        ValueError: not such a number, or one with more digits than a grade can have.
    """
    trimmed = written.strip()
    if len(trimmed) > 40 or not _NUMBER.fullmatch(trimmed):
        raise UnfitValue(_("Write a number in digits, with a point for decimals: 2 or 2.5."), {})
    number = plain(Decimal(trimmed))
    decimals = max(0, -int(number.as_tuple().exponent))
    if decimals > MAX_DECIMALS or number.adjusted() >= MAX_DIGITS - MAX_DECIMALS:
        said = _("A number may have %(before)d digits before the point and %(after)d after it.")
        raise UnfitValue(said, {"before": MAX_DIGITS - MAX_DECIMALS, "after": MAX_DECIMALS})
    return number


def text(value: Decimal) -> str:
    """Return a finite number as text: no exponent, no zeros that say nothing, no minus zero."""
    return format(plain(value), "f")


def plain(value: Decimal) -> Decimal:
    """Return the same number with no exponent above 0 and no trailing zeros."""
    digits = format(value, "f")
    if "." in digits:
        digits = digits.rstrip("0").rstrip(".")
    number = Decimal(digits)
    return number if number else Decimal(0)


#: Where an item keeps them, among its extra fields. No annotator is shown them.
FIELD = "references"


def references_of(extra: Mapping[str, Any]) -> list[str]:
    """Return the reference texts of an item: those of a list, or the one there is."""
    found = extra.get(FIELD)
    texts = found if isinstance(found, list) else [found]
    return [one for one in texts if isinstance(one, str) and one.strip()]


#: A sum of so many labels still is a grade.
MOST_LABELS = 24
#: Signs of a text that is given as a mark.
LONGEST_ANSWER = 20_000


def one_number(places: Iterable[int]) -> Decimal:
    """Return a set of labels, each by its place from 1 on, as the number that is stored for it.

    Raises:
        ValueError: a place is not one of 1 to `MOST_LABELS`.
    """
    chosen = set(places)
    if not chosen <= set(range(1, MOST_LABELS + 1)):
        said = _("A label has a place from 1 to %(most)d.")
        raise UnfitValue(said, {"most": MOST_LABELS})
    return Decimal(sum(1 << (place - 1) for place in chosen))


def places(number: Decimal | float) -> tuple[int, ...]:
    """Return the labels that a number stands for, each by its place from 1 on, in order.

    Raises:
        ValueError: it stands for no set of labels.
    """
    bits = int(number)
    if bits != number or not 0 <= bits < 1 << MOST_LABELS:
        raise UnfitValue(_("This number stands for no set of labels."), {})
    return tuple(place for place in range(1, MOST_LABELS + 1) if bits >> (place - 1) & 1)
