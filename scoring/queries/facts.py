"""The four sentences on top of the results: who leads, where systems differ, what it rests on."""

from collections.abc import Iterator
from fractions import Fraction

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from evalsite.templatetags.ui import interval, score
from scoring.queries.cells import Gap, Part
from scoring.queries.results import Result
from scoring.stats.rounding import percent

Fact = dict[str, str]


def facts(result: Result) -> list[Fact]:
    """Return at most four facts as label, value and note."""
    found = [_highest(result), _widest(result), _covered(result), _graded(result)]
    return [fact for fact in found if fact is not None]


def _highest(result: Result) -> Fact | None:
    ranked = [line for line in result.headline if line.overall.value is not None]
    if not ranked:
        return None
    first = ranked[0]
    return {
        "label": _("Highest overall"),
        "value": first.name.text,
        "note": _against_next(result) if len(ranked) > 1 else _("the only one graded"),
    }


def _against_next(result: Result) -> str:
    gap = next(iter(result.gaps), None)
    if gap is None or gap.value is None:
        return gap.why if gap else ""
    words = {"next": gap.right.text, "points": signed(gap)}
    if gap.low is None and not gap.value:
        return _("the same as %(next)s. %(why)s") % {**words, "why": gap.why}
    if gap.low is None:
        return _("%(points)s against %(next)s. %(why)s") % {**words, "why": gap.why}
    words["interval"] = interval(gap.low, gap.high)
    if gap.is_clear:
        return _("above %(next)s: %(points)s, interval %(interval)s") % words
    if gap.p is None:
        return _("not separable from %(next)s: %(points)s, interval %(interval)s") % words
    words["p"] = score(gap.p, 3)
    return (
        _(
            "not separable from %(next)s after correction for all pairs: %(points)s, interval "
            "%(interval)s, corrected p %(p)s"
        )
        % words
    )


def signed(gap: Gap) -> str:
    """Return a difference in points with its sign."""
    if gap.value is None:
        return ""
    return f"+{score(gap.value)}" if gap.value > 0 else score(gap.value)


def _widest(result: Result) -> Fact | None:
    spreads = list(_spreads(result))
    if not spreads:
        return None
    spread, part = max(spreads, key=lambda pair: pair[0])
    if not spread:
        note = _("in every capability all systems have the same score")
        return {"label": _("Widest gap"), "value": _("None"), "note": note}
    marked = [
        (Fraction(cell.exact), name)
        for cell, name in zip(part.cells, result.names, strict=True)
        if cell.value is not None
    ]
    low, high = (pick(marked, key=lambda pair: pair[0]) for pick in (min, max))
    return {
        "label": _("Widest gap"),
        "value": part.title,
        "note": _("%(high)s is %(points)s points above %(low)s")
        % {"high": high[1].text, "low": low[1].text, "points": score(percent(high[0] - low[0]))},
    }


def _spreads(result: Result) -> Iterator[tuple[Fraction, Part]]:
    """Yield how far the systems lie apart in each capability; of a single one the first fact tells."""
    parts = result.parts("score", criteria=False)[1:]
    for part in parts if len(parts) > 1 else ():
        values = [Fraction(cell.exact) for cell in part.cells if cell.value is not None]
        if len(values) > 1:
            yield max(values) - min(values), part


def _covered(result: Result) -> Fact | None:
    total = result.coverage[-1]
    if not total.wanted:
        return None
    share = 100 * (total.wanted - (total.missing or 0)) / total.wanted
    if total.missing:
        note = ngettext(
            "%(n)d grade is still missing", "%(n)d grades are still missing", total.missing
        ) % {"n": total.missing}
    else:
        note = _("every grade that was wanted is here")
    return {"label": _("Coverage"), "value": f"{score(share)} %", "note": note}


def _graded(result: Result) -> Fact:
    counts = result.counts
    questions = ngettext("%(n)d question", "%(n)d questions", counts["questions"])
    raters = ngettext("%(n)d annotator", "%(n)d annotators", counts["raters"])
    return {
        "label": _("It rests on"),
        "value": ngettext("%(n)d grade", "%(n)d grades", counts["grades"])
        % {"n": counts["grades"]},
        "note": f"{questions % {'n': counts['questions']}}, {raters % {'n': counts['raters']}}",
    }
