"""A mixed model of grades: systems and criteria, with questions and annotators as samples at once.

A mark y, as a share of its scale, is μ + system + criterion + question + annotator + system × question +
system × annotator + rest; the last five are random and independent. It is a cross-check of the plain
figures, which assume less: there nothing needs to add up, and no random part to be normal.

References:
    Bates, Mächler, Bolker, Walker (2015), Fitting linear mixed-effects models using lme4 (crossed random
    effects). Patterson and Thompson (1971), Recovery of inter-block information (REML).
    Fitted by `statsmodels` MixedLM.
"""

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import special
from statsmodels.regression.mixed_linear_model import MixedLM, VCSpec

from scoring.stats.plain import Reason
from scoring.stats.resampled.exact import Label
from scoring.stats.resampled.linear import FloatArray, IntArray
from scoring.stats.scores.said import ModelComponent, ModelDifference, ModelFigure, ModelSystem

#: Above so many grades it takes too long: the time grows with their cube.
MOST = 1_000
#: One after another, until one comes to an end: components at their bound of 0 stop some of them.
METHODS = ("lbfgs", "powell")
#: The random parts by name, and the columns whose labels together tell their effects apart.
PARTS: dict[str, tuple[str, ...]] = {
    "question": ("group",),
    "annotator": ("rater",),
    "system_question": ("release", "group"),
    "system_annotator": ("release", "rater"),
}
REST = "rest"


def mixed(ratings: pd.DataFrame, *, level: float = 0.95, most: int = MOST) -> ModelFigure:
    """Fit the model to the rows of a ratings frame, usually after the default filter.

    The mean of a system is over the criteria as often as they were graded in all. Intervals are
    Wald's, cut at the ends of the scale. A random part that the design cannot tell from another one
    is left out of the model.

    Args:
        ratings: the ratings frame; rows without a value, or with an open scale, do not count.
        level: of the intervals.
        most: grades; above these nothing is fitted.
    """
    rows = _shares(ratings)
    counts = (len(rows), rows["group"].nunique(), rows["rater"].nunique())
    reason = _refused(rows, most)
    if reason is not None:
        return ModelFigure((), (), (), False, *counts, reason)
    releases = sorted(rows["release"].unique().tolist())
    exog, means = _fixed(rows, releases)
    codes = {name: _codes(rows, columns) for name, columns in PARTS.items()}
    told = _told_apart(codes, len(rows), len(releases))
    try:
        found = _fit(rows["share"].to_numpy(np.float64), exog, {name: codes[name] for name in told})
    except np.linalg.LinAlgError:
        return ModelFigure((), (), (), False, *counts, Reason.NOT_CONVERGED)
    variances = dict(zip(told, found.variances, strict=True)) | {REST: found.rest}
    z = float(special.ndtri(0.5 + level / 2))
    n = len(releases)
    return ModelFigure(
        tuple(ModelSystem(releases[i], *_effect(means[i], found, z, 0.0)) for i in range(n)),
        tuple(
            ModelDifference(releases[i], releases[j], *_effect(means[i] - means[j], found, z, -1.0))
            for i in range(n)
            for j in range(i + 1, n)
        ),
        tuple(ModelComponent(name, variances.get(name)) for name in (*PARTS, REST)),
        found.converged,
        *counts,
        None,
    )


def _shares(ratings: pd.DataFrame) -> pd.DataFrame:
    width = ratings["scale_max"] - ratings["scale_min"]
    rows = ratings[ratings["value"].notna() & (width > 0)]
    share = (rows["value"] - rows["scale_min"]) / (rows["scale_max"] - rows["scale_min"])
    columns = ["release", "criterion", "group", "rater"]
    return rows[columns].astype(object).assign(share=share.astype(np.float64))


