import pytest

from annotation.qualification import queries as qualifications
from annotation.qualification.models import Qualification
from tests import make
from tests.annotation import qualified

pytestmark = pytest.mark.django_db
POOL = "/api/v1/projects/northport/annotators/"


class TestPool:
    def test_tells_where_everybody_stands(self, client, curator):
        rater = qualified.qualified(qualified.annotator())

        [line] = client.get(POOL).json()["results"]

        assert line["annotator"] == str(make.account(rater).public_id)
        assert [(one["name"], one["state"]) for one in line["capabilities"]] == [
            ("Factuality", "QUALIFIED")
        ]


class TestPerson:
    def send(self, client, rater, **given):
        said = {"capability": make.capability().pk, "event": "LAPSED", "reason": "Gold was missed."}
        url = f"{POOL}{make.account(rater).public_id}/"
        return client.post(url, {**said, **given}, content_type="application/json")

    def test_tells_the_history_and_takes_a_step(self, client, curator):
        rater = qualified.qualified(qualified.annotator())

        answer = self.send(client, rater)

        first, second = answer.json()["results"]
        assert (first["event"], first["state"], second["event"]) == (
            "LAPSED",
            "RETRAINING",
            "ALLOWED",
        )
        assert first["reason"] == "Gold was missed."

    @pytest.mark.parametrize(
        ("given", "status"),
        [
            ({"event": "ALLOWED"}, 403),
            ({"event": "PASSED"}, 409),
            ({"event": "SINGS"}, 400),
            ({"capability": 10**9}, 400),
            ({"reason": ""}, 400),
        ],
    )
    def test_refuses_what_does_not_fit(self, client, curator, given, status):
        rater = qualified.qualified(qualified.annotator())

        assert self.send(client, rater, **given).status_code == status
        assert Qualification.objects.count() == 1


class TestRules:
    def test_are_set_and_read(self, client, curator):
        about = make.capability()
        rule = {
            "capability": about.pk,
            "reference_at": "0.8",
            "n_least": 10,
            "practice_at": "0.5",
            "most_failures": 2,
        }

        answer = client.post(f"{POOL}rules/", rule, content_type="application/json")

        assert [one["reference_at"] for one in answer.json()["results"]] == ["0.800"]
        assert qualifications.threshold_of(make.project(), about).n_least == 10
