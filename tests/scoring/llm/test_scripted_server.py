import http.client
import json
import socket
import time
from contextlib import closing, contextmanager

import pytest

from scoring.llm.scripted import server as scripted_server
from tests.scoring.llm import serving

CHAT = "/v1/chat/completions"
BODY = {"model": "m", "messages": [{"role": "user", "content": "Why is there a rainbow?"}]}
SCORE = {
    "type": "object",
    "properties": {"score": {"type": "integer", "minimum": 1, "maximum": 4}},
}


@contextmanager
def connected(served, timeout=10):
    with closing(http.client.HTTPConnection("127.0.0.1", served.port, timeout=timeout)) as it:
        yield it


@contextmanager
def connected_raw(served):
    with closing(socket.create_connection(("127.0.0.1", served.port), timeout=10)) as line:
        yield line


def ask(served, body, path=CHAT, key=""):
    with connected(served) as connection:
        return ask_by(connection, body, path, key)


def ask_by(connection, body, path=CHAT, key=""):
    method, raw = ("GET", None) if body is None else ("POST", json.dumps(body))
    connection.request(method, path, raw, {"Authorization": f"Bearer {key}"})
    answer = connection.getresponse()
    return answer.status, answer.headers, answer.read()


def said(served, body, **kwargs):
    status, _, raw = ask(served, body, **kwargs)
    assert status == 200
    return json.loads(raw)


class TestAServer:
    def test_answers_as_the_script_does(self):
        with serving.in_thread({"seed": 5}) as served:
            first, again = said(served, BODY), said(served, BODY)

        assert first == again
        assert first["choices"][0]["message"]["content"]
        assert first["usage"]["total_tokens"] > 0
        assert first["system_fingerprint"] == "scripted-5"

    def test_keeps_a_connection_for_many_requests(self):
        with serving.in_thread() as served:
            with connected(served) as connection:
                assert ask_by(connection, BODY)[0] == 200
                first = connection.sock
                assert ask_by(connection, None, "/v1/models")[0] == 200
                assert ask_by(connection, BODY)[0] == 200
                assert connection.sock is first

            assert served.counts()["calls"] == 2

    def test_holds_a_reply_to_a_schema_and_gives_log_probabilities(self):
        wanted = {"type": "json_schema", "json_schema": {"name": "x", "schema": SCORE}}
        body = {**BODY, "response_format": wanted, "logprobs": True, "top_logprobs": 5}

        with serving.in_thread() as served:
            choice = said(served, body)["choices"][0]

        assert json.loads(choice["message"]["content"])["score"] in {1, 2, 3, 4}
        tokens = choice["logprobs"]["content"]
        assert "".join(one["token"] for one in tokens) == choice["message"]["content"]
        assert all(len(one["top_logprobs"]) <= 5 for one in tokens)

    def test_gives_as_many_samples_as_asked_for(self):
        with serving.in_thread() as served:
            several = said(served, {**BODY, "n": 3})["choices"]
        with serving.in_thread(several=False) as served:
            single = said(served, {**BODY, "n": 3})["choices"]

        assert [one["index"] for one in several] == [0, 1, 2]
        assert len({one["message"]["content"] for one in several}) > 1
        assert len(single) == 1

    def test_repeats_a_prompt_with_its_log_probabilities(self):
        body = {"prompt": "A plain text.", "echo": True, "max_tokens": 0, "logprobs": 1}

        with serving.in_thread() as served:
            choice = said(served, body, path="/v1/completions")["choices"][0]

        found = choice["logprobs"]
        assert "".join(found["tokens"]) == choice["text"] == body["prompt"]
        assert found["token_logprobs"][0] is None
        assert all(one < 0 for one in found["token_logprobs"][1:])

    @pytest.mark.parametrize(
        ("options", "body", "status", "code"),
        [
            ({}, {"messages": 3}, 400, "invalid_request_error"),
            ({}, [], 400, "invalid_request_error"),
            ({}, {"messages": [{}]}, 400, "invalid_request_error"),
            (
                {},
                {**BODY, "response_format": {"type": "json_schema"}},
                400,
                "invalid_request_error",
            ),
            ({}, {**BODY, "stream": True}, 400, "invalid_request_error"),
            ({"key": "right"}, BODY, 401, "invalid_api_key"),
            ({"context_length": 5}, BODY, 400, "context_length_exceeded"),
            (
                {"max_tokens_name": "max_completion_tokens"},
                {**BODY, "max_tokens": 9},
                400,
                "unsupported_parameter",
            ),
            (
                {"script": {"schema": False}},
                {**BODY, "response_format": {"type": "json_object"}},
                400,
                "invalid_request_error",
            ),
        ],
    )
    def test_refuses_what_it_does_not_offer(self, options, body, status, code):
        with serving.in_thread(**options) as served:
            got, _, raw = ask(served, body)

        assert (got, json.loads(raw)["error"]["code"]) == (status, code)

    def test_takes_the_right_key(self):
        with serving.in_thread(key="right") as served:
            assert ask(served, BODY, key="right")[0] == 200

    def test_refuses_more_requests_at_once_than_it_allows(self):
        with serving.in_thread(at_once=0) as served:
            status, headers, _ = ask(served, BODY)

        assert (status, headers["Retry-After"]) == (429, "1")


