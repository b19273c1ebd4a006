"""Whoever got their first password from somebody else sets their own before anything else."""

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation import models
from annotation.people import access as passwords
from annotation.people import inviting, setting_up
from annotation.people import operations as people
from annotation.people import tokens as personal_tokens
from annotation.people.models import Role
from tests import make

pytestmark = pytest.mark.django_db

OWN = "my very own one"


def new_account(**changes) -> models.User:
    given = {"username": "lena", "name": "Lena", "password": make.PASSWORD, **changes}
    return people.add_account(
        project=make.project(),
        roles=[Role.CURATOR],
        by=make.user("northport-owner"),
        now=make.NOW,
        **given,
    )


def sign_in(username: str = "lena") -> Client:
    device = Client()
    form = {"username": username, "password": make.PASSWORD}
    assert device.post(reverse("login"), form).status_code == 302
    return device


class TestAnAccountThatSomebodyElseMade:
    def test_is_led_to_its_own_password_from_every_page(self):
        new_account()
        device = sign_in()

        for url in ("/account/", "/account/tokens/", "/p/northport/", "/join/none/"):
            answer = device.get(url)
            assert answer.status_code == 302, url
            assert answer["Location"].startswith(reverse("own_password")), url

    def test_does_nothing_by_a_form(self):
        new_account()
        device = sign_in()

        answer = device.post("/account/", {"act": "details", "name": "Thief", "email": ""})

        assert answer["Location"].startswith(reverse("own_password"))
        assert models.Person.objects.get(user__username="lena").name == "Lena"

    def test_does_nothing_by_the_api(self):
        new_account()

        answer = sign_in().get("/api/v1/me/")

        assert answer.status_code == 403
        assert answer.json()["code"] == "own_password_missing"

    def test_makes_no_token(self):
        user = new_account()

        with pytest.raises(personal_tokens.OwnPasswordMissing, match="set your own first"):
            personal_tokens.make(
                user=user, name="a", given=["read"], days=9, project=None, now=make.NOW
            )

    def test_may_sign_out(self):
        new_account()
        device = sign_in()

        device.post(reverse("logout"))

        assert device.get("/account/")["Location"].startswith(reverse("login"))

    @pytest.mark.parametrize(
        ("new", "again", "said"),
        [
            (make.PASSWORD, make.PASSWORD, "You were given this one."),
            ("short", "short", "too short"),
            (OWN, "another", "differs from the line above"),
        ],
    )
    def test_is_told_what_is_wrong_with_the_new_one(self, new, again, said):
        user = new_account()

        answer = sign_in().post(reverse("own_password"), {"new": new, "again": again})

        assert answer.status_code == 422
        assert said in answer.content.decode()
        user.refresh_from_db()
        assert user.check_password(make.PASSWORD)

    def test_goes_on_where_it_was_going(self):
        user = new_account()
        device = sign_in()
        asked = device.get("/p/northport/people/").get("Location") or ""

        answer = device.post(asked, {"new": OWN, "again": OWN})

        user.refresh_from_db()
        assert user.check_password(OWN)
        assert answer["Location"] == "/p/northport/people/"
        assert device.get("/account/").status_code == 200
        assert device.get(reverse("own_password"))["Location"] == reverse("account")

    def test_goes_home_rather_than_to_another_site(self):
        new_account()
        url = f"{reverse('own_password')}?next=https://thief.example/"

        assert sign_in().post(url, {"new": OWN, "again": OWN})["Location"] == reverse("home")

    def test_is_asked_no_more_after_a_link_to_a_new_password(self):
        user = new_account()
        token = passwords.make_link(user=user, now=make.NOW)

        passwords.set_by_link(public_id=user.public_id, token=token, new=OWN, now=make.NOW)

        user.refresh_from_db()
        assert not user.must_set_password

    def test_is_asked_again_after_its_maker_set_another_one(self):
        user = new_account()
        models.User.objects.update(must_set_password=False)  # made by an earlier version
        user.refresh_from_db()

        people.reset_password(
            user=user, new="another good one", by=make.user("northport-owner"), now=make.NOW
        )

        user.refresh_from_db()
        assert user.must_set_password


class TestWhoeverSetTheirOwn:
    """Is asked nothing at the first sign-in."""

    def is_let_in(self, username: str) -> None:
        assert sign_in(username).get(reverse("account")).status_code == 200

    def test_by_the_set_up_link(self):
        token = setting_up.make_link(now=timezone.now())

        client = Client()
        form = {"username": "first", "name": "First", "password": make.PASSWORD}
        client.post(reverse("set_up", args=[token]), form)

        self.is_let_in("first")

    def test_by_an_invitation(self):
        _row, token = inviting.invite(
            project=make.project(),
            whom="Lena",
            roles=[Role.ANALYST],
            days=7,
            by=make.user("northport-owner"),
            now=timezone.now(),
        )

        form = {"username": "lena", "name": "Lena", "password": make.PASSWORD}
        Client().post(reverse("join", args=[token]), form)

        self.is_let_in("lena")

    def test_on_the_command_line(self, monkeypatch):
        monkeypatch.setenv("EVALSITE_OWNER_PASSWORD", make.PASSWORD)

        call_command("create_owner", username="boss", name="Boss")

        self.is_let_in("boss")

    def test_in_an_earlier_version(self):
        make.user("lena")

        self.is_let_in("lena")

    def test_refuses_to_set_the_first_one_twice(self):
        with pytest.raises(passwords.NotAsked):
            passwords.set_first_own(user=make.user("lena"), new=OWN, now=make.NOW)
