"""Tables of marks for tests: units × raters, None where nobody marked."""

from fractions import Fraction

import numpy as np
from hypothesis import strategies as st

from scoring.stats.resampled import units

#: Krippendorff (2011), Computing Krippendorff's alpha-reliability, section on missing data.
KRIPPENDORFF = [
    [1, 1, None, 1],
    [2, 2, 3, 2],
    [3, 3, 3, 3],
    [3, 3, 3, 3],
    [2, 2, 2, 2],
    [1, 2, 3, 4],
    [4, 4, 4, 4],
    [1, 1, 2, 1],
    [2, 2, 2, 2],
    [None, 5, 5, 5],
    [None, None, 1, 1],
    [None, 3, None, None],
]
#: Shrout and Fleiss (1979), table 2: six targets, four judges.
SHROUT_FLEISS = [
    [9, 2, 5, 8],
    [6, 1, 3, 2],
    [8, 4, 6, 8],
    [7, 1, 2, 6],
    [10, 5, 6, 9],
    [6, 2, 4, 7],
]


def units_of(table, *, levels=None, cluster=None):
    """Return a table of marks as units; `cluster` is of each row."""
    cells = [
        (row, rater, float(value), row if cluster is None else cluster[row])
        for row, values in enumerate(table)
        for rater, value in enumerate(values)
        if value is not None
    ]
    unit, rater, value, of = (
        (list(column) for column in zip(*cells, strict=True)) if cells else ([],) * 4
    )
    used = levels if levels is not None else sorted(set(value))
    return units.units(unit=unit, rater=rater, value=value, levels=used, cluster=of)


def tables(*, levels=4, raters=4, rows=12):
    """Draw tables of marks with gaps."""
    mark = st.one_of(st.none(), st.integers(0, levels - 1))
    width = st.integers(2, raters)
    return width.flatmap(
        lambda n: st.lists(st.lists(mark, min_size=n, max_size=n), min_size=1, max_size=rows)
    )


def slow_alpha(table, apart):
    """Return Krippendorff's α by the definition, pair by pair, as a fraction."""
    rows = [[x for x in row if x is not None] for row in table]
    rows = [row for row in rows if len(row) > 1]
    everything = [x for row in rows for x in row]
    n = len(everything)
    observed = sum(
        (Fraction(apart(a, b)) / (len(row) - 1) for row in rows for a in row for b in row),
        Fraction(0),
    )
    expected = sum((Fraction(apart(a, b)) for a in everything for b in everything), Fraction(0))
    return 1 - (n - 1) * observed / expected


def slow_ordinal(table):
    """Return the ordinal distance of Krippendorff, by the marginals of the pairable marks."""
    rows = [[x for x in row if x is not None] for row in table]
    everything = [x for row in rows if len(row) > 1 for x in row]

    def apart(a, b):
        low, high = min(a, b), max(a, b)
        between = sum(everything.count(g) for g in range(low, high + 1))
        return (between - Fraction(everything.count(low) + everything.count(high), 2)) ** 2

    return apart


def _raw(row, weight):
    n = len(row)
    pairs = [(i, j) for i in range(n) for j in range(n) if i != j]
    return sum((Fraction(weight(row[i], row[j])) for i, j in pairs), Fraction(0)) / len(pairs)


def slow_gwet(table, weight, q):
    """Return raw agreement and Gwet's AC by the definition, as fractions."""
    rows = [[x for x in row if x is not None] for row in table]
    rows = [row for row in rows if row]
    several = [row for row in rows if len(row) > 1]
    raw = sum((_raw(row, weight) for row in several), Fraction(0)) / len(several)
    share = [
        sum((Fraction(row.count(k), len(row)) for row in rows), Fraction(0)) / len(rows)
        for k in range(q)
    ]
    total = sum(Fraction(weight(a, b)) for a in range(q) for b in range(q))
    chance = total / (q * (q - 1)) * sum(p * (1 - p) for p in share)
    return raw, (raw - chance) / (1 - chance)


def many(n, raters, seed=0, levels=5):
    """Return a large table of noisy marks as an array."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, levels, n)
    return np.clip(truth[:, None] + rng.integers(-1, 2, (n, raters)), 0, levels - 1)
