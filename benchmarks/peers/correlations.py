"""Judges beside people, with resampled intervals, beside nlpstats over the same marks."""

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import judge_correlation as measured
from benchmarks.peers import installed
from benchmarks.peers.installed import Failed
from benchmarks.peers.results import Row, bound
from scoring.stats.judges import coefficients as correlation
from scoring.stats.judges import intervals as correlation_intervals
from scoring.stats.judges import judges, levels
from scoring.stats.told import COEFFICIENTS

#: Ours and theirs: levels, then coefficients.
LEVELS = {"system": "system", "item": "input", "pooled": "global"}
NAMES = {"pearson": "pearson", "spearman": "spearman", "kendall_b": "kendall"}
LEAST_TIMES, EQUAL = 30, 1e-9
#: What is held against their bounds: our resamples, the share in each tail, standard errors at most.
N_OURS, TAIL, ERRORS = 2_000, 0.025, 4
WHOLE: tuple[tuple[str, str, tuple[str, ...], float], ...] = (
    ("system level, all four coefficients", "system", ("all",), 5),
    ("pooled, Pearson and Spearman", "pooled", ("pearson", "spearman"), 20),
)


def rows(*, small: bool = False) -> list[Row]:
    """Measure the whole table by ours, then single cells by both."""
    table, people, all_judges = measured.made()
    resamples, theirs = (100, 20) if small else (measured.RESAMPLES, measured.PEER_RESAMPLES)
    found = []
    for said, at, names, most in WHOLE:
        wanted: Any = COEFFICIENTS if names == ("all",) else names
        took = measured.timed(
            lambda at=at, wanted=wanted: judges.judge_table(  # type: ignore[misc]
                table, people, all_judges, at=[at], names=wanted, resamples=resamples
            ),
            times=1 if small else 3,
        )
        what = f"BOOT-BOTH, 12 judges × 4 criteria on 16 × 100, {resamples:,} resamples; {said}"
        bar = bound("at most", most, holds=not small)
        found.append(Row(what, "CPU-s", took, *bar, n=1 if small else 3))
    judge, human = all_judges["judge 0"].values("criterion 0"), people["criterion 0"].values
    of = levels.pairs(table, judge, human)
    return found + cells(of, judge.floats, human.floats, resamples, theirs, bars=not small)


def cells(
    of: levels.Pairs, judge: Any, human: Any, resamples: int, theirs: int, *, bars: bool
) -> list[Row]:
    """Measure each level × coefficient by both, and hold the values against each other."""
    wanted = [(mine, name) for mine in LEVELS for name in NAMES]
    others = _theirs(judge, human, wanted, theirs)
    speed, same, near = [], [], []
    for place, (level, name) in enumerate(wanted):
        other = others if isinstance(others, str) else others[place]
        said = f"{'pooled' if level == 'pooled' else f'{level} level'}, {NAMES[name]}"
        speed.append(_speed(of, level, name, said, other, (resamples, theirs), bars=bars))
        same.append(_same(of, level, name, said, other))
        near.append(_near(of, level, name, said, other, theirs))
    return [*speed, *same, *near]


def _speed(
    of: Any, level: Any, name: Any, said: str, other: Any, resamples: tuple[int, int], *, bars: bool
) -> Row:
    took = measured.timed(
        lambda: correlation_intervals.resampled(of, level, names=[name], resamples=resamples[0])
    )
    bar = bound("at least", LEAST_TIMES, holds=bars and level != "item")
    what = f"interval of one cell, {said}, {resamples[0]:,} resamples: times as long nlpstats takes"
    if isinstance(other, str):
        return Row(what, "×", None, *bar, peers={"nlpstats": other})
    slow = other["cpu"] * resamples[0] / resamples[1]
    shown = f"{1000 * slow:,.0f} CPU-ms; ours {1000 * took:.1f}"
    note = (
        f"ours is the median of 5; nlpstats was run once with {resamples[1]:,} resamples and its time "
        "taken in proportion"
    )
    return Row(what, "×", slow / took, *bar, peers={"nlpstats": shown}, n=5, note=note)


def _same(of: Any, level: Any, name: Any, said: str, other: Any) -> Row:
    """Hold the coefficients against each other."""
    value = correlation.correlations(of, level, names=[name])[0].value
    what = f"coefficient, {said}: how far apart"
    if isinstance(other, str) or value is None:
        return Row(what, "", None, "at most", EQUAL, {"nlpstats": str(other)})
    shown = f"{other['value']:.6f}; ours {value:.6f}"
    return Row(what, "", abs(value - other["value"]), "at most", EQUAL, {"nlpstats": shown})


def _near(of: Any, level: Any, name: Any, said: str, other: Any, n_theirs: int) -> Row:
    """Say how far the share of our resamples beyond their bounds is from 2.5 %."""
    what = f"bounds of the interval, {said}: standard errors of chance between"
    note = "both bounds are drawn by chance; the farther of the two"
    if isinstance(other, str):
        return Row(what, "", None, "at most", ERRORS, {"nlpstats": other}, note=note)
    chance = correlation_intervals.draws(of, drawn="both", resamples=N_OURS, seed=0)
    drawn = np.asarray(correlation_intervals.values(of, level, chance, [name])[name])
    drawn = drawn[~np.isnan(drawn)]
    low, high = other["bounds"]
    error = np.sqrt(TAIL * (1 - TAIL) * (1 / n_theirs + 1 / len(drawn)))
    apart = max(abs(np.mean(drawn < low) - TAIL), abs(np.mean(drawn > high) - TAIL)) / error
    mine = np.quantile(drawn, [TAIL, 1 - TAIL])
    shown = f"{low:.3f} to {high:.3f}; ours {mine[0]:.3f} to {mine[1]:.3f}"
    return Row(what, "", float(apart), "at most", ERRORS, {"nlpstats": shown}, note=note)


def _theirs(judge: Any, human: Any, wanted: Sequence[tuple[str, str]], resamples: int) -> Any:
    """Return what nlpstats found, or in words why not."""
    shape = (measured.SYSTEMS, measured.DOCUMENTS)
    with tempfile.TemporaryDirectory() as folder:
        for name, column in (("judge", judge), ("human", human)):
            np.save(Path(folder, f"{name}.npy"), np.asarray(column).reshape(shape))
        given = {
            "judge": str(Path(folder, "judge.npy")),
            "human": str(Path(folder, "human.npy")),
            "cells": [[LEVELS[level], NAMES[name]] for level, name in wanted],
            "resamples": resamples,
            "runs": 1,
        }
        try:
            return installed.ask("nlpstats", given)
        except Failed as why:
            return str(why)
