from datetime import timedelta

import pytest
import time_machine
from django.urls import reverse

from annotation import models
from annotation.grading import worklist
from annotation.people import operations as people
from annotation.rounds import states
from annotation.running import operations as seats
from evalsite import panels
from tests import make

pytestmark = pytest.mark.django_db


@pytest.fixture
def round_():
    with time_machine.travel(make.at(5), tick=False):
        yield make.open_round()


def page(client, name: str = "ann-1") -> str:
    client.force_login(models.User.objects.get(username=name))
    answer = client.get(reverse("grading", args=["northport"]))
    assert answer.status_code == 200
    return answer.content.decode()


class TestNext:
    def test_says_what_it_is_about_and_when_it_closes(self, client, round_):
        capability = make.capability()
        models.Item.objects.update(capability=capability)
        models.Round.objects.update(
            deadline=make.NOW + timedelta(days=3, hours=1), instructions="Mind the units."
        )

        shown = page(client)

        assert "Factuality" in shown
        assert "in 3\N{NO-BREAK SPACE}days" in shown
        assert "Mind the units." in shown

    def test_does_not_say_what_it_is_about_where_no_question_says(self, client, round_):
        assert "About" not in page(client)

    def test_offers_what_closes_first(self, client, round_):
        other = make.open_round(seed="another")
        models.Round.objects.filter(pk=round_.pk).update(
            name="Urgent", deadline=make.NOW + timedelta(days=1)
        )
        models.Round.objects.filter(pk=other.pk).update(name="Later")

        assert '<h2 class="big">Urgent</h2>' in page(client)

    def test_counts_pairs_where_two_answers_are_compared(self, client):
        with time_machine.travel(make.at(5), tick=False):
            seat = make.claim(make.open_round(n_items=2, criteria=("better",)))
            shown = " ".join(page(client, make.account(make.holder(seat)).username).split())

        assert "Continue with pair 1 <" in shown
        assert "Pair 1 is yours until" in shown
        assert "pairs left" in shown
        assert "question 1" not in shown


class TestEmpty:
    def test_says_that_all_is_done(self, client, round_):
        for rater in make.annotators(round_):
            for _ in range(2):
                make.submit(make.claim(round_, rater))

        assert "All done" in page(client)

    def test_says_that_others_have_the_rest(self, client, round_):
        # Three seats an item, a fourth person: the third seat of each is with somebody.
        assert "with others" in self.waiting(client, round_)

    def waiting(self, client, round_) -> str:
        late = make.rater(make.member("ANNOTATOR", username="ann-9"), in_=round_.project)
        models.RoundAnnotator.objects.create(round=round_, rater=late)
        for rater in make.annotators(round_)[:3]:
            make.submit(make.claim(round_, rater))
            make.claim(round_, rater)
        return page(client, "ann-9")

    def test_says_that_the_round_pauses(self, client, round_):
        states.pause(round_=round_, by=round_.created_by, now=make.NOW)

        assert "This round is paused" in page(client)

    def test_says_that_the_time_is_over(self, client, round_):
        models.Round.objects.update(deadline=make.NOW)

        assert "The closing time has passed" in page(client)

    def test_says_that_a_round_is_being_opened(self, client):
        draft = make.draft_round()
        models.Round.objects.update(opening_at=make.NOW)

        assert f"{draft.name} opens in a moment" in page(client)

    def test_says_that_flags_await_an_answer(self, client, round_):
        for rater in make.annotators(round_):
            for _ in range(2):
                seat = make.claim(round_, rater)
                make.submit(seat)
        mine = models.Assignment.objects.filter(rater=make.annotators(round_)[0]).earliest("pk")
        models.Remark.objects.create(
            slot=mine.slots.earliest("pk"),
            rater=make.holder(mine),
            kind="FLAG",
            text="The year is missing.",
            at=make.NOW,
        )

        assert "Awaiting an answer: 1" in page(client)

    def test_takes_a_message_about_a_round_and_keeps_one_that_is_refused(self, client, round_):
        url = reverse("grading", args=[round_.project.slug])
        assert "Write about a round" in page(client)

        sent = client.post(url, {"round": round_.number, "text": "Two questions are the same."})
        refused = client.post(url, {"round": 99, "text": "Kept."})

        assert (sent.status_code, refused.status_code) == (302, 422)
        assert "Kept.</textarea>" in refused.content.decode()
        assert "Two questions are the same." in page(client)

    def test_says_that_there_is_nothing_yet(self, client):
        make.rater(make.member("ANNOTATOR", username="ann-1"))

        assert "Nothing to grade yet" in page(client)

    def test_lets_others_say_what_comes_first(self, client):
        make.rater(make.member("ANNOTATOR", username="ann-1"))
        gate = {"title": "Qualify first", "text": "Twelve examples.", "url": "/x/", "action": "Go"}
        panels.load({"annotator_gate": {"test": lambda **_: gate}})

        try:
            assert "Qualify first" in page(client)
        finally:
            panels.load({"annotator_gate": {"test": lambda **_: None}})


class TestHandedBack:
    def test_says_that_grades_came_back_and_may_stay_as_they_are(self, client, round_):
        rater = make.annotators(round_)[0]
        seat = make.claim(round_, rater)
        make.submit(seat)
        seat.refresh_from_db()
        seats.reopen(
            assignment=seat, by=round_.created_by, reason="Look once more.", now=make.at(5)
        )
        seat.refresh_from_db()
        client.force_login(make.account(rater))

        shown = page(client)
        answer = client.post(reverse("grade_back", args=["northport", seat.token]), follow=True)

        assert "Returned to you until" in shown
        assert "is yours until" not in shown
        assert "Your grades stay." in answer.content.decode()
        seat.refresh_from_db()
        assert (seat.state, seat.rater) == ("SUBMITTED", rater)


