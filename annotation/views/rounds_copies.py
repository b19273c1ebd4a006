"""A round begun like another one, and a round taken away."""

import secrets

from django import forms as django_forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from annotation import permissions
from annotation.forms import refusals
from annotation.forms import rounds as forms
from annotation.models import Role, Round
from annotation.operations.rounds import copying, discarding
from annotation.permissions import Scope, door
from annotation.queries import rounds as reads
from annotation.views.rounds import back, find
from evalsite import errors


@require_http_methods(["GET", "POST"])
@door(permissions.CURATORS)
def round_copy(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Begin a draft that is set as this round was."""
    found = find(scope, number)
    sent = request.POST if request.method == "POST" else None
    form = forms.CopyRound(sent, initial={"name": copying.usual_name(found)})
    status = 0
    if form.is_valid():
        given = form.cleaned_data
        try:
            made = copying.copy(
                round_=found,
                questions=copying.Questions(given["questions"]),
                name=given["name"],
                seed=given["seed"] or secrets.token_hex(8),
                secret=secrets.token_bytes(32),
                by=scope.user,
                by_owner=scope.may({Role.OWNER}),
                now=timezone.now(),
            )
        except errors.Refusal as refusal:
            refusals.show(form, refusal)
            status = refusal.status
        else:
            messages.success(request, _("The copy is a draft. Look it over and prepare it."))
            if left := copying.left_behind(found, made):
                said = _("Set to their defaults: %(settings)s.")
                messages.warning(request, said % {"settings": ", ".join(left)})
            return back(made)
    why_not = copying.why_not(found)
    return _page(
        request, scope, found, form, "annotation/round_copy.html", status=status, why_not=why_not
    )


@require_http_methods(["GET", "POST"])
@door(permissions.CURATORS)
def round_discard(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Say what goes with a round in which nothing was graded; then take it away."""
    found = find(scope, number)
    sent = request.POST if request.method == "POST" else None
    form = forms.DiscardRound(sent, was_open=found.state != Round.State.DRAFT)
    status = 0
    if form.is_valid():
        try:
            discarding.discard(
                round_=found,
                by=scope.user,
                now=timezone.now(),
                reason=form.cleaned_data.get("reason", ""),
            )
        except errors.Refusal as refusal:
            refusals.show(form, refusal)
            status = refusal.status
        else:
            gone = {"name": found.name}
            said = _("The draft “%(name)s” is deleted.")
            if found.state != Round.State.DRAFT:
                said = _("“%(name)s” is discarded. Its annotators are told.")
            messages.success(request, said % gone)
            return redirect("rounds", scope.project.slug)
    context = {"seats": reads.seats(found), "why_not": discarding.why_not(found)}
    return _page(
        request, scope, found, form, "annotation/round_discard.html", status=status, **context
    )


def _page(
    request: HttpRequest,
    scope: Scope,
    found: Round,
    form: django_forms.Form,
    template: str,
    status: int = 0,
    **more: object,
) -> HttpResponse:
    context = {"scope": scope, "round": found, "form": form, **more}
    return render(request, template, context, status=status or refusals.status_of(form))
