import re

import pytest
from django.test import Client
from django.urls import reverse

from annotation.grading.models import Grade
from annotation.people.models import Role
from annotation.rounds import states
from annotation.rounds.models import Assignment, ClaimEvent, Draft
from tests import counting, make
from tests.pages import squeezed

pytestmark = pytest.mark.django_db


def signed_in(rater) -> Client:
    client = Client()
    client.force_login(make.account(rater))
    return client


def url(name, round_, *args) -> str:
    return reverse(name, args=[round_.project.slug, *args])


def form(seat, values, **more) -> dict[str, str]:
    marks = {f"mark-{letter}-grade": value for letter, value in values.items()}
    return {"base_rev": str(seat.rev), **marks, **more}


@pytest.fixture
def round_():
    return make.open_round(n_items=3)


@pytest.fixture
def ann(round_):
    return make.annotators(round_)[0]


@pytest.fixture
def client(ann) -> Client:
    return signed_in(ann)


class TestWork:
    def test_offers_the_first_question_of_a_round(self, client, round_):
        page = client.get(url("grading", round_)).content.decode()

        assert "A round" in page
        assert "0 of 3" in page
        assert url("grade_next", round_, 1) in page

    def test_goes_on_with_the_question_that_is_held(self, client, round_, ann):
        seat = make.claim(round_, ann)

        page = client.get(url("grading", round_)).content.decode()

        assert url("grade", round_, seat.token) in page

    def test_says_so_when_there_is_nothing(self, round_):
        nobody = make.member(Role.ANNOTATOR, in_=round_.project, username="new")
        client = Client()
        client.force_login(nobody)

        assert "Nothing to grade yet" in client.get(url("grading", round_)).content.decode()


class TestClaim:
    def test_leads_to_a_seat(self, client, round_, ann):
        answer = client.post(url("grade_next", round_, 1))

        seat = Assignment.objects.get(rater=ann)
        assert answer.headers["Location"] == url("grade", round_, seat.token)

    def test_says_why_there_is_none(self, client, round_):
        states.pause(round_=round_, by=round_.created_by, now=make.NOW)

        answer = client.post(url("grade_next", round_, 1), follow=True)

        assert "This round is paused" in answer.content.decode()

    def test_knows_only_rounds_one_was_invited_to(self, round_):
        other = make.member(Role.ANNOTATOR, in_=round_.project, username="new")
        client = Client()
        client.force_login(other)

        assert client.post(url("grade_next", round_, 1)).status_code == 404


class TestGrade:
    def test_shows_question_answer_principle_and_responses(self, client, round_, ann):
        seat = make.claim(round_, ann)

        page = client.get(url("grade", round_, seat.token)).content.decode()

        assert "What is meant by" in page
        assert "A flat base for goods." in page
        assert "Wrong is 0." in page
        assert page.count('class="resp" id="') == 2

    def test_is_not_kept_by_anybody_in_between(self, client, round_, ann):
        seat = make.claim(round_, ann)

        answer = client.get(url("grade", round_, seat.token))

        assert "no-store" in answer.headers["Cache-Control"]

    def test_stores_the_grades_and_brings_the_next_seat(self, client, round_, ann):
        seat = make.claim(round_, ann)
        sent = form(seat, {"A": "2", "B": "0"}, **{"comment-A": "good"})

        answer = client.post(url("grade", round_, seat.token), sent)

        assert answer.status_code == 302
        held = Assignment.objects.get(rater=ann, state=Assignment.State.CLAIMED)
        assert answer.headers["Location"] == url("grade", round_, held.token)
        assert Grade.objects.filter(assignment=seat, is_current=True).count() == 2

    def test_shows_what_was_begun_when_the_seat_was_handed_on(self, client, round_, ann):
        seat = make.claim(round_, ann)
        begun = {"mark/A/grade": "2", "comment/A": "Half of it."}
        Draft.objects.create(assignment=seat, rater=ann, rev=1, marks=begun, saved_at=make.NOW)
        states.vacate(assignment=seat, kind=ClaimEvent.Kind.REASSIGNED, now=make.NOW)
        other = make.annotators(round_)[1]
        Assignment.objects.exclude(pk=seat.pk).filter(round=round_).update(state="DROPPED")
        taken = make.claim(round_, other)

        mine = squeezed(client.get(url("grade", round_, seat.token)).content.decode())
        theirs = squeezed(signed_in(other).get(url("grade", round_, taken.token)).content.decode())

        assert taken.pk == seat.pk
        assert re.search(r'name="mark-A-grade" value="2"[^>]* checked', mine)
        assert "Half of it." in mine
        assert not re.search(r'name="mark-[^>]* checked', theirs)
        assert "Half of it." not in theirs

    def test_keeps_what_was_entered_when_something_is_missing(self, client, round_, ann):
        seat = make.claim(round_, ann)

        answer = client.post(
            url("grade", round_, seat.token),
            form(seat, {"A": "2"}, **{"comment-B": "half a thought"}),
        )

        page = squeezed(answer.content.decode())
        assert answer.status_code == 422
        assert "Not graded yet: B" in page
        assert "half a thought" in page
        assert re.search(r'name="mark-A-grade" value="2" checked', page)
        assert not Grade.objects.exists()

    def test_takes_a_reason_instead_of_a_grade(self, client, round_, ann):
        seat = make.claim(round_, ann)
        sent = form(seat, {"A": "2", "B": "1"}, **{"cannot-B": "unreadable"})

        client.post(url("grade", round_, seat.token), sent)

        reasons = Grade.objects.filter(assignment=seat, value__isnull=True)
        assert list(reasons.values_list("reason", flat=True)) == ["unreadable"]

    def test_refuses_a_value_that_is_no_level(self, client, round_, ann):
        seat = make.claim(round_, ann)

        answer = client.post(url("grade", round_, seat.token), form(seat, {"A": "7", "B": "x"}))

        assert answer.status_code == 422

    def test_counts_the_same_page_sent_twice_once(self, client, round_, ann):
        seat = make.claim(round_, ann)
        sent = form(seat, {"A": "2", "B": "0"})

        client.post(url("grade", round_, seat.token), sent)
        again = client.post(url("grade", round_, seat.token), sent)

        assert again.status_code == 302
        assert Grade.objects.filter(assignment=seat).count() == 2

    def test_says_that_another_tab_was_quicker(self, client, round_, ann):
        seat = make.claim(round_, ann)
        client.post(url("grade", round_, seat.token), form(seat, {"A": "2", "B": "0"}))

        answer = client.post(url("grade", round_, seat.token), form(seat, {"A": "1", "B": "1"}))

        assert answer.status_code == 409
        assert "another tab" in answer.content.decode()

    def test_lets_a_submitted_seat_be_corrected(self, client, round_, ann):
        seat = make.claim(round_, ann)
        make.submit(seat, {"A": 2, "B": 0})
        seat.refresh_from_db()

        answer = client.post(url("grade", round_, seat.token), form(seat, {"A": "1", "B": "0"}))

        assert answer.headers["Location"] == url("grade_sheet", round_, 1)
        assert Grade.objects.filter(assignment=seat).count() == 3

    def test_is_read_only_once_the_round_is_closed(self, client, round_, ann):
        seat = make.claim(round_, ann)
        make.submit(seat, {"A": 2, "B": 0})
        states.close(round_=round_, by=round_.created_by, now=make.NOW)

        page = client.get(url("grade", round_, seat.token)).content.decode()

        assert "This round is closed." in page
        assert 'type="submit" form="grades"' not in page

    def test_does_not_know_somebody_elses_seat(self, client, round_):
        seat = make.claim(round_, make.annotators(round_)[1])

        assert client.get(url("grade", round_, seat.token)).status_code == 404

    def test_keeps_late_grades_and_says_so(self):
        round_ = make.open_round(n_items=1, n_annotators=4)
        *three, fourth = make.annotators(round_)
        seats = [make.claim(round_, one) for one in three]
        make.claim(round_, fourth, now=make.at(31))
        client = signed_in(three[0])

        answer = client.post(
            url("grade", round_, seats[0].token),
            form(seats[0], {"A": "2", "B": "0"}),
            follow=True,
        )

        assert "kept as late" in answer.content.decode()
        assert Grade.objects.filter(late=True, is_current=False).count() == 2

    def test_asks_as_often_for_many_responses_as_for_few(self):
        few = make.open_round(n_items=1, n_releases=2)
        many = make.open_round(n_items=1, n_releases=8, seed="another")
        client = signed_in(make.annotators(few)[0])
        pages = [url("grade", one, make.claim(one).token) for one in (few, many)]
        client.get(pages[0])

        counts = [counting.n_queries(client, page) for page in pages]

        assert counts[0] == counts[1]


