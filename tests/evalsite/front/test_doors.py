import json
from types import SimpleNamespace

import pytest
from django.http import HttpResponse
from django.test import RequestFactory

from evalsite.front import doors
from evalsite.front.incoming import ANYBODY_MOST
from evalsite.front.outgoing import Outlet, Shelf


def answer(status, path):
    request = RequestFactory().post(path, **{doors.REFUSED: status})
    return doors.Refusals(lambda _request: HttpResponse("as usual"))(request)


class TestRefusals:
    @pytest.mark.parametrize("status", [408, 411, 413, 429, 503, 507])
    def test_are_words_for_people(self, status):
        found = answer(status, "/login/")

        assert found.status_code == status
        assert "<h1>This was not done</h1>" in found.content.decode()

    def test_have_the_one_shape_for_programs(self):
        found = json.loads(answer(413, "/api/v1/").content)

        assert found["code"] == "too_large"
        assert "256 MB" in found["message"]

    def test_say_when_to_come_again(self):
        assert answer(429, "/api/v1/").headers["Retry-After"] == "60"

    def test_leave_other_requests_alone(self):
        assert answer(0, "/login/").content == b"as usual"

    def test_can_be_caused_by_no_header(self):
        request = RequestFactory().get("/", headers={"evalsite.front.refused": "413"})

        answered = doors.Refusals(lambda _request: HttpResponse("as usual"))(request)
        assert answered.status_code == 200


class TestMostOf:
    def ask(self, client, **headers):
        def app(environ, start):
            named = {"HTTP_AUTHORIZATION": environ["HTTP_AUTHORIZATION"]} if headers else {}
            made = client.get("/api/v1/", **{doors.ASKS: environ[doors.ASKS]}, **named)
            start(f"{made.status_code} x", [])
            return made

        return doors.most_of(app, {"HTTP_AUTHORIZATION": headers.get("token", "")})

    def test_is_little_for_whoever_is_not_signed_in(self, client, db):
        assert self.ask(client) == ANYBODY_MOST

    def test_is_little_for_a_token_that_does_not_work(self, client, db):
        assert self.ask(client, token="Bearer nonsense") == ANYBODY_MOST

    def test_is_a_file_for_whoever_is_signed_in(self, client, django_user_model, db, settings):
        client.force_login(django_user_model.objects.create(username="ada"))

        assert self.ask(client) > settings.FILE_MOST


class TestSenders:
    @pytest.mark.parametrize(("signed_in", "path"), [(True, "/"), (False, "/login/")])
    def test_tell_whose_request_it_was(self, client, django_user_model, db, signed_in, path):
        user = django_user_model.objects.create(username="ada")
        if signed_in:
            client.force_login(user)
        outlet = Outlet(None, None, Shelf())

        client.get(path, **{"gunicorn.socket": outlet})

        assert outlet.account == (str(user.pk) if signed_in else "")

    def test_leave_another_server_alone(self, client, db):
        assert client.get("/login/", **{"gunicorn.socket": object()}).status_code == 200


class TestMarked:
    def test_tells_the_application_what_was_refused(self):
        seen = {}
        app = doors.marked(lambda environ, _start: seen.update(environ))

        app({"gunicorn.socket": SimpleNamespace(refused=413)}, None)

        assert seen[doors.REFUSED] == 413
