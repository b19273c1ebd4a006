import pytest

from annotation.qualification.models import Qualification
from tests import make
from tests.annotation import qualified
from tests.scoring.worker import compute

pytestmark = pytest.mark.django_db
URL = "/api/v1/projects/northport/rounds/1/trial/"


def taken():
    round_ = qualified.open_trial(("ann-1", "ann-2"), n_items=6)
    for rater, value in zip(make.annotators(round_), (2, 0), strict=True):
        qualified.take(round_, rater, [value] * 6)
    return round_


class TestTrial:
    def test_is_computed_first(self, client, curator):
        taken()

        assert client.get(URL).status_code == 202

    def test_is_read_and_decided(self, client, curator):
        qualified.close(taken())
        client.get(URL)
        compute()

        read = client.get(URL).json()
        decided = client.post(URL, {"figure": read["figure"]}, content_type="application/json")

        assert [(one["verdict"], one["reference"]["value"]) for one in read["annotators"]] == [
            ("PASSED", 1.0),
            ("FAILED", 0.0),
        ]
        assert (read["cause"], read["decided"]) == ("UNKNOWN", False)
        assert decided.json()["decided"]
        assert Qualification.objects.filter(event="PASSED").count() == 1

    def test_is_not_decided_while_it_is_open(self, client, curator):
        taken()
        client.get(URL)
        compute()
        figure = client.get(URL).json()["figure"]

        refused = client.post(URL, {"figure": figure}, content_type="application/json")

        assert (refused.status_code, refused.json()["code"]) == (409, "trial_not_closed")