class TestMessages:
    def test_tell_that_a_round_was_opened(self, client, round_):
        assert f"{round_.name} is open" in page(client)

    def test_tell_no_more_that_a_round_was_opened_once_it_is_closed(self, client, round_):
        states.close(round_=round_, by=round_.created_by, now=make.NOW)

        assert f"{round_.name} is open" not in page(client)

    def test_tell_that_the_closing_time_was_moved(self, client, round_):
        until = make.NOW + timedelta(days=9)
        states.prolong(round_=round_, deadline=until, by=round_.created_by, now=make.NOW)

        assert f"The closing time of {round_.name} was moved" in page(client)

    def test_tell_that_it_closes_soon(self, client, round_):
        models.Round.objects.update(deadline=make.NOW + timedelta(days=1))

        assert f"{round_.name} closes soon" in page(client)

    def test_tell_what_the_owners_say_until_it_is_taken_away(self, client, round_):
        made = {"project": round_.project, "by": round_.created_by, "now": make.NOW}
        people.tell_annotators(note="Back <b>Monday</b>.", **made)
        told = page(client)
        people.tell_annotators(note="", **made)

        assert "Back &lt;b&gt;Monday&lt;/b&gt;." in told
        assert "A note from the owners" not in page(client)

    def test_tell_that_a_seat_with_work_in_it_was_handed_on(self, client, round_):
        seat = make.claim(round_)
        models.Draft.objects.create(
            assignment=seat, rater=make.holder(seat), marks={"comment/A": "x"}, saved_at=make.NOW
        )
        kind = models.ClaimEvent.Kind.REASSIGNED
        states.vacate(assignment=seat, kind=kind, now=make.NOW)

        assert f"A question of {round_.name} was handed on" in page(client)


class TestWhatIsAhead:
    def work(self, number, deadline=None, **more):
        given = {"held": "", "held_until": None, "can_claim": True, "state": "", "kind": ""}
        counts = {"n_done": 2, "n_items": 12}
        return worklist.RoundWork(
            number, f"Round {number}", deadline=deadline, **(given | counts | more)
        )

    def test_is_told_by_ones_own_pace_and_by_day(self):
        soon = self.work(1, make.NOW + timedelta(days=4))

        (told,) = worklist.ahead([soon], {1: 3}, make.NOW)

        assert (told.n_left, told.minutes, told.a_day) == (10, 30, 3)

    def test_says_nothing_of_a_pace_that_is_not_known_and_nothing_by_day_without_an_end(self):
        (told,) = worklist.ahead([self.work(1)], {}, make.NOW)

        assert (told.minutes, told.a_day) == (None, None)

    def test_begins_with_what_closes_first_and_leaves_out_what_cannot_be_graded(self):
        works = [
            self.work(1),
            self.work(2, make.NOW + timedelta(days=1)),
            self.work(3, can_claim=False),
            self.work(4, n_done=12),
        ]

        assert [one.name for one in worklist.ahead(works, {}, make.NOW)] == ["Round 2", "Round 1"]


class TestWeek:
    def test_counts_only_ones_own_work(self, client, round_):
        for rater in make.annotators(round_):
            make.submit(make.claim(round_, rater), now=make.NOW)
        models.Grade.objects.update(active_ms=120_000)

        client.force_login(models.User.objects.get(username="ann-1"))
        week = client.get(reverse("grading", args=["northport"])).context["week"]

        assert (week.n_items, week.minutes) == (1, 2)
        assert week.days[-1].n_items == 1

    def test_says_how_long_a_question_takes_oneself_from_three_on(self, client):
        with time_machine.travel(make.at(5), tick=False):
            round_ = make.open_round(n_items=4)
            for minutes in (2, 5, 30):
                seat = make.claim(round_)
                make.submit(seat, now=make.NOW)
                models.Grade.objects.filter(assignment=seat).update(active_ms=minutes * 60_000)

            assert "about 5 min each" in page(client)


class TestEnd:
    def nothing(self, client, round_, why):
        client.force_login(models.User.objects.get(username="ann-1"))
        return client.get(f"/p/northport/grade/rounds/{round_.number}/{why}/").content.decode()

    def test_of_ones_share_offers_more_and_goes_on_once_asked(self, client):
        round_ = make.open_round(n_items=2, n_seats=1, n_annotators=2, seed="shared")
        make.submit(make.claim(round_))

        shown = page(client)
        assert "Your share is done" in shown
        assert "1 of 1" in shown
        assert "Take up to 10 more" in shown
        end = self.nothing(client, round_, "share_done")
        assert "Graded: 1" in end
        assert "Take up to 10 more" in end

        asked = client.post(f"/p/northport/grade/rounds/{round_.number}/next/", {"more": "1"})
        assert "/grade/rounds/" not in asked["Location"]
        assert "Take up to 10 more" not in page(client)

    def test_of_a_round_names_the_next_one(self, client, round_):
        other = make.open_round(n_items=1, seed="another")
        models.Round.objects.filter(pk=other.pk).update(name="The short one")
        make.submit(make.claim(other))

        assert f"Continue with {round_.name}" in self.nothing(client, other, "all_done")

    def test_that_is_none_any_more_says_so(self, client, round_):
        shown = self.nothing(client, round_, "waiting")

        assert "There is work again" in shown
        assert "The rest is with others" not in shown
