import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.stats.plain import Reason, plain
from scoring.stats.scores import planning
from scoring.stats.scores.said import PlanComponents
from tests.scoring.ratings import frame_of, rated

KNOWN = PlanComponents(0.08, 0.004, 0.04, 50, 4, 1, 200, ())


def pilot(*, n=120, raters=8, question=0.2, rater=0.1, residual=0.15, seed=0, keep=1.0):
    """Grade two systems whose differences have these standard deviations."""
    rng = np.random.default_rng(seed)
    of_question, of_rater = rng.normal(0, question, n), rng.normal(0, rater, raters)
    records = []
    for k in range(n):
        for i in range(raters):
            if rng.random() > keep:
                continue
            gap = of_question[k] + of_rater[i] + rng.normal(0, residual)
            records.append(rated(f"q{k}", 50 + 100 * gap / 2, release="A", rater=f"r{i}", top=100))
            records.append(rated(f"q{k}", 50 - 100 * gap / 2, release="B", rater=f"r{i}", top=100))
    return frame_of(records)


class TestComponents:
    @pytest.mark.parametrize("keep", [1.0, 0.5])
    def test_come_back_as_they_were_planted(self, keep):
        seeds = range(12)
        found = [planning.components(pilot(seed=seed, keep=keep)) for seed in seeds]

        means = [
            np.mean([getattr(one, name) for one in found if one is not None])
            for name in ("question", "rater", "residual")
        ]
        assert means == pytest.approx([0.04, 0.01, 0.0225], rel=0.25)

    def test_of_a_balanced_layout_are_those_of_analysis_of_variance(self):
        # Differences 2 x 2: rows (1, 3), (5, 11). SS: questions 36, raters 16, rest 4.
        gaps = {("q0", "r0"): 1, ("q0", "r1"): 3, ("q1", "r0"): 5, ("q1", "r1"): 11}
        records = [
            rated(q, value, release=release, rater=r, top=100)
            for (q, r), gap in gaps.items()
            for release, value in (("A", gap), ("B", 0))
        ]

        found = planning.components(frame_of(records))

        assert found is not None
        exact = [(36 - 4) / 2 / 1e4, (16 - 4) / 2 / 1e4, 4 / 1e4]
        assert [found.question, found.rater, found.residual] == pytest.approx(exact)

    def test_that_come_out_negative_are_cut_and_named(self):
        gaps = {("q0", "r0"): 1, ("q0", "r1"): 0, ("q1", "r0"): 0, ("q1", "r1"): 1}
        records = [
            rated(q, value, release=release, rater=r)
            for (q, r), gap in gaps.items()
            for release, value in (("A", gap), ("B", 0))
        ]

        found = planning.components(frame_of(records))

        assert found is not None
        assert (found.question, found.rater, found.cut) == (0, 0, ("question", "rater"))

    @pytest.mark.parametrize(
        "records", [[rated("q", 1)], [rated("q", 1), rated("q", 1, release="B")]]
    )
    def test_need_a_pilot(self, records):
        assert planning.components(frame_of(records)) is None
        assert planning.plan(None, delta=0.1).reason is Reason.NO_PAIRS


