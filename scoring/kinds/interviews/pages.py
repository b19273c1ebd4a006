"""Read the dialogues of interviews.

* Dialogues as files: out of a run, and into one.
"""

from uuid import uuid4

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.common import forms as refusals
from annotation.files.models import WholeKind
from annotation.imports import wholes
from annotation.people import permissions
from annotation.people.permissions import Scope, asks, shows
from evalsite import errors
from evalsite.web import keyset
from scoring.kinds.interviews import details, exchange
from scoring.kinds.interviews import queries as interviews
from scoring.kinds.interviews.forms import (
    DialogueFilter,
    DialogueImportForm,
)
from scoring.kinds.interviews.outcome import InterviewOutcome
from scoring.outcomes import pages as outcome_pages
from scoring.shown.sheet import stream


@shows(permissions.UNBLINDED)
def run_dialogues(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """List the dialogues of a run, by what happened in them."""
    try:
        reading = InterviewOutcome.allowed(scope, number)
    except errors.Refusal as refusal:
        return outcome_pages.closed(request, scope, number, refusal)
    names = [(one["release"], one["name"]) for one in reading.run.config["releases"]]
    form = DialogueFilter(request.GET, releases=names)
    rows = interviews.filtered(reading.run, form.filters())
    page = interviews.page(rows, request.GET.get("after", ""))
    n = rows.count()
    context = {
        "run": reading.run,
        "form": form,
        "lines": [interviews.line(reading, one) for one in page.rows],
        "count_text": ngettext("%(n)d dialogue", "%(n)d dialogues", n) % {"n": n},
        **keyset.links(request.GET, page),
    }
    return render(request, "scoring/kinds/interviews/dialogues.html", context)


@shows(permissions.UNBLINDED)
def run_dialogue(request: HttpRequest, scope: Scope, number: int, pk: int) -> HttpResponse:
    """Show a dialogue with every verdict beside its exchange, or two candidates side by side."""
    try:
        reading = InterviewOutcome.allowed(scope, number)
    except errors.Refusal as refusal:
        return outcome_pages.closed(request, scope, number, refusal)
    shown = interviews.dialogue_of(reading, pk)
    others = interviews.others(reading, shown.dialogue)
    wished = request.GET.get("beside", "")
    beside = next((one for one in others if str(one.dialogue.pk) == wished), None)
    if beside is not None:
        (beside,) = interviews.with_seconds(reading, [beside])
    before, after = interviews.neighbours(shown.dialogue)
    context = {
        "run": reading.run,
        "line": shown,
        "item": shown.dialogue.item,
        "others": others,
        "beside": beside,
        "columns": [shown, beside] if beside else [shown],
        "before": before,
        "after": after,
    }
    return render(request, "scoring/kinds/interviews/dialogue.html", context)


@shows(permissions.UNBLINDED)
def run_dialogues_zip(request: HttpRequest, scope: Scope, number: int) -> HttpResponseBase:
    """Send the dialogues of a run as an archive with a manifest, or as the released tools have them."""
    try:
        reading = InterviewOutcome.allowed(scope, number)
    except errors.Refusal as refusal:
        return outcome_pages.closed(request, scope, number, refusal)
    return stream(details.export(reading, request.GET.get("as", ""), timezone.now()))


@asks(permissions.CURATORS)
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
        with refusals.shown(form):
            return _taken(request, scope, form)
    context = {"form": form, **wholes.shown(scope.project, WholeKind.DIALOGUES)}
    status = refusals.status_of(form)
    return render(
        request, "scoring/kinds/interviews/interviews_import.html", context, status=status
    )


def _taken(request: HttpRequest, scope: Scope, form: DialogueImportForm) -> HttpResponse:
    """Bring a small file in now, and leave a large one to a worker."""
    file = form.cleaned_data["file"]
    given = {"project": scope.project, "key": form.cleaned_data["key"], "wish": form.wish()}
    now = timezone.now()
    if wholes.is_large(file, file.size):
        exchange.hand_in_dialogues(**given, pieces=file.chunks(), by=scope.user, now=now)
        messages.success(request, wholes.said_that_it_waits())
        return redirect("interviews_import", scope.project.slug)
    run = exchange.bring_in(**given, data=file.read(), user=scope.user, now=now)
    messages.success(request, exchange.said_of_dialogues())
    return redirect("run_dialogues", scope.project.slug, run.number)
