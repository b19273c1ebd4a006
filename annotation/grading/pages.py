"""What a grading page sends: read from plain form fields.

* The annotator's pages. They hold plain values only; see annotation.grading.faces.
* The annotator's home: what to grade now, what to know, and one's own week. Plain values only.
* What the grading page's script says to the server: drafts, submits, leases. Plain values only.
"""

import contextlib
import functools
import hashlib
import uuid
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.middleware.csrf import get_token
from django.shortcuts import get_object_or_404, redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import cache_control
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.common import forms as refusals
from annotation.common import scales, sentences
from annotation.common import texts as contents
from annotation.common.sentences import gettext as _
from annotation.grading import faces, seating, worklist
from annotation.grading import operations as grading
from annotation.grading import seating as reasons
from annotation.grading.worklist import RoundWork
from annotation.people import access as failed_tries
from annotation.people import permissions
from annotation.people.forms import SignInForm
from annotation.people.models import Rater, User
from annotation.people.permissions import Scope, door
from annotation.rounds import rules as entries
from annotation.rounds import states
from annotation.rounds import states as leases
from annotation.rounds.forms import Message
from annotation.rounds.models import Assignment, Draft, Round
from annotation.running import operations as running
from annotation.running import queries as faces_stored
from evalsite import errors, panels
from evalsite.web import bodies, devices, middleware

#: Reasons for "can't grade", and the words that are stored.
CANNOT = (
    ("no_answer", gettext_lazy("There is no answer")),
    ("unreadable", gettext_lazy("The text is broken or cut off")),
    ("question", gettext_lazy("Question or standard answer is unclear")),
    ("knowledge", gettext_lazy("I lack the knowledge to judge it")),
    ("other", gettext_lazy("Another reason, see my comment")),
)
SKIP = (
    ("knowledge", gettext_lazy("I lack the knowledge to judge it")),
    ("involved", gettext_lazy("I wrote or know this question")),
    ("question", gettext_lazy("Question or standard answer is unclear")),
    ("time", gettext_lazy("It would take me too long now")),
)


@dataclass(frozen=True)
class Submission:
    """A page as it was sent: the marks, and everything as text in case it is refused."""

    marks: list[grading.EnteredMark]
    entered: faces_stored.Entered
    base_rev: int
    flag: str | None = None

    def op_id(self, token: str) -> uuid.UUID:
        """Return the same id for the same page sent twice, and another for other content."""
        content = [token, self.base_rev, self.entered.values, self.entered.cannot]
        said = [self.entered.comments, *([self.flag] if self.flag else [])]
        digest = hashlib.sha256(contents.canonical([*content, *said])).digest()
        return uuid.UUID(bytes=digest[:16], version=5)


def read_submission(
    data: Mapping[str, str], letters: Iterable[str], criteria: Iterable[str], texts: Collection[str]
) -> Submission:
    """Read the fields of a grading page.

    A reason why a response cannot be graded stands for all its marks: a radio button that was
    chosen once cannot be taken back in a plain form.

    Args:
        data: the fields; several of one name are the boxes of labels.
        letters: of the responses.
        criteria: their keys.
        texts: those of them that are answered by a text.
    """
    values: dict[str, str] = {}
    cannot: dict[str, str] = {}
    comments: dict[str, str] = {}
    errors: dict[str, list[str]] = {}
    marks: list[grading.EnteredMark] = []
    keys = list(criteria)
    reasons = dict(CANNOT)
    for letter in letters:
        if f"comment-{letter}" in data:  # the sheet has no comments and leaves them as they are
            comments[letter] = data[f"comment-{letter}"].strip()
        reason = data.get(f"cannot-{letter}", "")
        if reason in reasons:
            cannot[letter] = reason
        for key in keys:
            name = faces_stored.mark_name(letter, key, "text" if key in texts else "mark")
            written = values[name] = refusals.entered(data, name)
            if reason in reasons:
                marks.append(grading.EnteredMark(letter, key, cannot=reason))
            elif written:
                try:
                    marks.append(_mark(letter, key, written, is_text=key in texts))
                except ValueError as problem:
                    errors[f"{letter}.{key}"] = [sentences.of(problem)]
    flag = data["flag"].strip() if "flag" in data else None  # the sheet has none and leaves it
    return Submission(
        marks,
        faces_stored.Entered(values, cannot, comments, errors, {"flag": flag} if flag else {}),
        _number(data.get("base_rev", "")),
        flag,
    )