class TestAConnection:
    """Read byte by byte, as anything may arrive."""

    @pytest.mark.parametrize(
        ("sent", "status"),
        [
            (b"GET /v1/models HTTP/1.1\r\n\r\n", b"200"),
            (b"GET /v1/other HTTP/1.1\r\n\r\n", b"404"),
            (b"POST /v1/other HTTP/1.1\r\nContent-Length: 0\r\n\r\n", b"404"),
            (b"POST /_plan HTTP/1.1\r\nContent-Length: 2\r\n\r\n[]", b"400"),
            (b"POST /v1/x HTTP/1.1\r\nContent-Length: x\r\n\r\n", b"400"),
            (b"POST /v1/x HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", b"400"),
            (b"POST /v1/x HTTP/1.1\r\nContent-Length: 99999999\r\n\r\n", b"413"),
            (b"nonsense\r\n\r\n", b"400"),
            (b"x" * 70_000, b"431"),
        ],
    )
    def test_answers_whatever_comes(self, sent, status):
        with serving.in_thread() as served, connected_raw(served) as line:
            line.sendall(sent)

            assert line.recv(4096).split(b" ")[1] == status

    def test_waits_for_the_whole_of_a_request(self):
        raw = json.dumps(BODY).encode()
        head = f"POST {CHAT} HTTP/1.1\r\nContent-Length: {len(raw)}\r\n\r\n".encode()

        with serving.in_thread() as served, connected_raw(served) as line:
            for piece in (head[:9], head[9:], raw[:7], raw[7:]):
                line.sendall(piece)
                time.sleep(0.02)

            assert line.recv(4096).startswith(b"HTTP/1.1 200 OK")

    def test_answers_two_requests_that_came_together(self):
        asked = b"GET /v1/models HTTP/1.1\r\nConnection: %b\r\n\r\n"

        with serving.in_thread() as served, connected_raw(served) as line:
            line.sendall(asked % b"keep-alive" + asked % b"close")
            got = b"".join(iter(lambda: line.recv(4096), b""))  # until it is closed

        assert got.count(b"HTTP/1.1 200 OK") == 2


