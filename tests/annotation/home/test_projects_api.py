import pytest
from django.test import Client
from django.utils import timezone

from annotation.people import tokens as personal_tokens
from annotation.people.models import AuditEvent, Project, Role
from evalsite.web import scopes
from tests import make

pytestmark = pytest.mark.django_db
URL = "/api/v1/projects/"
ABOUT = f"{URL}northport/about/"


def send(client, address, **body):
    return client.post(address, body, content_type="application/json")


def program(user, *given, project=None):
    made = personal_tokens.make(
        user=user, name="a", given=given, days=1, project=project, now=timezone.now()
    )
    return Client(headers={"Authorization": f"Bearer {made.secret}"})


@pytest.fixture
def owner(client):
    client.force_login(make.project().memberships.get(role=Role.OWNER).user)
    return client


class TestProjects:
    def test_tell_an_annotator_the_names_only(self, client):
        client.force_login(make.member(Role.ANNOTATOR))

        answer = client.get(URL).json()

        assert answer == {"results": [{"slug": "northport", "name": "Northport"}]}


class TestStarting:
    def test_is_not_for_everybody(self, client):
        client.force_login(make.member(Role.CURATOR))

        answer = send(client, URL, slug="southport", name="Southport")

        assert (answer.status_code, answer.json()["code"]) == (403, "may_not_start_projects")
        assert "or an operator" in answer.json()["message"]

    def test_makes_whoever_starts_it_the_owner(self, client, settings):
        settings.PROJECT_STARTERS = "everybody"
        user = make.user("lena")
        client.force_login(user)

        answer = send(client, URL, slug="southport", name="Southport", subtitle="2026")

        assert answer.status_code == 201
        assert answer.json() == {
            "slug": "southport",
            "name": "Southport",
            "subtitle": "2026",
            "note": "",
            "picture_hosts": [],
            "language": "",
        }
        made = Project.objects.get(slug="southport")
        assert [(one.user, one.role) for one in made.memberships.all()] == [(user, Role.OWNER)]

    def test_can_begin_from_a_template(self, owner):
        send(owner, URL, slug="southport", name="Southport", template="customer-service")

        assert Project.objects.get(slug="southport").capabilities.exists()

    @pytest.mark.parametrize(
        ("change", "field"),
        [
            ({"slug": "northport"}, "slug"),
            ({"slug": "no spaces"}, "slug"),
            ({"name": ""}, "name"),
            ({"template": "nothing"}, "template"),
        ],
    )
    def test_says_what_cannot_be_used(self, owner, change, field):
        answer = send(owner, URL, **{"slug": "southport", "name": "Southport", **change})

        assert answer.status_code in {400, 409, 422}
        assert field in answer.json()["fields"]
        assert Project.objects.count() == 1

    def test_takes_a_token_made_for_it(self, settings):
        settings.PROJECT_STARTERS = "everybody"
        user = make.user("lena")

        refused = send(program(user, scopes.READ, scopes.PEOPLE), URL, slug="a", name="A")
        made = send(program(user, scopes.OWN), URL, slug="a", name="A")

        assert (refused.status_code, made.status_code) == (403, 201)
        assert refused.json()["fields"] == {"scope": [scopes.OWN]}

    def test_takes_no_token_that_opens_one_project(self):
        home = make.project()
        user = home.memberships.get(role=Role.OWNER).user

        answer = send(program(user, scopes.OWN, project=home), URL, slug="a", name="A")

        assert (answer.status_code, answer.json()["code"]) == (403, "token_confined")
        assert Project.objects.count() == 1


class TestAbout:
    def test_changes_what_is_named_and_keeps_the_rest(self, owner):
        send(owner, ABOUT, note="Grade by the July guide.")
        send(owner, ABOUT, picture_hosts=["https://a.example/"])
        then = send(owner, ABOUT, subtitle="Autumn")

        assert then.json() == owner.get(ABOUT).json()
        assert then.json() == {
            "slug": "northport",
            "name": "Northport",
            "subtitle": "Autumn",
            "note": "Grade by the July guide.",
            "picture_hosts": ["a.example"],
            "language": "",
        }
        assert AuditEvent.objects.filter(verb="project.note_to_annotators").count() == 1

    def test_refuses_an_empty_name(self, owner):
        assert send(owner, ABOUT, name="").status_code == 400

    def test_refuses_a_host_of_pictures_that_is_none(self, owner):
        refused = send(owner, ABOUT, picture_hosts=["a.example", "two words"])

        assert refused.status_code == 422
        assert list(refused.json()["fields"]) == ["picture_hosts"]
