import json
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse

from annotation.people import access as failed_tries
from annotation.people.models import Role
from tests import make

pytestmark = pytest.mark.django_db
PAGE = reverse("login")


def enter(client, name="lena", password=make.PASSWORD, **more):
    return client.post(PAGE, {"username": name, "password": password}, **more)


@pytest.fixture(autouse=True)
def lena():
    return make.member(Role.ANNOTATOR, username="lena")


class TestSignIn:
    def test_lets_in_who_knows_the_password(self, client):
        assert enter(client).status_code == 302
        assert client.get(PAGE).status_code == 302

    def test_does_not_look_at_passwords_after_many_wrong_ones(self, client):
        for _n in range(failed_tries.PASSWORDS):
            answer = enter(client, password="wrong")
            assert answer.status_code == 200
            assert "Too many" not in answer.content.decode()

        answer = enter(client)

        assert answer.status_code == 429
        assert int(answer["Retry-After"]) == 900
        assert "Too many tries were wrong. Wait 15 minutes" in answer.content.decode()
        assert "_auth_user_id" not in client.session

    def test_says_the_same_of_a_name_that_nobody_has(self, client):
        said = {
            name: [enter(client, name, "wrong").status_code for _n in range(12)]
            for name in ("lena", "nobody")
        }

        assert said["lena"] == said["nobody"] == [200] * 10 + [429] * 2

    def test_counts_anew_after_the_right_one(self, client):
        for _once in range(2):
            for _n in range(failed_tries.PASSWORDS - 1):
                enter(client, password="wrong")
            assert enter(client).status_code == 302
            client.logout()

    def test_does_not_count_what_was_left_empty(self, client):
        for _n in range(failed_tries.PASSWORDS + 1):
            assert enter(client, password="").status_code == 200

        assert enter(client).status_code == 302

    def test_is_as_strict_at_the_desk(self, client):
        def again(password):
            sent = json.dumps({"username": "lena", "password": password})
            return client.post(reverse("sign_in_again"), sent, content_type="application/json")

        for _n in range(failed_tries.PASSWORDS):
            assert again("wrong").status_code == 422

        answer = again(make.PASSWORD)

        assert (answer.status_code, answer.json()["code"]) == (429, "too_many")
        assert enter(client).status_code == 429

    def test_is_not_shut_by_strangers_where_one_has_signed_in_before(self, client):
        assert enter(client).status_code == 302
        client.post(reverse("logout"))
        stranger = Client()
        said = [enter(stranger, password="wrong").status_code for _n in range(11)]
        assert said == [200] * 10 + [429]

        assert enter(client, password="wrong").status_code == 200
        assert enter(client).status_code == 302

    def test_takes_a_line_of_ipv6_for_one_address(self, client, settings):
        settings.PRODUCTION = True
        settings.SECURE_SSL_REDIRECT = False

        def ask(n):
            forwarded = {"X-Forwarded-For": f"2001:db8::{n:x}"}
            return enter(client, password="wrong", headers=forwarded).status_code

        assert [ask(n) for n in range(11)] == [200] * 10 + [429]


@pytest.mark.django_db(transaction=True)
class TestTriesAtOnce:
    def test_get_no_more_through_than_one_after_the_other(self):
        together = threading.Barrier(30)

        def go(_n: int) -> int:
            together.wait(30)
            try:
                return enter(Client(), password="wrong").status_code
            finally:
                connection.close()

        with ThreadPoolExecutor(30) as pool:
            said = sorted(pool.map(go, range(30)))

        assert said == [200] * 10 + [429] * 20
