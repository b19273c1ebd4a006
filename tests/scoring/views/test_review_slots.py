import pytest
from django.urls import reverse

from annotation.models import Role
from tests import make
from tests.annotation import reviewed
from tests.scoring import rounds

pytestmark = pytest.mark.django_db


class TestHome:
    def test_tells_a_second_reviewer_what_waits(self, client):
        round_ = rounds.graded(n_items=1)
        reviewed.two_reviewers(round_)
        reviewed.decide("STRIKE_GRADE", round_)
        home = reverse("project_home", args=["northport"])
        shown = {}
        for role, name in ((Role.CURATOR, "second"), (Role.ANALYST, "analyst")):
            client.force_login(make.member(role, username=name))
            shown[role] = "Waiting for a second reviewer" in client.get(home).content.decode()
        client.force_login(reviewed.reviewer(round_))
        own = client.get(home).content.decode()

        assert shown == {Role.CURATOR: True, Role.ANALYST: False}
        assert "Waiting for a second reviewer" not in own
