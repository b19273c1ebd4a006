"""Metrics of texts, as a kind of run."""

from django.utils.translation import gettext_lazy as _

from scoring.engine.kinds import Beginning, RunPlugin
from scoring.engine.models import Run

RUNS = (
    RunPlugin(
        kind=Run.Kind.METRICS,
        works="scoring.kinds.metrics.operations.KIND",
        form="metrics_new",
        begins=[Beginning(_("Compute metrics"), "metrics_new", 20)],
        links=[(_("Results"), "run_metrics")],
    ),
)
