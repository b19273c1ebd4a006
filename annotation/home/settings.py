"""Forms of a project's settings: the bank, masks, retention.

* Sections of a project's settings: its rules at a glance, the bank, masks, how long things are kept.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from annotation.common import forms as refusals
from annotation.common import identity
from annotation.common.forms import RecordForm, status_of
from annotation.common.sentences import gettext, ngettext
from annotation.home import operations as keeping
from annotation.inspection import operations as inspecting
from annotation.inspection import queries as inspection_figures
from annotation.people import operations, permissions
from annotation.people import queries as reads
from annotation.people import rules as settings_rules
from annotation.people.models import Project, SettingsVersion
from annotation.people.permissions import Scope, asks, shows
from annotation.people.rules import Bank, Masks, Retention
from annotation.people.rules import Section as ProjectSettingsSection
from annotation.qualification import queries as qualifications
from annotation.rounds import readiness as mask_trials
from evalsite import errors, panels
from evalsite.records import parts, plain


class SettingsSection(RecordForm):
    """A section; `base` is the version that was on the page."""

    base = forms.IntegerField(widget=forms.HiddenInput, required=False, min_value=0)

    def __init__(self, held: SettingsVersion | None, sent: Any, **kwargs: Any) -> None:
        self.number = held.number if held else 0
        initial = {"base": self.number, **self.initial_of(held.body if held else {})}
        super().__init__(sent, initial=initial, **kwargs)

    def initial_of(self, body: dict[str, Any]) -> dict[str, Any]:
        raise NotImplementedError

    @property
    def based_on(self) -> int:
        return self.cleaned_data.get("base") or 0


class BankForm(SettingsSection, record=Bank):
    languages = forms.CharField(
        label=_("Languages offered"),
        required=False,
        max_length=1000,
        help_text=_("As en, de or zh-Hans, separated by commas. Empty: any language."),
    )
    field_order = ["base", "languages", "alike"]

    def initial_of(self, body: dict[str, Any]) -> dict[str, Any]:
        bank = Bank.read(body)
        return {"languages": ", ".join(bank.languages), "alike": bank.alike}

    def bank(self) -> Bank:
        words = self.cleaned_data["languages"].replace(";", ",").split(",")
        languages = dict.fromkeys(word.strip() for word in words if word.strip())
        return Bank(tuple(languages), self.cleaned_data["alike"])


class MasksForm(SettingsSection, record=Masks):
    """Words and patterns that give a system away."""

    field_order = ["base", "words", "patterns", "spared", "approved"]

    def initial_of(self, body: dict[str, Any]) -> dict[str, Any]:
        return plain(Masks.read(body))

    def masks(self) -> Masks:
        given = self.cleaned_data
        return Masks(**{one.name: given[one.name] for one in parts(Masks)})


#: What is kept: what it is called, what it is, what going means.
KEPT = {
    "drafts": (
        _("Drafts of grades"),
        _("Never submitted, in final rounds."),
    ),
    "receipts": (
        _("Log of saves"),
        _("Save receipts of final rounds."),
    ),
    "files": (
        _("Imported files, and whole banks"),
        _(
            "As uploaded. Imported rows, file name and hash stay; undone, they cannot be "
            "applied again."
        ),
    ),
    "calls": (
        _("Texts of model calls"),
        _("Of ended runs. Scores, costs, times and hashes stay; transcripts go."),
    ),
    "figures": (
        _("Computed figures"),
        _("Computed again when opened."),
    ),
}


DAYS = _("Give a number of days from 7 to 3650, or nothing.")


class RetentionForm(SettingsSection):
    def __init__(self, held: SettingsVersion | None, sent: Any) -> None:
        super().__init__(held, sent)
        for key in settings_rules.KEPT:
            self.fields[key] = forms.IntegerField(
                label=KEPT[key][0],
                required=False,
                min_value=settings_rules.LEAST_DAYS,
                max_value=settings_rules.MOST_DAYS,
                help_text=KEPT[key][1],
                error_messages=dict.fromkeys(("min_value", "max_value", "invalid"), DAYS),
                widget=forms.NumberInput(attrs={"size": 6}),
            )

    def initial_of(self, body: dict[str, Any]) -> dict[str, Any]:
        return dict(Retention.read(body).days)

    def days(self) -> dict[str, int]:
        given = {key: self.cleaned_data.get(key) for key in settings_rules.KEPT}
        return {key: n for key, n in given.items() if n is not None}


@dataclass(frozen=True)
class ProjectRule:
    """A rule of the project: what holds now, and the page where it is changed."""

    name: str
    holds: str
    url: str


@shows(permissions.CURATORS)
def rules(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Show all rules of the project with what holds now, each with the page where it is changed."""
    found = [
        *_own_rules(scope.project, timezone.now()),
        *(
            ProjectRule(*one)
            for each in panels.fill("settings_rules", project=scope.project)
            for one in each
        ),
    ]
    return render(request, "annotation/home/settings_rules.html", {"rules": found})


