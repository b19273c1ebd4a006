import pytest

from tests import make
from tests.annotation import qualified

pytestmark = pytest.mark.django_db
WORKLOAD = "/api/v1/projects/northport/workload/"


@pytest.fixture
def owner(client):
    client.force_login(qualified.owner(make.project()))


class TestWorkload:
    def test_tells_who_has_done_what_and_when_rounds_are_done(self, client, owner):
        round_ = make.open_round(n_items=2)
        rater = make.annotators(round_)[0]
        make.submit(make.claim(round_, rater))

        found = client.get(WORKLOAD).json()

        done = {one["name"]: one["submitted"] for one in found["annotators"]}
        assert sum(done.values()) == 1
        assert [(one["round"], one["left"]) for one in found["rounds"]] == [(1, 5)]


class TestLeave:
    def test_takes_somebody_out_of_the_rounds_with_a_reason(self, client, owner):
        round_ = make.open_round(n_items=1, n_annotators=4)
        user = make.account(make.annotators(round_)[0])
        place = f"{WORKLOAD}{user.public_id}/leave/"

        bare = client.post(place, {}, content_type="application/json")
        done = client.post(place, {"reason": "She moved."}, content_type="application/json")

        assert (bare.status_code, done.json()["rounds"]) == (400, 1)
        assert round_.annotators.filter(ended_at__isnull=True).count() == 3
