"""Bring files in, in the browser: hand one in, map it, try it, apply it, undo it.

Designers bring in questions, and see what they brought; the rest is for owners and curators.
"""

import csv
from collections.abc import Iterator
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.common.forms import status_of
from annotation.domains import queries as taxonomy
from annotation.files import stored as files
from annotation.files import wording
from annotation.files.cells import Problem
from annotation.files.models import ImportBatch, ImportKind, Upload
from annotation.imports import forms, kind_forms, lists, recognising, undoing, uploading
from annotation.imports import operations as checking
from annotation.imports.questions import writers
from annotation.people import permissions
from annotation.people.models import User
from annotation.people.permissions import Scope, door
from annotation.rubrics.models import RubricVersion
from evalsite import errors


@require_GET
@door(permissions.DESIGNERS)
def imports(request: HttpRequest, scope: Scope) -> HttpResponse:
    """List what was brought in, and files that wait."""
    before = request.GET.get("before", "")
    of = _only(scope)
    page = lists.list_batches(scope.project, int(before) if before.isdecimal() else None, of=of)
    waiting = [] if before else lists.list_waiting(scope.project, of=of)
    context = {"scope": scope, "page": page, "waiting": waiting, "before": before}
    return render(request, "annotation/imports/import_list.html", context)


@require_http_methods(["GET", "POST"])
@door(permissions.DESIGNERS)
def import_new(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Take a file."""
    sent = request.method == "POST"
    form = forms.NewUpload(
        request.POST if sent else None,
        request.FILES if sent else None,
        kinds=_kinds(scope),
        initial={"kind": request.GET.get("kind", "")},
    )
    if form.is_valid():
        file = form.cleaned_data["file"]
        try:
            upload = uploading.receive(
                project=scope.project,
                kind=ImportKind(form.cleaned_data["kind"]),
                name=file.name,
                pieces=file.chunks(uploading.CHUNK),
                by=scope.user,
                now=timezone.now(),
            )
        except (uploading.FileRefused, uploading.TooManyImports) as refusal:
            form.add_error("file", refusal.message)
        else:
            return redirect("import_map", scope.project.slug, upload.number)
    return render(
        request,
        "annotation/imports/import_new.html",
        {"scope": scope, "form": form},
        status=status_of(form),
    )


@require_GET
@door(permissions.DESIGNERS)
def import_map(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Show the columns of a file, where they go, and what the last check found."""
    return _map_page(request, scope, _upload(scope, number))


@require_POST
@door(permissions.DESIGNERS)
def import_encoding(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Have a file read in another encoding."""
    upload = _upload(scope, number)
    try:
        uploading.answer(upload=upload, told={"encoding": request.POST.get("encoding", "")})
    except uploading.FileRefused as refusal:
        messages.error(request, refusal.message)
    return redirect("import_map", scope.project.slug, upload.number)


@require_POST
@door(permissions.DESIGNERS)
def import_check(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Keep the mapping and try the file out."""
    upload = _upload(scope, number)
    columns, options = _forms(scope, upload, request.POST)
    if not all([*(one.is_valid() for one in columns), options.is_valid()]):
        return _map_page(request, scope, upload, columns, options, status=422)
    mapping = options.mapping(tuple(one.place() for one in columns))
    try:
        uploading.set_mapping(upload=upload, mapping=mapping)
        checking.request_check(upload=upload, clock=timezone.now)
    except uploading.MappingIncomplete as refusal:
        faults = [wording.worded(problem) for problem in refusal.problems]
        return _map_page(request, scope, upload, columns, options, faults, status=422)
    except uploading.TooManyImports as refusal:
        messages.error(request, refusal.message)
    return redirect("import_map", scope.project.slug, upload.number)


@require_POST
@door(permissions.DESIGNERS)
def import_apply(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Bring the rows of a checked file in: a small one now, a large one by a worker."""
    upload = _upload(scope, number)
    try:
        batch = checking.start(upload=upload, by=scope.user, now=timezone.now())
        if not upload.is_large:
            checking.carry_on(batch_id=batch.pk, clock=timezone.now)
    except checking.AlreadyImported as refusal:
        messages.info(request, refusal.message)
        batch = refusal.batch
    except errors.Refusal as refusal:
        messages.error(request, refusal.message)
        return redirect("import_map", scope.project.slug, upload.number)
    return redirect("batch", scope.project.slug, batch.number)


@require_POST
@door(permissions.DESIGNERS)
def import_discard(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Take a file away that nothing was imported from."""
    upload = _upload(scope, number)
    try:
        uploading.throw_away(upload=upload, by=scope.user, now=timezone.now())
    except errors.Refusal as refusal:
        messages.error(request, refusal.message)
        return redirect("import_map", scope.project.slug, upload.number)
    return redirect("imports", scope.project.slug)


@require_GET
@door(permissions.DESIGNERS)
def import_problems(
    request: HttpRequest, scope: Scope, number: int
) -> HttpResponse | StreamingHttpResponse:
    """Hand out the problems that the last check found as CSV."""
    upload = _upload(scope, number)
    if not upload.mapping:
        return redirect("import_map", scope.project.slug, upload.number)
    response = StreamingHttpResponse(_problem_lines(upload), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="problems-{upload.number}.csv"'
    return response


@require_GET
@door(permissions.DESIGNERS)
def batch(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Show an import: how far it is, what it brought, whether it can be undone."""
    found = _batch(scope, number)
    progress = lists.progress(found, timezone.now())
    context = {"scope": scope, "batch": found, "progress": progress}
    if request.headers.get("HX-Request"):
        response = render(request, "annotation/imports/import_progress.html", context)
        if not progress.moving:
            response["HX-Refresh"] = "true"
        return response
    if found.state == ImportBatch.State.APPLIED:
        context["reasons"] = lists.against_undo(found)
        context["round"] = lists.round_of(found)
    return render(request, "annotation/imports/import_batch.html", context)


@require_POST
@door(permissions.DESIGNERS)
def batch_undo(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    found = _batch(scope, number)
    try:
        undoing.undo(batch=found, by=scope.user, clock=timezone.now)
    except errors.Refusal as refusal:
        messages.error(request, refusal.message)
    return redirect("batch", scope.project.slug, number)


@require_POST
@door(permissions.DESIGNERS)
def batch_drop(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    found = _batch(scope, number)
    try:
        undoing.drop(batch=found, by=scope.user, clock=timezone.now)
    except errors.Refusal as refusal:
        messages.error(request, refusal.message)
    return redirect("batch", scope.project.slug, number)


@require_POST
@door(permissions.DESIGNERS)
def batch_resume(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    found = _batch(scope, number)
    try:
        checking.resume(batch=found, by=scope.user, now=timezone.now())
    except errors.Refusal as refusal:
        messages.error(request, refusal.message)
    return redirect("batch", scope.project.slug, number)


def _upload(scope: Scope, number: int) -> Upload:
    return get_object_or_404(lists.uploads(scope.project, of=_only(scope)), number=number)


def _batch(scope: Scope, number: int) -> ImportBatch:
    return get_object_or_404(lists.batches(scope.project, of=_only(scope)), number=number)


def _only(scope: Scope) -> User | None:
    """Return whose files of questions are all that somebody may know of; None for everything."""
    return None if scope.may(permissions.CURATORS) else scope.user


def _kinds(scope: Scope) -> list[ImportKind]:
    return list(ImportKind) if scope.may(permissions.CURATORS) else [ImportKind.QUESTIONS]


def _rubrics(scope: Scope) -> list[RubricVersion]:
    rows = RubricVersion.objects.filter(
        rubric__project=scope.project,
        kind=RubricVersion.Kind.HUMAN,
        criteria__isnull=False,
    )
    return list(rows.select_related("rubric").distinct().order_by("rubric__name", "-number"))


def _forms(scope: Scope, upload: Upload, data: Any = None) -> tuple[list[Any], Any]:
    """Return a form for each column and one for the whole file."""
    guesses = recognising.guesses(upload)
    if upload.kind == ImportKind.SCORES:
        columns = kind_forms.score_columns(upload, guesses, data)
        return columns, kind_forms.score_options(upload, columns, data)
    if upload.kind == ImportKind.FIGURES:
        return (
            kind_forms.figure_columns(upload, guesses, data),
            kind_forms.figure_options(upload, data),
        )
    if upload.kind == ImportKind.CHOICES:
        return (
            kind_forms.columns_of(upload, guesses, data),
            kind_forms.options_of(upload, data),
        )
    if upload.kind == ImportKind.QUESTIONS:
        names = writers(scope.project) if scope.may(permissions.CURATORS) else {}
        return (
            kind_forms.question_columns(upload, guesses, data),
            kind_forms.question_options(upload, scope.user, names, data),
        )
    return (
        forms.columns_of(upload, guesses, data),
        forms.options_of(upload, _rubrics(scope), data),
    )


def _map_page(
    request: HttpRequest,
    scope: Scope,
    upload: Upload,
    columns: list[Any] | None = None,
    options: Any = None,
    faults: list[wording.Worded] | None = None,
    status: int = 200,
) -> HttpResponse:
    if columns is None:
        columns, options = _forms(scope, upload)
    report = upload.report or {}
    problems = [wording.worded(Problem.from_dict(one)) for one in report.get("problems", ())]
    context = {
        "scope": scope,
        "upload": upload,
        "layout": files.layout_of(upload),
        "columns": columns,
        "options": options,
        "faults": faults or [],
        "report": None if faults or status != 200 else upload.report,
        "problems": problems,
        "twin": lists.applied_twin(upload) if upload.mapping_sha else None,
        "kept": checking.KEPT,
        "most": checking.MOST_KEPT,
    }
    if upload.kind == ImportKind.QUESTIONS:
        chosen = options["capability"].value() or ""
        context["helped"] = taxonomy.help_of(scope.project, str(chosen))
        context["difficulty"] = options["difficulty"].value() or ""
    return render(request, "annotation/imports/import_map.html", context, status=status)


class _Line:
    """A file for the csv writer that hands each line back."""

    def write(self, text: str) -> str:
        return text


def _problem_lines(upload: Upload) -> Iterator[str]:
    writer = csv.writer(_Line())
    yield writer.writerow(["file", "row", "column", "level", "problem", "remedy"])
    for problem in lists.problems(upload):
        words = wording.worded(problem)
        level = _("warning") if words.warning else _("error")
        line = [upload.name, words.row or "", words.column, level, words.message, words.remedy]
        yield writer.writerow([_no_formula(cell) for cell in line])


def _no_formula(cell: object) -> str:
    """Return a cell that no spreadsheet takes for a formula."""
    text = str(cell)
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text
