import pytest
from django.http import HttpResponse, StreamingHttpResponse
from django.test import RequestFactory

from annotation.people.models import Role
from evalsite.web import middleware as heads
from tests import make


@pytest.mark.django_db
class TestHead:
    def test_says_of_the_api_what_get_says_before_its_body(self, client):
        client.force_login(make.member(Role.CURATOR))
        got = client.get("/api/v1/projects/northport/domains/")

        answer = client.head("/api/v1/projects/northport/domains/")

        assert (answer.status_code, answer.content) == (200, b"")
        assert answer["Content-Type"] == got["Content-Type"]
        assert answer["Content-Length"] == str(len(got.content))

    def test_of_nothing_is_nothing(self, client):
        client.force_login(make.member(Role.CURATOR))

        assert client.head("/api/v1/projects/elsewhere/domains/").status_code == 404


class TestHeads:
    def test_leave_a_request_as_it_came(self):
        request = RequestFactory().head("/api/v1/x/")

        heads.Heads(lambda _request: HttpResponse(b"x"))(request)

        assert request.method == "HEAD"

    def test_read_nothing_of_a_stream(self):
        read = []
        lines = (bytes(read[-1:]) for n in range(3) if read.append(n) is None)
        stream = StreamingHttpResponse(lines, headers={"Content-Disposition": "attachment"})

        answer = heads.Heads(lambda _request: stream)(RequestFactory().head("/api/v1/x/"))

        assert answer["Content-Disposition"] == "attachment"
        assert b"".join(answer) == b""
        assert read == []

    def test_are_for_the_api_only(self):
        answer = heads.Heads(lambda one: HttpResponse(one.method))(RequestFactory().head("/p/"))

        assert b"".join(answer) == b"HEAD"
