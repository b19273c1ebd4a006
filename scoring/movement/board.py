"""The page of score changes: what moved a score, as a title, in sentences and as waterfalls."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from evalsite.templatetags.ui import interval, score
from scoring.charts import plot
from scoring.charts.plot import Axis, WaterfallStep, Whisker
from scoring.movement.causes import MovementFigure
from scoring.movement.queries import (
    ChosenMovement,
    MovementCause,
    MovementOfCriterion,
    ShownMovement,
)
from scoring.results.facts import ResultFact
from scoring.shown.wording import listed


@dataclass(frozen=True, slots=True)
class WaterfallRow:
    """A line of a waterfall: an end or a step; `look` is up or down where the step is sure."""

    title: str
    value: str
    low: float | None
    high: float | None
    look: str
    drawing: SafeString


class Fall:
    """The way of a score from one round to the other, cause by cause, by fixed effects."""

    def __init__(self, title: str, shown: ShownMovement, chosen: ChosenMovement) -> None:
        self.title = title
        self.shown = shown
        self._chosen = chosen
        self._causes = shown.known
        first, self._last = shown.exact
        heights = list(accumulate((one.exact or 0.0 for one in self._causes), initial=first))
        if abs(heights[-1] - self._last) > 1e-6:
            raise ValueError("The steps do not add up to the change.")
        self._steps = [
            WaterfallStep(at, one.exact or 0.0, one.low, one.high)
            for at, one in zip(heights, self._causes, strict=False)
        ]

    @property
    def _totals(self) -> tuple[Whisker, Whisker]:
        mark = self._chosen.system.colour
        values, sides = self.shown.exact, ("before", "after")
        first, last = (
            Whisker(value, *self.shown.ends(side), mark)
            for value, side in zip(values, sides, strict=True)
        )
        return first, last

    @property
    def places(self) -> list[float | None]:
        """Return everything that must lie on the axis."""
        totals = [end for one in self._totals for end in (one.value, one.low, one.high)]
        return [*totals, *(end for one in self._steps for end in (one.at, one.end, *one.ends))]

    def rows(self, on: Axis) -> list[WaterfallRow]:
        first, last = self._totals
        steps = zip(self._causes, self._steps, strict=True)
        return [
            _total(self._chosen.before.name, first, on, is_first=True),
            *(_step(cause, step, on) for cause, step in steps),
            _total(self._chosen.after.name, last, on, is_first=False),
        ]

    def file(self) -> str:
        """Return the waterfall as a file."""
        on = axis([self])
        lines = [plot.ChartLine("", plot.ruler(on, height=18), height=18)]
        lines += [
            plot.ChartLine(one.title, one.drawing, _words(one.value, one.low, one.high), plot.STEP)
            for one in self.rows(on)
        ]
        title = f"{self._chosen.system.name}: {self.title}" if self.title else ""
        return plot.file(lines, label=title or self._chosen.system.name)


@dataclass(frozen=True, slots=True)
class Waterfall:
    """A waterfall as a page shows it."""

    title: str
    shown: ShownMovement
    ruler: SafeString
    rows: list[WaterfallRow]


def waterfalls(falls: Sequence[Fall]) -> list[Waterfall]:
    """Return waterfalls on one axis, so that they can be compared."""
    on = axis(falls)
    ruler = _safe(plot.ruler(on))
    return [Waterfall(one.title, one.shown, ruler, one.rows(on)) for one in falls]


def axis(falls: Sequence[Fall]) -> Axis:
    """Return the axis of waterfalls: around every end and every interval."""
    return plot.axis(place for one in falls for place in one.places)


def _total(title: str, mark: Whisker, on: Axis, *, is_first: bool) -> WaterfallRow:
    value = score(mark.value)
    label = f"{title}: {_words(value, mark.low, mark.high)}"
    drawn = plot.total(mark, on, label=label, is_first=is_first)
    return WaterfallRow(title, value, mark.low, mark.high, "total", _safe(drawn))


def _step(cause: MovementCause, step: WaterfallStep, on: Axis) -> WaterfallRow:
    value = signed(cause)
    look = ("up" if step.by >= 0 else "down") if step.is_sure else ""
    label = f"{cause.title}: {_words(value, cause.low, cause.high)}"
    drawn = plot.step(step, on, label=label)
    return WaterfallRow(cause.title, value, cause.low, cause.high, look, _safe(drawn))


def _words(value: str, low: float | None, high: float | None) -> str:
    return value if low is None else f"{value}, {interval(low, high)}"


def _safe(drawn: str) -> SafeString:
    return mark_safe(drawn)  # noqa: S308 - texts in it are escaped


def title(name: str, shown: ShownMovement, criteria: Sequence[MovementOfCriterion] = ()) -> str:
    """Return what moved, as far as the intervals allow: of the whole, else of single criteria."""
    ways = [(one.title, _way(one.shown)) for one in criteria]
    ups = listed([title for title, way in ways if way > 0])
    downs = listed([title for title, way in ways if way < 0])
    words = {"name": name, "points": score(abs(shown.change)), "ups": ups, "downs": downs}
    if ups and downs:
        return _("%(name)s rose on %(ups)s, but fell on %(downs)s") % words
    if _way(shown):
        return _moved_by(shown, words)
    if ups:
        return _("%(name)s rose on %(ups)s; overall the change could be chance") % words
    if downs:
        return _("%(name)s fell on %(downs)s; overall the change could be chance") % words
    return _unsure(shown, words)


def _way(shown: ShownMovement) -> int:
    """Return whether a score rose (1) or fell (-1) beyond chance; 0 where that is open."""
    low, high = shown.ends()
    if low is None or high is None or low <= 0 <= high:
        return 0
    return 1 if low > 0 else -1


def _moved_by(shown: ShownMovement, words: dict[str, str]) -> str:
    rose = shown.change > 0
    cause = _main(shown)
    if cause is None and rose:
        return _("%(name)s rose by %(points)s points") % words
    if cause is None:
        return _("%(name)s fell by %(points)s points") % words
    words = {**words, "cause": cause.by}
    if rose:
        return _("%(name)s rose by %(points)s points, mainly by %(cause)s") % words
    return _("%(name)s fell by %(points)s points, mainly by %(cause)s") % words


def _main(shown: ShownMovement) -> MovementCause | None:
    """Return the cause that stands out and makes half of the change or more."""
    change = shown.exact[1] - shown.exact[0]
    sure = [one for one in shown.known if one.is_sure and (one.exact or 0) * change > 0]
    found = max(sure, key=lambda one: abs(one.exact or 0), default=None)
    return found if found and abs(found.exact or 0) >= abs(change) / 2 else None


def _unsure(shown: ShownMovement, words: dict[str, str]) -> str:
    if not shown.change:
        return _("%(name)s stands where it stood") % words
    if shown.ends()[0] is None:
        if shown.change > 0:
            return _("%(name)s rose by %(points)s points; no interval") % words
        return _("%(name)s fell by %(points)s points; no interval") % words
    if shown.change > 0:
        return _("%(name)s rose by %(points)s points, which could be chance") % words
    return _("%(name)s fell by %(points)s points, which could be chance") % words


def facts(movement: MovementFigure, shown: ShownMovement, url: str) -> list[ResultFact]:
    """Return what ties the two rounds together."""
    pairs = movement.pairs
    either = pairs.common + pairs.gone + pairs.new
    found = [
        ResultFact(_("Common questions"), str(pairs.common), _("of %(n)d") % {"n": either}, url),
        ResultFact(
            _("Unchanged answers"),
            str(pairs.same_responses),
            _("of %(n)d to common questions") % {"n": pairs.common},
            url,
        ),
    ]
    if shown.drift is not None:
        note = _("points, unchanged items")
        found.append(ResultFact(_("Drift"), score(shown.drift), note))
    return found


def sentences(shown: ShownMovement, criteria: Sequence[MovementOfCriterion] = ()) -> list[str]:
    """Return which way the score went, which causes stand out, and what the system itself did.

    Where it moved on single criteria beyond chance, that is said as well: what rose on one and fell on
    another may come to nothing together.
    """
    told = (_moved(shown), _standing_out(shown.known), _own(shown), _on_criteria(criteria))
    return [sentence for sentence in told if sentence]


def subtitle(shown: ShownMovement) -> str:
    """Return by how much the score moved and what the system itself did."""
    return " ".join(text for text in (_moved(shown), _own(shown)) if text)


def _on_criteria(criteria: Sequence[MovementOfCriterion]) -> str:
    moved = [one for one in criteria if _way(one.shown)]
    if not moved:
        return ""
    return _("By criterion: %(moved)s.") % {"moved": "; ".join(map(_on_criterion, moved))}


def _on_criterion(one: MovementOfCriterion) -> str:
    change = one.shown.change
    clear = [cause for cause in one.shown.causes if cause.is_sure]
    words = {
        "name": one.title,
        "points": f"+{score(change)}" if change > 0 else score(change),
        "causes": ", ".join(f"{cause.title} ({signed(cause)})" for cause in clear),
    }
    if clear:
        return _("%(name)s %(points)s, by %(causes)s") % words
    return _("%(name)s %(points)s, by no cause that stands out") % words


def _moved(shown: ShownMovement) -> str:
    if not shown.change:
        return _("The score is the same, to a tenth of a point.")
    words = {"points": score(abs(shown.change))}
    low, high = shown.ends()
    if low is None or high is None:
        if shown.change > 0:
            return _("The score rose by %(points)s points.") % words
        return _("The score fell by %(points)s points.") % words
    words["interval"] = interval(low, high)
    if shown.change > 0:
        return _("The score rose by %(points)s points (95 %%: %(interval)s).") % words
    return _("The score fell by %(points)s points (95 %%: %(interval)s).") % words


def _standing_out(causes: list[MovementCause]) -> str:
    known = [one for one in causes if one.low is not None and one.high is not None]
    if not known:
        return _("No cause has an interval: any may be chance.")
    clear = [one for one in known if one.is_sure]
    if not clear:
        return _("No cause stands out: each 95 % interval holds 0.")
    names = ", ".join(f"{one.title} ({signed(one)})" for one in clear)
    return ngettext(
        "One cause stands out (95 %% interval without 0): %(names)s.",
        "%(n)d causes stand out (95 %% intervals without 0): %(names)s.",
        len(clear),
    ) % {"n": len(clear), "names": names}


def _own(shown: ShownMovement) -> str:
    """Return the part of the system: of its other responses, unless drift is mixed into it."""
    if shown.is_mixed:
        return _("System and annotators cannot be told apart.")
    own, pairs = shown.own, shown.pairs
    if own.points[0] is None or not pairs.common:
        return ""
    if pairs.common == pairs.same_responses:
        return _("No response to a common question changed.")
    words = {"points": signed(own)}
    if own.low is None or own.high is None:
        return _("Other responses of the system itself: %(points)s.") % words
    words["interval"] = interval(own.low, own.high)
    return _("Other responses of the system itself: %(points)s (%(interval)s).") % words


def signed(cause: MovementCause) -> str:
    points = cause.points[0] or 0
    return f"+{score(points)}" if points > 0 else score(points)
