import itertools

from annotation.rounds import rules as rounds
from annotation.rounds.rules import RoundAct, RoundNeed, RoundState


class TestMoves:
    def test_lead_from_draft_to_final_and_never_back(self):
        moves = {
            (here, there)
            for here, there in itertools.product(RoundState, RoundState)
            if rounds.may_move(here, there)
        }

        assert moves == {
            (RoundState.DRAFT, RoundState.OPEN),
            (RoundState.OPEN, RoundState.REVIEW),
            (RoundState.REVIEW, RoundState.FINAL),
        }

    def test_end_at_final(self):
        assert rounds.allowed(RoundState.FINAL) == ()


class TestNeeds:
    def test_of_a_move(self):
        needs = {(one.source, one.target): one.needs for one in rounds.TRANSITIONS}

        assert RoundNeed.SEATS in needs[RoundState.DRAFT, RoundState.OPEN]
        assert needs[RoundState.REVIEW, RoundState.FINAL] == (RoundNeed.NO_CLAIMS,)
        assert needs[RoundState.OPEN, RoundState.REVIEW] == ()
        assert (RoundState.FINAL, RoundState.OPEN) not in needs


class TestAllows:
    def test_hands_out_seats_only_while_open(self):
        assert [state for state in RoundState if rounds.allows(state, RoundAct.CLAIM)] == [
            RoundState.OPEN
        ]

    def test_lets_begun_work_be_finished_in_review(self):
        assert rounds.allows(RoundState.REVIEW, RoundAct.SUBMIT)

    def test_only_adjudicates_and_invalidates_when_final(self):
        reading = {RoundAct.READ_RESULTS, RoundAct.READ_RESULTS_AS_ANNOTATOR}

        assert rounds.ALLOWS[RoundState.FINAL] - reading == {
            RoundAct.ADJUDICATE,
            RoundAct.INVALIDATE,
        }

    def test_shows_annotators_results_only_when_final(self):
        act = RoundAct.READ_RESULTS_AS_ANNOTATOR

        assert [state for state in RoundState if rounds.allows(state, act)] == [RoundState.FINAL]

    def test_claims_nothing_while_paused_but_submits(self):
        assert not rounds.allows(RoundState.OPEN, RoundAct.CLAIM, paused=True)
        assert rounds.allows(RoundState.OPEN, RoundAct.SUBMIT, paused=True)

    def test_says_something_of_every_state(self):
        assert set(rounds.ALLOWS) == set(RoundState)
