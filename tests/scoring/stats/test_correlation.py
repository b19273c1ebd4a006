import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.stats.judges import coefficients, levels
from scoring.stats.judges.levels import LEVELS
from scoring.stats.plain import Reason, plain
from scoring.stats.resampled import exact
from scoring.stats.told import COEFFICIENTS
from tests.scoring import judged_beside as beside
from tests.scoring import summeval

NAN = float("nan")


def only(of, level, name="kendall_b"):
    (found,) = coefficients.correlations(of, level, names=[name])
    return found


def ratio(value):
    return pytest.approx(value, abs=1e-12)


class TestOfSummeval:
    def test_is_table_2_of_fusion_eval(self, golden):
        known = [
            one
            for one in summeval.expected(golden)["anchors"]
            if one["id"].startswith("seed001.T2") and not one["id"].endswith("overall")
        ]

        assert len(known) == 12
        for one in known:
            metric, criterion = one["id"].split(".")[2:]
            found = only(summeval.pairs(golden, metric, criterion), "system")
            assert found.value == pytest.approx(one["published"], abs=one["tol"])
            assert found.value == pytest.approx(one["value"], abs=1e-6)

    def test_is_the_published_single_reference_table(self, golden):
        known = [
            one
            for one in summeval.expected(golden)["anchors"]
            if one["id"].startswith("sacrerouge")
        ]

        assert len(known) == 54
        for one in known:
            metric, level, name = one["id"].split(".")[2:]
            of = summeval.pairs(golden, metric)
            found = only(of, summeval.LEVELS[level], summeval.COEFFICIENTS[name])
            assert found.value == pytest.approx(one["published"], abs=one["tol"])
            assert found.value == pytest.approx(one["value"], abs=1.1e-6)

    def test_is_that_of_a_peer_library_with_its_fisher_intervals(self, golden):
        peer = summeval.expected(golden)["peer_nlpstats"]

        assert len(peer["correlate"]) == len(peer["fisher"]) == 27
        for key, value in peer["correlate"].items():
            metric, _, level, name = key.split("|")
            found = only(
                summeval.pairs(golden, metric),
                summeval.LEVELS[level],
                summeval.COEFFICIENTS[name],
            )
            # Rounding a column makes ties that the peer did not see.
            near = 2e-4 if metric in summeval.ROUNDED else 1e-9
            assert found.value == pytest.approx(value, abs=near)
            bounds = coefficients.fisher(summeval.COEFFICIENTS[name], found.value, found.n)
            assert [bounds.low, bounds.high] == pytest.approx(peer["fisher"][key], abs=near)
            told = (None, None) if level == "global" else (bounds.low, bounds.high)
            assert (found.low, found.high) == told

    def test_counts_systems_documents_and_pairs(self, golden):
        of = summeval.pairs(golden, "ROUGE-1", "flu")
        system, item, pooled = (only(of, level) for level in LEVELS)

        assert (system.n, item.n, pooled.n) == (16, 16, 1600)
        assert {one.n_rows for one in (system, item, pooled)} == {1600}
        pairs = system.pairs
        assert (pairs.tied_human, pairs.tied_judge, pairs.tied_both) == (1, 0, 0)
        assert pairs.concordant + pairs.discordant == 119
        assert item.n_groups + item.n_left_out == 100
        assert system.p == pytest.approx(0.0046, abs=5e-4)
        assert item.p is None

    def test_does_not_depend_on_the_order_of_rows(self, golden):
        rows = summeval.read(golden, "summeval_ratings.csv")
        order = np.random.default_rng(0).permutation(len(rows))
        mixed = levels.rows(
            response=[(rows[i]["doc"], rows[i]["system"]) for i in order],
            system=[rows[i]["system"] for i in order],
            group=[rows[i]["doc"] for i in order],
        )
        metric = summeval.metric(golden, "ROUGE-1")
        human = summeval.marks(golden, "flu")[:, order]
        column = exact.values(metric.floats[order])

        of = levels.pairs(mixed, column, exact.of_marks(human))

        for level in LEVELS:
            assert coefficients.correlations(of, level) == coefficients.correlations(
                summeval.pairs(golden, "ROUGE-1", "flu"), level
            )


