import re

import pytest
from django.core import mail
from django.urls import reverse
from django.utils import timezone

from annotation import models
from annotation.people import access as people
from annotation.people.models import LinkAsked
from evalsite import queue
from tests import make

pytestmark = pytest.mark.django_db
NEW = "a wholly other word"
SIGNED = re.compile(rb'csrfmiddlewaretoken" value="[^"]*"')


@pytest.fixture
def lena():
    user = make.user("lena", "Lena Voss")
    models.Person.objects.filter(user=user).update(email="lena@example.org")
    return user


def link(user):
    return reverse(
        "password_link", args=[user.public_id, people.make_link(user=user, now=timezone.now())]
    )


def ask(client, whom, capture):
    with capture(execute=True):
        return client.post(reverse("password_forgotten"), {"whom": whom})


class TestForgotten:
    def test_is_found_where_one_signs_in(self, client):
        assert reverse("password_forgotten") in client.get(reverse("login")).content.decode()

    def test_says_the_same_to_the_letter_whoever_is_meant(
        self, client, lena, django_capture_on_commit_callbacks
    ):
        answers = [
            ask(client, whom, django_capture_on_commit_callbacks)
            for whom in ("lena", "nobody", *["lena"] * 3)
        ]

        assert {answer.status_code for answer in answers} == {200}
        # What a form is signed with is drawn for each page.
        assert len({SIGNED.sub(b"", answer.content) for answer in answers}) == 1
        queue.burst()
        assert len(mail.outbox) == 3

    def test_sends_links_to_the_address_of_the_site(
        self, client, lena, settings, django_capture_on_commit_callbacks
    ):
        settings.SITE_ADDRESS = "https://grades.example"
        ask(client, "lena", django_capture_on_commit_callbacks)
        queue.burst()

        assert "https://grades.example/password/" in mail.outbox[0].body

    @pytest.mark.parametrize(("production", "n_kinds"), [(True, 2), (False, 1)])
    def test_believes_a_proxy_only_in_production(self, client, settings, production, n_kinds):
        settings.PRODUCTION = production
        for address in ("198.51.100.1", "198.51.100.2"):
            client.post(
                reverse("password_forgotten"),
                {"whom": "lena"},
                headers={"X-Forwarded-For": f"192.0.2.9, {address}"},
            )

        assert LinkAsked.objects.values("from_sha").distinct().count() == n_kinds

    def test_wants_a_name(self, client):
        assert client.post(reverse("password_forgotten"), {"whom": " "}).status_code == 422


class TestLink:
    def test_sets_the_password_and_leads_to_where_one_signs_in(self, client, lena):
        address = link(lena)
        page = client.get(address)

        answer = client.post(address, {"new": NEW, "again": NEW}, follow=True)

        assert page["Referrer-Policy"] == "no-referrer"
        assert "no-store" in page["Cache-Control"]
        assert "devices signed out" in answer.content.decode()
        assert client.login(username="lena", password=NEW)
        assert client.get(address).status_code == 404

    @pytest.mark.parametrize(
        ("given", "said"),
        [
            ({"new": NEW, "again": "another"}, "differs from the line above"),
            ({"new": "short", "again": "short"}, "too short"),
            ({"new": "lena", "again": "lena"}, "too similar"),
        ],
    )
    def test_says_why_a_password_cannot_be_used(self, client, lena, given, said):
        answer = client.post(link(lena), given)

        assert answer.status_code == 422
        assert said in answer.content.decode()

    def test_that_was_changed_leads_to_a_new_one(self, client, lena):
        answer = client.get(link(lena)[:-3] + "xx/")

        assert answer.status_code == 404
        assert reverse("password_forgotten") in answer.content.decode()

    def test_that_is_guessed_is_counted_and_one_that_works_opens_nonetheless(self, client, lena):
        right = link(lena)
        wrong = right[:-3] + "xx/"

        said = [client.get(wrong).status_code for _n in range(people.TOKENS + 1)]

        assert said == [404] * people.TOKENS + [429]
        assert client.get(right).status_code == 200
