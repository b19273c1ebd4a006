"""The question plan: the table, one cell of it, and the gaps as a file."""

import csv
from collections.abc import Iterator
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation import permissions
from annotation.forms import plan as forms
from annotation.forms import refusals
from annotation.forms.refusals import status_of
from annotation.models import Difficulty, PlanCell, PlanShare, Role
from annotation.operations import plan as operations
from annotation.permissions import Scope, door
from annotation.queries import plan as reads
from annotation.queries import taxonomy
from annotation.rules import sheets
from evalsite import errors

SHOWN_GAPS = 20


@require_http_methods(["GET", "POST"])
@door(permissions.READERS, permissions.CURATORS)
def plan(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Show what is wanted and what there is, what is missing most first; curators type it in."""
    view = forms.View(request.GET, project=scope.project)
    may_edit = scope.may(permissions.CURATORS)
    sent = forms.wanted(request.POST, view.chosen) if request.method == "POST" else None
    problem = ""
    if sent is not None and not sent.problems:
        try:
            changed = operations.set_wanted(
                project=scope.project, wanted=sent.spots, by=scope.user, now=timezone.now()
            )
        except errors.Refusal as refusal:
            problem = refusal.message
        else:
            done = ngettext("%(n)d number is changed.", "%(n)d numbers are changed.", len(changed))
            messages.success(request, done % {"n": len(changed)})
            return redirect(_address(scope, view))
    matrix = reads.matrix(scope.project, domain=view.chosen, gaps_first=view.gaps_first)
    gaps = [line for line in matrix.lines if line.missing]
    context = {
        "scope": scope,
        "view": view,
        "matrix": matrix,
        "difficulties": list(Difficulty),
        "gaps": gaps[:SHOWN_GAPS],
        "n_gaps": len(gaps),
        "helps": taxonomy.helps(scope.project),
        "typed": sent.typed if sent else {},
        "problems": sent.problems if sent else {},
        "problem": problem,
        "may_edit": may_edit,
        "editing": may_edit and (sent is not None or "edit" in request.GET),
        "address": _address(scope, view),
    }
    status = 422 if problem or (sent and sent.problems) else 200
    return render(request, "annotation/plan.html", context, status=status)


@require_http_methods(["GET", "POST"])
@door(permissions.READERS, permissions.CURATORS)
def plan_cell(request: HttpRequest, scope: Scope, pk: int) -> HttpResponse:
    """Show one number of the plan and who was asked for it; curators ask somebody."""
    cells = PlanCell.objects.select_related("project", "capability", "domain")
    cell = get_object_or_404(cells, project=scope.project, pk=pk)
    line = reads.line_of(cell)
    form = forms.Share(
        request.POST if request.method == "POST" else None,
        project=scope.project,
        initial={"n": line.unassigned or 1},
    )
    if form.is_valid():
        try:
            share = operations.assign(
                cell=cell,
                designer=form.chosen,
                n=form.cleaned_data["n"],
                due_on=form.cleaned_data["due_on"],
                by=scope.user,
                now=timezone.now(),
            )
        except errors.Refusal as refusal:
            refusals.show(form, refusal)
        else:
            done = _("%(name)s is asked for %(n)d.")
            messages.success(request, done % {"name": share.designer.display_name, "n": share.n})
            return redirect("plan_cell", scope.project.slug, pk)
    context = {
        "scope": scope,
        "line": line,
        "form": form,
        "helped": taxonomy.help_of(scope.project, str(cell.capability_id)),
        "may_edit": scope.may(permissions.CURATORS),
    }
    return render(request, "annotation/plan_cell.html", context, status=status_of(form))


@require_POST
@door(permissions.READERS, permissions.CURATORS)
def plan_release(request: HttpRequest, scope: Scope, pk: int) -> HttpResponse:
    """Take back what somebody was asked for."""
    share = get_object_or_404(
        PlanShare.objects.select_related("cell__project", "designer__person"),
        cell__project=scope.project,
        pk=pk,
    )
    cell = share.cell_id
    name = share.designer.display_name
    operations.release(share=share, by=scope.user, now=timezone.now())
    messages.success(request, _("%(name)s is not asked for this any more.") % {"name": name})
    return redirect("plan_cell", scope.project.slug, cell)


@require_GET
@door(permissions.READERS)
def plan_gaps_csv(request: HttpRequest, scope: Scope) -> StreamingHttpResponse:
    """Hand out what is missing as a table, a line a number of the plan."""
    response = StreamingHttpResponse(_gaps(scope), content_type="text/csv; charset=utf-8")
    name = f"{scope.project.slug}-plan-gaps.csv"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def tasks(*, scope: Scope, **_context: object) -> SafeString | None:
    """Return the part of the home page that says what somebody is to write."""
    if not scope.may({Role.DESIGNER, Role.CURATOR, Role.OWNER}):
        return None
    mine = reads.tasks_of(scope.project, scope.user)
    if not mine:
        return None
    today = timezone.localdate()
    context = {
        "scope": scope,
        "tasks": [(task, task.is_late(today)) for task in mine],
    }
    return render_to_string("annotation/parts/plan_tasks.html", context)


class _Echo:
    """A file that hands back what is written to it."""

    def write(self, line: str) -> str:
        return line


COLUMNS = (
    "capability",
    "difficulty",
    "domain",
    "priority",
    "wanted",
    "accepted",
    "in_inspection",
    "drafted",
    "missing",
    "assigned",
    "designers",
)


def _gaps(scope: Scope) -> Iterator[str]:
    writer = csv.writer(_Echo())
    yield "\ufeff" + writer.writerow(COLUMNS)
    for line in reads.lines(scope.project):
        if not line.missing:
            continue
        cell = line.cell
        due = [
            f"{share.designer.display_name} {share.n}"
            + (f" {share.due_on.isoformat()}" if share.due_on else "")
            for share in line.shares
        ]
        texts = [
            cell.capability.name,
            cell.difficulty,
            cell.domain.name if cell.domain else "",
            cell.domain.priority if cell.domain else "",
        ]
        numbers = [
            cell.wanted,
            line.stock.accepted,
            line.stock.inspected,
            line.stock.drafted,
            line.missing,
            line.assigned,
        ]
        yield writer.writerow(
            [*map(sheets.neutral, texts), *numbers, sheets.neutral("; ".join(due))]
        )


def _address(scope: Scope, view: forms.View) -> str:
    query = urlencode(
        {name: value for name, value in view.cleaned_data.items() if value not in {None, ""}}
    )
    url = reverse("plan", args=[scope.project.slug])
    return f"{url}?{query}" if query else url
