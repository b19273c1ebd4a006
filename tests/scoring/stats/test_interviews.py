import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as some

from scoring.stats.machines import interviews
from scoring.stats.machines.interviews import (
    AfterStop,
    Decay,
    Exchanges,
    Profile,
    Unscored,
    VerdictScale,
)

VERDICTS = some.lists(some.sampled_from([None, 1, 2, 3, 4]), min_size=1, max_size=8)
ALL = [
    Profile("any", *axes)
    for axes in itertools.product(VerdictScale, Decay, AfterStop, Unscored, (True, False))
]


def held(*scores, planned=5, stopped=False):
    return Exchanges(scores, planned, len(scores) - 1 if stopped else None)


class TestScore:
    @pytest.mark.parametrize(
        ("exchanges", "value", "n"),
        [
            (held(4, 3, 2, 1, 1), 53.740142, 5),
            (held(1, 2, 3, 4, 4), 51.989801, 5),
            (held(4, 3, 1, stopped=True), 65.894337, 3),
            (held(4, None, 2, 4, 4), 81.134382, 5),
            (held(1, 1, 1, 1, 1), 10, 5),
            (held(4, 4, 4, 4, 4), 100, 5),
            (held(2, stopped=True), 30, 1),
            (held(4, 4, 2, stopped=True), 81.15, 3),
        ],
    )
    def test_is_that_of_the_released_code_in_its_profile(self, exchanges, value, n):
        places = 6 if value != 81.15 else 2

        found = interviews.score(exchanges, interviews.RELEASED)

        assert found == pytest.approx(value, abs=10**-places)
        assert interviews.rounds(exchanges, interviews.RELEASED) == n

    @pytest.mark.parametrize(
        ("scale", "decay", "value"),
        [
            (VerdictScale.QUARTERS, Decay.BY_HELD, 88.49),
            (VerdictScale.QUARTERS, Decay.BY_PLANNED, 86.535),
            (VerdictScale.THIRDS, Decay.BY_HELD, 84.65),
        ],
    )
    def test_follows_map_and_weights(self, scale, decay, value):
        profile = Profile("tried", scale=scale, decay=decay)

        found = interviews.score(held(4, 4, 2, stopped=True), profile)

        assert found == pytest.approx(value, abs=0.005)

    @pytest.mark.parametrize(
        ("rule", "same_as"),
        [
            (AfterStop.DROPPED, (4, 2)),
            (AfterStop.LOWEST, (4, 2, 1, 1)),
            (AfterStop.LAST, (4, 2, 2, 2)),
        ],
    )
    def test_counts_what_a_stop_left_out_as_the_rule_says(self, rule, same_as):
        profile = Profile("tried", after_stop=rule)
        stopped = held(4, 2, planned=4, stopped=True)

        whole = interviews.score(held(*same_as, planned=4), profile)

        assert interviews.score(stopped, profile) == pytest.approx(whole)

    def test_keeps_the_slot_of_an_unread_verdict_or_closes_the_gap_or_fails(self):
        exchanges = held(4, None, 1, planned=3)
        tried = {one: Profile("tried", decay=Decay.FIFTH, unscored=one) for one in Unscored}

        kept, shifted, failed = (interviews.score(exchanges, one) for one in tried.values())

        assert kept == pytest.approx(100 / (1 + 0.670320))  # e^-0.4
        assert shifted == pytest.approx(100 / (1 + 0.818731))  # e^-0.2
        assert failed is None

    def test_reads_on_after_a_stop_when_early_stopping_is_off(self):
        went_on = Exchanges((4, 1, 4, 4), 4, stopped_at=1)
        stops, goes_on = Profile("a"), Profile("b", early_stopping=False)

        assert interviews.score(went_on, stops) == interviews.score(
            held(4, 1, planned=4, stopped=True), stops
        )
        assert interviews.score(went_on, goes_on) == interviews.score(
            held(4, 1, 4, 4, planned=4), stops
        )
        assert [interviews.rounds(went_on, one) for one in (stops, goes_on)] == [2, 4]

    def test_of_a_dialogue_without_a_verdict_is_undefined(self):
        for profile in ALL:
            assert interviews.score(held(None, None), profile) is None
            assert interviews.score(held(), profile) is None

    @given(VERDICTS, some.sampled_from(ALL), some.booleans())
    def test_lies_between_the_lowest_and_the_highest_verdict(self, scores, profile, stopped):
        one = Exchanges(tuple(scores), 8, len(scores) - 1 if stopped else None)
        known = [score for score in scores if score is not None]
        shares = interviews.SHARES[profile.scale]

        found = interviews.score(one, profile)

        if found is not None:
            low = 1 if profile.after_stop == AfterStop.LOWEST and stopped else min(known)
            assert 100 * shares[low] - 1e-9 <= found <= 100 * shares[max(known)] + 1e-9

    @given(some.lists(some.integers(1, 3), min_size=2, max_size=6), some.sampled_from(ALL))
    def test_rises_with_a_better_verdict_and_most_with_an_early_one(self, scores, profile):
        first, last = [scores[0] + 1, *scores[1:]], [*scores[:-1], scores[-1] + 1]
        before, early, late = (
            interviews.score(held(*one, planned=6), profile) for one in (scores, first, last)
        )

        assert early > before
        assert late > before
        if profile.decay != Decay.NONE and scores[0] == scores[-1]:
            assert early > late


class TestExchanges:
    @pytest.mark.parametrize(
        ("scores", "planned", "stopped_at"),
        [((5,), 5, None), ((0,), 5, None), ((1, 2), 1, None), ((1,), 5, 1), ((), 0, None)],
    )
    def test_refuses_what_cannot_have_been(self, scores, planned, stopped_at):
        with pytest.raises(ValueError, match=r"verdict|held"):
            Exchanges(scores, planned, stopped_at)


class TestAblation:
    def test_has_the_four_combinations_of_the_papers_table(self):
        found = interviews.ablation(interviews.RELEASED)
        exchanges = Exchanges((4, 2, 1), 3, stopped_at=1)

        values = {key: interviews.score(exchanges, one) for key, one in found.items()}

        assert values[True, True] == pytest.approx(100 * (1 + 0.3 * 0.818731) / 1.818731)
        assert values[False, True] == pytest.approx(65)
        assert values[False, False] == pytest.approx(100 * 1.4 / 3)
        assert values[True, False] == pytest.approx(
            100 * (1 + 0.3 * 0.818731 + 0.1 * 0.670320) / 2.489051
        )


class TestMean:
    def test_leaves_out_what_has_no_score_and_says_how_many_count(self):
        assert interviews.mean([50.0, None, 100.0]) == (75, 2)
        assert interviews.mean([None]) == (None, 0)
