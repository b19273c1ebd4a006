"""The worker as gunicorn runs it: what visitors can do to it, over real lines."""

import contextlib
import hashlib
import http.client
import os
import signal
import socket
import subprocess
import sys
import time

import pytest

from evalsite import env

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]

N_THREADS = 2
#: As the application has it, which cannot be imported: it changes the settings of the front.
PATIENCE = 5


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    options = {
        "worker-class": "evalsite.front.worker.Worker",
        "threads": str(N_THREADS),
        "bind": f"127.0.0.1:{port}",
        "worker-connections": "60",
        "graceful-timeout": "5",
        "log-level": "error",
    }
    argv = [sys.executable, "-m", "gunicorn", "tests.evalsite.front.app", "--no-control-socket"]
    argv += [word for name, value in options.items() for word in (f"--{name}", value)]
    environ = {**os.environ, "EVALSITE_DATA": str(tmp_path_factory.mktemp("data"))}
    environ["DJANGO_SETTINGS_MODULE"] = "evalsite.settings"
    process = subprocess.Popen(argv, cwd=env.BASE_DIR, env=environ)
    try:
        deadline = time.monotonic() + 60
        while not answers(port):
            assert time.monotonic() < deadline
            time.sleep(0.2)
        process.port = port  # type: ignore[attr-defined]
        yield process
    finally:
        process.terminate()
        process.wait(20)


@pytest.fixture
def port(server):
    return server.port


@pytest.fixture
def lines(port):
    """Make lines to the server that send something and then wait."""
    with contextlib.ExitStack() as stack:

        def make(n, sent, **options):
            made = []
            for _line in range(n):
                line = stack.enter_context(socket.socket())
                if "reads" in options:
                    line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, options["reads"])
                line.settimeout(10)
                line.connect(("127.0.0.1", port))
                line.sendall(sent)
                made.append(line)
            return made

        yield make


def answers(port):
    with contextlib.suppress(OSError, http.client.HTTPException):
        return ask(port, "GET", "/")[0] == 200
    return False


def ask(port, method, path, body=None, **headers):
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    with contextlib.closing(line):
        line.request(method, path, body, headers)
        answer = line.getresponse()
        return answer.status, answer.read()


def is_quick(port):
    """Return whether somebody gets an answer before anybody else can have been cut off."""
    began = time.monotonic()
    return answers(port) and time.monotonic() - began < PATIENCE - 1.5


def all_of(line):
    found = b""
    with contextlib.suppress(TimeoutError):
        while piece := line.recv(65_536):
            found += piece
    return found


