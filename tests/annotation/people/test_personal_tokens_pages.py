"""The page of one's own tokens."""

import re

import pytest
from django.test import Client

from annotation.people.models import PersonalToken, Role
from tests import make

pytestmark = pytest.mark.django_db
PAGE = "/account/tokens/"


@pytest.fixture
def ravi(client):
    client.force_login(make.member(Role.CURATOR, username="ravi"))
    return client


SENT = {"name": "nightly", "scopes": ["read"], "days": "90", "password": make.PASSWORD}


def make_one(client, **given):
    return client.post(PAGE, {**SENT, **given})


def secret_in(answer) -> str:
    found = re.search(r"evs_[\w-]{40,}", answer.content.decode())
    return found[0] if found else ""


class TestThePage:
    def test_is_reached_from_the_account_and_says_that_there_is_none(self, ravi):
        assert f'href="{PAGE}"' in ravi.get("/account/").content.decode()
        assert "No tokens yet" in ravi.get(PAGE).content.decode()

    def test_shows_a_new_token_once_and_it_works(self, ravi):
        made = make_one(ravi)

        secret = secret_in(made)
        program = Client(headers={"Authorization": f"Bearer {secret}"})
        assert made.status_code == 200
        assert "no-store" in made["Cache-Control"]
        assert program.get("/api/v1/me/").json()["username"] == "ravi"
        page = ravi.get(PAGE)
        assert secret_in(page) == ""
        assert "nightly" in page.content.decode()

    @pytest.mark.parametrize("password", ["", "no"])
    def test_makes_none_without_the_password(self, ravi, password):
        answer = make_one(ravi, password=password)

        assert answer.status_code == 422
        assert secret_in(answer) == ""
        assert not PersonalToken.objects.exists()

    def test_offers_ones_own_projects_only(self, ravi):
        make.project("southport")

        assert "Southport" not in ravi.get(PAGE).content.decode()
        answer = make_one(ravi, project="southport")
        assert answer.status_code == 422
        assert not PersonalToken.objects.exists()

    @pytest.mark.parametrize(
        "given", [{"name": ""}, {"scopes": []}, {"scopes": ["all"]}, {"days": "400"}, {"days": "x"}]
    )
    def test_says_what_is_missing(self, ravi, given):
        answer = make_one(ravi, **given)

        assert answer.status_code == 422
        assert secret_in(answer) == ""
        assert not PersonalToken.objects.exists()


class TestRevoking:
    def test_ends_ones_own(self, ravi):
        secret = secret_in(make_one(ravi))
        token = PersonalToken.objects.get()

        ravi.post(f"{PAGE}{token.pk}/revoke/")
        again = ravi.post(f"{PAGE}{token.pk}/revoke/", follow=True)

        assert (
            Client(headers={"Authorization": f"Bearer {secret}"}).get("/api/v1/me/").status_code
            == 401
        )
        assert "revoked before" in again.content.decode()

    def test_of_somebody_else_is_not_there(self, ravi, client):
        make_one(ravi)
        client.force_login(make.user("lena"))

        assert client.post(f"{PAGE}{PersonalToken.objects.get().pk}/revoke/").status_code == 404
        assert PersonalToken.objects.get().revoked_at is None

    def test_of_all_is_one_press(self, ravi):
        make_one(ravi)
        make_one(ravi)

        said = ravi.post(f"{PAGE}revoke/", follow=True).content.decode()

        assert "Tokens revoked: 2" in said
        assert not PersonalToken.objects.filter(revoked_at=None).exists()


class TestThePassword:
    def test_takes_the_tokens_along_where_it_is_asked(self, ravi):
        make_one(ravi)

        answer = ravi.post(
            "/account/",
            {
                "act": "password",
                "old": make.PASSWORD,
                "new": "another long one 7",
                "again": "another long one 7",
                "tokens": "on",
            },
        )

        assert answer.status_code == 302
        assert PersonalToken.objects.get().revoked_at is not None
