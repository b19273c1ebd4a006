"""The annotator's training: learn by examples, practise with the answer at once, see own trials.

* The examples that annotators train by: the list, a new one, those of the rubric, withdrawing.
* What training puts on the first page of curators: who is ready for a trial, which trial waits.
* Trials: the list, a new one, and what is right for their answers.
* The pool of annotators for their curators: who is qualified in what, and by which rules.
"""

import secrets
import uuid
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.safestring import SafeString
from django.views.decorators.http import require_GET, require_http_methods

from annotation.common import forms as refusals
from annotation.common import scales, sentences
from annotation.common.forms import status_of
from annotation.common.names import isolated
from annotation.common.sentences import gettext as _
from annotation.domains.models import Capability
from annotation.grading import pages as grading
from annotation.grading.worklist import AnnotatorMessage
from annotation.people import operations as people
from annotation.people import permissions
from annotation.people.models import Membership, Rater, Role, User
from annotation.people.permissions import Scope, asks, does, door, shows
from annotation.qualification import answers as trials_reads
from annotation.qualification import operations as qualifying
from annotation.qualification import queries as qualification
from annotation.qualification import rules
from annotation.qualification.models import Qualification, TrainingExample
from annotation.qualification.rules import Event, PoolState
from annotation.rounds import drafting, states
from annotation.rounds.models import Round
from annotation.rounds.pages import back, find
from annotation.rubrics.models import Criterion, RubricVersion
from annotation.training import forms
from annotation.training import operations as giving
from annotation.training import queries as reads
from annotation.training.records import ExampleText
from evalsite import errors, panels


