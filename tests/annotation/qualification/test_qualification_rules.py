import functools
import itertools

import pytest

from annotation.qualification import rules
from annotation.qualification.rules import (
    Event,
    MeasuredAgreement,
    PoolState,
    Practised,
    Threshold,
    TrialVerdict,
    VerdictReason,
)

E, S = Event, PoolState
#: From each state, where each event that fits leads; everything else is refused.
LEADS = {
    S.NEW: {
        E.BEGUN: S.TRAINING,
        E.PRACTISED: S.TRAINED,
        E.ALLOWED: S.QUALIFIED,
        E.SUSPENDED: S.SUSPENDED,
    },
    S.TRAINING: {
        E.PRACTISED: S.TRAINED,
        E.ALLOWED: S.QUALIFIED,
        E.SUSPENDED: S.SUSPENDED,
    },
    S.TRAINED: {
        E.INVITED: S.TRIAL,
        E.PASSED: S.QUALIFIED,
        E.FAILED: S.RETRAINING,
        E.UNDECIDED: S.TRAINED,
        E.ALLOWED: S.QUALIFIED,
        E.SUSPENDED: S.SUSPENDED,
    },
    S.TRIAL: {
        E.PASSED: S.QUALIFIED,
        E.FAILED: S.RETRAINING,
        E.UNDECIDED: S.TRAINED,
        E.WITHDRAWN: S.TRAINED,
        E.ALLOWED: S.QUALIFIED,
        E.SUSPENDED: S.SUSPENDED,
    },
    S.QUALIFIED: {E.LAPSED: S.RETRAINING, E.SUSPENDED: S.SUSPENDED},
    S.RETRAINING: {
        E.PRACTISED: S.TRAINED,
        E.ALLOWED: S.QUALIFIED,
        E.SUSPENDED: S.SUSPENDED,
    },
    S.SUSPENDED: {E.REINSTATED: S.RETRAINING, E.ALLOWED: S.QUALIFIED},
}


class TestAfter:
    @pytest.mark.parametrize(("state", "event"), list(itertools.product(PoolState, Event)))
    def test_leads_where_the_table_says_and_nowhere_else(self, state, event):
        assert rules.after(state, event) == LEADS[state].get(event)

    def test_lets_nobody_qualify_without_a_trial_but_by_an_owner(self):
        ways = {event for (_state, event), to in rules.TABLE.items() if to is S.QUALIFIED}

        assert ways == {E.PASSED, E.ALLOWED}

    def test_lets_nobody_into_a_trial_who_has_not_trained(self):
        starts = {state for state, event in rules.TABLE if event is E.INVITED}

        assert starts == {S.TRAINED}


class TestStory:
    def test_tells_the_whole_story(self):
        story = [E.BEGUN, E.PRACTISED, E.INVITED, E.FAILED, E.PRACTISED, E.INVITED, E.PASSED]

        assert functools.reduce(rules.after, story, S.NEW) is S.QUALIFIED
        assert functools.reduce(rules.after, [*story, E.LAPSED], S.NEW) is S.RETRAINING

    def test_refuses_what_does_not_fit(self):
        assert rules.after(S.NEW, E.PASSED) is None


class TestDeeds:
    def test_lets_only_an_owner_let_somebody_in(self):
        assert rules.deeds(S.TRAINING, by_owner=False) == (E.SUSPENDED,)
        assert rules.deeds(S.TRAINING, by_owner=True) == (E.SUSPENDED, E.ALLOWED)
        assert rules.deeds(S.QUALIFIED, by_owner=True) == (E.LAPSED, E.SUSPENDED)


class TestStanding:
    @pytest.mark.parametrize(
        ("line", "state"),
        [
            ([], S.NEW),
            ([None, None], S.NEW),
            ([None, S.QUALIFIED], S.QUALIFIED),
            ([S.RETRAINING, S.QUALIFIED], S.RETRAINING),
            ([None, S.TRAINING, S.QUALIFIED], S.TRAINING),
        ],
    )
    def test_is_the_own_state_else_the_nearest_above(self, line, state):
        assert rules.standing(line) is state


