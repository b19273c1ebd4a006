import pytest

from annotation.people.models import AuditEvent
from annotation.rounds import opening, states
from annotation.rounds.models import Assignment, Round
from tests import make

pytestmark = pytest.mark.django_db

DEEDS = {
    "pause": states.pause,
    "resume": states.resume,
    "close": states.close,
    "finish": states.finish,
}
SITUATIONS: dict[str, dict[str, object]] = {
    "draft": {"state": "DRAFT"},
    "open": {"state": "OPEN"},
    "paused": {"state": "OPEN", "paused_at": make.NOW},
    "review": {"state": "REVIEW"},
    "final": {"state": "FINAL"},
}
POSSIBLE = {
    ("open", "pause"),
    ("paused", "resume"),
    ("open", "close"),
    ("paused", "close"),
    ("review", "finish"),
}


def do(deed, round_, now=make.NOW):
    DEEDS[deed](round_=round_, by=round_.created_by, now=now)


@pytest.fixture
def round_():
    return make.open_round(n_items=1)


@pytest.mark.parametrize("situation", SITUATIONS)
@pytest.mark.parametrize("deed", DEEDS)
class TestEveryMove:
    def test_is_made_where_the_table_allows_it_and_refused_elsewhere(self, round_, situation, deed):
        Round.objects.filter(pk=round_.pk).update(**SITUATIONS[situation])
        before = Round.objects.filter(pk=round_.pk).values().get()
        n_events = AuditEvent.objects.count()

        if (situation, deed) in POSSIBLE:
            do(deed, round_)
            assert AuditEvent.objects.count() == n_events + 1
        else:
            with pytest.raises(states.CannotMove):
                do(deed, round_)
            assert Round.objects.filter(pk=round_.pk).values().get() == before
            assert AuditEvent.objects.count() == n_events


class TestClose:
    def test_keeps_when_and_why(self, round_):
        states.pause(round_=round_, by=round_.created_by, now=make.NOW)
        states.close(round_=round_, by=round_.created_by, now=make.at(1), reason="Enough.")

        assert (round_.state, round_.review_at, round_.paused_at) == ("REVIEW", make.at(1), None)
        assert AuditEvent.objects.latest("pk").note == "Enough."


class TestFinish:
    def test_makes_the_first_numbered_revision(self, round_):
        do("close", round_)
        do("finish", round_, now=make.at(5))

        assert (round_.state, round_.final_at, round_.revision) == ("FINAL", make.at(5), 1)

    def test_refuses_while_somebody_holds_a_seat(self, round_):
        make.claim(round_)
        do("close", round_)

        with pytest.raises(states.SeatsHeld):
            do("finish", round_, now=make.at(30))

        round_.refresh_from_db()
        assert round_.state == "REVIEW"

    def test_frees_seats_whose_lease_is_over(self, round_):
        seat = make.claim(round_)
        do("close", round_)

        do("finish", round_, now=make.at(31))

        seat.refresh_from_db()
        assert seat.state == Assignment.State.FREE
        assert list(seat.events.values_list("kind", flat=True)) == ["CLAIMED", "EXPIRED"]


class TestProlong:
    def test_sets_another_closing_time_or_none(self):
        round_ = make.open_round()

        states.prolong(round_=round_, deadline=make.at(60), by=round_.created_by, now=make.NOW)
        assert round_.deadline == make.at(60)
        states.prolong(round_=round_, deadline=None, by=round_.created_by, now=make.NOW)
        assert round_.deadline is None

    def test_refuses_a_time_that_has_passed(self):
        round_ = make.open_round()

        with pytest.raises(states.DeadlinePassed):
            states.prolong(round_=round_, deadline=make.at(-1), by=round_.created_by, now=make.NOW)

    def test_refuses_a_round_that_is_not_open(self):
        round_ = make.draft_round()

        with pytest.raises(states.CannotMove):
            states.prolong(round_=round_, deadline=make.at(9), by=round_.created_by, now=make.NOW)


class TestWithdrawOpening:
    def test_makes_it_a_draft_that_can_be_opened_again(self):
        round_ = make.draft_round()
        opening.request_opening(round_=round_, by=round_.created_by, now=make.NOW)

        states.withdraw_opening(round_=round_, by=round_.created_by, now=make.NOW)

        assert round_.opening_at is None
        opening.request_opening(round_=round_, by=round_.created_by, now=make.NOW)
        assert opening.open_round(round_=round_, now=make.NOW)

    def test_refuses_when_nothing_is_being_opened(self):
        round_ = make.draft_round()

        with pytest.raises(states.CannotMove):
            states.withdraw_opening(round_=round_, by=round_.created_by, now=make.NOW)
