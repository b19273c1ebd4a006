import numpy as np
import pytest

from scoring.stats.judges import coefficients
from scoring.stats.machines import aggregation
from scoring.stats.plain import Reason, plain


def kendall(x, y):
    return coefficients.coefficient(x, y, "kendall_b")


def spread(rng, n=400, size=4, noises=(0.1, 1.0)):
    """Return assistants of known use, people's means and questions."""
    human = rng.normal(size=n)
    made = {f"a{k}": human + rng.normal(0, noise, n) for k, noise in enumerate(noises)}
    return made, human, np.arange(n) // size


def mean_over_folds(of, human, agreement):
    """Return an agreement with people, computed within each fold and averaged."""
    held = ((of.fold == one) & ~np.isnan(of.values) for one in np.unique(of.fold))
    found = [agreement(of.values[there], human[there]) for there in held if there.any()]
    return np.mean(known) if (known := [one for one in found if one is not None]) else None


class TestRescaled:
    def test_are_shares_of_the_range(self):
        found = aggregation.rescaled(np.array([1.0, 3.0, 5.0, np.nan]), 1, 5)

        assert found[:3].tolist() == [0, 0.5, 1]
        assert np.isnan(found[3])
        turned = aggregation.rescaled(np.array([1.0]), 1, 5, higher_is_better=False)
        assert turned.tolist() == [1]

    @pytest.mark.parametrize(("low", "high"), [(0, 0), (0, np.inf), (1, 4)])
    def test_refuses_ranges_that_do_not_fit(self, low, high):
        with pytest.raises(ValueError, match=r"range|outside"):
            aggregation.rescaled(np.array([5.0]), low, high)


class TestAverage:
    def test_is_the_mean_of_all(self):
        found = aggregation.average({"a": np.array([0.0, 1.0]), "b": np.array([0.5, np.nan])})

        assert found.values[0] == 0.25
        assert (np.isnan(found.values[1]), found.n_incomplete) == (True, 1)
        assert plain(found)["method"] == "AVG: mean of 2 assistants"

    def test_of_nothing_is_undefined(self):
        assert aggregation.average({"a": np.array([np.nan])}).reason is Reason.NO_SCORES

    @pytest.mark.parametrize("wrong", [{}, {"a": np.zeros(2), "b": np.zeros(3)}])
    def test_refuses_what_does_not_fit(self, wrong):
        with pytest.raises(ValueError, match=r"no assistant|differ in length"):
            aggregation.average(wrong)


class TestMedian:
    def test_is_the_majoritys_value_where_there_is_one_else_the_middle(self):
        three = {"a": [1.0, 0.0, 0.2], "b": [1.0, 1.0, 0.4], "c": [0.0, 0.0, np.nan]}

        found = aggregation.median({name: np.array(one) for name, one in three.items()})

        assert found.values[:2].tolist() == [1, 0]
        assert (np.isnan(found.values[2]), found.n_incomplete) == (True, 1)
        assert plain(found)["method"] == "Median of 3 assistants"

    def test_is_moved_by_one_that_is_far_off_less_than_the_mean(self):
        rng = np.random.default_rng(3)
        made = {f"a{k}": rng.uniform(0.4, 0.6, 50) for k in range(4)} | {"off": np.ones(50)}

        middle, mean = aggregation.median(made).values, aggregation.average(made).values

        assert (middle < mean).all()
        assert ((middle >= 0.4) & (middle <= 0.6)).all()

    def test_refuses_what_does_not_fit(self):
        with pytest.raises(ValueError, match="no assistant"):
            aggregation.median({})


class TestSelected:
    def test_is_the_mean_of_those_named(self):
        found = aggregation.selected({"a": np.array([0.2]), "b": np.array([0.8])}, ["b", "b"])

        assert found.values.tolist() == [0.8]

    def test_of_none_named_is_undefined(self):
        found = aggregation.selected({"a": np.array([0.2])}, [])

        assert found.reason is Reason.NONE_NAMED
        assert np.isnan(found.values).all()

    def test_refuses_an_unknown_one(self):
        with pytest.raises(ValueError, match="'c' is none of the assistants"):
            aggregation.selected({"a": np.zeros(1)}, ["c"])


