import pytest

from tests import make

pytestmark = pytest.mark.django_db


class TestRounds:
    def test_are_listed_with_their_progress(self, client, analyst):
        round_ = make.open_round()
        make.submit(make.claim(round_))

        (row,) = client.get("/api/v1/projects/northport/rounds/").json()["results"]

        assert (row["number"], row["state"]) == (1, "OPEN")
        assert row["seats"] == {"total": 6, "submitted": 1, "held": 0, "free": 5}


class TestRound:
    def test_shows_its_manifest_and_never_its_secret(self, client, analyst):
        round_ = make.open_round()

        answer = client.get("/api/v1/projects/northport/rounds/1/")

        assert answer.json()["manifest"]["sha"] == round_.manifest["sha"]
        assert answer.json()["coverage"] == [{"submitted": 0, "items": 2}]
        assert [one["system"] for one in answer.json()["systems"]] == ["Heron", "Kestrel"]
        assert make.SECRET.hex() not in answer.content.decode()
        assert "secret" not in answer.json()

    def test_is_hidden_from_its_annotators(self, client):
        round_ = make.open_round()
        client.force_login(make.account(make.annotators(round_)[0]))

        assert client.get("/api/v1/projects/northport/rounds/1/").status_code == 404
