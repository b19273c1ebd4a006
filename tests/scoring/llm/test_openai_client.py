import asyncio
import gzip
import logging
import os
import socket
import threading
import traceback
from contextlib import contextmanager

import pytest

from scoring.llm import guarded, openai_client
from scoring.llm.base import Failed, MachineryFailed, Message, Request, Role, Settings, Trouble
from scoring.llm.config import EndpointConfig
from tests.scoring.llm import behaving, serving

KEY = "canary-4711-do-not-show"
LOOPBACK = ("127.0.0.0/8",)
SCHEMA = {
    "type": "object",
    "properties": {"score": {"type": "integer", "enum": [1, 2, 3]}},
    "required": ["score"],
}


def request(text="Grade this answer: the sea is wide.", *, schema=None, repeat=0, **settings):
    messages = (Message("user", text),)
    return Request(Role.JUDGE, messages, Settings(**settings), schema=schema, repeat=repeat)


def config(url, **more):
    found = {name: {"value": value} for name, value in more.pop("found", {}).items()}
    values = {"model": "scripted", "timeout": 5.0, "networks": LOOPBACK, **more}
    return EndpointConfig(url=url, found=found, **values)


def ask(endpoint, *requests):
    """Return the replies, or what failed instead, all asked through one client."""

    async def one(model, asked):
        try:
            return await model.reply(asked)
        except Failed as problem:
            return problem

    async def all_of_them():
        async with openai_client.open_client(endpoint) as model:
            return [await one(model, asked) for asked in requests or (request(),)]

    return asyncio.run(all_of_them())


def failure_of(faults, **more):
    with serving.in_thread(faults=faults) as server:
        return ask(config(server.url, **more))[0]


@contextmanager
def answering(raw):
    """Answer one connection after the other with these bytes; yield the address and what was sent."""
    heard, listening = [], socket.create_server(("127.0.0.1", 0))

    def serve():
        while True:
            try:
                line, _address = listening.accept()
            except OSError:
                return
            with line:
                heard.append(line.recv(65536))
                line.sendall(raw)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/v1", heard
    finally:
        listening.shutdown(socket.SHUT_RDWR)
        listening.close()
        thread.join(5)


def http(status, body=b"", head=""):
    length = len(body)
    return (
        f"HTTP/1.1 {status} Said\r\nContent-Length: {length}\r\nConnection: close\r\n{head}\r\n".encode()
        + body
    )


class TestReply:
    def test_comes_with_its_counts(self):
        with serving.in_thread() as server:
            reply = ask(config(server.url))[0]

        assert reply.text
        assert reply.prompt_tokens > 0
        assert reply.completion_tokens > 0
        assert reply.seconds > 0

    def test_follows_a_schema_where_the_endpoint_can(self):
        with serving.in_thread() as server:
            endpoint = config(server.url, found={"json_schema": True})
            reply = ask(endpoint, request(schema=SCHEMA))[0]

        assert reply.text in {'{"score": 1}', '{"score": 2}', '{"score": 3}'}
        assert reply.notes["form"] == "json_schema"

    def test_is_asked_for_in_words_where_it_cannot(self):
        with serving.in_thread(script={"schema": False}) as server:
            reply = ask(config(server.url), request(schema=SCHEMA))[0]

        assert '"score"' in reply.text
        assert reply.notes["form"] == "text"

    def test_has_chances_where_they_were_asked_for(self):
        with serving.in_thread() as server:
            reply = ask(config(server.url), request(top_logprobs=3))[0]

        assert len(reply.tokens[0].others) == 3

    def test_is_the_same_for_the_same_seed_and_another_for_a_repeat(self):
        with serving.in_thread() as server:
            asked = [request(seed=7), request(seed=7), request(seed=7, repeat=1)]
            replies = ask(config(server.url), *asked)
            counts = server.counts()

        assert replies[0].text == replies[1].text
        assert sorted(counts["requests"].values()) == [1, 2]


