import csv

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from scoring.stats.machines import candidates
from scoring.stats.plain import Reason

NAN = float("nan")
HOW = {"resamples": 500, "seed": 1}


def found(rows, dataset=None, **how):
    scores = np.array(rows, float)
    sets = np.zeros(scores.shape[1], int) if dataset is None else np.array(dataset)
    return candidates.standings(scores, ~np.isnan(scores), sets, **HOW | how)


class TestStandings:
    def test_average_dialogues_within_a_data_set_and_then_data_sets(self):
        # One data set has two questions, the other three: overall is the mean of the two means.
        one = found([[100, 50, 20, 30, 40]], [0, 0, 1, 1, 1]).candidates[0]

        assert [each.value for each in one.datasets] == [75, 30]
        assert one.overall.value == 52.5
        assert (one.overall.n, one.overall.n_held) == (5, 5)

    def test_reproduce_the_overall_column_of_the_papers_table(self, golden):
        with (golden / "kieval" / "table02_main.csv").open() as file:
            rows = [row for row in csv.DictReader(file) if row["kieval"]]
        systems = list(dict.fromkeys(row["model"] for row in rows))
        sets = [name for name in dict.fromkeys(row["dataset"] for row in rows) if name != "Overall"]
        of = {(row["model"], row["dataset"]): float(row["kieval"]) for row in rows}
        scores = [[of[system, name] for name in sets] for system in systems]

        made = found(scores, list(range(len(sets))))

        for system, one in zip(systems, made.candidates, strict=True):
            # Inputs are rounded to one decimal.
            assert one.overall.value == pytest.approx(of[system, "Overall"], abs=0.11)

    def test_leave_out_a_dialogue_without_a_score_and_count_it(self):
        scores = np.array([[10, NAN, 30, 20, 20, 20]])

        (one,) = candidates.standings(
            scores, np.full((1, 6), True), np.zeros(6, int), **HOW
        ).candidates

        assert (one.overall.value, one.overall.n, one.overall.n_held) == (20, 5, 6)

    def test_have_an_interval_that_covers_as_often_as_it_says(self):
        rng = np.random.default_rng(3)
        inside = 0
        for seed in range(200):
            one = found([rng.normal(60, 15, 40)], resamples=300, seed=seed).candidates[0].overall
            inside += one.low <= 60 <= one.high

        assert 176 <= inside <= 199  # 188 is 94 %: a percentile interval of 40 is a little short

    def test_of_few_questions_have_a_value_without_an_interval(self):
        one = found([[10, 20]]).candidates[0].overall

        assert (one.value, one.low, one.reason) == (15, None, Reason.FEW_SCORED)

    def test_have_no_interval_where_a_data_set_has_a_single_question(self):
        # Alone in its data set, the third question makes half of the mean and never varies.
        one, other = [[50, 60, 90, 55, 65, 45], [55, 50, 20, 60, 60, 50]], [0, 0, 1, 0, 0, 0]

        made = found(one, other)

        for each in made.candidates:
            assert (each.overall.low, each.overall.reason) == (None, Reason.FEW_QUESTIONS)
            assert each.datasets[0].low is not None
        (pair,) = made.pairs
        assert pair.value == 35
        assert (pair.low, pair.high, pair.reason) == (None, None, Reason.FEW_QUESTIONS)
        assert pair.p > 0.3
        assert pair.p_holm == pair.p

    def test_have_no_interval_where_all_questions_came_out_the_same(self):
        made = found([[100] * 6, [100, 100, 0, 100, 100, 100]])

        first, second = made.candidates
        assert (first.overall.value, first.overall.low) == (100, None)
        assert first.overall.reason == first.datasets[0].reason == Reason.NO_SPREAD
        assert second.overall.low < 100
        (same,) = found([[80, 60, 70, 90, 100], [70, 50, 60, 80, 90]]).pairs
        assert (same.value, same.low, same.reason) == (10, None, Reason.NO_SPREAD)
        assert same.p < 0.12

    def test_have_an_interval_from_two_questions_of_each_data_set_on(self):
        made = found([[50, 60, 90, 55, 70], [55, 50, 20, 60, 40]], [0, 0, 1, 0, 1])

        assert made.candidates[0].overall.low is not None
        assert made.pairs[0].low is not None

    def test_without_scores_are_undefined(self):
        made = found([[NAN, NAN, NAN], [1, 2, 3]])

        assert made.candidates[0].overall.reason == Reason.NO_SCORES
        assert made.candidates[0].datasets[0].reason == Reason.NO_SCORES
        assert (made.pairs[0].value, made.pairs[0].reason) == (None, Reason.FEW_COMMON)

    def test_compare_pairs_on_the_questions_they_share(self):
        rng = np.random.default_rng(4)
        base = rng.normal(50, 20, 60)
        better = base + 5 + rng.normal(0, 2, 60)
        same = base + rng.normal(0, 2, 60)
        same[:10] = NAN

        made = found([base, better, same])

        first, second, _third = made.pairs
        assert (first.left, first.right, first.n) == (0, 1, 60)
        assert first.high < -3
        assert first.p_holm < 0.01
        assert second.n == 50
        assert second.p > 0.01
        assert first.p_holm >= first.p

    @given(some.lists(some.integers(0, 100), min_size=6, max_size=12), some.integers(0, 5))
    def test_do_not_depend_on_the_order_of_candidates(self, scores, seed):
        other = list(reversed(scores))

        one = found([scores, other], seed=seed, resamples=50)
        two = found([other, scores], seed=seed, resamples=50)

        assert one.candidates == tuple(reversed(two.candidates))
        assert one.pairs[0].value == pytest.approx(-two.pairs[0].value)
        assert one.pairs[0].p == two.pairs[0].p

    @pytest.mark.parametrize(
        ("held", "dataset"), [(np.full((1, 2), True), [0]), (np.full((1, 2), False), [0, 0])]
    )
    def test_are_refused_for_what_does_not_fit(self, held, dataset):
        with pytest.raises(ValueError, match=r"shape|held"):
            candidates.standings(np.array([[1.0, 2.0]]), held, np.array(dataset), **HOW)


