"""Choose what a round draws, and see at once what that would bring and what it misses."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from annotation import permissions
from annotation.forms import draws as forms
from annotation.forms import refusals
from annotation.models import Role, Round
from annotation.operations.rounds import drafting, overriding
from annotation.permissions import Scope, door
from annotation.queries import draw_plans, draw_tables
from annotation.rules.draws import Draw
from annotation.views.rounds import back, find, refuse
from evalsite import errors

DRAFT = Round.State.DRAFT


@require_http_methods(["GET", "POST"])
@door(permissions.CURATORS)
def round_draw(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Show or save the draw; with `show` in what was sent, only show what it would bring."""
    found = find(scope, number, DRAFT)
    sent = request.POST if request.method == "POST" else None
    form = forms.Draw(sent, round_=found, initial=_wishes(found))
    if sent is not None and "show" not in sent and form.is_valid():
        try:
            drafting.choose_draw(round_=found, draw=form.draw(), by=scope.user, now=timezone.now())
        except errors.Refusal as refusal:
            refusals.show(form, refusal)
        else:
            messages.success(request, _("Saved."))
            return back(found)
    context = {"scope": scope, "round": found, "form": form, **_preview(found, form)}
    status = 200 if sent is None else refusals.status_of(form)
    return render(request, "annotation/round_draw.html", context, status=status)


@require_http_methods(["GET", "POST"])
@door(permissions.CURATORS)
def round_draw_count(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Show what the form would draw as it stands just now; nothing is saved."""
    found = find(scope, number, DRAFT)
    form = forms.Draw(request.POST or request.GET, round_=found)
    context = {"scope": scope, "round": found, "form": form, **_preview(found, form)}
    return render(request, "annotation/round_draw_count.html", context)


def _wishes(found: Round) -> dict[str, Any]:
    return Draw.from_json(found.draw).as_json()


def _preview(found: Round, form: forms.Draw) -> dict[str, Any]:
    """Return what would be drawn: by the form if it can be read, else by what is saved."""
    if form.is_bound and not form.is_valid():
        return {"table": None}
    wanted = form.draw() if form.is_bound else Draw.from_json(found.draw)
    has_releases = found.systems.exists()
    if not has_releases:
        return {"table": None, "no_releases": True}
    if wanted.is_stratified and not wanted.strata:
        return {"table": None}
    plan = draw_plans.plan(found, wanted, timezone.now())
    return {"table": draw_tables.of(found, wanted, plan), "wanted": wanted}


@require_POST
@door(permissions.CURATORS)
def round_own(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Let people grade what they wrote or inspected, or take that back."""
    found = find(scope, number, DRAFT, Round.State.OPEN, Round.State.REVIEW)
    try:
        overriding.allow_own(
            round_=found,
            reason=request.POST.get("reason", ""),
            by=scope.user,
            by_owner=scope.may({Role.OWNER}),
            now=timezone.now(),
        )
    except errors.Refusal as refusal:
        return refuse(request, scope, found, refusal)
    messages.success(request, _("Saved."))
    return back(found)
