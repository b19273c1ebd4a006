"""The figure of agreement as its page shows it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from scoring.figures.cells import Notes
from scoring.figures.labels import Labels
from scoring.shown.wording import why

FIGURE = "agreement"
#: Columns after α: the coefficient and its sign.
SHOWN = (("ac2_ordinal", "AC2"), ("ac1", "AC1"), ("fleiss", "κ"), ("raw", "%"))
#: Raw agreement above this with α below that is the κ paradox.
HIGH_RAW, LOW_ALPHA = 0.8, 0.4
#: Pairs on fewer responses are greyed.
FEW = 15
PARAMS: Mapping[str, Any] = {}
Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Value:
    """A coefficient with its interval, or why there is none."""

    value: float | None
    low: float | None
    high: float | None
    why: str
    why_no_interval: str
    #: The number of its footnote: why there is no value, or no interval.
    note: int | None = None


@dataclass(frozen=True, slots=True)
class Bar:
    """The share of marks at a level; `top` is where a bar of at most 16 pixels begins."""

    level: str
    share: float
    height: float
    top: float
    left: int


@dataclass(frozen=True, slots=True)
class Part:
    """Agreement on one criterion of a capability, or on everything."""

    title: str
    below: str
    alpha: Value
    others: tuple[Value, ...]
    icc: Value | None
    n_units: int
    n_pairable: int
    n_raters: int
    bars: tuple[Bar, ...]
    paradox: bool
    method: str
    #: Of a mean over criteria: how many have no α and are left out.
    n_left_out: int = 0


@dataclass(frozen=True, slots=True)
class Square:
    """A place of the heat map; without a value it says why."""

    value: float | None
    n: int
    shade: str
    why: str


@dataclass(frozen=True, slots=True)
class Without:
    rater: str
    value: float | None
    change: float | None


@dataclass(frozen=True, slots=True)
class Share:
    """Of `of` responses, the percentage on which grades differ by a rule, or why there is none."""

    value: float | None
    n: int
    of: int
    why: str
    note: int | None


@dataclass(frozen=True, slots=True)
class Ratio:
    """Of a capability, the share of responses on which grades differ, by each rule."""

    title: str
    shares: tuple[Share, ...]


class Agreement:
    """Reads the figure; `labels` says what everything is called."""

    def __init__(self, data: Mapping[str, Any], labels: Labels) -> None:
        self._data = data
        self._labels = labels
        #: Under the table of coefficients, and under that of disagreement.
        self.notes, self.ratio_notes = Notes(), Notes()

    @property
    def is_empty(self) -> bool:
        return not self._data["parts"]

    @property
    def overall(self) -> Part:
        return _part(self._data["overall"], None, _("Everything together"), "", self.notes)

    @property
    def ceiling(self) -> Value:
        """Return ordinal α of the annotators with themselves: nobody agrees more with others."""
        found = self._data["again"]["coefficients"]
        value = _value(next(one for one in found if one["name"] == "alpha_ordinal"))
        if value.value is None and not self._data["again"]["n_marks"]:
            reason = "not_met_again" if self._data.get("has_repeats") else "no_repeats"
            return Value(None, None, None, why(reason), "")
        return value

    @property
    def n_again(self) -> int:
        """Return how many grades were given a second time."""
        n: int = self._data["again"]["n_pairable"]
        return n

    @property
    def parts(self) -> list[Part]:
        order = self._labels.in_order(one["capability"] for one in self._data["parts"])
        rows = sorted(self._data["parts"], key=lambda one: order.index(one["capability"]))
        return [
            _part(
                one["agreement"],
                one["icc"],
                self._labels.capability(one["capability"]),
                self._labels.criterion(one["criterion"]),
                self.notes,
            )
            for one in rows
        ]

    @property
    def paradoxes(self) -> list[Part]:
        return [part for part in self.parts if part.paradox]

    @property
    def raters(self) -> list[Any]:
        keys = {one[side] for one in self._data["pairs"] for side in ("left", "right")}
        return sorted(keys)

    @property
    def columns(self) -> list[str]:
        return [self._labels.rater(key) for key in self.raters[:-1]]

    @property
    def triangle(self) -> list[tuple[str, list[Square]]]:
        """Return a line for each rater but the first, with a square for each before them."""
        found = {(one["left"], one["right"]): one for one in self._data["pairs"]}
        keys = self.raters
        return [
            (
                self._labels.rater(low),
                [_square(found.get((left, low)) or found.get((low, left))) for left in keys[:n]],
            )
            for n, low in enumerate(keys)
            if n
        ]

    @property
    def without(self) -> list[Without]:
        rows = [
            Without(self._labels.rater(one["rater"]), one["value"], one["change"])
            for one in self._data["without"]
        ]
        return sorted(rows, key=lambda one: -(one.change or 0))

    @property
    def ratios(self) -> list[Ratio]:
        by_part: dict[Any, dict[str, Row]] = {}
        for rule, rows in self._data["disagreement"].items():
            for row in rows:
                by_part.setdefault(row["capability"], {})[rule] = row
        return [
            Ratio(
                self._labels.capability(part),
                tuple(
                    _share(by_part[part][rule], self.ratio_notes)
                    for rule in ("any", "polar", "range", "modal")
                ),
            )
            for part in self._labels.in_order(by_part)
        ]


def _part(row: Row, icc: Row | None, title: str, below: str, notes: Notes) -> Part:
    known = {one["name"]: one for one in row["coefficients"]}
    alpha, raw = known["alpha_ordinal"], known["raw"]
    form = next((one for one in icc["forms"] if one["form"] == "2,k"), None) if icc else None
    left_out = alpha.get("n_left_out", 0)
    return Part(
        title,
        below,
        _value(alpha, notes),
        tuple(_value(known[name], notes) for name, _sign in SHOWN),
        _value(form, notes) if form else None,
        row["n_units"],
        row["n_pairable"],
        row["n_raters"],
        tuple(
            Bar(f"{level:g}", 100 * share, 16 * share, 16 - 16 * share, 8 * n)
            for n, (level, share) in enumerate(
                zip(row.get("levels", ()), row.get("marginals", ()), strict=True)
            )
        ),
        (raw["value"] or 0) >= HIGH_RAW
        and alpha["value"] is not None
        and alpha["value"] < LOW_ALPHA,
        row["method"],
        left_out,
    )


def _value(row: Row, notes: Notes | None = None) -> Value:
    """Return a coefficient as it is read; why it is not whole goes among the notes."""
    reason = why(row["reason"])
    no_interval = "" if row["reason"] else why(row["interval_reason"])
    note = notes.number(reason or no_interval) if notes else None
    return Value(row["value"], row["low"], row["high"], reason, no_interval, note)


def _square(row: Row | None) -> Square:
    if row is None or row["value"] is None:
        return Square(None, row["n_units"] if row else 0, "few", why((row or {}).get("reason")))
    shade = "few" if row["n_units"] < FEW else f"h{min(4, max(0, int(row['value'] * 5)))}"
    return Square(row["value"], row["n_units"], shade, "")


def _share(row: Row, notes: Notes) -> Share:
    value = row["value"]["value"] * 100 if row["value"] else None
    reason = why(row["reason"])
    return Share(value, row["n_disputed"], row["n_pairs"], reason, notes.number(reason))
