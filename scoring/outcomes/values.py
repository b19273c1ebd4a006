"""What a run came to, in plain values: page, files and the API are all made of this.

A kind of run fills an `RunOutcome`: systems in a ranking with their intervals, their differences, and tables.
A table is wide on the page (a column for each system) and long for programs (a line for each value).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final

from django.utils.functional import Promise
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop

from annotation.common import texts
from evalsite.templatetags import ui
from scoring.charts import chart, plot
from scoring.charts.chart import Chart
from scoring.shown import sheet
from scoring.shown.sheet import ChartPicture, NothingDrawn
from scoring.shown.wording import why

Words = str | Promise
Data = Mapping[str, Any]
Record = dict[str, Any]
#: A difference whose corrected p is not below this could be chance.
SURE: Final = 0.05


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value with its interval, or why there is none; `n` of `n_held` count where both are known."""

    value: float | None
    low: float | None = None
    high: float | None = None
    n: int | None = None
    n_held: int | None = None
    why: str = ""
    p: float | None = None
    #: Something that marks the value, such as "named".
    mark: str = ""
    #: Where what it is made of can be read.
    url: str = ""

    @property
    def told(self) -> Record:
        """Return it as programs read it."""
        named = {"low": self.low, "high": self.high, "n": self.n, "n_held": self.n_held}
        return {"value": self.value, **named, "p": self.p, "reason": self.why, "mark": self.mark}

    def shown(self, digits: int) -> "ShownCell":
        small = [self.mark] if self.mark else []
        if self.low is not None and self.high is not None:
            small.append(ui.interval(self.low, self.high, digits))
        if self.p is not None:
            small.append(p_text(self.p, "p "))
        if self.n is not None:
            counted = {"n": self.n, "held": self.n_held}
            small.append(
                _("n\u00a0%(n)d") % counted
                if self.n_held in {None, self.n}
                else _("n\u00a0%(n)d of %(held)d") % counted
            )
        return ShownCell(ui.score(self.value, digits), tuple(small), self.url, why=self.why)


@dataclass(frozen=True, slots=True)
class Contender:
    """What is compared, and the ordinal of its colour and shape; None for what is no system."""

    name: str
    colour: int | None = None
    url: str = ""


@dataclass(frozen=True, slots=True)
class OutcomeWords:
    """What is one thing in words, and may lead somewhere, and another for programs."""

    text: str
    url: str = ""
    value: Any = None

    @property
    def told(self) -> Any:
        return self.text if self.value is None else self.value


Cell = Estimate | Contender | OutcomeWords | str | float | bool | None


@dataclass(frozen=True, slots=True)
class ShownCell:
    """A cell as the page shows it: what stands below it in small, where it leads, why it is empty."""

    text: str
    small: tuple[str, ...] = ()
    url: str = ""
    colour: int | None = None
    why: str = ""
    is_number: bool = True
    #: Of the note below the table that says why, from 1.
    note: int | None = None


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name for programs, its words, and what an estimate in it tells beside its value."""

    key: str
    title: Words
    digits: int = 1
    parts: tuple[str, ...] = ()
    is_p: bool = False

    @property
    def keys(self) -> list[str]:
        return [self.key, *(f"{self.key}_{part}" for part in self.parts)]

    def told(self, cell: Cell) -> list[Any]:
        """Return a cell by `keys`."""
        if isinstance(cell, Estimate):
            return [cell.value, *(cell.told[part] for part in self.parts)]
        plain = cell.name if isinstance(cell, Contender) else cell
        return [
            plain.told if isinstance(plain, OutcomeWords) else plain,
            *(None for _part in self.parts),
        ]

    def shown(self, cell: Cell) -> ShownCell:
        match cell:
            case Estimate():
                return cell.shown(self.digits)
            case Contender():
                return ShownCell(cell.name, url=cell.url, colour=cell.colour, is_number=False)
            case OutcomeWords():
                is_number = isinstance(cell.value, int | float) and not isinstance(cell.value, bool)
                return ShownCell(cell.text, url=cell.url, is_number=is_number)
            case bool():
                return ShownCell(_("yes") if cell else _("no"), is_number=False)
            case float() if self.is_p:
                return ShownCell(p_text(cell))
            case float():
                return ShownCell(ui.score(cell, self.digits))
        if cell is None or cell == "":
            return ShownCell("–", is_number=cell is None)
        return ShownCell(str(cell), is_number=not isinstance(cell, str))


@dataclass(frozen=True, kw_only=True)
class Table:
    """A table as it stands: rows of cells, one for each column.

    Args:
        name: in addresses and in the API.
        title, about: on the page; an empty title stands below the table before it.
        rows: the first cell heads its row.
        folded: shown when somebody opens it.
    """

    name: str
    title: Words
    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]
    about: Words = ""
    folded: bool = False

    @property
    def heads(self) -> Sequence[Column]:
        """Return the columns of the page."""
        return self.columns

    @property
    def keys(self) -> list[str]:
        """Return the columns for programs."""
        return [key for column in self.columns for key in column.keys]

    def records(self) -> Iterator[Record]:
        for row in self.rows:
            told = [
                one for of, cell in zip(self.columns, row, strict=True) for one in of.told(cell)
            ]
            yield dict(zip(self.keys, told, strict=True))

    @cached_property
    def lines(self) -> list[list[ShownCell]]:
        """Return the rows as the page shows them; why a cell is empty is numbered."""
        heads = self.heads
        rows = [[of.shown(cell) for of, cell in zip(heads, row, strict=False)] for row in self.rows]
        noted = list(dict.fromkeys(one.why for row in rows for one in row if one.why))
        return [
            [replace(one, note=noted.index(one.why) + 1) if one.why else one for one in row]
            for row in rows
        ]

    @property
    def titles(self) -> list[tuple[Words, bool]]:
        """Return the heads of the page's columns, and whether numbers stand below them."""
        first = self.lines[0] if self.lines else [ShownCell("") for _head in self.heads]
        return [
            (head.title, bool(place) and one.is_number)
            for place, (head, one) in enumerate(zip(self.heads, first, strict=True))
        ]

    @property
    def texts(self) -> list[str]:
        """Return why cells are empty, in the order of their numbers."""
        return list(dict.fromkeys(one.why for row in self.lines for one in row if one.why))


