import pytest

from annotation.review import rules as reviews
from annotation.review.models import Decision
from annotation.review.rules import DecisionStanding, ReviewAct
from annotation.rounds.rules import RoundState

#: In which states of a round each decision can be made.
TABLE = {
    ReviewAct.TAKE_UP: "OPEN REVIEW FINAL",
    ReviewAct.KEEP: "OPEN REVIEW FINAL",
    ReviewAct.REGRADE: "REVIEW",
    ReviewAct.HAND_BACK: "OPEN REVIEW",
    ReviewAct.ADJUDICATE: "REVIEW FINAL",
    ReviewAct.STRIKE_GRADE: "OPEN REVIEW FINAL",
    ReviewAct.STRIKE_RATER: "OPEN REVIEW FINAL",
    ReviewAct.STRIKE_QUESTION: "OPEN REVIEW FINAL",
    ReviewAct.FIX_ANSWER: "OPEN REVIEW FINAL",
    ReviewAct.CLARIFY_RUBRIC: "OPEN REVIEW FINAL",
    ReviewAct.REVERSE: "OPEN REVIEW FINAL",
}


class TestAct:
    def test_are_those_that_are_stored(self):
        assert {str(one) for one in ReviewAct} == set(Decision.Act.values) == set(reviews.KINDS)


class TestAllowed:
    @pytest.mark.parametrize("act", ReviewAct)
    def test_follows_the_state_of_the_round(self, act):
        found = {str(state) for state in RoundState if reviews.allowed(act, state)}

        assert found == set(TABLE[act].split())


class TestLacks:
    def test_names_what_the_decision_is_about_and_does_not_say(self):
        assert reviews.lacks(ReviewAct.ADJUDICATE, frozenset({"response"})) == [
            "criterion",
            "value",
        ]
        assert reviews.lacks(ReviewAct.KEEP, frozenset()) == []


class TestNWanted:
    def test_is_what_the_project_says_except_where_no_figure_changes(self):
        assert reviews.n_wanted(ReviewAct.ADJUDICATE, 2) == 2
        assert reviews.n_wanted(ReviewAct.TAKE_UP, 2) == 1


class TestStanding:
    @pytest.mark.parametrize(
        ("has_effect", "is_reversed", "standing"),
        [
            (False, False, DecisionStanding.WAITING),
            (True, False, DecisionStanding.HOLDS),
            (True, True, DecisionStanding.TAKEN_BACK),
            (False, True, DecisionStanding.TAKEN_BACK),
        ],
    )
    def test_is_told_by_its_effect_and_its_reversal(self, has_effect, is_reversed, standing):
        assert reviews.standing(has_effect=has_effect, is_reversed=is_reversed) is standing
