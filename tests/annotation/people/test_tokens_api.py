"""Programs come in with a token, as their person, for what the token is made for."""

import json
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from annotation.domains.models import Domain
from annotation.people import access as failed_tries
from annotation.people import tokens as personal_tokens
from annotation.people.models import PersonalToken, Role
from annotation.rubrics.models import Rubric
from evalsite.web import scopes
from tests import make

pytestmark = pytest.mark.django_db


def token(user, *given, project=None, days=30, now=None) -> str:
    return personal_tokens.make(
        user=user,
        name="a program",
        given=given or scopes.NAMES,
        days=days,
        project=project,
        now=now or timezone.now(),
    ).secret


def program(secret: str) -> Client:
    return Client(enforce_csrf_checks=True, headers={"Authorization": f"Bearer {secret}"})


def domains(home) -> str:
    return f"/api/v1/projects/{home.slug}/domains/"


def add(client, home, name="Harbours"):
    return client.post(
        domains(home), {"name": name, "priority": "P0"}, content_type="application/json"
    )


class TestAToken:
    def test_lets_its_person_in(self):
        user = make.member(Role.CURATOR)

        answer = program(token(user)).get("/api/v1/me/")

        assert answer.status_code == 200
        assert answer.json()["username"] == user.username

    def test_needs_no_csrf_token_for_a_deed(self):
        home = make.project()

        answer = add(program(token(make.member(Role.CURATOR))), home)

        assert answer.status_code == 201, answer.content
        assert Domain.objects.filter(project=home, name="Harbours").exists()

    def test_may_do_no_more_than_its_person(self):
        home = make.project()
        analyst = program(token(make.member(Role.ANALYST)))
        stranger = program(token(make.user("stranger")))

        assert add(analyst, home).status_code == 403
        assert stranger.get(domains(home)).status_code == 404
        assert not Domain.objects.filter(name="Harbours").exists()

    def test_that_is_wrong_is_refused_though_a_session_is_there(self):
        client = program("evs_" + "A" * 43)
        client.force_login(make.member(Role.CURATOR))

        answer = client.get("/api/v1/me/")

        assert answer.status_code == 401
        assert answer.json()["code"] == "signed_out"
        assert answer["WWW-Authenticate"].startswith("Bearer")

    def test_counts_before_a_session(self):
        client = program(token(make.user("ravi")))
        client.force_login(make.user("lena"))

        assert client.get("/api/v1/me/").json()["username"] == "ravi"

    @pytest.mark.parametrize("end", ["revoked", "over", "deactivated"])
    def test_that_ended_is_refused(self, end):
        user = make.user("ravi")
        past = timezone.now() - timedelta(days=40)
        secret = token(user, now=past if end == "over" else None)
        if end == "revoked":
            PersonalToken.objects.update(revoked_at=timezone.now())
        if end == "deactivated":
            user.is_active = False
            user.save()

        assert program(secret).get("/api/v1/me/").status_code == 401

    def test_opens_no_page(self):
        answer = program(token(make.user("ravi"))).get("/account/")

        assert answer.status_code == 302

    def test_of_an_annotator_gives_no_more_than_their_session(self):
        home = make.project()
        user = make.member(Role.ANNOTATOR)
        session = Client()
        session.force_login(user)
        mine = program(token(user))

        for path in ("systems", "items", "rounds", "questions", "runs"):
            url = f"/api/v1/projects/{home.slug}/{path}/"
            assert mine.get(url).status_code == session.get(url).status_code == 404


class TestASession:
    def test_needs_its_csrf_token_for_a_deed(self):
        home = make.project()
        client = Client(enforce_csrf_checks=True)
        client.force_login(make.member(Role.CURATOR))

        answer = add(client, home)

        assert answer.status_code == 403
        assert answer.json()["code"] == "csrf_failed"
        assert not Domain.objects.filter(name="Harbours").exists()


