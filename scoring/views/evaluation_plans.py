"""Plans of evaluation: one with its table of alignment, writing one, having one written."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods

from annotation import permissions
from annotation.forms import refusals
from annotation.permissions import Scope, door
from evalsite import errors
from scoring.forms import runs as run_forms
from scoring.forms.fusing import PlanForm, PlanWriteForm
from scoring.models import EvaluationTask, Plan, Run
from scoring.operations import evaluation_plans as operations
from scoring.operations import plan_writing
from scoring.operations.runs.estimating import Estimate
from scoring.queries import evaluation_tasks as reads
from scoring.queries import judge_list
from scoring.views import run_start
from scoring.views.evaluation_tasks import task_of


@require_GET
@door(permissions.UNBLINDED)
def fusion_plan(request: HttpRequest, scope: Scope, number: int, plan: int) -> HttpResponse:
    """Show a plan, and which assistants it names for which criterion."""
    task = task_of(scope, number)
    rows = task.plans.select_related("version", "endpoint", "created_by", "run", "based_on")
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
    return render(request, "scoring/fusion/plan.html", context)


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
            made = operations.write(
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
    return render(request, "scoring/fusion/plan_new.html", context, status=refusals.status_of(form))


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
        return plan_writing.estimate(version=version, endpoint=sent.cleaned_data["endpoint"])

    def start(sent: PlanWriteForm) -> Run:
        begun = sent.start()
        return plan_writing.request_plan(
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
        template="scoring/fusion/plan_write.html",
        context={
            "task": task,
            "can_ask": judge_list.endpoints_of(scope.project).exists(),
            "back_url": reverse("fusion_task", args=[scope.project.slug, task.number]),
        },
        estimate=estimate,
        start=start,
    )


def _before(task: EvaluationTask, given: str) -> Plan | None:
    if not given.isascii() or not given.isdigit() or len(given) > 9:
        return None
    return task.plans.filter(number=int(given)).first()
