"""What the insight worker does. Loads pandas, scipy and plotly: never imported by a web process."""

import logging
from collections.abc import Callable, Mapping
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _

from scoring.models import Figure
from scoring.operations import figures, snapshots, suite_schedules
from scoring.queries import (
    computing,
    contamination,
    contamination_results,
    fusion_figures,
    fusion_results,
    interview_figures,
    interview_panels,
    loss_figures,
    loss_results,
    quiz_figures,
    quiz_results,
    suite_figures,
    suite_label_figures,
    suite_labels,
    suite_results,
)
from scoring.queries.emptiness import NothingYet
from scoring.queries.interview_voices import PANEL
from scoring.stats.plain import Plain

logger = logging.getLogger(__name__)
#: Who computes a figure of a run, by its name; those of interviews are all others.
OF_RUNS: Mapping[str, Callable[[Mapping[str, Any]], Plain]] = {
    PANEL: interview_panels.of_figure,
    fusion_results.FIGURE: fusion_figures.of_figure,
    quiz_results.FIGURE: quiz_figures.of_figure,
    suite_results.FIGURE: suite_figures.of_figure,
    suite_labels.FIGURE: suite_label_figures.of_figure,
    loss_results.FIGURE: loss_figures.of_figure,
    contamination_results.NAME: contamination.of_figure,
}


def compute_figure(figure_id: int, **_more: Any) -> None:
    """Compute a figure, unless it is done or in somebody's hands."""
    figure = figures.lease(figure_id=figure_id, now=timezone.now())
    if figure is None:
        return
    try:
        data = _computed(figure)
    except NothingYet as reason:
        figures.leave_empty(figure=figure, reason=str(reason), now=timezone.now())
    except ValueError as reason:
        logger.warning("Figure %s of round %s: %s", figure.name, figure.round_id, reason)
        figures.fail(figure=figure, problem=str(reason))
    except Exception:  # a worker outlives its figures; what it was is in the log
        logger.exception("Figure %s of round %s", figure.name, figure.round_id)
        figures.fail(
            figure=figure,
            problem=_("Something unexpected happened; the operator finds it in the worker's log."),
        )
    else:
        figures.store(figure=figure, data=data, now=timezone.now())


def look_at_gates(**_more: Any) -> None:
    """Look at the gates of suites that ran by schedule."""
    suite_schedules.look_at_gates(timezone.now())


def _computed(figure: Figure) -> Plain:
    """Return the data of a figure: of a round, or of a run that stands by itself."""
    if figure.round is None:
        return OF_RUNS.get(figure.name, interview_figures.of_figure)(figure.params)
    snapshots.ensure(round_=figure.round, now=timezone.now())
    return computing.compute(name=figure.name, round_=figure.round, params=figure.params)
