import pytest

from annotation.people.models import Role
from annotation.people.permissions import Scope
from annotation.training import pages as training_looks
from tests import make
from tests.annotation import qualified

pytestmark = pytest.mark.django_db


def titles(role=Role.CURATOR):
    home = make.project()
    scope = Scope(home, make.member(role), frozenset({role}))
    return [one["title"] for one in training_looks.looks(scope, make.NOW)]


class TestLooks:
    def test_name_who_is_ready_for_a_trial(self):
        qualified.trained(qualified.annotator("ann-1"))
        qualified.qualified(qualified.annotator("ann-2"))

        assert titles() == ["Ready for a trial: 1"]
        assert titles(Role.ANALYST) == []

    def test_name_a_trial_that_is_closed_and_not_decided(self):
        qualified.close(qualified.open_trial(("ann-1",), n_items=1))

        assert titles() == ["A trial waits for its verdicts"]

    def test_are_on_the_first_page_of_a_project_that_is_under_way(self, client):
        make.open_round(n_items=1)
        qualified.trained(qualified.annotator("ann-1"))
        client.force_login(make.member(Role.CURATOR))

        assert "Ready for a trial" in client.get("/p/northport/").content.decode()
