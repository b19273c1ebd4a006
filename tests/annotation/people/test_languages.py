import pytest
from django.conf import settings
from django.core import mail
from django.urls import reverse
from django.utils import timezone

from annotation.people import inviting
from annotation.people import operations as people
from annotation.people.models import AuditEvent, Project, Role
from evalsite.web import languages
from tests import make
from tests.scoring import rounds
from tests.scoring.worker import compute

pytestmark = pytest.mark.django_db
LOGIN, SWITCH = reverse("login"), reverse("language")
ENGLISH, CHINESE = "Sign in", "登录"
CODE = "zh-hans"


@pytest.fixture
def lena(client):
    user = make.member(Role.ANNOTATOR, username="lena")
    client.force_login(user)
    return user


def choose(client, code=CODE, back=LOGIN, **more):
    return client.post(SWITCH, {"language": code, "next": back}, **more)


def said(client, url=LOGIN, **headers):
    return client.get(url, headers=headers).content.decode()


def grading():
    return reverse("grading", args=["northport"])


class TestBeforeSigningIn:
    def test_a_page_is_in_the_language_that_the_browser_asks_for(self, client):
        page = said(client, **{"accept-language": "zh-CN,zh;q=0.9,en;q=0.5"})

        assert '<html lang="zh-hans">' in page
        assert CHINESE in page

    def test_a_page_is_in_english_where_the_browser_asks_for_what_there_is_not(self, client):
        assert ENGLISH in said(client, **{"accept-language": "tlh"})

    def test_a_choice_holds_on_this_device_whatever_the_browser_asks_for(self, client):
        answer = choose(client)

        assert (answer.status_code, answer.headers["Location"]) == (302, LOGIN)
        assert answer.cookies[settings.LANGUAGE_COOKIE_NAME]["httponly"]
        assert CHINESE in said(client, **{"accept-language": "en"})

    def test_a_choice_moves_into_the_account_of_whoever_signs_in(self, client):
        choose(client)
        lena = make.member(Role.ANNOTATOR, username="lena")
        client.force_login(lena)

        assert '<html lang="zh-hans">' in said(client, grading())
        lena.refresh_from_db()
        assert lena.language == CODE
        assert not client.cookies[settings.LANGUAGE_COOKIE_NAME].value

    def test_a_language_that_is_not_offered_is_refused_with_those_that_are(self, client):
        answer = choose(client, "tlh", follow=True)

        assert "Choose one of: en, zh-hans." in answer.content.decode()
        assert settings.LANGUAGE_COOKIE_NAME not in client.cookies

    @pytest.mark.parametrize("back", ["https://elsewhere.example/", "//elsewhere.example", "x", ""])
    def test_nobody_is_led_elsewhere(self, client, back):
        assert choose(client, back=back).headers["Location"] == reverse("home")

    def test_the_page_stays_in_the_language_of_whoever_signed_out(self, client, lena):
        people.keep_language(user=lena, language=CODE)
        client.post(reverse("logout"))

        assert CHINESE in said(client)
        # But it is nobody's choice: the next person keeps their own.
        other = make.member(Role.ANNOTATOR, username="mara")
        client.force_login(other)
        assert '<html lang="en">' in said(client, grading())


@pytest.mark.usefixtures("lena")
class TestWhoIsSignedIn:
    def test_keeps_the_choice_in_the_account(self, client, lena):
        answer = choose(client, back=grading())

        assert answer.headers["Location"] == grading()
        assert settings.LANGUAGE_COOKIE_NAME not in answer.cookies
        lena.refresh_from_db()
        assert lena.language == CODE
        assert "待评分" in said(client, grading())

    def test_has_the_language_of_the_project_until_they_choose(self, client, lena):
        Project.objects.update(language=CODE)

        assert '<html lang="zh-hans">' in said(client, grading())
        choose(client, "en")
        assert '<html lang="en">' in said(client, grading())

    def test_reads_pages_of_curators_in_english_as_a_whole(self, client):
        owner = make.member(Role.OWNER, username="owner-2")
        people.keep_language(user=owner, language=CODE)
        client.force_login(owner)

        page = said(client, reverse("rounds", args=["northport"]))

        assert '<html lang="en">' in page
        assert "轮次" not in page

    def test_is_told_in_their_language_that_a_page_is_not_theirs(self, client, lena):
        people.keep_language(user=lena, language=CODE)

        for url in (reverse("rounds", args=["northport"]), "/nowhere/"):
            page = client.get(url)
            assert page.status_code == 404
            assert "这个地址没有内容" in page.content.decode()


class TestAProgram:
    def test_is_answered_in_the_language_it_asks_for(self, client):
        asked = client.get("/api/v1/me/", headers={"accept-language": "zh-Hans"})

        assert asked.status_code == 401
        assert asked.json()["message"] == "请登录后继续。"
        assert asked.json()["code"] == "signed_out"

    def test_reads_what_is_not_for_annotators_in_english_as_a_whole(self, client):
        rounds.graded(n_items=2)
        client.force_login(make.member(Role.OWNER, username="owner-2"))
        wished = {"accept-language": "zh-CN"}

        client.get(reverse("api_study", args=["northport", 1]))
        compute()
        told = client.get(reverse("api_study", args=["northport", 1]), headers=wished)
        again = client.get(reverse("api_study", args=["northport", 1]))

        assert told.status_code == 200
        assert told.json() == again.json()
        assert told["Content-Language"] == "en"

    def test_is_refused_there_in_the_language_it_asks_for(self, client):
        make.project()
        client.force_login(make.member(Role.OWNER, username="owner-2"))

        refused = client.get(
            reverse("api_study", args=["northport", 99]), headers={"accept-language": "zh-CN"}
        )

        assert refused.status_code == 404
        assert not refused.json()["message"].isascii()

    def test_sets_the_language_of_a_project(self, client):
        make.project()
        client.force_login(make.member(Role.OWNER, username="owner-2"))
        url = reverse("api_about", args=["northport"])

        answer = client.post(url, {"language": CODE}, content_type="application/json")

        assert answer.json()["language"] == CODE
        event = AuditEvent.objects.get(verb="project.language")
        assert (event.data["old"], event.data["new"]) == ("", CODE)
        refused = client.post(url, {"language": "tlh"}, content_type="application/json")
        assert list(refused.json()["fields"]) == ["language"]


class TestALink:
    def test_opens_and_is_mailed_in_the_language_of_the_project(self, client):
        project = make.project()
        Project.objects.update(language=CODE)
        project.refresh_from_db()
        owner = make.member(Role.OWNER, username="owner-2")
        one, token = inviting.invite(
            project=project,
            whom="mara@example.org",
            roles={Role.ANNOTATOR},
            days=7,
            by=owner,
            now=timezone.now(),
        )
        url = reverse("join", args=[token])

        inviting.send(invited=[inviting.Invited(one, f"https://x.example{url}")], by=owner)

        assert "邀请加入" in mail.outbox[0].subject
        assert "打开此链接即可加入" in mail.outbox[0].body
        assert "邀请你担任标注员。" in said(client, url)


class TestAList:
    def test_is_written_as_the_language_has_it(self):
        from django.utils import translation

        assert languages.listed(["a", "b"]) == "a, b"
        with translation.override(CODE):
            assert languages.listed(["a", "b"]) == "a、b"
