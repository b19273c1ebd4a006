import json

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.stats.plain import Reason, plain
from scoring.stats.scores import differences as ranks
from scoring.stats.scores import scores
from tests.scoring.ratings import frame_of, rated


def marked(**marks):
    """Score releases on the same questions, by three annotators of one mind."""
    records = [
        rated(f"q{i}", mark, release=release, rater=f"r{n}")
        for release, values in marks.items()
        for i, mark in enumerate(values)
        for n in range(3)
    ]
    return scores.scores(frame_of(records))


class TestRanking:
    def test_tells_apart_what_differs_beyond_doubt(self):
        rng = np.random.default_rng(2)
        hard = rng.integers(0, 2, 60)
        found = ranks.ranking(
            marked(a=1 + hard + rng.integers(0, 2, 60), b=1 + hard, c=rng.integers(0, 2, 60))
        )

        assert found.releases[-1] == "c"
        for one in (found.these, found.others):
            assert [rank.release for rank in one.ranks] == list(found.releases)
            assert (one.ranks[-1].low, one.ranks[-1].high) == (3, 3)
        assert json.dumps(plain(found), allow_nan=False)

    def test_puts_what_cannot_be_told_apart_into_one_group(self):
        found = ranks.ranking(marked(a=[0, 1, 2, 3] * 5, b=[3, 2, 1, 1] * 5))

        assert len(found.others.groups) == 1
        assert {(one.low, one.high) for one in found.others.ranks} == {(1, 2)}

    def test_shares_a_rank_between_equals(self):
        found = ranks.ranking(marked(a=[0, 1, 2, 3] * 2, b=[0, 1, 2, 3] * 2, c=[0] * 8))

        assert found.releases == ("a", "b", "c")
        assert found.differences[0].these.p == 1
        assert [one.low for one in found.these.ranks][:2] == [1, 1]

    def test_says_who_has_no_score(self):
        found = ranks.ranking(marked(a=[0, 1, 2], b=[None, None, None]))

        last = found.these.ranks[1]
        assert (last.release, last.low, last.reason) == ("b", None, Reason.NO_GRADES)

    def test_of_nobody_is_empty(self):
        assert ranks.ranking(marked(a=[None])).others.groups == ()

    @settings(max_examples=25)
    @given(st.integers(0, 1000))
    def test_holds_the_rank_between_its_bounds(self, seed):
        rng = np.random.default_rng(seed)
        found = ranks.ranking(marked(**{n: rng.integers(0, 4, 6) for n in "abcd"}))

        for by in (found.these, found.others):
            for one in by.ranks:
                assert 1 <= one.low <= one.high <= 4
            assert {release for group in by.groups for release in group} == set("abcd")
