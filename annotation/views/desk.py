"""What the grading page's script says to the server: drafts, submits, leases. Plain values only.

Every answer is JSON; refusals have the one shape of errors, and a 409 of a draft also says what is
stored. The page works without any of this (annotation.views.grading).
"""

import contextlib
import functools
from collections.abc import Callable, Mapping
from typing import Any
from uuid import UUID

from django.contrib.auth import login
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.middleware.csrf import get_token
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from annotation import permissions
from annotation.forms import grading as forms
from annotation.forms.sign_in import SignInForm
from annotation.models import Assignment, Draft, Rater, User
from annotation.operations import drafts, failed_tries, grading, leases, seating
from annotation.permissions import Scope, door
from annotation.queries import faces
from annotation.rules import entries
from annotation.views import grading as pages
from evalsite import bodies, devices, errors

#: For which a response can be left without a grade.
REASONS = frozenset(dict(forms.CANNOT))


def _same_person(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Take nothing from the device store of one person while another one is signed in."""

    @functools.wraps(view)
    def checked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        with contextlib.suppress(errors.Refusal):  # the view says what is wrong with the body
            device = bodies.json_body(request).get("device")
            user = request.user
            if device is not None and isinstance(user, User) and device != pages.device_of(user):
                return bodies.refusal(SomebodyElse(_("Somebody else is signed in here.")))
        return view(request, *args, **kwargs)

    return checked


class SomebodyElse(errors.Refusal):
    code = "somebody_else"
    status = 401


@bodies.csrf_in_body
@require_POST
@pages.private
@_same_person
@door(permissions.ANNOTATORS)
def save(request: HttpRequest, scope: Scope, token: str) -> HttpResponse:
    """Take in a change of the draft; the answer says what is stored, with its digest."""
    rater = pages.rater_of(scope)
    try:
        body = bodies.json_body(request)
        receipt = drafts.save_draft(
            token=token,
            rater=rater,
            patch=_table(body.get("patch"), optional=True),
            base_rev=_whole(body.get("base_rev")),
            op_id=_op_id(body.get("op_id")),
            reasons=REASONS,
            now=timezone.now(),
        )
    except drafts.NewerDraft as newer:
        return bodies.refusal(newer, rev=newer.rev, entries=newer.stored)
    except errors.Refusal as refusal:
        return bodies.refusal(refusal)
    return JsonResponse(_saved(receipt.rev, receipt.digest, receipt.at.isoformat()))


def _saved(rev: int, digest: str, at: str) -> dict[str, Any]:
    return {"rev": rev, "digest": digest, "saved_at": at}


@bodies.csrf_in_body
@require_POST
@pages.private
@_same_person
@door(permissions.ANNOTATORS)
def submit(request: HttpRequest, scope: Scope, token: str) -> HttpResponse:
    """Take in the grades of a seat; the answer brings the next seat along."""
    rater = pages.rater_of(scope)
    try:
        body = bodies.json_body(request)
        holding = pages.holding(scope, rater, token)
        receipt = _submitted(body, holding, rater)
    except errors.Refusal as refusal:
        return bodies.refusal(refusal)
    answer = _saved(receipt.rev, receipt.digest, receipt.at.isoformat())
    answer["late"] = receipt.late
    if body.get("next", True):
        answer["next"] = _next(request, scope, holding.assignment, rater)
    return JsonResponse(answer)


def _submitted(body: Mapping[str, Any], holding: grading.Holding, rater: Rater) -> Any:
    desk = grading.desk_of(holding.assignment, REASONS)
    table = _table(body.get("entries"))
    try:
        entries.check(table, desk)
    except entries.Unfit as problem:
        message = _(str(problem))
        raise drafts.Unfit(message, fields={problem.place: [message]}) from problem
    full = {place: value for place, value in table.items() if value is not None}
    return grading.submit_grades(
        token=holding.token,
        rater=rater,
        marks=_marks(full, desk),
        comments={**dict.fromkeys(desk.letters, ""), **entries.of_kind(full, "comment")},
        evidence={
            **dict.fromkeys(desk.letters, ()),
            **{
                letter: entries.spans(written)
                for letter, written in entries.of_kind(full, "evidence").items()
            },
        },
        flag=full.get("flag", ""),
        base_rev=_whole(body.get("base_rev")),
        op_id=_op_id(body.get("op_id")),
        now=timezone.now(),
        active_ms=_whole(body.get("active_ms", 0)),
        view=str(body.get("view", ""))[:10],
    )


def _marks(table: entries.Entries, desk: entries.Desk) -> list[grading.Mark]:
    cannot = entries.of_kind(table, "cannot")
    marks = [
        grading.Mark(letter, criterion, value)
        for letter, criterion, value in entries.values(table)
        if letter not in cannot
    ]
    for letter, reason in cannot.items():
        marks += [grading.Mark(letter, criterion, cannot=reason) for criterion in desk.criteria]
    return marks


def _next(
    request: HttpRequest, scope: Scope, seat: Assignment, rater: Rater
) -> dict[str, str | None]:
    """Return the address of the next seat and its desk, or of the page that says why there is none."""
    slug = scope.project.slug
    try:
        claimed = seating.claim_next(round_=seat.round, rater=rater, now=timezone.now())
    except seating.NoSeat as none:
        url = reverse("grade_none", args=[slug, seat.round.number, none.code])
        return {"url": url, "html": None}
    return _laid(request, scope, claimed)


def _laid(request: HttpRequest, scope: Scope, seat: Assignment) -> dict[str, str | None]:
    """Return a seat's address and its desk, ready to be put in place."""
    token = seat.token or ""
    page = faces.seat(seat, token=token, lost=False, now=timezone.now())
    html = render_to_string("annotation/parts/desk.html", pages.context(scope, page), request)
    return {"url": reverse("grade", args=[scope.project.slug, token]), "token": token, "html": html}


@bodies.csrf_in_body
@require_POST
@pages.private
@_same_person
@door(permissions.ANNOTATORS)
def ahead(request: HttpRequest, scope: Scope, token: str) -> HttpResponse:
    """Hold the next seats ready and hand out their desks, for the time without a line."""
    rater = pages.rater_of(scope)
    holding = pages.holding(scope, rater, token)
    try:
        seats = seating.claim_ahead(
            round_=holding.assignment.round, rater=rater, now=timezone.now()
        )
    except seating.NoSeat:
        seats = []
    return JsonResponse({"desks": [_laid(request, scope, seat) for seat in seats]})


@require_GET
@pages.private
@door(permissions.ANNOTATORS)
def state(request: HttpRequest, scope: Scope, token: str) -> HttpResponse:
    """Say what is stored of a seat: whether it is still held, its revisions, its draft."""
    holding = pages.holding(scope, pages.rater_of(scope), token)
    seat = holding.assignment
    draft = None if holding.lost else Draft.objects.filter(assignment=seat).first()
    return JsonResponse(
        {
            "held": not holding.lost and seat.state == Assignment.State.CLAIMED,
            "submitted": not holding.lost and seat.state == Assignment.State.SUBMITTED,
            "rev": seat.rev,
            "draft_rev": draft.rev if draft else 0,
            "entries": draft.marks if draft else {},
            "lease_until": seat.lease_until.isoformat() if seat.lease_until else None,
        }
    )


@bodies.csrf_in_body
@require_POST
@pages.private
@_same_person
@door(permissions.ANNOTATORS)
def renew(request: HttpRequest, scope: Scope, token: str) -> HttpResponse:
    """Renew the lease of a seat because its holder is still at work."""
    holding = pages.holding(scope, pages.rater_of(scope), token)
    until = None
    if not holding.lost:
        until = leases.extend(assignment=holding.assignment, now=timezone.now())
    if until is None:
        return bodies.refusal(
            drafts.LeaseLost(
                _("Your time for this question has run out. Nothing you entered is lost.")
            )
        )
    return JsonResponse({"lease_until": until.isoformat()})


@bodies.csrf_in_body
@require_POST
@pages.private
@login_not_required
def sign_in(request: HttpRequest) -> HttpResponse:
    """Sign somebody in again without leaving their page; say whose device store they have."""
    try:
        body = bodies.json_body(request)
    except errors.Refusal as refusal:
        return bodies.refusal(refusal)
    form = SignInForm(request, data={key: str(body.get(key, "")) for key in _SIGN_IN})
    if not form.is_valid() and form.is_barred:
        said = " ".join(map(str, form.non_field_errors()))
        return bodies.refusal(failed_tries.TooManyTries(said, fields={"username": [said]}))
    if not form.is_valid():
        message = _("This user name and password do not belong together.")
        return bodies.refusal(NotUnderstood(message, fields={"username": [message]}))
    user = form.get_user()
    login(request, user)
    answer = JsonResponse({"csrf": get_token(request), "device": pages.device_of(user)})
    devices.remember(request, answer, user.username)
    return answer


_SIGN_IN = ("username", "password")


class NotUnderstood(errors.Invalid):
    code = "not_understood"


def _table(sent: object, *, optional: bool = False) -> dict[str, str | None]:
    """Return a table of places and texts; with `optional`, a null takes a place away."""
    if not isinstance(sent, dict) or len(sent) > 1000:
        raise NotUnderstood(_("What was sent cannot be read. Load the page again."))
    for value in sent.values():
        if not (isinstance(value, str) or (optional and value is None)):
            raise NotUnderstood(_("What was sent cannot be read. Load the page again."))
    return sent


def _whole(sent: object) -> int:
    if type(sent) is not int or not 0 <= sent < 2**31:
        raise NotUnderstood(_("What was sent cannot be read. Load the page again."))
    return sent


def _op_id(sent: object) -> UUID:
    try:
        return UUID(str(sent))
    except ValueError as problem:
        raise NotUnderstood(_("What was sent cannot be read. Load the page again.")) from problem
