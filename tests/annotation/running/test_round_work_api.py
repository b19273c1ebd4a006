import uuid

import pytest

from annotation import models
from annotation.grading import operations as grading
from annotation.people.models import Role
from annotation.rounds import drafting, drawing, states
from tests import make

pytestmark = pytest.mark.django_db
ROUND = "/api/v1/projects/northport/rounds/1/"


@pytest.fixture
def send(client):
    person = make.project().memberships.get(role=Role.OWNER).user
    client.force_login(person)

    def sent(place, body=None):
        return client.post(f"{ROUND}{place}", body or {}, content_type="application/json")

    return sent


@pytest.fixture
def named():
    """A prepared draft in which an answer names its system, twice."""
    round_ = make.draft_round(n_items=1)
    item = make.item("Q99", question="Who are you?")
    for name in make.SYSTEMS[:2]:
        release = models.SystemRelease.objects.get(system__name=name)
        make.response(
            item, release, "I am Heron. Heron, as I said." if name == "Heron" else "Well."
        )
    drafting.choose_draw(round_=round_, draw=drafting.Draw(), by=round_.created_by, now=make.NOW)
    drawing.prepare(round_=round_, now=make.NOW)
    return round_


class TestIdentity:
    def test_tells_names_and_their_places_and_takes_a_decision(self, client, send, named):
        found = client.get(f"{ROUND}identity/").json()
        places = (
            client.get(f"{ROUND}identity/places/?term=heron").json()["results"]
            or (client.get(f"{ROUND}identity/places/?term=Heron").json()["results"])
        )

        assert found["summary"] == {"places": 2, "undecided": 2, "masked": 0, "kept": 0}
        assert [(one["places"], one["systems"]) for one in found["names"]] == [(2, ["Heron"])]
        assert found["more"] is False
        assert {one["name"] for one in places} == {"Heron"}
        assert places[0]["before"].endswith("I am ")

        first = send("identity/", {"decision": "KEEP", "places": [places[0]["id"]]}).json()
        rest = send("identity/", {"decision": "MASK"}).json()

        assert (first["decided"], rest["decided"]) == (1, 1)
        assert rest["summary"] == {"places": 2, "undecided": 0, "masked": 1, "kept": 1}

    def test_decides_by_name(self, client, send, named):
        term = client.get(f"{ROUND}identity/").json()["names"][0]["term"]

        assert send("identity/", {"decision": "MASK", "terms": [term]}).json()["decided"] == 2

    def test_of_an_open_round_is_frozen(self, send):
        make.open_round()

        assert send("identity/", {"decision": "MASK"}).status_code == 409


class TestSeats:
    def test_tell_who_holds_one_and_what_is_done(self, client, send):
        round_ = make.open_round(n_items=1)
        make.submit(make.claim(round_))

        (line,) = client.get(f"{ROUND}seats/").json()["results"]

        assert (line["external_id"], line["place"], line["submitted"]) == ("Q01", 1, 1)
        assert sorted(one["state"] for one in line["seats"]) == ["FREE", "FREE", "SUBMITTED"]
        assert client.get(f"{ROUND}seats/?only=held").json()["results"] == []

    def test_are_taken_from_who_holds_them(self, client, send):
        seat = make.claim(make.open_round(n_items=1))
        place = f"seats/{seat.ordinal + 1}/release/"

        bare = send(place)
        done = send(place, {"reason": "She fell ill."})

        assert (bare.status_code, list(bare.json()["fields"])) == (400, ["reason"])
        assert (done.status_code, done.json()["state"], done.json()["holder"]) == (200, "FREE", "")
        assert send("seats/99/release/", {"reason": "x"}).status_code == 404

    def test_are_added_in_review(self, send):
        round_ = make.open_round(n_items=1, n_annotators=4)
        early = send("items/1/seats/", {"reason": "They disagree."})
        states.close(round_=round_, by=round_.created_by, now=make.NOW)

        added = send("items/1/seats/", {"reason": "They disagree."})

        assert early.status_code == 409
        assert (added.status_code, added.json()["state"]) == (201, "FREE")
        assert round_.assignments.count() == 4


class TestFlags:
    def test_are_read_and_answered(self, client, send):
        seat = make.claim(make.open_round(n_items=1))
        grading.submit_grades(
            token=seat.token,
            rater=make.holder(seat),
            marks=make.marks(seat),
            comments={},
            flag="Is a guess wrong?",
            base_rev=0,
            op_id=uuid.uuid4(),
            now=make.at(1),
        )
        flag = models.Remark.objects.get(kind="FLAG")

        (asked,) = client.get(f"{ROUND}flags/").json()["results"]
        said = send("flags/", {"flag": flag.pk, "text": "Yes."})
        left = client.get(f"{ROUND}flags/").json()["results"]
        (whole,) = client.get(f"{ROUND}flags/?only=all").json()["results"]

        assert (asked["text"], asked["answer"]) == ("Is a guess wrong?", "")
        assert said.json() == {"flag": flag.pk, "text": "Yes."}
        assert left == []
        assert whole["answer"] == "Yes."

    def test_of_another_round_is_none(self, send):
        make.open_round(n_items=1)

        assert send("flags/", {"flag": 10**6, "text": "Yes."}).status_code == 404
