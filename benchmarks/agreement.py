"""α, AC1 and raw agreement with intervals of a million grades: `python benchmarks/agreement.py`.

200,000 responses on one criterion of five levels, by five raters each, 10,000 questions. Beside it
the package `krippendorff` (`pip install krippendorff`), in the same run over the same marks: it gives
the coefficient alone; the same interval by it would take one more for each of the 1,000 resamples.
"""

import os
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as manage.py does

import numpy as np

try:
    import krippendorff
except ImportError:  # only this measurement wants it
    krippendorff = None

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from scoring.stats.people import agreement
from scoring.stats.people.said import AgreementFigures
from scoring.stats.resampled import units

UNITS, RATERS, LEVELS, QUESTIONS = 200_000, 5, 5, 10_000
NAMES = ("alpha_ordinal", "ac1", "raw")
RUNS, RESAMPLES = 5, 1_000
UNIT_S, CLUSTER_S, TIMES = 0.1, 0.2, 50


def typical(what: Callable[[], object]) -> float:
    took = []
    for _ in range(RUNS):
        began = time.process_time()
        what()
        took.append(time.process_time() - began)
    return statistics.median(took)


def main() -> None:
    rng = np.random.default_rng(0)
    worth = rng.integers(0, LEVELS, UNITS)
    marks = np.clip(worth[:, None] + rng.integers(-1, 2, (UNITS, RATERS)), 0, LEVELS - 1)
    columns = {
        "unit": np.repeat(np.arange(UNITS), RATERS),
        "rater": np.tile(np.arange(RATERS), UNITS),
        "value": marks.ravel().astype(np.float64),
        "cluster": np.repeat(np.arange(UNITS) % QUESTIONS, RATERS),
    }
    levels = np.arange(LEVELS, dtype=np.float64)

    def mine(sampling: agreement.Sampling) -> AgreementFigures:
        made = units.units(**columns, levels=levels)
        return agreement.agreement(made, names=NAMES, sampling=sampling)

    by_unit, by_cluster = typical(lambda: mine("unit")), typical(lambda: mine("cluster"))
    load = os.getloadavg()[0]
    sys.stdout.write(
        f"{UNITS * RATERS:,} grades, seconds of computing, medians of {RUNS}, load {load:.1f}\n"
        f"units resampled         {by_unit:7.3f} s, at most {UNIT_S}\n"
        f"questions resampled     {by_cluster:7.3f} s, at most {CLUSTER_S}\n"
    )
    if krippendorff is None:
        return
    table = marks.T.astype(np.float64)

    def known() -> float:
        return krippendorff.alpha(reliability_data=table, level_of_measurement="ordinal")

    other, found = typical(known), mine("cluster").find("alpha_ordinal").value
    whole = other * (1 + RESAMPLES)
    sys.stdout.write(
        f"krippendorff, α alone   {other:7.3f} s; with {RESAMPLES:,} resamples {whole:.0f} s, "
        f"{whole / by_unit:.0f} and {whole / by_cluster:.0f} times as long, at least {TIMES}\n"
        f"the two α differ by {abs(found - known()):.1e}\n"
    )


if __name__ == "__main__":
    main()
