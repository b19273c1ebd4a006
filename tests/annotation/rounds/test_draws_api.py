import pytest

from annotation import models
from tests import make

pytestmark = pytest.mark.django_db
URL = "/api/v1/projects/northport/rounds/1/draw/"


class TestDraw:
    def test_shows_the_design_and_what_it_would_bring(self, client, curator):
        make.draft_round(n_items=4)

        said = client.get(URL).json()

        assert said["design"]["how"] == "LOT"
        assert said["eligible"] == 4
        assert said["strata"][0] == {
            "name": "",
            "wanted": 4,
            "available": 4,
            "recent": 0,
            "drawn": 4,
            "drawn_recent": 0,
            "missing": 0,
        }
        assert {one["probability"] for one in said["items"]} == {1.0}

    def test_sets_the_design(self, client, curator):
        round_ = make.draft_round(n_items=4)
        capability = make.capability()
        models.Item.objects.update(capability=capability, difficulty="SIMPLE")
        stratum = f"{capability.pk}|SIMPLE"

        said = client.post(
            URL, {"how": "QUOTAS", "quotas": {stratum: 9}}, content_type="application/json"
        ).json()

        assert said["strata"][0]["missing"] == 5
        round_.refresh_from_db()
        assert round_.draw["quotas"] == {stratum: 9}

    @pytest.mark.parametrize(
        ("sent", "field"),
        [
            ({"how": "SOMEHOW"}, "how"),
            ({"how": "QUOTAS"}, "quotas"),
            ({"repeats": 80}, "repeats"),
            ({"anchors_from": 7}, "anchors_from"),
        ],
    )
    def test_says_which_field_cannot_be_used(self, client, curator, sent, field):
        make.draft_round()

        refused = client.post(URL, sent, content_type="application/json")

        assert refused.status_code in {400, 422}
        assert field in refused.json()["fields"]

    def test_is_of_drafts_only(self, client, curator):
        make.open_round()

        assert client.get(URL).status_code == 404


class TestManifest:
    def test_shows_what_was_frozen_and_what_differs(self, client, curator):
        make.open_round(n_items=1)
        models.RoundItem.objects.update(stratum="moved")

        said = client.get("/api/v1/projects/northport/rounds/1/manifest/").json()

        assert len(said["manifest"]["items"]) == 1
        assert [one["where"] for one in said["differences"]] == ["items[0] Q01.stratum"]