@dataclass(frozen=True, kw_only=True)
class Grid(Table):
    """A table of one estimate a cell: `columns` head the rows, and each system has a column of its own.

    For programs it is long: a line for each row and system. Nothing stands where a cell is None.
    """

    systems: Sequence[Contender]
    digits: int = 1
    #: What the systems are called for programs.
    across: str = "system"
    parts: tuple[str, ...] = ("low", "high", "n", "n_held", "reason")
    #: Whether its rows are drawn below the ranking.
    is_drawn: bool = False

    @property
    def keys(self) -> list[str]:
        return [*(one.key for one in self.columns), self.across, "value", *self.parts]

    @property
    def heads(self) -> Sequence[Column]:
        return [*self.columns, *(Column("", one.name, self.digits) for one in self.systems)]

    def records(self) -> Iterator[Record]:
        n = len(self.columns)
        for row in self.rows:
            named = [of.told(cell)[0] for of, cell in zip(self.columns, row, strict=False)]
            for system, cell in zip(self.systems, row[n:], strict=True):
                if isinstance(cell, Estimate):
                    told = [cell.told[part] for part in ("value", *self.parts)]
                    yield dict(zip(self.keys, [*named, system.name, *told], strict=True))


@dataclass(frozen=True, slots=True)
class RankedSystem:
    """A system in the ranking, drawn with its whisker on the ranking's axis."""

    system: Contender
    estimate: Estimate
    digits: int
    drawing: SafeString

    @property
    def shown(self) -> ShownCell:
        return self.estimate.shown(self.digits)


@dataclass(frozen=True, kw_only=True)
class Ranking:
    """Systems by one figure, the highest first; those without one come last.

    Args:
        title: of the figure.
        unit: what stands below the drawing.
        bounds: beyond which no value can lie; None where the axis is to be as wide as they lie.
        at: a value to compare with, such as chance.
        is_better: whether more of it is better; where that is not known, nobody is called ahead.
    """

    title: Words
    unit: Words
    rows: Sequence[tuple[Contender, Estimate]]
    about: Words = ""
    bounds: tuple[float, float] | None = (0, 100)
    digits: int = 1
    at: float | None = None
    is_better: bool = True
    name: str = field(default="ranking", init=False)
    keys: tuple[str, ...] = field(
        default=("system", "value", "low", "high", "n", "n_held", "reason"), init=False
    )

    @cached_property
    def ordered(self) -> list[tuple[Contender, Estimate]]:
        return sorted(self.rows, key=lambda row: (row[1].value is None, -(row[1].value or 0)))

    def records(self) -> Iterator[Record]:
        for system, one in self.ordered:
            told = {"system": system.name, **one.told}
            yield {key: told[key] for key in self.keys}

    @cached_property
    def axis(self) -> plot.Axis:
        ends = [end for _system, one in self.rows for end in (one.value, one.low, one.high)]
        if self.bounds is None and any(end is not None for end in ends):
            return chart.around(ends)
        return plot.axis(ends, bounds=self.bounds or (0, 1), through=self.at)

    @property
    def ruler(self) -> SafeString:
        return _safe(plot.ruler(self.axis))

    @cached_property
    def lines(self) -> list[RankedSystem]:
        return [
            RankedSystem(system, one, self.digits, _safe(self._drawn(system, one)))
            for system, one in self.ordered
        ]

    def _drawn(self, system: Contender, one: Estimate) -> str:
        mark = plot.Whisker(one.value, one.low, one.high, system.colour)
        shown = one.shown(self.digits)
        label = ", ".join([f"{system.name}: {shown.text}", *shown.small])
        return plot.row(mark, self.axis, label=label, zero=self.at)

    @property
    def notes(self) -> list[str]:
        return list(dict.fromkeys(one.why for _system, one in self.ordered if one.why))


