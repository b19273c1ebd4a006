import json
from datetime import timedelta
from types import SimpleNamespace

import pytest
from gunicorn.config import Config

from evalsite.web.logs import AccessLog


@pytest.fixture
def written(settings):
    """Write a request down in a form; return the line."""

    def write(form, path="/p/northport/"):
        settings.LOG_FORMAT = form
        made = Config()
        made.set("accesslog", "-")
        log = AccessLog(made)
        lines = []
        log.access_log = SimpleNamespace(
            info=lambda text, *parts: lines.append(text % parts if parts else text)
        )
        answer = SimpleNamespace(
            status="200 OK", sent=120, headers=[("X-Request-ID", "proxy-12345")]
        )
        environ = {
            "REQUEST_METHOD": "GET",
            "PATH_INFO": path,
            "QUERY_STRING": "whom=lena",
            "HTTP_REFERER": "http://elsewhere.example/",
            "REMOTE_ADDR": "192.0.2.7",
        }
        log.access(answer, None, environ, timedelta(milliseconds=1250))
        return lines[0]

    return write


class TestAccess:
    def test_is_an_object_a_line(self, written):
        found = json.loads(written("json"))

        assert found.pop("at")
        assert found == {
            "logger": "access",
            "from": "192.0.2.7",
            "method": "GET",
            "path": "/p/northport/",
            "status": 200,
            "bytes": 120,
            "seconds": 1.25,
            "request": "proxy-12345",
        }

    def test_is_a_line_for_people(self, written):
        assert '192.0.2.7 "GET /p/northport/" 200 120 1.25s' in written("text")

    @pytest.mark.parametrize("form", ["json", "text"])
    def test_says_nothing_of_links_queries_and_where_one_came_from(self, written, form):
        line = written(form, "/join/Zm9vYmFyYmF6/")

        assert "/join/[hidden]/" in line
        for secret in ("Zm9vYmFyYmF6", "lena", "elsewhere"):
            assert secret not in line

    def test_survives_a_path_that_holds_percent_signs(self, written):
        assert "/100%s/%(x)s" in written("text", "/100%s/%(x)s")
