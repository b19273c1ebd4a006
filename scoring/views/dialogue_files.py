"""Dialogues as files: out of a run, and into one."""

from uuid import uuid4

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods

from annotation import permissions
from annotation.forms import refusals
from annotation.models import WholeKind
from annotation.permissions import Scope, door
from evalsite import errors
from scoring.forms.dialogues import DialogueImportForm
from scoring.operations import dialogue_imports, exporting, run_exporting
from scoring.operations import whole_files as wholes
from scoring.queries import dialogue_export, interview_results, whole_files
from scoring.views import interviews
from scoring.views.files import stream


@require_GET
@door(permissions.UNBLINDED)
def run_dialogues_zip(request: HttpRequest, scope: Scope, number: int) -> HttpResponseBase:
    """Send the dialogues of a run as an archive with a manifest."""
    try:
        reading = interview_results.allowed(scope, number)
    except errors.Refusal as refusal:
        return interviews.closed(request, scope, number, refusal)
    now = timezone.now()
    export = run_exporting.export_lines(
        reading=reading,
        form="dialogues.zip",
        lines=dialogue_export.archive(reading.run, now),
        now=now,
        content_type=exporting.ZIP,
    )
    return stream(export)


@require_http_methods(["GET", "POST"])
@door(permissions.CURATORS)
def interviews_import(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Take a file of dialogues, or say what is wrong with it."""
    sent = request.method == "POST"
    form = DialogueImportForm(
        request.POST if sent else None,
        request.FILES if sent else None,
        project=scope.project,
        key=uuid4(),
        initial={"name": _("Dialogues from a file")},
    )
    if form.is_valid():
        try:
            return _taken(request, scope, form)
        except errors.Refusal as refusal:
            refusals.show(form, refusal)
    context = {
        "scope": scope,
        "form": form,
        **whole_files.shown(scope.project, WholeKind.DIALOGUES),
    }
    status = refusals.status_of(form)
    return render(request, "scoring/interviews_import.html", context, status=status)


def _taken(request: HttpRequest, scope: Scope, form: DialogueImportForm) -> HttpResponse:
    """Bring a small file in now, and leave a large one to a worker."""
    file = form.cleaned_data["file"]
    given = {"project": scope.project, "key": form.cleaned_data["key"], "wish": form.wish()}
    now = timezone.now()
    if wholes.is_large(file, file.size):
        wholes.hand_in_dialogues(**given, pieces=file.chunks(), by=scope.user, now=now)
        messages.success(request, wholes.said_that_it_waits())
        return redirect("interviews_import", scope.project.slug)
    run = dialogue_imports.bring_in(**given, data=file.read(), user=scope.user, now=now)
    messages.success(request, wholes.said_of_dialogues())
    return redirect("run_dialogues", scope.project.slug, run.number)
