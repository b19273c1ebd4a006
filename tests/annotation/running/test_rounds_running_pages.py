import pytest
from django.urls import reverse

from annotation import models
from annotation.grading import seating
from annotation.rounds import opening, states
from tests import make
from tests.annotation.running.test_flags import flag
from tests.pages import squeezed, url, words

pytestmark = pytest.mark.django_db


class TestPause:
    def test_is_refused_twice_on_the_page_of_the_round(self, client, curator):
        make.open_round()
        client.post(url("round_pause", 1))

        refused = client.post(url("round_pause", 1))

        assert refused.status_code == 409
        assert "Only an open round can pause." in words(refused)


class TestProlong:
    def test_changes_the_closing_time(self, client, curator):
        round_ = make.open_round()

        client.post(url("round_prolong", 1), {"deadline": "2099-05-01T12:00"})

        round_.refresh_from_db()
        assert round_.deadline.year == 2099

    def test_refuses_a_time_that_has_passed_at_its_field(self, client, curator):
        make.open_round()

        refused = client.post(url("round_prolong", 1), {"deadline": "2020-05-01T12:00"})

        assert refused.status_code == 422
        assert "time has passed" in words(refused)


class TestWhatCannotBe:
    @pytest.mark.parametrize(
        ("name", "args", "title"),
        [
            ("round_close", [], "This round is not open"),
            ("round_finish", [], "Not in review"),
            ("round_prolong", [], "This round is not open"),
            ("round_seats", [], "No seats yet"),
            ("seat_add", [1], "Not in review"),
        ],
    )
    def test_is_said_in_place_of_a_form(self, client, curator, name, args, title):
        make.draft_round()

        page = words(client.get(url(name, 1, *args)))

        assert title in page
        assert 'class="form"' not in page
        assert "btn go" not in page.partition("<main")[2]

    def test_is_said_of_a_seat_that_nobody_holds(self, client, curator):
        make.open_round()

        page = words(client.get(url("seat_release", 1, 1)))

        assert "Nobody holds this seat" in page
        assert 'class="form"' not in page

    @pytest.mark.parametrize("name", ["round_close", "round_prolong"])
    def test_is_offered_where_it_can_be(self, client, curator, name):
        make.open_round()

        assert 'class="form"' in words(client.get(url(name, 1)))


class TestWithdraw:
    def test_makes_a_draft_of_a_round_that_is_being_opened(self, client, curator):
        round_ = make.draft_round()
        opening.request_opening(round_=round_, by=curator, now=make.NOW)
        assert "Withdraw the opening" in words(client.get(url("round", 1)))

        client.post(url("round_withdraw", 1))

        round_.refresh_from_db()
        assert round_.opening_at is None


class TestClose:
    def test_says_first_what_happens(self, client, curator):
        round_ = make.open_round()
        make.submit(make.claim(round_))

        page = words(client.get(url("round_close", 1)))

        assert "<b>5 seats</b> stay ungraded." in page
        assert models.Round.objects.get().state == "OPEN"

    def test_opens_the_results_to_those_who_do_not_grade_in_it(self, client, curator):
        make.open_round()

        page = words(client.get(url("round_close", 1)))

        assert "Owners, curators and analysts not grading here may then read results." in page


class TestFinish:
    def test_promises_the_results_to_nobody_who_is_only_an_annotator(self, client, curator):
        round_ = make.open_round()
        states.close(round_=round_, by=curator, now=make.NOW)

        before = words(client.get(url("round", 1)))
        page = words(client.get(url("round_finish", 1)))

        assert "those who grade here, once final." in before
        assert "annotators may not." in page

    def test_is_refused_while_a_seat_is_held(self, client, curator):
        round_ = make.open_round()
        make.claim(round_, now=make.at(10_000_000))
        states.close(round_=round_, by=curator, now=make.NOW)

        refused = client.post(url("round_finish", 1))

        assert refused.status_code == 409
        assert "1 seat is still held" in words(refused)


