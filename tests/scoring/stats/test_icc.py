import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.stats.people import agreement
from scoring.stats.plain import Reason, plain
from tests.scoring import definitions
from tests.scoring.marks import SHROUT_FLEISS, units_of

KNOWN = {"1,1": 0.1657, "2,1": 0.2898, "3,1": 0.7148, "1,k": 0.4428, "2,k": 0.6201, "3,k": 0.9093}


def of_form(found, form):
    return next(one for one in found.forms if one.form == form)


class TestIntraclass:
    def test_of_shrout_and_fleiss_example(self):
        found = agreement.intraclass(units_of(SHROUT_FLEISS), resamples=0)

        assert {one.form: one.value for one in found.forms} == pytest.approx(KNOWN, abs=5e-5)
        assert of_form(found, "2,1").interval_reason is Reason.NOT_RESAMPLED

    def test_equals_the_definition(self):
        equal_the_definition(100, seed=1)

    @pytest.mark.nightly
    @pytest.mark.timeout(3000)
    def test_equals_the_definition_on_very_many_designs(self):
        equal_the_definition(10_000, seed=2)

    @given(st.floats(0.1, 100), st.floats(-1000, 1000))
    def test_does_not_depend_on_the_scale(self, factor, shift):
        table = [[factor * x + shift for x in row] for row in SHROUT_FLEISS]
        found = agreement.intraclass(units_of(table), resamples=0)

        assert {one.form: one.value for one in found.forms} == pytest.approx(KNOWN, abs=1e-3)

    def test_leaves_out_and_counts_what_is_not_complete(self):
        found = agreement.intraclass(units_of([*SHROUT_FLEISS, [1, None, 2, 3]]))

        assert (found.n_units, found.n_left_out) == (6, 1)
        assert of_form(found, "3,1").low < 0.7148 < of_form(found, "3,1").high
        assert plain(found)["n_raters"] == 4

    @pytest.mark.parametrize(
        ("table", "reason"),
        [
            ([[None, None]], Reason.NO_GRADES),
            ([[1], [2]], Reason.ONE_RATER),
            ([[1, 2], [1, None]], Reason.FEW_UNITS),
            ([[1, 1], [1, 1]], Reason.ONE_LEVEL),
        ],
    )
    def test_is_undefined_with_a_reason(self, table, reason):
        found = agreement.intraclass(units_of(table))

        assert {(one.value, one.reason) for one in found.forms} == {(None, reason)}

    def test_of_units_that_do_not_differ_is_undefined_where_it_divides_by_nothing(self):
        found = agreement.intraclass(units_of([[1, 2], [1, 2]]), resamples=0)

        assert of_form(found, "3,k").reason is Reason.NO_SPREAD

    def test_has_no_bound_made_of_rounding_where_resampled_units_do_not_differ(self):
        lot = np.random.default_rng(1)
        tables = [lot.integers(2, 5, size=(5, 3)).tolist() for _ in range(20)]
        found = [one for table in tables for one in agreement.intraclass(units_of(table)).forms]

        assert min(one.low for one in found if one.low is not None) > -10_000

    def test_of_one_question_has_no_interval(self):
        found = agreement.intraclass(units_of(SHROUT_FLEISS, cluster=np.zeros(6)))

        assert of_form(found, "1,1").interval_reason is Reason.FEW_QUESTIONS


def equal_the_definition(n, seed):
    rng = np.random.default_rng(seed)
    for _ in range(n):
        shape = int(rng.integers(2, 9)), int(rng.integers(2, 6))
        table = rng.integers(0, 5, shape).tolist()
        found = agreement.intraclass(units_of(table), resamples=0)
        if found.forms[0].reason is Reason.ONE_LEVEL:
            continue
        for form, exact in definitions.intraclass(table).items():
            one = of_form(found, form)
            # A denominator that is 0 in fractions may be a rounding error in floats.
            if exact is not None and one.value is not None and abs(exact) < 1e6:
                assert one.value == pytest.approx(float(exact), rel=1e-9, abs=1e-9), (form, table)
