import re
import uuid

import pytest
from django.test import Client
from django.urls import reverse

from annotation.grading import operations as revisions
from annotation.grading import pages as grading
from annotation.grading.models import Grade, Remark
from annotation.people import audit
from annotation.rounds import states
from annotation.rounds.models import Assignment, Draft, Round
from annotation.running import discarding
from tests import make

pytestmark = pytest.mark.django_db
SENT = {"mark/A/grade": "2", "mark/B/grade": "0"}


@pytest.fixture
def round_():
    return make.open_round(n_items=2)


@pytest.fixture
def seat(round_):
    return make.claim(round_)


@pytest.fixture
def client(seat) -> Client:
    client = Client()
    client.force_login(make.account(make.holder(seat)))
    return client


def post(client, name, seat, body, **more):
    address = reverse(name, args=[seat.round.project.slug, seat.token])
    return client.post(address, body, content_type="application/json", **more)


def draft(client, seat, patch, base_rev=0, op=91_001):
    body = {"op_id": str(uuid.UUID(int=op)), "base_rev": base_rev, "patch": patch}
    return post(client, "grade_draft", seat, body)


def submit(client, seat, entries, base_rev=0, op=92_001, **more):
    body = {"op_id": str(uuid.UUID(int=op)), "base_rev": base_rev, "entries": entries, **more}
    return post(client, "grade_submit", seat, body)


class TestSave:
    def test_answers_with_what_is_stored(self, client, seat):
        said = draft(client, seat, SENT).json()

        assert said["rev"] == 1
        assert len(said["digest"]) == 64
        assert Draft.objects.get(assignment=seat).marks == SENT

    def test_hands_a_newer_draft_out(self, client, seat):
        draft(client, seat, SENT)

        answer = draft(client, seat, {"mark/A/grade": "1"}, op=91_002)

        assert answer.status_code == 409
        assert (answer.json()["rev"], answer.json()["entries"]) == (1, SENT)

    def test_shows_in_the_plain_page(self, client, seat):
        draft(client, seat, {**SENT, "comment/A": "a thought"})

        page = client.get(reverse("grade", args=[seat.round.project.slug, seat.token]))

        assert "a thought" in page.content.decode()

    @pytest.mark.parametrize(
        "body",
        [
            "[1]",
            "no json",
            {"op_id": "x", "base_rev": 0, "patch": {}},
            {"op_id": str(uuid.UUID(int=1)), "base_rev": -1, "patch": {}},
            {"op_id": str(uuid.UUID(int=1)), "base_rev": True, "patch": {}},
            {"op_id": str(uuid.UUID(int=1)), "base_rev": 0, "patch": {"comment/A": 3}},
            {"op_id": str(uuid.UUID(int=1)), "base_rev": 0, "patch": {"system": "x"}},
            {"op_id": str(uuid.UUID(int=1)), "base_rev": 0},
        ],
    )
    def test_refuses_what_no_page_sends(self, client, seat, body):
        answer = post(client, "grade_draft", seat, body)

        assert answer.status_code == 422
        assert set(answer.json()) == {"code", "message", "fields"}
        assert not Draft.objects.exists()

    def test_says_that_the_seat_is_lost(self, client, seat):
        make.submit(seat)

        answer = draft(client, seat, SENT)

        assert (answer.status_code, answer.json()["code"]) == (410, "lease_lost")

    def test_is_for_those_who_are_signed_in(self, client, seat):
        client.logout()

        answer = post(client, "grade_draft", seat, {}, headers={"accept": "application/json"})

        assert (answer.status_code, answer.json()["code"]) == (401, "signed_out")