class TestSeats:
    def test_show_who_holds_which(self, client, curator):
        round_ = make.open_round()
        make.claim(round_)

        page = words(client.get(url("round_seats", 1), {"only": "held"}))

        assert "Ann-1" in page
        assert "2 free" in page
        assert page.count("<tr>") == 2

    def test_say_whose_turn_comes_next_apart_from_what_is_held(self, client, curator):
        round_ = make.open_round(n_items=3)
        seat = make.claim(round_)
        seating.claim_ahead(round_=round_, rater=make.holder(seat), now=make.NOW)

        page = words(client.get(url("round_seats", 1)))
        held = words(client.get(url("round_seats", 1), {"only": "held"}))

        assert page.count("next for Ann-1") == 2
        assert page.count("hand back") == 1
        assert held.count('<th scope="row"') == 1

    def test_say_why_one_was_dropped(self, client, curator):
        make.open_round().assignments.filter(pk=models.Assignment.objects.earliest("pk").pk).update(
            state="DROPPED", dropped_why="Nobody is left."
        )

        page = squeezed(client.get(url("round_seats", 1)).content.decode())

        assert '<span class="small muted">Nobody is left.</span>' in page

    def test_can_be_taken_back_with_a_reason(self, client, curator):
        seat = make.claim(make.open_round())

        before = words(client.get(url("seat_release", 1, seat.ordinal + 1)))
        without = client.post(url("seat_release", 1, seat.ordinal + 1), {"reason": ""})
        done = client.post(url("seat_release", 1, seat.ordinal + 1), {"reason": "On leave."})
        again = client.post(url("seat_release", 1, seat.ordinal + 1), {"reason": "On leave."})

        assert (without.status_code, done.status_code, again.status_code) == (422, 302, 409)
        seat.refresh_from_db()
        assert seat.state == "FREE"
        after = words(client.get(url("seat_release", 1, seat.ordinal + 1)))
        assert (">Return</button>" in before, ">Return</button>" in after) == (True, False)
        assert "Nobody holds this seat" in after

    def test_are_added_in_review_only(self, client, curator):
        round_ = make.open_round()

        shut = words(client.get(url("seat_add", 1, 1)))
        early = client.post(url("seat_add", 1, 1), {"reason": "A dispute."})
        states.close(round_=round_, by=curator, now=make.NOW)
        page = words(client.get(url("seat_add", 1, 1)))
        done = client.post(url("seat_add", 1, 1), {"reason": "A dispute."})

        assert (early.status_code, done.status_code) == (409, 302)
        assert "3 annotators have not had this item." in page
        assert "Add seat" in page
        assert "Add seat" not in shut
        assert "Not in review" in shut
        assert round_.assignments.count() == 7


class TestFlags:
    def test_are_answered_and_the_answer_reaches_the_one_who_asked(self, client, curator):
        round_ = make.open_round()
        asked = flag(round_, "Is <b>this</b> date right?")
        assert "1 unanswered" in words(client.get(url("round", 1)))
        page = words(client.get(url("round_flags", 1)))
        assert "Is &lt;b&gt;this&lt;/b&gt; date right?" in page

        sent = client.post(url("round_flags", 1), {"flag": asked.pk, "text": "It is."})

        assert sent.status_code == 302
        assert "None awaits an answer." in words(client.get(url("round_flags", 1)))
        assert "It is." in words(client.get(url("round_flags", 1) + "?only=all"))
        client.force_login(make.account(make.annotators(round_)[0]))
        token = asked.slot.assignment.token
        for shown in (
            reverse("grading", args=["northport"]),
            reverse("grade_sheet", args=["northport", 1]),
            reverse("grade", args=["northport", token]),
        ):
            assert "It is." in words(client.get(shown)), shown

    def test_refuse_an_answer_that_names_a_system(self, client, curator):
        round_ = make.open_round()
        asked = flag(round_)

        refused = client.post(
            url("round_flags", 1), {"flag": asked.pk, "text": "ChatGPT writes it so."}
        )

        assert refused.status_code == 422
        assert "Write the answer without: ChatGPT." in words(refused)
        assert "ChatGPT writes it so." in words(refused)  # nothing written is lost

    def test_of_another_round_are_not_found(self, client, curator):
        first, second = make.open_round(), make.open_round()
        asked = flag(first)

        answered = client.post(url("round_flags", second.number), {"flag": asked.pk, "text": "So."})

        assert answered.status_code == 404
