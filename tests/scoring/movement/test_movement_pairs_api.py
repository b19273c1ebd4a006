import pytest
from django.urls import reverse

from annotation import models
from annotation.people.models import Role
from annotation.rounds import drafting as unblinding
from tests import counting, make
from tests.scoring import worked

pytestmark = pytest.mark.django_db
URL = reverse("api_movement_pairs", args=["northport", 1, 2, 1])


@pytest.fixture
def curator(client):
    person = make.member(Role.CURATOR)
    client.force_login(person)
    for one in worked.two_rounds():
        unblinding.show_names(round_=one, by=person, now=make.NOW)
    return client


def open_side(client):
    (line,) = client.get(URL).json()["results"]
    (side,) = line["sides"]
    return side


def tag(client, **given):
    return client.post(URL, given, content_type="application/json")


class TestPairs:
    def test_that_differ_are_listed_with_what_is_decided(self, curator):
        found = curator.get(URL).json()

        assert (found["open"], found["pairs"], found["next"]) == (1, 1, None)
        side = open_side(curator)
        assert (side["kind"], side["by"], side["same"]) == ("RESPONSE", "nobody", False)
        assert 0 < side["likeness"] < 100

    def test_are_decided_and_may_be_decided_anew(self, curator):
        side = open_side(curator)
        pair = {name: side[name] for name in ("kind", "left", "right")}

        first = tag(curator, **pair, verdict="SAME", note="Other words.")
        assert (first.status_code, first.json()["verdict"]) == (201, "SAME")
        assert open_side(curator)["same"]
        tag(curator, **pair, verdict="CHANGED")

        assert not open_side(curator)["same"]
        assert curator.get(URL).json()["open"] == 0

    def test_refuse_what_is_no_pair(self, curator):
        side = open_side(curator)
        twice = tag(curator, kind="RESPONSE", left=side["left"], right=side["left"], verdict="SAME")
        nothing = tag(curator, kind="QUESTION", left=0, right=0, verdict="SAME")
        wrong = tag(curator, kind="SOURCE", left=1, right=2, verdict="PERHAPS")

        assert (twice.status_code, nothing.status_code) == (422, 404)
        assert (wrong.status_code, set(wrong.json()["fields"])) == (400, {"kind", "verdict"})

    def test_are_only_read_by_analysts(self, curator, client):
        side = open_side(curator)
        analyst = make.member(Role.ANALYST)
        for one in models.Round.objects.all():
            unblinding.show_names(round_=one, by=analyst, now=make.NOW)
        client.force_login(analyst)

        answer = tag(
            client, kind="RESPONSE", left=side["left"], right=side["right"], verdict="SAME"
        )

        assert client.get(URL).status_code == 200
        assert (answer.status_code, answer.json()["code"]) == (403, "not_allowed")

    def test_ask_the_database_as_often_when_something_is_decided(self, curator):
        side = open_side(curator)

        def decided(_place: int) -> None:
            tag(curator, kind="RESPONSE", left=side["left"], right=side["right"], verdict="CHANGED")

        assert counting.growth(curator, URL, decided) == 0
