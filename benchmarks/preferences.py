"""Results of a hundred thousand preferences: `python benchmarks/preferences.py`.

667 questions × 15 pairs of 6 systems × 10 annotators over 8 capabilities, both claims: from the packed
ratings of a final round to the figure that the page reads.
"""

import os
import statistics
import sys
import time
from pathlib import Path

import django
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evalsite.settings")

from scoring.stats import frame
from scoring.stats.plain import plain

SYSTEMS, QUESTIONS, RATERS, CAPABILITIES = 6, 667, 10, 8
YARDSTICK_S = 1.5


def made_columns() -> dict[str, np.ndarray]:
    """Return plain columns: sides by chance, some ties, some pairs that are bad."""
    chance = np.random.default_rng(0)
    pairs = np.array([(a, b) for a in range(SYSTEMS) for b in range(a + 1, SYSTEMS)])
    question, pair, rater = np.indices((QUESTIONS, len(pairs), RATERS)).reshape(3, -1)
    n = len(question)
    side = chance.integers(0, 2, n)
    at_a, at_b = pairs[pair, side], pairs[pair, 1 - side]
    better = at_a < at_b
    left = np.where(better, 0.55, 0.35)
    value = np.where(chance.random(n) < left, 2, 4)
    value = np.where(chance.random(n) < 0.2, chance.integers(1, 7, n), value)
    return {
        "item": question,
        "group": np.array([f"q{one}" for one in question], dtype=object),
        "capability": question % CAPABILITIES,
        "release": at_a,
        "against": at_b,
        "response": question * SYSTEMS + at_a,
        "criterion": np.array(["better"] * n, dtype=object),
        "rater": rater,
        "value": value.astype(float),
        "scale_min": np.ones(n),
        "scale_max": np.full(n, 6.0),
        "mark": np.array(["CHOICE"] * n, dtype=object),
        "active_ms": chance.integers(3000, 30000, n).astype(float),
    }


def main() -> None:
    django.setup()
    from scoring.results.preferred import computing

    data = frame.packed(frame.frame(made_columns()))
    took = []
    for _ in range(5):
        start = time.perf_counter()
        ratings = frame.unpacked(data)
        found = computing.figure_of(ratings, ratings)
        plain(found)
        took.append(time.perf_counter() - start)
    (one,) = found.criteria
    sys.stdout.write(
        f"{one.n:,} preferences, {len(one.pairs)} pairs, {len(one.parts)} parts\n"
        f"results, nothing cached   {statistics.median(took):.2f} s, median of 5 "
        f"(yardstick {YARDSTICK_S} s)\n"
    )


if __name__ == "__main__":
    main()
