"""Scores and differences with both intervals once more, by plain dictionaries and whole matrices.

Slow, and without any of the product's code: sums of squares are quadratic forms, and what is expected
of them are traces of products of matrices.
"""

import itertools
from collections import defaultdict

import numpy as np
from scipy import stats


class Layout:
    """Residuals by (question, annotator) of one figure, with their weights; strata by question."""

    def __init__(self, value, cells, stratum):
        self.value, self.keys = value, sorted(cells)
        self.questions = sorted({q for q, _r in self.keys})
        self.raters = sorted({r for _q, r in self.keys})
        self.weight = np.array([cells[key][1] for key in self.keys])
        self.y = np.array([cells[key][0] / cells[key][1] for key in self.keys])
        self.stratum = stratum
        self.strata = sorted({stratum[q] for q in self.questions})
        self.zq = np.array([[q == one for one in self.questions] for q, _r in self.keys], float)
        self.zr = np.array([[r == one for one in self.raters] for _q, r in self.keys], float)
        zs = np.array([[stratum[q] == one for one in self.strata] for q, _r in self.keys], float)
        self.m = np.eye(len(self.keys)) - zs @ np.linalg.inv(zs.T @ zs) @ zs.T
        self.freedom = len(self.questions) - len(self.strata)

    def components(self):
        """Return variances of questions, annotators and the rest, and the annotators' square."""
        of_question, of_rater, all_ = (
            self.m @ a @ self.m
            for a in (
                self.zq @ np.linalg.inv(self.zq.T @ self.zq) @ self.zq.T,
                self.zr @ np.linalg.inv(self.zr.T @ self.zr) @ self.zr.T,
                np.eye(len(self.y)),
            )
        )
        forms = (of_question, of_rater, all_)
        expected = np.array(
            [
                [
                    np.trace(self.zq.T @ one @ self.zq),
                    np.trace(self.zr.T @ one @ self.zr),
                    np.trace(one),
                ]
                for one in forms
            ]
        )
        squares = np.array([self.y @ one @ self.y for one in forms])
        found = np.linalg.pinv(expected, rcond=1e-9) @ squares
        counts = expected[1][1]
        return np.array([*found, squares[1] / counts if counts > 1e-9 else 0.0])

    def by_stratum(self, variances):
        of_question = (self.zq.T @ self.weight) ** 2 * variances[0]
        rest = self.zq.T @ self.weight**2 * variances[2]
        return {
            s: sum(
                of_question[n] + rest[n]
                for n, q in enumerate(self.questions)
                if self.stratum[q] == s
            )
            for s in self.strata
        }

    def squares(self, variances):
        """Return by stratum the sum of squares of question means, and what it should be."""
        means = np.linalg.inv(self.zq.T @ self.zq) @ self.zq.T @ self.m @ self.y
        n = self.zq.sum(axis=0)
        found = {}
        for s in self.strata:
            mine = [k for k, q in enumerate(self.questions) if self.stratum[q] == s]
            fair = len(mine) / max(len(mine) - 1, 1)
            found[s] = (
                fair * sum(means[k] ** 2 for k in mine),
                sum(variances[0] + variances[2] / n[k] for k in mine),
            )
        return found


def layout(records, release, less=None, capability=None):
    """Return the layout of a release, or of it less another on what both have."""
    sides = [_grades(records, one) for one in (release, less) if one is not None]
    common = set.intersection(*(set(one) for one in sides))
    if capability is not None:
        common = {key for key in common if key[0] == capability}
    criteria = defaultdict(set)
    for key in common:
        criteria[key[0]].add(key[1])
    cells, value = defaultdict(lambda: [0.0, 0.0]), 0.0
    for k, named in criteria.items():
        for c in named:
            mine = [key for key in common if key[:2] == (k, c)]
            share = 1 / len(criteria) / len(named)
            for n, grades in enumerate(sides):
                top, base = (sum(grades[key][i] for key in mine) for i in (0, 1))
                value += (-1) ** n * share * top / base
                for key in mine:
                    off = grades[key][0] - top / base * grades[key][1]
                    cells[key[2:]][0] += (-1) ** n * share * off / base
                    cells[key[2:]][1] += (n == 0) * share * grades[key][1] / base
    return Layout(value, dict(cells), {key[2]: key[0] for key in common}) if common else None


def _grades(records, release):
    return {
        (one["capability"], one["criterion"], one["group"], one["rater"]): (
            one["value"] - one["scale_min"],
            one["scale_max"] - one["scale_min"],
        )
        for one in records
        if one["release"] == release and one["value"] is not None
    }


def bounds(of, layouts, n_free):
    """Return variance and degrees of freedom for these annotators, and for others too."""
    found = np.mean([one.components() for one in layouts], axis=0)
    variances = np.maximum(found[:3], 0)
    parts, loss, small = 0.0, 0.0, 0.0
    sums = [one.squares(variances) for one in layouts]
    sizes = {
        s: max(sum(one.stratum[q] == s for q in one.questions) for one in layouts)
        for s in {s for one in layouts for s in one.strata}
    }
    for s, plain in of.by_stratum(variances).items():
        mine = sum(of.stratum[q] == s for q in of.questions)
        own, fair = (sum(one[s][i] for one in sums if s in one) for i in (0, 1))
        factor = own / fair if len(sizes) > 1 and sizes[s] >= 4 and fair > 0 else 1.0
        if mine >= 4 and len(of.strata) > 1:
            parts += plain * factor
            loss += (plain * factor) ** 2 / (n_free * (mine - 1))
        else:
            small += plain * factor
    these = parts + small
    loss += small**2 / (n_free * of.freedom)
    of_raters = ((of.zr.T @ of.weight) ** 2).sum()
    if these <= 1e-24:
        return (0.0, 1.0), (0.0, 1.0)
    others = these + variances[1] * of_raters
    wider = loss + (found[3] * of_raters) ** 2 / (n_free * max(len(of.raters) - 1, 1))
    return (these, these**2 / loss), (others, others**2 / wider)


def differences(records, releases):
    """Return by pair the value and, for each claim, ends and p; None where there is no interval."""
    made = {
        pair: one
        for pair in itertools.combinations(releases, 2)
        if (one := layout(records, *pair)) is not None
    }
    systems = sorted({one for pair in made for one in pair})
    rows = [[(s == a) - (s == b) for s in systems] for a, b in made]
    n_free = int(np.linalg.matrix_rank(np.array(rows, float))) if rows else 1
    found = {}
    for pair, of in made.items():
        told = []
        if of.freedom >= 5:
            for n, (variance, freedom) in enumerate(bounds(of, list(made.values()), n_free)):
                if variance <= 1e-24 or (n and len(of.raters) < 3):
                    told.append(None)
                    continue
                half = stats.t.ppf(0.975, freedom) * np.sqrt(variance)
                p = 2 * stats.t.sf(abs(of.value) / np.sqrt(variance), freedom)
                told.append((max(of.value - half, -1), min(of.value + half, 1), p))
        found[pair] = (of.value, *(told or (None, None)))
    return found
