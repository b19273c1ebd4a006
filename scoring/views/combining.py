"""Have the scores of assistants made into one: AVG, LLMSel, CorrW."""

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
from scoring.forms.fusing import CombineForm
from scoring.models import Run
from scoring.operations import combining as operations
from scoring.queries import evaluation_tasks as reads
from scoring.queries.fused import Found
from scoring.views import run_start
from scoring.views.evaluation_tasks import task_of


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
        return operations.check(project=scope.project, wish=sent.wish())

    def start(sent: CombineForm) -> Run:
        given = sent.cleaned_data
        return operations.start(
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
        template="scoring/fusion/combine.html",
        context={
            "task": task,
            "back_url": reverse("fusion_task", args=[scope.project.slug, task.number]),
        },
        estimate=estimate,
        start=start,
    )
