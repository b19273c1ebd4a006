import asyncio
import threading

import pytest

from scoring.llm import clients, rest_client
from scoring.llm.base import (
    Ask,
    Failed,
    MachineryFailed,
    Message,
    Request,
    Role,
    SystemFailed,
    Trouble,
)
from scoring.llm.config import REST, EndpointConfig
from tests.scoring import applications

KEY = "canary-4711-do-not-show"
ASKED = Request(Role.CANDIDATE, (Message("user", "Where is gate 12?"),))


def ask(url, request=ASKED, **given):
    values = {"networks": ("127.0.0.0/8",), "timeout": 5.0, "key": KEY, **given}
    values["request"] = {**applications.REQUEST, **values.get("request", {})}
    endpoint = EndpointConfig(kind=REST, url=url, **values)

    async def one():
        async with clients.open_model(endpoint) as model:
            return await model.reply(request)

    return asyncio.run(one())


def failure(answer, **given):
    with applications.application(answer) as app, pytest.raises(Failed) as failed:
        ask(app.url, **given)
    assert KEY not in str(failed.value)
    return failed.value


class TestRestModel:
    def test_asks_as_it_is_told_and_finds_the_answer(self):
        with applications.application() as app:
            reply = ask(app.url)

        assert reply.text == "You asked: Where is gate 12?"
        assert (app.asked[0].method, app.asked[0].path) == ("POST", "/ask")
        assert app.asked[0].headers["X-Key"] == KEY
        assert app.asked[0].body["before"] == ""

    def test_asks_by_an_address_alone(self):
        with applications.application(lambda one: (200, f"at {one.path}".encode())) as app:
            url, plain = f"{app.url}?q={{message}}", {"method": "GET", "body": "", "answer": ""}

            reply = _get(url, plain)

        assert reply.text == "at /ask?q=Where%20is%20gate%2012%3F"

    def test_stores_no_key_that_is_said_again(self):
        with applications.application(lambda one: applications.said(one.headers["X-Key"])) as app:
            assert ask(app.url).text == "[key]"

    @pytest.mark.parametrize(
        ("status", "body", "trouble"),
        [
            (429, {"detail": "slow down"}, Trouble.RATE_LIMITED),
            (500, b"<html>", Trouble.SERVER),
            (401, {"message": KEY}, Trouble.KEY),
            (404, [1], Trouble.BAD_REQUEST),
            (422, {"error": {"message": f"no {KEY}"}}, Trouble.BAD_REQUEST),
            (302, b"", Trouble.REFUSED_ADDRESS),
            (200, {"else": KEY}, Trouble.GARBAGE),
            (200, b"no json", Trouble.GARBAGE),
        ],
    )
    def test_tells_failures_apart(self, status, body, trouble):
        failed = failure(lambda _one: (status, body))

        assert failed.trouble is trouble
        assert failed.status == status
        assert isinstance(failed, MachineryFailed)

    def test_has_an_empty_answer_as_the_systems_own_failure(self):
        failed = failure(lambda _one: applications.said("  "))

        assert isinstance(failed, SystemFailed)
        assert failed.trouble is Trouble.EMPTY

    def test_gives_up_when_the_time_is_up(self):
        ended = threading.Event()

        def slow(_one):
            ended.wait(5)
            return applications.said("late")

        with applications.application(slow) as app:
            with pytest.raises(MachineryFailed) as failed:
                ask(app.url, timeout=0.2)
            ended.set()
        assert failed.value.trouble is Trouble.TIMEOUT

    def test_connects_to_no_closed_address(self):
        with applications.application() as app, pytest.raises(Failed) as failed:
            ask(app.url, networks=())

        assert failed.value.trouble is Trouble.REFUSED_ADDRESS
        assert app.asked == []

    def test_says_that_nobody_answers(self):
        with applications.application() as app:
            url = app.url

        with pytest.raises(Failed) as failed:
            ask(url)
        assert failed.value.trouble is Trouble.CONNECTION

    def test_answers_conversations_alone(self):
        with applications.application() as app, pytest.raises(Failed) as failed:
            ask(app.url, Request(Role.CANDIDATE, (), ask=Ask.EMBED))

        assert failed.value.trouble is Trouble.BAD_REQUEST
        assert app.asked == []


def _get(url, plain):
    endpoint = EndpointConfig(kind=REST, url=url, networks=("127.0.0.0/8",), request=plain)

    async def one():
        async with rest_client.open_client(endpoint) as model:
            return await model.reply(ASKED)

    return asyncio.run(one())
