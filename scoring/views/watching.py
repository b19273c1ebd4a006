"""Signals of a round's annotators: who needs a look, and what somebody found who looked."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from annotation import permissions
from annotation.forms import refusals
from annotation.models import Rater
from annotation.operations import looks
from annotation.permissions import Scope, door
from evalsite import errors
from scoring.forms.watching import LookForm
from scoring.operations import figures
from scoring.queries import labels, reading, watching
from scoring.queries.reading import Reading
from scoring.queries.tabs import tabs
from scoring.queries.watching import Signals
from scoring.views import waiting


@require_http_methods(["GET", "POST"])
@door(permissions.UNBLINDED, permissions.CURATORS)
def signals_page(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Show every annotator's signals, those first who need a look; take what was found."""
    mine = reading.of(scope, number)
    context: dict[str, Any] = {
        "scope": scope,
        "round": mine.round,
        "reading": mine,
        "tabs": tabs(scope.project, mine.round, "results_annotators"),
        "may_edit": scope.may(permissions.CURATORS),
    }
    try:
        reading.allowed(scope, number)
    except errors.Refusal as refusal:
        context["refusal"] = refusal
        status = 200 if mine.is_draft else refusal.status
        return render(request, "scoring/results_closed.html", context, status=status)
    form = LookForm(request.POST if request.method == "POST" else None)
    if form.is_valid() and _looked(request, mine, form):
        return redirect("results_signals", scope.project.slug, number)
    context["form"] = form
    figure = figures.get(
        name=watching.FIGURE,
        round_=mine.round,
        params=watching.params(mine.round),
        now=timezone.now(),
    )
    status = refusals.status_of(form)
    if wait := waiting.answer(request, [figure], context, page="scoring/results_wait.html"):
        wait.status_code = status
        return wait
    found = Signals(figure.data or {}, labels.of(mine.round), watching.looks(mine.round))
    context |= {"figure": figure, "signals": found}
    return render(request, "scoring/results_signals.html", context, status=status)


def _looked(request: HttpRequest, mine: Reading, form: LookForm) -> bool:
    rows = Rater.objects.filter(project=mine.scope.project)
    try:
        looks.look(
            round_=mine.round,
            rater=get_object_or_404(rows, pk=form.cleaned_data["rater"]),
            because=form.signals,
            note=form.cleaned_data["note"],
            by=mine.scope.user,
            now=timezone.now(),
        )
    except errors.Refusal as refusal:
        refusals.show(form, refusal)
        return False
    messages.success(request, _("Kept. Nothing follows from it by itself."))
    return True
