"""Interviews (KIEval), and judging their dialogues again, as kinds of runs."""

from collections.abc import Sequence

from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from scoring.engine.kinds import Action, Beginning, RunPlugin
from scoring.engine.models import Run


def form_again(run: Run) -> str:
    return reverse("run_judge_again", args=[run.project.slug, run.config["of_run"]])


def links_again(run: Run) -> Sequence[Action]:
    there = reverse("run_evaluators", args=[run.project.slug, run.config["of_run"]])
    return [Action(_("Evaluators"), there)]


RUNS = (
    RunPlugin(
        kind=Run.Kind.KIEVAL,
        works="scoring.kinds.interviews.kind.KIND",
        form="interviews_new",
        begins=[
            Beginning(_("Interview systems (KIEval)"), "interviews_new", 40),
            Beginning(_("Bring in dialogues"), "interviews_import", 50),
        ],
        links=[
            (_("Results"), "run_interviews"),
            (_("Dialogues"), "run_dialogues"),
            (_("Evaluators"), "run_evaluators"),
        ],
        has_prelude=True,
    ),
    RunPlugin(
        kind=Run.Kind.REJUDGE,
        works="scoring.kinds.interviews.rejudging.KIND",
        form=form_again,
        links=links_again,
    ),
)
SLOTS = {"files_read_whole": {"DIALOGUES": "scoring.kinds.interviews.exchange.read_dialogues"}}
