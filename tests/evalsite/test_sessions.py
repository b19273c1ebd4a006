from datetime import timedelta

import pytest
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone

from evalsite.web import sessions
from tests import make

pytestmark = pytest.mark.django_db


@pytest.fixture
def client() -> Client:
    client = Client()
    client.force_login(make.user("lena"))
    return client


def signed_in(client: Client) -> bool:
    return client.get("/account/").status_code == 200


class TestSessionStore:
    def test_finds_what_was_saved(self):
        one = sessions.SessionStore()
        one["colour"] = "blue"
        one.save()

        assert sessions.SessionStore(one.session_key)["colour"] == "blue"

    def test_forgets_what_is_over(self):
        one = sessions.SessionStore()
        one.create()
        Session.objects.update(expire_date=timezone.now() - timedelta(seconds=1))

        later = sessions.SessionStore(one.session_key)

        assert later.load() == {}
        assert later.session_key is None


class TestAccounts:
    def test_knows_who_is_signed_in(self, client):
        assert signed_in(client)

    def test_knows_nobody_whose_account_is_closed(self, client):
        user = make.user("lena")
        user.is_active = False
        user.save()

        assert not signed_in(client)

    def test_ends_every_session_when_the_password_changes(self, client):
        user = make.user("lena")
        user.set_password("another one, and long")
        user.save()

        assert not signed_in(client)

    def test_ends_a_session_that_was_signed_out_elsewhere(self, client):
        Session.objects.all().delete()

        assert not signed_in(client)
