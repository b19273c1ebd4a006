"""The figure of a run of accuracy: computed anew when more replies are in."""

from datetime import datetime

from scoring.models import Figure, Run, Step
from scoring.operations import figures
from scoring.queries import quiz_results
from scoring.queries.quiz_options import Options


def figure_of(*, run: Run, options: Options, now: datetime) -> Figure:
    """Return the accuracies of a run as far as it has come; if they are not there, ask for them."""
    ended = Step.objects.filter(run=run, state__in=(Step.State.DONE, Step.State.FAILED)).count()
    return figures.of_run(
        name=quiz_results.FIGURE,
        run=run,
        params=options.params,
        now=now,
        version=f"{ended} questions",
    )
