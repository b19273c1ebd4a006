"""Rounds: the list, a new one, and the page of one.

* What a draft is made of: one form for each part.
* Choose what a round draws, and see at once what that would bring and what it misses.
* From a draft to an open round: prepare it, look for names, look at it, open it.
* The manifest of a round: what was frozen, whether it is still so, and the whole as a file.
"""

import secrets
from collections.abc import Callable
from typing import Any

from django import forms as django_forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone

from annotation.common import forms as refusals
from annotation.common.sentences import gettext as _
from annotation.people import permissions
from annotation.people.models import Role
from annotation.people.permissions import Scope, asks, does, shows
from annotation.qualification import queries as qualifications
from annotation.rounds import (
    beginning,
    drafting,
    draws,
    forms,
    manifests,
    opening,
    readiness,
)
from annotation.rounds import drawing as names
from annotation.rounds import queries as own
from annotation.rounds.models import IdentityHit, Round, RoundItem
from annotation.rounds.rules import Draw, RoundNeed
from annotation.systems import queries as systems
from evalsite import errors, panels
from evalsite.web import keyset

MINUTES = 4.0  # per item; a guess until the first grades say otherwise
#: Where a need of a draft is met.
MENDED_AT = {
    RoundNeed.ITEMS: "round_draw",
    RoundNeed.RESPONSES: "round_systems",
    RoundNeed.RUBRICS: "round_rubrics",
    RoundNeed.SEATS: "round_settings",
    RoundNeed.ANNOTATORS: "round_annotators",
    RoundNeed.OTHERS_WROTE_IT: "round_annotators",
    RoundNeed.QUALIFIED: "round_settings",
    RoundNeed.IDENTITY_CLEARED: "round_identity",
    RoundNeed.REFERENCES: "round_references",
}
PAGES = {
    Round.State.DRAFT: "annotation/rounds/round_draft.html",
    Round.State.OPEN: "annotation/rounds/round_open.html",
    Round.State.REVIEW: "annotation/rounds/round_review.html",
    Round.State.FINAL: "annotation/rounds/round_final.html",
}


def find(scope: Scope, number: int, *states: Round.State) -> Round:
    """Return the round of this number in the project, if it is seen and in one of these states."""
    rounds = own.rounds_of(scope.project).select_related("project")
    if states:
        rounds = rounds.filter(state__in=states)
    return get_object_or_404(rounds, number=number)


def back(round_: Round) -> HttpResponse:
    return redirect("round", round_.project.slug, round_.number)


def refuse(request: HttpRequest, scope: Scope, round_: Round, why: errors.Refusal) -> HttpResponse:
    """Show the page of the round again with what was refused, under the refusal's status."""
    round_.refresh_from_db()
    return show(request, scope, round_, refusal=why, status=why.status)


@shows(permissions.UNBLINDED)
def rounds(request: HttpRequest, scope: Scope) -> HttpResponse:
    lines, page = own.page_of(scope.project, after=request.GET.get("after", ""))
    context = {
        "lines": lines,
        **keyset.links(request.GET, page),
        "may_edit": scope.may(permissions.CURATORS),
    }
    return render(request, "annotation/rounds/rounds.html", context)


