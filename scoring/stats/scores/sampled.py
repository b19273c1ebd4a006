"""The mean over all there was, from a sample whose members were drawn with unequal chances that are known.

Some outputs go to people sooner than others: those on which judges lie apart, or that one scored low. Their
plain mean says nothing of the rest. Each weighted by 1 / its chance of having been drawn, they do (Hájek's
form of Horvitz and Thompson's estimator). Where machines scored all there was, the weighted mean is moved
by how far their mean of everything lies from their weighted mean of the sample, times the share λ that
makes the variance smallest (the difference estimator, or prediction-powered mean).

The interval is design-based, for just these outputs and these annotators: between outputs by the jackknife in
Hájek's approximation, in which an output that was certain to be drawn adds nothing, and within them by how far
annotators of one output differ. Where no output has two annotators, the second part is unknown, and the
first is taken without its correction for a finite frame, which is never too short. Student's t has the
effective sample size less one, with λ less two. It covers from about 30 outputs on; some coverage is lost
where few outputs carry most of the weight.

A sample without a chance above 0 everywhere is refused; so is one whose weights do not add up to the number
that there was, by more than four standard errors. What was drawn and not graded is taken to be missing at
random: chances are scaled by the share that was graded.

References:
    Hájek (1964), Asymptotic theory of rejective sampling with varying probabilities; (1971), the comment on Basu.
    Särndal, Swensson and Wretman (1992), Model assisted survey sampling, sections 4.3 and 5.7.
    Brewer and Donadio (2003), The high entropy variance of the Horvitz-Thompson estimator.
    Angelopoulos, Duchi and Zrnic (2023), PPI++: efficient prediction-powered inference, section 6.
"""

from collections import Counter
from dataclasses import dataclass

import numpy as np
from scipy import special

from scoring.stats.plain import Reason
from scoring.stats.resampled import linear as resampling
from scoring.stats.resampled.linear import FloatArray, IntArray
from scoring.stats.told import Number

#: Standard errors by which the weights may miss the number of outputs.
FAR = 4
#: Fewer values other than the commonest one allow no interval (as of scores).
FEWEST_DIFFERENT = 5
#: A variance below this share of the squared value is rounding.
ROUNDING = 1e-24
#: No output decides more of λ than this, for the jackknife.
MOST_LEVERAGE = 0.9


@dataclass(frozen=True, slots=True)
class SampledSystem:
    """What people graded of one system, an entry an output, and what it was drawn from.

    `aid` is what machines said of each output, and `aid_of_all` their mean over all there was; NaN and
    None where they said nothing. `n_chosen` were drawn, of `n_frame`.
    """

    value: FloatArray
    n_marks: IntArray
    inclusion: FloatArray
    n_chosen: int
    n_frame: int
    aid: FloatArray
    aid_of_all: float | None = None


@dataclass(frozen=True, slots=True)
class SampledMean:
    value: Number
    low: Number = None
    high: Number = None
    reason: Reason | None = None
    interval_reason: Reason | None = None


@dataclass(frozen=True, slots=True)
class Sampled:
    """Both means; `trust` is λ, `effective` the sample size that the unequal weights leave."""

    people: SampledMean
    helped: SampledMean
    trust: Number
    effective: Number


