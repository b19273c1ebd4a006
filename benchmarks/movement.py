"""Why a score moved, over a million grades: `python benchmarks/movement.py`.

Two rounds of 500,000 grades each: 100,000 contents a round, a third of them replaced, a third
changed, five of 30 annotators each, ten of whom are others in the second round.
"""

import os
import statistics
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from scoring.stats.scores import fluctuation
from scoring.stats.scores.fluctuation import TwoRounds

CONTENTS, SEATS, RATERS, OTHERS = 100_000, 5, 30, 10
RUNS, YARDSTICK_S = 5, 3.0


def made() -> TwoRounds:
    rng = np.random.default_rng(0)
    question = np.arange(CONTENTS)
    kind = question % 3  # replaced, changed, unchanged
    rows = []
    for later in (0, 1):
        seats = rng.permuted(np.tile(np.arange(RATERS), (CONTENTS, 1)), axis=1)[:, :SEATS]
        asked = question + CONTENTS * ((kind == 0) & (later == 1))
        content = 2 * asked + ((kind == 1) & (later == 1))
        rows.append(
            np.column_stack(
                [
                    np.repeat(asked, SEATS),
                    np.repeat(content, SEATS),
                    seats.ravel() + later * OTHERS,
                    np.full(CONTENTS * SEATS, later),
                    rng.integers(0, 4, CONTENTS * SEATS),
                ]
            )
        )
    table = np.concatenate(rows)
    width = np.full(len(table), 3)
    return TwoRounds(table[:, 0], table[:, 1], table[:, 2], table[:, 3] == 1, table[:, 4], width)


def main() -> None:
    rounds = made()
    for name, find in fluctuation.METHODS.items():
        took, spent = [], []
        for _ in range(RUNS):
            fresh = TwoRounds(
                rounds.question,
                rounds.content,
                rounds.rater,
                rounds.later,
                rounds.numerator,
                rounds.denominator,
            )
            began, cpu = time.perf_counter(), time.process_time()
            found = find(fresh)
            took.append(time.perf_counter() - began)
            spent.append(time.process_time() - cpu)
        off = abs(float(found.total - found.change))
        sys.stdout.write(
            f"{name:<15}{statistics.median(took):6.2f} s, {statistics.median(spent):.2f} s of it "
            f"computing, at most {YARDSTICK_S}; off by {off:.0e}; load {os.getloadavg()[0]:.1f}\n"
        )


if __name__ == "__main__":
    main()
