import csv

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.stats.people import agreement
from scoring.stats.plain import Reason, plain
from scoring.stats.resampled import units
from tests.scoring import definitions, marks
from tests.scoring.marks import KRIPPENDORFF, units_of

LEVELS = [1, 2, 3, 4, 5]


def value(units, name, **options):
    return agreement.agreement(units, names=(name,), resamples=0, **options).find(name).value


class TestAgreement:
    @pytest.mark.parametrize(
        ("name", "known"),
        [
            ("alpha_nominal", 0.743421),
            ("alpha_ordinal", 0.815388),
            ("alpha_interval", 0.849107),
            ("alpha_ratio", 0.797403),
            ("ac1", 0.775444),
        ],
    )
    def test_of_krippendorffs_example(self, name, known):
        assert value(units_of(KRIPPENDORFF, levels=LEVELS), name) == pytest.approx(known, abs=5e-7)

    def test_of_fleiss_example(self):
        # Fleiss (1971), table 1: 30 patients, 6 psychiatrists, 5 diagnoses; counts a patient.
        counts = (
            "00060 03003 01401 00006 03030 20400 00402 20310 20040 00006 10050 11040 03300 10050 "
            "02031 00501 30012 51000 02040 10203 00006 01050 02013 20040 10041 05010 40002 02040 "
            "10500 00006"
        )
        table = [
            [level for level, n in enumerate(word) for _ in range(int(n))]
            for word in counts.split()
        ]

        assert value(units_of(table, levels=range(5)), "fleiss") == pytest.approx(
            0.430245, abs=5e-7
        )

    def test_of_the_kappa_paradox(self):
        units = units_of([(1, 1)] * 118 + [(1, 0)] * 5 + [(0, 1)] * 2, levels=[0, 1])

        found = {name: value(units, name) for name in ("raw", "ac1", "alpha_nominal")}

        assert found == pytest.approx(
            {"raw": 0.944, "ac1": 0.941, "alpha_nominal": -0.025}, abs=5e-4
        )

    @pytest.mark.parametrize(
        ("criterion", "known"), [("coh", 0.559), ("con", 0.899), ("flu", 0.726), ("rel", 0.453)]
    )
    def test_of_summevals_experts(self, golden, criterion, known):
        table = summeval(golden, [f"e{i}_{criterion}" for i in range(3)])

        assert value(units_of(table, levels=LEVELS), "alpha_interval") == pytest.approx(
            known, abs=5e-4
        )

    def test_of_summevals_crowd(self, golden):
        table = [
            row
            for criterion in ("coh", "con", "flu", "rel")
            for row in summeval(golden, [f"t{i}_{criterion}" for i in range(5)])
        ]

        assert value(units_of(table, levels=LEVELS), "alpha_interval") == pytest.approx(
            0.4920, abs=5e-5
        )

    def test_equals_the_definitions(self):
        equal_the_definitions(200, seed=1)

    @pytest.mark.nightly
    @pytest.mark.timeout(3000)
    def test_equals_the_definitions_on_very_many_designs(self):
        equal_the_definitions(10_000, seed=2)

    @given(marks.tables(), st.randoms(use_true_random=False))
    def test_does_not_depend_on_order_or_names(self, table, random):
        shuffled = [list(row) for row in table]
        random.shuffle(shuffled)
        order = random.sample(range(len(table[0])), len(table[0]))
        turned = [[row[i] for i in order] for row in shuffled]

        one, other = (
            agreement.agreement(units_of(t, levels=range(4)), resamples=0) for t in (table, turned)
        )

        assert [c.reason for c in one.coefficients] == [c.reason for c in other.coefficients]
        assert [c.value for c in one.coefficients] == pytest.approx(
            [c.value for c in other.coefficients], abs=1e-12, nan_ok=True
        ) or all(c.value is None for c in one.coefficients)

    def test_of_perfect_agreement_is_one(self):
        units = units_of([[0, 0], [1, 1], [2, 2]], levels=[0, 1, 2])

        assert all(one.value == pytest.approx(1) for one in agreement.agreement(units).coefficients)

    @pytest.mark.parametrize(
        ("table", "reason"),
        [
            ([[1, None], [2, None]], Reason.ONE_RATER),
            ([[1, None], [None, 2]], Reason.NO_OVERLAP),
            ([[1, 1], [1, 1]], Reason.ONE_LEVEL),
            ([[None, None]], Reason.NO_GRADES),
        ],
    )
    def test_is_undefined_with_a_reason(self, table, reason):
        found = agreement.agreement(units_of(table, levels=LEVELS))

        alpha = found.find("alpha_ordinal")
        assert (alpha.value, alpha.reason, alpha.low) == (None, reason, None)
        raw = found.find("raw")
        assert raw.value == (1.0 if reason is Reason.ONE_LEVEL else None)

    def test_of_ratios_needs_a_scale_from_zero(self):
        units = units_of([[-1, 1], [1, 1]], levels=[-1, 0, 1])

        assert agreement.agreement(units).find("alpha_ratio").reason is Reason.NEGATIVE_LEVELS

    def test_refuses_an_unknown_name(self):
        for name in ("kappa", "alpha_round", "ac2_ratio"):
            with pytest.raises(KeyError):
                agreement.agreement(units_of([[1, 1]]), names=(name,))
        with pytest.raises(KeyError):
            agreement.agreement(units_of(KRIPPENDORFF), names=("raw",)).find("ac1")

    def test_is_plain(self):
        found = agreement.agreement(units_of(KRIPPENDORFF, levels=LEVELS), resamples=50)

        assert plain(found)["n_pairable"] == 11
        assert sum(found.marginals) == pytest.approx(1)


