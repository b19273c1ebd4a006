import pytest
from django.apps import apps
from django.core.management import CommandError, call_command
from django.db import connection, models
from django.template import Context, Template
from django.test import Client
from django.urls import reverse

from annotation.bank.models import QuestionVersion
from annotation.common.fields import BadName, NameColumn, NamesField, StoredName, fault_of
from annotation.domains.models import Domain
from annotation.management.commands import create_owner
from annotation.people import operations as people
from annotation.people.models import Person, Project, Role, User
from tests import make

pytestmark = pytest.mark.django_db
BAD = "Lena\u202eanel"
#: What fields are called that hold a name.
CALLED = {
    *("name", "title", "label", "subtitle", "family", "tag", "whom", "username"),
    *("publisher", "licence", "dataset", "model_name"),
}
#: What is named by programs; names of files are mended as they come in.
OF_PROGRAMS = {"Upload.name", "BankFile.name", "Figure.name", "Judgment.label"}


class TestNameField:
    def test_is_every_field_that_holds_a_name(self):
        fields = [
            (f"{model.__name__}.{field.name}", field)
            for room in ("annotation", "scoring")
            for model in apps.get_app_config(room).get_models()
            for field in model._meta.concrete_fields
            if field.name in CALLED and isinstance(field, models.CharField) and not field.choices
        ]

        assert {name for name, field in fields if not isinstance(field, NameColumn)} == OF_PROGRAMS
        assert len(fields) > 30
        assert isinstance(QuestionVersion._meta.get_field("tags"), NamesField)

    def test_refuses_in_every_way_to_write(self):
        project = make.project()
        for write in (
            lambda: Project.objects.create(slug="x", name=BAD, created_at=make.NOW),
            lambda: Project.objects.filter(pk=project.pk).update(name=BAD),
            lambda: Domain.objects.bulk_create([Domain(project=project, name=BAD)]),
        ):
            with pytest.raises(BadName, match=r"U\+202E") as met:
                write()
            assert list(met.value.fields) == ["name"]

    def test_is_a_field_of_characters_to_the_database(self):
        field = Project._meta.get_field("name")

        assert field.deconstruct()[1] == "django.db.models.CharField"
        assert QuestionVersion._meta.get_field("tags").deconstruct()[1].endswith(".JSONField")


class TestNamesField:
    def test_refuses_one_of_a_list(self):
        field = QuestionVersion._meta.get_field("tags")

        with pytest.raises(BadName) as met:
            field.get_db_prep_save(["fine", "b\u200bad"], connection)
        assert list(met.value.fields) == ["tags"]
        field.get_db_prep_save(["fine", "тоже"], connection)


class TestFaultOf:
    def test_says_which_sign_it_is(self):
        assert "U+202E" in fault_of(BAD)
        assert fault_of("Lena") == ""


class TestAName:
    """That was stored before such names were refused, or is written from right to left."""

    def stored(self, name: str) -> Project:
        project = make.project()
        with connection.cursor() as cursor:
            cursor.execute("UPDATE annotation_project SET name = %s", [name])
        return Project.objects.get(pk=project.pk)

    def shown(self, template: str, **given: object) -> str:
        return Template(template).render(Context(given))

    def test_is_isolated_on_a_page(self):
        project = self.stored(BAD)

        said = self.shown(
            "{% load i18n %}{{ p.name }}: {% blocktranslate with n=p.name %}of {{ n }}{% endblocktranslate %}",
            p=project,
        )

        assert said == "\u2068Lenaanel\u2069: of \u2068Lenaanel\u2069"

    def test_of_a_person_is_isolated_in_the_list_of_people(self, client):
        client.force_login(make.member(Role.OWNER))
        Person.objects.update(name="\u05d3\u05d5\u05d3 2")

        answer = client.get(reverse("people", args=["northport"]))

        assert "\u2068\u05d3\u05d5\u05d3 2\u2069<small>" in answer.content.decode()

    def test_is_escaped_as_every_text(self):
        assert self.shown("{{ n }}", n=StoredName("דוד<b>")) == "\u2068דוד&lt;b&gt;\u2069"

    def test_stays_as_it_is_elsewhere(self):
        assert str(self.stored("דוד").name) == "דוד"
        assert type(self.stored("Zoë").name) is str

    def test_rearranges_nothing_for_those_who_grade(self):
        round_ = make.open_round(n_items=1)
        rater = make.annotators(round_)[0]
        user = make.account(rater)
        with connection.cursor() as cursor:
            cursor.execute("UPDATE annotation_project SET name = %s", [BAD])
            cursor.execute("UPDATE annotation_round SET name = %s", [BAD])
            cursor.execute("UPDATE annotation_person SET name = %s", [BAD])
        client = Client()
        client.force_login(user)
        seat = make.claim(round_, rater)

        for address in (
            reverse("grading", args=[round_.project.slug]),
            reverse("grade", args=[round_.project.slug, seat.token]),
            reverse("account"),
        ):
            page = client.get(address).content.decode()
            assert "Lenaanel" in page
            for around in page.split("\u202e")[:-1]:
                # Only where it is to be changed, in a field of a form.
                assert around.endswith('value="Lena')


class TestEveryDoor:
    def test_of_a_form(self):
        client = Client()
        owner = make.member(Role.OWNER)
        client.force_login(owner)

        answer = client.post(
            reverse("project_new"), {"name": BAD, "slug": "bad", "template": "", "subtitle": ""}
        )

        assert answer.status_code == 422
        assert "U+202E" in answer.content.decode()

    def test_of_ones_own_account(self):
        client = Client()
        client.force_login(make.user("lena"))

        answer = client.post(reverse("account"), {"act": "details", "name": BAD})

        assert answer.status_code == 422

    @pytest.mark.parametrize("route", ["api_domains", "api_systems"])
    def test_of_programs(self, route):
        client = Client()
        client.force_login(make.member(Role.OWNER))

        answer = client.post(
            reverse(route, args=["northport"]), {"name": BAD}, content_type="application/json"
        )

        assert (answer.status_code, answer.json()["code"]) == (422, "bad_name")
        assert "name" in answer.json()["fields"]

    def test_of_a_command(self, monkeypatch):
        monkeypatch.setenv(create_owner.VARIABLE, make.PASSWORD)

        with pytest.raises(CommandError, match=r"U\+202E"):
            call_command("create_owner", username="lena", name=BAD)
        assert not User.objects.exists()

    @pytest.mark.parametrize("username", ["le na", "lena\u202e", "<lena>", "lena\n"])
    def test_of_user_names(self, username):
        with pytest.raises(people.BadUserName):
            people.create_account(
                username=username, name="Lena", password=make.PASSWORD, by=None, now=make.NOW
            )
        client = Client()
        client.force_login(make.member(Role.OWNER))
        answer = client.post(
            reverse("person_new", args=["northport"]),
            {
                "username": f"x{username}",
                "name": "L",
                "password": make.PASSWORD,
                "roles": ["ANALYST"],
            },
        )
        assert answer.status_code == 422
