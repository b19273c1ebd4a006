import pytest
from django.urls import reverse

from annotation import models
from annotation.people.models import Role
from tests import make

pytestmark = pytest.mark.django_db


class TestProjects:
    def test_says_what_to_do_to_somebody_who_belongs_to_none(self, client):
        client.force_login(make.user("lena"))

        page = client.get(reverse("projects")).content.decode()

        assert "You belong to no project yet" in page
        assert "Ask an owner of a project or an operator" in page
        assert reverse("project_new") not in page

    def test_leads_to_a_new_one_whoever_may_start_one(self, client):
        make.project()
        client.force_login(make.user("northport-owner"))

        assert reverse("project_new") in client.get(reverse("projects")).content.decode()


class TestProjectNew:
    @pytest.mark.parametrize("role", [role for role in Role if role != Role.OWNER])
    def test_is_for_owners_and_says_so_to_others(self, client, role):
        client.force_login(make.member(role))

        shown = client.get(reverse("project_new"))
        sent = client.post(reverse("project_new"), {"name": "North", "slug": "north"})

        assert (shown.status_code, sent.status_code) == (200, 403)
        assert "Ask an owner of a project or an operator" in shown.content.decode()
        assert not models.Project.objects.filter(slug="north").exists()

    def test_makes_whoever_starts_a_project_its_owner(self, client, settings):
        settings.PROJECT_STARTERS = "everybody"
        client.force_login(make.user("lena"))

        answer = client.post(reverse("project_new"), {"name": "North", "slug": "north"})

        assert answer["Location"] == reverse("project_home", args=["north"])
        assert models.Membership.objects.get(project__slug="north").role == "OWNER"

    def test_makes_a_short_name_of_the_name_where_none_is_given(self, client):
        make.project("north")
        client.force_login(make.user("north-owner"))

        for name in ("Grüße von der Spedition", "North", "港口", "港口"):
            client.post(reverse("project_new"), {"name": name, "slug": ""})

        made = models.Project.objects.exclude(slug="north").order_by("pk")
        assert [one.slug for one in made] == [
            "grue-von-der-spedition",
            "north-2",
            "project",
            "project-2",
        ]

    def test_refuses_a_short_name_that_is_taken(self, client):
        make.project("north")
        client.force_login(make.user("north-owner"))

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