class TestIntervals:
    def test_are_wider_where_questions_are_what_is_drawn(self):
        table = marks.many(300, 3)
        table = np.repeat(table, 4, axis=0)  # four equal responses a question
        units = units_of(table.tolist(), levels=range(5), cluster=np.repeat(np.arange(300), 4))

        def width(sampling):
            found = agreement.agreement(units, names=("alpha_interval",), sampling=sampling)
            one = found.find("alpha_interval")
            return one.high - one.low

        assert width("cluster") / width("unit") == pytest.approx(2, rel=0.15)

    def test_say_how_they_were_made(self):
        few = agreement.agreement(units_of(KRIPPENDORFF, levels=LEVELS))
        none = agreement.agreement(units_of(KRIPPENDORFF, levels=LEVELS), resamples=0)

        assert "exact multinomial" in few.method
        assert (
            "units drawn"
            in agreement.agreement(units_of(KRIPPENDORFF, levels=LEVELS), sampling="unit").method
        )
        assert none.find("raw").interval_reason is Reason.NOT_RESAMPLED

    def test_of_one_question_are_undefined(self):
        found = agreement.agreement(units_of([[0, 1], [1, 1]], cluster=[0, 0]))

        assert found.find("raw").interval_reason is Reason.FEW_QUESTIONS

    def test_of_very_many_questions_agree_with_exact_draws(self):
        wide = marks.many(5000, 7)
        many = units_of(wide.tolist(), levels=range(5), cluster=np.arange(5000) // 2)
        one = agreement.agreement(many, names=("alpha_interval",))
        other = agreement.agreement(many, names=("alpha_interval",), sampling="unit")
        assert "normal multipliers" in one.method
        assert one.find("alpha_interval").low == pytest.approx(
            other.find("alpha_interval").low, abs=0.005
        )


@pytest.mark.nightly
@pytest.mark.timeout(3000)
class TestCoverage:
    """Of 95 % intervals over questions that are drawn afresh each time."""

    N_QUESTIONS, TRIALS = 60, 1_500

    @pytest.mark.parametrize("sampling", ["cluster", "unit"])
    def test_is_93_to_97_percent(self, sampling):
        names = ("raw", "fleiss", "ac1", "ac2_ordinal", "alpha_nominal", "alpha_ordinal",
                 "alpha_interval")  # fmt: skip
        per = 3 if sampling == "cluster" else 1
        rng = np.random.default_rng(7)
        whole = agreement.agreement(self.drawn(rng, 60_000, per), names=names, resamples=0)
        truth = {name: whole.find(name).value for name in names}

        hits = dict.fromkeys(names, 0)
        for _ in range(self.TRIALS):
            found = agreement.agreement(
                self.drawn(rng, self.N_QUESTIONS, per), names=names, sampling=sampling, seed=rng
            )
            for name in names:
                one = found.find(name)
                hits[name] += one.low <= truth[name] <= one.high

        shares = {name: n / self.TRIALS for name, n in hits.items()}
        assert all(0.93 <= share <= 0.97 for share in shares.values()), shares

    @staticmethod
    def drawn(rng, n, per):
        """Return questions of so many responses, alike in worth, each by three of five raters."""
        hard = rng.normal(0, 1, n)
        lean = np.array([-0.4, -0.2, 0.0, 0.2, 0.4])
        worth = np.repeat(hard, per) + rng.normal(0, 0.7, n * per)
        level = np.clip(
            np.rint(1.5 + worth[:, None] - lean + rng.normal(0, 0.6, (n * per, 5))), 0, 3
        )
        seen = rng.permuted(np.tile(np.arange(5) < 3, (n * per, 1)), axis=1)
        row, rater = np.nonzero(seen)
        return units.units(
            unit=row, rater=rater, value=level[seen], levels=range(4), cluster=row // per
        )


class TestLeaveOneOut:
    def test_shows_who_pulls_agreement_down(self):
        table = [[0, 0, 1], [1, 1, 0], [2, 2, 0], [0, 0, 2], [1, 1, 2]]

        found = agreement.leave_one_out(units_of(table, levels=[0, 1, 2]))

        assert [one.rater for one in found if one.value == pytest.approx(1)] == [2]
        assert found[2].change is not None
        assert found[2].change > 0

    @given(marks.tables())
    def test_is_what_the_others_say_alone(self, table):
        whole = units_of(table, levels=range(4))

        for one in agreement.leave_one_out(whole, "alpha_interval") if whole.n_marks else ():
            rest = agreement.agreement(whole.without(one.rater), resamples=0)
            alone = rest.find("alpha_interval")
            assert one.reason is alone.reason
            assert one.value == pytest.approx(alone.value, abs=1e-12, nan_ok=True)

    def test_says_why_there_is_none(self):
        found = agreement.leave_one_out(units_of([[0, 1], [1, 1]], levels=[0, 1]))

        assert {one.reason for one in found} == {Reason.ONE_RATER}


class TestWeightMatrix:
    def test_of_ordinal_weights(self):
        # Gwet (2014), table 3.7: ordinal weights of four levels.
        assert agreement.weight_matrix(np.arange(4.0), "ordinal")[0] == pytest.approx(
            [1, 1 - 1 / 6, 1 - 3 / 6, 0]
        )

    @given(st.integers(1, 8), st.sampled_from(agreement.WEIGHTS))
    def test_is_one_on_the_diagonal_and_symmetric(self, q, weights):
        made = agreement.weight_matrix(np.arange(float(q)), weights)

        assert (np.diag(made) == 1).all()
        assert (made == made.T).all()
        assert made.min() >= 0


EVERY = (*agreement.DEFAULT, "ac2_linear", "ac2_quadratic")


def equal_the_definitions(n, seed):
    """Compare every coefficient of random designs, gaps and all, with exact fractions."""
    rng = np.random.default_rng(seed)
    compared = 0
    for _ in range(n):
        q, raters = int(rng.integers(2, 6)), int(rng.integers(2, 6))
        table = rng.integers(0, q, (int(rng.integers(2, 9)), raters)).tolist()
        gaps = rng.random((len(table), raters)) < rng.choice([0, 0.2, 0.5])
        table = [
            [None if gone else x for x, gone in zip(row, missing, strict=True)]
            for row, missing in zip(table, gaps, strict=True)
        ]
        found = agreement.agreement(units_of(table, levels=range(q)), names=EVERY, resamples=0)
        if found.find("raw").value is None or found.find("ac1").value is None:
            continue
        for name, exact in definitions.coefficients(table, q).items():
            one = found.find(name)
            if exact is None:
                assert one.value is None or not np.isfinite(one.value)
            else:
                assert one.value == pytest.approx(float(exact), abs=1e-9), (name, table)
                compared += 1
    assert compared > 8 * n


def summeval(golden, columns):
    with (golden / "summeval" / "summeval_ratings.csv").open() as file:
        return [[float(row[name]) for name in columns] for row in csv.DictReader(file)]
