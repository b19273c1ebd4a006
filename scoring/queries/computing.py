"""Figures by name: from the ratings of a round to plain data. Loads pandas: workers only."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias, cast

import pandas as pd

from annotation.models import Round
from annotation.rules import seeds
from scoring.charts import scores as chart
from scoring.queries import (
    breakdowns,
    domains,
    insights,
    judge_apart,
    judge_detail,
    judge_figures,
    judge_mixes,
    judge_powered,
    movements,
    signalling,
    trial_figures,
)
from scoring.queries.selected import Selected
from scoring.stats import coverage, differences, ranks, scores
from scoring.stats.plain import Plain, plain
from scoring.stats.ranks import Comparison
from scoring.stats.scores import OVERALL, Score, Scores

Compute: TypeAlias = Callable[[Round, Mapping[str, Any]], Plain]


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


def scores_of(round_: Round, params: Mapping[str, Any]) -> Plain:
    """Return everything the page of results shows: scores, differences, coverage, a plot.

    Releases and capabilities go by their keys; the page names them.

    Args:
        round_: whose grades.
        params: `weights` of capabilities by key, `criteria` by "capability.criterion", `groups`
            of capabilities by name, `selection` as `selection.Selection.params` says it.
    """
    selected = Selected(round_, params)
    scored = scores.scores(
        selected.counted,
        weights=selected.weights,
        criterion_weights=selected.criterion_weights,
        groups=selected.groups,
        seed=seeds.generator(round_.seed, "intervals"),
    )
    ranking = ranks.ranking(scored)
    order = [cast("int", one.release) for one in ranking.ranks]
    wanted = _wanted(selected)
    covered = coverage.coverage(
        selected.everything, wanted=wanted, purposes=selected.purposes
    ).plain()
    return {
        "releases": cast("list[Plain]", order),
        "capabilities": plain(scored.capabilities),
        "level": scored.level,
        "counts": _counts(selected.counted),
        "methods": {row.figure + "." + row.level: row.method for row in scored.rows},
        "scores": [_without(plain(row), "method") for row in scored.rows],
        "differences": [_compared(one) for one in ranking.comparisons],
        "widest": _widest(scored),
        "ranks": _without(ranking.plain(), "comparisons"),
        "coverage": covered,
        "plot": _plot(scored, order),
    }


def _wanted(selected: Selected) -> dict[tuple[int, int | None], int] | None:
    """Return how many marks were wanted by release and capability."""
    if selected.wanted is None:
        return None
    counts: dict[tuple[int, int | None], int] = {}
    for one in selected.wanted:
        place = (one.release, one.capability)
        counts[place] = counts.get(place, 0) + one.n
    return counts


FIGURES: Mapping[str, Compute] = {
    "domains": domains.scores_of,
    "scores": scores_of,
    "breakdown": breakdowns.breakdown_of,
    "agreement": insights.agreement_of,
    "disputes": insights.disputes_of,
    "raters": insights.raters_of,
    "plan": insights.plan_of,
    "signals": signalling.signals_of,
    "fluctuation": movements.fluctuation_of,
    "judges": judge_figures.judges_of,
    "judge": judge_detail.judge_of,
    "judge_pairs": judge_figures.pairs_of,
    "judge_mixes": judge_mixes.mixes_of,
    "powered": judge_powered.powered_of,
    "judge_apart": judge_apart.apart_of,
    "trial": trial_figures.trial_of,
}


def _counts(counted: pd.DataFrame) -> Plain:
    given = counted[counted["value"].notna()]
    return {
        "grades": len(given),
        "questions": int(given["group"].nunique()),
        "items": int(given["item"].nunique()),
        "raters": int(given["rater"].nunique()),
        "responses": int(given["response"].nunique()),
    }


def _widest(scored: Scores) -> Plain:
    """Return the largest difference in a capability; None where fewer than two can be compared."""
    found = differences.widest(scored)
    if found is None:
        return None
    names = ("capability", "left", "right", "value")
    return {name: plain(getattr(found, name)) for name in names}


def _compared(one: Comparison) -> Plain:
    """Return a difference with what was made of it among all of them."""
    return {
        **cast("dict[str, Plain]", one.difference.plain()),
        "p_holm": one.p_holm,
        "clear": one.clear,
    }


def _plot(scored: Scores, ranking: Sequence[int]) -> Plain:
    """Draw overall and capabilities; `release:1` and `capability:2` stand where names will."""
    place = {release: n for n, release in enumerate(ranking)}
    dots = [
        chart.Dot(
            panel=OVERALL if row.level == "overall" else f"capability:{row.capability}",
            system=f"release:{row.release}",
            ordinal=place[cast("int", row.release)],
            value=None if row.value is None else float(row.value),
            low=row.low,
            high=row.high,
            note=f"n = {row.n_grades}",
            overall=row.level == "overall",
        )
        for row in scored.rows
        if row.figure == "score" and _is_drawn(row, scored)
    ]
    return plain(chart.scores_figure(dots).to_plotly_json()) if dots else None


def _is_drawn(row: Score, scored: Scores) -> bool:
    if row.level == "overall":
        return len(scored.capabilities) > 1
    return row.level == "capability"


def _without(row: Plain, name: str) -> Plain:
    assert isinstance(row, dict)
    row.pop(name)
    return row