class TestJudge:
    AT = Threshold(reference_at=0.7, peers_at=0.6, n_least=10)
    GOOD = MeasuredAgreement(0.8, 0.65, 20)

    @pytest.mark.parametrize(
        ("reference", "peers", "verdict", "why"),
        [
            (GOOD, MeasuredAgreement(0.6, 0.4, 20), TrialVerdict.PASSED, [VerdictReason.REACHED]),
            (MeasuredAgreement(0.7, 0.7, 10), GOOD, TrialVerdict.PASSED, [VerdictReason.REACHED]),
            (
                MeasuredAgreement(0.69, 0.5, 20),
                GOOD,
                TrialVerdict.FAILED,
                [VerdictReason.BELOW_REFERENCE],
            ),
            (
                GOOD,
                MeasuredAgreement(0.5, 0.4, 20),
                TrialVerdict.FAILED,
                [VerdictReason.BELOW_PEERS],
            ),
            (
                MeasuredAgreement(0.1, 0.0, 20),
                MeasuredAgreement(0.1, 0.0, 20),
                TrialVerdict.FAILED,
                [VerdictReason.BELOW_REFERENCE, VerdictReason.BELOW_PEERS],
            ),
            (MeasuredAgreement(0.9, 0.8, 9), GOOD, TrialVerdict.UNDECIDED, [VerdictReason.TOO_FEW]),
            (MeasuredAgreement(0.1, 0.0, 9), GOOD, TrialVerdict.UNDECIDED, [VerdictReason.TOO_FEW]),
            (
                MeasuredAgreement(None, None, 20),
                GOOD,
                TrialVerdict.UNDECIDED,
                [VerdictReason.UNDEFINED],
            ),
            (GOOD, None, TrialVerdict.UNDECIDED, [VerdictReason.UNDEFINED]),
            (
                MeasuredAgreement(None, None, 20),
                MeasuredAgreement(0.1, 0, 9),
                TrialVerdict.FAILED,
                [VerdictReason.BELOW_PEERS],
            ),
        ],
    )
    def test_follows_the_table(self, reference, peers, verdict, why):
        assert rules.judge(self.AT, reference, peers) == rules.JudgedTrial(verdict, tuple(why))

    def test_asks_for_the_whole_interval_where_the_rule_says_so(self):
        strict = Threshold(reference_at=0.7, by_bound=True, n_least=10)

        unsure = rules.judge(strict, self.GOOD, None)
        sure = rules.judge(strict, MeasuredAgreement(0.9, 0.7, 20), None)

        assert unsure == rules.JudgedTrial(TrialVerdict.UNDECIDED, (VerdictReason.UNSURE,))
        assert sure.verdict is TrialVerdict.PASSED

    def test_judges_nobody_who_has_not_finished(self):
        assert rules.judge(self.AT, self.GOOD, self.GOOD, finished=False).why == (
            VerdictReason.UNFINISHED,
        )


class TestStandsAside:
    def test_counts_failures_since_the_last_success(self):
        at = Threshold(most_failures=2)

        assert not rules.stands_aside(at, [E.FAILED, E.PASSED, E.LAPSED, E.FAILED])
        assert not rules.stands_aside(at, [E.FAILED, E.FAILED, E.SUSPENDED, E.REINSTATED])
        assert rules.stands_aside(at, [E.FAILED, E.PRACTISED, E.FAILED])


class TestProgress:
    READ, TODO = Practised(False, True), Practised(True, False)

    def test_asks_for_every_example(self):
        found = rules.progress(Threshold(), [self.READ, self.TODO])

        assert (found.n_done, found.n_examples, found.enough) == (1, 2, False)

    def test_asks_for_enough_right_ones(self):
        at = Threshold(practice_at=0.6)
        three = Practised(True, True, 3, 5)

        assert rules.progress(at, [self.READ, three]).enough
        assert not rules.progress(at, [Practised(True, True, 2, 5)]).enough
        assert rules.progress(at, [three]).share == pytest.approx(0.6)

    def test_is_never_enough_without_examples(self):
        assert not rules.progress(Threshold(), []).enough
        assert rules.progress(Threshold(), [self.READ]).share is None