@dataclass(frozen=True, slots=True)
class OutcomeDifference:
    """`left` minus `right`, with p as it is and after Holm's correction."""

    left: Contender
    right: Contender
    estimate: Estimate
    p: float | None = None
    p_holm: float | None = None

    @property
    def is_sure(self) -> bool:
        low, high = self.estimate.low, self.estimate.high
        apart = low is not None and high is not None and not low <= 0 <= high
        return apart and (self.p_holm is None or self.p_holm < SURE)


@dataclass(frozen=True, kw_only=True)
class DifferencesTable(Table):
    """The differences of pairs as a table; `pairs` are what it is made of, and p stands last, if any has one."""

    pairs: Sequence[OutcomeDifference]

    @property
    def heads(self) -> Sequence[Column]:
        is_tested = any(one.p is not None for one in self.pairs)
        return [one for one in self.columns if is_tested or not one.is_p]


def differences(
    pairs: Sequence[OutcomeDifference], *, about: Words = "", digits: int = 1, folded: bool = True
) -> DifferencesTable:
    """Return pairs as the table that every kind of run shows of them."""
    rows = [(one.left, one.right, one.estimate, one.p, one.p_holm) for one in pairs]
    return DifferencesTable(
        name="differences",
        title=gettext_lazy("In pairs"),
        about=about,
        folded=folded,
        pairs=pairs,
        rows=rows,
        columns=(
            Column("left", gettext_lazy("System")),
            Column("right", gettext_lazy("minus")),
            Column(
                "difference", gettext_lazy("Difference"), digits, ("low", "high", "n", "reason")
            ),
            Column("p", "p", is_p=True),
            Column("p_holm", gettext_lazy("p, Holm"), is_p=True),
        ),
    )


@dataclass(frozen=True, slots=True)
class OutcomeDrawing:
    """A drawing, by its name in addresses and its title."""

    name: str
    title: Words
    chart: Chart

    @property
    def picture(self) -> ChartPicture | None:
        return sheet.picture(lambda: self.chart)


@dataclass(frozen=True, kw_only=True)
class RunOutcome:
    """What a run came to.

    Args:
        ranking: systems by one figure; None where none is above the others.
        differences: of its systems.
        tables: what else there is, in their order.
        said: the verdict in a sentence, where the ranking does not say it.
        is_warning: the verdict is a reason to look.
        pictures: drawings of its own; a table has what they show.
        method: how intervals and tests were made.
        hints: sentences that follow.
    """

    ranking: Ranking | None = None
    differences: DifferencesTable | None = None
    tables: Sequence[Table] = ()
    said: str = ""
    is_warning: bool = False
    pictures: Sequence[OutcomeDrawing] = ()
    method: Words = ""
    hints: Sequence[Words] = ()

    @property
    def verdict(self) -> str:
        if self.said or self.ranking is None:
            return self.said
        return verdict(self.ranking, self.differences)

    @property
    def heading(self) -> str:
        """Return the verdict as a heading says it; "" where a warning has to stand apart from it."""
        return "" if self.is_warning else self.verdict.rstrip(".")

    @property
    def every_table(self) -> Sequence[Table]:
        return [*([self.differences] if self.differences else []), *self.tables]

    @property
    def sheets(self) -> Mapping[str, "Table | Ranking"]:
        """Return what can be had as a file, by name."""
        every: list[Table | Ranking] = [self.ranking] if self.ranking else []
        every += self.every_table
        return {one.name: one for one in every}

    def drawing(self, name: str = "") -> Chart:
        """Return the picture of this name; or draw the ranking, then the rows of tables that belong to it.

        Raises:
            NothingDrawn: there is no ranking.
        """
        if found := [one.chart for one in self.pictures if one.name == name]:
            return found[0]
        if self.ranking is None or all(one.value is None for _s, one in self.ranking.rows):
            raise NothingDrawn
        of = self.ranking
        rows = list(_rows("", of.rows, of.digits))
        for grid in self.tables:
            if isinstance(grid, Grid) and grid.is_drawn:
                for row in grid.rows:
                    cells = [one for one in row if isinstance(one, Estimate)]
                    pairs = list(zip(grid.systems, cells, strict=True))
                    head = grid.columns[-1].told(row[len(grid.columns) - 1])[0]
                    rows += _rows(str(head), pairs, of.digits)
        rules = [] if of.at is None else [plot.RuledValue(of.at, "")]
        title, unit = str(of.title), str(of.unit)
        return chart.forest(rows, of.axis, label=title, caption=unit, digits=of.digits, rules=rules)


