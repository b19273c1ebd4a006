"""A few human grades and a judge's scores of everything: an unbiased mean with a shorter interval.

A judge's mean over everything is corrected by how far people and judge are apart where people
graded, each response weighted by 1 / its probability of having been chosen (Hájek's form). The
judge is trusted as far as it helps: its share λ is the one with the smallest variance, so a useless
judge costs nothing and an affine change of its scale changes nothing.

The interval is for the mean over such questions. Its variance is that of the sums of influences
over clusters (questions), so responses to one question may depend on each other; Student's t with
the clusters that people graded, less one for people alone and less two with the judge, for λ is fitted
to the same grades. *Effective sample size* is how many purely human grades of the same design would
have given this interval. A judge is never worth more than people's grades of every response: an
interval of a small sample that looks shorter than theirs is widened to it. Where a judge would widen
the interval, people stand alone.

The sample must have been drawn by lot from these very responses. A graded response without an
inclusion probability above 0 is refused, for then no weighting can make the figure unbiased; so is a
sample whose weights do not add up to the number of responses, by more than four standard errors that
this sum has if the weights are right and clusters were drawn independently: it was drawn from
something else.

References:
    Angelopoulos, Bates, Fannjiang, Jordan and Zrnic (2023), Prediction-powered inference, section 2.
    Angelopoulos, Duchi and Zrnic (2023), PPI++: efficient prediction-powered inference, section 6.
    Särndal, Swensson and Wretman (1992), Model assisted survey sampling, section 5.7 (Hájek).
"""

import numpy as np
from scipy import special

from scoring.stats.judges.said import Powered, ResidualMean
from scoring.stats.plain import Reason
from scoring.stats.resampled import linear as resampling
from scoring.stats.resampled.linear import FloatArray, IntArray

#: Standard errors by which the weights may miss the number of responses.
FAR = 4
METHOD = "prediction-powered mean, weights 1 / inclusion probability, λ with the least variance"


def powered_mean(
    *,
    judge: FloatArray,
    human: FloatArray,
    inclusion: FloatArray,
    cluster: IntArray,
    confidence: float = 0.95,
) -> Powered:
    """Return the prediction-powered mean of one system.

    Args:
        judge: its score of every response, on any scale; NaN is missing.
        human: the people's mean, NaN where nobody graded.
        inclusion: the probability with which each response was chosen for people; read where
            people graded.
        cluster: the question of each response.
        confidence: of the intervals.

    Raises:
        ValueError: columns are uneven, or the confidence is not between 0 and 1.
    """
    n = len(judge)
    if not n == len(human) == len(inclusion) == len(cluster):
        raise ValueError("The columns differ in length.")
    if not 0 < confidence < 1:
        raise ValueError("The confidence of an interval lies between 0 and 1.")
    graded = ~np.isnan(human)
    scored = ~np.isnan(judge)
    counts = (n, int(graded.sum()), len(np.unique(cluster[graded])), int((~scored).sum()))
    reason = _refused(judge, human, inclusion, cluster)
    if reason is not None:
        gone = ResidualMean(None, None, None, reason)
        return Powered(gone, gone, None, None, *counts, None, None, confidence, METHOD)
    filled = np.where(scored, judge, judge[scored].mean())
    weight = np.where(graded, 1 / inclusion, 0.0)
    weight = weight * (n / weight.sum())
    told = np.where(graded, human, 0.0)
    mean_human = float(weight @ told / n)
    judge_all, judge_graded = float(filled.mean()), float(weight @ filled / n)
    # Influences of each response on the two parts of: humans + λ (judge of all − judge of graded).
    of_human = weight * (told - mean_human)
    of_judge = (filled - judge_all) - weight * (filled - judge_graded)
    a, b = _by_cluster(of_judge, cluster), _by_cluster(of_human, cluster)
    below = float(a @ a)
    share = -float(a @ b) / below if below > 1e-24 * max(1.0, float(b @ b)) else 0.0
    value = mean_human + share * (judge_all - judge_graded)
    of_both, alone = _variance(b + share * a, n, counts[2], 2), _variance(b, n, counts[2], 1)
    humans = _mean(mean_human, alone, _t(confidence, counts[2] - 1))
    # What all responses would have given, had people graded them.
    of_both = max(of_both, alone * counts[1] / n)
    if of_both < alone:
        powered = _mean(value, of_both, _t(confidence, counts[2] - 2))
    else:
        share, of_both, powered = 0.0, alone, humans
    # Without a spread, what is left of both variances is rounding.
    effective = counts[1] * alone / of_both if powered.reason is None else None
    return Powered(
        powered=powered,
        humans=humans,
        judge_mean=judge_all,
        share=share,
        n=n,
        n_human=counts[1],
        n_clusters=counts[2],
        n_imputed=counts[3],
        effective=effective,
        saved=None if effective is None else effective - counts[1],
        confidence=confidence,
        method=METHOD,
    )


def _refused(
    judge: FloatArray, human: FloatArray, inclusion: FloatArray, cluster: IntArray
) -> Reason | None:
    graded = ~np.isnan(human)
    if not graded.any():
        return Reason.NO_GRADES
    if np.isnan(judge).all():
        return Reason.NO_SCORES
    chance = inclusion[graded]
    # Also a comparison with NaN is false.
    if not ((chance > 0) & (chance <= 1)).all():
        return Reason.NOT_RANDOM
    of_cluster = _by_cluster(1 / chance, cluster[graded])
    rest = np.maximum(0, 1 - _by_cluster(chance, cluster[graded]) / _sizes(cluster[graded]))
    told, n = float(of_cluster.sum()), len(judge)
    # The sample's own spread, scaled to what it is if the weights tell the truth: a sample that is
    # small by chance would else think itself too exact.
    spread = float((of_cluster**2 * rest).sum()) * n / told
    if abs(told - n) > FAR * np.sqrt(spread) + 0.5:
        return Reason.OTHER_FRAME
    return Reason.FEW_QUESTIONS if len(of_cluster) < resampling.FEWEST else None


def _sizes(cluster: IntArray) -> FloatArray:
    return _by_cluster(np.ones(len(cluster)), cluster)


def _by_cluster(influence: FloatArray, cluster: IntArray) -> FloatArray:
    place = np.unique(cluster, return_inverse=True)[1].ravel()
    made: FloatArray = np.bincount(place, weights=influence).astype(np.float64)
    return made


def _variance(of_clusters: FloatArray, n: int, graded: int, fitted: int) -> float:
    return float(of_clusters @ of_clusters) / n**2 * graded / (graded - fitted)


def _t(confidence: float, freedom: int) -> float:
    return float(special.stdtrit(freedom, 0.5 + confidence / 2))


def _mean(value: float, variance: float, t: float) -> ResidualMean:
    if variance <= 1e-24 * max(1.0, value * value):
        return ResidualMean(value, None, None, Reason.NO_SPREAD)
    half = t * float(np.sqrt(variance))
    return ResidualMean(value, value - half, value + half, None)
