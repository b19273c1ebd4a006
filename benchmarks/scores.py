"""Scores and intervals of a million grades: `python benchmarks/scores.py`.

10,000 questions × 4 releases × 5 criteria × 5 raters over 12 capabilities, both claims.
"""

import statistics
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from scoring.stats import frame
from scoring.stats.scores import scores

QUESTIONS, RELEASES, CRITERIA, RATERS, CAPABILITIES = 10_000, 4, 5, 5, 12
YARDSTICK_S = 1.5


def made_columns() -> dict[str, list[object] | np.ndarray]:
    """Return plain columns as a query would give them: codes as text."""
    axes = np.indices((QUESTIONS, RELEASES, CRITERIA, RATERS)).reshape(4, -1)
    n = axes.shape[1]
    question, release, criterion, rater = axes
    return {
        "group": [f"q{i}" for i in question],
        "release": [f"release {i}" for i in release],
        "criterion": [f"criterion {i}" for i in criterion],
        "capability": [f"capability {i % CAPABILITIES}" for i in question],
        "rater": [f"rater {i}" for i in rater],
        "value": np.random.default_rng(0).integers(0, 4, n).astype(float),
        "scale_min": np.zeros(n),
        "scale_max": np.full(n, 3.0),
    }


def main() -> None:
    columns = made_columns()
    start = time.perf_counter()
    ratings = frame.default_filter(frame.frame(columns))
    built = time.perf_counter() - start
    took = []
    for _ in range(5):
        start = time.perf_counter()
        found = scores.scores(ratings)
        took.append(time.perf_counter() - start)
    sys.stdout.write(
        f"{len(ratings):,} grades, {len(found.rows)} rows\n"
        f"frame from plain columns   {built:.2f} s\n"
        f"scores with intervals      {statistics.median(took):.2f} s, median of 5 "
        f"(yardstick {YARDSTICK_S} s)\n"
    )


if __name__ == "__main__":
    main()
