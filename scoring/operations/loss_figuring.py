"""The figure of a run of losses: computed anew when more texts are in."""

from datetime import datetime

from scoring.models import Figure, Run, Step
from scoring.operations import figures
from scoring.queries import loss_results


def figure_of(*, run: Run, share: int, now: datetime) -> Figure:
    """Return the losses of a run as far as it has come; if they are not there, ask for them."""
    ended = Step.objects.filter(run=run, state__in=(Step.State.DONE, Step.State.FAILED)).count()
    return figures.of_run(
        name=loss_results.FIGURE,
        run=run,
        params={"share": share},
        now=now,
        version=f"{ended} texts",
    )
