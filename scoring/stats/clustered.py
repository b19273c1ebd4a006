"""The mean of parts that come in clusters, with an interval that costs no resampling.

The mean of all parts is a ratio of two sums over clusters, and so is its error: the residual of each
cluster is what its sum lies away from its number of parts times the mean. With one part in each cluster
this is Student's interval.

References:
    Cochran (1977), Sampling Techniques, section 2.11 (ratio estimate); Cameron and Miller (2015), A
    practitioner's guide to cluster-robust inference, section II (t with G - 1 degrees of freedom).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import special

from scoring.stats.reasons import Reason


@dataclass(frozen=True, slots=True)
class Mean:
    """`n` parts of `n_clusters` clusters; `low` and `high` are None for the `reason`."""

    value: float
    low: float | None
    high: float | None
    n: int
    n_clusters: int
    level: float
    reason: Reason | None


def mean(values: Sequence[float], clusters: Sequence[int], *, level: float = 0.95) -> Mean:
    """Return the mean over parts with its interval over clusters.

    Args:
        values: one for each part, none missing.
        clusters: the cluster of each part.
        level: of the interval.

    Raises:
        ValueError: there are no values, or not as many clusters.
    """
    found = np.asarray(values, dtype=np.float64)
    if found.size == 0 or len(clusters) != found.size:
        raise ValueError("A mean needs values, and the cluster of each.")
    _keys, places = np.unique(np.asarray(clusters), return_inverse=True)
    n = np.bincount(places)
    value, groups = float(found.mean()), len(n)
    if groups < 2:
        return Mean(value, None, None, found.size, groups, level, Reason.FEW_QUESTIONS)
    residuals = np.bincount(places, weights=found) - n * value
    error = float(np.sqrt(groups / (groups - 1) * np.sum(residuals**2)) / found.size)
    # Sums of many equal numbers leave a rest where there is none.
    if error <= 1e-12 * max(1.0, abs(value)):
        return Mean(value, None, None, found.size, groups, level, Reason.NO_SPREAD)
    reach = float(special.stdtrit(groups - 1, (1 + level) / 2)) * error
    return Mean(value, value - reach, value + reach, found.size, groups, level, None)
