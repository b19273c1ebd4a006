import numpy as np
import pytest

from scoring.stats.judges import blocks, levels
from scoring.stats.judges import judges as overall
from scoring.stats.judges.blocks import BlockSettings
from scoring.stats.plain import Reason
from scoring.stats.resampled import exact
from tests.scoring import judged_beside as beside
from tests.scoring import summeval

POINT = BlockSettings(("kendall_b",), "both", 0, 0.95, 0)
DRAWN = BlockSettings(("pearson",), "both", 200, 0.95, 0)


def parts_of(golden, metric, settings=POINT):
    return [
        blocks.block(summeval.pairs(golden, metric, criterion), "system", settings)
        for criterion in summeval.CRITERIA
    ]


class TestMeanOfCoefficients:
    def test_is_what_table_2_of_fusion_eval_prints_for_rouge(self, golden):
        known = [
            one
            for one in summeval.expected(golden)["anchors"]
            if one["id"].startswith("seed001.T2") and one["id"].endswith("overall")
        ]

        assert len(known) == 3
        for one in known:
            metric = one["id"].split(".")[2]
            (found,) = overall.mean_of_coefficients(
                metric, parts_of(golden, metric), "system", POINT
            )
            assert found.value == pytest.approx(one["published"], abs=one["tol"])
            assert found.value == pytest.approx(one["value"], abs=1e-6)
            assert (found.definition, found.n, found.n_criteria) == ("mean_of_coefficients", 16, 4)
            assert found.interval_reason is Reason.NOT_RESAMPLED

    def test_has_an_interval_of_the_mean_within_each_resample(self):
        judge, human = beside.noisy(8, 20)
        made = [
            blocks.block(beside.pairs_of(judge, human + k * (human > 2)), "system", DRAWN)
            for k in range(3)
        ]
        (found,) = overall.mean_of_coefficients("J", made, "system", DRAWN)

        mean = np.mean([one.found["pearson"] for one in made], axis=0)
        assert [found.low, found.high] == pytest.approx(np.quantile(mean, [0.025, 0.975]))
        assert found.value == pytest.approx(np.mean([one.points[0].value for one in made]))

    def test_is_undefined_where_a_criterion_is(self):
        one = blocks.block(beside.pairs_of(*beside.noisy()), "system", POINT)
        (found,) = overall.mean_of_coefficients("J", [one, None], "system", POINT)

        assert (found.value, found.reason) == (None, Reason.PARTS_UNDEFINED)

    def test_has_no_interval_over_criteria_of_different_systems(self):
        judge, human = beside.noisy()
        made = [
            blocks.block(beside.pairs_of(judge[:n], human[:n]), "system", DRAWN) for n in (5, 6)
        ]
        (found,) = overall.mean_of_coefficients("J", made, "system", DRAWN)

        assert found.value is not None
        assert (found.low, found.interval_reason) == (None, Reason.DIFFERENT_PARTS)

    def test_has_no_interval_where_nothing_can_be_drawn(self):
        one = blocks.block(beside.pairs_of([[1, 2, 3]], [[1, 3, 2]]), "pooled", DRAWN)
        (found,) = overall.mean_of_coefficients("J", [one, one], "pooled", DRAWN)

        assert (found.value, found.low) == (pytest.approx(0.5), None)
        assert found.interval_reason is Reason.FEW_QUESTIONS


class TestOfAveragedRating:
    def test_of_summeval_is_another_figure_than_the_mean(self, golden):
        people = overall.averaged(
            [summeval.people(golden, c) for c in summeval.CRITERIA], [(1, 5)] * 4
        )
        of = levels.pairs(summeval.table(golden), summeval.metric(golden, "ROUGE-1"), people)

        (found,) = overall.of_averaged_rating(
            "ROUGE-1",
            blocks.block(of, "system", POINT),
            "system",
            POINT,
            n_criteria=4,
            what="as is",
        )

        assert found.value == pytest.approx(0.594, abs=5e-4)
        assert found.method.endswith("overall as the coefficient of the averaged rating; as is")

    def test_has_an_interval(self):
        one = blocks.block(beside.pairs_of(*beside.noisy()), "system", DRAWN)
        (found,) = overall.of_averaged_rating("J", one, "system", DRAWN, n_criteria=2, what="as is")

        assert found.low < found.value < found.high
        assert found.interval_reason is None

    def test_is_undefined_where_the_judge_lacks_a_criterion(self):
        (found,) = overall.of_averaged_rating("J", None, "item", POINT, n_criteria=2, what="as is")

        assert (found.value, found.reason, found.interval_reason) == (
            None,
            Reason.PARTS_UNDEFINED,
            Reason.PARTS_UNDEFINED,
        )


class TestAveraged:
    def test_brings_different_ranges_to_0_to_1_and_leaves_equal_ones(self):
        columns = [exact.values([1.0, 3.0]), exact.values([0.0, 1.0])]

        shares = overall.averaged(columns, [(1, 3), (0, 1)])
        plain = overall.averaged(columns, [(0, 3), (0, 3)])
        unknown = overall.averaged(columns, [(1, 3), None])

        assert shares.floats.tolist() == [0, 1]
        is_open = overall.averaged(columns, [(1, 3), (0, float("nan"))])
        assert plain.floats.tolist() == unknown.floats.tolist() == [0.5, 2]
        assert is_open.floats.tolist() == [0.5, 2]

    def test_refuses_nothing(self):
        with pytest.raises(ValueError, match="nothing to average"):
            overall.averaged([], [])
