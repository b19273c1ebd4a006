"""Judges beside people with resampled intervals: `python -m benchmarks.judge_correlation`.

16 systems × 100 documents × 4 criteria × 12 judges, BOOT-BOTH with 1,000 resamples; on one core, processor
time.
One cell is measured again beside the library nlpstats where it is installed (`--peer` names a folder
to import it from), else beside the same loop written out with scipy.
"""

import argparse
import importlib
import os
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ["OPENBLAS_NUM_THREADS"] = "1"
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np
from scipy import stats as scipy_stats

from scoring.stats.judges import intervals as correlation_intervals
from scoring.stats.judges import judges, levels
from scoring.stats.judges import pairs as judge_pairs
from scoring.stats.judges.judges import JudgeColumns, PeopleMarks
from scoring.stats.resampled.exact import Values
from scoring.stats.told import COEFFICIENTS

SYSTEMS, DOCUMENTS, CRITERIA, JUDGES, RESAMPLES = 16, 100, 4, 12, 1_000
SYSTEM_YARDSTICK_S, POOLED_YARDSTICK_S, PEER_YARDSTICK = 5, 20, 30
PEER_RESAMPLES = 300


def made() -> tuple[levels.LevelRows, dict[str, PeopleMarks], dict[str, JudgeColumns]]:
    """Return made-up people and judges who see the same worth through noise."""
    rng = np.random.default_rng(0)
    n = SYSTEMS * DOCUMENTS
    system, document = np.divmod(np.arange(n), DOCUMENTS)
    table = levels.rows(response=list(range(n)), system=system.tolist(), group=document.tolist())
    worth = rng.normal(0, 0.5, SYSTEMS)[system] + rng.normal(0, 0.5, n)
    people = {}
    for k in range(CRITERIA):
        marks = np.clip(np.rint(3 + worth + rng.normal(0, 0.7, (3, n))), 1, 5)
        people[f"criterion {k}"] = PeopleMarks(marks.sum(axis=0), np.full(n, 3), (1, 5))
    return (
        table,
        people,
        {
            f"judge {j}": JudgeColumns(
                {name: np.round(worth + rng.normal(0, 1 + j / 4, n), 4) for name in people}
            )
            for j in range(JUDGES)
        },
    )


def timed(deed: Callable[[], Any], times: int = 5) -> float:
    took = []
    for _ in range(times):
        start = time.process_time()
        deed()
        took.append(time.process_time() - start)
    return statistics.median(took)


def written_out(x: np.ndarray, z: np.ndarray, level: str, name: str, resamples: int) -> None:
    """Resample by copying, one coefficient at a time."""
    one = {
        "pearson": scipy_stats.pearsonr,
        "spearman": scipy_stats.spearmanr,
        "kendall": scipy_stats.kendalltau,
    }[name]
    rng = np.random.default_rng(0)
    found = []
    for _ in range(resamples):
        at = np.ix_(rng.integers(0, len(x), len(x)), rng.integers(0, x.shape[1], x.shape[1]))
        a, b = x[at], z[at]
        if level == "system":
            found.append(one(a.mean(axis=1), b.mean(axis=1))[0])
        else:
            found.append(one(a.ravel(), b.ravel())[0])
    np.quantile(found, [0.025, 0.975])


def peer(folder: str | None) -> tuple[str, Callable[..., Any]]:
    """Return the name of what is measured beside, and how to call it."""
    if folder:
        sys.path.insert(0, folder)
    try:
        bootstrap = importlib.import_module("nlpstats.correlations").bootstrap
    except ImportError:
        return "the same loop with scipy", written_out
    return "nlpstats", lambda x, z, level, name, resamples: bootstrap(
        x, z, level, name, "both", n_resamples=resamples
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peer", help="a folder that holds nlpstats")
    options = parser.parse_args()
    table, people, all_judges = made()
    whole: tuple[tuple[str, list[Any], list[Any], int | None], ...] = (
        ("system level, all four coefficients", ["system"], list(COEFFICIENTS), SYSTEM_YARDSTICK_S),
        ("pooled, Pearson and Spearman", ["pooled"], ["pearson", "spearman"], POOLED_YARDSTICK_S),
        ("pooled, Kendall's τ-b", ["pooled"], ["kendall_b"], None),
        ("item level, all four coefficients", ["item"], list(COEFFICIENTS), None),
    )
    for said, at, names, yardstick in whole:
        took = timed(
            lambda at=at, names=names: judges.judge_table(  # type: ignore[misc]
                table, people, all_judges, at=at, names=names, resamples=RESAMPLES
            ),
            times=3,
        )
        bar = f" (yardstick {yardstick} s)" if yardstick else ""
        print(f"{said:44} {took:6.2f} s{bar}")
    values: dict[Any, Values] = {
        name: one.values("criterion 0") for name, one in all_judges.items()
    }
    human = people["criterion 0"].values
    took = timed(lambda: judge_pairs.compared(table, values, human, "system"), times=3)
    print(f"{'66 comparisons, PERM-BOTH and Williams':44} {took:6.2f} s")
    beside(table, people, all_judges, *peer(options.peer))


def beside(
    table: levels.LevelRows,
    people: dict[str, PeopleMarks],
    all_judges: dict[str, JudgeColumns],
    said: str,
    other: Callable[..., Any],
) -> None:
    judge, human = all_judges["judge 0"].values("criterion 0"), people["criterion 0"].values
    shape = (SYSTEMS, DOCUMENTS)
    x, z = judge.floats.reshape(shape), human.floats.reshape(shape)
    of = levels.pairs(table, judge, human)
    for ours, theirs in (("system", "system"), ("pooled", "global")):
        for mine, name in (("pearson",) * 2, ("spearman",) * 2, ("kendall_b", "kendall")):
            slow = timed(
                lambda theirs=theirs, name=name: other(x, z, theirs, name, PEER_RESAMPLES),  # type: ignore[misc]
                times=1,
            ) * (RESAMPLES / PEER_RESAMPLES)
            fast = timed(
                lambda ours=ours, mine=mine: correlation_intervals.resampled(  # type: ignore[misc]
                    of, ours, names=[mine], resamples=RESAMPLES
                )
            )
            print(
                f"one cell, {ours}, {name:9} {1000 * fast:7.1f} ms, {said} {1000 * slow:8.0f} ms:"
                f" {slow / fast:4.0f} × (yardstick {PEER_YARDSTICK} ×)"
            )


if __name__ == "__main__":
    main()
