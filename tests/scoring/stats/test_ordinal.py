import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize

from scoring.stats.people import severity as ordinal
from scoring.stats.people.severity import Fit, SeverityMarks

WORTH, SEVERITY = 4.0, 1.0


def marks_of(table, n_levels):
    """Return marks of units by criterion: rows (criterion, unit, rater, level)."""
    rows = np.array(sorted(table))
    first = np.flatnonzero(np.diff(rows[:, 1], prepend=-1))
    return SeverityMarks(
        np.cumsum(np.diff(rows[:, 1], prepend=rows[0, 1]) != 0),
        rows[:, 2],
        rows[:, 3],
        rows[first, 0],
        np.array(n_levels),
        int(rows[:, 2].max()) + 1,
        np.ones(len(first)),
    )


def drawn(*, n=30, raters=4, n_levels=(4, 2), seed=0, seats=3):
    """Return random marks in which every level of every criterion is used."""
    rng = np.random.default_rng(seed)
    table = []
    for c, levels in enumerate(n_levels):
        for k in range(n):
            for seat, r in enumerate(rng.choice(raters, seats, replace=False)):
                level = k % levels if seat == 0 else rng.integers(0, levels)
                table.append((c, c * n + k, int(r), int(level)))
    return marks_of(table, n_levels)


def slow_cost(marks, x):
    """Return the penalised likelihood by the definition, turned; thresholds as they are."""
    n, r = len(marks.criterion), marks.n_raters
    worth, severity, tau = x[:n], x[n : n + r], x[n + r :]
    ends = np.cumsum(marks.n_levels - 1)
    total = (worth**2).sum() / (2 * WORTH) + (severity**2).sum() / (2 * SEVERITY)
    for u, i, level in zip(marks.unit, marks.rater, marks.level, strict=True):
        c = marks.criterion[u]
        mine = tau[ends[c] - marks.n_levels[c] + 1 : ends[c]]
        above = [1.0, *(1 / (1 + np.exp(-(worth[u] - severity[i] - mine)))), 0.0]
        total -= np.log(max(1e-300, above[level] - above[level + 1]))
    return total


def flat(fit, marks):
    return np.concatenate([fit.worth, fit.severity, fit.edges[marks.free]])


class TestFitted:
    @pytest.mark.parametrize("seed", range(3))
    def test_has_the_slope_nothing_by_the_definition(self, seed):
        marks = drawn(seed=seed)
        found = ordinal.fitted(marks, worth=WORTH, severity=SEVERITY)

        slope = optimize.approx_fprime(flat(found, marks), lambda x: slow_cost(marks, x), 1e-6)

        assert np.abs(slope).max() < 1e-4

    @settings(max_examples=20)
    @given(st.integers(0, 10**6), st.integers(2, 5), st.integers(1, 4))
    def test_is_best_of_all_near_it(self, seed, raters, levels):
        marks = drawn(n=8, raters=raters, n_levels=(levels, 3), seed=seed, seats=2)
        at = flat(ordinal.fitted(marks, worth=WORTH, severity=SEVERITY), marks)
        rng = np.random.default_rng(seed)

        best = slow_cost(marks, at)

        for _ in range(5):
            assert slow_cost(marks, at + rng.normal(0, 0.01, len(at))) >= best - 1e-9

    def test_does_not_care_for_the_order_of_raters(self):
        marks = drawn()
        turned = SeverityMarks(
            marks.unit,
            3 - marks.rater,
            marks.level,
            marks.criterion,
            marks.n_levels,
            4,
            marks.times,
        )

        one, other = (ordinal.fitted(m, worth=WORTH, severity=SEVERITY) for m in (marks, turned))

        assert one.severity == pytest.approx(other.severity[::-1], abs=1e-7)

    def test_of_one_level_says_nothing(self):
        marks = marks_of([(0, 0, 0, 0), (0, 0, 1, 0)], [1])

        found = ordinal.fitted(marks, worth=WORTH, severity=SEVERITY)

        assert flat(found, marks) == pytest.approx([0, 0, 0])

    def test_of_many_units_is_that_of_any_start(self, monkeypatch):
        marks = drawn(n=400, n_levels=(3, 3), raters=5, seed=7)
        slow = ordinal.fitted(marks, worth=WORTH, severity=SEVERITY)
        for name, value in (("MANY", 100), ("FEW_OF_MANY", 60), ("SEEN", 1)):
            monkeypatch.setattr(ordinal, name, value)

        fast = ordinal.fitted(marks, worth=WORTH, severity=SEVERITY)

        assert flat(fast, marks) == pytest.approx(flat(slow, marks), abs=1e-6)

    def test_of_many_units_begins_afresh_where_a_part_lacks_a_level(self, monkeypatch):
        monkeypatch.setattr(ordinal, "MANY", 10)
        monkeypatch.setattr(ordinal, "FEW_OF_MANY", 5)

        found = ordinal.fitted(drawn(n=20), worth=WORTH, severity=SEVERITY)

        assert np.isfinite(found.worth).all()


class TestKinds:
    def test_are_counted_once(self):
        marks = marks_of(
            [
                (0, 0, 0, 1), (0, 0, 1, 0),
                (0, 1, 0, 0), (0, 1, 1, 1),
                (0, 2, 1, 0), (0, 2, 0, 1),
                (1, 3, 0, 1), (1, 3, 1, 0),
            ],
            [2, 2],
        )  # fmt: skip

        kinds, of = ordinal.kinds_of(marks)

        assert kinds.times.tolist() in ([2, 1, 1], [1, 2, 1])
        assert of[0] == of[2]
        assert len({*of.tolist()}) == 3
        assert kinds.criterion.tolist() == [0, 0, 1]

    @settings(max_examples=25)
    @given(st.integers(0, 10**6))
    def test_have_the_marks_of_their_units(self, seed):
        marks = drawn(n=30, raters=2, n_levels=(2, 3), seed=seed, seats=2)

        kinds, of = ordinal.kinds_of(marks)

        def held(some, unit):
            mine = slice(some.start[unit], some.start[unit + 1])
            pairs = zip(some.rater[mine].tolist(), some.level[mine].tolist(), strict=True)
            return sorted(pairs), int(some.criterion[unit])

        assert kinds.times.sum() == len(of)
        assert all(held(marks, u) == held(kinds, k) for u, k in enumerate(of.tolist()))


class TestSteps:
    def test_are_halved_where_they_would_overshoot(self):
        marks = drawn()
        newton = ordinal._Newton(marks, WORTH, SEVERITY)
        at = ordinal._blank(marks)
        terms = ordinal._Terms(marks, at)
        far = Fit(*(64 * part for part in _parts(newton._step(at, terms))))

        there, found, length = newton._moved(at, terms, far)

        assert 0 < length < 1
        assert newton.cost(there, found) <= newton.cost(at, terms)

    def test_that_lead_nowhere_are_not_taken(self):
        marks = drawn()
        newton = ordinal._Newton(marks, WORTH, SEVERITY)
        top = ordinal.fitted(marks, worth=WORTH, severity=SEVERITY)
        terms = ordinal._Terms(marks, top)
        none = [np.zeros(len(part)) for part in (top.severity, top.edges)]
        wrong = Fit(np.full(len(top.worth), 500.0), *none)

        assert newton._moved(top, terms, wrong)[2] == 0


def _parts(step):
    return step.worth, step.severity, step.edges
