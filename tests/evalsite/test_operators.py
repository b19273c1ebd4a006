"""The operators' desk shows all and changes next to nothing; nobody else learns of it."""

from typing import ClassVar

import pytest
from django.apps import apps
from django.contrib.admin.models import LogEntry
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation import models
from annotation.people import operations
from annotation.people import tokens as personal_tokens
from annotation.people.models import Role
from evalsite.db import guards
from evalsite.web import operators
from tests import make, operators_urls

pytestmark = [pytest.mark.django_db, pytest.mark.urls(operators_urls.__name__)]
MODELS = [one for room in operators.ROOMS for one in apps.get_app_config(room).get_models()]
#: What asks for the session, the person, the menu and the history, whatever the page.
AT_MOST = 16
#: In so many tests the models are gone through.
SHARES = 8


def address(model, page: str, *args) -> str:
    meta = model._meta
    return reverse(f"admin:{meta.app_label}_{meta.model_name}_{page}", args=args)


@pytest.fixture
def operator(client):
    user = make.user("op")
    operations.set_account(user=user, is_active=True, is_operator=True, by=None, now=make.NOW)
    user.refresh_from_db()
    client.force_login(user)
    return user


@pytest.fixture
def world():
    """A round that people grade, and a bank beside it."""
    round_ = make.open_round()
    make.submit(make.claim(round_))
    make.question_version("RETURNED")
    return round_


class TestDesk:
    @pytest.mark.parametrize("role", [*Role, None])
    def test_is_not_there_for_anybody_else(self, client, role):
        user = make.member(role, username="somebody") if role else make.user("somebody")
        client.force_login(user)

        for url in (
            reverse("admin:index"),
            address(models.Grade, "changelist"),
            address(models.User, "change", user.pk),
            reverse("admin:index") + "nowhere/",
        ):
            assert client.get(url).status_code == 404
            assert client.post(url).status_code in {403, 404}

    def test_asks_who_is_there(self, client):
        answer = client.get(reverse("admin:index"))

        assert answer.status_code == 302
        assert answer["Location"].startswith(reverse("login"))

    def test_is_lost_with_the_office(self, client, operator):
        make_other = make.user("op-2")
        operations.set_account(
            user=make_other, is_active=True, is_operator=True, by=operator, now=make.NOW
        )
        make_other.refresh_from_db()
        operations.set_account(
            user=operator, is_active=True, is_operator=False, by=make_other, now=make.NOW
        )

        assert client.get(reverse("admin:index")).status_code == 404

    def test_holds_every_model_of_the_rooms(self, client, operator):
        page = client.get(reverse("admin:index")).content.decode()

        for model in MODELS:
            assert operators.site.is_registered(model)
            assert address(model, "changelist") in page

    def test_is_linked_for_operators_only(self, client, operator):
        def linked() -> bool:
            return reverse("admin:index") in client.get(reverse("projects")).content.decode()

        assert linked()
        client.force_login(make.member(Role.OWNER))
        assert not linked()


class TestPages:
    @pytest.mark.parametrize("share", range(SHARES))
    def test_open_with_few_questions_and_change_nothing(self, client, operator, world, share):
        client.get(reverse("admin:index"))
        for model in MODELS[share::SHARES]:
            name = model._meta.label
            for query in ({"q": "a1"}, {}):
                said = _few(client, address(model, "changelist"), query)
                assert said == "", f"{name}: {said}"
            row = model._base_manager.first()
            if row is None or not model._default_manager.filter(pk=row.pk).exists():
                continue
            said = _few(client, address(model, "change", row.pk), {})
            assert said == "", f"{name}: {said}"
            before = model._base_manager.filter(pk=row.pk).values().get()
            statuses = {
                client.post(address(model, "add"), {}).status_code,
                client.post(address(model, "delete", row.pk), {"post": "yes"}).status_code,
            }
            if not getattr(operators.site._registry[model], "open_fields", ()):
                statuses.add(client.post(address(model, "change", row.pk), {}).status_code)
            assert statuses == {403}, name
            assert model._base_manager.filter(pk=row.pk).values().get() == before, name

    def test_ask_as_often_for_many_rows(self, client, operator, world):
        def asked() -> int:
            with CaptureQueriesContext(connection) as found:
                client.get(address(models.Response, "changelist"))
            return len(found)

        asked()
        few = asked()
        for _n in range(5):
            make.response(make.item(), make.release("Another"))

        assert asked() == few

    def test_show_no_secret(self, client, operator, world):
        held = world.assignments.exclude(token=None).first()
        models.User.objects.filter(pk=operator.pk).update(password="canary-of-a-password")
        client.force_login(models.User.objects.get(pk=operator.pk))
        pages = [
            client.get(address(models.Round, "change", world.pk)),
            client.get(address(models.Assignment, "change", held.pk)),
            client.get(address(models.Assignment, "changelist"), {"q": held.token}),
            client.get(address(models.User, "change", operator.pk)),
        ]

        for one in pages:
            said = (
                one.content.decode()
                .replace(f"q={held.token}", "")
                .replace(f'value="{held.token}"', "")
            )
            assert one.status_code == 200
            assert held.token not in said
            assert "canary-of-a-password" not in said
            assert bytes(world.secret).decode() not in said

    def test_name_no_secret_among_their_fields(self, rf, operator):
        request = rf.get("/")
        request.user = operator
        for model in MODELS:
            names = {getattr(one, "__name__", one) for one in _row(model).get_fields(request)}
            hidden = {
                one.name for one in model._meta.concrete_fields if not operators.is_shown(one)
            }
            assert names.isdisjoint(hidden)
        assert not operators.is_shown(models.User._meta.get_field("password"))
        assert not operators.is_shown(models.Assignment._meta.get_field("token"))
        assert not operators.is_shown(models.Round._meta.get_field("secret"))
        endpoint = apps.get_model("scoring", "Endpoint")
        assert not operators.is_shown(endpoint._meta.get_field("key_sealed"))
        assert operators.is_shown(
            apps.get_model("scoring", "LLMCall")._meta.get_field("prompt_tokens")
        )

    def test_say_what_the_database_keeps(self, client, operator, world):
        row = models.Inspection.objects.first()

        page = client.get(address(models.Inspection, "change", row.pk)).content.decode()

        assert "The database keeps it" in page


