"""Accuracy on questions of multiple choice, as a kind of run."""

from django.utils.translation import gettext_lazy as _

from scoring.engine.kinds import Beginning, RunPlugin
from scoring.engine.models import Run

RUNS = (
    RunPlugin(
        kind=Run.Kind.QUIZ,
        works="scoring.kinds.accuracy.operations.KIND",
        form="quiz_new",
        begins=[Beginning(_("Measure accuracy"), "quiz_new", 60)],
        links=[(_("Results"), "run_accuracy")],
    ),
)