class TestCorrelations:
    @settings(max_examples=10)
    @given(st.integers(0, 50))
    def test_are_one_where_the_judge_is_the_people(self, seed):
        _, human = beside.noisy(seed=seed)
        of = beside.pairs_of(human, human)

        for level in LEVELS:
            for one in coefficients.correlations(of, level):
                # τ-c reaches 1 only where the different values are evenly frequent.
                if one.coefficient != "kendall_c" and one.value is not None:
                    assert one.value == ratio(1)

    @settings(max_examples=10)
    @given(st.integers(0, 50))
    def test_turn_with_the_judge_and_follow_no_names(self, seed):
        judge, human = beside.noisy(seed=seed)
        of, turned = beside.pairs_of(judge, human), beside.pairs_of(-judge, human)
        renamed = beside.pairs_of(judge[::-1, ::-1], human[::-1, ::-1])

        for level in LEVELS:
            for name in COEFFICIENTS:
                value = only(of, level, name).value
                assert only(turned, level, name).value == ratio(-value)
                assert only(renamed, level, name).value == ratio(value)

    def test_at_the_item_level_are_the_mean_over_groups_that_vary(self):
        judge = np.array([[1, 1, 1, NAN], [2, 1, 2, 2], [3, 1, 3, NAN]])
        human = np.array([[1, 1, 2, 1], [2, 2, 1, 1], [3, 3, 3, 1]])
        found = only(beside.pairs_of(judge, human), "item", "spearman")

        assert found.value == ratio((1 + 0.5) / 2)
        assert (found.n_groups, found.n_left_out, found.n) == (2, 2, 3)

    def test_at_the_system_level_take_means_over_what_both_have(self):
        judge = np.array([[1, 2, 9], [2, 3, NAN], [5, NAN, 4]])
        human = np.array([[1, 1, NAN], [2, 3, 5], [3, 3, 3]])
        found = only(beside.pairs_of(judge, human), "system", "pearson")

        assert found.value == ratio(beside.slow([1.5, 2.5, 4.5], [1, 2.5, 3], "pearson"))
        assert found.n_rows == 6

    @pytest.mark.parametrize("level", LEVELS)
    @pytest.mark.parametrize(
        ("judge", "human", "reason"),
        [
            ([[1, 1], [1, 1]], [[1, 2], [2, 4]], Reason.CONSTANT_JUDGE),
            ([[1, 2], [2, 4]], [[1, 1], [1, 1]], Reason.CONSTANT_REFERENCE),
            ([[1, NAN]], [[1, 2]], Reason.FEW_PAIRS),
            ([[NAN]], [[1]], Reason.FEW_PAIRS),
        ],
    )
    def test_are_undefined_with_a_reason(self, level, judge, human, reason):
        for one in coefficients.correlations(beside.pairs_of(judge, human), level):
            assert (one.value, one.reason, one.p, one.interval_reason) == (
                None,
                reason,
                None,
                reason,
            )

    def test_say_that_no_group_varies(self):
        found = only(beside.pairs_of([[1, 2], [1, 2]], [[1, 3], [2, 3]]), "item")

        assert found.reason is Reason.NO_GROUP_VARIES

    def test_over_responses_that_share_questions_have_no_p_and_no_interval_by_formula(self):
        made = only(beside.pairs_of([[1, 2], [3, 4], [5, 7]], [[1, 3], [2, 5], [4, 6]]), "pooled")

        assert (made.p, made.low, made.high) == (None, None, None)
        assert made.interval_reason is Reason.NOT_INDEPENDENT
        assert made.p_method.startswith("none: ")
        assert made.value > 0.5

    def test_over_responses_to_a_question_each_have_both(self):
        marks = [[1, 2, 3, 4, 5, 7]]
        made = only(beside.pairs_of(marks, [[1, 3, 2, 5, 4, 6]]), "pooled", "pearson")

        assert made.p < 0.05
        assert made.low < made.value < made.high

    def test_say_what_they_are(self):
        made = plain(only(beside.pairs_of([[1 / 3, 2, 3, 4]], [[1, 2, 3, 5]]), "pooled"))

        assert made["method"].startswith("Kendall's τ-b; one correlation over all responses")
        assert made["method"].endswith("added exactly")
        assert made["pairs"]["concordant"] == 6
        assert made["interval_reason"] == "few_pairs"

    def test_refuse_what_there_is_not(self):
        of = beside.pairs_of([[1, 2]], [[1, 2]])

        with pytest.raises(ValueError, match="no level 'global'"):
            coefficients.correlations(of, "global")
        with pytest.raises(ValueError, match="between 0 and 1"):
            coefficients.correlations(of, "item", confidence=95)
