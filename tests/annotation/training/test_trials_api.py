import pytest

from annotation.people.models import Role
from annotation.rounds.models import Round, RoundItem
from tests import make
from tests.annotation import qualified

pytestmark = pytest.mark.django_db
ADDRESS = "/api/v1/projects/northport/training/trials/"


@pytest.fixture
def about(client):
    """Return a capability with answered questions, seen by a curator."""
    found = make.capability()
    qualified.bank(3, found)
    client.force_login(make.member(Role.CURATOR))
    return found


def send(client, about, rater, **more):
    given = {
        "name": "Spring trial",
        "capability": about.pk,
        "releases": [make.release(name).pk for name in make.SYSTEMS[:2]],
        "annotators": [str(make.account(rater).public_id)],
        **more,
    }
    return client.post(ADDRESS, given, content_type="application/json")


class TestTrials:
    def test_are_drafted_for_people_who_have_trained(self, client, about):
        rater = qualified.trained(qualified.annotator(), about)

        answer = send(client, about, rater, n_items=2)

        assert answer.status_code == 201, answer.content
        assert (answer.json()["kind"], answer.json()["state"]) == ("TRIAL", "DRAFT")
        assert Round.objects.get().number == answer.json()["number"]
        assert RoundItem.objects.count() == 2

    def test_ask_the_questions_that_are_named(self, client, about):
        rater = qualified.trained(qualified.annotator(), about)
        name = about.items.order_by("external_id").values_list("external_id", flat=True)[1]

        send(client, about, rater, external_ids=[name])

        assert RoundItem.objects.get().item.external_id == name

    def test_are_not_for_whoever_has_not_trained(self, client, about):
        answer = send(client, about, qualified.annotator())

        assert answer.status_code == 422
        assert not Round.objects.exists()

    def test_are_not_about_what_is_not_there(self, client, about):
        rater = qualified.trained(qualified.annotator(), about)

        assert send(client, about, rater, capability=0).status_code == 404
        assert send(client, about, rater, releases=[0]).status_code == 422
