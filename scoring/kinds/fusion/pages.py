"""Evaluation tasks: the list, one with its criteria and plans, the editor.

* Plans of evaluation: one with its table of alignment, writing one, having one written.
* Have answers evaluated by Fusion-Eval.
* Have the scores of assistants made into one: AVG, the median, LLMSel, CorrW.
"""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from annotation.common import forms as refusals
from annotation.common.sentences import gettext as _
from annotation.people import permissions
from annotation.people.permissions import Scope, asks, shows
from annotation.rubrics.models import RubricVersion
from evalsite import errors
from evalsite.web import keyset
from scoring.engine import starting as run_start
from scoring.kinds.fusion import queries as reads
from scoring.kinds.fusion import task_operations
from scoring.kinds.fusion.forms import PlanForm, TaskEditor
from scoring.kinds.fusion.models import EvaluationTask, Plan, TaskVersion
from scoring.kinds.fusion.tasks import FusionTask
from scoring.kinds.fusion.templates import TEMPLATES


@shows(permissions.UNBLINDED)
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
        "lines": page.rows,
        "rubrics": of_round or reads.rubrics(scope.project),
        **keyset.links(request.GET, page),
        "may_write": scope.may(permissions.CURATORS),
    }
    return render(request, "scoring/kinds/fusion/tasks.html", context)


@asks(permissions.CURATORS)
def fusion_task_new(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Write a task from nothing, or take a rubric or a template as it is (`deed=take`)."""
    if request.POST.get("deed") == "take":
        return _take(request, scope)
    editor = TaskEditor(request.POST if request.method == "POST" else None, project=scope.project)
    if editor.is_bound and editor.is_valid():
        try:
            version = task_operations.create(
                name=editor.head.cleaned_data["name"], content=editor.task(), **scope.deed()
            )
        except errors.Refusal as refusal:
            editor.show(refusal)
        else:
            messages.success(request, _("Saved. Next: a plan."))
            return redirect("fusion_task", scope.project.slug, version.task.number)
    return _editor(request, scope, editor, None)


@shows(permissions.UNBLINDED)
def fusion_task(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Show the newest version of a task, or the one named, with its plans and runs."""
    task = task_of(scope, number)
    versions = list(task.versions.order_by("-number"))
    wished = request.GET.get("version", "")
    shown = next((one for one in versions if str(one.number) == wished), versions[0])
    context = {
        "task": task,
        "version": shown,
        "versions": versions,
        "content": reads.content(shown),
        "plans": reads.plans_of(task),
        "runs": reads.runs_of(task),
        "may_write": scope.may(permissions.CURATORS),
    }
    return render(request, "scoring/kinds/fusion/task.html", context)


@asks(permissions.CURATORS)
def fusion_task_edit(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Write the next version of a task."""
    task = task_of(scope, number)
    newest = reads.newest(task)
    editor = TaskEditor(
        request.POST if request.method == "POST" else None,
        project=scope.project,
        content=reads.content(newest),
        name=task.name,
    )
    editor.head.fields["name"].disabled = True
    if editor.is_bound and editor.is_valid():
        try:
            made = task_operations.add_version(task=task, content=editor.task(), **scope.who())
        except errors.Refusal as refusal:
            editor.show(refusal)
        else:
            messages.success(request, _("Saved as version %(number)d.") % {"number": made.number})
            return redirect("fusion_task", scope.project.slug, task.number)
    return _editor(request, scope, editor, task)


def task_of(scope: Scope, number: int) -> EvaluationTask:
    task = get_object_or_404(reads.tasks_of(scope.project), number=number)
    task.project = scope.project
    return task


def _take(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Make a task of a template or a rubric at once; it can be edited afterwards."""
    name, content, rubric = _taken(request, scope)
    with refusals.told(request):
        version = task_operations.create(
            name=reads.free_name(scope.project, name),
            content=content,
            rubric_version=rubric,
            **scope.deed(),
        )
        messages.success(request, _("Created. Choose assistants, then make a plan."))
        return redirect("fusion_task", scope.project.slug, version.task.number)
    return redirect("fusion_tasks", scope.project.slug)


def _taken(request: HttpRequest, scope: Scope) -> tuple[str, FusionTask, RubricVersion | None]:
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
    request: HttpRequest, scope: Scope, editor: TaskEditor, task: EvaluationTask | None
) -> HttpResponse:
    newest: TaskVersion | None = None if task is None else reads.newest(task)
    context: dict[str, Any] = {"editor": editor, "task": task, "newest": newest}
    failed = editor.is_bound and editor.errors
    return render(
        request, "scoring/kinds/fusion/task_edit.html", context, status=422 if failed else 200
    )


@shows(permissions.UNBLINDED)
def fusion_plan(request: HttpRequest, scope: Scope, number: int, plan: int) -> HttpResponse:
    """Show a plan, and which assistants it names for which criterion."""
    task = task_of(scope, number)
    rows = task.plans.select_related("version", "endpoint", "created_by__person", "run", "based_on")
    found = get_object_or_404(rows, number=plan)
    content = reads.content(found.version)
    context = {
        "task": task,
        "plan": found,
        "content": content,
        "table": reads.alignment(content, found.alignment),
        "may_write": scope.may(permissions.CURATORS),
        "is_newest": found.version_id == reads.newest(task).pk,
    }
    return render(request, "scoring/kinds/fusion/plan.html", context)


@asks(permissions.CURATORS)
def fusion_plan_new(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Write a plan by hand, from nothing or from another one (`?from=`)."""
    task = task_of(scope, number)
    version = reads.newest(task)
    before = _before(task, request.GET.get("from", ""))
    form = PlanForm(run_start.sent(request), content=reads.content(version), based_on=before)
    if form.is_bound and form.is_valid():
        with refusals.shown(form):
            made = task_operations.write(
                version=version,
                text=form.cleaned_data["text"],
                alignment=form.alignment(),
                source=Plan.Source.PERSON,
                based_on=before,
                **scope.who(),
            )
            messages.success(request, _("The plan is saved as number %(n)d.") % {"n": made.number})
            return redirect("fusion_plan", scope.project.slug, task.number, made.number)
    context = {"task": task, "form": form, "before": before}
    return render(
        request, "scoring/kinds/fusion/plan_new.html", context, status=refusals.status_of(form)
    )


def _before(task: EvaluationTask, given: str) -> Plan | None:
    if not given.isascii() or not given.isdigit() or len(given) > 9:
        return None
    return task.plans.filter(number=int(given)).first()
