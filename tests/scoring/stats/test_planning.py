import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.stats import planning
from scoring.stats.planning import Components
from scoring.stats.reasons import Reason
from tests.scoring.ratings import frame_of, rated

KNOWN = Components(0.08, 0.004, 0.04, 50, 4, 1, 200, ())


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
        assert json.dumps(found.plain())

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
        large = Components(1.0, 0.0, 1.0, 9, 9, 1, 81, ())

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
