"""The annotator's pages. They hold plain values only; see annotation.queries.faces."""

import functools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.middleware.csrf import get_token
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation import permissions
from annotation.forms import grading as forms
from annotation.models import Rater, Round, User
from annotation.operations import grading, leases, seating
from annotation.permissions import Scope, door
from annotation.queries import faces, worklist
from evalsite import bodies, errors, middleware

#: Zipped as well: nothing on an annotator's page repeats what a foreign address says, the CSRF token
#: is masked anew each time, and the zip is padded by chance, so its length tells nothing.
_unkept = cache_control(private=True, no_store=True)


def private(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Mark the answers of a view as for nobody in between, and send them zipped.

    That a round was discarded is said here, whatever was asked of one of its questions.
    """

    @functools.wraps(view)
    def told(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            return view(request, *args, **kwargs)
        except grading.Discarded as gone:
            if middleware.wants_json(request):
                return bodies.refusal(gone)
            said = {"status": gone.status, "message": gone.message}
            return render(request, "refused.html", said, status=gone.status)

    zipped: Callable[..., HttpResponse] = gzip_page(_unkept(told))
    return zipped


def rater_of(scope: Scope) -> Rater:
    rater = worklist.rater_of(scope.project, scope.user)
    if rater is None:
        raise Http404
    return rater


def _round(scope: Scope, rater: Rater, number: int) -> Round:
    """Return a round this person was invited to; others do not exist for them."""
    mine = Round.objects.filter(project=scope.project, annotators__rater=rater)
    return get_object_or_404(mine.exclude(state=Round.State.DRAFT), number=number)


def holding(scope: Scope, rater: Rater, token: str) -> grading.Holding:
    try:
        found = grading.held(token=token, rater=rater)
    except grading.NotYours:
        raise Http404 from None
    if found.assignment.round.project_id != scope.project.pk:
        raise Http404
    return found


@require_POST
@private
@door(permissions.ANNOTATORS)
def claim(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Take the next seat of a round and go to it."""
    rater = rater_of(scope)
    return _to_next(request, scope, _round(scope, rater, number), rater)


def _to_next(request: HttpRequest, scope: Scope, round_: Round, rater: Rater) -> HttpResponse:
    try:
        seat = seating.claim_next(round_=round_, rater=rater, now=timezone.now())
    except seating.NoSeat as refusal:
        return redirect("grade_none", scope.project.slug, round_.number, refusal.code)
    return redirect("grade", scope.project.slug, seat.token)


@require_GET
@private
@door(permissions.ANNOTATORS)
def nothing(request: HttpRequest, scope: Scope, number: int, why: str) -> HttpResponse:
    """Say why there is nothing to grade in a round, and what happens next."""
    round_ = _round(scope, rater_of(scope), number)
    if why not in seating.WHY:
        raise Http404
    context = {
        "project": scope.project,
        "number": round_.number,
        "name": round_.name,
        "title": seating.WHY[why][0],
        "text": seating.WHY[why][1],
    }
    return render(request, "annotation/grade_none.html", context)


@require_http_methods(["GET", "POST"])
@private
@door(permissions.ANNOTATORS)
def grade(request: HttpRequest, scope: Scope, token: str) -> HttpResponse:
    """Show a seat, and record its grades."""
    rater = rater_of(scope)
    held = holding(scope, rater, token)
    if request.method == "POST":
        return _submit(request, scope, rater, held)
    page = faces.seat(held.assignment, token=token, lost=held.lost, now=timezone.now())
    return _page(request, scope, page)


def _page(
    request: HttpRequest,
    scope: Scope,
    page: faces.SeatFace,
    refusal: errors.Refusal | None = None,
) -> HttpResponse:
    status = refusal.status if refusal else 200
    shown = context(scope, page, refusal)
    shown["settings"] = {
        "device": device_of(scope.user),
        "csrf": get_token(request),
        "base": reverse("grading", args=[scope.project.slug]),
        "signIn": reverse("sign_in_again"),
    }
    return render(request, "annotation/grade.html", shown, status=status)


def context(
    scope: Scope, page: faces.SeatFace, refusal: errors.Refusal | None = None
) -> dict[str, Any]:
    """Return what the templates of a desk are filled with."""
    return {
        "project": scope.project,
        "page": page,
        "refusal": refusal,
        "cannot": [(code, str(words)) for code, words in forms.CANNOT],
        "skip": [(code, str(words)) for code, words in forms.SKIP],
    }


def device_of(user: User) -> str:
    """Return the name of somebody's store on a shared device; it tells nothing."""
    return salted_hmac("evalsite.device", str(user.public_id), algorithm="sha256").hexdigest()[:24]


def _submit(
    request: HttpRequest, scope: Scope, rater: Rater, held: grading.Holding
) -> HttpResponse:
    seat, token = held.assignment, held.token
    page = faces.seat(seat, token=token, lost=held.lost, now=timezone.now())
    sent = forms.read(
        request.POST, [one.letter for one in page.responses], [c.key for c in page.criteria]
    )
    try:
        if sent.entered.errors:
            raise grading.OffScale(
                _("Some grades do not fit their scale."), fields=sent.entered.errors
            )
        receipt = grading.submit_grades(
            token=token,
            rater=rater,
            marks=sent.marks,
            comments=sent.entered.comments,
            flag=sent.flag,
            base_rev=sent.base_rev,
            op_id=sent.op_id(token),
            now=timezone.now(),
            view="plain",
        )
    except errors.Refusal as refusal:
        entered = replace(sent.entered, errors=refusal.fields)
        seat.refresh_from_db()
        again = faces.seat(seat, token=token, lost=held.lost, now=timezone.now(), entered=entered)
        return _page(request, scope, again, refusal)
    if receipt.late:
        messages.warning(
            request,
            _(
                "Your time for this question had run out and somebody else has it now. "
                "Your grades are kept as late; the owner decides whether they count."
            ),
        )
    if page.submitted or "sheet" in request.POST:
        messages.success(
            request, _("Your correction is saved.") if page.submitted else _("Submitted.")
        )
        return redirect("grade_sheet", scope.project.slug, seat.round.number)
    return _to_next(request, scope, seat.round, rater)


@require_POST
@private
@door(permissions.ANNOTATORS)
def hand_back(request: HttpRequest, scope: Scope, token: str) -> HttpResponse:
    """Give a seat back, or skip its question with a reason."""
    rater = rater_of(scope)
    held = holding(scope, rater, token)
    reason = request.POST.get("reason", "")
    skip = reason in dict(forms.SKIP)
    try:
        leases.hand_back(
            assignment=held.assignment,
            rater=rater,
            now=timezone.now(),
            reason=reason if skip else "",
            skip=skip,
        )
    except errors.Refusal as refusal:
        messages.error(request, refusal.message)
        return redirect("grading", scope.project.slug)
    if skip:
        messages.success(request, _("Skipped. Somebody else will take that question."))
        return _to_next(request, scope, held.assignment.round, rater)
    if held.assignment.submitted_at is None:
        messages.success(request, _("Handed back. Somebody else will take that question."))
    else:
        messages.success(request, _("Your grades stay as they were."))
    return redirect("grading", scope.project.slug)


@require_GET
@private
@door(permissions.ANNOTATORS)
def sheet(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Show one's own grades of a round: questions down, positions across."""
    rater = rater_of(scope)
    round_ = _round(scope, rater, number)
    context = {"project": scope.project, "sheet": worklist.sheet(rater, round_)}
    return render(request, "annotation/grade_sheet.html", context)
