import pytest

from scoring.beside import detail as judge_parts
from scoring.beside.detail import PossibleUse
from scoring.stats.judges.said import RatersCeiling


def people(value, low):
    return RatersCeiling("pearson", "pooled", value, low, value, None, 3, 0, (), "")


class TestUse:
    @pytest.mark.parametrize(
        ("value", "low", "ceiling", "use"),
        [
            (0.80, 0.7, people(0.8, 0.75), PossibleUse.PERSON),
            (0.80, -0.9, people(0.8, 0.75), PossibleUse.UNCLEAR),
            (0.80, None, people(0.8, 0.75), PossibleUse.UNCLEAR),
            (0.70, 0.6, people(0.8, 0.75), PossibleUse.SCREEN),
            (0.40, 0.2, people(0.8, 0.75), PossibleUse.NOT),
            (0.40, None, people(0.8, 0.75), PossibleUse.NOT),
            (0.90, 0.8, people(0.4, 0.30), PossibleUse.UNCLEAR),
            (None, None, people(0.8, 0.75), PossibleUse.UNCLEAR),
            (0.90, 0.8, people(None, None), PossibleUse.UNCLEAR),
        ],
    )
    def test_follows_what_people_reach_among_themselves(self, value, low, ceiling, use):
        assert judge_parts.use(value, low, ceiling, n_questions=10, passes=True) is use

    @pytest.mark.parametrize(
        ("n_questions", "passes", "found"),
        [
            (9, True, PossibleUse.UNCLEAR),
            (10, False, PossibleUse.SCREEN),
            (9, False, PossibleUse.UNCLEAR),
        ],
    )
    def test_needs_ten_questions_and_a_passed_test_to_stand_in(self, n_questions, passes, found):
        ceiling = people(0.8, 0.75)

        assert judge_parts.use(0.8, 0.7, ceiling, n_questions=n_questions, passes=passes) is found
