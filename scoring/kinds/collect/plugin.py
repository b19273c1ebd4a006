"""Collecting answers, as a kind of run."""

from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from scoring.engine.kinds import Beginning, RunPlugin
from scoring.engine.models import Run


def form(run: Run) -> str:
    """Answers are collected for drafts of rounds, or for the bank."""
    if run.round is not None and run.round.state == "DRAFT":
        return reverse("round_answers", args=[run.project.slug, run.round.number])
    return reverse("answers", args=[run.project.slug])


RUNS = (
    RunPlugin(
        kind=Run.Kind.COLLECT,
        works="scoring.kinds.collect.operations.KIND",
        form=form,
        begins=[Beginning(_("Collect answers"), "answers", 100)],
    ),
)
SLOTS = {
    "collect": {"answers": "scoring.kinds.collect.pages.of_missing_answers"},
    "release": {"connection": "scoring.kinds.collect.pages.of_release"},
    "round": {"published": "scoring.kinds.collect.pages.of_published"},
}
