"""Evaluation tasks: the list, one with its criteria and plans, the editor.

* Plans of evaluation: one with its table of alignment, writing one, having one written.
* Have answers evaluated by Fusion-Eval.
* Have the scores of assistants made into one: AVG, LLMSel, CorrW.
* What a run of Fusion-Eval came to, as a page and as a file.
"""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET, require_http_methods

from annotation.common import forms as refusals
from annotation.common.sentences import gettext as _
from annotation.people import permissions
from annotation.people.permissions import Scope, door
from annotation.rubrics.models import RubricVersion
from evalsite import errors
from evalsite.web import keyset
from scoring.beside import asked as judge_asked
from scoring.beside import board as judge_board
from scoring.beside import options as judge_options
from scoring.beside.options import Options
from scoring.engine import files as run_exporting
from scoring.engine import forms as run_forms
from scoring.engine import queries as engine
from scoring.engine import starting as run_start
from scoring.engine.estimating import Estimate
from scoring.engine.models import Run
from scoring.figures import operations as figures
from scoring.figures import pages as waiting
from scoring.figures.models import Figure
from scoring.kinds.fusion import combining as combining_operations
from scoring.kinds.fusion import forms, results, task_operations
from scoring.kinds.fusion import operations as fusing_operations
from scoring.kinds.fusion import queries as reads
from scoring.kinds.fusion.forms import CombineForm, Editor, FusionForm, PlanForm, PlanWriteForm
from scoring.kinds.fusion.models import EvaluationTask, Plan, TaskVersion
from scoring.kinds.fusion.queries import Found
from scoring.kinds.fusion.results import Board
from scoring.kinds.fusion.tasks import Task
from scoring.kinds.fusion.templates import TEMPLATES
from scoring.shown.sheet import stream


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
    return render(request, "scoring/kinds/fusion/tasks.html", context)