class TestFailure:
    @pytest.mark.parametrize(
        ("fault", "trouble", "status"),
        [
            ("429", Trouble.RATE_LIMITED, 429),
            ("500", Trouble.SERVER, 500),
            ("garbage", Trouble.GARBAGE, 200),
            ("error_body", Trouble.GARBAGE, 200),
            ("drop", Trouble.CONNECTION, None),
        ],
    )
    def test_has_a_name(self, fault, trouble, status):
        problem = failure_of({fault: 1})

        assert isinstance(problem, MachineryFailed)
        assert (problem.trouble, problem.status) == (trouble, status)

    def test_says_how_long_to_wait(self):
        assert failure_of({"429": 1, "retry_after": 3.0}).retry_after == 3.0

    def test_comes_when_the_time_is_up(self):
        problem = failure_of({"hang": 1}, timeout=0.3)

        assert problem.trouble is Trouble.TIMEOUT
        assert str(problem) == "No reply within 0.3 seconds."

    def test_is_never_tried_again_by_the_client(self):
        with serving.in_thread(faults={"500": 1}) as server:
            ask(config(server.url))
            assert server.counts()["calls"] == 1

    def test_names_a_prompt_that_is_too_long(self):
        with serving.in_thread(context_length=10) as server:
            problem = ask(config(server.url), request("word " * 50))[0]

        assert problem.trouble is Trouble.TOO_LONG

    def test_says_that_nobody_is_there(self):
        with socket.create_server(("127.0.0.1", 0)) as closed:
            port = closed.getsockname()[1]

        problem = ask(config(f"http://127.0.0.1:{port}/v1"))[0]

        assert problem.trouble is Trouble.CONNECTION
        assert "No connection" in str(problem)

    def test_follows_no_redirect(self):
        with serving.in_thread() as server:
            moved = http(307, head=f"Location: {server.url}/chat/completions\r\n")
            with answering(moved) as (url, _heard):
                problem = ask(config(url))[0]
            assert server.counts()["calls"] == 0

        assert problem.trouble is Trouble.REFUSED_ADDRESS

    def test_is_an_address_that_may_not_be_asked(self):
        with serving.in_thread() as server:
            problem = ask(config(server.url, networks=()))[0]
            assert server.counts()["calls"] == 0

        assert problem.trouble is Trouble.REFUSED_ADDRESS
        assert "EVALSITE_ENDPOINT_NETWORKS" in str(problem)

    @pytest.mark.parametrize(
        ("body", "head"),
        [
            (b" " * (guarded.MAX_BYTES + 1), ""),
            (gzip.compress(os.urandom(guarded.MAX_PACKED + 1)), "Content-Encoding: gzip\r\n"),
        ],
    )
    def test_comes_before_a_reply_has_filled_the_memory(self, body, head):
        with answering(http(200, body, head)) as (url, _heard):
            problem = ask(config(url))[0]

        assert problem.trouble is Trouble.CONNECTION

    def test_is_the_systems_own_where_it_plays_the_candidate(self):
        asked = Request(Role.CANDIDATE, (Message("user", "Hello"),))
        with answering(http(200, b'{"choices": [{"message": {"content": ""}}]}')) as (url, _heard):
            problem = ask(config(url), asked)[0]

        assert not isinstance(problem, MachineryFailed)
        assert problem.trouble is Trouble.EMPTY


