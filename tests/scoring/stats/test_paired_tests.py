import numpy as np
import pytest

from scoring.stats import multiple
from scoring.stats.judges import intervals as swaps
from scoring.stats.judges import levels
from scoring.stats.judges import pairs as paired_tests
from scoring.stats.plain import Reason, plain
from scoring.stats.resampled import exact
from tests.scoring import judged_beside as beside
from tests.scoring import summeval

DRAWN = {"systems": "systems", "inputs": "items", "both": "both"}
NAN = float("nan")


def values(table):
    return exact.values(np.array(table, dtype=float).ravel())


def three(systems=6, groups=15, *, seed=0, noise=1.5):
    """A good judge, a noisy one, people, and their rows."""
    good, human = beside.noisy(systems, groups, seed=seed, noise=0.2)
    bad = good + np.random.default_rng(seed).normal(0, noise, good.shape)
    return beside.rows_of(systems, groups), values(good), values(np.round(bad, 3)), values(human)


class TestPermutation:
    def test_of_summeval_is_that_of_a_peer_library_up_to_chance(self, golden):
        """The peer's p lies between counting exact ties with what was observed, or not.

        τ of 16 systems takes few values. The peer compares rounded floats, so that about half of
        the ties count; here all of them do. And 1 is added on both sides here, so p is never 0.
        """
        known = summeval.expected(golden)["peer_nlpstats"]["permutation"]

        assert len(known) == 18
        for key, p in known.items():
            names, _, level, name, swapped, _, *_ = key.split("|")
            left, right = (summeval.pairs(golden, one) for one in names.split(" vs "))
            found = swaps.differences(
                left,
                right,
                summeval.LEVELS[level],
                summeval.COEFFICIENTS[name],
                swapped=DRAWN[swapped],
                resamples=4_000,
                seed=5,
            )
            most = float((found.others >= found.observed - 1e-9).mean())
            least = float((found.others > found.observed + 1e-9).mean())
            off = 4.5 * np.sqrt(max(p * (1 - p), 5e-4) * (1 / 2_000 + 1 / 4_000))
            assert least - off <= p <= most + off

    @pytest.mark.parametrize("swapped", swaps.SWAPPED)
    def test_tells_a_good_judge_from_a_noisy_one(self, swapped):
        found = paired_tests.permutation(
            *three(10, 40), "item", coefficient="pearson", swapped=swapped, resamples=300
        )

        assert found.left > found.right + 0.2
        assert found.p < 0.02
        assert found.method == f"{swaps.SWAP_NAMES[swapped]}, 300 swaps"

    def test_is_never_0_and_counts_what_was_observed(self):
        table, good, bad, human = three(10, 60)
        found = paired_tests.permutation(table, good, bad, human, "pooled", resamples=99)

        assert found.p == pytest.approx(0.01)

    def test_of_equal_judges_is_1(self):
        table, good, _, human = three()
        found = paired_tests.permutation(table, good, good, human, "system", resamples=50)

        assert (found.p, found.difference) == (1, 0)

    def test_one_sided_add_up_to_more_than_1_by_the_ties(self):
        table, good, bad, human = three()
        greater, less, other = (
            paired_tests.permutation(
                table, *sides, human, "pooled", coefficient="pearson", alternative=alternative
            )
            for sides, alternative in (
                ((good, bad), "greater"),
                ((good, bad), "less"),
                ((bad, good), "less"),
            )
        )

        assert greater.p == other.p
        assert greater.p + less.p == pytest.approx(1 + 1 / 1_001)

    def test_takes_rows_that_all_three_have(self):
        left = [[1, 2, NAN], [2, 1, 5], [3, 4, 4]]
        right = [[2, NAN, 2], [2, 2, 5], [1, 4, 3]]
        human = [[1, 2, 3], [NAN, 2, 3], [1, 3, 3]]
        found = paired_tests.permutation(
            beside.rows_of(3, 3), *map(values, (left, right, human)), "pooled", resamples=9
        )

        assert (found.n_rows, found.n_systems, found.n_groups) == (6, 3, 3)

    def test_of_a_constant_judge_is_undefined(self):
        table, good, _, human = three(2, 3)
        flat = values(np.ones((2, 3)))
        found = paired_tests.permutation(table, good, flat, human, "system", resamples=9)

        assert (found.p, found.difference) == (None, None)
        assert found.reason is Reason.CONSTANT_JUDGE

    @pytest.mark.parametrize(
        ("level", "options", "said"),
        [
            ("global", {}, "no level 'global'"),
            ("item", {"alternative": "bigger"}, "no alternative 'bigger'"),
            ("item", {"swapped": "inputs"}, "no way of swapping 'inputs'"),
            ("item", {"resamples": 0}, "no resamples"),
        ],
    )
    def test_refuses_what_there_is_not(self, level, options, said):
        with pytest.raises(ValueError, match=said):
            paired_tests.permutation(*three(), level, **options)


