"""Whatever is sent to the API, an error has one shape."""

import json

import pytest
from django.http import HttpResponse, StreamingHttpResponse
from django.test import Client, RequestFactory
from django.urls import reverse

from annotation.people import operations as people
from annotation.people.models import Role
from evalsite import errors
from evalsite.api import errors as api_errors
from tests import make
from tests.doors.api import API
from tests.undoing import undone
from tests.who_may_world import World

#: In so many tests the addresses are gone through, each with a world of its own.
SHARES = 8
#: Methods beside POST, with which a body matters little.
METHODS = ("GET", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "BREW")
#: Name, media type and body of what nobody ought to send.
GARBAGE = (
    ("nothing", "application/json", b""),
    ("half an object", "application/json", b'{"name": '),
    ("no text", "application/json", b"\xff\xfe\x00"),
    ("a list", "application/json", b"[1, null, {}]"),
    ("a number", "application/json", b"1e999"),
    ("nesting", "application/json", b"[" * 20_000),
    ("a broken form", "multipart/form-data; boundary=x", b"--x\r\nnonsense"),
    ("a form without a boundary", "multipart/form-data", b"name=x"),
    ("another language", "text/yaml", b"name: x"),
    ("no media type", "nonsense", b"\x00"),
)


def shape_of(answer) -> set[str]:
    """Return what is wrong with an answer's shape; nothing, where it is no error."""
    if answer.status_code < 400:
        return set()
    wrong = set()
    if not answer["Content-Type"].startswith("application/json"):
        return {f"{answer.status_code} as {answer['Content-Type']}"}
    said = json.loads(answer.content)
    if not isinstance(said, dict) or not {"code", "message", "fields"} <= said.keys():
        return {f"{answer.status_code}: {answer.content[:200]!r}"}
    if not (isinstance(said["code"], str) and said["code"].replace("_", "").isalnum()):
        wrong.add(f"code {said['code']!r}")
    if not (isinstance(said["message"], str) and len(said["message"]) > 5):
        wrong.add(f"message {said['message']!r}")
    if not isinstance(said["fields"], dict):
        wrong.add(f"fields {said['fields']!r}")
    return wrong


@pytest.fixture
def owner_of_all():
    """Somebody who may do everything, so that nothing stops at the door."""
    world = World()
    everything = world.people[Role.OWNER]
    for role in Role:
        people.grant(project=world.project, user=everything, role=role, by=everything, now=make.NOW)
    client = Client(raise_request_exception=False)
    client.force_login(everything)
    return world, client


@pytest.mark.django_db
@pytest.mark.parametrize("share", range(SHARES))
def test_garbage_is_refused_in_one_shape_and_breaks_nothing(share, owner_of_all):
    first, client = owner_of_all
    for name in sorted(API)[share::SHARES]:
        with undone():
            world = World()
            vars(world).update(vars(first))
            url = reverse(name, kwargs=dict(API[name].kwargs(world)))
            wrong = list(wrongly_answered(client, url))

        assert not wrong, f"{name}: " + "\n".join(wrong)


def wrongly_answered(client, url):
    """Send garbage to an address; yield what was sent wherever the answer has another shape or breaks."""
    sent = [(method, *GARBAGE[1]) for method in METHODS] + [("POST", *one) for one in GARBAGE]
    for method, what, media, body in sent:
        answer = client.generic(method, url, body, media)
        shape = shape_of(answer)
        if not shape and answer.status_code >= 500 and answer.json()["code"] == "failed":
            shape = {"it broke"}
        if shape:
            yield f"{method} {url} with {what}: {shape}"