class TestKey:
    def test_is_sent_and_no_other_of_the_environment(self, monkeypatch):
        for name in ("OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
            monkeypatch.setenv(name, "ambient")
        monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-More: ambient\nAuthorization: ambient")
        monkeypatch.setenv("OPENAI_BASE_URL", "http://ambient.example")
        monkeypatch.setenv("HTTP_PROXY", "http://ambient.example:1")
        with answering(http(500)) as (url, heard):
            ask(config(url))
            ask(config(url, key=KEY))

        assert b"ambient" not in b"".join(heard)
        assert b"Bearer none" in heard[0]
        assert f"Bearer {KEY}".encode() in heard[1]

    @pytest.mark.parametrize(
        "raw",
        [
            http(401, b'{"error": {"message": "Incorrect API key: canary-4711-do-not-show"}}'),
            http(401, b'{"error": {"message": "Incorrect API key: canary-4***********show"}}'),
            http(400, b'{"error": {"message": "Bearer canary-4711-do-not-show is odd"}}'),
            http(400, b'{"error": "canary-4711-do-not-show"}'),
            http(429, b'{"error": {"message": "canary-4711", "code": "insufficient_quota"}}'),
            http(500, b"canary-4711-do-not-show"),
            http(200, b'{"error": {"message": "canary-4711-do-not-show"}}'),
            http(
                200, b'{"error": {"message": "canary-4711-do-not-show", "code": "invalid_api_key"}}'
            ),
            http(200, b"canary-4711-do-not-show"),
            http(302, head="Location: http://canary-4711-do-not-show.example/\r\n"),
            b"canary-4711-do-not-show\r\n\r\n",
            b"HTTP/1.1 200 canary-4711-do-not-show\r\nContent-Length: x\r\n\r\n",
        ],
    )
    def test_is_in_no_error_and_no_log(self, raw, caplog):
        caplog.set_level(logging.DEBUG)
        with answering(raw) as (url, _heard):
            problem = ask(config(url, key=KEY))[0]

        told = "".join(traceback.format_exception(problem))
        assert isinstance(problem, Failed)
        assert "canary" not in str(problem) + repr(problem) + told
        assert "canary-4711" not in caplog.text

    def test_is_in_no_reply(self):
        said = b'{"choices": [{"message": {"content": "It is canary-4711-do-not-show."}}]}'
        with answering(http(200, said)) as (url, _heard):
            reply = ask(config(url, key=KEY))[0]

        assert reply.text == "It is [key]."

    def test_that_cannot_be_sent_is_not_shown_either(self, caplog):
        caplog.set_level(logging.DEBUG)
        with answering(http(500)) as (url, _heard):
            problem = ask(config(url, key=f"{KEY}\nX-More: 1"))[0]

        assert "canary" not in "".join(traceback.format_exception(problem)) + caplog.text


class TestLearning:
    def test_of_a_limit_is_remembered_and_told(self):
        behaviour = behaving.BEHAVIOURS["wants_max_completion_tokens"]
        with behaving.behaving(behaviour, "Four.") as stub:
            replies = ask(config(stub.url), request("a", max_tokens=9), request("b", max_tokens=9))

        assert [one.text for one in replies] == ["Four.", "Four."]
        assert {one.notes["limit_name"] for one in replies} == {"max_completion_tokens"}
        assert [sorted(one.keys() & {"max_tokens", "max_completion_tokens"}) for one in stub.bodies] == [
            ["max_tokens"], ["max_completion_tokens"], ["max_completion_tokens"],
        ]  # fmt: skip

    def test_of_a_limit_serves_those_that_were_asked_before_it_was_learnt(self):
        learnt = openai_client.Learnt()
        refused = Failed(Trouble.BAD_REQUEST, "Use max_completion_tokens in place of max_tokens.")

        assert [learnt.learn({"max_tokens": 9}, refused) for _call in range(3)] == [True] * 3
        assert not learnt.learn({"max_completion_tokens": 9}, refused)

    def test_of_refused_parameters_leaves_them_out_and_says_so(self):
        behaviour = behaving.BEHAVIOURS["refuses_all_of_it"]
        with behaving.behaving(behaviour, "Four.") as stub:
            (reply,) = ask(config(stub.url), request(temperature=0.0, seed=1, top_p=0.9))

        assert reply.notes["left_out"] == "seed, temperature, top_p"
        assert len(stub.bodies) == 4

    def test_ends_where_a_value_is_refused_and_not_the_parameter(self):
        refusal = behaving.error(400, "temperature: must be at most 1")
        with behaving.behaving(lambda *_asked: refusal, "Four.") as stub:
            (failed,) = ask(config(stub.url), request(temperature=1.5))

        assert failed.trouble is Trouble.BAD_REQUEST
        assert "at most 1" in str(failed)
        assert len(stub.bodies) == 1

    def test_does_not_go_in_circles(self):
        refusal = behaving.error(400, "max_tokens or max_completion_tokens, both unsupported.")
        with behaving.behaving(lambda *_asked: refusal, "Four.") as stub:
            (failed,) = ask(config(stub.url), request(max_tokens=9))

        assert failed.trouble is Trouble.BAD_REQUEST
        assert len(stub.bodies) == 2


class TestHeaders:
    def test_that_look_like_keys_are_in_no_reply_and_no_message(self):
        secret = "another-canary-to-hide"
        given = {"X-Api-Key": secret, "anthropic-version": "2023-06-01"}
        text = f"{secret} since 2023-06-01"
        with behaving.behaving(lambda _sent, good, _nth: behaving.chat(good), text) as stub:
            (reply,) = ask(config(stub.url, headers=given))
        with behaving.behaving(lambda *_asked: behaving.error(400, text), "") as stub:
            (failed,) = ask(config(stub.url, headers=given))

        assert reply.text == "[key] since 2023-06-01"
        assert secret not in str(failed)
        assert "2023-06-01" in str(failed)
        assert "authorization" not in stub.headers[0]
        assert stub.headers[0]["x-api-key"] == secret
        assert secret not in repr(config(stub.url, headers=given))
