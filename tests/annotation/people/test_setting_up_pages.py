import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.people import access as failed_tries
from annotation.people import setting_up
from annotation.people.models import User
from tests import make

pytestmark = pytest.mark.django_db
ABOUT = {"username": "ines", "name": "Ines", "password": make.PASSWORD}


@pytest.fixture
def link():
    return reverse("set_up", args=[setting_up.make_link(now=timezone.now())])


def page_of(answer):
    return answer.content.decode()


class TestSetUp:
    def test_makes_the_first_account_and_goes_on_with_the_first_project(self, client, link):
        page = client.get(link)
        assert page.status_code == 200
        assert page["Referrer-Policy"] == "no-referrer"
        assert "no-store" in page["Cache-Control"]

        answer = client.post(link, ABOUT, follow=True)

        assert answer.redirect_chain == [(reverse("project_new"), 302)]
        assert answer.status_code == 200
        assert answer.context["user"].username == "ines"

    def test_says_what_is_wrong_and_keeps_the_link(self, client, link):
        answer = client.post(link, {**ABOUT, "password": "short"})

        assert answer.status_code == 422
        assert "too short" in page_of(answer)
        assert client.get(link).status_code == 200

    def test_works_once(self, client, link):
        client.post(link, ABOUT)
        client.logout()

        answer = client.post(link, {**ABOUT, "username": "max"})

        assert answer.status_code == 404
        assert "This site is set up" in page_of(answer)
        assert User.objects.count() == 1

    def test_of_another_link_makes_nothing_and_is_counted(self, client, link):
        wrong = reverse("set_up", args=["guessed"])
        said = [client.post(wrong, ABOUT).status_code for _n in range(failed_tries.TOKENS + 2)]

        assert said == [404] * failed_tries.TOKENS + [429] * 2
        assert not User.objects.exists()
        assert client.get(link).status_code == 200  # a stranger's guesses do not shut it


class TestSignInPage:
    def test_says_where_the_link_is_while_nobody_has_an_account(self, client):
        page = client.get(reverse("login"))

        assert "Nobody has an account here yet" in page_of(page)
        assert "/set-up/" not in page_of(page)

    def test_says_nothing_of_it_afterwards(self, client):
        make.user("lena")

        assert "Nobody has an account" not in page_of(client.get(reverse("login")))
