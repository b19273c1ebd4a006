import json
import logging
import sys

import pytest
from django.http import HttpResponse

from evalsite.web import logs


def record(message, *args, exc_info=None):
    return logging.LogRecord("evalsite.x", logging.WARNING, "x.py", 3, message, args, exc_info)


def failed(problem):
    try:
        raise problem
    except type(problem):
        return sys.exc_info()


class TestHide:
    @pytest.mark.parametrize(
        ("text", "secret"),
        [
            ("GET /set-up/Zm9vYmFyYmF6/ 200", "Zm9vYmFyYmF6"),
            ("GET /join/Zm9vYmFyYmF6/ 200", "Zm9vYmFyYmF6"),
            ("/password/0f3c1c52-9d4f-4a2e-8e61-0a5d5a3d6a11/cx1-deadbeef/", "deadbeef"),
            ("postgres://site:" + "hunter22" + "@db/evalsite refused", "hunter22"),
            ("smtp://me:" + "p4ss" + "@mail:587", "p4ss"),
            ("Authorization: Bearer abcdef123456", "abcdef123456"),
            ("used sk-abcdef1234567890", "abcdef1234567890"),
            ('{"api_key": "k-123456", "n": 3}', "k-123456"),
            ("password=hunter22&next=/", "hunter22"),
            ("SECRET_KEY='abcabcabc'", "abcabcabc"),
        ],
    )
    def test_cuts_out_what_lets_somebody_in(self, text, secret):
        assert secret not in logs.hide(text)
        assert logs.HIDDEN in logs.hide(text)

    @pytest.mark.parametrize(
        "text", ["/p/northport/grade/", "The sweep 'mail.daily' failed.", "12:30 done"]
    )
    def test_leaves_other_words_alone(self, text):
        assert logs.hide(text) == text


class TestJson:
    def test_is_one_object_a_line_whatever_is_said(self):
        line = logs.LogObjects().format(record("first\nsecond %s", '"quoted"'))

        assert "\n" not in line
        found = json.loads(line)
        assert found["message"] == 'first\nsecond "quoted"'
        assert (found["level"], found["logger"]) == ("WARNING", "evalsite.x")

    def test_says_where_it_failed_and_nothing_of_the_rows(self):
        problem = ValueError("a key is there twice\nDETAIL: Key (answer)=(the whole text) exists")

        found = json.loads(logs.LogObjects().format(record("It failed.", exc_info=failed(problem))))

        assert "ValueError: a key is there twice" in found["exception"]
        assert "in failed" in found["exception"]
        assert "the whole text" not in found["exception"]


class TestLines:
    def test_say_what_failed_without_the_rows(self):
        line = logs.LogLines().format(
            record("No %s", "luck", exc_info=failed(ValueError("x\nrow")))
        )

        assert "WARNING evalsite.x: No luck" in line
        assert "row" not in line


class TestRequestIds:
    def answer(self, rf, status=200, **headers):
        lines = []

        def view(_request):
            lines.append(json.loads(logs.LogObjects().format(record("in it")))["request"])
            return HttpResponse(status=status)

        answer = logs.RequestIds(view)(rf.get("/", headers=headers))
        return answer.headers.get(logs.HEADER), lines[0]

    def test_stand_in_every_line_that_a_request_writes(self, rf):
        sent, logged = self.answer(rf)

        assert sent is None
        assert len(logged) == 32
        assert "request" not in json.loads(logs.LogObjects().format(record("outside")))

    def test_are_those_of_the_proxy_where_it_gives_one(self, rf):
        assert self.answer(rf, **{logs.HEADER: "proxy-12345"}) == ("proxy-12345", "proxy-12345")

    @pytest.mark.parametrize("given", ["short", "a b c d e f g h", "x" * 65, 'quote"inside'])
    def test_are_new_where_what_is_given_is_none(self, rf, given):
        _sent, logged = self.answer(rf, **{logs.HEADER: given})

        assert logged != given

    def test_are_told_where_something_failed(self, rf):
        sent, logged = self.answer(rf, status=500)

        assert sent == logged