@asks(permissions.CURATORS)
def round_new(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Fill in what there is; make the draft, and with `open` draw its items and open it if nothing is missing."""
    form = forms.NewRoundForm(
        _sent(request), project=scope.project, usual=beginning.usual(scope.project)
    )
    act = request.POST.get("act", "")
    if act == "count":
        return _reckoned(request, scope, form)
    if form.is_valid():
        with refusals.shown(form):
            made = beginning.begin(
                asked=form.asked(),
                secret=secrets.token_bytes(32),
                by_owner=scope.may({Role.OWNER}),
                **scope.deed(),
            )
            return _opened(request, scope, made) if act == "open" else _begun(request, made)
    context = {
        "form": form,
        "usual": form.usual,
        "may_invite": scope.may(permissions.OWNERS),
        "releases": form.ticked("releases"),
        "annotators": form.ticked("annotators"),
    }
    status = refusals.status_of(form)
    return render(request, "annotation/rounds/round_new.html", context, status=status)


def _begun(request: HttpRequest, made: Round) -> HttpResponse:
    messages.success(request, _("Saved."))
    return back(made)


def _opened(request: HttpRequest, scope: Scope, made: Round) -> HttpResponse:
    """Prepare a new draft and open it; where something is missing it stays a draft, whose page says what."""
    answer = _prepare(request, scope, made)
    made.refresh_from_db()
    if all(need.met for need in readiness.needs(made)):
        with refusals.told(request):
            if opening.open_(round_=made, **scope.who()):
                messages.success(request, _("The round is open."))
    elif under_way(made) is None:
        messages.warning(request, _("Not open yet: see what is missing."))
    return answer


def _reckoned(request: HttpRequest, scope: Scope, form: forms.NewRoundForm) -> HttpResponse:
    """Show what the round would take as the form stands; nothing is saved."""
    form.is_valid()
    wrong = [form[name] for name in ("n_items", "pairs", "n_seats") if name in form.errors]
    if wrong:
        context: dict[str, Any] = {"wrong": wrong}
        return render(request, "annotation/rounds/parts/round_reckoned.html", context)
    given = form.cleaned_data
    rubrics = form.chosen()
    found = beginning.reckon(
        scope.project,
        [one.pk for one in given.get("releases") or ()],
        n_items=given.get("n_items"),
        n_seats=given.get("n_seats") or form.usual.n_seats,
        n_people=len(given.get("annotators") or ()),
        minutes=MINUTES,
        now=timezone.now(),
        of_pairs=rubrics is not None and rubrics.of_pairs,
        pairs=given.get("pairs"),
    )
    context = {
        "found": found,
        "minutes": MINUTES,
        "criteria": own.criteria_of(rubrics.versions() if rubrics else ()),
        "n_bare": beginning.n_bare(found.fits, rubrics) if found else 0,
        "seen": beginning.sample(scope.project, found.fits, rubrics) if found else None,
    }
    return render(request, "annotation/rounds/parts/round_reckoned.html", context)


@shows(permissions.UNBLINDED)
def round_(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    return show(request, scope, find(scope, number))


@shows(permissions.UNBLINDED)
def round_standing(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Say how far a preparation or an opening is; asked for again and again until it is done."""
    found = find(scope, number)
    context = {"round": found, "work": under_way(found)}
    response = render(request, "annotation/rounds/round_standing.html", context)
    if context["work"] is None:
        response["HX-Refresh"] = "true"
    return response


def show(
    request: HttpRequest, scope: Scope, found: Round, *, status: int = 200, **more: Any
) -> HttpResponse:
    context: dict[str, Any] = {
        "round": found,
        "may_edit": scope.may(permissions.CURATORS),
        "no_copy": beginning.why_not(found),
        "systems": own.systems_of(found),
        "rubrics": own.rubrics_of(found),
        "capability_names": own.capability_names(
            scope.project, found.draw.get("capabilities") or []
        ),
        "panels": list(panels.fill("round", scope=scope, round=found)),
        **more,
    }
    part = _draft if found.state == Round.State.DRAFT else _running
    context |= part(request, found, context["may_edit"])
    return render(request, PAGES[Round.State(found.state)], context, status=status)


def _draft(request: HttpRequest, found: Round, may_edit: bool) -> dict[str, Any]:
    pace = forms.PaceForm(request.GET)
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
        "pace": forms.PaceForm(initial={"minutes": minutes}),
        "places": [one for one in own.annotators_of(found) if one.annotator.ended_at is None],
        "hits": readiness.summary(found),
        "prepared": found.draw.get("prepared"),
    }


