"""Correlations of many resamples at once: each a weighting of the same values.

A weight is how often a value was drawn, so that a result equals, bit for bit for the rank
coefficients, the one computed on the values written out as often. All are ratios of the same
form: with a(i, j) the sign of x(i) − x(j), Kendall's τ-b correlates the signs over all pairs,
Spearman's ρ their sums over j (Kendall 1948, Rank correlation methods, chapter 2). Undefined is
NaN here: one side does not vary. Chance is the caller's.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from scoring.stats.linear import FloatArray, IntArray

BoolArray: TypeAlias = npt.NDArray[np.bool_]
Signs: TypeAlias = npt.NDArray[np.int8]
#: Whole numbers in either precision.
Counts: TypeAlias = npt.NDArray[np.floating[Any]]
F = TypeVar("F", bound=np.floating[Any])
Coefficient = Literal["pearson", "spearman", "kendall_b", "kendall_c"]
COEFFICIENTS: tuple[Coefficient, ...] = ("pearson", "spearman", "kendall_b", "kendall_c")
Found: TypeAlias = dict[Coefficient, FloatArray]

CHUNK_CELLS = 4_000_000  # numbers held in memory at once, a few times over
NEAR_CELLS = 250_000  # signs that stay near the processor
#: Up to here single precision holds every whole number.
SINGLE = 2**24


def of_rows(
    x: FloatArray, y: FloatArray, w: FloatArray, names: Sequence[Coefficient] = COEFFICIENTS
) -> Found:
    """Correlate row by row values that differ from row to row.

    Args:
        x: rows × values; one row stands for all.
        y: likewise.
        w: likewise, how often each value counts.
        names: the coefficients wanted.

    Returns:
        for each coefficient one number a row.
    """
    n, q = np.broadcast_shapes(x.shape, y.shape, w.shape)
    x, y, w = (np.broadcast_to(one, (n, q)) for one in (x, y, w))
    made: Found = {name: np.empty(n) for name in names}
    step = max(1, NEAR_CELLS // max(1, q * q))
    for start in range(0, n, step):
        part = slice(start, start + step)
        for name, found in _few(x[part], y[part], w[part], names).items():
            made[name][part] = found
    return made


def of_groups(
    x: FloatArray,
    y: FloatArray,
    valid: FloatArray,
    w: FloatArray,
    names: Sequence[Coefficient] = COEFFICIENTS,
) -> Found:
    """Correlate within each of many short groups of fixed values, under each weighting.

    Args:
        x: groups × slots.
        y: groups × slots.
        valid: groups × slots, 1 where there is a value, else 0.
        w: slots × resamples.
        names: the coefficients wanted.

    Returns:
        for each coefficient groups × resamples.
    """
    both = valid[:, :, None] * valid[:, None, :]
    sx, sy = _signs(x) * both, _signs(y) * both
    n_groups, q = x.shape
    made: Found = {name: np.empty((n_groups, w.shape[1])) for name in names}
    step = max(1, CHUNK_CELLS // max(1, n_groups * q, q * q))
    for start in range(0, w.shape[1], step):
        part = slice(start, start + step)
        for name in names:
            made[name][:, part] = _grouped(name, x, y, valid, sx, sy, w[:, part])
    return made


def ratio(above: FloatArray, left: FloatArray, right: FloatArray) -> FloatArray:
    """Return above ÷ √(left · right), between −1 and 1; NaN where a side does not vary."""
    below = np.sqrt(np.maximum(left, 0) * np.maximum(right, 0))
    with np.errstate(invalid="ignore", divide="ignore"):
        made = np.where(below > 0, above / below, np.nan)
    return np.clip(made, -1, 1)


def tau_c(above: FloatArray, n: FloatArray, kinds: FloatArray) -> FloatArray:
    """Return Stuart's τ-c from twice C − D, n and the smaller number of different values."""
    with np.errstate(invalid="ignore", divide="ignore"):
        made = above * kinds / (n**2 * (kinds - 1))
    return np.where(kinds > 1, made, np.nan)


def precision(n: Counts) -> type[np.floating[Any]]:
    """Return what holds sums of weights, n in each resample, exactly: none of them exceeds n²."""
    return np.float32 if float(n.max(initial=0)) ** 2 < SINGLE else np.float64


def _few(x: FloatArray, y: FloatArray, w: FloatArray, names: Sequence[Coefficient]) -> Found:
    """Correlate rows × values; signs are laid out with rows last, where they lie side by side."""
    made: Found = {}
    if "pearson" in names:
        made["pearson"] = _pearson(x, y, w)
    if set(names) - {"pearson"}:
        n = w.sum(axis=1)
        times: Counts = np.ascontiguousarray(w.T, dtype=precision(n))
        sx, sy = (_pair_signs(np.ascontiguousarray(one.T)) for one in (x, y))
        if "spearman" in names:
            made["spearman"] = _spearman(sx, sy, times)
        above = _quadratic(sx * sy, times)
        if "kendall_b" in names:
            made["kendall_b"] = ratio(above, _quadratic(sx * sx, times), _quadratic(sy * sy, times))
        if "kendall_c" in names:
            kinds = np.minimum(_kinds(sx, times), _kinds(sy, times))
            made["kendall_c"] = tau_c(above, n, kinds)
    return made