class TestSubmit:
    def test_stores_the_grades_and_brings_the_next_desk(self, client, seat):
        said = submit(client, seat, {**SENT, "comment/A": "good"}, view="stack").json()

        held = Assignment.objects.get(rater=seat.rater, state=Assignment.State.CLAIMED)
        assert said["late"] is False
        assert said["next"]["url"].endswith(f"/grade/{held.token}/")
        assert f'data-token="{held.token}"' in said["next"]["html"]
        assert set(Grade.objects.filter(assignment=seat).values_list("view", flat=True)) == {
            "stack"
        }
        assert Remark.objects.get().text == "good"

    def test_keeps_marked_places_and_a_flag_and_shows_them_again(self, client, seat):
        submit(client, seat, {**SENT, "evidence/A": "[[0,6]]", "flag": "wrong year"})

        page = client.get(reverse("grade", args=[seat.round.project.slug, seat.token]))

        table = page.context["page"].draft
        assert (table["evidence/A"], table["flag"]) == ("[[0, 6]]", "wrong year")
        assert table["mark/A/grade"] == "2"

    def test_says_when_there_is_no_next_one(self, client, seat, round_):
        submit(client, seat, SENT)
        last = Assignment.objects.get(rater=seat.rater, state=Assignment.State.CLAIMED)

        said = submit(client, last, SENT, op=92_002).json()

        assert said["next"]["html"] is None
        assert said["next"]["url"].endswith("/all_done/")

    def test_names_what_is_missing(self, client, seat):
        answer = submit(client, seat, {"mark/A/grade": "2"})

        assert answer.status_code == 422
        assert list(answer.json()["fields"]) == ["B.grade"]

    def test_takes_a_reason_instead_of_marks(self, client, seat):
        submit(client, seat, {"mark/A/grade": "2", "cannot/B": "no_answer"})

        assert Grade.objects.get(outcome="CANNOT_GRADE").reason == "no_answer"

    def test_counts_a_repeated_request_once(self, client, seat):
        first = submit(client, seat, SENT).json()
        again = submit(client, seat, SENT).json()

        assert (again["rev"], again["digest"]) == (first["rev"], first["digest"])
        assert Grade.objects.filter(assignment=seat).count() == 2


class TestState:
    def test_says_what_is_stored(self, client, seat):
        draft(client, seat, SENT)

        said = client.get(reverse("grade_state", args=[seat.round.project.slug, seat.token]))

        assert said.json()["entries"] == SENT
        assert (said.json()["held"], said.json()["draft_rev"]) == (True, 1)


class TestRenew:
    def test_says_until_when_the_seat_is_held(self, client, seat):
        assert post(client, "grade_renew", seat, {}).json()["lease_until"]

    def test_says_that_it_is_lost(self, client, seat):
        make.submit(seat)

        assert post(client, "grade_renew", seat, {}).status_code == 410


class TestSignIn:
    def test_signs_in_and_names_the_store(self, client, seat):
        client.logout()
        body = {"username": "ann-1", "password": make.PASSWORD}

        answer = client.post(reverse("sign_in_again"), body, content_type="application/json")

        assert answer.status_code == 200
        assert len(answer.json()["device"]) == 24
        assert draft(client, seat, SENT).status_code == 200

    def test_refuses_a_wrong_password(self, client):
        body = {"username": "ann-1", "password": "guess"}

        answer = Client().post(reverse("sign_in_again"), body, content_type="application/json")

        assert answer.status_code == 422

    def test_asks_for_the_token_of_the_page(self, seat):
        client = Client(enforce_csrf_checks=True)

        answer = client.post(reverse("sign_in_again"), {}, content_type="application/json")

        assert answer.status_code == 403


class TestAhead:
    def test_hands_out_the_desks_of_the_next_questions(self):
        round_ = make.open_round(n_items=5)
        seat = make.claim(round_)
        client = Client()
        client.force_login(make.account(make.holder(seat)))

        desks = post(client, "grade_ahead", seat, {}).json()["desks"]

        assert len(desks) == 2
        for place, one in enumerate(desks, start=2):
            assert f'data-token="{one["token"]}"' in one["html"]
            assert f'data-place="{place}"' in one["html"]

    def test_has_none_once_the_round_is_closed(self, client, seat, round_):
        states.close(round_=round_, by=round_.created_by, now=make.NOW)

        assert post(client, "grade_ahead", seat, {}).json() == {"desks": []}