def _running(request: HttpRequest, found: Round, may_edit: bool) -> dict[str, Any]:
    return {
        "seats": own.seats(found),
        "flags": own.tally(found),
        "places": own.annotators_of(found),
        "coverage": own.coverage(found),
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


DRAFT = Round.State.DRAFT


def _edit(
    request: HttpRequest,
    scope: Scope,
    found: Round,
    form: Any,
    save: Callable[[], None],
    template: str = "annotation/rounds/round_edit.html",
    **context: Any,
) -> HttpResponse:
    """Show a form, or carry out what was sent and go back to the round."""
    if form.is_bound and form.is_valid():
        try:
            save()
        except errors.Refusal as refusal:
            refusals.show(form, refusal)
            if refusal.fields and [refusal.message] not in refusal.fields.values():
                form.add_error(None, refusal.message)  # the fields say it in short
            status = refusal.status
        else:
            messages.success(request, _("Saved."))
            return back(found)
    else:
        status = refusals.status_of(form)
    context |= {"round": found, "form": form}
    return render(request, template, context, status=status)


def _sent(request: HttpRequest) -> Any:
    return request.POST if request.method == "POST" else None


@asks(permissions.CURATORS)
def round_systems(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    found = find(scope, number, DRAFT)
    chosen = set(found.systems.values_list("release_id", flat=True))
    form = forms.Releases(
        _sent(request), project=scope.project, initial={"releases": sorted(chosen)}
    )

    def save() -> None:
        drafting.choose_releases(
            round_=found, releases=list(form.cleaned_data["releases"]), **scope.who()
        )

    ticked = set(form["releases"].value() or [])
    return _edit(
        request,
        scope,
        found,
        form,
        save,
        "annotation/rounds/round_systems.html",
        lines=systems.list_systems(scope.project),
        ticked={int(one) for one in ticked if str(one).isdigit()},
    )


@asks(permissions.CURATORS)
def round_rubrics(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    found = find(scope, number, DRAFT)
    form = forms.RubricsForm(_sent(request), round_=found)

    def save() -> None:
        by_capability, rest = form.chosen()
        drafting.choose_rubrics(round_=found, by_capability=by_capability, rest=rest, **scope.who())

    return _edit(
        request,
        scope,
        found,
        form,
        save,
        heading=_("Rubrics"),
        by_capability=True,
    )


@asks(permissions.CURATORS)
def round_annotators(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Choose the annotators of a draft, or of a round that runs."""
    found = find(scope, number, DRAFT, Round.State.OPEN, Round.State.REVIEW)
    places = [one for one in own.annotators_of(found) if one.annotator.ended_at is None]
    chosen = [one.annotator.rater.user.public_id for one in places if one.annotator.rater.user]
    form = forms.Annotators(_sent(request), project=scope.project, initial={"annotators": chosen})

    def save() -> None:
        drafting.invite(
            round_=found,
            users=list(form.cleaned_data["annotators"]),
            by_owner=scope.may({Role.OWNER}),
            override=form.cleaned_data["override"],
            **scope.who(),
        )

    return _edit(
        request,
        scope,
        found,
        form,
        save,
        "annotation/rounds/round_annotators.html",
        ticked={str(one) for one in form["annotators"].value() or []},
        people=_people(found, form),
        is_owner=scope.may({Role.OWNER}),
        involved=own.involved(found),
        reasons={
            one.annotator.rater.user_id: one.annotator.override
            for one in places
            if one.annotator.override
        },
    )


def _people(found: Round, form: forms.Annotators) -> list[tuple[Any, list[str], list[str]]]:
    """Return who may be chosen, with what they know about and lack for this round."""
    tags = qualifications.tags_of(found.project)
    users = [one.user for one in form.people]
    lacking = qualifications.names_lacking(found, users)
    return [(one, tags[one.user.pk], lacking.get(one.user.pk, [])) for one in form.people]


@asks(permissions.CURATORS)
def round_settings(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    found = find(scope, number, DRAFT)
    form: django_forms.Form = forms.SettingsForm(_sent(request), initial=forms.settings_of(found))

    def save() -> None:
        assert isinstance(form, forms.SettingsForm)
        drafting.configure(
            round_=found, settings=form.settings(), by_owner=scope.may({Role.OWNER}), **scope.who()
        )

    return _edit(request, scope, found, form, save, heading=_("Settings"))


@asks(permissions.CURATORS)
def round_draw(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Show or save the draw; with `show` in what was sent, only show what it would bring."""
    found = find(scope, number, DRAFT)
    sent = request.POST if request.method == "POST" else None
    form = forms.DrawForm(sent, round_=found, initial=_wishes(found))
    if sent is not None and "show" not in sent and form.is_valid():
        with refusals.shown(form):
            drafting.choose_draw(round_=found, draw=form.draw(), **scope.who())
            messages.success(request, _("Saved."))
            return back(found)
    context = {"round": found, "form": form, **_preview(found, form)}
    status = 200 if sent is None else refusals.status_of(form)
    return render(request, "annotation/rounds/round_draw.html", context, status=status)


@asks(permissions.CURATORS)
def round_draw_count(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Show what the form would draw as it stands just now; nothing is saved."""
    found = find(scope, number, DRAFT)
    form = forms.DrawForm(request.POST or request.GET, round_=found)
    context = {"round": found, "form": form, **_preview(found, form)}
    return render(request, "annotation/rounds/round_draw_count.html", context)


def _wishes(found: Round) -> dict[str, Any]:
    return Draw.from_json(found.draw).as_json()


def _preview(found: Round, form: forms.DrawForm) -> dict[str, Any]:
    """Return what would be drawn: by the form if it can be read, else by what is saved."""
    if form.is_bound and not form.is_valid():
        return {"table": None}
    wanted = form.draw() if form.is_bound else Draw.from_json(found.draw)
    has_releases = found.systems.exists()
    if not has_releases:
        return {"table": None, "no_releases": True}
    if wanted.is_stratified and not wanted.strata:
        return {"table": None}
    plan = draws.plan(found, wanted, timezone.now())
    return {"table": draws.draw_table(found, wanted, plan), "wanted": wanted}


@does(permissions.CURATORS)
def round_own(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Let people grade what they wrote or inspected, or take that back."""
    found = find(scope, number, DRAFT, Round.State.OPEN, Round.State.REVIEW)
    try:
        drafting.allow_own(
            round_=found,
            reason=request.POST.get("reason", ""),
            by_owner=scope.may({Role.OWNER}),
            **scope.who(),
        )
    except errors.Refusal as refusal:
        return refuse(request, scope, found, refusal)
    messages.success(request, _("Saved."))
    return back(found)


@does(permissions.UNBLINDED, permissions.CURATORS)
def round_prepare(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    return _prepare(request, scope, find(scope, number))


def _prepare(request: HttpRequest, scope: Scope, found: Round) -> HttpResponse:
    try:
        counts = opening.prepare(round_=found, **scope.who())
    except errors.Refusal as refusal:
        return refuse(request, scope, found, refusal)
    if counts is not None:
        messages.success(request, _said(counts))
    return back(found)


def _said(counts: dict[str, int]) -> str:
    return _("Items drawn: %(items)d. Names of systems in responses: %(hits)d.") % counts


@does(permissions.UNBLINDED, permissions.CURATORS)
def round_open(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    found = find(scope, number)
    try:
        is_open = opening.open_(round_=found, **scope.who())
    except errors.Refusal as refusal:
        return refuse(request, scope, found, refusal)
    if is_open:
        messages.success(request, _("The round is open."))
    return back(found)


@asks(permissions.UNBLINDED, permissions.CURATORS)
def round_identity(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Show where responses name systems, grouped by name or all places of one (`?term=`)."""
    found = find(scope, number)
    if request.method == "POST":
        return _decide(request, scope, found)
    return _identity(request, scope, found)


def _decide(request: HttpRequest, scope: Scope, found: Round) -> HttpResponse:
    decision, which = request.POST.get("decision", ""), request.POST.get("which", "")
    hits = [int(one) for one in request.POST.getlist("hit") if one.isascii() and one.isdigit()]
    if decision not in {IdentityHit.Decision.MASK, IdentityHit.Decision.KEEP}:
        raise Http404
    try:
        names.decide(
            round_=found,
            terms=request.POST.getlist("term") if which == "term" else None,
            hits=hits if which == "hits" else None,
            undecided_only=which == "all",
            decision=IdentityHit.Decision(decision),
            **scope.who(),
        )
    except errors.Refusal as refusal:
        return _identity(request, scope, found, refusal=refusal, status=refusal.status)
    messages.success(request, _("Saved."))
    return redirect(request.get_full_path())


def _identity(
    request: HttpRequest, scope: Scope, found: Round, *, status: int = 200, **context: Any
) -> HttpResponse:
    term = request.GET.get("term", "")
    editable = found.state == Round.State.DRAFT and found.opening_at is None
    context |= {
        "round": found,
        "summary": readiness.summary(found),
        "may_edit": editable and scope.may(permissions.CURATORS),
        "term": term,
    }
    if term:
        excerpts, page = readiness.hits_page(found, term, after=request.GET.get("after", ""))
        if not excerpts:
            raise Http404(_("There is no such name in this round."))
        context |= {
            "excerpts": excerpts,
            **keyset.links(request.GET, page),
        }
        return render(request, "annotation/rounds/round_identity_term.html", context, status=status)
    given = request.GET.get("start", "")
    start = int(given) if given.isascii() and given.isdigit() and len(given) < 8 else 0
    terms, more = readiness.terms(found, start=start)
    context |= {
        "terms": terms,
        "next_url": f"?start={start + readiness.TERMS_SHOWN}" if more else None,
        "first_url": "?" if start else None,
    }
    return render(request, "annotation/rounds/round_identity.html", context, status=status)


@shows(permissions.UNBLINDED)
def round_preview(request: HttpRequest, scope: Scope, number: int, place: int) -> HttpResponse:
    """Show an item as its annotators will see it; the order stands for any."""
    found = find(scope, number)
    items = RoundItem.objects.filter(round=found).select_related("round", "rubric_version")
    one = items.select_related("item__capability").filter(ordinal=place - 1).first()
    if one is None:
        raise Http404(_("There is no such item in this round."))
    context = {
        "round": found,
        "place": place,
        "n_items": items.count(),
        "seen": opening.seen(
            one, [row.response for row in one.responses.select_related("response")]
        ),
    }
    return render(request, "annotation/rounds/round_preview.html", context)


OPENED = (Round.State.OPEN, Round.State.REVIEW, Round.State.FINAL)


@shows(permissions.UNBLINDED)
def round_manifest(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Compare the round with its manifest, text by text."""
    found = find(scope, number, *OPENED)
    stored = manifests.kept(found)
    context = {
        "round": found,
        "frozen": stored.body if stored else None,
        "n_items": len(stored.body["items"]) if stored else 0,
        "strata": draws.frozen(found),
        "differences": manifests.differences(found),
    }
    return render(request, "annotation/rounds/round_manifest.html", context)


@shows(permissions.UNBLINDED)
def round_manifest_file(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    kept = manifests.kept(find(scope, number, *OPENED))
    if kept is None:
        raise Http404
    name = f"manifest-{scope.project.slug}-{number}.json"
    return JsonResponse(
        {**kept.body, "sha": kept.sha},
        json_dumps_params={"ensure_ascii": False, "indent": 1},
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )
