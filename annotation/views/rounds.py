"""Rounds: the list, a new one, and the page of one."""

import secrets
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods

from annotation import permissions
from annotation.forms import refusals
from annotation.forms import rounds as forms
from annotation.models import Round
from annotation.operations.rounds import copying, drafting
from annotation.permissions import Scope, door
from annotation.queries import flags, identity, readiness
from annotation.queries import rounds as reads
from annotation.rules.rounds import Need
from evalsite import errors, keyset, panels

MINUTES = 4.0  # per item; a guess until the first grades say otherwise
#: Where a need of a draft is met.
MENDED_AT = {
    Need.ITEMS: "round_draw",
    Need.RESPONSES: "round_systems",
    Need.RUBRICS: "round_rubrics",
    Need.SEATS: "round_settings",
    Need.ANNOTATORS: "round_annotators",
    Need.OTHERS_WROTE_IT: "round_annotators",
    Need.QUALIFIED: "round_settings",
    Need.IDENTITY_CLEARED: "round_identity",
    Need.REFERENCES: "round_references",
}
PAGES = {
    Round.State.DRAFT: "annotation/round_draft.html",
    Round.State.OPEN: "annotation/round_open.html",
    Round.State.REVIEW: "annotation/round_review.html",
    Round.State.FINAL: "annotation/round_final.html",
}


def find(scope: Scope, number: int, *states: Round.State) -> Round:
    """Return the round of this number in the project, if it is seen and in one of these states."""
    rounds = reads.of(scope.project).select_related("project")
    if states:
        rounds = rounds.filter(state__in=states)
    return get_object_or_404(rounds, number=number)


def back(round_: Round) -> HttpResponse:
    return redirect("round", round_.project.slug, round_.number)


def refuse(request: HttpRequest, scope: Scope, round_: Round, why: errors.Refusal) -> HttpResponse:
    """Show the page of the round again with what was refused, under the refusal's status."""
    round_.refresh_from_db()
    return show(request, scope, round_, refusal=why, status=why.status)


@require_GET
@door(permissions.UNBLINDED)
def rounds(request: HttpRequest, scope: Scope) -> HttpResponse:
    lines, page = reads.page_of(scope.project, after=request.GET.get("after", ""))
    context = {
        "scope": scope,
        "lines": lines,
        "next_url": keyset.next_url(request.GET, page),
        "first_url": keyset.first_url(request.GET, page),
        "may_edit": scope.may(permissions.CURATORS),
    }
    return render(request, "annotation/rounds.html", context)


@require_http_methods(["GET", "POST"])
@door(permissions.CURATORS)
def round_new(request: HttpRequest, scope: Scope) -> HttpResponse:
    form = forms.NewRound(request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            made = drafting.create_round(
                project=scope.project,
                name=form.cleaned_data["name"],
                seed=form.cleaned_data["seed"] or secrets.token_hex(8),
                secret=secrets.token_bytes(32),
                by=scope.user,
                now=timezone.now(),
            )
        except errors.Refusal as refusal:
            refusals.show(form, refusal)
        else:
            messages.success(request, _("The draft is there. Nobody sees it until it is opened."))
            return back(made)
    context = {"scope": scope, "form": form}
    status = refusals.status_of(form)
    return render(request, "annotation/round_new.html", context, status=status)


@require_GET
@door(permissions.UNBLINDED)
def round_(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    return show(request, scope, find(scope, number))


@require_GET
@door(permissions.UNBLINDED)
def round_standing(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Say how far a preparation or an opening is; asked for again and again until it is done."""
    found = find(scope, number)
    context = {"scope": scope, "round": found, "work": under_way(found)}
    response = render(request, "annotation/round_standing.html", context)
    if context["work"] is None:
        response["HX-Refresh"] = "true"
    return response


def show(
    request: HttpRequest, scope: Scope, found: Round, *, status: int = 200, **more: Any
) -> HttpResponse:
    context: dict[str, Any] = {
        "scope": scope,
        "round": found,
        "may_edit": scope.may(permissions.CURATORS),
        "no_copy": copying.why_not(found),
        "systems": reads.systems_of(found),
        "rubrics": reads.rubrics_of(found),
        "capability_names": reads.capability_names(
            scope.project, found.draw.get("capabilities") or []
        ),
        "panels": list(panels.fill("round", scope=scope, round=found)),
        **more,
    }
    part = _draft if found.state == Round.State.DRAFT else _running
    context |= part(request, found, context["may_edit"])
    return render(request, PAGES[Round.State(found.state)], context, status=status)


def _draft(request: HttpRequest, found: Round, may_edit: bool) -> dict[str, Any]:
    pace = forms.Pace(request.GET)
    minutes = pace.given(MINUTES)
    cost = readiness.cost(found)
    needs = [(need, "" if need.waits else MENDED_AT[need.key]) for need in readiness.needs(found)]
    hours = cost.hours(minutes)
    work = under_way(found)
    return {
        "work": work,
        "may_change": may_edit and found.opening_at is None,
        "needs": needs,
        "is_ready": all(need.met for need, _url in needs),
        "cost": cost,
        "hours": hours,
        "hours_each": hours / cost.n_annotators if cost.n_annotators else None,
        "pace": forms.Pace(initial={"minutes": minutes}),
        "places": [one for one in reads.annotators_of(found) if one.annotator.ended_at is None],
        "hits": identity.summary(found),
        "prepared": found.draw.get("prepared"),
    }


def _running(request: HttpRequest, found: Round, may_edit: bool) -> dict[str, Any]:
    return {
        "seats": reads.seats(found),
        "flags": flags.tally(found),
        "places": reads.annotators_of(found),
        "coverage": reads.coverage(found),
    }


def under_way(found: Round) -> dict[str, Any] | None:
    """Return what a worker does with the draft just now, and how far it is; None if nothing."""
    if found.state != Round.State.DRAFT:
        return None
    if found.opening_at is not None:
        total = sum(found.items.values_list("n_seats", flat=True))
        return {"kind": "opening", "done": found.assignments.count(), "total": total}
    if preparing := found.draw.get("preparing"):
        total = preparing.get("items")
        return {"kind": "preparing", "done": found.items.count() if total else 0, "total": total}
    return None
