import pytest
from django.contrib.sessions.models import Session
from django.test import Client

from annotation.people import rights as sign_ins
from annotation.people.models import SignIn, User
from tests import make

pytestmark = pytest.mark.django_db


def devices(user: User, n: int = 2) -> list[Client]:
    made = [Client() for _ in range(n)]
    for one in made:
        one.force_login(user)
    return made


def is_in(client: Client) -> bool:
    return client.get("/account/").status_code == 200


class TestNote:
    def test_is_taken_at_every_sign_in(self):
        lena = make.user("lena")
        client = Client(headers={"User-Agent": "A browser/1.0 " + "x" * 300})

        client.post("/login/", {"username": "lena", "password": make.PASSWORD})

        (row,) = SignIn.objects.filter(user=lena)
        assert row.session_key == client.session.session_key
        assert row.agent.startswith("A browser/1.0")
        assert len(row.agent) == 200

    def test_forgets_devices_that_were_signed_out(self):
        lena = make.user("lena")
        first, _second = devices(lena)
        first.post("/logout/")

        devices(lena, 1)

        assert SignIn.objects.filter(user=lena).count() == 2


class TestEnd:
    def test_signs_one_device_out(self):
        lena = make.user("lena")
        here, there = devices(lena)
        row = SignIn.objects.get(session_key=there.session.session_key)

        assert sign_ins.end(user=lena, pk=row.pk)

        assert is_in(here)
        assert not is_in(there)

    def test_touches_nobody_elses(self):
        lena, kofi = make.user("lena"), make.user("kofi")
        (theirs,) = devices(kofi, 1)

        assert not sign_ins.end(user=lena, pk=SignIn.objects.get(user=kofi).pk)

        assert is_in(theirs)


class TestEndOthers:
    def test_leaves_this_device_and_other_people_in(self):
        lena, kofi = make.user("lena"), make.user("kofi")
        here, *others = devices(lena, 3)
        (theirs,) = devices(kofi, 1)

        assert sign_ins.end_others(user=lena, but=here.session.session_key) == 2

        assert is_in(here)
        assert not any(is_in(one) for one in others)
        assert is_in(theirs)
        assert Session.objects.count() == 2
