import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from scoring.stats import multiple

PS = st.lists(st.floats(0, 1), max_size=12)


class TestHolm:
    def test_of_a_textbook_example(self):
        # Holm's steps by hand: .01·4, then max(.04, .02·3), max(.06, .03·2), max(.06, .04·1).
        assert multiple.holm([0.01, 0.04, 0.03, 0.02]) == pytest.approx([0.04, 0.06, 0.06, 0.06])

    @given(PS)
    def test_never_lowers_a_p_nor_turns_their_order(self, ps):
        made = [p for p in multiple.holm(ps) if p is not None]

        assert all(p <= q <= 1 for p, q in zip(ps, made, strict=True))
        assert [made[i] for i in np.argsort(ps, kind="stable")] == sorted(made)

    def test_leaves_out_what_has_no_p(self):
        assert multiple.holm([None, 0.5, None]) == [None, 0.5, None]
        assert multiple.holm([None]) == [None]
        assert multiple.holm([]) == []


class TestFalseDiscoveries:
    #: The p values of table 1 of Benjamini and Hochberg (1995), where four are rejected at 5 %.
    TABLE = (
        *(0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240),
        *(0.4262, 0.5719, 0.6528, 0.7590, 1.0000),
    )

    def test_are_those_of_benjamini_and_hochbergs_example(self):
        found = multiple.false_discoveries(self.TABLE, under="independence")

        assert sum(p <= 0.05 for p in found) == 4

    @given(PS.filter(bool))
    def test_under_any_dependence_are_larger(self, ps):
        plain = multiple.false_discoveries(ps, under="independence")
        careful = multiple.false_discoveries(ps, under="dependence")

        assert all(a <= b + 1e-12 for a, b in zip(plain, careful, strict=True))
        assert careful == pytest.approx(stats.false_discovery_control(ps, method="by").tolist())

    def test_leave_out_what_has_no_p(self):
        assert multiple.false_discoveries([None, 0.5], under="dependence") == [None, 0.5]
