import csv

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.stats.judges import coefficients
from scoring.stats.machines import panels
from scoring.stats.plain import Reason

ASPECTS = ("accuracy", "logic", "relevance", "coherence", "conciseness", "overall")
#: KIEval, table 14: value and p.
TABLE_14 = {
    "pearson": (0.82188, 2.865e-5),
    "spearman": (0.89830, 4.166e-7),
    "kendall_b": (0.76066, 1.098e-5),
}


def random_scores(rng, shape):
    return rng.integers(0, 101, shape).astype(float)


class TestTogether:
    def test_finds_table_14_in_table_13(self, golden):
        with (golden / "kieval" / "table13_evaluators.csv").open(newline="") as file:
            rows = list(csv.DictReader(file))
        sides = [
            np.array(
                [[[float(row[one])] for row in rows if row["evaluator"] == name] for one in ASPECTS]
            )
            for name in dict.fromkeys(row["evaluator"] for row in rows)
        ]

        found = panels.together(*sides, np.zeros(1, dtype=np.int64), as_published=True)

        for one in found:
            value, p = TABLE_14[one.coefficient]
            assert one.n == 18
            assert one.value == pytest.approx(value, abs=5e-6)
            assert one.p == pytest.approx(p, rel=1e-3)
            assert one.interval_reason is Reason.FEW_QUESTIONS

    def test_has_no_p_over_several_aspects_of_a_system_but_over_systems(self):
        rng = np.random.default_rng(5)
        left, right = random_scores(rng, (6, 4, 10)), random_scores(rng, (6, 4, 10))
        dataset = np.zeros(10, dtype=np.int64)

        several = panels.together(left, right, dataset)
        one = panels.together(left[:1], right[:1], dataset)

        assert {each.p for each in several} == {None}
        assert {each.p_method for each in several} == {coefficients.NOT_INDEPENDENT}
        assert all(each.p is not None for each in one)

    def test_has_intervals_that_hold_the_value(self):
        rng = np.random.default_rng(3)
        left = random_scores(rng, (6, 3, 40)) + np.linspace(0, 60, 18).reshape(6, 3, 1)
        right = left + rng.normal(0, 20, left.shape)

        for one in panels.together(left, right, np.arange(40) % 2, resamples=400):
            assert one.low <= one.value <= one.high
            assert one.high - one.low > 0.01

    def test_takes_the_dialogues_that_both_have_a_score_of(self):
        rng = np.random.default_rng(4)
        left, right = random_scores(rng, (6, 3, 10)), random_scores(rng, (6, 3, 10))
        holed = left.copy()
        holed[:, :, 7:] = np.nan

        found = panels.together(holed, right, np.zeros(10, dtype=np.int64), resamples=0)
        short = panels.together(
            left[:, :, :7], right[:, :, :7], np.zeros(7, dtype=np.int64), resamples=0
        )

        assert [one.value for one in found] == pytest.approx([one.value for one in short])

    def test_says_why_there_is_none(self):
        flat = np.full((6, 2, 5), 50.0)

        found = panels.together(flat, flat, np.zeros(5, dtype=np.int64))

        assert {one.reason for one in found} == {Reason.CONSTANT_JUDGE}
        assert {one.value for one in found} == {None}

    def test_refuses_shapes_that_differ(self):
        with pytest.raises(ValueError, match="differ in shape"):
            panels.together(np.zeros((6, 2, 5)), np.zeros((6, 3, 5)), np.zeros(5, dtype=np.int64))


class TestOfRows:
    @given(st.integers(0, 10_000), st.sampled_from(panels.COEFFICIENTS))
    def test_is_the_coefficient_of_every_row(self, seed, name):
        rng = np.random.default_rng(seed)
        x, y = rng.integers(0, 5, (3, 8)).astype(float), rng.integers(0, 5, (3, 8)).astype(float)

        found = panels.of_rows(x, y, name)

        for row, value in enumerate(found):
            single = coefficients.coefficient(x[row], y[row], name)
            assert (np.isnan(value) and single is None) or value == pytest.approx(single)

    def test_refuses_another_coefficient(self):
        with pytest.raises(ValueError, match="kendall_c"):
            panels.of_rows(np.zeros((1, 2)), np.zeros((1, 2)), "kendall_c")


class TestVoted:
    def test_gives_every_evaluator_one_vote(self):
        scores = np.array([[10.0, 20.0], [20.0, 20.0], [90.0, 80.0]])

        assert panels.voted(scores, "mean").tolist() == [40.0, 40.0]
        assert panels.voted(scores, "median").tolist() == [20.0, 20.0]

    def test_has_none_where_an_evaluator_has_none(self):
        scores = np.array([[10.0, 20.0], [np.nan, 30.0]])

        assert np.isnan(panels.voted(scores, "median")).tolist() == [True, False]

    @pytest.mark.parametrize(
        ("scores", "vote", "said"),
        [(np.zeros((1, 2)), "loudest", "no vote"), (np.zeros((0, 2)), "mean", "at least one")],
    )
    def test_refuses_what_it_cannot_do(self, scores, vote, said):
        with pytest.raises(ValueError, match=said):
            panels.voted(scores, vote)
