import pytest
from django.urls import reverse

from annotation import models
from annotation.models import Role
from annotation.operations import people
from tests import counting, make

pytestmark = pytest.mark.django_db


class TestProjects:
    def test_says_what_to_do_to_somebody_who_belongs_to_none(self, client):
        client.force_login(make.user("lena"))

        page = client.get(reverse("projects")).content.decode()

        assert "You belong to no project yet" in page
        assert reverse("project_new") in page

    def test_asks_the_database_as_often_for_many_as_for_few(self, client):
        lena = make.user("lena")
        client.force_login(lena)

        def grow(n: int) -> None:
            people.grant(
                project=make.project(f"project-{n}"),
                user=lena,
                role=Role.ANALYST,
                by=lena,
                now=make.NOW,
            )

        assert counting.growth(client, reverse("projects"), grow) == 0


class TestProjectNew:
    def test_makes_whoever_starts_a_project_its_owner(self, client):
        client.force_login(make.user("lena"))

        answer = client.post(reverse("project_new"), {"name": "North", "slug": "north"})

        assert answer["Location"] == reverse("project_home", args=["north"])
        assert models.Membership.objects.get(project__slug="north").role == "OWNER"

    def test_refuses_a_short_name_that_is_taken(self, client):
        make.project("north")
        client.force_login(make.user("lena"))

        answer = client.post(reverse("project_new"), {"name": "North", "slug": "north"})

        assert answer.status_code == 422
        assert "Another project has this short name" in answer.content.decode()


class TestProjectSettings:
    def test_change_the_name(self, client):
        project = make.project()
        client.force_login(make.user("northport-owner"))

        client.post(reverse("project_settings", args=["northport"]), {"name": "Harbour"})

        project.refresh_from_db()
        assert project.name == "Harbour"