def _few(client, url: str, query: dict[str, str]) -> str:
    """Return what is wrong with a page: it is not there, or asks the database too often."""
    with CaptureQueriesContext(connection) as asked:
        answer = client.get(url, query)
    if answer.status_code != 200:
        return f"{url} {query}: {answer.status_code}"
    if len(asked) > AT_MOST:
        return "\n".join([f"{url} {query}: {len(asked)} queries", *(one["sql"] for one in asked)])
    return ""


def _row(model) -> operators.RowsAdmin:
    found = operators.site._registry[model]
    assert isinstance(found, operators.RowsAdmin)
    return found


class TestFrozen:
    def test_follows_from_the_guards(self):
        tables = {
            one.table for room in operators.ROOMS for one in guards.declared(f"{room}.migrations")
        }

        assert {one._meta.db_table for one in MODELS if operators.guards_of(one)} == tables

    def test_refuses_to_open_what_is_guarded(self):
        class Opened(operators.RowsAdmin):
            open_fields: ClassVar = ("answer",)

        with pytest.raises(ImproperlyConfigured, match="cannot be opened"):
            _ = Opened(models.QuestionVersion, operators.site).opened

    def test_opens_nothing_but_accounts(self):
        opened = {one for one in MODELS if _row(one).opened}

        assert opened == {models.User}


class TestAccounts:
    def test_are_switched_off_and_it_is_written_down(self, client, operator):
        user = make.user("gone")

        answer = client.post(address(models.User, "change", user.pk), {})

        user.refresh_from_db()
        assert answer.status_code == 302
        assert not user.is_active
        event = models.AuditEvent.objects.get(verb="account.set", actor=operator.public_id)
        assert event.data == {
            "is_active": False,
            "is_operator": False,
            "may_start_projects": False,
        }
        assert LogEntry.objects.filter(user=operator, object_id=str(user.pk)).exists()

    def test_leave_nothing_that_lets_in_an_account_that_was_closed(self, client, operator):
        user = make.user("lena")
        secret = personal_tokens.make(
            user=user, name="a", given=["read"], days=9, project=None, now=make.NOW
        ).secret
        device = Client()
        device.force_login(user)

        for is_active in (False, True):
            operations.set_account(
                user=user, is_active=is_active, is_operator=False, by=operator, now=make.NOW
            )

        assert device.get("/account/").status_code == 302
        assert personal_tokens.known(secret=secret, now=make.NOW) is None

    def test_keep_the_last_operator(self, client, operator):
        answer = client.post(address(models.User, "change", operator.pk), {}, follow=True)

        operator.refresh_from_db()
        assert "last operator" in answer.content.decode()
        assert (operator.is_active, operator.is_superuser) == (True, True)
        assert not LogEntry.objects.exists()

    def test_are_set_by_operators_only(self):
        with pytest.raises(operations.NotAnOperator):
            operations.set_account(
                user=make.user("a"),
                is_active=True,
                is_operator=True,
                by=make.user("b"),
                now=make.NOW,
            )

    def test_come_from_the_shell(self, monkeypatch):
        monkeypatch.setenv("EVALSITE_OWNER_PASSWORD", "a long enough phrase 4711")

        call_command("create_owner", username="root-1", name="Root", operator=True)
        call_command("create_owner", username="plain", name="Plain")

        assert models.User.objects.get(username="root-1").is_superuser
        plain = models.User.objects.get(username="plain")
        assert not plain.is_superuser
        assert plain.may_start_projects


class TestCalled:
    @pytest.mark.parametrize(
        ("name", "several"),
        [
            ("capability", "capabilities"),
            ("display", "displays"),
            ("import batch", "import batches"),
            ("person", "people"),
            ("grade", "grades"),
        ],
    )
    def test_is_plain_english(self, name, several):
        assert operators.called(name) == (name, several)

    def test_stands_on_the_desk(self, client, operator):
        page = client.get(reverse("admin:index")).content.decode()

        assert "Capabilities" in page
        assert "People" in page
        for wrong in ("Capabilitys", "batchs", "columnss", "trys", "Persons", "Criterions"):
            assert wrong not in page