def sampled_mean(of: SampledSystem, *, noise: float | None, confidence: float = 0.95) -> Sampled:
    """Return the mean over all there was, by people alone and with the help of machines.

    Args:
        of: one system.
        noise: the variance of a single annotator's mark of an output; None where nobody knows.
        confidence: of the intervals.

    Raises:
        ValueError: columns are uneven, or the confidence is not between 0 and 1.
    """
    if not len(of.value) == len(of.n_marks) == len(of.inclusion) == len(of.aid):
        raise ValueError("The columns differ in length.")
    if not 0 < confidence < 1:
        raise ValueError("The confidence of an interval lies between 0 and 1.")
    if (reason := _refused(of)) is not None:
        gone = SampledMean(None, reason=reason)
        return Sampled(gone, gone, None, None)
    weight = 1 / (of.inclusion * len(of.value) / of.n_chosen)
    effective = float(weight.sum() ** 2 / (weight @ weight))
    spread = _Spread(of, weight, noise)
    mean = float(weight @ of.value / weight.sum())
    alone = spread.variance(of.value - mean)
    people = _mean(of, mean, alone, _t(confidence, effective - 1))
    helped, trust = people, 0.0
    if of.aid_of_all is not None and not np.isnan(of.aid).all():
        told = np.where(np.isnan(of.aid), of.aid_of_all, of.aid)
        here = float(weight @ told / weight.sum())
        share, leverage = spread.fitted(told - here, of.value - mean)
        both = spread.variance(of.value - mean - share * (told - here), leverage)
        if both < alone:
            moved = mean + share * (of.aid_of_all - here)
            helped, trust = _mean(of, moved, both, _t(confidence, effective - 2)), share
    return Sampled(people, helped, trust, effective)


@dataclass(frozen=True, slots=True)
class _Spread:
    """How a weighted mean of residuals varies over the samples that might have been drawn."""

    of: SampledSystem
    weight: FloatArray
    noise: float | None

    @property
    def left_open(self) -> FloatArray:
        """How far it was left to the lot whether each output is in the sample."""
        made: FloatArray = np.ones(len(self.weight)) if self.noise is None else 1 - 1 / self.weight
        return made

    def variance(self, residual: FloatArray, leverage: FloatArray | float = 0.0) -> float:
        """Return the variance; each part is what leaving an output out would change (its jackknife)."""
        rest, n = self.left_open, int((self.left_open > ROUNDING).sum())
        within = 0.0
        if self.noise is not None:
            within = float(self.weight @ (self.noise / self.of.n_marks)) / self.weight.sum() ** 2
        if n < 2:
            return within
        part = self.weight * residual / (self.weight.sum() - self.weight) / (1 - leverage)
        part = part - rest @ part / rest.sum()
        return float(rest @ part**2) * (n - 1) / n + within

    def fitted(self, aid: FloatArray, value: FloatArray) -> tuple[float, FloatArray]:
        """Return λ, with which the variance is smallest, and how far each output alone decides it."""
        rest = self.left_open
        a, b = self.weight * aid, self.weight * value
        if rest.sum() > ROUNDING:
            a, b = a - rest @ a / rest.sum(), b - rest @ b / rest.sum()
        below = float(rest @ a**2)
        if below <= ROUNDING * max(1.0, float(b @ b)):
            return 0.0, np.zeros(len(a))
        return float(rest @ (a * b)) / below, np.minimum(rest * a**2 / below, MOST_LEVERAGE)


def _refused(of: SampledSystem) -> Reason | None:
    if not len(of.value):
        return Reason.NO_GRADES
    # Also a comparison with NaN is false.
    if not ((of.inclusion > 0) & (of.inclusion <= 1)).all():
        return Reason.NOT_RANDOM
    weight = 1 / of.inclusion * of.n_chosen / len(of.value)
    spread = float((weight**2 * (1 - of.inclusion)).sum()) * of.n_frame / float(weight.sum())
    if abs(float(weight.sum()) - of.n_frame) > FAR * np.sqrt(spread) + 0.5:
        return Reason.OTHER_FRAME
    return Reason.FEW_QUESTIONS if len(of.value) < resampling.FEWEST else None


def _mean(of: SampledSystem, value: float, variance: float, t: float) -> SampledMean:
    """Return the mean with its interval, or why it has none."""
    ((_commonest, n_alike),) = Counter(of.value.tolist()).most_common(1)
    if variance <= ROUNDING * max(1.0, value * value):
        return SampledMean(value, interval_reason=Reason.NO_SPREAD)
    if len(of.value) - n_alike < FEWEST_DIFFERENT:
        return SampledMean(value, interval_reason=Reason.FEW_DIFFERENT)
    half = t * float(np.sqrt(variance))
    return SampledMean(value, value - half, value + half)


def _t(confidence: float, freedom: float) -> float:
    return float(special.stdtrit(max(1.0, freedom), 0.5 + confidence / 2))