def _refused(rows: pd.DataFrame, most: int) -> Reason | None:
    if not len(rows):
        return Reason.NO_GRADES
    if len(rows) > most:
        return Reason.TOO_MANY_GRADES
    if rows["release"].nunique() < 2:
        return Reason.ONE_SYSTEM
    if rows["group"].nunique() < 2:
        return Reason.FEW_QUESTIONS
    return Reason.ALL_THE_SAME if rows["share"].nunique() < 2 else None


def _fixed(rows: pd.DataFrame, releases: Sequence[Label]) -> tuple[FloatArray, FloatArray]:
    """Return the columns of systems and of criteria but one, and how each system's mean reads them."""
    systems = np.stack([rows["release"] == one for one in releases], axis=1).astype(np.float64)
    names = sorted(rows["criterion"].unique().tolist())[1:]
    others = [(rows["criterion"] == one).to_numpy(np.float64) for one in names]
    criteria = np.stack(others, axis=1) if others else np.zeros((len(rows), 0))
    known = [n for n in range(len(names)) if _adds(systems, criteria[:, : n + 1])]
    criteria = criteria[:, known]
    means = np.hstack([np.eye(len(releases)), np.tile(criteria.mean(axis=0), (len(releases), 1))])
    return np.hstack([systems, criteria]), means


def _adds(systems: FloatArray, criteria: FloatArray) -> bool:
    """Return whether the last criterion says something that the columns before it do not."""
    wide = np.hstack([systems, criteria])
    return bool(np.linalg.matrix_rank(wide) > np.linalg.matrix_rank(wide[:, :-1]))


def _codes(rows: pd.DataFrame, columns: Sequence[str]) -> IntArray:
    return np.asarray(rows.groupby(list(columns), observed=True).ngroup(), dtype=np.int64)


def _told_apart(codes: dict[str, IntArray], n: int, n_systems: int) -> list[str]:
    """Return the random parts that the design tells from the rest and from each other."""
    told: list[str] = []
    for name, code in codes.items():
        levels = int(code.max()) + 1
        few = n_systems + 1 if name.startswith("system_") else 2
        same = any(_same(code, codes[other]) for other in told)
        if few <= levels < n and not same:
            told.append(name)
    return told


def _same(a: IntArray, b: IntArray) -> bool:
    """Return whether two columns divide the rows alike."""
    n = len(np.unique(a * (int(b.max()) + 1) + b))
    return n == len(np.unique(a)) == len(np.unique(b))


@dataclass(frozen=True, slots=True)
class _MixedFit:
    effects: FloatArray
    covariance: FloatArray
    variances: list[float]
    rest: float
    converged: bool


def _fit(share: FloatArray, exog: FloatArray, codes: dict[str, IntArray]) -> _MixedFit:
    """Fit by REML. All rows are one group: random effects that cross know no smaller ones.

    Raises:
        numpy.linalg.LinAlgError: the equations cannot be solved.
    """
    wide = {name: np.eye(int(code.max()) + 1)[code] for name, code in codes.items()}
    names = [[str(n) for n in range(one.shape[1])] for one in wide.values()]
    parts = VCSpec(list(wide), [[one] for one in names], [[one] for one in wide.values()])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what is to be said of a fit is returned
        model = MixedLM(share, exog, np.zeros(len(share)), exog_vc=parts)
        found = model.fit(reml=True, method=list(METHODS))
    k = exog.shape[1]
    covariance = np.asarray(found.cov_params(), dtype=np.float64)[:k, :k]
    if not np.isfinite(covariance).all():
        raise np.linalg.LinAlgError
    return _MixedFit(
        np.asarray(found.fe_params, dtype=np.float64),
        covariance,
        np.asarray(found.vcomp, dtype=np.float64).tolist(),
        float(found.scale),
        bool(found.converged),
    )


def _effect(
    reads: FloatArray, found: _MixedFit, z: float, least: float
) -> tuple[float, float, float]:
    """Return what the model says of a system or a difference, with its interval."""
    value = float(reads @ found.effects)
    half = z * math.sqrt(max(0.0, float(reads @ found.covariance @ reads)))
    return value, max(least, value - half), min(1.0, value + half)
