"""Judges that grade rounds, as a kind of run."""

from collections.abc import Sequence

from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from scoring.engine.kinds import Action, Beginning, RunPlugin
from scoring.engine.models import Run


def form(run: Run) -> str:
    """Return where a run like this is begun; one of a judge that is tuned is begun on its own page."""
    if run.round is None or run.config.get("tuning"):
        return ""
    return reverse("round_judge", args=[run.project.slug, run.round.number])


def links(run: Run) -> Sequence[Action]:
    """Judges stand beside people once the round is final; one that is tuned leads to where it is."""
    if number := run.config.get("tuning"):
        there = reverse("tuning", args=[run.project.slug, number])
        return [Action(_("Tuned judge"), there, is_main=run.state == Run.State.DONE)]
    is_final = run.round is not None and run.round.state == "FINAL"
    if run.judge is None or run.round is None or not is_final or run.state != Run.State.DONE:
        return ()
    there = reverse("judge_people", args=[run.project.slug, run.judge.rater_id])
    return [Action(_("Judges vs people"), f"{there}?round={run.round.number}", is_main=True)]


RUNS = (
    RunPlugin(
        kind=Run.Kind.JUDGE,
        works="scoring.kinds.judging.kind.KIND",
        form=form,
        begins=[Beginning(_("New judge"), "judge_new", 10)],
        links=links,
        is_reseeded=True,
        has_prelude=True,
    ),
)
