"""The review desk of a round: what waits, one question, what decisions change, how the project reviews."""

import uuid
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation import permissions
from annotation.forms import refusals
from annotation.operations import reviewing
from annotation.permissions import Scope, door
from annotation.queries import reviews
from annotation.rules.reviews import Act, Standing
from evalsite import errors
from scoring.forms.reviews import DecisionForm, RuleForm
from scoring.operations import figures
from scoring.queries import (
    asked,
    disputes,
    labels,
    reading,
    results,
    review_effect,
    review_page,
    review_queue,
    reviewed,
)
from scoring.queries.reading import Reading
from scoring.queries.tabs import tabs
from scoring.views import waiting

TAB = "results_review"


def _context(mine: Reading) -> dict[str, Any]:
    scope = mine.scope
    return {
        "scope": scope,
        "round": mine.round,
        "reading": mine,
        "tabs": tabs(scope.project, mine.round, TAB),
        "rule": reviews.rule_of(scope.project),
        "may_decide": scope.may(permissions.CURATORS)
        and not reviews.has_part(mine.round, scope.user),
        "may_edit": scope.may(permissions.CURATORS),
    }


def _closed(request: HttpRequest, mine: Reading, context: dict[str, Any]) -> HttpResponse | None:
    try:
        reading.allowed(mine.scope, mine.round.number)
    except errors.Refusal as refusal:
        context["refusal"] = refusal
        status = 200 if mine.is_draft else refusal.status
        return render(request, "scoring/results_closed.html", context, status=status)
    return None


@require_GET
@door(permissions.UNBLINDED)
def queue_page(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """List what waits at the review desk: by C(k), flags, and what somebody took up by hand."""
    mine = reading.of(scope, number)
    context = _context(mine)
    if closed := _closed(request, mine, context):
        return closed
    wish = asked.of_disputes({}, scope.project)
    figure = figures.get(
        name=disputes.FIGURE, round_=mine.round, params=wish.params, now=timezone.now()
    )
    if wait := waiting.answer(request, [figure], context, page="scoring/results_wait.html"):
        return wait
    only = request.GET.get("only", "open")
    only = only if only in review_queue.ONLY else "open"
    text = request.GET.get("from", "")
    start = int(text) if text.isascii() and text.isdigit() and len(text) < 8 else 0
    found = disputes.Disputes(figure.data or {}, labels.of(mine.round))
    context |= {
        "figure": figure,
        "only": only,
        "start": start,
        "queue": review_queue.queue(mine.round, found, only=only, start=start),
    }
    return render(request, "scoring/review.html", context)


@require_http_methods(["GET", "POST"])
@door(permissions.UNBLINDED, permissions.CURATORS)
def question_page(request: HttpRequest, scope: Scope, number: int, place: int) -> HttpResponse:
    """Show all grades of a question side by side, and take a decision about it."""
    mine = reading.of(scope, number)
    context = _context(mine)
    if closed := _closed(request, mine, context):
        return closed
    page = review_page.allowed(mine, place)
    form = DecisionForm(request.POST if request.method == "POST" else None, page=page)
    status = 200
    if form.is_valid():
        try:
            made = reviewing.decide(
                round_=mine.round,
                wish=form.wish(),
                reason=form.cleaned_data["reason"],
                key=form.request_key,
                by=scope.user,
                now=timezone.now(),
            )
        except errors.Refusal as refusal:
            refusals.show(form, refusal)
            status = refusal.status
        else:
            messages.success(request, _said(mine, made.pk))
            return redirect("review_question", scope.project.slug, number, page.number)
    elif form.is_bound:
        status = 422
    context |= {"page": page, "form": form, "key": uuid.uuid4()}
    return render(request, "scoring/review_question.html", context, status=status)


def _said(mine: Reading, pk: int) -> str:
    made = reviews.one_of(mine.round, pk)
    if made is not None and reviews.standing_of(made) is Standing.WAITING:
        return _("Decided. It waits for a second reviewer before anything changes.")
    if made is not None and made.act == Act.TAKE_UP:
        return _("The question is on the review desk.")
    return _("Decided. The results are computed anew.")


@require_POST
@door(permissions.UNBLINDED, permissions.CURATORS)
def confirm(request: HttpRequest, scope: Scope, number: int, pk: int) -> HttpResponse:
    """Confirm what another reviewer decided."""
    mine = reading.allowed(scope, number)
    found = reviews.one_of(mine.round, pk)
    if found is None:
        raise Http404
    try:
        reviewing.confirm(decision=found, by=scope.user, now=timezone.now())
    except errors.Refusal as refusal:
        messages.error(request, refusal.message)
    else:
        messages.success(request, _("Confirmed. The results are computed anew."))
    ordinal = mine.round.items.get(item=found.item_id, occasion=1).ordinal
    return redirect("review_question", scope.project.slug, number, ordinal + 1)


@require_GET
@door(permissions.UNBLINDED)
def effect_page(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Show the scores as all was given, as they count, and with adjudicated grades in place."""
    mine = reading.of(scope, number)
    context = _context(mine)
    if closed := _closed(request, mine, context):
        return closed
    now = timezone.now()
    found = {
        name: figures.get(name=results.FIGURE, round_=mine.round, params=params, now=now)
        for name, params in reviewed.params(mine.round).items()
    }
    here = list(found.values())
    if wait := waiting.answer(request, here, context, page="scoring/results_wait.html"):
        return wait
    data = {name: figure.data or {} for name, figure in found.items()}
    context |= {
        "figure": here[0],
        "counts": reviewed.counts(mine.round),
        "lines": review_effect.lines(data, mine.names),
        "decisions": reviews.lines(reviews.of(mine.round)),
    }
    return render(request, "scoring/review_effect.html", context)


@require_http_methods(["GET", "POST"])
@door(permissions.CURATORS)
def rule_page(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Say how many reviewers a decision of the project wants, and whether they see who graded."""
    mine = reading.of(scope, number)
    context = _context(mine)
    rule = context["rule"]
    shown = {"n_reviewers": rule.n_reviewers, "hide_people": rule.hide_people}
    form = RuleForm(request.POST if request.method == "POST" else None, initial=shown)
    if form.is_valid():
        reviewing.set_rule(
            project=scope.project, by=scope.user, now=timezone.now(), **form.cleaned_data
        )
        messages.success(request, _("From now on the project reviews like that."))
        return redirect(TAB, scope.project.slug, number)
    context["form"] = form
    status = refusals.status_of(form)
    return render(request, "scoring/review_rule.html", context, status=status)
