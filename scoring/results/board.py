"""The page of scores: a ranking, how sure each place is, and where the systems differ."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import urlencode

from django.contrib.humanize.templatetags.humanize import ordinal
from django.utils.functional import Promise
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from evalsite.templatetags.ui import interval, score
from scoring.charts import plot
from scoring.charts.plot import Axis, Whisker
from scoring.figures.cells import NOWHERE, HeadlineLine, RankRange, ScoreCell, ScoreGap
from scoring.figures.labels import NONE
from scoring.results.asked import Cut
from scoring.results.queries import SCORE, ResultPart, RoundResult, Shares
from scoring.shown.names import Name
from scoring.stats.claims import Certainty, Claim, ClaimDifference, LabelsFigure

#: Under so many questions a part is in no ranking: its cells are hatched and its marks pale.
FEW = 5
#: So many shades a heat map has.
STEPS = 5
FIGURES: Mapping[str, Promise] = {
    SCORE: gettext_lazy("Score"),
    "accuracy": gettext_lazy("Accuracy"),
}
ROWS: Mapping[str, Promise] = {
    "capability": gettext_lazy("Capability"),
    "criterion": gettext_lazy("Criterion"),
    "area": gettext_lazy("Topic"),
}
#: How an address names a part, by what the parts are.
AT = {"capability": "node", "criterion": "criterion", "area": "domain"}


@dataclass(frozen=True, slots=True)
class RankedPlace:
    """A system in the ranking: its figure, its place, and how sure that place is."""

    name: Name
    cell: ScoreCell
    rank: str
    certainty: Certainty
    drawing: SafeString


@dataclass(frozen=True, slots=True)
class Shade:
    """A field of the heat map: the figure, its shade (h0 to h4, few, na), and where its grades open."""

    name: Name
    cell: ScoreCell
    shade: str
    at: str


@dataclass(frozen=True, slots=True)
class HeatRow:
    """A part in the heat map and as a small chart; `lead` says who is ahead of the next by how much.

    `why` says why there is no figure, where there is none at all.
    """

    title: str
    shades: tuple[Shade, ...]
    n_questions: int
    lead: str
    certainty: Certainty | None
    panel: SafeString
    why: str = ""

    @property
    def is_few(self) -> bool:
        return self.n_questions < FEW


@dataclass(frozen=True, slots=True)
class GapPair:
    """Two systems in the forest of differences."""

    gap: ScoreGap
    drawing: SafeString


@dataclass(frozen=True, slots=True)
class LabelGap:
    """A label that one system gets more often than another, beyond chance by one claim at least."""

    label: str
    gap: ScoreGap


@dataclass(frozen=True, slots=True)
class LabelBlock:
    """The labels of a criterion: how often each system got them, and which systems differ."""

    title: str
    several: bool
    result: RoundResult
    rows: tuple[HeatRow, ...]
    gaps: tuple[LabelGap, ...]

    @property
    def title_of_rows(self) -> str:
        return _("Label")


@dataclass(frozen=True, slots=True)
class Switch:
    """One of several things to look at, and the query of the page that shows it."""

    title: str
    query: str
    is_on: bool


class ResultsBoard:
    """Arranges the results of a round; `query` holds what else than the cut the address asks for."""

    def __init__(
        self, cut: Cut, data: Mapping[str, Any], query: Mapping[str, str], claim: Claim
    ) -> None:
        figure = query.get("figure", "")
        self.figure = figure if figure in FIGURES else SCORE
        self.criteria = _criteria(data["views"])
        asked = query.get("criterion", "")
        self.criterion = asked if asked in self.criteria else ""
        view = f"{self.figure}/{self.criterion}" if self.criterion else self.figure
        self.result: RoundResult = cut.result(data, claim, view)
        self._cut = cut
        self._asked = query

    @cached_property
    def by(self) -> str:
        """Return what the rows of the heat map are: as asked for, else the first there is."""
        known = list(dict.fromkeys(one.by for one in self.result.pieces))
        asked = self._asked.get("by", "")
        return asked if asked in known else next(iter(known), "")

    @property
    def title_of_rows(self) -> str:
        return str(ROWS[self.by])

    def _switch(self, **chosen: str) -> str:
        kept = {"figure": self.figure, "criterion": self.criterion, "by": self._asked.get("by", "")}
        asked = {**kept, "claim": self._asked.get("claim", ""), **chosen}
        if asked["figure"] == SCORE:
            asked["figure"] = ""
        return urlencode([*self._cut.pairs, *((key, text) for key, text in asked.items() if text)])

    @property
    def figures(self) -> list[Switch]:
        return [
            Switch(str(title), self._switch(figure=key), key == self.figure)
            for key, title in FIGURES.items()
        ]

    @property
    def criterion_switches(self) -> list[Switch]:
        """Return all criteria together and each alone; nothing where there is only one."""
        if not self.criteria:
            return []
        titles = {"": _("All criteria"), **{key: self._criterion(key) for key in self.criteria}}
        return [
            Switch(title, self._switch(criterion=key), key == self.criterion)
            for key, title in titles.items()
        ]

    @property
    def row_switches(self) -> list[Switch]:
        known = dict.fromkeys(one.by for one in self.result.pieces)
        return [Switch(str(ROWS[by]), self._switch(by=by), by == self.by) for by in known]

    def _criterion(self, key: str) -> str:
        return self._cut.labels.criterion(key)

    @cached_property
    def axis(self) -> Axis:
        """Return the axis of the ranking: from one round number to another around all whiskers."""
        cells = [line.overall for line in self.result.headline]
        return plot.axis(_ends(cells), bounds=(0, 100))

    @property
    def ruler(self) -> SafeString:
        return drawn_safely(plot.ruler(self.axis))

    @cached_property
    def places(self) -> list[RankedPlace]:
        """Return the systems from the highest figure down; those without one come last."""
        return [
            RankedPlace(
                line.name,
                line.overall,
                *self._rank(line.name),
                drawn_safely(self._drawn(line)),
            )
            for line in self.result.headline
        ]

    def _drawn(self, line: HeadlineLine) -> str:
        mark = _mark(line.name, line.overall)
        return plot.row(mark, self.axis, label=_said(line.name, line.overall))

    @property
    def reasons(self) -> list[str]:
        """Return why lines of the ranking have no whisker, each reason once."""
        found = [line.overall.why_no_interval for line in self.result.headline]
        return [text for text in dict.fromkeys(found) if text]

    def _rank(self, name: Name) -> tuple[str, Certainty]:
        """Return the place of a system in words, with the widest claim that settles it."""
        these, others = (self.result.standing(name, claim) for claim in Claim)
        if self._is_ranked and these.low is not None and these.low == these.high:
            return rank(these), Certainty.CLEAR if others == these else Certainty.LIKELY
        found = self.result.standing(name, self.result.claim)
        near = [one for one in self.result.gaps if name in (one.left, one.right)]
        open_ones = [one for one in near if one.certainty in (Certainty.OPEN, Certainty.EQUAL)]
        is_equal = bool(open_ones) and all(one.certainty is Certainty.EQUAL for one in open_ones)
        return rank(found), Certainty.EQUAL if is_equal else Certainty.OPEN

    @property
    def _is_ranked(self) -> bool:
        """Whether there are two systems that stand in an order."""
        return sum(line.overall.value is not None for line in self.result.headline) > 1

    @cached_property
    def pair_axis(self) -> Axis:
        """Return the axis of the differences, nought on it."""
        ends = [end for gap in self.result.gaps for end in (gap.low, gap.high, _number(gap.value))]
        return plot.axis(ends, most=5, bounds=(-100, 100), through=0)

    @property
    def pair_ruler(self) -> SafeString:
        return drawn_safely(plot.ruler(self.pair_axis))

    @cached_property
    def pairs(self) -> list[GapPair]:
        return [GapPair(gap, _drawn(gap, self.pair_axis)) for gap in self.result.gaps]

    @cached_property
    def rows(self) -> list[HeatRow]:
        """Return the parts, widest apart first where they are areas or capabilities of one kind."""
        pieces = [one for one in self.result.pieces if one.by == self.by]
        cells = [cell for one in pieces for cell in one.cells.values()]
        on = plot.axis(_ends(cells), most=4, bounds=(0, 100))
        return [self._row(one, on) for one in self._ordered(pieces)]

    def _ordered(self, pieces: Sequence[ResultPart]) -> list[ResultPart]:
        if self.by != "capability":
            return sorted(pieces, key=lambda one: (one.key is None, self._title(one)))
        order = {pk: n for n, pk in enumerate(self.result.capabilities)}
        return sorted(pieces, key=lambda one: order.get(one.key, 0))

    def _title(self, piece: ResultPart) -> str:
        if piece.by == "criterion":
            return self._criterion(piece.key)
        if piece.by == "capability":
            return self.result.title(piece.key)
        if piece.key is None:
            return _("Without a topic")
        areas = self._cut.selection.ground.domains.branches
        known = {one.key: one.title for one in areas}
        return known.get(str(piece.key), _("Removed topic"))

    def _row(self, piece: ResultPart, on: Axis) -> HeatRow:
        n = max((cell.n_questions for cell in piece.cells.values()), default=0)
        cells = {name: piece.cells.get(name.release, NOWHERE) for name in self.result.names}
        title = self._title(piece)
        is_told = n >= FEW and piece.lead is not None and piece.lead.value is not None
        return HeatRow(
            title,
            tuple(
                Shade(name, cell, self._shade(cell, n), self._at(piece, name))
                for name, cell in cells.items()
            ),
            n,
            _ahead(piece.lead) if is_told and piece.lead else "",
            piece.lead.certainty if is_told and piece.lead else None,
            self._panel(title, cells, on),
        )

    def _at(self, piece: ResultPart, name: Name) -> str:
        """Return the part of an address that opens the grades behind a field."""
        key = NONE if piece.key is None else str(piece.key)
        at = {"criterion": self.criterion} if self.criterion else {}
        at[AT[piece.by]] = f"c-{key}" if piece.by == "capability" else key
        at["release"] = str(self.result.places[name.release])
        return urlencode([(f"at_{part}", text) for part, text in at.items()])

    @cached_property
    def labels(self) -> list[LabelBlock]:
        """Return the criteria whose marks are labels."""
        return [self._labels(one) for one in self.result.data.labels]

    @property
    def label_pairs(self) -> list[ClaimDifference]:
        """Return every two systems on every label."""
        return [
            pair for of in self.result.data.labels for one in of.labels for pair in one.differences
        ]

    def _labels(self, found: LabelsFigure) -> LabelBlock:
        known = self.result.shares(found)
        cells = [cell for one in known for cell in one.cells.values()]
        on = plot.axis(_ends(cells), most=4, bounds=(0, 100))
        return LabelBlock(
            self._criterion(found.criterion),
            found.several,
            self.result,
            tuple(self._share(one, found.n_questions, on) for one in known),
            tuple(
                LabelGap(one.title, gap)
                for one in known
                for gap in one.gaps
                if gap.certainty in (Certainty.CLEAR, Certainty.LIKELY)
            ),
        )

    def _share(self, one: Shares, n_questions: int, on: Axis) -> HeatRow:
        cells = {name: one.cells.get(name.release, NOWHERE) for name in self.result.names}
        shades = tuple(Shade(name, cell, "", "") for name, cell in cells.items())
        return HeatRow(one.title, shades, n_questions, "", None, self._panel(one.title, cells, on))

    def _panel(self, title: str, cells: Mapping[Name, ScoreCell], on: Axis) -> SafeString:
        marks = [_mark(name, cell) for name, cell in cells.items()]
        said = ", ".join(f"{name.text} {score(cell.value)}" for name, cell in cells.items())
        return drawn_safely(plot.panel(marks, on, label=f"{title}: {said}"))

    @cached_property
    def range(self) -> tuple[int, int]:
        """Return between which figures the shades of the heat map run, in tens."""
        known = [
            float(cell.value)
            for one in self.result.pieces
            if one.by == self.by
            for cell in one.cells.values()
            if cell.value is not None
        ]
        low = int(min(known, default=0) // 10) * 10
        return min(low, 90), max(-int(-max(known, default=100) // 10) * 10, low + 10)

    def _shade(self, cell: ScoreCell, n_questions: int) -> str:
        if cell.value is None:
            return "na"
        if n_questions < FEW:
            return "few"
        low, high = self.range
        return f"h{min(int((float(cell.value) - low) / (high - low) * STEPS), STEPS - 1)}"


def _criteria(views: Iterable[str]) -> list[str]:
    # In an order of their own: PostgreSQL keeps the keys of an object in another one.
    return sorted(key.partition("/")[2] for key in views if key.startswith(f"{SCORE}/"))


def _number(value: Any) -> float | None:
    return None if value is None else float(value)


def _ends(cells: Sequence[ScoreCell]) -> list[float | None]:
    return [end for one in cells for end in (_number(one.value), one.low, one.high)]


def drawn_safely(drawn: str) -> SafeString:
    return mark_safe(drawn)  # noqa: S308 - texts in it are escaped


def _mark(name: Name, cell: ScoreCell) -> Whisker:
    return Whisker(_number(cell.value), cell.low, cell.high, name.mark)


def _said(name: Name, cell: ScoreCell) -> str:
    """Return in words what a line of the ranking shows."""
    words = {"name": name.text, "value": score(cell.value)}
    if cell.value is None:
        return _("%(name)s: no figure") % words
    if cell.low is None:
        return _("%(name)s: %(value)s, no interval") % words
    return _("%(name)s: %(value)s, %(interval)s") % {
        **words,
        "interval": interval(cell.low, cell.high),
    }


def _drawn(gap: ScoreGap, on: Axis) -> SafeString:
    words = {"left": gap.left.text, "right": gap.right.text, "n": score(_number(gap.value))}
    label = _("%(left)s minus %(right)s: %(n)s") % words
    if gap.low is not None:
        label = f"{label}, {interval(gap.low, gap.high)}"
    mark = Whisker(_number(gap.value), gap.low, gap.high)
    return drawn_safely(plot.row(mark, on, label=label, height=28, zero=0))


def _ahead(gap: ScoreGap) -> str:
    """Return who is ahead of the next, and by how many points."""
    if not gap.value:
        return _("Level")
    first = gap.left if gap.value > 0 else gap.right
    return _("%(name)s by %(n)s") % {"name": first.text, "n": score(abs(gap.value))}


def rank(standing: RankRange) -> str:
    """Return between which places a system stands, in words."""
    low, high = standing.low, standing.high
    if low is None or high is None:
        return ""
    words = {"low": ordinal(low), "high": ordinal(high)}
    if low == high:
        return str(words["low"])
    return (_("%(low)s or %(high)s") if high - low == 1 else _("%(low)s to %(high)s")) % words