class TestHandBack:
    def test_frees_the_seat(self, client, round_, ann):
        seat = make.claim(round_, ann)

        client.post(url("grade_back", round_, seat.token))

        seat.refresh_from_db()
        assert seat.state == Assignment.State.FREE

    def test_skips_with_a_reason_and_goes_on(self, client, round_, ann):
        seat = make.claim(round_, ann)

        answer = client.post(url("grade_back", round_, seat.token), {"reason": "knowledge"})

        skipped = ClaimEvent.objects.get(kind=ClaimEvent.Kind.DECLINED)
        assert (skipped.assignment, skipped.reason) == (seat, "knowledge")
        assert "/grade/" in answer.headers["Location"]
        assert not Assignment.objects.filter(rater=ann, round_item=seat.round_item).exists()

    def test_says_that_the_seat_is_gone(self, client, round_, ann):
        seat = make.claim(round_, ann)
        make.submit(seat)

        answer = client.post(url("grade_back", round_, seat.token), follow=True)

        assert "do not hold this question" in answer.content.decode()


class TestSheet:
    def test_has_questions_down_and_positions_across(self, client, round_, ann):
        seat = make.claim(round_, ann)
        make.submit(seat, {"A": 2, "B": 0})

        page = squeezed(client.get(url("grade_sheet", round_, 1)).content.decode())

        assert re.findall(r'<th scope="col">([A-H])</th>', page) == ["A", "B"]
        assert re.search(r'<option value="2" selected', page)

    def test_names_the_criteria_in_their_order_where_there_are_several(self):
        round_ = make.open_round(criteria=("truth", "style"))
        ann = make.annotators(round_)[0]
        make.submit(make.claim(round_, ann))

        page = squeezed(signed_in(ann).get(url("grade_sheet", round_, 1)).content.decode())

        assert "<small>Truth · Style</small>" in page

    def test_leads_back_to_itself_and_leaves_comments_alone(self, client, round_, ann):
        seat = make.claim(round_, ann)
        make.submit(seat, {"A": 2, "B": 0}, comments={"A": "why"})
        seat.refresh_from_db()

        answer = client.post(
            url("grade", round_, seat.token), form(seat, {"A": "1", "B": "0"}, sheet="1")
        )

        assert answer.headers["Location"] == url("grade_sheet", round_, 1)
        page = client.get(url("grade", round_, seat.token)).content.decode()
        assert "why" in page

    def test_says_what_it_is_for_while_it_is_empty(self, client, round_):
        assert (
            "can be corrected until the round closes"
            in client.get(url("grade_sheet", round_, 1)).content.decode()
        )
