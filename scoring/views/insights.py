"""Agreement, disputes, annotators and plan of a round: pages of its results."""

from collections.abc import Callable, Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_GET

from annotation import permissions
from annotation.permissions import Scope, door
from evalsite import errors
from scoring.operations import figures
from scoring.queries import (
    agreement,
    asked,
    disputes,
    labels,
    pictures,
    plans,
    raters,
    reading,
    references,
)
from scoring.queries.asked import Asked
from scoring.queries.reading import Reading
from scoring.queries.sources import Source
from scoring.queries.tabs import tabs
from scoring.views import waiting

Make = Callable[[Reading, Mapping[str, Any]], Mapping[str, Any]]


def _show(
    request: HttpRequest, scope: Scope, number: int, tab: str, name: str, wish: Asked, make: Make
) -> HttpResponse:
    """Show a figure on its tab, or how far it is; a page that waits asks again by itself."""
    mine = reading.of(scope, number)
    context: dict[str, Any] = {
        "scope": scope,
        "round": mine.round,
        "reading": mine,
        "tabs": tabs(scope.project, mine.round, tab),
        "tab": tab,
        "typed": wish.typed,
        "query": request.GET.urlencode(),
    }
    try:
        reading.allowed(scope, number)
    except errors.Refusal as refusal:
        context["refusal"] = refusal
        status = 200 if mine.is_draft else refusal.status
        return render(request, "scoring/results_closed.html", context, status=status)
    now = timezone.now()
    figure = figures.get(name=name, round_=mine.round, params=wish.params, now=now)
    if wait := waiting.answer(request, [figure], context, page="scoring/results_wait.html"):
        return wait
    context["figure"] = figure
    context |= make(mine, figure.data or {})
    return render(request, f"scoring/{tab}.html", context)


@require_GET
@door(permissions.UNBLINDED)
def agreement_page(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Show how far annotators agree, by capability and criterion, pair, and without each."""

    def make(mine: Reading, data: Mapping[str, Any]) -> Mapping[str, Any]:
        source = Source(mine.round, data, labels.of(mine.round), mine.names)
        return {
            "agreement": agreement.Agreement(data, source.labels),
            "pictures": {"agreement": pictures.of("agreement", source)},
            "conventions": references.BANDS.values(),
            "few": agreement.FEW,
        }

    wish = Asked(agreement.PARAMS)
    return _show(request, scope, number, "results_agreement", agreement.FIGURE, wish, make)


@require_GET
@door(permissions.UNBLINDED)
def disputes_page(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Show who stands alone where and which questions divide, by the rules in the address."""
    wish, problem = _rules(request, scope)

    def make(mine: Reading, data: Mapping[str, Any]) -> Mapping[str, Any]:
        return {
            "disputes": disputes.Disputes(data, labels.of(mine.round)),
            "rater_rules": disputes.RATER_RULES.items(),
            "question_rules": disputes.QUESTION_RULES.items(),
            "few": disputes.FEW,
            "problem": problem,
            "rules_query": "" if problem else request.GET.urlencode(),
        }

    return _show(request, scope, number, "results_disputes", disputes.FIGURE, wish, make)


@require_GET
@door(permissions.UNBLINDED)
def dispute_page(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Show all grades of the disputed responses of a question, or of a cell of the heat map."""
    wish, _problem = _rules(request, scope)

    def make(mine: Reading, data: Mapping[str, Any]) -> Mapping[str, Any]:
        named = labels.of(mine.round)
        found = disputes.Disputes(data, named)
        query = {key: request.GET.get(key, "") for key in ("question", "rater", "capability")}
        rows = found.places(**query)
        return {
            "disputes": found,
            "query": query,
            "rater_name": named.rater(query["rater"]) if query["rater"] else "",
            "capability_name": named.capability(query["capability"]) if query["capability"] else "",
            "n": len(rows),
            "most": disputes.PLACES,
            "places": disputes.opened(mine.round, rows[: disputes.PLACES], named, mine.names),
        }

    return _show(request, scope, number, "results_dispute", disputes.FIGURE, wish, make)


@require_GET
@door(permissions.UNBLINDED)
def annotators_page(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Show severity with fair scores, steadiness, drift, pace beside disputes, effect of position."""

    def make(mine: Reading, data: Mapping[str, Any]) -> Mapping[str, Any]:
        source = Source(mine.round, data, labels.of(mine.round), mine.names)
        return {
            "raters": raters.Raters(data, source.labels, mine.names),
            "pictures": {"tempo": pictures.of("tempo", source)},
        }

    wish = Asked(raters.PARAMS)
    return _show(request, scope, number, "results_annotators", raters.FIGURE, wish, make)


@require_GET
@door(permissions.UNBLINDED)
def plan_page(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Show how many questions and annotators the next round needs for what the address asks."""
    round_ = reading.of(scope, number).round
    problem = ""
    try:
        wish = asked.of_plan(request.GET.dict(), round_)
    except errors.Refusal as refusal:
        wish, problem = asked.of_plan({}, round_), refusal.message

    def make(mine: Reading, data: Mapping[str, Any]) -> Mapping[str, Any]:
        source = Source(mine.round, data, labels.of(mine.round), mine.names)
        return {
            "plan": plans.Plan(data, mine.names),
            "pictures": {"curve": pictures.of("curve", source)},
            "problem": problem,
        }

    return _show(request, scope, number, "results_plan", plans.FIGURE, wish, make)


def _rules(request: HttpRequest, scope: Scope) -> tuple[Asked, str]:
    """Return the rules that were asked for; where they cannot be used, the usual ones and why."""
    try:
        return asked.of_disputes(request.GET.dict(), scope.project), ""
    except errors.Refusal as refusal:
        return asked.of_disputes({}, scope.project), refusal.message
