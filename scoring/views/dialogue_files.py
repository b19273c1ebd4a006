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
from annotation.permissions import Scope, door
from evalsite import errors, heavy
from scoring.forms.dialogues import DialogueImportForm
from scoring.operations import dialogue_imports, exporting, run_exporting
from scoring.queries import dialogue_export, interview_results
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
            file = form.cleaned_data["file"]
            with heavy.reading(file.size):
                run = dialogue_imports.bring_in(
                    project=scope.project,
                    key=form.cleaned_data["key"],
                    data=file.read(),
                    wish=form.wish(),
                    user=scope.user,
                    now=timezone.now(),
                )
        except errors.Refusal as refusal:
            refusals.show(form, refusal)
        else:
            messages.success(request, _("The dialogues are here. No system was asked."))
            return redirect("run_dialogues", scope.project.slug, run.number)
    context = {"scope": scope, "form": form}
    status = refusals.status_of(form)
    return render(request, "scoring/interviews_import.html", context, status=status)
