"""Trials: the list, a new one, and what is right for their answers."""

import secrets
from decimal import Decimal
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_http_methods

from annotation import permissions
from annotation.forms import refusals
from annotation.forms import training as forms
from annotation.forms.refusals import status_of
from annotation.models import Round
from annotation.operations import references as giving
from annotation.operations import trials as operations
from annotation.permissions import Scope, door
from annotation.queries import qualifications, trial_lists
from annotation.queries import references as reads
from annotation.rules import scales
from annotation.views.rounds import back, find
from evalsite import errors, panels


@require_GET
@door(permissions.CURATORS)
def trials(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Show the trials, the newest first, with how far each is."""
    lines = trial_lists.lines(scope.project)
    context = {
        "scope": scope,
        "lines": [(one, list(panels.fill("trial", scope=scope, round=one.round))) for one in lines],
        "somebody_is_ready": not lines and bool(qualifications.trained(scope.project)),
    }
    return render(request, "annotation/trials.html", context)


@require_http_methods(["GET", "POST"])
@door(permissions.CURATORS)
def trial_new(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Draft a trial for people who have finished the training."""
    form = forms.TrialForm(
        request.POST if request.method == "POST" else None,
        project=scope.project,
        initial={"capability": request.GET.get("capability")},
    )
    if form.is_valid():
        try:
            made = operations.begin(
                project=scope.project,
                plan=form.plan(),
                seed=secrets.token_hex(8),
                secret=secrets.token_bytes(32),
                by=scope.user,
                now=timezone.now(),
            )
        except errors.Refusal as refusal:
            refusals.show(form, refusal)
        else:
            messages.success(
                request, _("The trial is drafted. Say what is right for its answers, then open it.")
            )
            return redirect("round_references", scope.project.slug, made.number)
    context = {"scope": scope, "form": form}
    return render(request, "annotation/trial_new.html", context, status=status_of(form))


def of_round(*, scope: Scope, round: Round, **_context: Any) -> SafeString | None:
    """Lead from the page of a trial to what is right for its answers, and to its report."""
    if round.kind != Round.Kind.TRIAL or not scope.may(permissions.CURATORS):
        return None
    context = {
        "scope": scope,
        "round": round,
        "links": list(panels.fill("trial", scope=scope, round=round)),
    }
    return render_to_string("annotation/parts/trial.html", context)


@require_http_methods(["GET", "POST"])
@door(permissions.CURATORS)
def round_references(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Enter what is right for the answers of a round; nothing is saved if one grade does not fit."""
    found = find(scope, number)
    refusal: errors.Refusal | None = None
    if request.method == "POST":
        try:
            changed = _give(request, scope, found)
        except errors.Refusal as refused:
            refusal = refused
        else:
            done = ngettext(
                "%(n)d reference grade is saved.", "%(n)d reference grades are saved.", changed
            )
            messages.success(request, done % {"n": changed})
            left = reads.sheet(found, _first(request)).after
            if left is None and not reads.n_missing(found):
                return back(found)
            here = reverse("round_references", args=[scope.project.slug, number])
            return redirect(f"{here}?from={left}" if left else here)
    sheet = reads.sheet(found, _first(request))
    context = {
        "scope": scope,
        "round": found,
        "sheet": sheet,
        "n_missing": reads.n_missing(found),
        "refusal": refusal,
        "entered": request.POST,
    }
    status = refusal.status if refusal else 200
    return render(request, "annotation/round_references.html", context, status=status)


def _first(request: HttpRequest) -> int:
    """Return the place of the first question that is asked for, from 1."""
    wanted = request.GET.get("from", "")
    return int(wanted) if wanted.isdecimal() and len(wanted) < 7 else 1


def _give(request: HttpRequest, scope: Scope, found: Round) -> int:
    values: dict[reads.Place, Decimal] = {}
    problems: dict[str, list[str]] = {}
    for place in reads.wanted(found):
        name = f"reference-{place[0]}-{place[1]}"
        if not (written := request.POST.get(name, "").strip()):
            continue
        try:
            values[place] = scales.parse(written)
        except ValueError as problem:
            problems[name] = [str(problem)]
    if problems:
        raise giving.OffScale(_("Some grades do not fit their scale."), fields=problems)
    said = {
        response: request.POST[f"why-{response}"].strip()
        for response in {place[0] for place in values}
        if f"why-{response}" in request.POST
    }
    return giving.give(round_=found, values=values, why=said, by=scope.user, now=timezone.now())