def _pearson(x: FloatArray, y: FloatArray, w: FloatArray) -> FloatArray:
    n = w.sum(axis=1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        dx = x - (w * x).sum(axis=1, keepdims=True) / n
        dy = y - (w * y).sum(axis=1, keepdims=True) / n
    made = ratio((w * dx * dy).sum(axis=1), (w * dx * dx).sum(axis=1), (w * dy * dy).sum(axis=1))
    return np.where(_varies(x, w) & _varies(y, w), made, np.nan)


def _varies(x: FloatArray, w: FloatArray) -> BoolArray:
    high = np.where(w > 0, x, -np.inf).max(axis=1)
    low = np.where(w > 0, x, np.inf).min(axis=1)
    made: BoolArray = high > low
    return made


def _signs(x: FloatArray) -> FloatArray:
    made: FloatArray = np.sign(x[:, :, None] - x[:, None, :])
    return made


def _pair_signs(x: FloatArray) -> Signs:
    """Return values × values × rows from values × rows: whether the first is above the second."""
    above = (x[:, None] > x).view(np.int8)
    return above - above.swapaxes(0, 1)


def _spearman(sx: Signs, sy: Signs, w: Counts) -> FloatArray:
    dx, dy = (_against(s, w).astype(np.float64) for s in (sx, sy))
    return ratio(*((w * a * b).sum(axis=0) for a, b in ((dx, dy), (dx, dx), (dy, dy))))


def _against(s: Signs, w: Counts) -> Counts:
    """Return for each value the sum over all others, as often as they count: values × rows."""
    made: Counts = np.einsum("ijr,jr->ir", s.astype(w.dtype), w)
    return made


def _quadratic(s: Signs, w: Counts) -> FloatArray:
    made: FloatArray = np.einsum("ir,ir->r", w, _against(s, w)).astype(np.float64)
    return made


def _kinds(s: Signs, w: Counts) -> FloatArray:
    """Count different values: each of k equal ones that were drawn counts for 1 ÷ k."""
    drawn = (w > 0).astype(np.float64)
    equal = _against((s == 0).view(np.int8), drawn)
    made: FloatArray = np.rint((drawn / np.maximum(equal, 1)).sum(axis=0))
    return made


def _grouped(
    name: Coefficient,
    x: FloatArray,
    y: FloatArray,
    valid: FloatArray,
    sx: FloatArray,
    sy: FloatArray,
    w: FloatArray,
) -> FloatArray:
    n_groups, q = x.shape
    if name == "spearman":
        dx, dy = (
            (s.reshape(n_groups * q, q) @ w).reshape(n_groups, q, w.shape[1]) for s in (sx, sy)
        )
        wx, wy = w * dx, w * dy
        return ratio(
            np.einsum("gqr,gqr->gr", wx, dy),
            np.einsum("gqr,gqr->gr", wx, dx),
            np.einsum("gqr,gqr->gr", wy, dy),
        )
    twice = (w[:, None, :] * w[None, :, :]).reshape(q * q, w.shape[1])

    def paired(s: FloatArray) -> FloatArray:
        made: FloatArray = s.reshape(n_groups, q * q) @ twice
        return made

    if name == "pearson":
        varies = (paired(sx * sx) > 0) & (paired(sy * sy) > 0)
        return np.where(varies, _grouped_pearson(x, y, valid, w), np.nan)
    if name == "kendall_b":
        return ratio(paired(sx * sy), paired(sx * sx), paired(sy * sy))
    kinds = np.minimum(_grouped_kinds(sx, valid, w), _grouped_kinds(sy, valid, w))
    return tau_c(paired(sx * sy), valid @ w, kinds)


def _grouped_pearson(x: FloatArray, y: FloatArray, valid: FloatArray, w: FloatArray) -> FloatArray:
    count = np.maximum(valid.sum(axis=1, keepdims=True), 1)
    dx = (x - (x * valid).sum(axis=1, keepdims=True) / count) * valid
    dy = (y - (y * valid).sum(axis=1, keepdims=True) / count) * valid
    n = np.maximum(valid @ w, 1)
    mx, my = dx @ w / n, dy @ w / n
    return ratio(
        (dx * dy) @ w - n * mx * my, (dx * dx) @ w - n * mx * mx, (dy * dy) @ w - n * my * my
    )


def _grouped_kinds(s: FloatArray, valid: FloatArray, w: FloatArray) -> FloatArray:
    n_groups, q = valid.shape
    both = valid[:, :, None] * valid[:, None, :]
    drawn = (w > 0).astype(np.float64)
    equal = (((s == 0) * both).reshape(n_groups * q, q) @ drawn).reshape(n_groups, q, w.shape[1])
    made: FloatArray = np.rint((drawn * valid[:, :, None] / np.maximum(equal, 1)).sum(axis=1))
    return made


def expanded(counts: npt.NDArray[F], of: IntArray) -> npt.NDArray[F]:
    """Return the weights of values from how often each of their clusters was drawn.

    Args:
        counts: resamples × clusters.
        of: the cluster of each value.

    Returns:
        values × resamples.
    """
    return rows(np.ascontiguousarray(counts.T), of)


def rows(a: npt.NDArray[F], at: IntArray) -> npt.NDArray[F]:
    """Return these rows, copied whole, which indexing by an array does number by number."""
    made = np.empty((len(at), a.shape[1]), dtype=a.dtype)
    return np.take(a, at, axis=0, out=made, mode="clip")


def mean_over_groups(each: Mapping[Coefficient, FloatArray], times: FloatArray) -> Found:
    """Return the mean over the groups that vary, each counted as often as it was drawn.

    Args:
        each: groups × resamples, NaN where a group does not vary.
        times: groups × resamples, how often each group was drawn.
    """
    made: Found = {}
    for name, found in each.items():
        there = np.isfinite(found)
        n = (there * times).sum(axis=0)
        total = (np.where(there, found, 0) * times).sum(axis=0)
        made[name] = np.where(n > 0, total / np.maximum(n, 1), np.nan)
    return made
