"""What results say on top: a sentence on who leads and how sure that is, and what it is based on.

* The tabs of a round's results.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from statistics import NormalDist
from typing import Any, Protocol

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy
from django.utils.translation import ngettext

from annotation.common.parts import PartLevel
from annotation.people.models import Project
from annotation.rounds.models import Round
from evalsite.templatetags.ui import interval, score, whisker
from scoring.charts.plot import Axis
from scoring.figures.cells import ScoreGap
from scoring.figures.labels import ReadRound
from scoring.results.agreement import AgreementValue
from scoring.results.board import RankedPlace, ResultsBoard
from scoring.results.queries import RoundResult
from scoring.shown.names import Name
from scoring.shown.wording import listed
from scoring.stats.claims import Certainty

#: Nobody is told to grade more than so many times the questions there are.
MOST_TIMES = 10


@dataclass(frozen=True, slots=True)
class ResultFact:
    """A figure with what it is based on; `url` leads to more."""

    label: str
    value: str
    note: str = ""
    url: str = ""
    drawing: str = ""


def title(result: RoundResult, board: ResultsBoard | None = None) -> str:
    """Return who leads, and what the difference to the next one allows to say of that.

    Of labels alone, where systems differ most.
    """
    ranked = [line for line in result.headline if line.overall.value is not None]
    if not ranked:
        return _of_labels(board) if board and board.labels else ""
    words = {"left": ranked[0].name.text, "value": whole(ranked[0].overall.value)}
    gap = deciding(result)
    if len(ranked) == 1 or gap is None:
        return _("%(left)s has %(value)s; no other system was graded.") % words
    words["right"] = gap.right.text
    if gap.value is None:
        return (
            _("%(left)s is highest with %(value)s, but cannot be compared with %(right)s.") % words
        )
    words["n"], words["margin"] = _points(abs(gap.value)), _points(Decimal(str(result.margin)))
    return _sentence(gap) % words


def _of_labels(board: ResultsBoard) -> str:
    """Return by which label two systems differ most, among those that differ most surely."""
    order = (Certainty.CLEAR, Certainty.LIKELY)
    gaps = [one for block in board.labels for one in block.gaps if one.gap.value is not None]
    if not gaps:
        known = any(pair.these.low is not None for pair in board.label_pairs)
        return _("No systems differ beyond chance.") if known else ""
    first = min(
        gaps,
        key=lambda one: (order.index(one.gap.certainty), -abs(one.gap.value or Decimal())),
    )
    words = {
        "label": first.label,
        "left": first.gap.left.text,
        "right": first.gap.right.text,
        "n": _points(abs(first.gap.value or Decimal())),
    }
    if first.gap.certainty is Certainty.LIKELY:
        return _("%(label)s: %(left)s %(n)s above %(right)s, for these annotators.") % words
    return _("%(label)s: %(left)s %(n)s above %(right)s.") % words


def deciding(result: RoundResult) -> ScoreGap | None:
    """Return the difference of the first one that is least sure: the title may claim no more."""
    order = (Certainty.OPEN, Certainty.EQUAL, Certainty.LIKELY, Certainty.CLEAR)
    mine = [gap for gap in result.gaps if gap.left == result.names[0] and gap.value is not None]
    found = min(mine, key=lambda gap: order.index(gap.certainty), default=None)
    return found or next(iter(result.gaps), None)


def _sentence(gap: ScoreGap) -> str:
    """Return the sentence that a difference allows; its certainty decides."""
    value = gap.value or Decimal()
    if gap.certainty is Certainty.EQUAL:
        return _("%(left)s and %(right)s are equal within %(margin)s.")
    if not value:
        if gap.n_left_out:
            return _("%(left)s and %(right)s are level on what both were graded on.")
        return _("%(left)s and %(right)s are level at %(value)s.")
    if value < 0:
        return _behind(gap.certainty)
    if gap.certainty is Certainty.CLEAR:
        return _("%(left)s leads with %(value)s, %(n)s ahead of %(right)s.")
    if gap.certainty is Certainty.LIKELY:
        return _(
            "%(left)s leads with %(value)s. For these annotators it is %(n)s ahead of %(right)s."
        )
    if gap.these[0] is None:
        return _("%(left)s is highest with %(value)s. Too little was graded to say more.")
    return _("%(left)s leads with %(value)s. %(right)s, %(n)s behind, is too close to call.")


def _behind(certainty: Certainty) -> str:
    """Return the sentence for a first one that loses on what both were graded on."""
    if certainty is Certainty.CLEAR:
        return _("%(right)s is %(n)s ahead of %(left)s on what both were graded on.")
    if certainty is Certainty.LIKELY:
        return _(
            "For these annotators, %(right)s is %(n)s ahead of %(left)s on what both were graded on."
        )
    return _("%(left)s is highest with %(value)s, but too close to %(right)s to call.")


def subtitle(result: RoundResult) -> str:
    """Return whom the first are ahead of beyond doubt, and what would settle what is open."""
    gap = deciding(result)
    if gap is None:
        return ""
    found = [_rest(result, gap), _settled(result, gap), shared(gap)]
    return " ".join(text for text in found if text)


def _rest(result: RoundResult, gap: ScoreGap) -> str:
    """Return the systems below the first two that these are clearly ahead of."""
    below = {name: _beaten_by(result, name) for name in (gap.left, gap.right)}
    both = [name for name in below[gap.left] if name in below[gap.right]]
    if gap.certainty is not Certainty.CLEAR and both:
        return _("Both are clearly ahead of %(names)s.") % {
            "names": listed([one.text for one in both])
        }
    others = [name for name in below[gap.left] if name != gap.right]
    if not others:
        return ""
    words = {"left": gap.left.text, "names": listed([one.text for one in others])}
    if gap.certainty is Certainty.CLEAR:
        return _("%(left)s is clearly ahead of %(names)s, too.") % words
    return _("%(left)s is clearly ahead of %(names)s.") % words


def _beaten_by(result: RoundResult, name: Name) -> list[Name]:
    clear = [gap for gap in result.gaps if gap.certainty is Certainty.CLEAR and gap.value]
    return [
        *(gap.right for gap in clear if gap.left == name and (gap.value or 0) > 0),
        *(gap.left for gap in clear if gap.right == name and (gap.value or 0) < 0),
    ]


def _settled(result: RoundResult, gap: ScoreGap) -> str:
    if gap.value is None or gap.these[0] is None:
        return gap.why
    if gap.certainty is Certainty.LIKELY:
        return _("More annotators are needed.")
    if gap.certainty is not Certainty.OPEN or not gap.value:
        return ""
    more = n_more(gap, len(result.gaps))
    if more is None:
        return _("Far more questions are needed.")
    words = {"n": more}
    return (
        ngettext(
            "About %(n)d more questions would settle it, for these annotators.",
            "About %(n)d more questions would settle it, for these annotators.",
            more,
        )
        % words
    )


def n_more(gap: ScoreGap, n_pairs: int) -> int | None:
    """Return about how many more questions would tell two systems apart, if their difference stays.

    The interval for these annotators narrows with the root of the number of questions; it is taken
    as wide as the correction for all pairs makes it (Bonferroni's, which Holm's never exceeds).

    Args:
        gap: the difference, in points, with its 95 % interval.
        n_pairs: how many pairs are compared at once.

    Returns:
        A number in tens; None where it is more than ten times the questions there are, or unknown.
    """
    low, high = gap.these
    if low is None or high is None or not gap.value:
        return None
    normal = NormalDist()
    wider = normal.inv_cdf(1 - 0.025 / max(n_pairs, 1)) / normal.inv_cdf(0.975)
    needed = gap.n_questions * (wider * (high - low) / 2 / abs(float(gap.value))) ** 2
    more = max(10, math.ceil((needed - gap.n_questions) / 10) * 10)
    return None if more > MOST_TIMES * gap.n_questions else more


def shared(gap: ScoreGap) -> str:
    """Return on how many questions a pair was compared, where only some are common to both."""
    if gap.n_questions in (0, gap.n_either):  # without any, the reason says it
        return ""
    words = {"n": gap.n_questions, "either": gap.n_either}
    return _("Compared on %(n)d common questions of %(either)d.") % words


def whole(value: Decimal | None) -> str:
    """Write a figure as the tables do, without a decimal that says nothing."""
    return score(value, 0) if value is not None and value == int(value) else score(value)


def _points(value: Decimal) -> str:
    return ngettext("%(n)s point", "%(n)s points", 1 if value == 1 else 2) % {"n": whole(value)}


#: What grades belong to where parts of conversations are graded.
OF_PARTS = {
    PartLevel.CONVERSATION: _lazy("whole conversations"),
    PartLevel.TURN: _lazy("turns"),
    PartLevel.TOOL_CALL: _lazy("tool calls"),
}


def questions(result: RoundResult, url: str = "", parts: Sequence[PartLevel] = ()) -> ResultFact:
    """Return what the scores are based on: questions, or conversations of which some parts are graded."""
    counts = result.data.counts
    grades = ngettext("%(n)d grade", "%(n)d grades", counts["grades"]) % {"n": counts["grades"]}
    if parts:
        of = " + ".join(str(OF_PARTS[one]) for one in parts)
        grades = _("%(grades)s of %(parts)s") % {"grades": grades, "parts": of}
    raters = ngettext("%(n)d annotator", "%(n)d annotators", counts["raters"])
    note = _("%(grades)s by %(raters)s") % {
        "grades": grades,
        "raters": raters % {"n": counts["raters"]},
    }
    label = _("Conversations") if parts else _("Questions")
    return ResultFact(label, str(counts["questions"]), note, url)


def agreed(value: AgreementValue | None, url: str = "") -> ResultFact:
    """Return how far annotators agree; None while it is being computed."""
    if value is None:
        return ResultFact(_("Agreement"), _("Computing"), "", url)
    if value.value is None:
        return ResultFact(_("Agreement"), "–", value.why, url)
    note = "" if value.low is None else interval(value.low, value.high, 2)
    return ResultFact(_("Agreement"), score(value.value, 2), note, url)


def of_the_round(fact: ResultFact) -> ResultFact:
    """Say of a figure that it is of the whole round, whatever part of it is looked at."""
    return replace(fact, note=", ".join([*filter(None, [fact.note]), _("whole round")]))


class RankedSystems(Protocol):
    """Systems from the highest down, on an axis."""

    @property
    def places(self) -> Sequence[RankedPlace]: ...
    @property
    def axis(self) -> Axis: ...


def highest(board: RankedSystems, url: str, *, of_pairs: bool = False) -> ResultFact | None:
    """Return which system scored highest, or is preferred most, with its whisker; None without a figure."""
    first = next(iter(board.places), None)
    if first is None or first.cell.value is None:
        return None
    cell, ends = first.cell, (board.axis.start, board.axis.end)
    note = "" if cell.low is None else interval(cell.low, cell.high)
    drawn = whisker(
        cell.value, cell.low, cell.high, start=ends[0], end=ends[1], ordinal=first.name.mark
    )
    value = f"{first.name.text} {score(cell.value)}"
    title = _("Most preferred") if of_pairs else _("Highest score")
    return ResultFact(title, value, note, url, drawn)


def disputed(n: int | None, url: str = "") -> ResultFact:
    """Return how many questions are in dispute; None while that is being computed."""
    if n is None:
        return ResultFact(_("Disputes"), _("Computing"), "", url)
    note = ngettext("question in dispute", "questions in dispute", n)
    return ResultFact(_("Disputes"), str(n), note, url)


def chosen(n: int, note: str, url: str) -> ResultFact:
    """Return what preferences are based on: questions, and choices by annotators."""
    return ResultFact(_("Questions"), str(n), note, url)


def share_of(n: int, wanted: int) -> ResultFact:
    """Return how much of what was planned is there."""
    share = 100 * n / wanted if wanted else 0
    note = _("%(n)d of %(wanted)d planned") % {"n": n, "wanted": wanted}
    shown = share if n == wanted else min(share, 99.9)
    return ResultFact(_("Coverage"), f"{whole(Decimal(str(round(shown, 1))))} %", note)


def covered(result: RoundResult, url: str = "") -> ResultFact | None:
    """Return how much of what was planned is there; None where nobody planned a number."""
    total = result.coverage[-1]
    if not total.wanted:
        return None
    missing = total.missing or 0
    share = 100 * (total.wanted - missing) / total.wanted
    words = {"n": missing, "wanted": total.wanted}
    if not missing:
        note = _("all %(wanted)d planned grades") % words
    else:
        note = _("%(n)d of %(wanted)d planned grades missing") % words
    # Nothing that is missing rounds up to everything.
    shown = min(share, 99.9) if missing else share
    return ResultFact(_("Coverage"), f"{whole(Decimal(str(round(shown, 1))))} %", note, url)


#: Tabs that show the same cut: weights and filters go along from one to the other.
CUT = ("results", "results_breakdown")
#: Pages that stand below a tab.
BELOW = {
    "results_beside": "results",
    "results_breakdown": "results",
    "results_comments": "results",
    "results_datasets": "results",
    "results_explore": "results",
    "results_model": "results",
    "results_plan": "results",
    "results_review": "results_disputes",
    "results_whole": "results",
    "study": "results_report",
}


def tabs(
    project: Project, round_: Round, current: str, *, query: str = ""
) -> list[dict[str, object]]:
    """Return the tabs as includes/tabs.html takes them.

    Args:
        project: whose round.
        round_: whose results.
        current: the name of an address; a page below a tab marks that one.
        query: the cut that is looked at.
    """
    pages = (
        ("results", _("Preferences") if round_.of_pairs else _("Scores")),
        ("results_agreement", _("Agreement")),
        ("results_disputes", _("Disputes")),
        ("results_annotators", _("Annotators")),
        ("results_report", _("Report")),
    )
    return [
        {
            "label": label,
            "url": reverse(name, args=[project.slug, round_.number])
            + (f"?{query}" if query and name in CUT else ""),
            "current": name == BELOW.get(current, current),
        }
        for name, label in pages
    ]


def around(mine: ReadRound, tab: str) -> dict[str, Any]:
    """Return what every page of the results of a round shows around it."""
    tabs_ = tabs(mine.scope.project, mine.round, tab)
    return {"round": mine.round, "reading": mine, "tabs": tabs_}
