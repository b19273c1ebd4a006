import pytest
from django.urls import reverse

from annotation.people.models import Role
from annotation.rounds import drafting as unblinding
from tests import make
from tests.scoring import worked
from tests.scoring.worker import compute

pytestmark = pytest.mark.django_db


def at(before=1, after=2, system=1):
    return reverse("api_movement", args=["northport", before, after, system])


class TestMovement:
    def test_asks_for_names_then_computes_then_tells(self, client):
        person = make.member(Role.ANALYST)
        client.force_login(person)
        rounds = worked.two_rounds()
        assert client.get(at()).json()["code"] == "names_hidden"
        for one in rounds:
            unblinding.show_names(round_=one, by=person, now=make.NOW)

        first = client.get(at())
        compute()
        told = client.get(first.headers["Location"]).json()

        assert first.status_code == 202
        assert (told["system"], told["pairs"]["common"]) == ("Kestrel", 3)
        shapley = told["figures"][0]["methods"]["shapley"]
        assert shapley["questions"] == {"num": -1, "den": 8, "value": -0.125}
        assert client.get(at(system=2)).status_code == 404
        assert client.get(at(before=1, after=1)).status_code == 404
