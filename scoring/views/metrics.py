"""Have answers measured by metrics."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from annotation import permissions
from annotation.permissions import Scope, door
from scoring.forms import metrics as forms
from scoring.forms import runs as run_forms
from scoring.forms.metrics import MetricsForm
from scoring.models import Run
from scoring.operations import metrics as operations
from scoring.queries.measured import Found
from scoring.views import run_start


@require_http_methods(["GET", "POST"])
@door(permissions.CURATORS)
def metrics_new(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Choose answers and metrics, see how many there are to measure, and start."""
    before = run_start.cloned(scope, request.GET.get("from", ""), Run.Kind.METRICS)
    initial: dict[str, Any] = {"name": _("Metrics"), "over": request.GET.get("over", "")}
    if before is not None:
        initial |= {**run_forms.initial_of(before), **forms.initial_of(before)}
    form = MetricsForm(
        run_start.sent(request), project=scope.project, initial=initial, **run_start.fresh()
    )

    def estimate(sent: MetricsForm) -> Found:
        return operations.check(project=scope.project, round_=sent.round(), choice=sent.choice())

    def start(sent: MetricsForm) -> Run:
        return operations.request_metrics(
            project=scope.project,
            key=sent.cleaned_data["key"],
            name=sent.cleaned_data["name"],
            choice=sent.choice(),
            user=scope.user,
            now=timezone.now(),
            round_=sent.round(),
            cloned_from=before,
        )

    return run_start.answer(
        request,
        scope,
        form=form,
        template="scoring/metrics_new.html",
        context={"back_url": reverse("judges", args=[scope.project.slug])},
        estimate=estimate,
        start=start,
    )
