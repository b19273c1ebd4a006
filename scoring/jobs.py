"""Figures by name: from the ratings of a round to plain data. Loads pandas: workers only."""

import logging
from collections.abc import Mapping
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.rounds.models import Round
from scoring.beside import detail as judge_detail
from scoring.beside import figures as judge_apart
from scoring.engine.models import Run
from scoring.figures import operations as figures
from scoring.figures import snapshots
from scoring.figures.models import Figure
from scoring.kinds.suites import schedules as suite_schedules
from scoring.movement import figure as movements
from scoring.outcomes import kinds as outcomes
from scoring.results import computing, insights
from scoring.results.computing import Compute, scores_of
from scoring.results.preferred import computing as preferred
from scoring.shown.wording import NothingYet
from scoring.stats.plain import Plain
from scoring.trials import figure as trial_figures
from scoring.tuning import figure as tunings
from scoring.watching import figure as signalling


class UnknownFigure(LookupError):
    """Nobody has written how to compute this figure."""


def compute(*, name: str, round_: Round, params: Mapping[str, Any]) -> Plain:
    """Compute a figure.

    Raises:
        UnknownFigure: there is none of this name.
        ValueError: the ratings do not allow it; the message says why.
    """
    if name not in FIGURES:
        raise UnknownFigure(name)
    return FIGURES[name](round_, params)


FIGURES: Mapping[str, Compute] = {
    "domains": computing.scores_of_domains,
    "scores": scores_of,
    "breakdown": computing.breakdown_of,
    "agreement": insights.agreement_of,
    "disputes": insights.disputes_of,
    "raters": insights.raters_of,
    "preferences": preferred.preferences_of,
    "beside_grades": preferred.beside_of,
    "plan": insights.plan_of,
    "model": insights.model_of,
    "whole": insights.whole_of,
    "signals": signalling.signals_of,
    "fluctuation": movements.fluctuation_of,
    "trend": movements.trend_of,
    "judges": judge_apart.judges_of,
    "judge": judge_detail.judge_of,
    "judge_pairs": judge_apart.pairs_of,
    "judge_mixes": judge_apart.mixes_of,
    "powered": judge_apart.powered_of,
    "judge_apart": judge_apart.apart_of,
    "trial": trial_figures.trial_of,
    "tuning": tunings.tuning_of,
}


logger = logging.getLogger(__name__)


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
            problem=_("Unexpected error; see the worker’s log."),
        )
    else:
        figures.store(figure=figure, data=data, now=timezone.now())


def look_at_gates(**_more: Any) -> None:
    """Look at the gates of suites that ran by schedule."""
    suite_schedules.look_at_gates(timezone.now())


def _computed(figure: Figure) -> Plain:
    """Return the data of a figure: of a round, or of a run that stands by itself."""
    if figure.round is None:
        return _of_run(figure)
    snapshots.ensure(round_=figure.round, now=timezone.now())
    return compute(name=figure.name, round_=figure.round, params=figure.params)


def _of_run(figure: Figure) -> Plain:
    run = Run.objects.select_related("judge").filter(pk=figure.params.get("run", 0)).first()
    if run is None:
        raise ValueError("There is no such run.")
    computed: Plain = outcomes.computer(figure.name)(run, figure.params)
    return computed
