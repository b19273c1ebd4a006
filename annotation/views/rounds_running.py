"""A round on its way: pause, close, finish; its seats, one by one."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation import permissions
from annotation.forms import refusals
from annotation.forms import rounds as forms
from annotation.models import Assignment, Round, RoundItem
from annotation.operations import flags
from annotation.operations.rounds import seats, states
from annotation.permissions import Scope, door
from annotation.queries import flags as reads_flags
from annotation.queries import rounds as reads
from annotation.views.rounds import back, find, refuse
from evalsite import errors, keyset, panels


@require_POST
@door(permissions.UNBLINDED, permissions.CURATORS)
def round_pause(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    return _move(request, scope, number, states.pause, _("The round pauses."))


@require_POST
@door(permissions.UNBLINDED, permissions.CURATORS)
def round_resume(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    return _move(request, scope, number, states.resume, _("The round goes on."))


@require_POST
@door(permissions.UNBLINDED, permissions.CURATORS)
def round_withdraw(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Take back an opening that does not come to its end."""
    said = _("The opening is withdrawn; the round is a draft again.")
    return _move(request, scope, number, states.withdraw_opening, said)


@require_http_methods(["GET", "POST"])
@door(permissions.CURATORS)
def round_prolong(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Change the closing time of an open round."""
    found = find(scope, number)
    sent = request.POST if request.method == "POST" else None
    form = forms.Deadline(sent, initial={"deadline": found.deadline})
    if form.is_valid():
        until = form.cleaned_data["deadline"]
        try:
            states.prolong(round_=found, deadline=until, by=scope.user, now=timezone.now())
        except errors.Refusal as refusal:
            refusals.show(form, refusal)
        else:
            messages.success(request, _("The closing time is changed."))
            return back(found)
    context = {"scope": scope, "round": found, "form": form}
    status = refusals.status_of(form)
    return render(request, "annotation/round_prolong.html", context, status=status)


def _move(
    request: HttpRequest, scope: Scope, number: int, step: Callable[..., None], said: str
) -> HttpResponse:
    found = find(scope, number)
    try:
        step(round_=found, by=scope.user, now=timezone.now())
    except errors.Refusal as refusal:
        return refuse(request, scope, found, refusal)
    messages.success(request, said)
    return back(found)


@require_http_methods(["GET", "POST"])
@door(permissions.CURATORS)
def round_close(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Say what closing means for this round; then close it."""
    found = find(scope, number)
    form = forms.CloseReason(request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            states.close(
                round_=found,
                by=scope.user,
                now=timezone.now(),
                reason=form.cleaned_data["reason"],
            )
        except errors.Refusal as refusal:
            return refuse(request, scope, found, refusal)
        messages.success(request, _("The round is closed and in review."))
        return back(found)
    context = {"form": form, "seats": reads.seats(found), "coverage": reads.coverage(found)}
    return _confirm(request, scope, found, "annotation/round_close.html", context)


@require_http_methods(["GET", "POST"])
@door(permissions.CURATORS)
def round_finish(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Say what finishing means; then make the round final."""
    if request.method == "POST":
        return _move(request, scope, number, states.finish, _("The round is final."))
    found = find(scope, number)
    in_review = found.state == Round.State.REVIEW
    waits = list(panels.fill("finish", scope=scope, round=found)) if in_review else []
    context = {"seats": reads.seats(found), "waits": waits}
    return _confirm(request, scope, found, "annotation/round_finish.html", context)


def _confirm(
    request: HttpRequest, scope: Scope, found: Round, template: str, context: dict[str, Any]
) -> HttpResponse:
    status = refusals.status_of(*[one for one in [context.get("form")] if one is not None])
    context |= {"scope": scope, "round": found}
    return render(request, template, context, status=status)


@require_GET
@door(permissions.UNBLINDED)
def round_seats(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """List the items of a round with their seats: who holds one, what is done, never the grades."""
    found = find(scope, number)
    only = request.GET.get("only", "")
    lines, page = reads.item_page(found, only=only, after=request.GET.get("after", ""))
    context = {
        "scope": scope,
        "round": found,
        "lines": lines,
        "only": only,
        "next_url": keyset.next_url(request.GET, page),
        "first_url": keyset.first_url(request.GET, page),
        "may_edit": scope.may(permissions.CURATORS),
    }
    return render(request, "annotation/round_seats.html", context)


@require_http_methods(["GET", "POST"])
@door(permissions.UNBLINDED, permissions.CURATORS)
def round_flags(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """List what annotators have asked about questions, and take an answer."""
    found = find(scope, number)
    form = forms.FlagAnswer(request.POST if request.method == "POST" else None)
    status = 200
    if form.is_valid():
        flag = get_object_or_404(reads_flags.of(found), pk=form.cleaned_data["flag"])
        try:
            flags.answer(
                flag=flag,
                round_=found,
                text=form.cleaned_data["text"],
                by=scope.user,
                now=timezone.now(),
            )
        except errors.Refusal as refusal:
            refusals.show(form, refusal)
            status = refusal.status
        else:
            messages.success(request, _("Answered. The person who asked reads it on their list."))
            return redirect("round_flags", scope.project.slug, found.number)
    elif form.is_bound:
        status = refusals.status_of(form)
    every = request.GET.get("only") == "all"
    lines, page = reads_flags.page_of(found, every=every, after=request.GET.get("after", ""))
    context = {
        "scope": scope,
        "round": found,
        "lines": lines,
        "every": every,
        "form": form,
        "answered": form["flag"].value() if form.is_bound else None,
        "next_url": keyset.next_url(request.GET, page),
        "first_url": keyset.first_url(request.GET, page),
        "may_edit": scope.may(permissions.CURATORS),
    }
    return render(request, "annotation/round_flags.html", context, status=status)


@require_http_methods(["GET", "POST"])
@door(permissions.CURATORS)
def seat_release(request: HttpRequest, scope: Scope, number: int, seat: int) -> HttpResponse:
    """Take a seat from its holder, with a reason."""
    found = find(scope, number)
    rows = Assignment.objects.filter(round=found).select_related(
        "rater__user__person", "round_item__item"
    )
    held = get_object_or_404(rows, ordinal=seat - 1)

    def deed(reason: str) -> None:
        seats.release(assignment=held, by=scope.user, reason=reason, now=timezone.now())

    holder = reads.holder_of(held) if held.state == Assignment.State.CLAIMED else ""
    context = {"holder": holder, "item": held.round_item}
    template = "annotation/round_release.html"
    return _with_reason(
        request, scope, found, deed, template, context, _("The seat is free again.")
    )


@require_http_methods(["GET", "POST"])
@door(permissions.CURATORS)
def seat_add(request: HttpRequest, scope: Scope, number: int, place: int) -> HttpResponse:
    """Add a seat to an item in review, with a reason."""
    found = find(scope, number)
    rows = RoundItem.objects.filter(round=found).select_related("item", "round")
    one = get_object_or_404(rows, ordinal=place - 1)

    def deed(reason: str) -> None:
        seats.add_seat(round_item=one, by=scope.user, reason=reason, now=timezone.now())

    context = {"item": one, "n_takers": reads.n_who_could_take(one)}
    template = "annotation/round_add_seat.html"
    return _with_reason(request, scope, found, deed, template, context, _("The seat is added."))


def _with_reason(
    request: HttpRequest,
    scope: Scope,
    found: Round,
    deed: Callable[[str], None],
    template: str,
    context: dict[str, Any],
    said: str,
) -> HttpResponse:
    form = forms.Reason(request.POST if request.method == "POST" else None)
    status = 200
    if form.is_valid():
        try:
            deed(form.cleaned_data["reason"])
        except errors.Refusal as refusal:
            refusals.show(form, refusal)
            status = refusal.status
        else:
            messages.success(request, said)
            return redirect("round_seats", scope.project.slug, found.number)
    elif form.is_bound:
        status = refusals.status_of(form)
    context |= {"scope": scope, "round": found, "form": form}
    return render(request, template, context, status=status)