def _mark(letter: str, key: str, written: str, *, is_text: bool) -> grading.EnteredMark:
    if is_text:
        return grading.EnteredMark(letter, key, text=written)
    return grading.EnteredMark(letter, key, scales.parse(written))


def _number(written: str) -> int:
    return int(written) if written.isascii() and written.isdigit() and len(written) < 9 else -1


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
    except states.SeatNotYours:
        raise Http404 from None
    if found.assignment.round.project_id != scope.project.pk:
        raise Http404
    return found


@require_POST
@private
@door(permissions.ANNOTATORS)
def claim(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Take the next seat of a round and go to it; with `more`, above one's share."""
    rater = rater_of(scope)
    round_ = _round(scope, rater, number)
    if "more" in request.POST:
        try:
            seating.ask_for_more(round_=round_, rater=rater, now=timezone.now())
        except seating.NoSeat as refusal:
            return redirect("grade_none", scope.project.slug, round_.number, refusal.code)
    return _to_next(request, scope, round_, rater)


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
    rater, now = rater_of(scope), timezone.now()
    round_ = _round(scope, rater, number)
    if why not in seating.WHY:
        raise Http404
    rounds = worklist.list_work(rater, now)
    mine = next((one for one in rounds if one.number == round_.number), None)
    is_free = mine is not None and bool(mine.held or mine.can_claim)
    is_passing = why in {
        "waiting",
        "share_done",
        "all_done",
    }  # the page may be older than the state
    known = seating.WHY[mine.why if is_passing and mine and mine.why else why]
    title, text = str(known[0]), str(known[1])
    if is_free and is_passing:
        title, text = _("There is work again"), _("A question is free for you.")
    context = {
        "project": scope.project,
        "number": round_.number,
        "name": round_.name,
        "title": title,
        "text": text,
        "mine": mine,
        "is_free": is_free,
        "more": seating.MORE,
        "minutes": round(worklist.spent(rater, round_) / 60_000),
        "next": next(
            (one for one in rounds if one is not mine and (one.held or one.can_claim)), None
        ),
    }
    return render(request, "annotation/grading/grade_none.html", context)


@require_http_methods(["GET", "POST"])
@private
@door(permissions.ANNOTATORS)
def grade(request: HttpRequest, scope: Scope, token: str) -> HttpResponse:
    """Show a seat, and record its grades."""
    rater = rater_of(scope)
    held = holding(scope, rater, token)
    if request.method == "POST":
        return _submit(request, scope, rater, held)
    now = timezone.now()
    page = faces.seat(held.assignment, token=token, lost=held.lost, now=now)
    pace = worklist.pace(rater, held.assignment.round, now)
    return _page(request, scope, page, pace=pace)


def _page(
    request: HttpRequest,
    scope: Scope,
    page: faces.SeatFace,
    refusal: errors.Refusal | None = None,
    *,
    pace: int | None = None,
) -> HttpResponse:
    status = refusal.status if refusal else 200
    shown = context(scope, page, refusal)
    shown["settings"] = {
        "device": device_of(scope.user),
        "csrf": get_token(request),
        "base": reverse("grading", args=[scope.project.slug]),
        "signIn": reverse("sign_in_again"),
        "pace": pace,
    }
    return render(request, "annotation/grading/grade.html", shown, status=status)


def context(
    scope: Scope, page: faces.SeatFace, refusal: errors.Refusal | None = None
) -> dict[str, Any]:
    """Return what the templates of a desk are filled with."""
    return {
        "project": scope.project,
        "page": page,
        "refusal": refusal,
        "cannot": [(code, str(words)) for code, words in CANNOT],
        "skip": [(code, str(words)) for code, words in SKIP],
    }


def device_of(user: User) -> str:
    """Return the name of somebody's store on a shared device; it tells nothing."""
    return salted_hmac("evalsite.device", str(user.public_id), algorithm="sha256").hexdigest()[:24]


def _submit(
    request: HttpRequest, scope: Scope, rater: Rater, held: grading.Holding
) -> HttpResponse:
    seat, token = held.assignment, held.token
    page = faces.seat(seat, token=token, lost=held.lost, now=timezone.now())
    sent = read_submission(
        request.POST,
        [one.letter for one in page.responses if one.marks],
        [one.key for one in page.criteria],
        [one.key for one in page.criteria if one.by_text],
    )
    try:
        if sent.entered.errors:
            raise states.OffScale(
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
                "Your time for this question ran out and somebody else has it. Your grades are "
                "kept as late; the owner decides."
            ),
        )
    if page.submitted or "sheet" in request.POST:
        messages.success(request, _("Saved.") if page.submitted else _("Submitted."))
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
    skip = reason in dict(SKIP)
    with refusals.told(request):
        leases.hand_back(
            assignment=held.assignment,
            rater=rater,
            now=timezone.now(),
            reason=reason if skip else "",
            skip=skip,
        )
        if skip:
            messages.success(request, _("Skipped."))
            return _to_next(request, scope, held.assignment.round, rater)
        if held.assignment.submitted_at is None:
            messages.success(request, _("Returned."))
        else:
            messages.success(request, _("Your grades stay."))
        return redirect("grading", scope.project.slug)
    return redirect("grading", scope.project.slug)