def _own_rules(project: Project, now: datetime) -> list[ProjectRule]:
    checklist = inspecting.current_checklist(project=project, now=now)
    bank, limit = reads.bank_of(project), inspection_figures.limit_of(project)
    threshold = qualifications.threshold_of(project)
    lines = ngettext(
        "version %(v)d, %(n)d line", "version %(v)d, %(n)d lines", len(checklist.lines)
    )
    asked = (
        gettext("new rounds ask for it")
        if qualifications.is_asked(project)
        else gettext("new rounds do not ask for it")
    )
    there = [project.slug]
    return [
        ProjectRule(
            gettext("Checklist of inspections"),
            lines % {"v": checklist.number, "n": len(checklist.lines)},
            reverse("checklist", args=there),
        ),
        ProjectRule(
            gettext("Languages of the bank"),
            ", ".join(bank.languages) or gettext("any"),
            reverse("settings_bank", args=there),
        ),
        ProjectRule(
            gettext("Near-duplicates"),
            gettext("pointed out from %(n)d %% on") % {"n": bank.alike},
            reverse("settings_bank", args=there),
        ),
        ProjectRule(
            gettext("Retraining of designers"),
            gettext("when more than %(n)d %% come back") % {"n": limit},
            reverse("inspection_figures", args=there),
        ),
        ProjectRule(
            gettext("Qualification"),
            gettext("agreement of %(at)s on %(n)d grades or more; %(asked)s")
            % {"at": f"{threshold.reference_at:g}", "n": threshold.n_least, "asked": asked},
            reverse("pool_rules", args=there),
        ),
    ]


@asks(permissions.CURATORS)
def bank(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Set the languages of the bank, and from when on questions count as alike."""
    held = reads.newest(scope.project, ProjectSettingsSection.BANK)
    form = BankForm(held, request.POST if request.method == "POST" else None)
    status = status_of(form)
    if form.is_valid():
        with refusals.shown(form) as refused:
            changed = operations.set_bank(bank=form.bank(), base=form.based_on, **scope.deed())
            return _saved(request, scope, "settings_bank", changed=changed)
        status = refused.status
    context = _context(scope, ProjectSettingsSection.BANK, form)
    return render(request, "annotation/home/settings_bank.html", context, status=status)


@asks(permissions.CURATORS)
def masks(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Set words and patterns that give systems away; try them out first, which changes nothing."""
    held = reads.newest(scope.project, ProjectSettingsSection.MASKS)
    form = MasksForm(held, request.POST if request.method == "POST" else None)
    context: dict[str, Any] = {}
    status = status_of(form)
    if form.is_valid():
        try:
            if request.POST.get("act") == "try":
                context["trial"] = _trial(scope.project, form)
            else:
                changed = operations.set_masks(
                    masks=form.masks(), base=form.based_on, **scope.deed()
                )
                return _saved(request, scope, "settings_masks", changed=changed)
        except errors.Refusal as refusal:
            refusals.show(form, refusal)
            status = refusal.status
    context |= {**_context(scope, ProjectSettingsSection.MASKS, form), "bar": identity.MASK}
    return render(request, "annotation/home/settings_masks.html", context, status=status)


def _trial(project: Project, form: MasksForm) -> mask_trials.PatternTrial:
    wanted = form.masks()
    operations.check(wanted)
    try:
        return mask_trials.trial(project, wanted)
    except identity.UnusablePattern as problem:
        raise operations.SettingsInvalid(
            str(problem), fields={"patterns": [str(problem)]}
        ) from problem


@asks(permissions.OWNERS)
def retention(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Set how long things are kept; count first what would go, which removes nothing."""
    held = reads.newest(scope.project, ProjectSettingsSection.RETENTION)
    form = RetentionForm(held, request.POST if request.method == "POST" else None)
    now, status = timezone.now(), status_of(form)
    days = dict(reads.retention_of(scope.project).days)
    if form.is_valid():
        days = form.days()
        if request.POST.get("act") != "count":
            with refusals.shown(form) as refused:
                changed = operations.set_retention(
                    project=scope.project,
                    retention=Retention(days),
                    base=form.based_on,
                    by=scope.user,
                    now=now,
                )
                return _saved(request, scope, "settings_retention", changed=changed)
            status = refused.status
    unread = form.is_bound and not form.is_valid()
    counts = {} if unread else keeping.count(project=scope.project, days=dict(days), now=now)
    context = {
        **_context(scope, ProjectSettingsSection.RETENTION, form),
        "lines": [(form[key], counts.get(key)) for key in KEPT],
        "unread": unread,
        "counted": form.is_bound and form.is_valid() and request.POST.get("act") == "count",
    }
    return render(request, "annotation/home/settings_retention.html", context, status=status)


def _context(
    scope: Scope, section: ProjectSettingsSection, form: SettingsSection
) -> dict[str, Any]:
    return {"scope": scope, "form": form, "history": reads.history(scope.project, section)}


def _saved(request: HttpRequest, scope: Scope, name: str, *, changed: bool) -> HttpResponse:
    if changed:
        messages.success(request, gettext("Saved."))
    else:
        messages.info(request, gettext("Nothing was changed: this holds already."))
    return redirect(name, scope.project.slug)
