"""Conversations: their list, one with what was found beside each turn, and bringing them in."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_http_methods

from annotation import permissions
from annotation.forms import refusals
from annotation.models import WholeKind
from annotation.permissions import Scope, door
from evalsite import errors, keyset
from scoring.forms.conversations import ConversationFilter, ConversationsForm
from scoring.operations import conversations as operations
from scoring.operations import suite_imports
from scoring.operations import whole_files as wholes
from scoring.operations.conversations import Brought
from scoring.queries import conversations as reads
from scoring.queries import whole_files


@require_GET
@door(permissions.UNBLINDED)
def conversations(request: HttpRequest, scope: Scope) -> HttpResponse:
    """List the conversations, the newest first."""
    form = ConversationFilter(request.GET, project=scope.project)
    rows = reads.filtered(scope.project, form.filters())
    page = reads.page(rows, request.GET.get("after", ""))
    n = rows.count()
    context = {
        "scope": scope,
        "form": form,
        "rows": page.rows,
        "count_text": ngettext("%(n)d conversation", "%(n)d conversations", n) % {"n": n},
        "next_url": keyset.next_url(request.GET, page),
        "first_url": keyset.first_url(request.GET, page),
        "may_do": scope.may(permissions.CURATORS),
    }
    return render(request, "scoring/conversations/list.html", context)


@require_http_methods(["GET", "POST"])
@door(permissions.CURATORS)
def conversations_new(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Bring a file of conversations in: all of it, or nothing."""
    sent = request.method == "POST"
    form = ConversationsForm(request.POST if sent else None, request.FILES if sent else None)
    if form.is_valid():
        try:
            return _taken(request, scope, form)
        except errors.Refusal as refusal:
            refusals.show(form, refusal)
    context = {
        "scope": scope,
        "form": form,
        **whole_files.shown(scope.project, WholeKind.TALKS),
    }
    status = refusals.status_of(form)
    return render(request, "scoring/conversations/new.html", context, status=status)


def _taken(request: HttpRequest, scope: Scope, form: ConversationsForm) -> HttpResponse:
    """Bring a small file in now, and leave a large one to a worker."""
    file: Any = form.cleaned_data["file"]
    given: dict[str, Any] = {
        "project": scope.project,
        "wish": form.wish(),
        "now": timezone.now(),
    }
    if file.size > wholes.SMALL:
        wholes.hand_in_talks(**given, pieces=file.chunks(), by=scope.user)
        messages.success(request, wholes.said_that_it_waits())
        return redirect("conversations_new", scope.project.slug)
    head = file.read(len(suite_imports.SIGNATURE))
    file.seek(0)
    if suite_imports.is_results(head):
        return _results(request, scope, form)
    found = operations.bring_file(**given, open_file=lambda: file.chunks(), by=scope.user)
    messages.success(request, wholes.said_of(found))
    return redirect(_list_of(scope, found))


def _results(request: HttpRequest, scope: Scope, form: ConversationsForm) -> HttpResponse:
    """Bring a results file of FlexEval in, and go to what it found."""
    found = suite_imports.bring(
        project=scope.project,
        wish=form.wish(),
        chunks=form.cleaned_data["file"].chunks(),
        user=scope.user,
        now=timezone.now(),
    )
    messages.success(request, wholes.said_of(found.brought))
    if not found.runs:
        return redirect(_list_of(scope, found.brought))
    messages.success(request, wholes.said_of_values(found))
    return redirect("run_suite", scope.project.slug, found.runs[-1].number)


def _list_of(scope: Scope, found: Brought) -> str:
    there = reverse("conversations", args=[scope.project.slug])
    return f"{there}?set={found.set.number}"


@require_GET
@door(permissions.UNBLINDED)
def conversation(request: HttpRequest, scope: Scope, pk: int) -> HttpResponse:
    """Show a conversation, and what a run of a suite found of it."""
    row = reads.find(scope.project, pk)
    runs = reads.runs_of(row)
    wished = request.GET.get("run", "")
    run = next((one for one in runs if str(one.number) == wished), runs[0] if runs else None)
    before, after = reads.neighbours(row)
    context = {
        "scope": scope,
        "shown": reads.shown(row, run, whole=bool(request.GET.get("whole"))),
        "row": row,
        "run": run,
        "runs": runs,
        "before": before,
        "after": after,
    }
    return render(request, "scoring/conversations/one.html", context)
