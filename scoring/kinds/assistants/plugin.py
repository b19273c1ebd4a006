"""Assistant evaluators, as a kind of run."""

from django.utils.translation import gettext_lazy as _

from scoring.engine.kinds import Beginning, RunPlugin
from scoring.engine.models import Run

RUNS = (
    RunPlugin(
        kind=Run.Kind.ASSIST,
        works="scoring.kinds.assistants.operations.KIND",
        form="assist",
        begins=[Beginning(_("Score by an assistant"), "assist", 30)],
        links=[(_("Results"), "run_assistant")],
    ),
)
