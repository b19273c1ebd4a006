"""What was brought in, in the browser: the list, an import and its undoing, files that wait.

Designers bring in questions, and see what they brought; the rest is for owners and curators.
"""

import csv
from collections.abc import Iterator

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.common import forms as refusals
from annotation.files import wording
from annotation.files.models import ImportBatch, Upload
from annotation.imports import lists, undoing, uploading
from annotation.imports import operations as checking
from annotation.imports.matching.pages import only, upload_of
from annotation.people import permissions
from annotation.people.permissions import Scope, does, shows


@shows(permissions.DESIGNERS)
def imports(request: HttpRequest, scope: Scope) -> HttpResponse:
    """List what was brought in, and files that wait."""
    before = request.GET.get("before", "")
    of = only(scope)
    page = lists.list_batches(scope.project, int(before) if before.isdecimal() else None, of=of)
    waiting = [] if before else lists.list_waiting(scope.project, of=of)
    context = {"page": page, "waiting": waiting, "before": before}
    return render(request, "annotation/imports/import_list.html", context)


@does(permissions.DESIGNERS)
def import_discard(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Take a file away that nothing was imported from."""
    upload = upload_of(scope, number)
    with refusals.told(request):
        uploading.throw_away(upload=upload, **scope.who())
        return redirect("imports", scope.project.slug)
    return redirect("import_map", scope.project.slug, upload.number)


@shows(permissions.DESIGNERS)
def import_problems(
    request: HttpRequest, scope: Scope, number: int
) -> HttpResponse | StreamingHttpResponse:
    """Hand out the problems that the last check found as CSV."""
    upload = upload_of(scope, number)
    if not upload.mapping:
        return redirect("import_map", scope.project.slug, upload.number)
    response = StreamingHttpResponse(_problem_lines(upload), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="problems-{upload.number}.csv"'
    return response


@shows(permissions.DESIGNERS)
def batch(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Show an import: how far it is, what it brought, whether it can be undone."""
    found = _batch(scope, number)
    progress = lists.progress(found, timezone.now())
    context = {"batch": found, "progress": progress}
    if request.headers.get("HX-Request"):
        response = render(request, "annotation/imports/import_progress.html", context)
        if not progress.moving:
            response["HX-Refresh"] = "true"
        return response
    if found.state == ImportBatch.State.APPLIED:
        context["reasons"] = lists.against_undo(found)
        context["round"] = lists.round_of(found)
        context["next_file"] = next(iter(lists.list_waiting(scope.project, of=only(scope))), None)
    return render(request, "annotation/imports/import_batch.html", context)


@does(permissions.DESIGNERS)
def batch_undo(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    found = _batch(scope, number)
    with refusals.told(request):
        undoing.undo(batch=found, by=scope.user, clock=timezone.now)
    return redirect("batch", scope.project.slug, number)


@does(permissions.DESIGNERS)
def batch_drop(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    found = _batch(scope, number)
    with refusals.told(request):
        undoing.drop(batch=found, by=scope.user, clock=timezone.now)
    return redirect("batch", scope.project.slug, number)


@does(permissions.DESIGNERS)
def batch_resume(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    found = _batch(scope, number)
    with refusals.told(request):
        checking.resume(batch=found, **scope.who())
    return redirect("batch", scope.project.slug, number)


def _batch(scope: Scope, number: int) -> ImportBatch:
    return get_object_or_404(lists.batches(scope.project, of=only(scope)), number=number)


class _ImportEcho:
    """A file for the csv writer that hands each line back."""

    def write(self, text: str) -> str:
        return text


def _problem_lines(upload: Upload) -> Iterator[str]:
    writer = csv.writer(_ImportEcho())
    yield writer.writerow(["file", "row", "column", "level", "problem", "remedy"])
    for problem in lists.problems(upload):
        words = wording.worded(problem)
        level = _("warning") if words.warning else _("error")
        name = f"{upload.name}/{words.part}" if words.part else upload.name
        line = [name, words.row or "", words.column, level, words.message, words.remedy]
        yield writer.writerow([_no_formula(cell) for cell in line])


def _no_formula(cell: object) -> str:
    """Return a cell that no spreadsheet takes for a formula."""
    text = str(cell)
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text