class TestPlan:
    def test_by_the_formula(self):
        # (0.1 / (1.959964 + 0.841621))² = 0.00127407; (0.08 + 0.04/3) / (0.00127407 − 0.004/3) < 0.
        found = planning.plan(KNOWN, delta=0.1, raters=[3, 4])

        assert found.needs[0].reason is Reason.ONLY_MORE_RATERS
        assert found.needs[1].n_questions == 329
        assert found.least_raters == 4
        # (0.1 / (1.644854 + 1.281552))² = 0.00116769; (0.08 + 0.04/4) / (0.00116769 − 0.001) = 536.7.
        assert [one.n_equal for one in found.needs] == [None, 537]
        assert json.dumps(plain(found))

    @given(st.floats(0.01, 1), st.integers(1, 30))
    def test_gives_enough_and_not_more_than_enough(self, delta, n):
        (need,) = planning.plan(KNOWN, delta=delta, raters=[n]).needs
        if need.n_questions is None or need.n_questions <= 2:
            return
        allowed = (delta / 2.801585) ** 2

        def variance(k):
            return KNOWN.question / k + KNOWN.rater / n + KNOWN.residual / (k * n)

        assert variance(need.n_questions) <= allowed * (1 + 1e-6)
        assert variance(need.n_questions - 1) > allowed * (1 - 1e-6)

    def test_says_when_it_would_take_too_many(self):
        large = PlanComponents(1.0, 0.0, 1.0, 9, 9, 1, 81, ())

        assert (
            planning.plan(large, delta=0.005, raters=[1]).needs[0].reason
            is Reason.TOO_MANY_QUESTIONS
        )

    @pytest.mark.parametrize("given", [{"delta": 0}, {"delta": 2}, {"delta": 0.1, "power": 1}])
    def test_refuses(self, given):
        with pytest.raises(ValueError, match="share"):
            planning.plan(KNOWN, **given)


class TestLearningCurve:
    def test_halves_with_four_times_the_questions(self):
        found = {one.n_questions: one for one in planning.learning_curve(0.02, 100, enough=0.05)}

        assert found[100].width == pytest.approx(2 * 1.984217 * 0.02, rel=1e-5)
        assert found[400].width / found[100].width == pytest.approx(0.5, rel=0.01)
        assert (found[100].enough, found[400].enough) == (False, True)

    @given(st.integers(2, 10_000), st.floats(0.0001, 1))
    def test_never_rises(self, n, se):
        widths = [one.width for one in planning.learning_curve(se, n, enough=0.1)]

        assert widths == sorted(widths, reverse=True)

    def test_refuses_a_single_question(self):
        with pytest.raises(ValueError, match="two questions"):
            planning.learning_curve(0.1, 1, enough=0.1)


class TestEnoughQuestions:
    @given(st.floats(1e-4, 0.3), st.integers(2, 500), st.floats(0.01, 0.5))
    def test_are_enough_and_one_less_is_not(self, se, n, enough):
        found = planning.enough_questions(se, n, enough=enough)

        if found is None:
            (last, *_rest) = reversed(planning.learning_curve(se, n, enough=enough))
            assert not last.enough or last.n_questions > planning.MAX_QUESTIONS
            return
        width = widths(se, n)
        assert width(found) <= enough
        assert found == 2 or width(found - 1) > enough

    def test_of_what_is_narrow_enough_are_not_more(self):
        assert planning.enough_questions(0.01, 100, enough=0.5) <= 100

    def test_refuse_one_question_and_no_width(self):
        for n, enough in ((1, 0.1), (10, 0)):
            with pytest.raises(ValueError, match="two questions"):
                planning.enough_questions(0.1, n, enough=enough)


def widths(se, n):
    """The width by Student's t, straight from its definition."""
    from scipy import stats

    return lambda k: 2 * stats.t.ppf(0.975, k - 1) * se * math.sqrt(n / k)


class TestCourse:
    def test_goes_through_the_interval_of_today(self):
        found = planning.course(0.4, 0.6, 40, release="A", enough=0.1)

        now = next(one for one in found.points if one.n_questions == 40)
        assert now.width == pytest.approx(0.2)
        assert 150 < found.n_enough < 170

    def test_leaves_out_widths_beyond_the_scale(self):
        found = planning.course(0.1, 0.9, 6, release="A", enough=0.1)

        assert all(one.width <= 1 for one in found.points)

    def test_without_an_interval_says_why(self):
        found = planning.course(None, None, 9, release="A", enough=0.1, reason=Reason.NO_SPREAD)

        assert (found.points, found.n_enough, found.reason) == ((), None, Reason.NO_SPREAD)
        one = planning.course(0.1, 0.2, 1, release="A", enough=0.1)
        assert one.reason is Reason.FEW_QUESTIONS
