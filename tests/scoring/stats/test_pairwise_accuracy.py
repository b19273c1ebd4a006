import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.stats.judges import accuracy as pairwise_accuracy
from scoring.stats.judges import levels
from scoring.stats.plain import Reason, plain
from scoring.stats.resampled import exact


def pairs_of(judge, human, *, n_systems):
    """Return pairs of a table groups × systems, flat."""
    n = len(judge)
    table = levels.rows(
        response=range(n),
        system=[i % n_systems for i in range(n)],
        group=[i // n_systems for i in range(n)],
    )
    return levels.pairs(table, exact.values(judge), exact.values(human))


def slow(judge, human, n_systems, margin):
    """Return the definition: the mean over groups of the share of pairs decided alike."""
    shares = []
    for start in range(0, len(judge), n_systems):
        alike = []
        for i, j in itertools.combinations(range(start, start + n_systems), 2):
            gap = judge[i] - judge[j]
            said = 0 if abs(gap) <= margin else np.sign(gap)
            alike.append(said == np.sign(human[i] - human[j]))
        shares.append(np.mean(alike))
    return np.mean(shares)


class TestWithinGroups:
    def test_of_a_judge_who_ties_too_little(self):
        # People: 1 1 2. The judge parts the first two by a hair: ε of that hair makes it right.
        of = pairs_of([0.50, 0.51, 0.90] * 4, [1, 1, 2] * 4, n_systems=3)
        plainly = pairwise_accuracy.within_groups(of, margin="none", resamples=0)
        tuned = pairwise_accuracy.within_groups(of, resamples=0)

        assert plainly.value == pytest.approx(2 / 3)
        assert (tuned.value, tuned.n_agree, tuned.n_tied_both) == (1, 12, 4)
        assert tuned.margins[0] == pytest.approx(0.01)
        assert plainly.interval_reason is Reason.NOT_RESAMPLED

    @given(
        st.lists(st.tuples(st.integers(0, 6), st.integers(0, 2)), min_size=8, max_size=24).filter(
            lambda rows: len(rows) % 4 == 0
        )
    )
    def test_has_the_margin_that_a_search_over_all_finds(self, rows):
        judge, human = [row[0] / 10 for row in rows], [row[1] for row in rows]
        of = pairs_of(judge, human, n_systems=4)
        found = pairwise_accuracy.within_groups(of, margin="in-sample", resamples=0)
        best = max(slow([round(10 * x) for x in judge], human, 4, m) for m in range(7))

        assert found.value == pytest.approx(best)
        assert pairwise_accuracy.within_groups(
            of, margin="none", resamples=0
        ).value == pytest.approx(slow([round(10 * x) for x in judge], human, 4, 0))

    def test_never_chooses_a_margin_on_the_groups_it_decides(self):
        # Group 0 alone would want a margin of 9; what the other groups want is 0.
        judge = [0, 9, 18] + [0, 1, 2] * 9
        human = [1, 1, 1] + [0, 1, 2] * 9
        of = pairs_of(judge, human, n_systems=3)
        fitted = pairwise_accuracy.within_groups(of, folds=10, resamples=0)

        assert fitted.n_agree == 27
        assert fitted.value == pytest.approx(0.9)

    def test_of_chance_is_not_flattered(self):
        rng = np.random.default_rng(1)
        judge, human = rng.normal(size=600), rng.integers(0, 3, 600)
        of = pairs_of(judge, human, n_systems=4)
        values = {
            margin: pairwise_accuracy.within_groups(of, margin=margin, resamples=0).value
            for margin in ("cross-fitted", "in-sample")
        }

        assert values["cross-fitted"] <= values["in-sample"]

    def test_has_an_interval_over_groups(self):
        rng = np.random.default_rng(2)
        human = rng.integers(0, 4, 400)
        of = pairs_of(human + rng.normal(size=400), human, n_systems=4)
        found = pairwise_accuracy.within_groups(of)

        assert found.low < found.value < found.high
        assert plain(found)["n_groups"] == 100

    def test_does_not_depend_on_the_order_of_systems(self):
        rng = np.random.default_rng(3)
        judge, human = rng.integers(0, 9, 80), rng.integers(0, 3, 80)
        turned = [side.reshape(20, 4)[:, ::-1].ravel() for side in (judge, human)]
        one, two = (
            pairwise_accuracy.within_groups(pairs_of(*sides, n_systems=4), resamples=0)
            for sides in ((judge, human), turned)
        )

        assert one == two

    def test_takes_equal_floats_for_equal(self):
        third = [0.1 + 0.2, 0.3, 1 / 3]
        of = pairs_of([*third, *third], [1, 1, 1] * 2, n_systems=3)
        found = pairwise_accuracy.within_groups(of, margin="none", resamples=0)

        assert found.n_tied_judge == 2

    def test_of_single_responses_is_undefined(self):
        of = pairs_of([1, 2, 3], [1, 2, 3], n_systems=1)

        assert pairwise_accuracy.within_groups(of).reason is Reason.FEW_PAIRS

    def test_of_one_group_cannot_be_cross_fitted(self):
        of = pairs_of([1, 2, 3], [1, 2, 3], n_systems=3)

        assert pairwise_accuracy.within_groups(of).reason is Reason.FEW_QUESTIONS
        assert pairwise_accuracy.within_groups(of, margin="none").value == 1

    @pytest.mark.parametrize("wrong", [{"margin": "guessed"}, {"folds": 1}])
    def test_refuses_what_it_cannot_do(self, wrong):
        with pytest.raises(ValueError, match=r"margin|folds"):
            pairwise_accuracy.within_groups(pairs_of([1, 2], [1, 2], n_systems=2), **wrong)


class TestOverSystems:
    def test_counts_pairs_in_the_same_order(self):
        of = pairs_of([1, 2, 3, 1, 2, 3], [1, 3, 2, 1, 3, 2], n_systems=3)
        found = pairwise_accuracy.over_systems(of)

        assert found.value == pytest.approx(2 / 3)
        assert found.n_pairs == 3

    def test_of_one_system_is_undefined(self):
        of = pairs_of([1, 2], [1, 2], n_systems=1)

        assert pairwise_accuracy.over_systems(of).reason is Reason.FEW_PAIRS
