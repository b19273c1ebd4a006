import re

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse

from annotation import models
from annotation.people import audit
from annotation.people.models import Role
from tests import make

pytestmark = pytest.mark.django_db


@pytest.fixture
def lena(client):
    user = make.user("lena")
    client.force_login(user)
    return user


class TestAccount:
    def test_changes_name_and_address(self, client, lena):
        client.post(
            reverse("account"),
            {
                "act": "details",
                "name": "Lena Voss",
                "email": "lena@example.org",
                "password": make.PASSWORD,
            },
        )

        person = models.Person.objects.get(user=lena)
        assert (person.name, person.email) == ("Lena Voss", "lena@example.org")

    def test_asks_for_the_password_where_the_address_changes(self, client, lena):
        form = {"act": "details", "name": "Lena", "email": "thief@example.org"}

        answer = client.post(reverse("account"), form)

        assert answer.status_code == 422
        assert "Type your password here." in answer.content.decode()
        assert models.Person.objects.get(user=lena).email == ""

    def test_changes_the_password_and_stays_signed_in(self, client, lena):
        new = "another good one"
        answer = client.post(
            reverse("account"),
            {"act": "password", "old": make.PASSWORD, "new": new, "again": new},
            follow=True,
        )

        lena.refresh_from_db()
        assert lena.check_password(new)
        assert answer.status_code == 200
        assert answer.context["user"] == lena

    @pytest.mark.parametrize(
        ("is_made_by_another", "said", "kept"),
        [
            (False, "Password links go to lena@example.org.", "lena@example.org"),
            (True, "The e-mail given with your account was removed", ""),
        ],
    )
    def test_says_with_a_new_password_where_links_go(
        self, client, lena, is_made_by_another, said, kept
    ):
        models.Person.objects.filter(user=lena).update(email="lena@example.org")
        if is_made_by_another:
            audit.record(
                project=None,
                actor=make.user("owner"),
                verb="account.created",
                subject=f"user:{lena.public_id}",
                at=make.NOW,
            )
        form = {"act": "password", "old": make.PASSWORD, "new": "a good one", "again": "a good one"}

        answer = client.post(reverse("account"), form, follow=True)

        assert said in answer.content.decode()
        assert models.Person.objects.get(user=lena).email == kept

    @pytest.mark.parametrize(
        ("given", "said"),
        [
            ({"old": "no"}, "not your password"),
            ({"again": "something else"}, "differs from the line above"),
            ({"new": "short", "again": "short"}, "too short"),
        ],
    )
    def test_says_why_a_password_was_not_changed(self, client, lena, given, said):
        new = "another good one"
        form = {"act": "password", "old": make.PASSWORD, "new": new, "again": new, **given}

        answer = client.post(reverse("account"), form)

        assert answer.status_code == 422
        assert said in answer.content.decode()


class TestPreferences:
    def test_have_a_line_for_every_key_there_is(self, client, lena):
        page = client.get(reverse("preferences")).content.decode()
        script = (settings.BASE_DIR / "static/js/lib/keys.js").read_text()
        table = re.search(r"DEFAULT_KEYS = \{(.*?)\};", script, re.DOTALL)

        assert table is not None
        assert sorted(re.findall(r'<tr data-action="(\w+)"', page)) == sorted(
            re.findall(r"(\w+): ", table.group(1))
        )

    def test_say_that_they_need_a_script(self, client, lena):
        assert "These settings need scripts." in client.get(reverse("preferences")).content.decode()


class TestAccountErase:
    def test_erases_oneself_and_signs_out(self, client):
        user = make.member(Role.ANNOTATOR, username="lena")
        client.force_login(user)
        url = reverse("account_erase")

        refused = client.post(url, {"name": "x"})
        without = client.post(url, {"name": "lena", "password": "no"})
        answer = client.post(url, {"name": "lena", "password": make.PASSWORD})

        assert refused.status_code == without.status_code == 422
        assert answer.status_code == 302
        user.refresh_from_db()
        assert user.username.startswith("erased-")
        assert client.get(reverse("account")).status_code == 302


class TestAccountDevices:
    def test_are_listed_and_signed_out(self, client, lena):
        other = Client()
        other.force_login(lena)

        page = client.get(reverse("account")).content.decode()
        answer = client.post(reverse("account_devices"), {"device": "others"}, follow=True)

        assert "this one" in page
        assert "Sign out other devices" in page
        assert "Signed out elsewhere: 1." in answer.content.decode()
        assert other.get(reverse("account")).status_code == 302

    @pytest.mark.parametrize("device", ["", "x", "999"])
    def test_that_are_not_there_do_no_harm(self, client, lena, device):
        answer = client.post(reverse("account_devices"), {"device": device}, follow=True)

        assert "signed out already" in answer.content.decode()
