import numpy as np
import pytest

from scoring.stats.judges import coefficients as correlation
from scoring.stats.judges import intervals as correlation_intervals
from scoring.stats.judges.levels import LEVELS
from scoring.stats.plain import Reason, plain
from scoring.stats.resampled import weighted as weighted_long
from scoring.stats.told import COEFFICIENTS
from tests.scoring import judged_beside as beside
from tests.scoring import summeval

NAN = float("nan")
DRAWN = {"systems": "systems", "inputs": "items", "both": "both"}


def copied(judge, human, systems, groups):
    """The resample written out: every drawn system in every drawn group, under new names."""
    at = np.repeat(np.arange(len(systems)), systems.astype(int))
    of = np.repeat(np.arange(len(groups)), groups.astype(int))
    return beside.pairs_of(judge[np.ix_(at, of)], human[np.ix_(at, of)])


class TestDraws:
    @pytest.mark.parametrize("kept", [0, 1_000])
    def test_are_those_of_the_seed_kept_or_not(self, kept, monkeypatch):
        monkeypatch.setattr(correlation_intervals, "KEPT_NUMBERS", kept)
        of = beside.pairs_of(*beside.noisy(5, 7))
        rng = np.random.default_rng([3, 5, 7])
        known = [rng.multinomial(n, np.full(n, 1 / n), size=9).tolist() for n in (5, 7)]

        for _ in range(2):
            found = correlation_intervals.draws(of, drawn="both", resamples=9, seed=3)
            assert [found.systems.tolist(), found.groups.tolist()] == known
            found.systems[:] = found.groups[:] = 0

    def test_hold_many_draws_of_one(self):
        of = beside.pairs_of([[1] * 400, [2] * 400], [[1] * 400, [2] * 400])

        found = correlation_intervals.draws(of, drawn="both", resamples=5, seed=0)

        assert found.systems.sum(axis=1).tolist() == [2] * 5
        assert found.groups.sum(axis=1).tolist() == [400] * 5


class TestValues:
    @pytest.mark.parametrize("drawn", ["systems", "items", "both"])
    @pytest.mark.parametrize("holes", [0, 0.3])
    def test_equal_those_of_data_copied_as_often_as_drawn(self, drawn, holes):
        judge, human = beside.noisy(5, 7, levels_of_marks=3)
        judge = np.where(np.random.default_rng(1).random(judge.shape) < holes, NAN, judge)
        of = beside.pairs_of(judge, human)
        chance = correlation_intervals.draws(of, drawn=drawn, resamples=25, seed=3)

        for level in LEVELS:
            found = correlation_intervals.values(of, level, chance, COEFFICIENTS)
            for r in range(25):
                copy = copied(judge, human, chance.systems[r], chance.groups[r])
                for one in correlation.correlations(copy, level):
                    known = NAN if one.value is None else one.value
                    value = found[one.coefficient][r]
                    assert value == pytest.approx(known, abs=1e-12, nan_ok=True)

    def test_of_resamples_without_spread_are_undefined_and_not_made_of_rounding(self):
        judge, human = np.array([[0.1, 0.1], [0.7, 0.7]]), np.array([[1, 2], [2, 1]])
        of = beside.pairs_of(judge, human)
        chance = correlation_intervals.draws(of, drawn="systems", resamples=40, seed=0)

        found = correlation_intervals.values(of, "pooled", chance, ["pearson"])["pearson"]

        assert np.isnan(found).tolist() == (chance.systems == 2).any(axis=1).tolist()
        assert np.isnan(found).any()
        assert not np.isnan(found).all()

    def test_of_rank_coefficients_over_all_responses_are_those_of_copies_bit_for_bit(self):
        judge, human = beside.noisy(6, 9)
        of = beside.pairs_of(judge, human)
        chance = correlation_intervals.draws(of, drawn="both", resamples=20, seed=0)
        names = ["spearman", "kendall_b"]
        found = correlation_intervals.values(of, "pooled", chance, names)

        for r in range(20):
            copy = copied(judge, human, chance.systems[r], chance.groups[r])
            once = correlation_intervals.Draws(
                np.ones((1, len(copy.systems))), np.ones((1, len(copy.groups)))
            )
            known = correlation_intervals.values(copy, "pooled", once, names)
            assert [found[name][r] for name in names] == [known[name][0] for name in names]

    def test_work_in_pieces(self, monkeypatch):
        of = beside.pairs_of(*beside.noisy(4, 5))
        chance = correlation_intervals.draws(of, drawn="both", resamples=9, seed=0)
        whole = correlation_intervals.values(of, "pooled", chance, ["spearman"])
        monkeypatch.setattr(weighted_long, "AT_ONCE", 40)

        pieces = correlation_intervals.values(of, "pooled", chance, ["spearman"])

        assert pieces["spearman"].tolist() == whole["spearman"].tolist()


