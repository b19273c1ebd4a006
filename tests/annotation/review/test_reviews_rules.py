import pytest

from annotation.review import rules as reviews
from annotation.review.models import Decision
from annotation.review.rules import Act, Standing
from annotation.rounds.rules import State

#: In which states of a round each decision can be made.
TABLE = {
    Act.TAKE_UP: "OPEN REVIEW FINAL",
    Act.KEEP: "OPEN REVIEW FINAL",
    Act.REGRADE: "REVIEW",
    Act.HAND_BACK: "OPEN REVIEW",
    Act.ADJUDICATE: "REVIEW FINAL",
    Act.STRIKE_GRADE: "OPEN REVIEW FINAL",
    Act.STRIKE_RATER: "OPEN REVIEW FINAL",
    Act.STRIKE_QUESTION: "OPEN REVIEW FINAL",
    Act.FIX_ANSWER: "OPEN REVIEW FINAL",
    Act.CLARIFY_RUBRIC: "OPEN REVIEW FINAL",
    Act.REVERSE: "OPEN REVIEW FINAL",
}


class TestAct:
    def test_are_those_that_are_stored(self):
        assert {str(one) for one in Act} == set(Decision.Act.values) == set(reviews.KINDS)


class TestAllowed:
    @pytest.mark.parametrize("act", Act)
    def test_follows_the_state_of_the_round(self, act):
        found = {str(state) for state in State if reviews.allowed(act, state)}

        assert found == set(TABLE[act].split())


class TestLacks:
    def test_names_what_the_decision_is_about_and_does_not_say(self):
        assert reviews.lacks(Act.ADJUDICATE, frozenset({"response"})) == ["criterion", "value"]
        assert reviews.lacks(Act.KEEP, frozenset()) == []


class TestNWanted:
    def test_is_what_the_project_says_except_where_no_figure_changes(self):
        assert reviews.n_wanted(Act.ADJUDICATE, 2) == 2
        assert reviews.n_wanted(Act.TAKE_UP, 2) == 1


class TestStanding:
    @pytest.mark.parametrize(
        ("has_effect", "is_reversed", "standing"),
        [
            (False, False, Standing.WAITING),
            (True, False, Standing.HOLDS),
            (True, True, Standing.TAKEN_BACK),
            (False, True, Standing.TAKEN_BACK),
        ],
    )
    def test_is_told_by_its_effect_and_its_reversal(self, has_effect, is_reversed, standing):
        assert reviews.standing(has_effect=has_effect, is_reversed=is_reversed) is standing
