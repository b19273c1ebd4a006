"""Correlations and their bootstrap by nlpstats; in its own Python."""

import json
import statistics
import sys
import time

import numpy as np
from nlpstats.correlations import bootstrap, correlate


def main() -> None:
    given = json.loads(sys.argv[1])
    x, z = np.load(given["judge"]), np.load(given["human"])
    found = []
    for level, name in given["cells"]:
        took = []
        for _run in range(given["runs"]):
            began = time.process_time()
            bounds = bootstrap(x, z, level, name, "both", n_resamples=given["resamples"])
            took.append(time.process_time() - began)
        found.append(
            {
                "cpu": statistics.median(took),
                "value": float(correlate(x, z, level, name)),
                "bounds": [float(bounds.lower), float(bounds.upper)],
            }
        )
    print(json.dumps(found))


if __name__ == "__main__":
    main()
