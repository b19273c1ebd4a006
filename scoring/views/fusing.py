"""Have answers evaluated by Fusion-Eval."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from annotation import permissions
from annotation.permissions import Scope, door
from scoring.forms import fusing as forms
from scoring.forms import runs as run_forms
from scoring.forms.fusing import FusionForm
from scoring.models import Run
from scoring.operations import fusing as operations
from scoring.operations.runs.estimating import Estimate
from scoring.queries import evaluation_tasks as reads
from scoring.queries import judge_list
from scoring.views import run_start
from scoring.views.evaluation_tasks import task_of


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
        checked = operations.check(project=scope.project, wish=sent.wish())
        counted["found"] = checked.found
        return checked.estimate

    def start(sent: FusionForm) -> Run:
        begun = sent.start()
        return operations.start(
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
        template="scoring/fusion/new.html",
        context={
            "task": task,
            "counted": counted,
            "can_ask": judge_list.endpoints_of(scope.project).exists(),
            "back_url": reverse("fusion_task", args=[scope.project.slug, task.number]),
            "title": _("Evaluate answers (Fusion-Eval)"),
        },
        estimate=estimate,
        start=start,
    )