class TestFaults:
    @pytest.mark.parametrize(
        ("fault", "check"),
        [
            ("429", lambda status, raw: status == 429),
            ("500", lambda status, raw: status == 500),
            ("garbage", lambda status, raw: status == 200 and not _is_json(raw)),
            ("error_body", lambda status, raw: not json.loads(raw).get("choices")),
            (
                "truncated",
                lambda status, raw: json.loads(raw)["choices"][0]["finish_reason"] == "length",
            ),
        ],
    )
    def test_come_by_plan_and_are_counted(self, fault, check):
        with serving.in_thread(faults={fault: 1}) as served:
            status, _, raw = ask(served, BODY)
            counts = served.counts()

        assert check(status, raw)
        assert counts["faults"] == {fault: 1}
        assert counts["replies"] == 0

    def test_truncate_an_echo_too(self):
        body = {"prompt": "A plain text.", "echo": True, "max_tokens": 0}

        with serving.in_thread(faults={"truncated": 1}) as served:
            assert said(served, body, path="/v1/completions")["choices"][0]["text"]

    def test_can_drop_a_connection(self):
        with serving.in_thread(faults={"drop": 1}) as served:
            for number in range(9):  # each in one of three ways
                with pytest.raises((http.client.HTTPException, OSError)):
                    ask(served, {**BODY, "seed": number})

    def test_can_hang_until_the_caller_goes(self):
        with serving.in_thread(faults={"hang": 1}) as served:
            with connected(served, timeout=0.2) as connection:
                with pytest.raises(TimeoutError):
                    ask_by(connection, BODY)
                assert served.counts()["in_flight"] == 1
            _until(lambda: served.counts()["in_flight"] == 0)

    def test_can_be_slow(self):
        with serving.in_thread(faults={"slow": 1, "slow_seconds": 0.2}) as served:
            began = time.perf_counter()
            status, _, _ = ask(served, BODY)

        assert status == 200
        assert time.perf_counter() - began >= 0.2

    def test_are_the_same_for_the_same_requests_in_the_same_order(self):
        plan = {"429": 0.3, "500": 0.3}

        def statuses():
            with serving.in_thread(faults=plan) as served:
                return [ask(served, {**BODY, "seed": number})[0] for number in (1, 2, 3, 1, 2, 3)]

        assert statuses() == statuses()
        assert len(set(statuses())) > 1

    def test_end_where_the_plan_says_so(self):
        with serving.in_thread(faults={"500": 1, "at_most": 2}) as served:
            assert [ask(served, BODY)[0] for _ in range(3)] == [500, 500, 200]

    def test_can_be_changed_while_it_runs(self):
        with serving.in_thread() as served:
            served.plan(**{"500": 1})
            assert ask(served, BODY)[0] == 500
            served.reset()
            assert served.counts()["calls"] == 0


class TestCounts:
    def test_say_how_many_were_in_flight_and_which_requests_came_again(self):
        with serving.in_thread({"latency": 200}) as served:
            with connected(served) as one, connected(served) as two, connected(served) as three:
                for connection in (one, two, three):
                    connection.request("POST", CHAT, json.dumps(BODY))
                for connection in (one, two, three):
                    assert connection.getresponse().status == 200
            counts = served.counts()

        assert (counts["calls"], counts["peak"], counts["in_flight"]) == (3, 3, 0)
        assert list(counts["requests"].values()) == [3]


class TestServe:
    def test_serves_as_a_process_of_its_own(self):
        with serving.as_process({"seed": 2}, {"500": 0.0}) as served:
            assert said(served, BODY)["system_fingerprint"] == "scripted-2"


class TestOptionsOf:
    @pytest.mark.parametrize(
        "wrong",
        [{"faults": "500=2"}, {"faults": "oops=0.1"}, {"faults": "500"}, {"script": '{"x": 1}'}],
    )
    def test_refuses_what_there_is_not(self, wrong):
        given = {"script": "{}", "faults": "", "key": "", "context_length": None, "at_once": None}

        with pytest.raises(ValueError, match=r"fault|Faults|script|shares"):
            scripted_server.options_of({**given, **wrong})


def _is_json(raw):
    try:
        json.loads(raw)
    except ValueError:
        return False
    return True


def _until(true, seconds=5):
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.01)
