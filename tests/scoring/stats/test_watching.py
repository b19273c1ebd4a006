"""Careless annotators are caught as often as is said, good ones not more often than is said."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.stats.people import watching
from scoring.stats.people.watching import WatchingPlan

# fmt: on
#: Four standard errors of a simulation of a thousand.
SOME = 4 * math.sqrt(0.25 / 1000)


class TestLines:
    def test_are_those_of_the_handbook_of_nist(self):
        # NIST/SEMATECH e-Handbook, sequential sampling: p1 = 0.01, p2 = 0.10, errors 0.05 and 0.20.
        first, second, slope = watching.lines(WatchingPlan(0.99, 0.90, 0.05, 0.20))

        assert (round(-first, 3), round(second, 3), round(slope, 4)) == (0.65, 1.156, 0.0397)


class TestPlan:
    @pytest.mark.parametrize("wrong", [(0.5, 0.5), (0.5, 0.8), (1.0, 0.5), (0.9, 0.0)])
    def test_refuses_shares_that_cannot_be_told_apart(self, wrong):
        with pytest.raises(ValueError, match="careless"):
            WatchingPlan(*wrong)

    def test_refuses_errors_that_are_no_small_chances(self):
        with pytest.raises(ValueError, match="errors"):
            WatchingPlan(alpha=0.5)


class TestSequential:
    def test_suspects_whoever_is_wrong_again_and_again(self):
        found = watching.sequential(np.zeros(20, dtype=bool), WatchingPlan())

        # Each error adds ln(0.45 / 0.15) = 1.0986; ln(0.95 / 0.01) = 4.5539 is passed by the fifth.
        assert (found.alarm, found.at, found.n) == (True, 5, 20)

    def test_clears_and_begins_anew_so_that_a_later_lapse_is_seen(self):
        right = np.array([True] * 63 + [False] * 5)

        assert watching.sequential(right, WatchingPlan()).at == 68

    @given(st.lists(st.booleans(), max_size=60))
    def test_suspects_sooner_or_at_the_same_time_if_more_is_wrong(self, right):
        plan = WatchingPlan()
        fewer = watching.sequential(np.array(right, dtype=bool), plan)
        if right:
            worse = [*right]
            worse[-1] = False
            assert fewer.alarm <= watching.sequential(np.array(worse, dtype=bool), plan).alarm

    @pytest.mark.parametrize(("share", "n"), [(0.85, 30), (0.55, 30), (0.35, 12)])
    def test_raises_the_signal_as_often_as_is_said(self, share, n):
        plan, rng = WatchingPlan(), np.random.default_rng(5)
        caught = [watching.sequential(rng.random(n) < share, plan).alarm for _ in range(1000)]

        said = watching.alarm_rate(plan, share, n)

        assert abs(np.mean(caught) - said.value) <= SOME * 2 * math.sqrt(
            max(said.value * (1 - said.value), 0.01)
        )

    def test_catches_careless_annotators_and_seldom_a_good_one(self):
        plan = WatchingPlan()

        assert watching.alarm_rate(plan, plan.careless, 60).value > 0.9
        # Begun anew when cleared, it may err more than once: within 30 grades still under 3 %.
        assert watching.alarm_rate(plan, plan.good, 30).value < 0.03

    def test_refuses_a_share_that_is_none(self):
        with pytest.raises(ValueError, match="between 0 and 1"):
            watching.alarm_rate(WatchingPlan(), 1.5, 10)


class TestTails:
    def test_are_exact(self):
        # Of ten with chance one half: P(X ≤ 1) = 11 / 1024, P(X ≤ 0) = 1 / 1024.
        found = watching.few_hits(1, 10, 0.5, alpha=0.0101)
        assert found.chance == pytest.approx(11 / 1024)
        assert (found.alarm, found.false_alarm) == (False, pytest.approx(1 / 1024))
        turned = watching.many_hits(9, 10, 0.5, alpha=0.0101)
        assert turned.chance == pytest.approx(11 / 1024)

    @given(st.integers(1, 40), st.floats(0.05, 0.95), st.floats(0.001, 0.2))
    def test_raise_the_signal_by_chance_no_more_often_than_asked(self, n, share, alpha):
        for test in (watching.few_hits, watching.many_hits):
            chances = [test(k, n, share, alpha=alpha) for k in range(n + 1)]
            assert chances[0].false_alarm <= alpha
            raised = [one.n_hits for one in chances if one.alarm]
            pmf = [math.comb(n, k) * share**k * (1 - share) ** (n - k) for k in raised]
            assert math.fsum(pmf) == pytest.approx(chances[0].false_alarm, abs=1e-9)

    @pytest.mark.parametrize("wrong", [(1, 0, 0.5), (3, 2, 0.5), (0, 2, 1.5)])
    def test_refuse_what_cannot_be(self, wrong):
        for test in (watching.few_hits, watching.many_hits):
            with pytest.raises(ValueError, match=r"There must|A share"):
                test(*wrong)
