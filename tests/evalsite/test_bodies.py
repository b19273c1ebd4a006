import json

import pytest
from django.http import HttpResponse, JsonResponse
from django.middleware.csrf import CsrfViewMiddleware, get_token
from django.test import RequestFactory

from evalsite import errors
from evalsite.web import bodies


def request(body, **headers):
    made = RequestFactory(enforce_csrf_checks=True).post(
        "/", body, content_type="application/json", headers=headers
    )
    vars(made)["_dont_enforce_csrf_checks"] = False
    return made


class TestJsonBody:
    def test_is_an_object(self):
        assert bodies.json_body(request('{"a": 1}')) == {"a": 1}

    @pytest.mark.parametrize("body", ["", "[]", "{", '"x"', "[" * 100_000])
    def test_refuses_anything_else(self, body):
        with pytest.raises(bodies.BodyNotReadable):
            bodies.json_body(request(body))

    def test_refuses_more_than_a_page_can_send(self):
        with pytest.raises(bodies.BodyNotReadable, match="Shorten"):
            bodies.json_body(request(json.dumps({"a": "x" * bodies.LARGEST})))


class TestRefusal:
    def test_has_the_one_shape_of_errors(self):
        answer = bodies.refusal(errors.Conflict("Moved on."), rev=3)

        assert json.loads(answer.content) == {
            "code": "conflict",
            "message": "Moved on.",
            "fields": {},
            "rev": 3,
        }
        assert answer.status_code == 409


class TestCsrfInBody:
    def send(self, body, **headers):
        @bodies.csrf_in_body
        def view(request) -> HttpResponse:
            return JsonResponse({"passed": True})

        made = request(json.dumps(body), **headers)
        token = get_token(made)
        made.COOKIES["csrftoken"] = made.META["CSRF_COOKIE"]
        CsrfViewMiddleware(lambda _: HttpResponse()).process_request(made)
        given = {key: token if value == "TOKEN" else value for key, value in body.items()}
        made._body = json.dumps(given).encode()
        return view(made).status_code

    def test_takes_the_token_from_the_body(self):
        assert self.send({"csrf": "TOKEN"}) == 200

    @pytest.mark.parametrize("body", [{}, {"csrf": "x" * 64}, {"csrf": 3}])
    def test_refuses_without_it(self, body):
        assert self.send(body) == 403

    def test_refuses_what_cannot_be_read(self):
        @bodies.csrf_in_body
        def view(request) -> HttpResponse:
            return HttpResponse()

        assert view(request("no json")).status_code == 403
