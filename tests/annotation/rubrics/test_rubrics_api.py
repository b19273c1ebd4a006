import pytest

from annotation.people.models import Role, User
from annotation.rubrics.models import RubricVersion
from tests import make

pytestmark = pytest.mark.django_db
URL = "/api/v1/projects/northport/rubrics/"
CRITERION = {
    "key": "tone",
    "name": "Tone",
    "min": "1",
    "max": "3",
    "levels": [{"value": "1", "label": "rude", "examples": ["Go away."]}],
}
RUBRIC = {"key": "manners", "name": "Manners", "principle": "Be fair.", "criteria": [CRITERION]}


@pytest.fixture
def send(client):
    client.force_login(make.member(Role.CURATOR))

    def sent(place="", body=None):
        return client.post(f"{URL}{place}", body or {}, content_type="application/json")

    return sent


class TestRubrics:
    def test_are_written_with_criteria_and_levels(self, client, send):
        said = send("", RUBRIC)

        assert said.status_code == 201
        (criterion,) = client.get(f"{URL}manners/1/").json()["criteria"]
        assert (criterion["key"], criterion["step"], criterion["weight"]) == (
            "tone",
            "1.0000",
            "1.0000",
        )
        assert criterion["levels"][0]["examples"] == ["Go away."]

    @pytest.mark.parametrize(
        ("change", "status", "field"),
        [
            ({"key": "new"}, 400, "key"),
            ({"key": "no spaces"}, 400, "key"),
            ({"criteria": []}, 422, "criteria"),
            ({"criteria": [{**CRITERION, "max": "0"}]}, 422, "criteria.0"),
            ({"criteria": [{"key": "tone"}]}, 400, "criteria"),
        ],
    )
    def test_say_what_cannot_be_used(self, send, change, status, field):
        said = send("", RUBRIC | change)

        assert said.status_code == status, said.json()
        assert all(one.startswith(field) for one in said.json()["fields"])
        assert not RubricVersion.objects.exists()

    def test_warn_of_a_pass_mark_that_everything_reaches(self, client, send):
        said = send("", RUBRIC | {"criteria": [{**CRITERION, "pass_at": "1"}]})

        assert said.status_code == 201
        (warning,) = said.json()["warnings"]
        assert (warning["path"], warning["criterion"]) == ("criteria.0.pass_at", "Tone")
        assert "every grade passes" in warning["message"]
        assert "begins at 2" in warning["message"]
        assert client.get(f"{URL}manners/1/").json()["warnings"] == [warning]
        next_ = send("manners/", {"base": 1, "criteria": [{**CRITERION, "pass_at": "2"}]})
        assert next_.json()["warnings"] == []

    def test_of_one_key_there_is_one(self, send):
        send("", RUBRIC)

        again = send("", RUBRIC)

        assert (again.status_code, list(again.json()["fields"])) == (422, ["key"])


class TestVersions:
    def test_follow_on_the_newest_alone(self, client, send):
        send("", RUBRIC)
        wording = {"criteria": [{**CRITERION, "name": "Manner"}], "base": 1}

        second = send("manners/", wording)
        late = send("manners/", wording)

        assert (second.status_code, second.json()["number"]) == (201, 2)
        assert (late.status_code, late.json()["code"]) == (409, "wording_moved")
        assert [one["number"] for one in client.get(f"{URL}manners/").json()["results"]] == [2, 1]

    def test_of_no_rubric_are_none(self, client, send):
        assert client.get(f"{URL}nothing/").status_code == 404
        assert send("nothing/", {"criteria": [CRITERION], "base": 1}).status_code == 404


class TestCopies:
    URL = "/api/v1/projects/northport/rubric-copies/"

    def test_begin_with_the_version_that_is_named(self, client, send):
        theirs = make.rubric_version(in_=make.project("southgate"), key="facts")
        body = {"project": "southgate", "rubric": "facts", "version": 1}

        unknown = client.post(self.URL, body, content_type="application/json")
        user = User.objects.get(pk=client.session["_auth_user_id"])
        make.member(Role.ANALYST, in_=theirs.rubric.project, username=user.username)
        made = client.post(self.URL, body, content_type="application/json")
        again = client.post(self.URL, {**body, "key": "facts"}, content_type="application/json")

        assert (unknown.status_code, list(unknown.json()["fields"])) == (400, ["rubric"])
        assert (made.status_code, made.json()["key"]) == (201, "facts")
        assert (again.status_code, again.json()["code"]) == (422, "name_taken")
