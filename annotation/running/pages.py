"""A round on its way: pause, close, finish; its seats, one by one.

* Who has how much to do, whether rounds will be done in time, and what to do when somebody stops.
* A round begun like another one, and a round taken away.
* One's own account: name, address, password; and how pages look and listen on this device.
"""

import csv
import secrets
import uuid
from collections.abc import Callable, Iterator
from typing import Any

from django import forms as django_forms
from django.contrib import messages
from django.contrib.auth import logout
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from annotation.common import forms as refusals
from annotation.common.forms import status_of
from annotation.common.sentences import gettext as _
from annotation.common.sentences import ngettext
from annotation.people import forms as people
from annotation.people import permissions
from annotation.people import queries as projects
from annotation.people.models import Rater, RaterKind, Role, User
from annotation.people.pages import tabs
from annotation.people.permissions import Scope, asks, does, shows
from annotation.rounds import beginning, forms, states
from annotation.rounds import queries as reads
from annotation.rounds.forms import ReasonForm
from annotation.rounds.models import Assignment, Round, RoundItem
from annotation.rounds.pages import back, find, refuse
from annotation.running import discarding
from annotation.running import operations as running
from annotation.running import operations as seats
from annotation.running import queries as workload_reads
from evalsite import errors, panels
from evalsite.web import addresses, keyset