@pytest.mark.django_db
class TestErrors:
    @pytest.fixture
    def client(self):
        client = Client(raise_request_exception=False)
        client.force_login(make.member(Role.CURATOR))
        return client

    def test_of_an_address_that_there_is_not(self, client):
        answer = client.get("/api/v1/nonsense/")

        assert (answer.status_code, shape_of(answer)) == (404, set())
        assert answer.json()["code"] == "not_found"

    def test_of_one_that_cannot_be(self, client):
        assert not shape_of(client.get("/api/v2/%00/"))

    def test_of_a_method(self, client):
        answer = client.delete("/api/v1/projects/northport/domains/")

        assert answer.status_code == 405
        assert answer.json()["code"] == "method_not_allowed"
        assert "GET" in answer["Allow"]

    def test_of_a_form_that_nobody_answers_in(self, client):
        answer = client.get("/api/v1/me/", headers={"Accept": "application/xml"})

        assert answer.status_code == 406
        assert answer.json()["code"] == "not_acceptable"

    def test_of_a_body_that_is_too_large(self, client, settings):
        settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1000
        sent = {"name": "x" * 2000}

        for headers in ({}, {"Idempotency-Key": "k"}):
            answer = client.post(
                "/api/v1/projects/northport/domains/",
                sent,
                content_type="application/json",
                headers=headers,
            )

            assert answer.status_code == 413
            assert answer.json()["code"] == "too_large"
            assert not shape_of(answer)

    def test_of_a_host_that_is_not_ours(self, client):
        answer = client.get("/api/v1/me/", headers={"Host": "elsewhere.example"})

        assert (answer.status_code, shape_of(answer)) == (400, set())

    def test_of_nobody(self):
        answer = Client().get("/api/v1/me/")

        assert (answer.status_code, shape_of(answer)) == (401, set())

    @pytest.mark.parametrize("debug", [False, True])
    def test_of_what_breaks_here(self, client, settings, debug):
        settings.DEBUG = debug
        settings.ROOT_URLCONF = "tests.evalsite.broken_urls"

        answer = client.get("/api/v1/breaks/")

        assert answer.status_code == 500
        assert answer.json()["code"] == "failed"
        assert "secret of the plug" not in answer.content.decode()

    def test_of_pages_are_pages(self, client):
        assert client.get("/nonsense/")["Content-Type"].startswith("text/html")


class TestOneShape:
    def answer(self, response, path="/api/v1/x/"):
        return api_errors.OneShape(lambda _request: response)(RequestFactory().get(path))

    def test_leaves_what_has_it(self):
        said = b'{"code": "c", "message": "m", "fields": {}, "more": 1}'
        response = HttpResponse(said, status=409, content_type="application/json")

        assert self.answer(response).content == said

    @pytest.mark.parametrize("body", [b"", b"<h1>No</h1>", b"[]", b'{"detail": "No"}', b"{"])
    def test_is_given_to_what_has_another(self, body):
        response = HttpResponse(body, status=418, content_type="application/json")
        response["Allow"] = "GET"

        answer = self.answer(response)

        assert not shape_of(answer)
        assert answer["Allow"] == "GET"

    def test_is_given_to_a_stream(self):
        assert not shape_of(self.answer(StreamingHttpResponse(iter([b"x"]), status=503)))

    def test_is_not_for_answers_of_others(self):
        assert self.answer(HttpResponse(b"yes")).content == b"yes"
        for path in ("/p/", "/api/docs/"):
            assert self.answer(HttpResponse(b"no", status=404), path).content == b"no"

    @pytest.mark.parametrize(("method", "status"), [("get", 301), ("post", 308), ("put", 308)])
    def test_makes_no_reading_of_a_deed_that_lacks_its_last_slash(self, method, status):
        moved = HttpResponse(status=301, headers={"Location": "/api/v1/x/"})
        request = getattr(RequestFactory(), method)("/api/v1/x")

        answer = api_errors.OneShape(lambda _request: moved)(request)

        assert (answer.status_code, answer["Location"]) == (status, "/api/v1/x/")


class TestTheCodeOfARefusal:
    def test_is_the_name_of_its_class(self):
        class AlreadyClosed(errors.Conflict): ...

        assert AlreadyClosed.code == "already_closed"

    def test_is_another_where_it_says_so_and_that_of_the_refusal_it_is_a_kind_of(self):
        class TooMany(errors.Invalid):
            code = "too_many_seats"

        class FarTooMany(TooMany): ...

        assert FarTooMany.code == TooMany.code == "too_many_seats"
