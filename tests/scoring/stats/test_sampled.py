import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from annotation.common import draws
from scoring.stats.plain import Reason
from scoring.stats.scores.sampled import SampledSystem, sampled_mean

NOBODY = np.full(6, np.nan)


def of(**more):
    """Return six outputs of 15, drawn with unequal chances and marked by two each."""
    known = {
        "value": np.array([0.2, 0.4, 0.5, 0.8, 1.0, 0.6]),
        "n_marks": np.full(6, 2),
        "inclusion": np.array([1, 0.5, 0.5, 0.25, 0.25, 0.5]),
        "n_chosen": 6,
        "n_frame": 15,
        "aid": np.array([0.1, 0.5, 0.4, 0.9, 0.9, 0.5]),
        "aid_of_all": 0.7,
    }
    return SampledSystem(**known | more)


class World:
    """Outputs of which machines and people think alike, but for some noise; people see a sample."""

    def __init__(self, n=160, drawn=50, rule="low", even=0.25, marks=3, seed=1):
        rng = np.random.default_rng(seed)
        self.truth = rng.beta(4, 2, n)
        self.aid = np.clip(self.truth + rng.normal(0, 0.15, n), 0, 1)
        other = np.clip(self.truth + rng.normal(0, 0.2, n), 0, 1)
        sizes = {"low": 1 - self.aid, "apart": abs(self.aid - other), "label": self.truth < 0.4}
        self.chance = np.array(
            draws.chances_by_size(sizes[rule].astype(float).tolist(), drawn, even=even)
        )
        self.named = {str(at): one for at, one in enumerate(self.chance.tolist())}
        self.rng, self.marks, self.drawn = rng, marks, drawn

    def sample(self, seed):
        """Return a sample by a seed, and how far marks of one output vary."""
        at = np.array([int(one) for one in draws.draw_by_chance(self.named, seed=str(seed))])
        given = self.truth[at][:, None] + self.rng.normal(0, 0.15, (len(at), self.marks))
        value = given.mean(1)
        noise = given.var(axis=1, ddof=1).mean() if self.marks > 1 else None
        return (
            SampledSystem(
                value,
                np.full(len(at), self.marks),
                self.chance[at],
                len(at),
                len(self.truth),
                self.aid[at],
                float(self.aid.mean()),
            ),
            noise,
        )


