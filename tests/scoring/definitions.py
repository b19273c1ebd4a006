"""Coefficients by their definitions, in exact fractions and without any care for time."""

from fractions import Fraction
from itertools import product

from tests.scoring.marks import slow_alpha, slow_gwet, slow_ordinal

WEIGHTS = {
    "nominal": lambda a, b, q: Fraction(int(a == b)),
    "ordinal": lambda a, b, q: 1 - Fraction(abs(a - b) * (abs(a - b) + 1), q * (q - 1)),
    "linear": lambda a, b, q: 1 - Fraction(abs(a - b), q - 1),
    "quadratic": lambda a, b, q: 1 - Fraction((a - b) ** 2, (q - 1) ** 2),
}
DISTANCES = {
    "nominal": lambda a, b: Fraction(int(a != b)),
    "interval": lambda a, b: Fraction((a - b) ** 2),
    "ratio": lambda a, b: Fraction(a - b, a + b) ** 2 if a + b else Fraction(0),
}


def coefficients(table, q):
    """Return every coefficient of a table of marks from 0 to q − 1; None where it divides by 0."""
    made = {}
    for name, apart in {**DISTANCES, "ordinal": slow_ordinal(table)}.items():
        made[f"alpha_{name}"] = _or_none(lambda apart=apart: slow_alpha(table, apart))
    for name, weight in WEIGHTS.items():
        of = _or_none(lambda weight=weight: slow_gwet(table, lambda a, b: weight(a, b, q), q))
        made["ac1" if name == "nominal" else f"ac2_{name}"] = of and of[1]
    made["raw"] = slow_gwet(table, lambda a, b: int(a == b), q)[0]
    made["fleiss"] = _or_none(lambda: fleiss(table, q))
    return made


def fleiss(table, q):
    """Return Fleiss' κ: the shares of the levels are means over the units."""
    rows = [row for row in ([x for x in row if x is not None] for row in table) if row]
    raw = slow_gwet(table, lambda a, b: int(a == b), q)[0]
    shares = [sum(Fraction(row.count(k), len(row)) for row in rows) / len(rows) for k in range(q)]
    chance = sum((share**2 for share in shares), Fraction(0))
    return (raw - chance) / (1 - chance)


def kappa(rows, q, name):
    """Return Cohen's κ of pairs of marks."""
    weight, n = WEIGHTS[name], len(rows)
    raw = sum((weight(a, b, q) for a, b in rows), Fraction(0)) / n
    chance = sum((weight(a, b, q) for (a, _), (_, b) in product(rows, rows)), Fraction(0)) / n**2
    return _or_none(lambda: (raw - chance) / (1 - chance))


def intraclass(table):
    """Return the six intraclass correlations of complete rows, from the sums of squares."""
    rows = [[Fraction(x) for x in row] for row in table if None not in row]
    n, k = len(rows), len(rows[0])
    grand = sum(map(sum, rows), Fraction(0)) / (n * k)
    means = [sum(row) / k for row in rows]
    sides = [sum(row[j] for row in rows) / n for j in range(k)]
    between = k * sum((m - grand) ** 2 for m in means)
    judges = n * sum((m - grand) ** 2 for m in sides)
    within = sum((x - m) ** 2 for row, m in zip(rows, means, strict=True) for x in row)
    b, w = between / (n - 1), within / (n * (k - 1))
    j, e = judges / (k - 1), (within - judges) / ((n - 1) * (k - 1))
    forms = {
        "1,1": lambda: (b - w) / (b + (k - 1) * w),
        "2,1": lambda: (b - e) / (b + (k - 1) * e + k * (j - e) / n),
        "3,1": lambda: (b - e) / (b + (k - 1) * e),
        "1,k": lambda: (b - w) / b,
        "2,k": lambda: (b - e) / (b + (j - e) / n),
        "3,k": lambda: (b - e) / b,
    }
    return {form: _or_none(find) for form, find in forms.items()}


def _or_none(find):
    try:
        return find()
    except ZeroDivisionError:
        return None
