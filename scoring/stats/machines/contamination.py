"""Systems whose test scores are higher than their interviews explain, and what their log-probabilities say.

A system that has seen a test answers it well and is interviewed about it badly: it lies far below the
line of interview scores on accuracies. That is a reason to look, never a proof.

References:
    Yu et al. (2024), KIEval, section 4.4 and figure 4; Shi et al. (2024), Detecting Pretraining Data
    from Large Language Models (Min-K% Prob); Cook and Weisberg (1982), Residuals and Influence in
    Regression, section 2.2 (externally studentised residuals).
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import stats as scipy_stats

from scoring.stats import multiple
from scoring.stats.plain import Reason

FloatArray = npt.NDArray[np.float64]
#: Below so many systems a line with one left out has no residual spread.
FEWEST = 4


@dataclass(frozen=True, slots=True)
class FittedLine:
    """y = intercept + slope · x by least squares; `r` is Pearson's, None where a side is constant."""

    intercept: float
    slope: float
    r: float | None
    n: int


@dataclass(frozen=True, slots=True)
class Distance:
    """How far a system lies from the line of the others.

    `without` is that line, `residual` the distance from it, `studentised` the externally studentised
    residual, `p` the chance of one so low (t, n − 3 degrees of freedom) and `p_holm` after Holm's
    correction over the systems.
    """

    without: FittedLine | None
    residual: float | None
    studentised: float | None
    p: float | None
    p_holm: float | None
    reason: Reason | None = None


@dataclass(frozen=True, slots=True)
class Contamination:
    line: FittedLine | None
    distances: tuple[Distance, ...]
    n: int
    reason: Reason | None = None

    def flagged(self, level: float = 0.05) -> tuple[int, ...]:
        """Return the places of the systems so far below the line that chance is an unlikely reason."""
        return tuple(
            place
            for place, one in enumerate(self.distances)
            if one.p_holm is not None and one.p_holm < level
        )


def against_accuracy(accuracy: FloatArray, interview: FloatArray) -> Contamination:
    """Return the line of interview scores on accuracies and each system's distance below it.

    Args:
        accuracy: one value per system, in any unit.
        interview: their interview scores, same order.

    Raises:
        ValueError: the two differ in length, or hold NaN.
    """
    x, y = np.asarray(accuracy, float), np.asarray(interview, float)
    if x.shape != y.shape or np.isnan(x).any() or np.isnan(y).any():
        raise ValueError("Accuracy and interview score are needed for every system.")
    n = len(x)
    if n < 2 or np.ptp(x) == 0:
        reason = Reason.FEW_PAIRS if n < 2 else Reason.CONSTANT_REFERENCE
        gone = Distance(None, None, None, None, None, reason)
        return Contamination(None, (gone,) * n, n, reason)
    found = [_distance(x, y, place) for place in range(n)]
    corrected = multiple.holm([one.p for one in found])
    distances = tuple(
        Distance(one.without, one.residual, one.studentised, one.p, p, one.reason)
        for one, p in zip(found, corrected, strict=True)
    )
    return Contamination(_line(x, y), distances, n)


def _line(x: FloatArray, y: FloatArray) -> FittedLine:
    across, up = x - x.mean(), y - y.mean()
    slope = float(across @ up / (across @ across))
    spread = float(np.sqrt((across @ across) * (up @ up)))
    r = float(across @ up) / spread if spread > 0 else None
    return FittedLine(float(y.mean() - slope * x.mean()), slope, r, len(x))


def _distance(x: FloatArray, y: FloatArray, place: int) -> Distance:
    rest = np.arange(len(x)) != place
    if len(x) < FEWEST:
        return Distance(None, None, None, None, None, Reason.FEW_PAIRS)
    if np.ptp(x[rest]) == 0:
        return Distance(None, None, None, None, None, Reason.CONSTANT_REFERENCE)
    line = _line(x[rest], y[rest])
    left = y[rest] - line.intercept - line.slope * x[rest]
    degrees = len(x) - 3
    variance = float(left @ left) / degrees
    residual = float(y[place] - line.intercept - line.slope * x[place])
    across = x[rest] - x[rest].mean()
    leverage = 1 / rest.sum() + float((x[place] - x[rest].mean()) ** 2 / (across @ across))
    error = float(np.sqrt(variance * (1 + leverage)))
    if error <= 1e-12 * max(1.0, float(np.abs(y).max())):
        return Distance(line, residual, None, None, None, Reason.NO_SPREAD)
    studentised = residual / error
    p = float(scipy_stats.t.cdf(studentised, degrees))
    return Distance(line, residual, studentised, p, None)