@require_GET
@grading.private
@door(permissions.ANNOTATORS)
def training(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Show what there is to train, how far one is, and how one's trials went."""
    rater = grading.rater_of(scope)
    context = {"courses": reads.courses(rater), "trials": reads.list_decided(rater)}
    return render(request, "annotation/training/training.html", context)


@require_http_methods(["GET", "POST"])
@grading.private
@door(permissions.ANNOTATORS)
def training_example(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Show an example; take its grades, and then say at once what is right and why."""
    rater = grading.rater_of(scope)
    rows = TrainingExample.objects.select_related("capability", "rubric_version", "project")
    found = get_object_or_404(rows.in_use(), project=scope.project, number=number)
    if request.method == "GET":
        return _example(request, scope, rater, found, again="again" in request.GET)
    now = timezone.now()
    try:
        if found.use == TrainingExample.Use.LEARN:
            giving.note_read(example=found, rater=rater, now=now)
            return _next(scope, rater, found)
        sent = forms.read_grades(request.POST, found.grades)
        giving.practise(example=found, rater=rater, grades=sent, now=now)
    except errors.Refusal as refusal:
        return _example(request, scope, rater, found, again=True, refusal=refusal)
    return redirect("training_example", scope.project.slug, number)


def _next(scope: Scope, rater: Rater, done: TrainingExample) -> HttpResponse:
    course = reads.course(rater, done.capability)
    if course.following is None:
        return redirect("training", scope.project.slug)
    return redirect("training_example", scope.project.slug, course.following)


def _example(
    request: HttpRequest,
    scope: Scope,
    rater: Rater,
    found: TrainingExample,
    *,
    again: bool,
    refusal: errors.Refusal | None = None,
) -> HttpResponse:
    course = reads.course(rater, found.capability)
    how = next(how for one, how in course.steps if one.pk == found.pk)
    numbers = [one.number for one, _how in course.steps]
    asked = how.is_task and (again or not how.done)
    shown = reads.face(found, rater, reads.unseen(how) if asked else how)
    context: dict[str, Any] = {
        "course": course,
        "example": shown,
        "asked": asked,
        "place": numbers.index(found.number) + 1,
        "following": _after(numbers, found.number),
        "refusal": refusal,
        "entered": request.POST,
        "marks": forms.marks(shown.criteria, found.grades, request.POST, refusal),
    }
    status = refusal.status if refusal else 200
    return render(request, "annotation/training/training_example.html", context, status=status)


def _after(numbers: list[int], number: int) -> int | None:
    place = numbers.index(number) + 1
    return numbers[place] if place < len(numbers) else None


@require_GET
@grading.private
@door(permissions.ANNOTATORS)
def training_trial(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Show how one's own trial went, question by question; only once it is decided."""
    rater = grading.rater_of(scope)
    found = reads.decided(rater, number)
    if found is None or found.round is None:
        raise Http404
    questions = reads.questions(rater, found.round)
    context = {
        "decided": found,
        "name": found.round.name,
        "questions": questions,
        "n_differ": sum(one.differs for one in questions),
        "figures": found.figures,
    }
    return render(request, "annotation/training/training_trial.html", context)


def gate(*, scope: Scope, rater: Rater, **_context: Any) -> dict[str, str] | None:
    """Tell somebody who has nothing to grade that a training waits, with the way there."""
    lacking = qualification.waiting_for(rater)
    if not lacking:
        return None
    names = ", ".join(isolated(one.name) for one in lacking[:3])
    return {
        "title": _("Qualify first"),
        "text": names,
        "url": reverse("training", args=[scope.project.slug]),
        "action": _("Training"),
    }


def news(*, scope: Scope, rater: Rater, now: datetime, **_context: Any) -> list[AnnotatorMessage]:
    """Tell somebody that a trial of theirs is decided, or that they may train again."""
    return list(reads.messages(rater, now))


@shows(permissions.CURATORS)
def examples(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Show the examples of every capability."""
    context = {"lines": reads.lines(scope.project)}
    return render(request, "annotation/training/examples.html", context)


@asks(permissions.CURATORS)
def example_new(request: HttpRequest, scope: Scope, pk: int) -> HttpResponse:
    """Write an example; `?response=` begins with an answer of the bank, without its system.

    `?instead=` begins with an example and puts the new one in its place.
    """
    capability = get_object_or_404(Capability, project=scope.project, pk=pk)
    version = giving.newest_version(capability)
    if version is None:
        messages.error(request, _("This capability has no rubric. Choose one for it first."))
        return redirect("capability", scope.project.slug, pk)
    if version.criteria.filter(mark=Criterion.Mark.CHOICE).exists():
        messages.error(request, drafting.untrained())
        return redirect("capability", scope.project.slug, pk)
    sent = request.POST if request.method == "POST" else None
    earlier = _instead(capability, request.GET.get("instead", ""))
    begun = (
        reads.as_entered(earlier)
        if earlier
        else reads.begun(scope.project, request.GET.get("response", ""))
    )
    form = forms.ExampleForm(sent, version=version, initial=begun)
    if form.is_valid():
        with refusals.shown(form):
            _write(scope, capability, version, earlier, form.text())
            messages.success(request, _("Saved."))
            return redirect("examples", scope.project.slug)
    context: dict[str, Any] = {
        "capability": capability,
        "version": version,
        "form": form,
        "earlier": earlier,
        "answers": reads.answers_of(capability) if not begun and sent is None else [],
    }
    return render(request, "annotation/training/example_new.html", context, status=status_of(form))


def _instead(capability: Capability, number: str) -> TrainingExample | None:
    """Return the example of this capability that another is written for.

    Raises:
        Http404: there is none of this number, or it was withdrawn.
    """
    if not number:
        return None
    rows = TrainingExample.objects.in_use().filter(capability=capability)
    wanted = int(number) if number.isascii() and number.isdigit() and len(number) < 10 else 0
    return get_object_or_404(rows.select_related("project", "capability"), number=wanted)


def _write(
    scope: Scope,
    capability: Capability,
    version: RubricVersion,
    earlier: TrainingExample | None,
    text: ExampleText,
) -> None:
    now = timezone.now()
    if earlier is not None:
        giving.replace(example=earlier, text=text, by=scope.user, now=now)
        return
    giving.add_example(
        project=scope.project,
        capability=capability,
        version=version,
        text=text,
        by=scope.user,
        now=now,
    )


@does(permissions.CURATORS)
def example_adopt(request: HttpRequest, scope: Scope, pk: int) -> HttpResponse:
    """Take the example answers of the capability's rubric over."""
    capability = get_object_or_404(Capability, project=scope.project, pk=pk)
    with refusals.told(request):
        made = giving.adopt_levels(capability=capability, **scope.who())
        messages.success(request, _("Examples added: %(n)d.") % {"n": len(made)})
    return redirect("examples", scope.project.slug)


@does(permissions.CURATORS)
def example_withdraw(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Use an example no more."""
    found = get_object_or_404(TrainingExample, project=scope.project, number=number)
    with refusals.told(request):
        giving.withdraw(example=found, **scope.who())
        messages.success(request, _("Withdrawn."))
    return redirect("examples", scope.project.slug)


SHOWN = 5


def looks(scope: Scope, now: datetime) -> list[dict[str, str]]:
    """Return what waits for a curator: trials to decide first, then people who are ready for one."""
    if not scope.may(permissions.CURATORS):
        return []
    slug = scope.project.slug
    found = [
        {
            "title": _("A trial waits for its verdicts"),
            "text": one.name,
            "url": reverse("round", args=[slug, one.number]),
        }
        for one in reads.undecided(scope.project)[:SHOWN]
    ]
    ready = reads.ready(scope.project)
    if ready:
        said = _("Ready for a trial: %(n)d")
        found.append(
            {
                "title": said % {"n": len(ready)},
                "text": ", ".join(map(isolated, ready[:SHOWN])),
                "url": reverse("trial_new", args=[slug]),
            }
        )
    return found


@shows(permissions.CURATORS)
def trials(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Show the trials, the newest first, with how far each is."""
    lines = reads.trial_lines(scope.project)
    context = {
        "lines": [(one, list(panels.fill("trial", scope=scope, round=one.round))) for one in lines],
        "somebody_is_ready": not lines and bool(qualification.trained(scope.project)),
    }
    return render(request, "annotation/training/trials.html", context)


@asks(permissions.CURATORS)
def trial_new(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Draft a trial for people who have finished the training."""
    form = forms.TrialForm(
        request.POST if request.method == "POST" else None,
        project=scope.project,
        initial={"capability": request.GET.get("capability")},
    )
    if form.is_valid():
        with refusals.shown(form):
            made = giving.begin(
                plan=form.plan(),
                seed=secrets.token_hex(8),
                secret=secrets.token_bytes(32),
                **scope.deed(),
            )
            messages.success(request, _("Give reference grades, then open the trial."))
            return redirect("round_references", scope.project.slug, made.number)
    context = {"form": form}
    return render(request, "annotation/training/trial_new.html", context, status=status_of(form))


def of_round(*, scope: Scope, round: Round, **_context: Any) -> SafeString | None:
    """Lead from the page of a trial to what is right for its answers, and to its report."""
    if round.kind != Round.Kind.TRIAL or not scope.may(permissions.CURATORS):
        return None
    context = {
        "scope": scope,
        "round": round,
        "links": list(panels.fill("trial", scope=scope, round=round)),
    }
    return render_to_string("annotation/training/parts/trial.html", context)


@asks(permissions.CURATORS)
def round_references(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Enter what is right for the answers of a round; nothing is saved if one grade does not fit."""
    found = find(scope, number)
    refusal: errors.Refusal | None = None
    if request.method == "POST":
        try:
            _give(request, scope, found)
        except errors.Refusal as refused:
            refusal = refused
        else:
            messages.success(request, _("Saved."))
            left = trials_reads.sheet(found, _first(request)).after
            if left is None and not trials_reads.n_missing(found):
                return back(found)
            here = reverse("round_references", args=[scope.project.slug, number])
            return redirect(f"{here}?from={left}" if left else here)
    sheet = trials_reads.sheet(found, _first(request))
    context = {
        "round": found,
        "sheet": sheet,
        "n_missing": trials_reads.n_missing(found),
        "refusal": refusal,
        "entered": request.POST,
    }
    status = refusal.status if refusal else 200
    return render(request, "annotation/training/round_references.html", context, status=status)


def _first(request: HttpRequest) -> int:
    """Return the place of the first question that is asked for, from 1."""
    wanted = request.GET.get("from", "")
    return int(wanted) if wanted.isdecimal() and len(wanted) < 7 else 1


def _give(request: HttpRequest, scope: Scope, found: Round) -> None:
    values: dict[trials_reads.Place, Decimal] = {}
    problems: dict[str, list[str]] = {}
    for place in trials_reads.wanted(found):
        name = f"reference-{place[0]}-{place[1]}"
        if not (written := refusals.entered(request.POST, name)):
            continue
        try:
            values[place] = scales.parse(written)
        except ValueError as problem:
            problems[name] = [sentences.of(problem)]
    if problems:
        raise states.OffScale(_("Some grades do not fit their scale."), fields=problems)
    said = {
        response: request.POST[f"why-{response}"].strip()
        for response in {place[0] for place in values}
        if f"why-{response}" in request.POST
    }
    giving.give(round_=found, values=values, why=said, **scope.who())


@shows(permissions.CURATORS)
def pool(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Show every annotator with what they know about and where they stand in each capability."""
    wish = forms.PoolFilter(request.GET, project=scope.project)
    members = qualification.pool(scope.project, **wish.given())
    context = {
        "members": members,
        "capabilities": qualification.capabilities(scope.project),
        "filter": wish,
        "filtered": any(wish.given().values()),
        "asked": qualification.is_asked(scope.project),
    }
    return render(request, "annotation/training/pool.html", context)


def _annotator(scope: Scope, person: uuid.UUID) -> User:
    held = Membership.objects.with_role([Role.ANNOTATOR]).filter(project=scope.project)
    users = User.objects.filter(pk__in=held.values("user")).select_related("person")
    return get_object_or_404(users, public_id=person)


@asks(permissions.CURATORS)
def pool_person(request: HttpRequest, scope: Scope, person: uuid.UUID) -> HttpResponse:
    """Show one annotator's states and whole history; change what they know about."""
    user, now = _annotator(scope, person), timezone.now()
    rater = people.rater_of(project=scope.project, user=user, now=now)
    held = qualification.tags_of(scope.project)[user.pk]
    sent = request.POST if request.method == "POST" else None
    form = forms.TagsForm(sent, initial={"tags": ", ".join(held)})
    if form.is_valid():
        with refusals.shown(form):
            qualifying.set_tags(
                project=scope.project, user=user, tags=form.wanted(), by=scope.user, now=now
            )
            messages.success(request, _("Saved."))
            return redirect("pool_person", scope.project.slug, person)
    by_owner = scope.may({Role.OWNER})
    context = {
        "person": user,
        "form": form,
        "cells": [
            (one, bool(rules.deeds(_own(one), by_owner=by_owner)))
            for one in qualification.cells_of(rater)
        ],
        "history": qualification.history(rater),
    }
    return render(request, "annotation/training/pool_person.html", context, status=status_of(form))


def _own(cell: qualification.CapabilityCell) -> PoolState:
    """Return the state that was recorded for the capability itself; a step follows from that."""
    return PoolState(cell.last.state) if cell.last else PoolState.NEW


@asks(permissions.CURATORS)
def pool_say(request: HttpRequest, scope: Scope, person: uuid.UUID, pk: int) -> HttpResponse:
    """Say by hand what becomes of somebody in a capability, with the reason."""
    user, now = _annotator(scope, person), timezone.now()
    capability = get_object_or_404(Capability, project=scope.project, pk=pk)
    rater = people.rater_of(project=scope.project, user=user, now=now)
    cell = next(one for one in qualification.cells_of(rater) if one.capability.pk == pk)
    by_owner = scope.may({Role.OWNER})
    deeds = rules.deeds(_own(cell), by_owner=by_owner)
    form = forms.SayForm(
        request.POST if request.method == "POST" else None,
        deeds=[(str(one), Qualification.Event(one).label) for one in deeds],
    )
    if form.is_valid():
        with refusals.shown(form):
            qualifying.say(
                rater=rater,
                capability=capability,
                event=Event(form.cleaned_data["event"]),
                reason=form.cleaned_data["reason"],
                by=scope.user,
                by_owner=by_owner,
                now=now,
            )
            messages.success(request, _("Recorded."))
            return redirect("pool_person", scope.project.slug, person)
    context = {"person": user, "cell": cell, "form": form, "deeds": deeds}
    return render(request, "annotation/training/pool_say.html", context, status=status_of(form))


@asks(permissions.CURATORS)
def pool_rules(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Show what is asked of annotators, and set it for the whole project."""
    initial = forms.rule_initial(qualification.rule_of(scope.project))
    sent = request.POST if request.method == "POST" else None
    form = forms.ProjectRuleForm(sent, initial=initial)
    if form.is_valid() and _set(request, scope, None, form):
        return redirect("pool_rules", scope.project.slug)
    own = qualification.own_rules(scope.project)
    context = {
        "form": form,
        "lines": [(one, own.get(one.pk)) for one in qualification.capabilities(scope.project)],
    }
    return render(request, "annotation/training/pool_rules.html", context, status=status_of(form))


@asks(permissions.CURATORS)
def pool_rule(request: HttpRequest, scope: Scope, pk: int) -> HttpResponse:
    """Set what is asked in one capability."""
    capability = get_object_or_404(Capability, project=scope.project, pk=pk)
    initial = forms.rule_initial(qualification.rule_of(scope.project, capability))
    form = forms.TrialRuleForm(request.POST if request.method == "POST" else None, initial=initial)
    if form.is_valid() and _set(request, scope, capability, form):
        return redirect("pool_rules", scope.project.slug)
    context = {"form": form, "capability": capability}
    return render(request, "annotation/training/pool_rule.html", context, status=status_of(form))


def _set(
    request: HttpRequest, scope: Scope, capability: Capability | None, form: forms.TrialRuleForm
) -> bool:
    with refusals.shown(form):
        qualifying.set_rule(capability=capability, asked=form.asked(), **scope.deed())
        messages.success(request, _("Rule set. Trials under way keep theirs."))
        return True
    return False
