"""Choices between two answers at the desk: saved, submitted, corrected, refused."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from annotation.grading.models import Grade
from tests import make
from tests.annotation.grading.test_desk_pages import draft, submit
from tests.pages import squeezed

pytestmark = pytest.mark.django_db


@pytest.fixture
def seat():
    return make.claim(make.open_round(n_items=2, criteria=("better", "kinder")))


@pytest.fixture
def client(seat) -> Client:
    client = Client()
    client.force_login(make.account(make.holder(seat)))
    return client


def stored(seat) -> dict[str, int | None]:
    """Return what counts, by criterion; all of it stands at A, against the answer at B."""
    a, b = seat.slots.select_related("round_response").order_by("position")
    rows = Grade.objects.filter(assignment=seat, is_current=True).select_related("criterion")
    for one in rows:
        assert one.slot_id == a.pk
        assert (one.response_id, one.against_id) == (
            a.round_response.response_id,
            b.round_response.response_id,
        )
    return {one.criterion.key: None if one.value is None else int(one.value) for one in rows}


class TestDraft:
    def test_keeps_choices_and_evidence_of_both(self, client, seat):
        patch = {"mark/A/better": "6", "evidence/B": "[[0, 3]]", "comment/A": "So."}

        answer = draft(client, seat, patch)

        assert answer.status_code == 200, answer.content

    @pytest.mark.parametrize(
        ("place", "value"),
        [
            ("mark/B/better", "2"),  # what is chosen stands at the first
            ("mark/A/kinder", "3"),  # a tie is not offered
            ("mark/A/better", "7"),
            ("comment/B", "So."),
            ("cannot/B", "knowledge"),
        ],
    )
    def test_refuses_what_is_not_on_the_page(self, client, seat, place, value):
        answer = draft(client, seat, {place: value})

        assert answer.status_code == 422
        assert place in answer.json()["fields"]


class TestSubmit:
    def test_records_one_choice_a_criterion_against_the_other_answer(self, client, seat):
        answer = submit(client, seat, {"mark/A/better": "5", "mark/A/kinder": "4"})

        assert answer.status_code == 200, answer.content
        assert stored(seat) == {"better": 5, "kinder": 4}

    def test_wants_a_choice_by_every_criterion(self, client, seat):
        answer = submit(client, seat, {"mark/A/better": "5"})

        assert answer.status_code == 422
        assert "Which is kinder?" in answer.json()["message"]
        assert stored(seat) == {}

    def test_takes_a_reason_instead(self, client, seat):
        submit(client, seat, {"cannot/A": "knowledge"})

        assert stored(seat) == {"better": None, "kinder": None}


class TestPages:
    def test_show_the_question_once_and_choices_at_the_foot(self, client, seat):
        page = client.get(reverse("grade", args=["northport", seat.token])).content.decode()

        foot = page[page.index("<footer") :]
        assert foot.count('name="mark-A-better"') == 6
        assert foot.count('name="mark-A-kinder"') == 2
        assert "mark-B-" not in page
        assert page.count('name="comment-A"') == 1
        assert "comment-B" not in page

    def test_list_the_keys_of_choices_and_none_of_grades(self, client, seat):
        page = squeezed(
            client.get(reverse("grade", args=["northport", seat.token])).content.decode()
        )

        keys = page.split('id="keys-title"')[1].split("</dialog>")[0]
        guide = page.split('id="guide-title"')[1].split("</dialog>")[0]
        assert "<dd>choose</dd>" in keys
        assert "lowest level" not in keys
        # A criterion with all six choices, and one with "better" alone: as the keys at the foot.
        assert re.findall(r'<dt class="num">\s*(\d)', guide) == [*"123450", *"12"]

    def test_correct_choices_on_the_sheet(self, client, seat):
        submit(client, seat, {"mark/A/better": "5", "mark/A/kinder": "4"}, next=False)
        page = client.get(reverse("grade_sheet", args=["northport", 1])).content.decode()
        assert page.count('name="mark-') == 2
        assert "Both are bad" in page

        sent = {"base_rev": "1", "sheet": "1", "mark-A-better": "6", "mark-A-kinder": "2"}
        answer = client.post(reverse("grade", args=["northport", seat.token]), sent)

        assert answer.status_code == 302
        assert stored(seat) == {"better": 6, "kinder": 2}

    def test_keep_what_was_refused(self, client, seat):
        sent = {"base_rev": "0", "mark-A-better": "3", "comment-A": "Nearly."}

        answer = client.post(reverse("grade", args=["northport", seat.token]), sent)

        page = answer.content.decode()
        assert answer.status_code == 422
        assert "Nearly." in page
        assert stored(seat) == {}
