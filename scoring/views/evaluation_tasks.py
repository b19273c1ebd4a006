"""Evaluation tasks: the list, one with its criteria and plans, the editor."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods

from annotation import permissions
from annotation.models import RubricVersion
from annotation.permissions import Scope, door
from evalsite import errors, keyset
from scoring.forms.evaluation_tasks import Editor
from scoring.models import EvaluationTask, TaskVersion
from scoring.operations import evaluation_tasks as operations
from scoring.protocols.fusion_eval.tasks import Task
from scoring.protocols.fusion_eval.templates import TEMPLATES
from scoring.queries import evaluation_tasks as reads


@require_GET
@door(permissions.UNBLINDED)
def fusion_tasks(request: HttpRequest, scope: Scope) -> HttpResponse:
    """List the tasks, and what a new one can be made of."""
    page = reads.page(scope.project, after=request.GET.get("after", ""))
    wished = request.GET.get("round", "")
    of_round = (
        reads.rubrics_of_round(scope.project, int(wished))
        if wished.isascii() and wished.isdigit() and len(wished) < 10
        else []
    )
    context = {
        "scope": scope,
        "lines": page.rows,
        "rubrics": of_round or reads.rubrics(scope.project),
        "next_url": keyset.next_url(request.GET, page),
        "first_url": keyset.first_url(request.GET, page),
        "may_write": scope.may(permissions.CURATORS),
    }
    return render(request, "scoring/fusion/tasks.html", context)


@require_http_methods(["GET", "POST"])
@door(permissions.CURATORS)
def fusion_task_new(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Write a task from nothing, or take a rubric or a template as it is (`deed=take`)."""
    if request.POST.get("deed") == "take":
        return _take(request, scope)
    editor = Editor(request.POST if request.method == "POST" else None, project=scope.project)
    if editor.is_bound and editor.is_valid():
        try:
            version = operations.create(
                project=scope.project,
                name=editor.head.cleaned_data["name"],
                content=editor.task(),
                by=scope.user,
                now=timezone.now(),
            )
        except errors.Refusal as refusal:
            editor.show(refusal)
        else:
            messages.success(request, _("The task is saved. A plan is the next step."))
            return redirect("fusion_task", scope.project.slug, version.task.number)
    return _editor(request, scope, editor, None)


@require_GET
@door(permissions.UNBLINDED)
def fusion_task(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Show the newest version of a task, or the one named, with its plans and runs."""
    task = task_of(scope, number)
    versions = list(task.versions.order_by("-number"))
    wished = request.GET.get("version", "")
    shown = next((one for one in versions if str(one.number) == wished), versions[0])
    context = {
        "scope": scope,
        "task": task,
        "version": shown,
        "versions": versions,
        "content": reads.content(shown),
        "plans": reads.plans_of(task),
        "runs": reads.runs_of(task),
        "may_write": scope.may(permissions.CURATORS),
    }
    return render(request, "scoring/fusion/task.html", context)


@require_http_methods(["GET", "POST"])
@door(permissions.CURATORS)
def fusion_task_edit(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Write the next version of a task."""
    task = task_of(scope, number)
    newest = reads.newest(task)
    editor = Editor(
        request.POST if request.method == "POST" else None,
        project=scope.project,
        content=reads.content(newest),
        name=task.name,
    )
    editor.head.fields["name"].disabled = True
    if editor.is_bound and editor.is_valid():
        try:
            made = operations.add_version(
                task=task, content=editor.task(), by=scope.user, now=timezone.now()
            )
        except errors.Refusal as refusal:
            editor.show(refusal)
        else:
            messages.success(request, _("Saved as version %(number)d.") % {"number": made.number})
            return redirect("fusion_task", scope.project.slug, task.number)
    return _editor(request, scope, editor, task)


def task_of(scope: Scope, number: int) -> EvaluationTask:
    task = get_object_or_404(reads.of(scope.project), number=number)
    task.project = scope.project
    return task


def _take(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Make a task of a template or a rubric at once; it can be edited afterwards."""
    name, content, rubric = _taken(request, scope)
    try:
        version = operations.create(
            project=scope.project,
            name=reads.free_name(scope.project, name),
            content=content,
            by=scope.user,
            now=timezone.now(),
            rubric_version=rubric,
        )
    except errors.Refusal as refusal:
        messages.error(request, refusal.message)
        return redirect("fusion_tasks", scope.project.slug)
    messages.success(request, _("The task is there. Say who assists; then it needs a plan."))
    return redirect("fusion_task", scope.project.slug, version.task.number)


def _taken(request: HttpRequest, scope: Scope) -> tuple[str, Task, RubricVersion | None]:
    template = request.POST.get("template", "")
    if template in TEMPLATES:
        names = {"summary": _("Summaries"), "dialogue": _("Dialogue turns")}
        return names[template], TEMPLATES[template], None
    wished = request.POST.get("rubric", "")
    rubric = reads.rubric_of(scope.project, int(wished) if wished.isdecimal() else 0)
    if rubric is None:
        raise Http404(_("There is no such rubric."))
    return rubric.rubric.name, reads.from_rubric(rubric), rubric


def _editor(
    request: HttpRequest, scope: Scope, editor: Editor, task: EvaluationTask | None
) -> HttpResponse:
    newest: TaskVersion | None = None if task is None else reads.newest(task)
    context: dict[str, Any] = {"scope": scope, "editor": editor, "task": task, "newest": newest}
    failed = editor.is_bound and editor.errors
    return render(request, "scoring/fusion/task_edit.html", context, status=422 if failed else 200)
