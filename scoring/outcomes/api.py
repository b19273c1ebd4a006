"""What a run came to, as JSON: one shape for every kind of run, and all that its page shows."""

from collections.abc import Callable, Mapping
from typing import Any

from django.utils import timezone
from django.utils.functional import lazy
from django.utils.translation import gettext as _
from rest_framework.response import Response

from annotation.people import permissions
from annotation.people.permissions import Scope, door
from evalsite.contract.calls import Query, choice, contract, get, unfit_value
from evalsite.contract.shapes import ANYTHING, maybe, said, shape
from scoring.figures import api as figures
from scoring.outcomes.kinds import Opened, OutcomeChoice, OutcomeKind
from scoring.outcomes.values import RunOutcome
from scoring.shown import names as banner

INTERVAL = {"low": maybe(float), "high": maybe(float)}
RANKED = shape(
    "RunRanked",
    system=str,
    value=maybe(float),
    **INTERVAL,
    n=maybe(int),
    n_held=said(maybe(int), "So many there are; `n` of them have a value."),
    reason=said(str, "Why there is no value, or no interval; empty where there are both."),
)
DIFFERENCE = shape(
    "RunDifference",
    left=str,
    right=str,
    difference=said(maybe(float), "`left` minus `right`."),
    difference_low=maybe(float),
    difference_high=maybe(float),
    difference_n=maybe(int),
    difference_reason=str,
    p=maybe(float),
    p_holm=said(maybe(float), "Corrected for the number of pairs (Holm)."),
)
TABLE = shape(
    "RunTable",
    name=said(str, "As files are called."),
    title=str,
    about=str,
    columns=[str],
    rows=said([{str: ANYTHING}], "Each by its columns: texts, numbers, yes or no, or null."),
)
OUTCOME = shape(
    "RunOutcome",
    note=str,
    chosen=said({str: str}, "What the address may choose, and what it chose."),
    offered=said({str: {str: str}}, "What each of them may be, in words."),
    verdict=str,
    method=str,
    hints=[str],
    ranking=said([RANKED], "By one figure, the highest first."),
    differences=[DIFFERENCE],
    tables=[TABLE],
)


def result(kind: type[OutcomeKind]) -> Callable[..., Any]:
    """Return the view of an outcome; what is to be computed first answers 202."""

    @contract(
        get(OUTCOME, kind.summary, query=[_query(one) for one in kind.documented], figure=True)
    )
    @door(permissions.UNBLINDED)
    def view(request: Any, scope: Scope, number: int) -> Response:
        mine = kind(kind.allowed(scope, number), request.GET)
        for one in mine.choices:
            if (asked := request.GET.get(one.name)) and asked not in one.values:
                said = _("One of these: %(values)s.") % {"values": ", ".join(one.values)}
                raise unfit_value(one.name, said)
        found = Opened(mine, timezone.now())
        for figure in found.figures.values():
            if wait := figures.waiting(request, figure):
                return wait
        return Response(told(found))

    return view


def told(found: Opened) -> dict[str, Any]:
    """Return an outcome as the API answers it."""
    outcome = found.outcome or RunOutcome()
    return {
        "note": banner.of_run(found.kind.reading.run),
        "chosen": dict(found.kind.chosen),
        "offered": {
            one.name: {key: str(words) for key, words in one.values.items()}
            for one in found.kind.choices
        },
        "verdict": outcome.verdict,
        "method": str(outcome.method),
        "hints": [str(one) for one in outcome.hints],
        "ranking": list(outcome.ranking.records()) if outcome.ranking else [],
        "differences": list(outcome.differences.records()) if outcome.differences else [],
        "tables": [
            {
                "name": one.name,
                "title": str(one.title),
                "about": str(one.about),
                "columns": one.keys,
                "rows": list(one.records()),
            }
            for one in outcome.tables
        ],
    }


def _query(one: OutcomeChoice) -> Query:
    """Return a parameter with what its values mean; what depends on the run is held by the view."""
    if not one.values:
        return Query(one.name, one.about or str(one.label))
    return choice(one.name, tuple(one.values), one.about or _explained(one.values))


def _explained(known: Mapping[str, Any]) -> Any:
    """Return what each value means, in the language in which it is read."""
    return lazy(lambda: "; ".join(f"`{value}`: {word}" for value, word in known.items()), str)()