class TestTheSamePerson:
    """What one person has entered on a shared device is never taken as another's."""

    def asked(self, client, seat, name, **more):
        body = {"op_id": str(uuid.UUID(int=93_001)), "base_rev": 0, **more}
        return post(client, name, seat, body)

    @pytest.mark.parametrize("name", ["grade_draft", "grade_submit", "grade_renew", "grade_ahead"])
    def test_is_asked_for_at_every_door(self, client, seat, name):
        other = make.annotators(seat.round)[1]
        theirs = grading.device_of(make.account(other))

        answer = self.asked(client, seat, name, device=theirs, patch=SENT, entries=SENT)

        assert (answer.status_code, answer.json()["code"]) == (401, "somebody_else")
        assert not Draft.objects.exists()
        assert not Grade.objects.exists()

    def test_is_let_through_with_their_own_store(self, client, seat):
        mine = grading.device_of(make.account(make.holder(seat)))

        assert self.asked(client, seat, "grade_draft", device=mine, patch=SENT).status_code == 200

    def test_needs_no_store_to_be_named(self, client, seat):
        assert self.asked(client, seat, "grade_draft", patch=SENT).status_code == 200

    @pytest.mark.parametrize("device", ["", 7, [], {"a": 1}, "x" * 24])
    def test_is_not_proved_by_anything_else(self, client, seat, device):
        answer = self.asked(client, seat, "grade_draft", device=device, patch=SENT)

        assert answer.status_code == 401
        assert not Draft.objects.exists()

    def test_is_not_asked_of_a_body_that_cannot_be_read(self, client, seat):
        address = reverse("grade_draft", args=[seat.round.project.slug, seat.token])

        answer = client.post(address, "{", content_type="application/json")

        assert (answer.status_code, answer.json()["code"]) == (422, "body_not_readable")

    def test_is_told_by_the_store_of_the_page_alone(self, client, seat):
        page = client.get(reverse("grade", args=[seat.round.project.slug, seat.token]))
        user = make.account(make.holder(seat))

        assert grading.device_of(user) in page.content.decode()
        assert str(user.public_id) not in page.content.decode()


class TestNeighbours:
    def test_are_ones_own_in_the_order_of_the_sheet(self):
        round_ = make.open_round(n_items=4)
        client = Client()
        seats = [make.claim(round_)]
        client.force_login(make.account(make.holder(seats[0])))
        for place in range(2):
            make.submit(seats[-1], now=make.at(1 + place))
            seats.append(make.claim(round_))
        one, two, held = (seat.token for seat in seats)
        make.submit(make.claim(round_, make.annotators(round_)[1]), now=make.at(1.5))

        def steps(token):
            page = client.get(reverse("grade", args=[round_.project.slug, token])).content.decode()
            found = re.findall(r'data-step="(\w+)"[^>]* href="[^"]*/grade/(\w+)/"', page)
            return dict(found)

        assert steps(one) == {"later": two}
        assert steps(two) == {"earlier": one, "later": held}
        assert steps(held) == {"earlier": two}


class TestOfADiscardedRound:
    """What somebody typed stays on their device: the page knows the code of a round that is closed."""

    @pytest.mark.parametrize("cleared", [True, False])
    def test_says_why_whatever_the_page_asks(self, client, seat, round_, monkeypatch, cleared):
        if not cleared:
            monkeypatch.setattr(discarding, "MOST_ITEMS", 0)
        discarding.discard(
            round_=round_, by=round_.created_by, now=make.at(1), reason="Wrong questions."
        )

        told = [
            client.post(
                reverse(name, args=["northport", seat.token]),
                {"op_id": str(uuid.uuid4()), "base_rev": 0, **sent},
                content_type="application/json",
                headers={"Accept": "application/json"},
            )
            for name, sent in (
                ("grade_draft", {"patch": {"mark/A/grade": "2"}}),
                ("grade_submit", {"entries": SENT}),
                ("grade_renew", {}),
                ("grade_ahead", {}),
            )
        ]
        page = client.get(reverse("grade", args=["northport", seat.token]))

        assert [one.status_code for one in (*told, page)] == [409] * 5
        for one in told:
            assert one.json()["code"] == "locked"
            assert "This round was discarded: Wrong questions." in one.json()["message"]
        assert "This round was discarded: Wrong questions." in page.content.decode()
        assert not Grade.objects.exists()

    def test_is_said_where_it_is_discarded_while_somebody_submits(
        self, client, seat, round_, monkeypatch
    ):
        write = revisions.write_remarks

        def discarded_meanwhile(*given):
            write(*given)
            Round.objects.update(discarded_at=make.at(1), state="DRAFT")
            audit.record(
                project=round_.project,
                actor=None,
                verb="round.discarded",
                subject="round:1",
                at=make.at(1),
                note="Wrong questions.",
                claims=discarding._claims(round_),
            )

        monkeypatch.setattr(revisions, "write_remarks", discarded_meanwhile)
        told = submit(client, seat, SENT)

        assert (told.status_code, told.json()["code"]) == (409, "locked")
        assert "This round was discarded" in told.json()["message"]
        assert not Grade.objects.exists()