class TestScopes:
    def test_that_are_missing_are_named(self):
        home = make.project()

        answer = add(program(token(make.member(Role.CURATOR), scopes.READ)), home)

        assert answer.status_code == 403
        assert answer.json()["code"] == "scope_missing"
        assert answer.json()["fields"] == {"scope": [scopes.BANK]}
        assert scopes.BANK in answer.json()["message"]
        assert not Domain.objects.filter(name="Harbours").exists()

    def test_are_each_for_their_own(self):
        home = make.project()
        user = make.member(Role.CURATOR)

        assert add(program(token(user, scopes.BANK)), home).status_code == 201
        assert program(token(user, scopes.BANK)).get(domains(home)).status_code == 403
        assert program(token(user, scopes.READ)).get(domains(home)).status_code == 200
        assert add(program(token(user, scopes.RUNS)), home, "Other").status_code == 403


class TestOneProject:
    def test_is_the_only_one_that_is_opened_or_told_of(self):
        user = make.user("ravi")
        home, other = make.project("northport", user), make.project("southport", user)
        client = program(token(user, project=home))

        assert client.get(domains(home)).status_code == 200
        assert client.get(domains(other)).status_code == 404
        told = json.dumps([client.get(f"/api/v1/{one}/").json() for one in ("me", "projects")])
        assert "northport" in told
        assert "southport" not in told


class TestGuessing:
    def test_is_slowed_down_and_a_right_token_still_works(self):
        secret = token(make.user("ravi"))
        for n in range(failed_tries.TOKENS):
            assert program(f"evs_{n:043d}").get("/api/v1/me/").status_code == 401

        answer = program("evs_" + "B" * 43).get("/api/v1/me/")

        assert answer.status_code == 429
        assert answer.json()["code"] == "too_many"
        assert int(answer["Retry-After"]) > 0
        assert program(secret).get("/api/v1/me/").status_code == 200


class TestSignedOut:
    def test_is_told_how_a_program_signs_in(self):
        answer = Client().get("/api/v1/me/")

        assert answer.status_code == 401
        assert answer["WWW-Authenticate"] == 'Bearer realm="evalsite"'


class TestADeedThatMakesWhatBelongsToAnotherScope:
    def copy(self, *given):
        """Copy a rubric of another project, of which the same person is an analyst."""
        there, user = make.project("southport"), make.member(Role.CURATOR)
        make.member(Role.ANALYST, in_=there, username=user.username)
        rubric = make.rubric_version(in_=there).rubric
        return program(token(user, *given)).post(
            f"/api/v1/projects/{make.project().slug}/rubric-copies/",
            {"project": there.slug, "rubric": rubric.key, "key": "mine"},
            content_type="application/json",
        )

    def test_copies_no_rubric_without_the_scope_to_read(self):
        answer = self.copy(scopes.ROUNDS)

        assert answer.status_code == 403
        assert answer.json()["fields"] == {"scope": [scopes.READ]}
        assert not Rubric.objects.filter(key="mine").exists()

    def test_copies_one_with_both(self):
        assert self.copy(scopes.ROUNDS, scopes.READ).status_code == 201

    @pytest.mark.parametrize(
        ("address", "given", "missing"),
        [
            ("imports/answers/", scopes.BANK, scopes.ROUNDS),
            ("imports/grades/", scopes.BANK, scopes.ROUNDS),
            ("imports/scores/", scopes.BANK, scopes.RUNS),
            ("drafting/", scopes.BANK, scopes.RUNS),
            ("bank-files/1/", scopes.BANK, scopes.ROUNDS),
            ("runs/1/publish/", scopes.RUNS, scopes.ROUNDS),
        ],
    )
    def test_is_refused_without_it(self, address, given, missing):
        client = program(token(make.member(Role.OWNER), given))

        answer = client.post(f"/api/v1/projects/{make.project().slug}/{address}")

        assert answer.status_code == 403
        assert answer.json()["fields"] == {"scope": [missing]}
