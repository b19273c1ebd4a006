"""Judges of pairs, as a kind of run."""

from django.utils.translation import gettext_lazy as _

from scoring.engine.kinds import Beginning, RunPlugin
from scoring.engine.models import Run

RUNS = (
    RunPlugin(
        kind=Run.Kind.PAIRS,
        works="scoring.kinds.pairs.operations.KIND",
        form="pairs_new",
        begins=[Beginning(_("Judge pairs"), "pairs_new", 15)],
        links=[(_("Results"), "run_pairs")],
        is_reseeded=True,
    ),
)
