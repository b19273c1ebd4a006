"""Small tables of a judge beside people, for tests, and correlations written out slowly."""

import itertools
import math
from fractions import Fraction

import numpy as np
from hypothesis import strategies as st

from scoring.stats.judges import levels
from scoring.stats.resampled import exact


def rows_of(systems, groups, samples=1):
    """All systems in all groups, in this order."""
    keys = list(itertools.product(range(systems), range(groups), range(samples)))
    return levels.rows(
        response=[f"s{s:02} g{g:02} {k}" for s, g, k in keys],
        system=[f"s{s:02}" for s, _, _ in keys],
        group=[f"g{g:02}" for _, g, _ in keys],
    )


def pairs_of(judge, human):
    """Pair two tables of systems × groups; None or NaN is missing."""
    judge, human = (np.array(one, dtype=np.float64) for one in (judge, human))
    table = rows_of(*judge.shape)
    return levels.pairs(table, exact.values(judge.ravel()), exact.values(human.ravel()))


def noisy(systems=6, groups=20, *, seed=0, levels_of_marks=5, noise=1.0):
    """A judge and people who see the same worth through noise; people's marks are whole."""
    rng = np.random.default_rng(seed)
    worth = rng.normal(0, 1, (systems, 1)) + rng.normal(0, 1, (systems, groups))
    judge = np.round(worth + noise * rng.normal(0, 1, (systems, groups)), 3)
    human = np.clip(np.rint(worth + levels_of_marks / 2), 0, levels_of_marks)
    return judge, human


def slow(x, y, name):
    """One coefficient by its definition, pair by pair; None where it is undefined."""
    n = len(x)
    if n < 2 or len(set(x)) < 2 or len(set(y)) < 2:
        return None
    if name in ("kendall_b", "kendall_c"):
        return _slow_kendall(x, y, name)
    if name == "spearman":
        x, y = _midranks(x), _midranks(y)
    x, y = ([Fraction(v) for v in side] for side in (x, y))
    mx, my = sum(x) / n, sum(y) / n
    above = sum((a - mx) * (b - my) for a, b in zip(x, y, strict=True))
    left, right = sum((a - mx) ** 2 for a in x), sum((b - my) ** 2 for b in y)
    return float(above) / math.sqrt(float(left) * float(right))


def _slow_kendall(x, y, name):
    n = len(x)
    net = left = right = 0
    for i, j in itertools.combinations(range(n), 2):
        a, b = (x[i] > x[j]) - (x[i] < x[j]), (y[i] > y[j]) - (y[i] < y[j])
        net, left, right = net + a * b, left + a * a, right + b * b
    if name == "kendall_b":
        return net / math.sqrt(left * right)
    kinds = min(len(set(x)), len(set(y)))
    return 2 * net * kinds / (n * n * (kinds - 1))


def _midranks(x):
    ordered = sorted(x)
    return [ordered.index(v) + Fraction(ordered.count(v) + 1, 2) for v in x]


def columns(n_min=2, n_max=12, top=4):
    """Draw two columns of one length with many ties."""
    value = st.integers(0, top)
    return st.integers(n_min, n_max).flatmap(
        lambda n: st.tuples(*[st.lists(value, min_size=n, max_size=n)] * 2)
    )