@does(permissions.UNBLINDED, permissions.CURATORS)
def round_pause(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    return _move(request, scope, number, states.pause, _("The round pauses."))


@does(permissions.UNBLINDED, permissions.CURATORS)
def round_resume(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    return _move(request, scope, number, states.resume, _("The round goes on."))


@does(permissions.UNBLINDED, permissions.CURATORS)
def round_withdraw(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Take back an opening that does not come to its end."""
    said = _("Opening withdrawn; the round is a draft again.")
    return _move(request, scope, number, states.withdraw_opening, said)


@asks(permissions.CURATORS)
def round_prolong(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Change the closing time of an open round."""
    found = find(scope, number)
    sent = request.POST if request.method == "POST" else None
    form = forms.Deadline(sent, initial={"deadline": found.deadline})
    if form.is_valid():
        until = form.cleaned_data["deadline"]
        with refusals.shown(form):
            states.prolong(round_=found, deadline=until, **scope.who())
            messages.success(request, _("Closing time changed."))
            return back(found)
    context = {"round": found, "form": form}
    status = refusals.status_of(form)
    return render(request, "annotation/running/round_prolong.html", context, status=status)


def _move(
    request: HttpRequest, scope: Scope, number: int, step: Callable[..., None], said: str
) -> HttpResponse:
    found = find(scope, number)
    try:
        step(round_=found, **scope.who())
    except errors.Refusal as refusal:
        return refuse(request, scope, found, refusal)
    messages.success(request, said)
    return back(found)


@asks(permissions.CURATORS)
def round_close(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Say what closing means for this round; then close it."""
    found = find(scope, number)
    form = forms.CloseReason(request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            states.close(round_=found, reason=form.cleaned_data["reason"], **scope.who())
        except errors.Refusal as refusal:
            return refuse(request, scope, found, refusal)
        messages.success(request, _("The round is closed and in review."))
        return back(found)
    context = {"form": form, "seats": reads.seats(found), "coverage": reads.coverage(found)}
    return _confirm(request, scope, found, "annotation/running/round_close.html", context)


@asks(permissions.CURATORS)
def round_finish(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Say what finishing means; then make the round final."""
    if request.method == "POST":
        return _move(request, scope, number, states.finish, _("The round is final."))
    found = find(scope, number)
    in_review = found.state == Round.State.REVIEW
    waits = list(panels.fill("finish", scope=scope, round=found)) if in_review else []
    context = {"seats": reads.seats(found), "waits": waits}
    return _confirm(request, scope, found, "annotation/running/round_finish.html", context)


def _confirm(
    request: HttpRequest, scope: Scope, found: Round, template: str, context: dict[str, Any]
) -> HttpResponse:
    status = refusals.status_of(*[one for one in [context.get("form")] if one is not None])
    context |= {"round": found}
    return render(request, template, context, status=status)


@shows(permissions.UNBLINDED)
def round_seats(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """List the items of a round with their seats: who holds one, what is done, never the grades."""
    found = find(scope, number)
    only = request.GET.get("only", "")
    lines, page = reads.item_page(found, only=only, after=request.GET.get("after", ""))
    context = {
        "round": found,
        "lines": lines,
        "only": only,
        **keyset.links(request.GET, page),
        "may_edit": scope.may(permissions.CURATORS),
    }
    return render(request, "annotation/running/round_seats.html", context)


@asks(permissions.UNBLINDED, permissions.CURATORS)
def round_flags(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """List what annotators have asked about questions, and take an answer."""
    found = find(scope, number)
    form = forms.FlagAnswerForm(request.POST if request.method == "POST" else None)
    status = 200
    if form.is_valid():
        flag = get_object_or_404(reads.of_flags(found), pk=form.cleaned_data["flag"])
        with refusals.shown(form) as refused:
            running.answer(flag=flag, round_=found, text=form.cleaned_data["text"], **scope.who())
            messages.success(request, _("Answered."))
            return redirect("round_flags", scope.project.slug, found.number)
        status = refused.status
    elif form.is_bound:
        status = refusals.status_of(form)
    every = request.GET.get("only") == "all"
    lines, page = reads.flags_page(found, every=every, after=request.GET.get("after", ""))
    context = {
        "round": found,
        "lines": lines,
        "every": every,
        "form": form,
        "answered": form["flag"].value() if form.is_bound else None,
        **keyset.links(request.GET, page),
        "may_edit": scope.may(permissions.CURATORS),
    }
    return render(request, "annotation/running/round_flags.html", context, status=status)


@asks(permissions.CURATORS)
def seat_release(request: HttpRequest, scope: Scope, number: int, seat: int) -> HttpResponse:
    """Take a seat from its holder, with a reason."""
    found = find(scope, number)
    rows = Assignment.objects.filter(round=found).select_related(
        "rater__user__person", "round_item__item"
    )
    held = get_object_or_404(rows, ordinal=seat - 1)

    def deed(reason: str) -> None:
        seats.release(assignment=held, reason=reason, **scope.who())

    holder = reads.holder_of(held) if held.state == Assignment.State.CLAIMED else ""
    context = {"holder": holder, "item": held.round_item}
    template = "annotation/running/round_release.html"
    return _with_reason(request, scope, found, deed, template, context, _("Seat is free."))


@asks(permissions.CURATORS)
def seat_add(request: HttpRequest, scope: Scope, number: int, place: int) -> HttpResponse:
    """Add a seat to an item in review, with a reason."""
    found = find(scope, number)
    rows = RoundItem.objects.filter(round=found).select_related("item", "round")
    one = get_object_or_404(rows, ordinal=place - 1)

    def deed(reason: str) -> None:
        seats.add_seat(round_item=one, reason=reason, **scope.who())

    context = {"item": one, "n_takers": reads.n_who_could_take(one)}
    template = "annotation/running/round_add_seat.html"
    return _with_reason(request, scope, found, deed, template, context, _("Seat added."))


def _with_reason(
    request: HttpRequest,
    scope: Scope,
    found: Round,
    deed: Callable[[str], None],
    template: str,
    context: dict[str, Any],
    said: str,
) -> HttpResponse:
    form = forms.ReasonForm(request.POST if request.method == "POST" else None)
    status = 200
    if form.is_valid():
        with refusals.shown(form) as refused:
            deed(form.cleaned_data["reason"])
            messages.success(request, said)
            return redirect("round_seats", scope.project.slug, found.number)
        status = refused.status
    elif form.is_bound:
        status = refusals.status_of(form)
    context |= {"round": found, "form": form}
    return render(request, template, context, status=status)


TIMES = ("annotator", "round", "item", "submitted_at", "active_ms", "grades")


@shows(permissions.OWNERS)
def workload(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Show what each annotator has done and holds, and when each open round would be done."""
    now = timezone.now()
    lines = workload_reads.lines(scope.project, now)
    context = {
        "lines": lines,
        "has_times": any(one.n_done for one in lines),
        "outlooks": workload_reads.outlooks(scope.project, now),
    }
    return render(request, "annotation/running/workload.html", context)


@shows(permissions.OWNERS)
def workload_times(request: HttpRequest, scope: Scope) -> StreamingHttpResponse:
    """Send the active time of every submission as CSV; people under their pseudonyms."""

    def rows() -> Iterator[str]:
        writer = csv.writer(_RunningEcho())
        yield writer.writerow(TIMES)
        for one in workload_reads.times(scope.project):
            yield writer.writerow(one)

    name = f"{scope.project.slug}-times.csv"
    return StreamingHttpResponse(
        rows(),
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


@asks(permissions.OWNERS)
def workload_leave(request: HttpRequest, scope: Scope, person: uuid.UUID) -> HttpResponse:
    """Take somebody out of every round under way, after saying what that means."""
    rows = Rater.objects.filter(project=scope.project, kind=RaterKind.PERSON)
    rater = get_object_or_404(rows.select_related("user__person"), user__public_id=person)
    now = timezone.now()
    form = ReasonForm(request.POST if request.method == "POST" else None)
    status = status_of(form)
    if form.is_valid():
        with refusals.shown(form) as refused:
            left = running.leave_rounds(
                project=scope.project,
                rater=rater,
                by=scope.user,
                reason=form.cleaned_data["reason"],
                now=now,
            )
            messages.success(
                request, _left(rater.user.display_name if rater.user else rater.ref, left)
            )
            return redirect("workload", scope.project.slug)
        status = refused.status
    line = next(
        (one for one in workload_reads.lines(scope.project, now) if one.rater == rater), None
    )
    context = {
        "form": form,
        "rater": rater,
        "line": line,
        "short": workload_reads.short_without(scope.project, rater),
    }
    return render(request, "annotation/running/workload_leave.html", context, status=status)


@asks(permissions.OWNERS)
def person_erase(request: HttpRequest, scope: Scope, person: uuid.UUID) -> HttpResponse:
    """Erase the person behind an account that one made oneself, after the user name is typed."""
    user = get_object_or_404(projects.members_of(scope.project), public_id=person)
    form = people.Erase(request.POST if request.method == "POST" else None)
    status = status_of(form)
    if form.is_valid():
        given = form.cleaned_data
        with refusals.shown(form) as refused:
            running.erase_confirmed(
                user=user,
                name_typed=given["name"],
                password=given["password"],
                address=addresses.address_of(request),
                **scope.who(),
            )
            if user.pk == scope.user.pk:
                logout(request)
                return redirect("login")
            messages.success(request, _("Erased. What they graded stays."))
            return redirect("people", scope.project.slug)
        status = refused.status
    may = projects.keeps_account(by=scope.user, user=user) or user.pk == scope.user.pk
    context = {"person": user, "form": form, "may_erase": may, "who_keeps": projects.who_keeps()}
    return render(request, "annotation/running/person_erase.html", context, status=status)


def _left(name: str, left: running.Left) -> str:
    """Return what happened, in the words of the page that asked."""
    rounds = ngettext(
        "%(name)s is out of %(n)d round.", "%(name)s is out of %(n)d rounds.", left.n_rounds
    )
    seats = ngettext(
        "%(n)d question they held goes to the others.",
        "%(n)d questions they held go to the others.",
        left.n_seats,
    )
    said = rounds % {"name": name, "n": left.n_rounds}
    return f"{said} {seats % {'n': left.n_seats}}" if left.n_seats else said


class _RunningEcho:
    """A file for the csv writer that hands each line back."""

    def write(self, text: str) -> str:
        return text


@asks(permissions.CURATORS)
def round_copy(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Begin a draft that is set as this round was."""
    found = find(scope, number)
    sent = request.POST if request.method == "POST" else None
    form = forms.CopyRound(sent, initial={"name": beginning.usual_name(found)})
    status = 0
    if form.is_valid():
        given = form.cleaned_data
        with refusals.shown(form) as refused:
            made = beginning.copy(
                round_=found,
                questions=beginning.Questions(given["questions"]),
                name=given["name"],
                seed=given["seed"] or secrets.token_hex(8),
                secret=secrets.token_bytes(32),
                by_owner=scope.may({Role.OWNER}),
                **scope.who(),
            )
            messages.success(request, _("Copied as a draft. Check and prepare it."))
            if left := beginning.left_behind(found, made):
                said = _("Set to their defaults: %(settings)s.")
                messages.warning(request, said % {"settings": ", ".join(left)})
            return back(made)
        status = refused.status
    why_not = beginning.why_not(found)
    return _page(
        request,
        scope,
        found,
        form,
        "annotation/running/round_copy.html",
        status=status,
        why_not=why_not,
    )


@asks(permissions.CURATORS)
def round_discard(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Say what goes with a round in which nothing was graded; then take it away."""
    found = find(scope, number)
    sent = request.POST if request.method == "POST" else None
    form = forms.DiscardRound(sent, was_open=found.state != Round.State.DRAFT)
    status = 0
    if form.is_valid():
        with refusals.shown(form) as refused:
            discarding.discard(
                round_=found, reason=form.cleaned_data.get("reason", ""), **scope.who()
            )
            gone = {"name": found.name}
            said = _("“%(name)s” is deleted.")
            if found.state != Round.State.DRAFT:
                said = _("“%(name)s” is discarded.")
            messages.success(request, said % gone)
            return redirect("rounds", scope.project.slug)
        status = refused.status
    context = {"seats": reads.seats(found), "why_not": discarding.why_not(found)}
    return _page(
        request,
        scope,
        found,
        form,
        "annotation/running/round_discard.html",
        status=status,
        **context,
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
    context = {"round": found, "form": form, **more}
    return render(request, template, context, status=status or refusals.status_of(form))


@require_http_methods(["GET", "POST"])
def account_erase(request: HttpRequest) -> HttpResponse:
    """Erase oneself, after the user name and the password are typed."""
    user = request.user
    assert isinstance(user, User)
    form = people.Erase(request.POST if request.method == "POST" else None)
    status = status_of(form)
    if form.is_valid():
        given = form.cleaned_data
        with refusals.shown(form) as refused:
            running.erase_confirmed(
                user=user,
                name_typed=given["name"],
                by=user,
                password=given["password"],
                address=addresses.address_of(request),
                now=timezone.now(),
            )
            logout(request)
            return redirect("login")
        status = refused.status
    context = {"form": form, "tabs": tabs(request)}
    return render(request, "annotation/running/account_erase.html", context, status=status)