def _safe(drawn: str) -> SafeString:
    return mark_safe(drawn)  # noqa: S308 - what is drawn escapes its words


def _rows(
    head: str, pairs: Sequence[tuple[Contender, Estimate]], digits: int
) -> Iterator[chart.ForestRow]:
    for place, (system, one) in enumerate(pairs):
        yield chart.ForestRow(
            system.name,
            one.value,
            one.low,
            one.high,
            note=one.why if one.value is None else f"n {one.n}",
            ordinal=system.colour,
            head="" if place else head,
        )


def verdict(ranking: Ranking, found: DifferencesTable | None) -> str:
    """Return in a sentence which system is ahead, and whether that could be chance."""
    known = [row for row in ranking.ordered if row[1].value is not None]
    if found is None or len(known) < 2:
        return ""
    (first, best), (second, next_best) = known[:2]
    names = {"first": first.name, "second": second.name}
    if best.value == next_best.value:
        return _("%(first)s and %(second)s come out equal.") % names
    gap = _gap(first, second, found.pairs)
    if gap is None or gap.estimate.low is None:
        return _("%(first)s comes out highest; certainty unknown.") % names
    if not gap.is_sure:
        return _("%(first)s is highest, but its lead over %(second)s could be chance.") % names
    lead = (gap.estimate.value or 0) * (1 if gap.left == first else -1)
    said = _AHEAD[ranking.is_better, lead >= 0]
    return _(said) % {**names, "by": ui.score(abs(lead), ranking.digits)}


#: By whether more is better, and whether whoever is higher is so on what both have as well.
_AHEAD: Final = {
    (True, True): gettext_noop("%(first)s is ahead of %(second)s by %(by)s."),
    (True, False): gettext_noop("On common questions, %(second)s is ahead of %(first)s by %(by)s."),
    (False, True): gettext_noop("%(first)s is %(by)s higher than %(second)s."),
    (False, False): gettext_noop(
        "On common questions, %(second)s is %(by)s higher than %(first)s."
    ),
}


def _gap(
    first: Contender, second: Contender, pairs: Sequence[OutcomeDifference]
) -> OutcomeDifference | None:
    both = {first, second}
    return next((one for one in pairs if {one.left, one.right} == both), None)


def estimate(found: Data, *, scale: float = 1.0) -> Estimate:
    """Return the estimate in a stored figure; its reason may be one for the interval alone."""

    def scaled(name: str) -> float | None:
        value = found.get(name)
        return None if value is None else scale * value

    reason = found.get("reason") or found.get("interval_reason")
    return Estimate(
        scaled("value"),
        scaled("low"),
        scaled("high"),
        found.get("n"),
        found.get("n_held"),
        why(reason),
        found.get("p"),
    )


def pairs_of(rows: Sequence[Data], systems: Sequence[Contender]) -> list[OutcomeDifference]:
    """Return the pairs of a stored figure; `left` and `right` are places among the systems."""
    return [
        OutcomeDifference(
            systems[one["left"]],
            systems[one["right"]],
            replace(estimate(one), p=None),
            one["p"],
            one["p_holm"],
        )
        for one in rows
    ]


def p_text(p: float, before: str = "") -> str:
    return f"{before}< 0.001" if p < 0.001 else f"{before}{p:.3f}"


def csv_lines(of: "Table | Ranking", chosen: Mapping[str, str], note: str) -> Iterator[str]:
    """Yield a table as CSV; each line says under which choices it was made, and whether by a script."""
    said = "; ".join(f"{name}={value}" for name, value in chosen.items())
    yield sheet.as_csv([[*of.keys, "choices", "note"]])
    for one in of.records():
        cells = [texts.neutral(c) if isinstance(c, str) else c for c in (*one.values(), said, note)]
        yield sheet.as_csv([[sheet.cell(cell) for cell in cells]])


def resampled(found: Data) -> str:
    """Return how intervals over questions came about, and what they and the tests rest on."""
    said = _(
        "95 %% intervals: %(resamples)d resamples of the questions, from five on, two of "
        "each data set, unless all came out the same."
    )
    seed = "" if found.get("seed") is None else _("seed %(seed)d") % {"seed": found["seed"]}
    parts = (found["method"], found.get("test"), seed, f"n {found['n_questions']}")
    more = "; ".join(filter(None, parts))
    return f"{said % {'resamples': found['resamples']}} {more}."