@require_http_methods(["GET", "POST"])
@door(permissions.CURATORS)
def fusion_task_new(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Write a task from nothing, or take a rubric or a template as it is (`deed=take`)."""
    if request.POST.get("deed") == "take":
        return _take(request, scope)
    editor = Editor(request.POST if request.method == "POST" else None, project=scope.project)
    if editor.is_bound and editor.is_valid():
        try:
            version = task_operations.create(
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
    return render(request, "scoring/kinds/fusion/task.html", context)


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
            made = task_operations.add_version(
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
        version = task_operations.create(
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
    return render(
        request, "scoring/kinds/fusion/task_edit.html", context, status=422 if failed else 200
    )


@require_GET
@door(permissions.UNBLINDED)
def fusion_plan(request: HttpRequest, scope: Scope, number: int, plan: int) -> HttpResponse:
    """Show a plan, and which assistants it names for which criterion."""
    task = task_of(scope, number)
    rows = task.plans.select_related("version", "endpoint", "created_by__person", "run", "based_on")
    found = get_object_or_404(rows, number=plan)
    content = reads.content(found.version)
    context = {
        "scope": scope,
        "task": task,
        "plan": found,
        "content": content,
        "table": reads.alignment(content, found.alignment),
        "may_write": scope.may(permissions.CURATORS),
        "is_newest": found.version_id == reads.newest(task).pk,
    }
    return render(request, "scoring/kinds/fusion/plan.html", context)


@require_http_methods(["GET", "POST"])
@door(permissions.CURATORS)
def fusion_plan_new(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Write a plan by hand, from nothing or from another one (`?from=`)."""
    task = task_of(scope, number)
    version = reads.newest(task)
    before = _before(task, request.GET.get("from", ""))
    form = PlanForm(run_start.sent(request), content=reads.content(version), based_on=before)
    if form.is_bound and form.is_valid():
        try:
            made = task_operations.write(
                version=version,
                text=form.cleaned_data["text"],
                alignment=form.alignment(),
                source=Plan.Source.PERSON,
                by=scope.user,
                now=timezone.now(),
                based_on=before,
            )
        except errors.Refusal as refusal:
            refusals.show(form, refusal)
        else:
            messages.success(request, _("The plan is saved as number %(n)d.") % {"n": made.number})
            return redirect("fusion_plan", scope.project.slug, task.number, made.number)
    context = {"scope": scope, "task": task, "form": form, "before": before}
    return render(
        request, "scoring/kinds/fusion/plan_new.html", context, status=refusals.status_of(form)
    )


@require_http_methods(["GET", "POST"])
@door(permissions.CURATORS)
def fusion_plan_write(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Have an endpoint write a plan, in the background."""
    task = task_of(scope, number)
    version = reads.newest(task)
    before = run_start.cloned(scope, request.GET.get("from", ""), Run.Kind.PLAN)
    initial = {"name": (_("Plan for %(task)s") % {"task": task.name})[:120]}
    if before is not None:
        initial |= {**run_forms.initial_of(before), "endpoint": before.config["endpoint"]}
    form = PlanWriteForm(
        run_start.sent(request), project=scope.project, initial=initial, **run_start.fresh()
    )

    def estimate(sent: PlanWriteForm) -> Estimate:
        return task_operations.estimate(version=version, endpoint=sent.cleaned_data["endpoint"])

    def start(sent: PlanWriteForm) -> Run:
        begun = sent.start()
        return task_operations.request_plan(
            version=version,
            endpoint=sent.cleaned_data["endpoint"],
            key=begun.key,
            name=begun.name,
            seed=begun.seed,
            user=scope.user,
            now=timezone.now(),
            budget=begun.budget,
            cloned_from=before,
        )

    return run_start.answer(
        request,
        scope,
        form=form,
        template="scoring/kinds/fusion/plan_write.html",
        context={
            "task": task,
            "can_ask": engine.endpoints_of(scope.project).exists(),
            "back_url": reverse("fusion_task", args=[scope.project.slug, task.number]),
        },
        estimate=estimate,
        start=start,
    )


def _before(task: EvaluationTask, given: str) -> Plan | None:
    if not given.isascii() or not given.isdigit() or len(given) > 9:
        return None
    return task.plans.filter(number=int(given)).first()


@require_http_methods(["GET", "POST"])
@door(permissions.CURATORS)
def fusion_new(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Choose answers, ways of judging, plan and endpoint, see what it would take, and start."""
    task = task_of(scope, number)
    before = run_start.cloned(scope, request.GET.get("from", ""), Run.Kind.FUSION)
    initial: dict[str, Any] = {"name": task.name, "over": request.GET.get("over", "")}
    if wished := request.GET.get("plan", ""):
        initial["plan"] = task.plans.filter(number=wished if wished.isdecimal() else 0).first()
    if before is not None:
        initial |= {**run_forms.initial_of(before), **forms.initial_of(before)}
    form = FusionForm(
        run_start.sent(request),
        project=scope.project,
        task=task,
        version=reads.newest(task),
        initial=initial,
        **run_start.fresh(),
    )
    counted: dict[str, Any] = {}

    def estimate(sent: FusionForm) -> Estimate:
        checked = fusing_operations.check_wish(project=scope.project, wish=sent.wish())
        counted["found"] = checked.found
        return checked.estimate

    def start(sent: FusionForm) -> Run:
        begun = sent.start()
        return fusing_operations.start(
            project=scope.project,
            wish=sent.wish(),
            key=begun.key,
            name=begun.name,
            seed=begun.seed,
            user=scope.user,
            now=timezone.now(),
            budget=begun.budget,
            cloned_from=before,
        )

    return run_start.answer(
        request,
        scope,
        form=form,
        template="scoring/kinds/fusion/new.html",
        context={
            "task": task,
            "counted": counted,
            "can_ask": engine.endpoints_of(scope.project).exists(),
            "back_url": reverse("fusion_task", args=[scope.project.slug, task.number]),
            "title": _("Evaluate answers (Fusion-Eval)"),
        },
        estimate=estimate,
        start=start,
    )


@require_http_methods(["GET", "POST"])
@door(permissions.CURATORS)
def fusion_combine(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Choose answers and ways, see what there is to combine, and start; no model is asked."""
    task = task_of(scope, number)
    before = run_start.cloned(scope, request.GET.get("from", ""), Run.Kind.COMBINE)
    initial: dict[str, Any] = {"name": (_("Combined: %(task)s") % {"task": task.name})[:120]}
    if before is not None:
        initial |= {**run_forms.initial_of(before), **forms.combine_initial_of(before)}
    form = CombineForm(
        run_start.sent(request),
        project=scope.project,
        task=task,
        version=reads.newest(task),
        initial=initial,
        **run_start.fresh(),
    )

    def estimate(sent: CombineForm) -> Found:
        return combining_operations.check(project=scope.project, wish=sent.wish())

    def start(sent: CombineForm) -> Run:
        given = sent.cleaned_data
        return combining_operations.start(
            project=scope.project,
            wish=sent.wish(),
            key=given["key"],
            name=given["name"],
            seed=given["seed"],
            user=scope.user,
            now=timezone.now(),
            cloned_from=before,
        )

    return run_start.answer(
        request,
        scope,
        form=form,
        template="scoring/kinds/fusion/combine.html",
        context={
            "task": task,
            "back_url": reverse("fusion_task", args=[scope.project.slug, task.number]),
        },
        estimate=estimate,
        start=start,
    )


PAGE = "scoring/kinds/fusion/results.html"


@require_GET
@door(permissions.UNBLINDED)
def run_fusion(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Show what each judge of a run scored and took, beside people, and how far it goes with assistants."""
    try:
        reading = results.allowed(scope, number)
        board = results.board(reading)
    except errors.Refusal as refusal:
        context = {"scope": scope, "run": engine.of(scope, number).run, "refusal": refusal}
        return render(request, "scoring/engine/closed.html", context, status=refusal.status)
    context = {
        "scope": scope,
        "run": reading.run,
        "board": board,
        "levels": judge_options.LEVEL_NAMES.items(),
        "coefficients": judge_options.COEFFICIENT_NAMES.items(),
    }
    query, options, problem = _beside(request, scope, board)
    context |= {"options": options, "problem": problem, "has_people": options is not None}
    wanted = _figures(board, query, options)
    if wait := waiting.answer(request, list(wanted.values()), context, page=PAGE):
        return wait
    context |= {"ready": True, **_made(board, wanted, options)}
    return render(request, PAGE, context)


@require_GET
@door(permissions.UNBLINDED)
def run_fusion_csv(request: HttpRequest, scope: Scope, number: int) -> HttpResponseBase:
    """Send the means of every judge and release as CSV."""
    try:
        reading = results.allowed(scope, number)
        board = results.board(reading)
    except errors.Refusal:
        return redirect("run_fusion", scope.project.slug, number)  # that page says why
    export = run_exporting.export_lines(
        reading=reading,
        form="fusion.csv",
        lines=results.csv_lines(board),
        now=timezone.now(),
    )
    return stream(export)


def _beside(
    request: HttpRequest, scope: Scope, board: Board
) -> tuple[QueryDict, Options | None, str]:
    """Return what the judges are set beside; where the address cannot be used, the usual and why."""
    problem = ""
    query = results.query_of(scope, board, request.GET)
    if query is None:
        return QueryDict(), None, ""
    try:
        options = results.options(scope, query)
    except errors.Refusal as refusal:
        problem = refusal.message
        query = results.query_of(scope, board, QueryDict())
        if query is None:
            return QueryDict(), None, problem
        options = results.options(scope, query)
    if options.choice is None:
        return query, None, problem
    wished = results.preferred(board, options)
    if "criterion" not in query and wished not in {"", options.choice.criterion}:
        query["criterion"] = wished
        options = results.options(scope, query)
    return query, options, problem


def _figures(board: Board, query: QueryDict, options: Options | None) -> dict[str, Figure]:
    """Return the figures of the page: reliance on assistants, all judges, and tests between the run's."""
    now = timezone.now()
    made: dict[str, Figure] = {}
    if board.content.helpers and results.n_judged(board.reading.run):
        level = "pooled" if options is None or options.choice is None else options.choice.level
        made["reliance"] = figures.of_run(
            name=results.FIGURE,
            run=board.reading.run,
            params={"level": level},
            now=now,
            version=f", {results.n_judged(board.reading.run)} scores",
        )
    if options is None or options.choice is None:
        return made
    params = judge_asked.params("judges", options.choice)
    made["judges"] = figures.get(name="judges", round_=options.round, params=params, now=now)
    if len(board.raters) > 1:
        alone = results.options(board.reading.scope, results.among(query, board.raters))
        assert alone.choice is not None
        params = judge_asked.params("judge_pairs", alone.choice)
        made["tests"] = figures.get(name="judge_pairs", round_=alone.round, params=params, now=now)
    return made


def _made(board: Board, found: dict[str, Figure], options: Options | None) -> dict[str, Any]:
    """Return what the template is given of the figures that are there."""
    made: dict[str, Any] = {}
    choice = None if options is None else options.choice
    if "reliance" in found:
        coefficient = results.COEFFICIENT if choice is None else choice.coefficient
        made["reliance"] = results.Reliance(found["reliance"].data or {}, board, coefficient)
    if options is not None and "judges" in found:
        people = judge_board.Board(found["judges"].data or {}, options)
        rows = results.layout(board, people)
        why = results.undefined(rows, people.criterion_names)
        made |= {"people": people, "layout": rows, "undefined": why}
        made["together"] = results.together(board, options)
    if options is not None and "tests" in found:
        matrix = judge_board.Matrix(found["tests"].data or {}, options)
        made |= {"matrix": matrix, "tests": results.tests(board, matrix)}
    return made