class TestResampled:
    def test_of_summeval_is_that_of_a_peer_library_up_to_chance(self, golden):
        known = summeval.expected(golden)["peer_nlpstats"]["bootstrap"]

        assert len(known) == 13
        for key, (low, high, n) in known.items():
            metric, _, level, name, drawn, *_ = key.split("|")
            of = summeval.pairs(golden, metric)
            chance = correlation_intervals.draws(of, drawn=DRAWN[drawn], resamples=3_000, seed=7)
            wanted = summeval.COEFFICIENTS[name]
            found = correlation_intervals.values(of, summeval.LEVELS[level], chance, [wanted])[
                wanted
            ]
            # Both ends are quantiles of finitely many draws: 4.5 standard errors of their level.
            off = 4.5 * np.sqrt(0.025 * 0.975 * (1 / n + 1 / 3_000))
            for end, at in ((low, 0.025), (high, 0.975)):
                within = np.quantile(found, [max(0, at - off), min(1, at + off)])
                assert within[0] - 1e-4 <= end <= within[1] + 1e-4

    @pytest.mark.parametrize("level", LEVELS)
    def test_holds_the_point_and_is_wider_the_more_is_drawn(self, level):
        of = beside.pairs_of(*beside.noisy(10, 30, noise=0.7))
        (point,) = correlation.correlations(of, level, names=["pearson"])
        width = {}
        for drawn in correlation_intervals.DRAWN:
            (one,) = correlation_intervals.resampled(of, level, drawn=drawn, names=["pearson"])
            assert one.low < point.value < one.high
            width[drawn] = one.high - one.low

        assert width["both"] > width["systems"]
        assert width["both"] > width["items"]

    def test_says_what_was_drawn(self):
        (one,) = correlation_intervals.resampled(
            beside.pairs_of(*beside.noisy()), "system", names=["spearman"], resamples=200, seed=4
        )

        made = plain(one)
        assert (made["resamples"], made["seed"], made["n_systems"], made["n_groups"]) == (
            200,
            4,
            6,
            20,
        )
        assert made["method"].startswith("95% percentile interval, BOOT-BOTH")

    def test_is_the_same_for_the_same_seed_and_another_for_another(self):
        of = beside.pairs_of(*beside.noisy())
        first, again, other = (
            correlation_intervals.resampled(of, "system", resamples=50, seed=seed)
            for seed in (1, 1, 2)
        )

        assert first == again
        assert first != other

    def test_meets_the_same_draws_for_every_judge(self):
        one, other = beside.pairs_of(*beside.noisy()), beside.pairs_of(*beside.noisy(seed=5))
        a, b = (
            correlation_intervals.draws(of, drawn="both", resamples=5, seed=1)
            for of in (one, other)
        )

        assert np.array_equal(a.systems, b.systems)
        assert np.array_equal(a.groups, b.groups)

    def test_of_one_system_is_over_its_questions(self):
        of = beside.pairs_of([[1, 2, 3, 5, 4, 2, 1, 5]], [[1, 3, 2, 4, 5, 1, 2, 5]])
        both, items = (
            correlation_intervals.resampled(of, "pooled", drawn=drawn, names=["pearson"])[0]
            for drawn in ("both", "items")
        )

        assert both.low is not None
        assert (both.low, both.high) == (items.low, items.high)

    @pytest.mark.parametrize(
        ("judge", "human", "drawn", "reason"),
        [
            ([[1, 2, 3]], [[1, 3, 2]], "systems", Reason.FEW_PAIRS),
            ([[1, 2, 3]], [[1, 3, 2]], "both", Reason.FEW_QUESTIONS),
            ([[1], [2], [3]], [[1], [3], [2]], "items", Reason.FEW_QUESTIONS),
            ([[1] * 4] * 2, [[1, 3, 2, 1], [2, 2, 3, 3]], "both", Reason.TWO_SYSTEMS),
            (
                [[1, 2, 3, 1], [2, 3, 5, 4]],
                [[1, 3, 4, 1], [2, 2, 5, 3]],
                "both",
                Reason.TWO_SYSTEMS,
            ),
            ([[1] * 4] * 3, [[1, 3, 2, 2]] * 3, "both", Reason.EMPTY_RESAMPLES),
            ([[1] * 4, [2] * 4, [3] * 4], [[1] * 4, [2] * 4, [3] * 4], "items", Reason.NO_SPREAD),
            (
                [[1, 2, 3], [2, 3, 5], [1, 4, 4]],
                [[1, 3, 4], [2, 2, 5], [1, 2, 3]],
                "items",
                Reason.FEW_QUESTIONS,
            ),
        ],
    )
    def test_is_undefined_with_a_reason(self, judge, human, drawn, reason):
        (one,) = correlation_intervals.resampled(
            beside.pairs_of(judge, human), "system", drawn=drawn, names=["kendall_b"]
        )

        assert (one.low, one.high, one.reason) == (None, None, reason)

    def test_counts_resamples_that_are_undefined(self):
        of = beside.pairs_of([[1, 2], [3, 5], [2, 2]], [[1, 2], [3, 4], [3, 1]])

        (one,) = correlation_intervals.resampled(of, "system", drawn="systems", names=["pearson"])

        # One system thrice: 3 of 27 draws.
        assert one.n_undefined == pytest.approx(1_000 / 9, abs=40)

    @pytest.mark.parametrize(
        ("level", "options", "said"),
        [
            ("global", {}, "no level 'global'"),
            ("item", {"drawn": "inputs"}, "no way of drawing 'inputs'"),
            ("item", {"resamples": 0}, "at least one"),
            ("item", {"confidence": 1}, "between 0 and 1"),
        ],
    )
    def test_refuses_what_there_is_not(self, level, options, said):
        with pytest.raises(ValueError, match=said):
            correlation_intervals.resampled(beside.pairs_of([[1]], [[1]]), level, **options)


@pytest.mark.nightly
class TestCoverage:
    @pytest.mark.parametrize("name", ["pearson", "spearman", "kendall_b"])
    def test_of_responses_drawn_anew_is_as_stated(self, name):
        rho, hits, times, n = 0.6, 0, 600, 150
        truth = {
            "pearson": rho,
            "spearman": 6 / np.pi * np.arcsin(rho / 2),
            "kendall_b": 2 / np.pi * np.arcsin(rho),
        }[name]
        rng = np.random.default_rng(0)
        for seed in range(times):
            z = rng.normal(size=(2, 1, n))
            of = beside.pairs_of(z[0], rho * z[0] + np.sqrt(1 - rho**2) * z[1])
            (one,) = correlation_intervals.resampled(
                of, "pooled", drawn="items", names=[name], resamples=500, seed=seed
            )
            hits += one.low <= truth <= one.high

        assert 0.93 <= hits / times <= 0.97
