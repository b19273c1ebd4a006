import csv

import numpy as np
import pytest
from hypothesis import given, settings
from scipy import stats as scipy_stats

from scoring.stats.judges import coefficients
from scoring.stats.judges.said import Concordance
from scoring.stats.plain import Reason
from scoring.stats.told import COEFFICIENTS
from tests.scoring import judged_beside as beside

ASPECTS = ("accuracy", "logic", "relevance", "coherence", "conciseness", "overall")
#: KIEval, table 7, from tables 15 to 19; r is rounded, and so are the values it comes from.
TABLE_7 = (
    "Overall",
    "ARC-Easy",
    "ARC-Challenge",
    "MMLU",
    "HellaSwag",
    "C-Eval",
)


def read(golden, name):
    with (golden / "kieval" / name).open() as file:
        return list(csv.DictReader(file))


def arrays(x, y):
    return np.array(x, dtype=float), np.array(y, dtype=float)


class TestCoefficient:
    @settings(max_examples=40)
    @given(beside.columns())
    def test_equals_its_definition(self, both):
        x, y = arrays(*both)

        for name in COEFFICIENTS:
            known = beside.slow(both[0], both[1], name)
            assert coefficients.coefficient(x, y, name) == (
                None if known is None else pytest.approx(known, abs=1e-12)
            )

    @settings(max_examples=40)
    @given(beside.columns())
    def test_of_ranks_does_not_change_with_monotone_scales_and_turns_with_the_scale(self, both):
        x, y = arrays(*both)

        for name in ("spearman", "kendall_b", "kendall_c"):
            value = coefficients.coefficient(x, y, name)
            assert coefficients.coefficient(np.exp(x), y**3, name) == value
            turned = coefficients.coefficient(-x, y, name)
            assert turned == (None if value is None else pytest.approx(-value, abs=1e-15))

    def test_of_a_judge_that_is_the_people_is_one(self):
        x = np.array([1.0, 3, 3, 4, 5])

        found = [coefficients.coefficient(x, x, name) for name in ("pearson", "kendall_b")]

        assert found == [pytest.approx(1), 1]

    @pytest.mark.parametrize("aspect", ["pearson", "spearman", "kendall"])
    def test_of_evaluators_is_kievals_table_14(self, golden, aspect):
        known = {
            "pearson": (0.82188, 2.865e-5),
            "spearman": (0.89830, 4.166e-7),
            "kendall": (0.76066, 1.098e-5),
        }[aspect]
        rows = read(golden, "table13_evaluators.csv")
        x, y = (
            np.array([float(row[a]) for row in rows if row["evaluator"] == who for a in ASPECTS])
            for who in ("GPT-4", "Claude-3")
        )
        name = "kendall_b" if aspect == "kendall" else aspect

        value = coefficients.coefficient(x, y, name)
        p = coefficients.p_value(name, value, x, y, coefficients.concordance(x, y))

        assert len(x) == 18
        assert value == pytest.approx(known[0], abs=5e-6)
        assert p.value == pytest.approx(known[1], rel=1e-3)

    @pytest.mark.parametrize("dataset", TABLE_7)
    @pytest.mark.parametrize("without", [None, "Yi 6B"])
    def test_of_dialogues_and_accuracy_is_kievals_table_7(self, golden, dataset, without):
        rows = [
            row
            for row in read(golden, "tables15_19_full.csv")
            if dataset in ("Overall", row["dataset"]) and row["model"] != without
        ]
        x, y = (np.array([float(row[name]) for row in rows]) for name in ("overall", "acc_5shot"))
        printed = next(row for row in read(golden, "table07_pcc.csv") if row["dataset"] == dataset)
        end = "" if without is None else "_excl_yi"

        value = coefficients.coefficient(x, y, "pearson")
        p = coefficients.p_value("pearson", value, x, y, coefficients.concordance(x, y))

        assert value == pytest.approx(float(printed["r" + end]), abs=0.0015)
        assert p.value == pytest.approx(float(printed["p" + end]), rel=0.08)


