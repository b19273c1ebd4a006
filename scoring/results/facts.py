"""The four sentences on top of the results: who leads, where systems differ, what it rests on.

* The tabs of a round's results.
"""

from decimal import Decimal

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.people.models import Project
from annotation.rounds.models import Round
from evalsite.templatetags.ui import score
from scoring.figures.cells import Gap
from scoring.results.queries import Result
from scoring.stats.claims import Certainty

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
        "note": verdict(result) if len(ranked) > 1 else _("the only one graded"),
    }


def verdict(result: Result) -> str:
    """Return in one sentence how the highest score stands to the next, and how sure that is."""
    gap = next(iter(result.gaps), None)
    if gap is None or gap.value is None:
        return gap.why if gap else ""
    said = _("%(how)s; %(sure)s.") % {"how": _how_far(gap), "sure": _how_sure(gap, result)}
    return " ".join(text for text in (said, shared(gap)) if text)


def _how_far(gap: Gap) -> str:
    words = {
        "left": gap.left.text,
        "right": gap.right.text,
        "n": score(abs(gap.value or Decimal())),
    }
    if not gap.value:
        return _("%(left)s and %(right)s have the same score") % words
    if gap.value > 0:
        return _("%(left)s is %(n)s points ahead of %(right)s") % words
    return _("On what both were graded on, %(left)s is %(n)s points behind %(right)s") % words


def _how_sure(gap: Gap, result: Result) -> str:
    if gap.certainty is Certainty.EQUAL:
        return _("they are equal within %(n)s points") % {"n": f"{result.margin:g}"}
    if gap.certainty is Certainty.CLEAR:
        return _("this holds for other annotators too")
    if gap.certainty is Certainty.LIKELY:
        return _("this holds for these annotators, and is not yet certain for others")
    if gap.low is None:
        return _("how sure that is cannot be said: %(why)s") % {
            "why": gap.why.rpartition(": ")[2].rstrip(".")
        }
    return _("with %(questions)s and %(raters)s this is not yet certain") % _counted(gap)


def _counted(gap: Gap) -> dict[str, str]:
    questions = ngettext("%(n)d question", "%(n)d questions", gap.n_questions)
    raters = ngettext("%(n)d annotator", "%(n)d annotators", gap.n_raters)
    return {
        "questions": questions % {"n": gap.n_questions},
        "raters": raters % {"n": gap.n_raters},
    }


def shared(gap: Gap) -> str:
    """Return on how many questions a pair was compared, where only some are common to both."""
    if gap.n_questions == gap.n_either:
        return ""
    words = {"n": gap.n_questions, "either": gap.n_either}
    if gap.shares_few:
        return _("Only %(n)d of their %(either)d questions are common, fewer than half.") % words
    return _("Compared on the %(n)d of their %(either)d questions that both have.") % words


def signed(gap: Gap) -> str:
    """Return a difference in points with its sign."""
    if gap.value is None:
        return ""
    return f"+{score(gap.value)}" if gap.value > 0 else score(gap.value)


def _widest(result: Result) -> Fact | None:
    """Say where two systems differ most; of a single capability the first fact tells."""
    found = result.widest
    if found is None or len(result.capabilities) < 2:
        return None
    if not found.points:
        note = _("in every capability all systems have the same score")
        return {"label": _("Widest gap"), "value": _("None"), "note": note}
    words = {"high": found.high.text, "low": found.low.text, "points": score(found.points)}
    note = _("%(high)s is %(points)s points above %(low)s") % words
    if result.is_uneven:
        note = _("%(note)s, on what both were graded on") % {"note": note}
    return {"label": _("Widest gap"), "value": found.title, "note": note}


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


#: Tabs that show the same cut: weights and filters go along from one to the other.
CUT = ("results", "results_breakdown")


def tabs(
    project: Project, round_: Round, current: str, *, query: str = ""
) -> list[dict[str, object]]:
    """Return the tabs as includes/tabs.html takes them.

    Args:
        project: whose round.
        round_: whose results.
        current: the name of an address.
        query: the cut that is looked at.
    """
    pages = (
        ("results", _("Scores")),
        ("results_breakdown", _("Breakdown")),
        ("results_agreement", _("Agreement")),
        ("results_disputes", _("Disputes")),
        ("results_review", _("Review")),
        ("results_annotators", _("Annotators")),
        ("results_plan", _("Plan")),
        ("results_report", _("Report")),
    )
    lines: list[dict[str, object]] = [
        {
            "label": label,
            "url": reverse(name, args=[project.slug, round_.number])
            + (f"?{query}" if query and name in CUT else ""),
            "current": name == current,
        }
        for name, label in pages
    ]
    movement: dict[str, object] = {
        "label": _("Score changes"),
        "url": reverse("movement", args=[project.slug]),
    }
    return [*lines, movement]