class TestWilliams:
    def test_of_summeval_is_that_of_a_peer_library(self, golden):
        """All correlations are positive there, so that absolute values are the signed ones."""
        known = summeval.expected(golden)["peer_nlpstats"]["williams"]

        assert len(known) == 12
        for key, p in known.items():
            names, _, level, name, alternative = key.split("|")
            left, right = (summeval.metric(golden, one) for one in names.split(" vs "))
            chosen = summeval.LEVELS[level]
            table, people = summeval.table(golden), summeval.people(golden, "rel")
            if chosen == "pooled":  # as if no responses shared a document
                system = [table.systems[n] for n in table.system]
                table = levels.rows(response=table.response, system=system, group=table.response)
            found = paired_tests.williams(
                table,
                left,
                right,
                people,
                chosen,
                coefficient=summeval.COEFFICIENTS[name],
                alternative=alternative,
            )
            # The columns are rounded to five decimals there; τ of systems does not feel it.
            same = chosen == "system" and name == "kendall"
            assert found.p == pytest.approx(p, abs=1e-9 if same else 1e-4)

    def test_has_no_p_over_responses_that_share_questions(self):
        table, good, bad, human = three()

        found = paired_tests.williams(table, good, bad, human, "pooled")

        assert (found.p, found.reason) == (None, Reason.NOT_INDEPENDENT)
        assert found.difference is not None

    def test_is_the_formula_of_steiger(self):
        r, s, t, n = 0.5, 0.4, 0.1, 103
        determinant = 1 - r * r - s * s - t * t + 2 * r * s * t
        below = 2 * (n - 1) / (n - 3) * determinant + ((r + s) / 2) ** 2 * (1 - t) ** 3
        known = (r - s) * np.sqrt((n - 1) * (1 + t) / below)

        assert paired_tests.williams_t(r, s, t, n) == pytest.approx(known)

    def test_keeps_the_sign_of_a_judge_that_goes_against_people(self):
        table, good, bad, human = three(5, 20)
        against = exact.Values(-good.numerators, good.unit, good.exact)

        found = paired_tests.williams(table, against, bad, human, "item", alternative="greater")

        assert found.left < 0 < found.right
        assert found.p > 0.9

    def test_two_sided_is_twice_the_smaller_side(self):
        found = {
            alternative: paired_tests.williams(*three(), "system", alternative=alternative).p
            for alternative in paired_tests.ALTERNATIVES
        }

        assert found["two-sided"] == pytest.approx(
            2 * min(found["greater"] or 0.0, found["less"] or 0.0)
        )
        assert found["greater"] + found["less"] == pytest.approx(1)

    @pytest.mark.parametrize(
        ("left", "right", "reason"),
        [
            ([[1, 2, 3, 5]], [[1, 2, 3, 5]], Reason.PERFECT),
            ([[1, 1, 1, 1]], [[1, 2, 3, 5]], Reason.CONSTANT_JUDGE),
            ([[1, 2, 4, NAN]], [[1, 2, 3, 5]], Reason.FEW_PAIRS),
        ],
    )
    def test_is_undefined_with_a_reason(self, left, right, reason):
        found = paired_tests.williams(
            beside.rows_of(1, 4), values(left), values(right), values([[2, 1, 4, 4]]), "pooled"
        )

        assert (found.p, found.reason) == (None, reason)

    def test_is_undefined_where_the_two_judges_share_no_group(self):
        assert paired_tests.williams_t(0.5, 0.4, None, 10) is None

    def test_refuses_what_there_is_not(self):
        with pytest.raises(ValueError, match="no level"):
            paired_tests.williams(*three(), "global")


class TestCorrected:
    def test_are_those_of_holm_and_stay_in_order(self):
        table, good, bad, human = three()
        made = [
            paired_tests.williams(table, one, other, human, "pooled")
            for one, other in ((good, bad), (good, good), (bad, good))
        ]

        found = paired_tests.corrected(made)

        assert [one.p for one in found] == [one.p for one in made]
        assert [one.p_holm for one in found] == multiple.holm([one.p for one in made])
        assert found[1].p_holm is None
        assert plain(found[0])["level"] == "pooled"
        assert levels.LEVELS == ("system", "item", "pooled")