class TestSampledMean:
    def test_is_the_textbook_mean_and_variance_where_all_chances_are_equal(self):
        # Cochran (1977), Sampling Techniques, (2.20): v = (1 − n/N) · s²/n.
        value = np.array([0.1, 0.4, 0.35, 0.8, 0.55, 0.7, 0.9, 0.2])
        one = of(
            value=value, n_marks=np.full(8, 1), inclusion=np.full(8, 0.4), n_chosen=8, n_frame=20,
            aid=np.full(8, np.nan), aid_of_all=None,
        )  # fmt: skip

        found = sampled_mean(one, noise=0.0).people

        half = stats.t.ppf(0.975, 7) * np.sqrt(0.6 * value.var(ddof=1) / 8)
        assert found.value == pytest.approx(value.mean())
        assert (found.low, found.high) == pytest.approx((value.mean() - half, value.mean() + half))

    def test_weighs_by_chance_as_reckoned_by_hand(self):
        # Weights 1, 2, 2, 4, 4, 2: 10.4 / 15. Its parts: jackknifed residuals, 0.0084 between outputs
        # and 15 · (0.01 / 2) / 15² within them; t with 15² / 45 − 1 = 4.
        found = sampled_mean(of(), noise=0.01)

        assert found.people.value == pytest.approx(10.4 / 15)
        assert found.effective == pytest.approx(5)
        assert found.people.high - found.people.value == pytest.approx(
            stats.t.ppf(0.975, 4) * 0.093334, rel=1e-4
        )

    def test_moves_by_what_machines_say_of_the_rest(self):
        found = sampled_mean(of(), noise=0.01)

        assert found.helped.value == pytest.approx(10.4 / 15 + found.trust * (0.7 - 10.1 / 15))
        assert found.helped.high - found.helped.low < found.people.high - found.people.low

    def test_stands_alone_where_machines_say_nothing(self):
        found = sampled_mean(of(aid=NOBODY, aid_of_all=None), noise=0.01)

        assert (found.helped, found.trust) == (found.people, 0)

    @given(st.floats(0.1, 10), st.floats(-5, 5))
    def test_does_not_depend_on_the_scale_of_machines(self, width, shift):
        moved = of(aid=width * of().aid + shift, aid_of_all=width * 0.7 + shift)

        assert sampled_mean(moved, noise=0.01).helped.value == pytest.approx(
            sampled_mean(of(), noise=0.01).helped.value
        )

    def test_has_no_interval_from_chance_where_all_was_drawn_but_one_from_annotators(self):
        everything = of(inclusion=np.ones(6), n_frame=6, aid_of_all=float(of().aid.mean()))

        found = sampled_mean(everything, noise=0.12).people

        half = stats.t.ppf(0.975, 5) * np.sqrt(0.12 / 2 / 6)
        assert found.value == pytest.approx(of().value.mean())
        assert found.high - found.value == pytest.approx(half)

    def test_is_wider_where_nobody_knows_how_annotators_differ(self):
        widths = [one.high - one.low for one in (
            sampled_mean(of(), noise=None).people, sampled_mean(of(), noise=0.0).people
        )]  # fmt: skip

        assert widths[0] > widths[1]

    def test_takes_what_is_not_graded_to_be_like_the_rest(self):
        some = of(
            value=of().value[:5], n_marks=np.full(5, 2), inclusion=of().inclusion[:5],
            aid=of().aid[:5],
        )  # fmt: skip

        assert sampled_mean(some, noise=0.01).people.value == pytest.approx(
            np.average(some.value, weights=1 / some.inclusion)
        )

    @pytest.mark.parametrize(
        ("more", "reason"),
        [
            ({"inclusion": np.array([1, 0.5, 0.5, 0.25, np.nan, 0.5])}, Reason.NOT_RANDOM),
            ({"inclusion": np.array([1, 0.5, 0.5, 0.25, 0, 0.5])}, Reason.NOT_RANDOM),
            ({"n_frame": 400}, Reason.OTHER_FRAME),
        ],
    )
    def test_refuses_what_was_not_drawn_from_this(self, more, reason):
        found = sampled_mean(of(**more), noise=0.01)

        assert (found.people.value, found.people.reason) == (None, reason)
        assert found.helped.reason == reason

    def test_refuses_nothing_and_too_little(self):
        reasons = [
            sampled_mean(
                of(
                    value=of().value[:n], n_marks=np.full(n, 2), inclusion=of().inclusion[:n],
                    aid=of().aid[:n],
                ),
                noise=0.01,
            ).people.reason
            for n in (0, 3)
        ]  # fmt: skip

        assert reasons == [Reason.NO_GRADES, Reason.FEW_QUESTIONS]

    def test_gives_no_interval_where_hardly_anything_differs(self):
        alike = sampled_mean(of(value=np.array([1, 1, 1, 1, 0.5, 1.0])), noise=0.01).people
        same = sampled_mean(of(value=np.ones(6)), noise=0.0).people

        assert (alike.low, alike.interval_reason) == (None, Reason.FEW_DIFFERENT)
        assert (same.value, same.interval_reason) == (1, Reason.NO_SPREAD)

    @pytest.mark.parametrize("more", [{"aid": np.zeros(5)}, {"n_marks": np.ones(5)}])
    def test_refuses_uneven_columns(self, more):
        with pytest.raises(ValueError, match="length"):
            sampled_mean(of(**more), noise=None)

    def test_refuses_a_confidence_that_is_none(self):
        with pytest.raises(ValueError, match="between 0 and 1"):
            sampled_mean(of(), noise=None, confidence=1)


class TestOverManyDraws:
    """The plain mean of what was drawn is off; the weighted one is not, and its intervals hold."""

    @pytest.mark.parametrize(
        ("more", "times"),
        [
            ({"rule": "low"}, 200),
            ({"rule": "apart"}, 200),
            ({"rule": "label", "marks": 1}, 200),
            pytest.param({"n": 1000, "drawn": 40}, 1_000, marks=pytest.mark.nightly),
            pytest.param(
                {"n": 1000, "drawn": 40, "rule": "apart"}, 1_000, marks=pytest.mark.nightly
            ),
            pytest.param({"n": 80, "drawn": 60, "even": 0.5}, 1_000, marks=pytest.mark.nightly),
        ],
    )
    def test_is_unbiased_and_covers(self, more, times):
        world = World(**more)
        truth, values, helped, plain, held, held_helped = world.truth.mean(), [], [], [], 0, 0

        for seed in range(times):
            sample, noise = world.sample(seed)
            found = sampled_mean(sample, noise=noise)
            values.append(found.people.value)
            helped.append(found.helped.value)
            plain.append(sample.value.mean())
            held += found.people.low <= truth <= found.people.high
            held_helped += found.helped.low <= truth <= found.helped.high

        error = np.std(values) / np.sqrt(times)
        assert abs(np.mean(values) - truth) < 4 * error + 0.1 * np.std(values)
        assert abs(np.mean(helped) - truth) < 4 * error + 0.25 * np.std(helped)
        assert np.std(helped) < np.std(values)
        if world.chance.max() > 1.5 * world.chance.min() and more.get("rule") != "apart":
            assert abs(np.mean(plain) - truth) > 0.02
        slack = 4 * np.sqrt(0.05 * 0.95 / times)
        assert held / times > 0.93 - slack
        assert held_helped / times > 0.92 - slack
