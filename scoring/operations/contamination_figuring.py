"""The figure of interview scores against accuracy: computed anew when either side has more."""

from datetime import datetime

from scoring.models import Figure, Run
from scoring.operations import figures
from scoring.queries import contamination_options, contamination_results
from scoring.queries.contamination_options import Options


def figure_of(*, run: Run, options: Options, now: datetime) -> Figure:
    """Return the figure as far as interviews and measurements have come; if it is not there, ask for it."""
    return figures.of_run(
        name=contamination_results.NAME,
        run=run,
        params=options.params,
        now=now,
        version=contamination_options.version(run, options),
    )
