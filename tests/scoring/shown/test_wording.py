import pytest

from scoring.shown import wording
from scoring.stats.plain import Reason


class TestWhyOfTwo:
    @pytest.mark.parametrize("reason", [Reason.CONSTANT_JUDGE, Reason.CONSTANT_REFERENCE])
    def test_speaks_of_neither_judges_nor_people(self, reason):
        said = wording.why_of_two(reason)

        assert said.startswith("One of the two")
        assert said != wording.why(reason)

    @pytest.mark.parametrize("reason", [None, Reason.FEW_PAIRS])
    def test_says_else_what_is_always_said(self, reason):
        assert wording.why_of_two(reason) == wording.why(reason)
