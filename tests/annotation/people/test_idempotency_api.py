"""Idempotency-Key: once, whatever happens to the answer on its way."""

import json
from uuid import uuid4

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse, StreamingHttpResponse
from django.test import Client, RequestFactory

from annotation.domains.models import Domain
from annotation.files.models import ImportBatch
from annotation.people import middleware as idempotency
from annotation.people import operations as people
from annotation.people import tokens as personal_tokens
from annotation.people.models import KeptAnswer, Membership, PersonalToken, Role
from evalsite.web import scopes
from tests import make

pytestmark = pytest.mark.django_db

REPLAYED = idempotency.REPLAYED


def client_of(role=Role.CURATOR) -> Client:
    client = Client()
    client.force_login(make.member(role))
    return client


def add(client, name="Harbours", key="k-1", home="northport", **more):
    headers = {} if key is None else {"Idempotency-Key": key}
    return client.post(
        f"/api/v1/projects/{home}/domains/",
        {"name": name, "priority": "P0", **more},
        content_type="application/json",
        headers=headers,
    )


def harbours() -> int:
    return Domain.objects.filter(name="Harbours").count()


class TestTheSameRequestAgain:
    def test_changes_nothing_and_is_answered_the_same(self):
        client = client_of()

        first, second = add(client), add(client)

        assert first.status_code == second.status_code == 201
        assert first.json() == second.json()
        assert first["Content-Type"] == second["Content-Type"]
        assert REPLAYED not in first
        assert second[REPLAYED] == "true"
        assert harbours() == 1

    def test_without_a_key_is_another_request(self):
        client = client_of()

        first, second = add(client, key=None), add(client, key=None)

        assert first.status_code == 201
        assert REPLAYED not in second
        assert not KeptAnswer.objects.exists()

    def test_that_was_refused_is_refused_the_same(self):
        client = client_of()
        add(client, key="first")

        first, second = add(client), add(client)

        assert first.status_code == second.status_code >= 400
        assert first.json() == second.json()
        assert second[REPLAYED] == "true"

    def test_of_another_person_is_their_own(self):
        add(client_of())
        other = client_of(Role.OWNER)

        assert REPLAYED not in add(other, "Rivers")
        assert Domain.objects.filter(name="Rivers").exists()

    def test_with_a_token_is_that_of_its_person(self):
        user = make.member(Role.CURATOR)
        secret = personal_tokens.make(
            user=user, name="a", given=scopes.NAMES, days=1, project=None, now=make.NOW
        )
        PersonalToken.objects.update(expires_at="2999-01-01T00:00Z")
        first = add(Client(headers={"Authorization": f"Bearer {secret.secret}"}))

        second = add(client_of())

        assert first.status_code == 201, first.content
        assert second[REPLAYED] == "true"
        assert harbours() == 1


class TestAnotherRequest:
    def test_under_the_same_key_is_refused(self):
        client = client_of()
        add(client)

        answer = add(client, "Rivers")

        assert answer.status_code == 422
        assert answer.json()["code"] == "idempotency_key_reused"
        assert not Domain.objects.filter(name="Rivers").exists()

    def test_is_one_to_another_address_too(self):
        client = client_of()
        home = make.project("southport", make.member(Role.CURATOR))
        add(client)

        assert add(client, home=home.slug).status_code == 422


