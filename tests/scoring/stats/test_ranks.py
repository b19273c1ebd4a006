import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from scoring.stats import ranks, resampling, scores
from scoring.stats.reasons import Reason
from tests.scoring.ratings import frame_of, rated


def marked(**marks):
    """Score releases on the same questions."""
    records = [
        rated(f"q{i}", mark, release=release)
        for release, values in marks.items()
        for i, mark in enumerate(values)
    ]
    return scores.scores(frame_of(records), resamples=500)


class TestHolm:
    def test_of_a_textbook_example(self):
        # Holm's steps by hand: .01·4, then max(.04, .02·3), max(.06, .03·2), max(.06, .04·1).
        assert ranks.holm([0.01, 0.04, 0.03, 0.02]) == pytest.approx([0.04, 0.06, 0.06, 0.06])

    @given(st.lists(st.floats(0, 1), max_size=12))
    def test_never_lowers_a_p_nor_turns_their_order(self, ps):
        made = [p for p in ranks.holm(ps) if p is not None]

        assert all(p <= q <= 1 for p, q in zip(ps, made, strict=True))
        assert [made[i] for i in np.argsort(ps, kind="stable")] == sorted(made)

    def test_leaves_out_what_has_no_p(self):
        assert ranks.holm([None, 0.5, None]) == [None, 0.5, None]


class TestPValue:
    def test_is_that_of_the_paired_t_test(self):
        values = np.random.default_rng(1).normal(0.3, 1, 40)
        rng = np.random.default_rng(0)
        drawn = values[rng.integers(0, 40, (20_000, 40))].mean(axis=1)

        p = resampling.p_value(
            values.mean(), [resampling.Part(drawn, 40)], scheme=resampling.Scheme.MULTINOMIAL
        )

        assert p == pytest.approx(stats.ttest_1samp(values, 0).pvalue, rel=0.05)

    @pytest.mark.parametrize(
        "parts",
        [
            [],
            [resampling.Part(np.array([1.0, 2.0]), 1)],
            [resampling.Part(np.full(5, np.nan), 5)],
            [resampling.Part(np.ones(5), 5)],
        ],
    )
    def test_is_undefined_without_spread(self, parts):
        assert resampling.p_value(1.0, parts, scheme=resampling.Scheme.MULTINOMIAL) is None


class TestRanking:
    def test_tells_apart_what_differs_beyond_doubt(self):
        rng = np.random.default_rng(2)
        hard = rng.integers(0, 2, 60)
        found = ranks.ranking(
            marked(a=1 + hard + rng.integers(0, 2, 60), b=1 + hard, c=rng.integers(0, 2, 60))
        )

        assert [one.release for one in found.ranks][-1] == "c"
        assert (found.ranks[-1].low, found.ranks[-1].high) == (3, 3)
        assert found.ranks[0].best is not None
        assert found.ranks[0].best > 0.9
        assert sum(one.best or 0 for one in found.ranks) == pytest.approx(1)
        assert json.dumps(found.plain(), allow_nan=False)

    def test_puts_what_cannot_be_told_apart_into_one_group(self):
        found = ranks.ranking(marked(a=[0, 1, 2, 3] * 5, b=[3, 2, 1, 1] * 5))

        assert len(found.groups) == 1
        assert {(one.low, one.high) for one in found.ranks} == {(1, 2)}

    def test_shares_a_rank_between_equals(self):
        found = ranks.ranking(marked(a=[0, 1, 2], b=[0, 1, 2], c=[0, 0, 0]))

        assert [one.rank for one in found.ranks] == [1, 1, 3]
        assert found.ranks[0].best == found.ranks[1].best == pytest.approx(0.5, abs=0.05)
        assert found.comparisons[0].p is None

    def test_says_who_has_no_score(self):
        found = ranks.ranking(marked(a=[0, 1, 2], b=[None, None, None]))

        assert (found.ranks[1].release, found.ranks[1].rank) == ("b", None)
        assert found.ranks[1].reason is Reason.NO_GRADES

    def test_of_nobody_is_empty(self):
        assert ranks.ranking(marked(a=[None])).groups == ()

    @settings(max_examples=25)
    @given(st.integers(0, 1000))
    def test_holds_the_rank_between_its_bounds(self, seed):
        rng = np.random.default_rng(seed)
        found = ranks.ranking(marked(**{n: rng.integers(0, 4, 6) for n in "abcd"}))

        for one in found.ranks:
            assert one.low <= one.rank <= one.high
        assert {release for group in found.groups for release in group} == set("abcd")