class TestCorrelationWeighted:
    def test_trusts_the_one_that_agrees(self):
        made, human, group = spread(np.random.default_rng(1))
        found = aggregation.correlation_weighted(made, human=human, group=group)

        assert len(found.weights) == 5
        for one in found.weights:
            assert one.by_assistant["a0"] > one.by_assistant["a1"] > 0
            assert sum(one.by_assistant.values()) == pytest.approx(1)

    def test_takes_the_weights_of_a_fold_from_the_others_alone(self):
        made, human, group = spread(np.random.default_rng(2))
        before = aggregation.correlation_weighted(made, human=human, group=group)
        here = before.fold == 2
        human[here] = np.random.default_rng(3).normal(size=here.sum())
        after = aggregation.correlation_weighted(made, human=human, group=group)

        assert after.weights[2] == before.weights[2]
        assert after.weights[1] != before.weights[1]
        assert (after.values[here] == before.values[here]).all()

    def test_splits_no_question(self):
        made, human, group = spread(np.random.default_rng(4))
        found = aggregation.correlation_weighted(made, human=human, group=group)

        assert all(len(np.unique(found.fold[group == one])) == 1 for one in np.unique(group))

    def test_in_sample_has_one_set_of_weights(self):
        made, human, group = spread(np.random.default_rng(5))
        found = aggregation.correlation_weighted(
            made, human=human, group=group, weighing="in-sample", coefficient="pearson"
        )
        r = [np.corrcoef(one, human)[0, 1] for one in made.values()]

        assert found.values == pytest.approx((r[0] * made["a0"] + r[1] * made["a1"]) / sum(r))
        assert found.method.endswith("in-sample")

    def test_of_shuffled_people_is_worth_nothing(self):
        rng = np.random.default_rng(6)
        made, human, group = spread(rng, n=120, noises=(0.1, 0.5, 3.0))
        fitted, flattered = [], []
        for _ in range(200):
            rng.shuffle(human)
            for into, weighing in ((fitted, "cross-fitted"), (flattered, "in-sample")):
                one = aggregation.correlation_weighted(
                    made, human=human, group=group, weighing=weighing, folds=3
                )
                into.append(mean_over_folds(one, human, kendall))

        assert abs(np.mean(fitted)) < 3 * np.std(fitted) / np.sqrt(200) + 0.01
        assert np.mean(flattered) > 0.02

    def test_counts_what_lacks_an_assistant(self):
        made, human, group = spread(np.random.default_rng(7))
        made["a0"][:3] = np.nan
        found = aggregation.correlation_weighted(made, human=human, group=group)

        assert found.n_incomplete == int(np.isnan(found.values).sum()) == 3

    def test_of_constant_assistants_is_undefined(self):
        _, human, group = spread(np.random.default_rng(8))
        found = aggregation.correlation_weighted({"a": np.ones(400)}, human=human, group=group)

        assert found.reason is Reason.NO_WEIGHT
        assert found.weights[0].by_assistant == {"a": None}
        assert mean_over_folds(found, human, kendall) is None

    def test_of_one_question_cannot_be_cross_fitted(self):
        made, human, _ = spread(np.random.default_rng(9), n=8)
        found = aggregation.correlation_weighted(made, human=human, group=np.zeros(8))

        assert found.reason is Reason.FEW_QUESTIONS

    @pytest.mark.parametrize(
        "change", [{"folds": 1}, {"weighing": "by hand"}, {"human": np.zeros(3)}]
    )
    def test_refuses_what_does_not_fit(self, change):
        made, human, group = spread(np.random.default_rng(1))
        with pytest.raises(ValueError, match=r"folds|weighing|length"):
            aggregation.correlation_weighted(made, **{"human": human, "group": group} | change)
