"""α with its intervals beside the package `krippendorff`, over the same marks."""

import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.peers import installed
from benchmarks.peers.installed import Failed
from benchmarks.peers.results import Row
from scoring.stats.people import agreement
from scoring.stats.people.said import AgreementFigures
from scoring.stats.resampled import units

RATERS, LEVELS, PER_QUESTION, RUNS, RESAMPLES = 5, 5, 20, 5, 1_000
NAMES = ("alpha_ordinal", "ac1", "raw")
METRICS = ("nominal", "ordinal", "interval")
#: Seconds for a million ratings, by what is resampled; how many times krippendorff's time.
MOST: dict[agreement.Sampling, float] = {"unit": 0.1, "cluster": 0.2}
SAID = {"unit": "units resampled", "cluster": "questions resampled"}
LEAST_TIMES, EQUAL = 50, 1e-9

Marks = npt.NDArray[np.float64]


def rows(*, small: bool = False) -> list[Row]:
    """Measure tables of 100,000 and of a million ratings, and α with missing marks."""
    found: list[Row] = []
    for n_units in (2_000,) if small else (20_000, 200_000):
        found += beside(marks(n_units), bars=n_units == 200_000)
    return [*found, *same_alpha(holes(marks(2_000)))]


def marks(n_units: int) -> Marks:
    """Return units × raters of marks about a worth."""
    rng = np.random.default_rng(0)
    worth = rng.integers(0, LEVELS, n_units)
    noisy = worth[:, None] + rng.integers(-1, 2, (n_units, RATERS))
    clipped: Marks = np.clip(noisy, 0, LEVELS - 1).astype(np.float64)
    return clipped


def holes(of: Marks) -> Marks:
    """Leave every seventh mark out."""
    left = of.copy()
    left.ravel()[::7] = np.nan
    return left


def beside(table: Marks, *, bars: bool) -> list[Row]:
    """Measure one table by both; the bars hold for a million ratings."""
    n = f"{table.size:,} ratings"
    theirs = _theirs(table, ["ordinal"], RUNS)
    lines = []
    for sampling, most in MOST.items():
        took = _typical(lambda sampling=sampling: _ours(table, sampling))  # type: ignore[misc]
        alone = theirs["cpu"] if isinstance(theirs, dict) else theirs
        lines.append(
            Row(
                f"α, AC1 and raw agreement with intervals, {n}, {SAID[sampling]}",
                "CPU-s",
                took,
                "at most" if bars else "",
                most if bars else None,
                peers={"krippendorff": alone},
                n=RUNS,
                note="krippendorff gives α alone; intervals are not offered there",
            )
        )
        if isinstance(alone, float):
            times = alone * (1 + RESAMPLES) / took
            lines.append(
                Row(
                    f"α's interval by krippendorff resampled {RESAMPLES:,} times, {n}: times as long "
                    f"as ours, {SAID[sampling]}",
                    "×",
                    times,
                    "at least" if bars else "",
                    LEAST_TIMES if bars else None,
                    n=RUNS,
                    note="its time for one α times 1,001, since it has no intervals",
                )
            )
    return lines


def same_alpha(table: Marks) -> list[Row]:
    """Hold α of each metric against krippendorff's, some marks missing."""
    theirs = _theirs(table, METRICS, 1)
    made = _units(table)
    names = tuple(f"alpha_{metric}" for metric in METRICS)
    ours = agreement.agreement(made, names=names, resamples=0)
    found = []
    for metric in METRICS:
        value = ours.find(f"alpha_{metric}").value
        what = f"α {metric}, a seventh of the marks missing: how far apart"
        if isinstance(theirs, str) or value is None:
            found.append(Row(what, "", None, "at most", EQUAL, {"krippendorff": str(theirs)}))
        else:
            apart = abs(value - theirs["alpha"][metric])
            said = {"krippendorff": f"{theirs['alpha'][metric]:.6f}; ours {value:.6f}"}
            found.append(Row(what, "", apart, "at most", EQUAL, said))
    return found


def _theirs(table: Marks, metrics: Sequence[str], runs: int) -> Any:
    """Return what krippendorff found, or in words why not."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "marks.npy")
        np.save(path, table.T)
        try:
            given = {"table": str(path), "metrics": list(metrics), "runs": runs}
            return installed.ask("krippendorff", given)
        except Failed as why:
            return str(why)


def _units(table: Marks) -> units.Units:
    n_units, n_raters = table.shape
    return units.units(
        unit=np.repeat(np.arange(n_units), n_raters),
        rater=np.tile(np.arange(n_raters), n_units),
        value=table.ravel(),
        levels=np.arange(LEVELS, dtype=np.float64),
        cluster=np.repeat(np.arange(n_units) % max(1, n_units // PER_QUESTION), n_raters),
    )


def _ours(table: Marks, sampling: agreement.Sampling) -> AgreementFigures:
    return agreement.agreement(_units(table), names=NAMES, sampling=sampling, resamples=RESAMPLES)


def _typical(what: Callable[[], object]) -> float:
    took = []
    for _run in range(RUNS):
        began = time.process_time()
        what()
        took.append(time.process_time() - began)
    return statistics.median(took)