class TestConcordance:
    @settings(max_examples=40)
    @given(beside.columns())
    def test_counts_every_pair_once(self, both):
        x, y = both
        found = coefficients.concordance(*arrays(x, y))

        known = [0] * 5
        for i in range(len(x)):
            for j in range(i):
                a, b = np.sign(x[i] - x[j]), np.sign(y[i] - y[j])
                kind = (a * b > 0, a * b < 0, a == 0 and b != 0, a != 0 and b == 0, a == b == 0)
                known[kind.index(True)] += 1
        assert found == Concordance(*known)


class TestPValue:
    @settings(max_examples=40)
    @given(beside.columns(n_min=4))
    def test_is_that_of_scipy(self, both):
        x, y = arrays(*both)
        if np.ptp(x) == 0 or np.ptp(y) == 0:
            return
        known = {
            "pearson": scipy_stats.pearsonr(x, y).pvalue,
            "spearman": scipy_stats.spearmanr(x, y).pvalue,
            "kendall_b": scipy_stats.kendalltau(x, y).pvalue,
            "kendall_c": scipy_stats.kendalltau(x, y, variant="c").pvalue,
        }
        counted = coefficients.concordance(x, y)
        found = {
            name: coefficients.p_value(
                name, coefficients.coefficient(x, y, name), x, y, counted
            ).value
            for name in COEFFICIENTS
        }

        assert found == pytest.approx(known, abs=1e-7)

    def test_names_how_it_was_found(self):
        straight, tied = np.arange(10.0), np.array([0.0, 0, *range(2, 10)])
        name = "kendall_b"

        methods = [
            coefficients.p_value(name, 1.0, x, straight, coefficients.concordance(x, straight))
            for x in (straight, tied)
        ]

        assert [one.method for one in methods] == [coefficients.EXACT, coefficients.NORMAL]

    @pytest.mark.parametrize(
        ("name", "value", "n"), [("pearson", 1.0, 2), ("kendall_b", None, 2), ("pearson", None, 4)]
    )
    def test_is_none_where_there_is_no_test(self, name, value, n):
        x = np.arange(float(n))

        found = coefficients.p_value(name, value, x, x, coefficients.concordance(x, x))

        assert found.value is None

    def test_of_a_straight_line_is_0(self):
        x = np.arange(5.0)
        counted = coefficients.concordance(x, x)

        assert coefficients.p_value("pearson", -1.0, x, -x, counted).value == 0


class TestFisher:
    @pytest.mark.parametrize(
        ("name", "value", "known"),
        [
            ("pearson", 0.6097454336, (0.1634407273, 0.8488748826)),
            ("spearman", 0.6235294118, (0.135826883, 0.8679840688)),
            ("kendall_b", 0.5, (0.173509894, 0.7274684905)),
        ],
    )
    def test_is_that_of_a_peer_library_for_16_systems(self, name, value, known):
        found = coefficients.fisher(name, value, 16)

        assert (found.low, found.high) == pytest.approx(known, abs=1e-9)

    @pytest.mark.parametrize(
        ("name", "value", "n", "reason"),
        [
            ("kendall_c", 0.5, 20, Reason.NO_FORMULA),
            ("pearson", 0.5, 3, Reason.FEW_PAIRS),
            ("kendall_b", 0.5, 4, Reason.FEW_PAIRS),
            ("pearson", None, 20, Reason.FEW_PAIRS),
            ("pearson", -1.0, 20, Reason.PERFECT),
        ],
    )
    def test_is_undefined_with_a_reason(self, name, value, n, reason):
        found = coefficients.fisher(name, value, n)

        assert (found.low, found.high, found.reason) == (None, None, reason)


class TestReasonFor:
    @pytest.mark.parametrize(
        ("x", "y", "reason"),
        [
            ([1], [1], Reason.FEW_PAIRS),
            ([1, 1], [1, 2], Reason.CONSTANT_JUDGE),
            ([1, 2], [1, 1], Reason.CONSTANT_REFERENCE),
            ([1, 2], [1, 2], None),
        ],
    )
    def test_says_which_side_does_not_vary(self, x, y, reason):
        assert coefficients.reason_for(*arrays(x, y)) is reason
