"""Collect answers: what is missing, the sheet to fill in, and the way back."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_GET, require_http_methods

from annotation import permissions
from annotation.forms import collecting as forms
from annotation.forms.refusals import status_of
from annotation.models import Round
from annotation.operations import collecting
from annotation.operations.imports import uploading
from annotation.permissions import Scope, door
from annotation.queries import collecting as reads
from annotation.queries.collecting import Wanted
from annotation.views.rounds import find
from evalsite import errors, heavy, panels

WORKBOOK = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


@require_http_methods(["GET", "POST"])
@door(permissions.CURATORS)
def round_collect(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Show what a draft lacks, or take a filled-in sheet."""
    found = find(scope, number, Round.State.DRAFT)
    return _page(
        request,
        scope,
        lambda: reads.of_round(found, timezone.now()),
        "annotation/round_collect.html",
        round=found,
    )


@require_http_methods(["GET", "POST"])
@door(permissions.CURATORS)
def collect(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Show what the releases have not answered of the questions that can be drawn."""
    choice = forms.Choice(request.GET, project=scope.project)
    capabilities, releases = choice.chosen()
    return _page(
        request,
        scope,
        lambda: reads.of_bank(scope.project, capabilities, releases, timezone.now()),
        "annotation/collect.html",
        choice=choice,
        query=request.GET.urlencode(),
    )


def _page(
    request: HttpRequest, scope: Scope, wanted: Any, template: str, **context: Any
) -> HttpResponse:
    sent = request.method == "POST"
    form = forms.Sheet(request.POST if sent else None, request.FILES if sent else None)
    if form.is_valid():
        file = form.cleaned_data["file"]
        try:
            with heavy.reading(file.size):
                upload = collecting.receive(
                    project=scope.project,
                    name=file.name,
                    pieces=file.chunks(uploading.CHUNK),
                    by=scope.user,
                    now=timezone.now(),
                )
        except errors.Refusal as refusal:
            form.add_error("file", refusal.message)
        else:
            return redirect("import_map", scope.project.slug, upload.number)
    found = wanted()
    query, of = context.get("query", ""), context.get("round")
    filled = panels.fill("collect", scope=scope, wanted=found, round=of, query=query)
    context |= {"scope": scope, "form": form, "wanted": found, "panels": list(filled)}
    return render(request, template, context, status=status_of(form))


@require_GET
@door(permissions.CURATORS)
def round_collect_sheet(
    request: HttpRequest, scope: Scope, number: int, form: str
) -> HttpResponseBase:
    found = find(scope, number, Round.State.DRAFT)
    return _sheet(reads.of_round(found, timezone.now()), form, f"answers-round-{found.number}")


@require_GET
@door(permissions.CURATORS)
def collect_sheet(request: HttpRequest, scope: Scope, form: str) -> HttpResponseBase:
    capabilities, releases = forms.Choice(request.GET, project=scope.project).chosen()
    wanted = reads.of_bank(scope.project, capabilities, releases, timezone.now())
    return _sheet(wanted, form, "answers")


def _sheet(wanted: Wanted, form: str, name: str) -> HttpResponseBase:
    headers = {"Content-Disposition": f'attachment; filename="{name}.{form}"'}
    if form == "csv":
        return StreamingHttpResponse(
            reads.csv_lines(wanted), content_type="text/csv; charset=utf-8", headers=headers
        )
    if form == "xlsx":
        return HttpResponse(reads.workbook(wanted), content_type=WORKBOOK, headers=headers)
    raise Http404
