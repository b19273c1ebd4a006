"""Forms about systems and releases.

* The systems that are judged, and their releases.
"""

import csv
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext

from annotation.common import forms as refusals
from annotation.common import texts as sheets
from annotation.common.forms import RecordForm, initial_of, status_of
from annotation.people import permissions
from annotation.people.permissions import Scope, asks, shows
from annotation.systems import operations
from annotation.systems import queries as reads
from annotation.systems import records as said
from annotation.systems.models import System, SystemRelease
from evalsite import panels


class SystemForm(RecordForm, record=said.SystemWords):
    """A system, by all its names."""


class NewSystemForm(RecordForm, record=said.NewSystem):
    """A system with its first release."""


class ReleaseForm(RecordForm, record=said.ReleaseWords):
    """A release: what it is called, and what is known of it."""

    field_order = ("label", "notes")

    def given(self) -> dict[str, Any]:
        """Return what the form says, as the operations take it."""
        given = self.cleaned_data
        return {"label": given.pop("label"), "notes": given.pop("notes")} | {
            "attributes": said.Attributes(**given)
        }


@shows(permissions.UNBLINDED)
def systems(request: HttpRequest, scope: Scope) -> HttpResponse:
    context = {
        "lines": reads.list_systems(scope.project),
        "may_edit": scope.may(permissions.CURATORS),
    }
    return render(request, "annotation/systems/systems.html", context)


@shows(permissions.UNBLINDED)
def releases_csv(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Hand out the releases with what is known of each, as CSV that spreadsheets read as UTF-8."""
    headers = {"Content-Disposition": 'attachment; filename="releases.csv"'}
    answer = HttpResponse("\ufeff", content_type="text/csv; charset=utf-8", headers=headers)
    lines = csv.writer(answer)
    lines.writerow(reads.COLUMNS)
    for record in reads.records(scope.project):
        lines.writerow([sheets.neutral(text) for text in record])
    return answer


@asks(permissions.CURATORS)
def system_new(request: HttpRequest, scope: Scope) -> HttpResponse:
    form = NewSystemForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        with refusals.shown(form):
            operations.create_system(**form.cleaned_data, **scope.deed())
            messages.success(request, gettext("System added."))
            return redirect("systems", scope.project.slug)
    context = {"form": form}
    return render(request, "annotation/systems/system_new.html", context, status=status_of(form))


@asks(permissions.UNBLINDED, permissions.CURATORS)
def system(request: HttpRequest, scope: Scope, pk: int) -> HttpResponse:
    """Show a system and its releases; curators change its names."""
    found = get_object_or_404(reads.of_systems(scope.project), pk=pk)
    form = SystemForm(
        request.POST if request.method == "POST" else None,
        initial=initial_of(said.SystemWords, found),
    )
    if form.is_valid():
        with refusals.shown(form):
            operations.edit_system(system=found, **form.cleaned_data, **scope.who())
            messages.success(request, gettext("Saved."))
            return redirect("system", scope.project.slug, pk)
    context = {
        "system": found,
        "releases": reads.releases_of(found),
        "panels": list(panels.fill("system", scope=scope, system=found)),
        "form": form,
        "may_edit": scope.may(permissions.CURATORS),
    }
    return render(request, "annotation/systems/system.html", context, status=status_of(form))


@asks(permissions.CURATORS)
def release_new(request: HttpRequest, scope: Scope, pk: int) -> HttpResponse:
    found = get_object_or_404(reads.of_systems(scope.project), pk=pk)
    return _release(request, scope, found, None)


@asks(permissions.UNBLINDED, permissions.CURATORS)
def release(request: HttpRequest, scope: Scope, pk: int) -> HttpResponse:
    """Show a release: what is known of it, and what other parts of the product say of it."""
    old = get_object_or_404(
        SystemRelease.objects.seen().select_related("system"), system__project=scope.project, pk=pk
    )
    return _release(request, scope, old.system, old)


def _release(
    request: HttpRequest, scope: Scope, judged: System, old: SystemRelease | None
) -> HttpResponse:
    initial = initial_of(said.ReleaseWords, old) if old else None
    form = ReleaseForm(request.POST if request.method == "POST" else None, initial=initial)
    if form.is_valid():
        given = {**form.given(), **scope.who()}
        with refusals.shown(form):
            if old is None:
                operations.add_release(system=judged, **given)
            else:
                operations.edit_release(release=old, **given)
            messages.success(request, gettext("Saved."))
            return redirect("system", scope.project.slug, judged.pk)
    context = {
        "system": judged,
        "release": old,
        "form": form,
        "may_edit": scope.may(permissions.CURATORS),
        "panels": list(panels.fill("release", scope=scope, release=old)) if old else [],
    }
    return render(request, "annotation/systems/release.html", context, status=status_of(form))