class TestParts:
    def test_are_means_of_their_own_questions_and_leave_out_those_of_none(self):
        scores = np.array([[10, 20, 30, 40, 50, 60, 99], [NAN, 40, 1, 1, 1, 1, 99]], float)
        part = np.array([0, 0, 1, 1, 1, 1, -1])

        first, second = candidates.parts(scores, ~np.isnan(scores), part, **HOW)

        assert [one.value for one in first] == [15, 45]
        assert [(one.value, one.n, one.n_held) for one in second] == [(40, 1, 1), (1, 4, 4)]
        assert first[0].reason == Reason.FEW_SCORED

    @given(some.lists(some.floats(0, 100), min_size=5, max_size=12))
    def test_hold_their_value_within_their_interval(self, values):
        scores = np.array([values])

        ((one,),) = candidates.parts(
            scores, np.ones_like(scores, bool), np.zeros(len(values), int), resamples=200, seed=3
        )

        if one.low is None:
            assert one.reason == Reason.NO_SPREAD
            assert max(values) - min(values) < 1e-6
        else:
            assert one.low - 1e-9 <= one.value <= one.high + 1e-9

    def test_are_none_where_no_question_is_in_one(self):
        scores = np.array([[1.0, 2.0]])

        assert candidates.parts(scores, np.ones_like(scores, bool), np.array([-1, -1]), **HOW) == (
            (),
        )

    def test_refuse_scores_of_dialogues_that_were_not_held(self):
        scores = np.array([[1.0, 2.0]])

        with pytest.raises(ValueError, match="not held"):
            candidates.parts(scores, np.zeros_like(scores, bool), np.array([0, 0]), **HOW)


class TestRank:
    @pytest.mark.parametrize(
        ("values", "expected"),
        [
            ([10.0, 30.0, 20.0], [3, 1, 2]),
            ([10.0, 10.0, 5.0], [1.5, 1.5, 3]),
            ([None, 1.0], [None, 1]),
            ([], []),
        ],
    )
    def test_is_one_for_the_highest(self, values, expected):
        assert candidates.rank(values) == expected