class TestASlowVisitor:
    def test_who_sends_a_body_byte_by_byte_holds_no_thread(self, port, lines):
        slow = lines(20, b"POST /digest HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\nx")

        assert is_quick(port)
        assert all_of(slow[0]).startswith(b"HTTP/1.1 408 ")

    def test_who_sends_a_head_byte_by_byte_holds_no_thread(self, port, lines):
        slow = lines(20, b"GET / HTTP/1.1\r\nHo")

        assert is_quick(port)
        assert all_of(slow[0]).startswith(b"HTTP/1.1 408 ")

    def test_who_does_not_read_holds_no_thread_and_is_cut_off(self, port, lines):
        slow = lines(3, b"GET /big HTTP/1.1\r\nHost: a\r\n\r\n", reads=4096)
        time.sleep(1)

        assert is_quick(port)
        time.sleep(PATIENCE + 1)
        assert len(all_of(slow[0])) < 65_536 * 400

    def test_who_does_not_hang_up_holds_up_nobody(self, port, lines):
        lines(5, b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")

        assert is_quick(port)

    def test_with_more_lines_than_there_may_be_keeps_nobody_out(self, port, lines):
        lines(70, b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        assert is_quick(port)
        lines(70, b"")
        assert is_quick(port)
        lines(70, b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n")
        assert is_quick(port)

    def test_with_more_requests_than_there_may_be_lines_keeps_nobody_else_out(self, port, lines):
        waiting = lines(70, b"GET /pause HTTP/1.1\r\nHost: a\r\n\r\n" * 3)

        began = time.monotonic()
        elsewhere = http.client.HTTPConnection(
            "127.0.0.1", port, timeout=10, source_address=("127.0.0.2", 0)
        )
        with contextlib.closing(elsewhere):
            elsewhere.request("GET", "/x")
            assert elsewhere.getresponse().status == 200
        assert time.monotonic() - began < 2

        for one in waiting:
            one.close()
        deadline = time.monotonic() + 60  # what they asked for is done before the next test
        while not is_quick(port):
            assert time.monotonic() < deadline


class TestABody:
    @pytest.mark.parametrize("size", [0, 10, 300_000, 1024 * 1024])
    def test_arrives_as_it_was_sent(self, port, size):
        body = os.urandom(size)

        assert ask(port, "POST", "/digest", body) == (
            200,
            hashlib.sha256(body).hexdigest().encode(),
        )

    def test_that_is_large_is_taken_of_somebody_known(self, port):
        body = os.urandom(3_000_000)

        status, found = ask(port, "POST", "/digest", body, Authorization="known")

        assert (status, found) == (200, hashlib.sha256(body).hexdigest().encode())

    @pytest.mark.parametrize("headers", [b"", b"Authorization: whoever\r\n"])
    def test_that_is_large_is_refused_of_anybody_else_before_it_is_sent(self, lines, headers):
        head = b"POST /digest HTTP/1.1\r\nHost: a\r\n" + headers
        (line,) = lines(1, head + b"Content-Length: 3000000\r\nExpect: 100-continue\r\n\r\n")

        found = all_of(line)

        assert found.startswith(b"HTTP/1.1 413 ")
        assert found.endswith(b"refused")

    def test_that_is_expected_is_asked_for_once(self, lines):
        (line,) = lines(
            1,
            b"POST /digest HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nConnection: close\r\n"
            b"Expect: 100-continue\r\n\r\n",
        )
        assert line.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
        line.sendall(b"ab")

        assert all_of(line).startswith(b"HTTP/1.1 200 OK")

    def test_in_chunks_is_refused_in_words(self, lines):
        head = b"POST /digest HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
        (line,) = lines(1, head + b"1\r\na\r\n0\r\n\r\n")

        assert all_of(line).startswith(b"HTTP/1.1 411 ")


class TestALine:
    def test_is_kept_for_the_next_request(self, port):
        line = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        with contextlib.closing(line):
            for path in ("/a", "/b", "/c"):
                line.request("GET", path)
                assert line.getresponse().read() == path.encode()

    def test_may_carry_many_requests_at_once(self, lines):
        asked = b"".join(b"GET /%d HTTP/1.1\r\nHost: a\r\n\r\n" % n for n in range(50))
        (line,) = lines(1, asked + b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")

        found = all_of(line)

        assert found.count(b"HTTP/1.1 200 OK") == 51
        assert [found.find(b"\r\n\r\n/%d" % n) > 0 for n in range(50)] == [True] * 50

    def test_answers_head_without_a_body(self, lines):
        (line,) = lines(1, b"HEAD /abc HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")

        found = all_of(line)

        assert b"Content-Length: 4\r\n" in found
        assert found.endswith(b"\r\n\r\n")

    def test_whose_lengths_differ_is_not_read_on(self, lines):
        head = b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nContent-Length: 1\r\n\r\nabcd"
        (line,) = lines(1, head + b"GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n")

        found = all_of(line)

        assert found.startswith(b"HTTP/1.1 400 ")
        assert b"/smuggled" not in found

    def test_whose_answer_breaks_is_closed_without_an_end(self, lines):
        (line,) = lines(1, b"GET /broken HTTP/1.1\r\nHost: a\r\n\r\n")

        assert all_of(line).endswith(b"\r\n5\r\nbegun\r\n")

    def test_gets_a_long_answer_whole(self, port):
        assert len(ask(port, "GET", "/big")[1]) == 65_536 * 400


class TestStopping:
    def test_finishes_the_request_in_hand(self, server, port, lines):
        # The last of this module: afterwards a fresh worker takes over.
        (line,) = lines(1, b"GET /slow HTTP/1.1\r\nHost: a\r\n\r\n")
        time.sleep(0.5)
        server.send_signal(signal.SIGHUP)

        assert all_of(line).endswith(b"/slow")
        deadline = time.monotonic() + 30
        while not answers(port):
            assert time.monotonic() < deadline
            time.sleep(0.2)