class TestNotBegun:
    def test_because_of_the_role_leaves_the_key_free(self):
        client = client_of(Role.ANALYST)
        assert add(client).status_code == 403
        people.grant(
            project=make.project(),
            user=make.member(Role.ANALYST),
            role=Role.CURATOR,
            by=make.project().memberships.first().user,
            now=make.NOW,
        )

        assert add(client).status_code == 201
        assert harbours() == 1

    def test_of_a_person_who_left_the_project_tells_nothing(self):
        client = client_of()
        add(client)
        Membership.objects.filter(user=make.member(Role.CURATOR)).update(ended_at=make.NOW)

        answer = add(client)

        assert answer.status_code == 404
        assert REPLAYED not in answer

    def test_of_a_person_whose_role_does_not_reach_so_far_any_more_tells_nothing(self):
        client, person = client_of(), make.member(Role.CURATOR)
        add(client)
        people.set_roles(
            project=make.project(),
            user=person,
            roles=[Role.ANALYST],
            by=make.user("northport-owner"),
            now=make.NOW,
        )

        answer = add(client)

        assert answer.status_code == 403
        assert REPLAYED not in answer

    @pytest.mark.parametrize("key", ["", " ", "ключ", "a b", "x" * 201])
    def test_with_a_key_that_is_none(self, key):
        answer = add(client_of(), key=key)

        assert answer.status_code == 400
        assert answer.json()["code"] == "idempotency_key_invalid"
        assert harbours() == 0

    def test_reading_needs_no_key(self):
        answer = client_of().get(
            "/api/v1/projects/northport/domains/", headers={"Idempotency-Key": "k-1"}
        )

        assert answer.status_code == 200
        assert not KeptAnswer.objects.exists()

    def test_without_a_csrf_token_leaves_the_key_free(self):
        client = Client(enforce_csrf_checks=True)
        client.force_login(make.member(Role.CURATOR))

        assert add(client).status_code == 403
        assert not KeptAnswer.objects.exists()


def _process(user, view):
    """Have a view answered under a key, as the last middleware does it."""
    request = RequestFactory().post(
        "/api/v1/projects/", b"{}", "application/json", headers={"Idempotency-Key": "k-1"}
    )
    request.user = user
    middleware = idempotency.KeptAnswers(lambda _request: HttpResponse())
    return middleware.process_view(request, view, (), {})


class TestWhatBreaks:
    def test_halfway_is_undone_and_the_key_is_free(self):
        """A view that dies after its deed leaves neither the change nor an answer."""

        def dies(_request):
            make.domain("Harbours")
            raise RuntimeError("the plug was pulled")

        with pytest.raises(RuntimeError):
            _process(make.member(Role.CURATOR), dies)

        assert harbours() == 0
        assert not KeptAnswer.objects.exists()

    def test_with_a_500_is_undone_and_the_key_is_free(self):
        def fails(_request):
            make.domain("Harbours")
            return HttpResponse(status=500)

        assert _process(make.member(Role.CURATOR), fails).status_code == 500
        assert harbours() == 0
        assert not KeptAnswer.objects.exists()

    def test_because_the_key_went_to_another_request_is_undone(self):
        """A request that was held up until its key was another one's must not count as well."""

        def loses(_request):
            KeptAnswer.objects.update(claim=uuid4())
            make.domain("Harbours")
            return HttpResponse(b"{}", content_type="application/json")

        answer = _process(make.member(Role.CURATOR), loses)

        assert answer.status_code == 409
        assert json.loads(answer.content)["code"] == "in_progress"
        assert harbours() == 0
        assert KeptAnswer.objects.get().answered_at is None

    def test_at_a_stream_of_pieces_is_kept_whole(self):
        user = make.member(Role.CURATOR)

        def streams(_request):
            return StreamingHttpResponse(iter([b"one ", b"two"]), content_type="text/plain")

        _process(user, streams)

        assert _process(user, streams).content == b"one two"


class TestFiles:
    def send(self, client, content, key="k-1"):
        return client.post(
            "/api/v1/projects/northport/imports/choices/",
            {"file": SimpleUploadedFile("mmlu_test.csv", content), "dataset": "MMLU"},
            headers={"Idempotency-Key": key},
        )

    def test_are_the_same_by_what_is_in_them(self):
        client = client_of()
        text = b"What floats?,Wood,Iron,Lead,Gold,A\n"

        first, second = self.send(client, text), self.send(client, text)

        assert first.status_code == second.status_code, first.content
        assert first.json() == second.json()
        assert second[REPLAYED] == "true"
        assert ImportBatch.objects.count() <= 1

    def test_that_differ_are_another_request(self):
        client = client_of()
        self.send(client, b"What floats?,Wood,Iron,Lead,Gold,A\n")

        assert self.send(client, b"What sinks?,Iron,Wood,Cork,Ice,A\n").status_code == 422