@require_GET
@private
@door(permissions.ANNOTATORS)
def sheet(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Show one's own grades of a round: questions down, positions across."""
    rater = rater_of(scope)
    round_ = _round(scope, rater, number)
    context = {"project": scope.project, "sheet": worklist.sheet(rater, round_)}
    return render(request, "annotation/grading/grade_sheet.html", context)


#: Of several reasons why there is nothing to grade, the one that says most of what comes next.
TELLING = (
    "share_done",
    "not_qualified",
    "waiting",
    "paused",
    "deadline_passed",
    "all_done",
    "closed",
    "not_invited",
)


@require_http_methods(["GET", "POST"])
@private
@door(permissions.ANNOTATORS)
def work(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Show what there is to grade and to know; take a message about a round."""
    rater, now = rater_of(scope), timezone.now()
    rounds = worklist.list_work(rater, now)
    form = Message(request.POST if request.method == "POST" else None)
    form.offer([(one.number, one.name) for one in rounds if not one.is_final])
    if form.is_valid():
        with refusals.shown(form):
            about = _round(scope, rater, form.cleaned_data["round"])
            running.write(round_=about, rater=rater, text=form.cleaned_data["text"], now=now)
            messages.success(request, _("Sent."))
            return redirect("grading", scope.project.slug)
    context = {**_listed(scope, rater, rounds, now), "form": form, "device": device(request, scope)}
    status = refusals.status_of(form)
    return render(request, "annotation/grading/worklist.html", context, status=status)


def _listed(scope: Scope, rater: Rater, rounds: list[RoundWork], now: datetime) -> dict[str, Any]:
    first = next((one for one in rounds if one.held or one.can_claim), None)
    week = worklist.week(rater, now)
    flagged = worklist.n_flagged(rater)
    return {
        "project": scope.project,
        "guide": next(panels.fill("annotator_guide", scope=scope), None),
        "name": scope.user.display_name,
        "first": first,
        "minutes_each": week.minutes_each.get(first.number) if first else None,
        "rounds": [one for one in rounds if one is not first],
        "empty": None if first else empty(scope, rater, rounds, flagged),
        "more": seating.MORE,
        "messages_for_me": messages_for(scope, rater, now),
        "asked": asked_by(scope, rater) if flagged else [],
        "week": week,
        "ahead": worklist.ahead(rounds, week.minutes_each, now),
        "flagged": worklist.flagged_text(flagged) if flagged else "",
    }


def messages_for(scope: Scope, rater: Rater, now: datetime) -> list[dict[str, Any]]:
    """Return what to know; other parts of the product add theirs in the slot "annotator_messages"."""
    more = panels.fill("annotator_messages", scope=scope, rater=rater, now=now)
    found = worklist.list_messages(
        scope.project, rater, now, [one for several in more for one in several]
    )
    return _linked(scope, found)


def asked_by(scope: Scope, rater: Rater) -> list[dict[str, Any]]:
    """Return what somebody has asked that awaits an answer."""
    return _linked(scope, worklist.asked(rater))


def _linked(scope: Scope, found: Iterable[worklist.AnnotatorMessage]) -> list[dict[str, Any]]:
    return [
        {"message": one, "url": reverse("grade", args=[scope.project.slug, one.token])}
        if one.token
        else {"message": one, "url": ""}
        for one in found
    ]


def empty(scope: Scope, rater: Rater, rounds: list[RoundWork], flagged: int) -> dict[str, str]:
    """Return why there is nothing to grade, and what happens next.

    Whoever has to qualify first is told so by the slot "annotator_gate", with the way there.
    """
    for gate in panels.fill("annotator_gate", scope=scope, rater=rater):
        return dict(gate)
    if opening := worklist.opening_soon(rater):
        title = _("%(name)s opens in a moment") % {"name": opening[0]}
        return {
            "title": title,
            "text": _("It appears here when ready."),
        }
    whys = {one.why for one in rounds}
    why = next((one for one in TELLING if one in whys), "")
    if flagged and why in {"", "all_done", "closed", "not_invited"}:
        return {
            "title": worklist.flagged_text(flagged),
            "text": _("The curator’s answer appears here."),
        }
    if not why:
        return {
            "title": _("Nothing to grade yet"),
            "text": _("It appears here once a curator chooses you."),
        }
    known = reasons.WHY_NOT[why]
    return {"title": str(known[0]), "text": str(known[1])}


def device(request: HttpRequest, scope: Scope) -> dict[str, str]:
    """Return what the script needs to send what this device still keeps for this person."""
    return {
        "device": device_of(scope.user),
        "csrf": get_token(request),
        "base": reverse("grading", args=[scope.project.slug]),
    }


#: For which a response can be left without a grade.
REASONS = frozenset(dict(CANNOT))


def _same_person(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Take nothing from the device store of one person while another one is signed in."""

    @functools.wraps(view)
    def checked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        with contextlib.suppress(errors.Refusal):  # the view says what is wrong with the body
            device = bodies.json_body(request).get("device")
            user = request.user
            if device is not None and isinstance(user, User) and device != device_of(user):
                return bodies.refusal(SomebodyElse(_("Another account is signed in.")))
        return view(request, *args, **kwargs)

    return checked


class SomebodyElse(errors.Refusal):
    status = 401


@bodies.csrf_in_body
@require_POST
@private
@_same_person
@door(permissions.ANNOTATORS)
def save(request: HttpRequest, scope: Scope, token: str) -> HttpResponse:
    """Take in a change of the draft; the answer says what is stored, with its digest."""
    rater = rater_of(scope)
    try:
        body = bodies.json_body(request)
        receipt = grading.save_draft(
            token=token,
            rater=rater,
            patch=_table(body.get("patch"), optional=True),
            base_rev=_whole(body.get("base_rev")),
            op_id=_op_id(body.get("op_id")),
            reasons=REASONS,
            now=timezone.now(),
        )
    except grading.NewerDraft as newer:
        return bodies.refusal(newer, rev=newer.rev, entries=newer.stored)
    except errors.Refusal as refusal:
        return bodies.refusal(refusal)
    return JsonResponse(_saved(receipt.rev, receipt.digest, receipt.at.isoformat()))


def _saved(rev: int, digest: str, at: str) -> dict[str, Any]:
    return {"rev": rev, "digest": digest, "saved_at": at}


@bodies.csrf_in_body
@require_POST
@private
@_same_person
@door(permissions.ANNOTATORS)
def submit(request: HttpRequest, scope: Scope, token: str) -> HttpResponse:
    """Take in the grades of a seat; the answer brings the next seat along."""
    rater = rater_of(scope)
    try:
        body = bodies.json_body(request)
        held = holding(scope, rater, token)
        receipt = _submitted(body, held, rater)
    except errors.Refusal as refusal:
        return bodies.refusal(refusal)
    answer = _saved(receipt.rev, receipt.digest, receipt.at.isoformat())
    answer["late"] = receipt.late
    if body.get("next", True):
        answer["next"] = _next(request, scope, held.assignment, rater)
    return JsonResponse(answer)


def _submitted(body: Mapping[str, Any], holding: grading.Holding, rater: Rater) -> Any:
    desk = grading.desk_of(holding.assignment, REASONS)
    table = _table(body.get("entries"))
    try:
        entries.check(table, desk)
    except entries.UnfitPlace as problem:
        message = sentences.of(problem)
        raise grading.UnfitGrade(message, fields={problem.place: [message]}) from problem
    full = {place: value for place, value in table.items() if value is not None}
    return grading.submit_grades(
        token=holding.token,
        rater=rater,
        marks=_marks(full, desk),
        comments={**dict.fromkeys(desk.marked, ""), **entries.of_kind(full, "comment")},
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


def _marks(table: entries.Entries, desk: entries.SeatDesk) -> list[grading.EnteredMark]:
    cannot = entries.of_kind(table, "cannot")
    marks = [
        grading.EnteredMark(letter, criterion, text=value)
        if isinstance(value, str)
        else grading.EnteredMark(letter, criterion, value)
        for letter, criterion, value in entries.values(table)
        if letter not in cannot
    ]
    for letter, reason in cannot.items():
        keys = [*desk.criteria, *desk.texts]
        marks += [grading.EnteredMark(letter, criterion, cannot=reason) for criterion in keys]
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
    html = render_to_string("annotation/grading/parts/desk.html", context(scope, page), request)
    return {"url": reverse("grade", args=[scope.project.slug, token]), "token": token, "html": html}


@bodies.csrf_in_body
@require_POST
@private
@_same_person
@door(permissions.ANNOTATORS)
def ahead(request: HttpRequest, scope: Scope, token: str) -> HttpResponse:
    """Hold the next seats ready and hand out their desks, for the time without a line."""
    rater = rater_of(scope)
    held = holding(scope, rater, token)
    try:
        seats = seating.claim_ahead(round_=held.assignment.round, rater=rater, now=timezone.now())
    except seating.NoSeat:
        seats = []
    return JsonResponse({"desks": [_laid(request, scope, seat) for seat in seats]})


@require_GET
@private
@door(permissions.ANNOTATORS)
def state(request: HttpRequest, scope: Scope, token: str) -> HttpResponse:
    """Say what is stored of a seat: whether it is still held, its revisions, its draft."""
    held = holding(scope, rater_of(scope), token)
    seat = held.assignment
    draft = None if held.lost else Draft.objects.filter(assignment=seat).first()
    return JsonResponse(
        {
            "held": not held.lost and seat.state == Assignment.State.CLAIMED,
            "submitted": not held.lost and seat.state == Assignment.State.SUBMITTED,
            "rev": seat.rev,
            "draft_rev": draft.rev if draft else 0,
            "entries": draft.marks if draft else {},
            "lease_until": seat.lease_until.isoformat() if seat.lease_until else None,
        }
    )


@bodies.csrf_in_body
@require_POST
@private
@_same_person
@door(permissions.ANNOTATORS)
def renew(request: HttpRequest, scope: Scope, token: str) -> HttpResponse:
    """Renew the lease of a seat because its holder is still at work."""
    held = holding(scope, rater_of(scope), token)
    until = None
    if not held.lost:
        until = leases.extend(assignment=held.assignment, now=timezone.now())
    if until is None:
        return bodies.refusal(grading.LeaseLost(_("Your time ran out. Nothing is lost.")))
    return JsonResponse({"lease_until": until.isoformat()})


@bodies.csrf_in_body
@require_POST
@private
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
        message = _("Wrong user name or password.")
        return bodies.refusal(NotUnderstood(message, fields={"username": [message]}))
    user = form.get_user()
    login(request, user)
    answer = JsonResponse({"csrf": get_token(request), "device": device_of(user)})
    devices.remember(request, answer, user.username)
    return answer


_SIGN_IN = ("username", "password")


class NotUnderstood(errors.Invalid): ...


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
