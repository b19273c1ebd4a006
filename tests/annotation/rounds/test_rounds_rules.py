import itertools

from annotation.rounds import rules as rounds
from annotation.rounds.rules import Act, Need, State


class TestMoves:
    def test_lead_from_draft_to_final_and_never_back(self):
        moves = {
            (here, there)
            for here, there in itertools.product(State, State)
            if rounds.may_move(here, there)
        }

        assert moves == {
            (State.DRAFT, State.OPEN),
            (State.OPEN, State.REVIEW),
            (State.REVIEW, State.FINAL),
        }

    def test_end_at_final(self):
        assert rounds.allowed(State.FINAL) == ()


class TestNeeds:
    def test_of_a_move(self):
        needs = {(one.source, one.target): one.needs for one in rounds.TRANSITIONS}

        assert Need.SEATS in needs[State.DRAFT, State.OPEN]
        assert needs[State.REVIEW, State.FINAL] == (Need.NO_CLAIMS,)
        assert needs[State.OPEN, State.REVIEW] == ()
        assert (State.FINAL, State.OPEN) not in needs


class TestAllows:
    def test_hands_out_seats_only_while_open(self):
        assert [state for state in State if rounds.allows(state, Act.CLAIM)] == [State.OPEN]

    def test_lets_begun_work_be_finished_in_review(self):
        assert rounds.allows(State.REVIEW, Act.SUBMIT)

    def test_only_adjudicates_and_invalidates_when_final(self):
        reading = {Act.READ_RESULTS, Act.READ_RESULTS_AS_ANNOTATOR}

        assert rounds.ALLOWS[State.FINAL] - reading == {Act.ADJUDICATE, Act.INVALIDATE}

    def test_shows_annotators_results_only_when_final(self):
        act = Act.READ_RESULTS_AS_ANNOTATOR

        assert [state for state in State if rounds.allows(state, act)] == [State.FINAL]

    def test_claims_nothing_while_paused_but_submits(self):
        assert not rounds.allows(State.OPEN, Act.CLAIM, paused=True)
        assert rounds.allows(State.OPEN, Act.SUBMIT, paused=True)

    def test_says_something_of_every_state(self):
        assert set(rounds.ALLOWS) == set(State)
