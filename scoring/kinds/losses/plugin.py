"""Losses of texts and Min-K%, as a kind of run."""

from django.utils.translation import gettext_lazy as _

from scoring.engine.kinds import Beginning, RunPlugin
from scoring.engine.models import Run

RUNS = (
    RunPlugin(
        kind=Run.Kind.LOSSES,
        works="scoring.kinds.losses.operations.KIND",
        form="losses_new",
        begins=[Beginning(_("Measure losses"), "losses_new", 70)],
        links=[(_("Results"), "run_losses")],
    ),
)
