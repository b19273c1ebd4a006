"""The pool of annotators for their curators: who is qualified in what, and by which rules."""

import uuid

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods

from annotation import permissions
from annotation.forms import refusals
from annotation.forms import training as forms
from annotation.forms.refusals import status_of
from annotation.models import Capability, Membership, Qualification, Role, User
from annotation.operations import people, qualifying
from annotation.permissions import Scope, door
from annotation.queries import qualifications as reads
from annotation.rules import qualification as rules
from annotation.rules.qualification import Event, State
from evalsite import errors


@require_GET
@door(permissions.CURATORS)
def pool(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Show every annotator with what they know about and where they stand in each capability."""
    wish = forms.PoolFilter(request.GET, project=scope.project)
    members = reads.pool(scope.project, **wish.given())
    context = {
        "scope": scope,
        "members": members,
        "capabilities": reads.capabilities(scope.project),
        "filter": wish,
        "filtered": any(wish.given().values()),
        "asked": reads.is_asked(scope.project),
    }
    return render(request, "annotation/pool.html", context)


def _annotator(scope: Scope, person: uuid.UUID) -> User:
    held = Membership.objects.with_role([Role.ANNOTATOR]).filter(project=scope.project)
    users = User.objects.filter(pk__in=held.values("user")).select_related("person")
    return get_object_or_404(users, public_id=person)


@require_http_methods(["GET", "POST"])
@door(permissions.CURATORS)
def pool_person(request: HttpRequest, scope: Scope, person: uuid.UUID) -> HttpResponse:
    """Show one annotator's states and whole history; change what they know about."""
    user, now = _annotator(scope, person), timezone.now()
    rater = people.rater_of(project=scope.project, user=user, now=now)
    held = reads.tags_of(scope.project)[user.pk]
    sent = request.POST if request.method == "POST" else None
    form = forms.TagsForm(sent, initial={"tags": ", ".join(held)})
    if form.is_valid():
        try:
            qualifying.set_tags(
                project=scope.project, user=user, tags=form.wanted(), by=scope.user, now=now
            )
        except errors.Refusal as refusal:
            refusals.show(form, refusal)
        else:
            messages.success(request, _("Saved."))
            return redirect("pool_person", scope.project.slug, person)
    by_owner = scope.may({Role.OWNER})
    context = {
        "scope": scope,
        "person": user,
        "form": form,
        "cells": [
            (one, bool(rules.deeds(_own(one), by_owner=by_owner))) for one in reads.cells_of(rater)
        ],
        "history": reads.history(rater),
    }
    return render(request, "annotation/pool_person.html", context, status=status_of(form))


def _own(cell: reads.Cell) -> State:
    """Return the state that was recorded for the capability itself; a step follows from that."""
    return State(cell.last.state) if cell.last else State.NEW


@require_http_methods(["GET", "POST"])
@door(permissions.CURATORS)
def pool_say(request: HttpRequest, scope: Scope, person: uuid.UUID, pk: int) -> HttpResponse:
    """Say by hand what becomes of somebody in a capability, with the reason."""
    user, now = _annotator(scope, person), timezone.now()
    capability = get_object_or_404(Capability, project=scope.project, pk=pk)
    rater = people.rater_of(project=scope.project, user=user, now=now)
    cell = next(one for one in reads.cells_of(rater) if one.capability.pk == pk)
    by_owner = scope.may({Role.OWNER})
    deeds = rules.deeds(_own(cell), by_owner=by_owner)
    form = forms.SayForm(
        request.POST if request.method == "POST" else None,
        deeds=[(str(one), Qualification.Event(one).label) for one in deeds],
    )
    if form.is_valid():
        try:
            qualifying.say(
                rater=rater,
                capability=capability,
                event=Event(form.cleaned_data["event"]),
                reason=form.cleaned_data["reason"],
                by=scope.user,
                by_owner=by_owner,
                now=now,
            )
        except errors.Refusal as refusal:
            refusals.show(form, refusal)
        else:
            messages.success(request, _("Recorded."))
            return redirect("pool_person", scope.project.slug, person)
    context = {"scope": scope, "person": user, "cell": cell, "form": form, "deeds": deeds}
    return render(request, "annotation/pool_say.html", context, status=status_of(form))


@require_http_methods(["GET", "POST"])
@door(permissions.CURATORS)
def pool_rules(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Show what is asked of annotators, and set it for the whole project."""
    initial = forms.rule_initial(reads.rule_of(scope.project))
    sent = request.POST if request.method == "POST" else None
    form = forms.ProjectRuleForm(sent, initial=initial)
    if form.is_valid() and _set(request, scope, None, form):
        return redirect("pool_rules", scope.project.slug)
    own = reads.own_rules(scope.project)
    context = {
        "scope": scope,
        "form": form,
        "lines": [(one, own.get(one.pk)) for one in reads.capabilities(scope.project)],
    }
    return render(request, "annotation/pool_rules.html", context, status=status_of(form))


@require_http_methods(["GET", "POST"])
@door(permissions.CURATORS)
def pool_rule(request: HttpRequest, scope: Scope, pk: int) -> HttpResponse:
    """Set what is asked in one capability."""
    capability = get_object_or_404(Capability, project=scope.project, pk=pk)
    initial = forms.rule_initial(reads.rule_of(scope.project, capability))
    form = forms.RuleForm(request.POST if request.method == "POST" else None, initial=initial)
    if form.is_valid() and _set(request, scope, capability, form):
        return redirect("pool_rules", scope.project.slug)
    context = {"scope": scope, "form": form, "capability": capability}
    return render(request, "annotation/pool_rule.html", context, status=status_of(form))


def _set(
    request: HttpRequest, scope: Scope, capability: Capability | None, form: forms.RuleForm
) -> bool:
    try:
        qualifying.set_rule(
            project=scope.project,
            capability=capability,
            asked=form.asked(),
            by=scope.user,
            now=timezone.now(),
        )
    except errors.Refusal as refusal:
        refusals.show(form, refusal)
        return False
    messages.success(request, _("The rule is set. Trials that have begun keep theirs."))
    return True
