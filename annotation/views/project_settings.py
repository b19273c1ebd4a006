"""Sections of a project's settings: its rules at a glance, the bank, masks, how long things are kept."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_http_methods

from annotation import permissions
from annotation.forms import refusals
from annotation.forms import settings as forms
from annotation.forms.refusals import status_of
from annotation.models import Project
from annotation.operations import retention as keeping
from annotation.operations import settings as operations
from annotation.operations.bank import inspecting
from annotation.permissions import Scope, door
from annotation.queries import inspection_figures, mask_trials, qualifications
from annotation.queries import settings as reads
from annotation.rules import identity
from annotation.rules.settings import Retention, Section
from evalsite import errors, panels


@dataclass(frozen=True)
class Rule:
    """A rule of the project: what holds now, and the page where it is changed."""

    name: str
    holds: str
    url: str


@require_GET
@door(permissions.CURATORS)
def rules(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Show all rules of the project with what holds now, each with the page where it is changed."""
    found = [
        *_own_rules(scope.project, timezone.now()),
        *(
            Rule(*one)
            for each in panels.fill("settings_rules", project=scope.project)
            for one in each
        ),
    ]
    return render(request, "annotation/settings_rules.html", {"scope": scope, "rules": found})


def _own_rules(project: Project, now: datetime) -> list[Rule]:
    checklist = inspecting.current_checklist(project=project, now=now)
    bank, limit = reads.bank_of(project), inspection_figures.limit_of(project)
    threshold = qualifications.threshold_of(project)
    lines = ngettext(
        "version %(v)d, %(n)d line", "version %(v)d, %(n)d lines", len(checklist.lines)
    )
    asked = (
        _("new rounds ask for it")
        if qualifications.is_asked(project)
        else _("new rounds do not ask for it")
    )
    there = [project.slug]
    return [
        Rule(
            _("Checklist of inspections"),
            lines % {"v": checklist.number, "n": len(checklist.lines)},
            reverse("checklist", args=there),
        ),
        Rule(
            _("Languages of the bank"),
            ", ".join(bank.languages) or _("any"),
            reverse("settings_bank", args=there),
        ),
        Rule(
            _("Near-duplicates"),
            _("pointed out from %(n)d %% on") % {"n": bank.alike},
            reverse("settings_bank", args=there),
        ),
        Rule(
            _("Retraining of designers"),
            _("when more than %(n)d %% come back") % {"n": limit},
            reverse("inspection_figures", args=there),
        ),
        Rule(
            _("Qualification of annotators"),
            _("agreement of %(at)s on %(n)d grades or more; %(asked)s")
            % {"at": f"{threshold.reference_at:g}", "n": threshold.n_least, "asked": asked},
            reverse("pool_rules", args=there),
        ),
    ]


@require_http_methods(["GET", "POST"])
@door(permissions.CURATORS)
def bank(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Set the languages of the bank, and from when on questions count as alike."""
    held = reads.newest(scope.project, Section.BANK)
    form = forms.BankForm(held, request.POST if request.method == "POST" else None)
    status = status_of(form)
    if form.is_valid():
        try:
            changed = operations.set_bank(
                project=scope.project,
                bank=form.bank(),
                base=form.based_on,
                by=scope.user,
                now=timezone.now(),
            )
        except errors.Refusal as refusal:
            refusals.show(form, refusal)
            status = refusal.status
        else:
            return _saved(request, scope, "settings_bank", changed=changed)
    context = _context(scope, Section.BANK, form)
    return render(request, "annotation/settings_bank.html", context, status=status)


@require_http_methods(["GET", "POST"])
@door(permissions.CURATORS)
def masks(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Set words and patterns that give systems away; try them out first, which changes nothing."""
    held = reads.newest(scope.project, Section.MASKS)
    form = forms.MasksForm(held, request.POST if request.method == "POST" else None)
    context: dict[str, Any] = {}
    status = status_of(form)
    if form.is_valid():
        try:
            if request.POST.get("act") == "try":
                context["trial"] = _trial(scope.project, form)
            else:
                changed = operations.set_masks(
                    project=scope.project,
                    masks=form.masks(),
                    base=form.based_on,
                    by=scope.user,
                    now=timezone.now(),
                )
                return _saved(request, scope, "settings_masks", changed=changed)
        except errors.Refusal as refusal:
            refusals.show(form, refusal)
            status = refusal.status
    context |= {**_context(scope, Section.MASKS, form), "bar": identity.MASK}
    return render(request, "annotation/settings_masks.html", context, status=status)


def _trial(project: Project, form: forms.MasksForm) -> mask_trials.Trial:
    wanted = form.masks()
    operations.check(wanted)
    try:
        return mask_trials.trial(project, wanted)
    except identity.BadPattern as problem:
        raise operations.SettingsInvalid(
            str(problem), fields={"patterns": [str(problem)]}
        ) from problem


@require_http_methods(["GET", "POST"])
@door(permissions.OWNERS)
def retention(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Set how long things are kept; count first what would go, which removes nothing."""
    held = reads.newest(scope.project, Section.RETENTION)
    form = forms.RetentionForm(held, request.POST if request.method == "POST" else None)
    now, status = timezone.now(), status_of(form)
    days = dict(reads.retention_of(scope.project).days)
    if form.is_valid():
        days = form.days()
        if request.POST.get("act") != "count":
            try:
                changed = operations.set_retention(
                    project=scope.project,
                    retention=Retention(days),
                    base=form.based_on,
                    by=scope.user,
                    now=now,
                )
            except errors.Refusal as refusal:
                refusals.show(form, refusal)
                status = refusal.status
            else:
                return _saved(request, scope, "settings_retention", changed=changed)
    unread = form.is_bound and not form.is_valid()
    counts = {} if unread else keeping.count(project=scope.project, days=dict(days), now=now)
    context = {
        **_context(scope, Section.RETENTION, form),
        "lines": [(form[key], counts.get(key)) for key in forms.KEPT],
        "unread": unread,
        "counted": form.is_bound and form.is_valid() and request.POST.get("act") == "count",
    }
    return render(request, "annotation/settings_retention.html", context, status=status)


def _context(scope: Scope, section: Section, form: forms.Section) -> dict[str, Any]:
    return {"scope": scope, "form": form, "history": reads.history(scope.project, section)}


def _saved(request: HttpRequest, scope: Scope, name: str, *, changed: bool) -> HttpResponse:
    if changed:
        messages.success(request, _("Saved."))
    else:
        messages.info(request, _("Nothing was changed: this holds already."))
    return redirect(name, scope.project.slug)
