from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from scoring.stats.claims import Certainty
from scoring.stats.plain import Reason
from scoring.stats.scores import differences
from tests.scoring.ratings import frame_of, rated

NAMES = {1: "Warm", 2: "Plain", 3: "Curt"}


def label(value, group="g1", rater="r1", release="A", mark="LABEL"):
    return rated(
        group, value, rater=rater, release=release, criterion="tone", mark=mark, top=len(NAMES)
    )


def of(records, names=NAMES):
    return differences.label_shares(frame_of(records), names)


def by_name(found, release="A"):
    return {
        one.name: row.value for one in found.labels for row in one.scores if row.release == release
    }


def drawn(chance, n=40, seed=0):
    """Three annotators label n questions for two systems; each question leans its own way."""
    rng = np.random.default_rng(seed)
    rows = []
    for item in range(n):
        lean = rng.normal(0, 0.1)
        for release in ("A", "B"):
            for rater in ("r1", "r2", "r3"):
                warm = rng.random() < chance[release] + lean
                rows.append(
                    label(1 if warm else int(rng.integers(2, 4)), f"g{item}", rater, release)
                )
    return rows


class TestShares:
    def test_are_as_worked_out_by_hand(self):
        # Four grades: 1, 1, 3 and one that could not be given. So 2/3, 0/3, 1/3.
        found = of([label(1), label(1, "g2"), label(3, "g3"), label(None, "g4")])

        assert by_name(found) == {"Warm": Fraction(2, 3), "Plain": 0, "Curt": Fraction(1, 3)}
        assert (found.n_grades, found.n_questions, found.several) == (3, 3, False)

    def test_of_several_labels_are_of_each(self):
        # {1, 3} is 1 + 4 = 5, {3} is 4, and nothing is 0: 1/3, 0, 2/3, none of them 1/3.
        rows = [label(value, f"g{value}", mark="LABELS") for value in (5, 4, 0)]

        found = of(rows)

        assert by_name(found) == {
            "Warm": Fraction(1, 3),
            "Plain": 0,
            "Curt": Fraction(2, 3),
            "": Fraction(1, 3),
        }
        assert found.labels[-1].label == differences.NO_LABEL

    def test_hold_the_shares_that_answers_were_drawn_with(self):
        found = of(drawn({"A": 0.7, "B": 0.3}, seed=1))

        warm = found.labels[0]
        low, high = warm.scores[0].these.low, warm.scores[0].these.high
        assert low < 0.7 < high
        (gap,) = warm.differences
        assert gap.these.low < 0.4 < gap.these.high
        assert gap.certainty in {Certainty.CLEAR, Certainty.LIKELY}

    def test_have_no_narrower_interval_than_independent_grades(self):
        # The same label by all three annotators is one answer, and no three.
        rows = [
            label(1 if item % 3 else 2, f"g{item}", rater) for item in range(30) for rater in "abc"
        ]

        (row,) = of(rows).labels[0].scores

        naive = stats.binomtest(60, 90).proportion_ci(method="wilson")
        assert row.these.high - row.these.low > 1.5 * (naive.high - naive.low)

    def test_count_all_labels_and_pairs_when_p_is_corrected(self):
        found = of(drawn({"A": 0.6, "B": 0.4}))

        known = [gap.these for one in found.labels for gap in one.differences]
        least = min(known, key=lambda one: one.p)
        assert least.p_holm == pytest.approx(min(1, least.p * len(known)))

    @given(
        st.lists(
            st.tuples(
                st.integers(1, 3), st.sampled_from("AB"), st.sampled_from(["g1", "g2", "g3"])
            ),
            min_size=1,
            max_size=20,
            unique_by=lambda one: one[1:],
        )
    )
    def test_of_one_label_each_add_up_to_one(self, given_):
        found = of([label(value, group, release=release) for value, release, group in given_])

        for release in {release for _value, release, _group in given_}:
            assert sum(by_name(found, release).values()) == 1

    def test_of_a_label_that_nobody_gave_have_no_interval(self):
        found = of([label(1, f"g{n}") for n in range(8)])

        (row,) = found.labels[1].scores
        assert row.value == 0
        assert row.these.interval_reason in {Reason.NO_SPREAD, Reason.FEW_DIFFERENT}

    @pytest.mark.parametrize(
        "other", [{"criterion": "safe"}, {"mark": "LABELS"}], ids=["criteria", "kinds of mark"]
    )
    def test_refuse_several(self, other):
        with pytest.raises(ValueError, match="one criterion"):
            of([label(1), {**label(2, "g2"), **other}])
