"""Several judges made into one, beside each of them and people. Workers only."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from annotation.models import Round
from annotation.rules import seeds
from scoring.queries import judge_choice, judge_sides
from scoring.queries.judge_human import Human
from scoring.queries.judge_sides import Sides
from scoring.stats import aggregation, ceiling, coefficients, correlation, exact, levels
from scoring.stats.aggregation import Aggregated
from scoring.stats.levels import Pairs
from scoring.stats.linear import FloatArray
from scoring.stats.plain import Plain, plain
from scoring.stats.reasons import Reason
from scoring.stats.weighted import COEFFICIENTS, Coefficient

RESAMPLES = 1_000
Mask: TypeAlias = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class _Asked:
    """What is asked of every criterion."""

    both: Sides
    by_data: bool
    folds: int
    resamples: int
    seed: int


@dataclass(frozen=True, slots=True)
class _Graded:
    """People's means on one criterion where there are any: weights are learnt and tested there."""

    both: Sides
    there: Mask
    mean: FloatArray

    def pairs(self, values: FloatArray, here: Mask) -> Pairs:
        """Return the rows of aggregate and people, both sides as they stand in the columns."""
        judge, human = (np.full(len(self.there), np.nan) for _ in range(2))
        judge[self.there] = np.where(here, values, np.nan)
        human[self.there] = np.where(here, self.mean, np.nan)
        return levels.pairs(self.both.columns.rows, exact.values(judge), exact.values(human))


def mixes_of(round_: Round, params: Mapping[str, Any]) -> Plain:
    """Return AVG, LLMSel and CorrW (cross-fitted and in-sample) beside their assistants.

    Every row stands twice: over everything, with an interval in which the weights are taken as they
    were found; and as the mean over the folds of the cross-fitting, which compares all rows on the
    same terms.

    Args:
        round_: one of the rounds whose people graded.
        params: a choice; `alignment`, for each criterion the judges that a plan names; `folds`;
            `by_data`, whether an open range is taken from what was seen; `resamples`.
    """
    choice = judge_choice.read(params)
    both = judge_sides.sides(round_, choice)
    alignment = {
        str(key): [int(one) for one in named]
        for key, named in dict(params.get("alignment", {})).items()
    }
    asked = _Asked(
        both,
        by_data=bool(params.get("by_data")),
        folds=int(params.get("folds", 5)),
        resamples=int(params.get("resamples", RESAMPLES)),
        seed=seeds.integer(round_.seed, "mixes", below=2**32),
    )
    return {
        "level": choice.level,
        "facts": plain(judge_sides.facts(both)),
        "alignment": plain(alignment),
        "by_data": asked.by_data,
        "folds": asked.folds,
        "criteria": [_criterion(asked, key, alignment.get(key, [])) for key in both.criteria],
    }


def _criterion(asked: _Asked, key: str, named: Sequence[int]) -> Plain:
    both = asked.both
    human = both.columns.people[key]
    known, left_out = _assistants(both, key, by_data=asked.by_data)
    made: dict[str, Plain] = {
        "criterion": key,
        "assistants": [int(one) for one in known],
        "left_out": left_out,
        "turned": plain(judge_sides.turned(both, key)),
        "ceilings": _ceilings(both, human),
    }
    if not known:
        return made | {"rows": [], "weights": [], "in_sample": []}
    mean = judge_sides.human_means(human)
    there = ~np.isnan(mean)
    graded = _Graded(both, there, mean[there])
    known = {one: values[there] for one, values in known.items()}

    def weighted(weighing: aggregation.Weighing) -> Aggregated:
        return aggregation.correlation_weighted(
            known,
            human=graded.mean,
            group=both.cluster[there],
            weighing=weighing,
            folds=asked.folds,
            seed=asked.seed,
        )

    fitted = weighted("cross-fitted")
    found = {
        "AVG": aggregation.average(known),
        "LLMSel": aggregation.selected(known, [str(one) for one in named if str(one) in known]),
        "CorrW": fitted,
        "CorrW in-sample": weighted("in-sample"),
        **{one: aggregation.average({one: values}) for one, values in known.items()},
    }
    rows: list[Plain] = [_row(asked, name, one, graded, fitted) for name, one in found.items()]
    in_sample = found["CorrW in-sample"].weights
    return made | {
        "rows": rows,
        "weights": plain(fitted.weights),
        "in_sample": plain(in_sample),
    }


def _ceilings(both: Sides, human: Human) -> Plain:
    """Return how well people agree with each other at the level chosen."""
    return [
        one.plain() for one in ceiling.ceilings(both.columns.rows, human.marks, both.choice.level)
    ]


def _assistants(
    both: Sides, key: str, *, by_data: bool
) -> tuple[dict[str, FloatArray], list[Plain]]:
    """Return shares of ranges by judge, and the judges that have none with the reason."""
    known: dict[str, FloatArray] = {}
    left_out: list[Plain] = []
    for judge in both.choice.judges:
        judged = both.judged(judge, key)
        values = None if judged is None else judge_sides.shares(judged, by_data=by_data)
        if values is not None:
            known[str(judge)] = values
        else:
            reason = "no_criterion" if judged is None else Reason.OPEN_SCALE.value
            left_out.append({"judge": judge, "reason": reason})
    return known, left_out


def _row(
    asked: _Asked, name: str, made: Aggregated, graded: _Graded, folds: Aggregated
) -> dict[str, Plain]:
    """Return the coefficients of one aggregate, over everything and within the folds."""
    both = asked.both
    whole = graded.pairs(made.values, np.ones(len(graded.mean), dtype=bool))
    parts = [
        _within(both, graded.pairs(made.values, folds.fold == one)) for one in np.unique(folds.fold)
    ]
    return {
        "name": name,
        "method": made.method,
        "reason": plain(made.reason),
        "n_incomplete": made.n_incomplete,
        "n": whole.n,
        "cells": judge_sides.cells(whole, both.choice.level, asked.resamples, asked.seed),
        "within_folds": plain({one: _mean([part[one] for part in parts]) for one in COEFFICIENTS}),
        "n_folds": len(parts),
    }


def _within(both: Sides, pairs: Pairs) -> dict[Coefficient, float | None]:
    """Return the coefficients of one fold."""
    level = both.choice.level
    if level == "item":
        found = correlation.correlations(pairs, level)
        return {one.coefficient: one.value for one in found}
    x, y = levels.system_means(pairs) if level == "system" else (pairs.judge, pairs.human)
    return {name: coefficients.coefficient(x, y, name) for name in COEFFICIENTS}


def _mean(values: Sequence[float | None]) -> float | None:
    known = [one for one in values if one is not None]
    return float(np.mean(known)) if known else None
