"""Forms about systems and releases.

* The systems that are judged, and their releases.
"""

import csv
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_GET, require_http_methods

from annotation.common import forms as refusals
from annotation.common import texts as sheets
from annotation.common.forms import NameField, status_of
from annotation.people import permissions
from annotation.people.permissions import Scope, door
from annotation.systems import operations
from annotation.systems import queries as reads
from annotation.systems.models import System, SystemRelease
from annotation.systems.operations import Attributes
from evalsite import errors, panels

KNOWN = (("", _("not known")), ("yes", _("yes")), ("no", _("no")))
SAID = {"yes": True, "no": False}


class SystemForm(forms.Form):
    name = NameField(label=_("Name"), max_length=200)
    aliases = forms.CharField(
        label=_("Other names"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_(
            "One per line: maker, product, nickname. Before a round opens, responses that hold one "
            "of these names are shown to the curator."
        ),
    )
    family = NameField(
        label=_("Family"),
        required=False,
        max_length=80,
        help_text=_(
            "Of the language model behind it, in the same word as a judge's family: then judges are "
            "tested for favouring their own. Left empty, the system belongs to none that is known."
        ),
    )

    def clean_aliases(self) -> list[str]:
        lines = (line.strip() for line in self.cleaned_data["aliases"].splitlines())
        return list(dict.fromkeys(line for line in lines if line))


class NewSystem(SystemForm):
    release = NameField(
        label=_("First release"),
        required=False,
        max_length=120,
        help_text=_("One configuration of the system: a version, a date, a setting."),
    )


class ReleaseForm(forms.Form):
    label = NameField(
        label=_("Release"),
        max_length=120,
        help_text=_("One configuration of the system: a version, a date, a setting."),
    )
    notes = forms.CharField(
        label=_("Notes"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_("Parameters, prompt, date of collection: what somebody will ask later."),
    )
    web_access = forms.ChoiceField(
        label=_("Web access"),
        required=False,
        choices=KNOWN,
        help_text=_("It looks things up on the web while it answers."),
    )
    retrieval = forms.ChoiceField(
        label=_("Retrieval"),
        required=False,
        choices=KNOWN,
        help_text=_("It is given passages of documents of its maker or of yours."),
    )
    tools = forms.ChoiceField(
        label=_("Tools"),
        required=False,
        choices=KNOWN,
        help_text=_("It may run code or call other programs."),
    )
    context_length = forms.IntegerField(
        label=_("Context in tokens"), required=False, min_value=1, max_value=2**31 - 1
    )
    knowledge_until = forms.CharField(
        label=_("Knowledge until"),
        required=False,
        max_length=40,
        help_text=_("Up to when its training data reach, as its maker says: 2025-06."),
    )

    def __init__(self, *args: Any, release: Any = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if release is not None:
            self.initial = {**self._initial(release), **self.initial}

    def _initial(self, release: Any) -> dict[str, Any]:
        found = {name: getattr(release, name) for name in self.fields}
        words = {True: "yes", False: "no", None: ""}
        return found | {name: words[found[name]] for name in ("web_access", "retrieval", "tools")}

    def given(self) -> dict[str, Any]:
        """Return what the form says, as the operations take it."""
        said = self.cleaned_data
        return {
            "label": said["label"],
            "notes": said["notes"],
            "attributes": Attributes(
                web_access=SAID.get(said["web_access"]),
                retrieval=SAID.get(said["retrieval"]),
                tools=SAID.get(said["tools"]),
                context_length=said["context_length"],
                knowledge_until=said["knowledge_until"],
            ),
        }


@require_GET
@door(permissions.UNBLINDED)
def systems(request: HttpRequest, scope: Scope) -> HttpResponse:
    context = {
        "scope": scope,
        "lines": reads.list_systems(scope.project),
        "may_edit": scope.may(permissions.CURATORS),
    }
    return render(request, "annotation/systems/systems.html", context)


@require_GET
@door(permissions.UNBLINDED)
def releases_csv(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Hand out the releases with what is known of each, as CSV that spreadsheets read as UTF-8."""
    headers = {"Content-Disposition": 'attachment; filename="releases.csv"'}
    answer = HttpResponse("\ufeff", content_type="text/csv; charset=utf-8", headers=headers)
    lines = csv.writer(answer)
    lines.writerow(reads.COLUMNS)
    for record in reads.records(scope.project):
        lines.writerow([sheets.neutral(text) for text in record])
    return answer


@require_http_methods(["GET", "POST"])
@door(permissions.CURATORS)
def system_new(request: HttpRequest, scope: Scope) -> HttpResponse:
    form = NewSystem(request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            operations.create_system(
                project=scope.project, **form.cleaned_data, by=scope.user, now=timezone.now()
            )
        except errors.Refusal as refusal:
            refusals.show(form, refusal)
        else:
            messages.success(request, gettext("The system is added."))
            return redirect("systems", scope.project.slug)
    context = {"scope": scope, "form": form}
    return render(request, "annotation/systems/system_new.html", context, status=status_of(form))


@require_http_methods(["GET", "POST"])
@door(permissions.UNBLINDED, permissions.CURATORS)
def system(request: HttpRequest, scope: Scope, pk: int) -> HttpResponse:
    """Show a system and its releases; curators change its names."""
    found = get_object_or_404(reads.of_systems(scope.project), pk=pk)
    form = SystemForm(
        request.POST if request.method == "POST" else None,
        initial={
            "name": found.name,
            "aliases": "\n".join(found.aliases),
            "family": found.family,
        },
    )
    if form.is_valid():
        try:
            operations.edit_system(
                system=found, **form.cleaned_data, by=scope.user, now=timezone.now()
            )
        except errors.Refusal as refusal:
            refusals.show(form, refusal)
        else:
            messages.success(request, gettext("Saved."))
            return redirect("system", scope.project.slug, pk)
    context = {
        "scope": scope,
        "system": found,
        "releases": reads.releases_of(found),
        "panels": list(panels.fill("system", scope=scope, system=found)),
        "form": form,
        "may_edit": scope.may(permissions.CURATORS),
    }
    return render(request, "annotation/systems/system.html", context, status=status_of(form))


@require_http_methods(["GET", "POST"])
@door(permissions.CURATORS)
def release_new(request: HttpRequest, scope: Scope, pk: int) -> HttpResponse:
    found = get_object_or_404(reads.of_systems(scope.project), pk=pk)
    return _release(request, scope, found, None)


@require_http_methods(["GET", "POST"])
@door(permissions.UNBLINDED, permissions.CURATORS)
def release(request: HttpRequest, scope: Scope, pk: int) -> HttpResponse:
    """Show a release: what is known of it, and what other parts of the product say of it."""
    old = get_object_or_404(
        SystemRelease.objects.seen().select_related("system"), system__project=scope.project, pk=pk
    )
    return _release(request, scope, old.system, old)


def _release(
    request: HttpRequest, scope: Scope, judged: System, old: SystemRelease | None
) -> HttpResponse:
    form = ReleaseForm(request.POST if request.method == "POST" else None, release=old)
    if form.is_valid():
        given = {**form.given(), "by": scope.user, "now": timezone.now()}
        try:
            if old is None:
                operations.add_release(system=judged, **given)
            else:
                operations.edit_release(release=old, **given)
        except errors.Refusal as refusal:
            refusals.show(form, refusal)
        else:
            messages.success(request, gettext("Saved."))
            return redirect("system", scope.project.slug, judged.pk)
    context = {
        "scope": scope,
        "system": judged,
        "release": old,
        "form": form,
        "may_edit": scope.may(permissions.CURATORS),
        "panels": list(panels.fill("release", scope=scope, release=old)) if old else [],
    }
    return render(request, "annotation/systems/release.html", context, status=status_of(form))
