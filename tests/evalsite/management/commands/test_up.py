import http.client
import os
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from evalsite import env

START_WITHIN = 120


@pytest.fixture
def data():
    folder = Path(
        tempfile.mkdtemp(prefix="ev")
    )  # pytest's own folders may be too long for a socket
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


@pytest.fixture
def up(data, port):
    """Run `manage.py up` in the data folder; give its process. What still runs is stopped at the end."""
    running: list[subprocess.Popen[str]] = []

    def starting(*arguments, **environment):
        changed = {
            "EVALSITE_DATA": str(data),
            "DJANGO_SETTINGS_MODULE": "evalsite.settings",
        } | environment
        keep = {
            name: value
            for name, value in os.environ.items()
            if name not in {"DATABASE_URL", "REDIS_URL"}
        }
        running.append(
            subprocess.Popen(
                [
                    sys.executable,
                    str(env.BASE_DIR / "manage.py"),
                    "up",
                    "--port",
                    str(port),
                    *arguments,
                ],
                env=keep | changed,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
        )
        return running[-1]

    yield starting
    for process in running:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        process.communicate(timeout=90)


def said_until(process, phrase):
    """Return what the process said up to the line that holds the phrase."""
    said = ""
    for line in process.stdout:
        said += line
        if phrase in line:
            return said
    pytest.fail(f"It ended before saying {phrase!r}:\n{said}")


def stop(process):
    process.send_signal(signal.SIGINT)
    rest, _ = process.communicate(timeout=90)
    return rest


def status(port, path="/login/"):
    # A web server that was just started listens before it answers.
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    line.request("GET", path)
    answer = line.getresponse()
    answer.read()
    line.close()
    return answer.status


def user_names(data):
    with sqlite3.connect(data / "db.sqlite3") as database:
        names = [row[0] for row in database.execute("SELECT username FROM annotation_user")]
    database.close()
    return names


def processes_of(data):
    """Return the command lines of this machine's processes that name the data folder."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if str(data) in words:
            found.append(words)
    return found


@pytest.mark.timeout(900)
class TestUp:
    @pytest.mark.nightly
    def test_runs_a_site_that_finds_its_data_again(self, up, data, port):
        first = up()
        said_until(first, "is running at")
        names = user_names(data)
        assert status(port) == 200
        assert (data / "address").read_text() == f"http://localhost:{port}/"
        assert sorted(path.stem for path in (data / "logs").glob("*.log")) == [
            "insight",
            "runs-1",
            "runs-2",
            "sweeper",
            "valkey",
            "web",
            "worker",
        ]

        assert "Stopped" in stop(first)
        assert first.returncode == 0
        assert processes_of(data) == []

        second = up()
        said_until(second, "is running at")
        assert status(port) == 200
        assert user_names(data) == names
        stop(second)

    @pytest.mark.nightly
    def test_refuses_a_second_start_in_one_sentence(self, up, data, port):
        said_until(up("--no-demo"), "is running at")

        second = up("--no-demo")
        said, _ = second.communicate(timeout=60)

        assert second.returncode == 1
        assert re.fullmatch(r"evalsite is already running for .* \(process \d+\)\. .*\n", said)
        assert status(port) == 200

    @pytest.mark.nightly
    def test_clears_up_after_a_supervisor_that_was_killed(self, up, data, port):
        first = up("--no-demo")
        said_until(first, "is running at")
        with socket.create_connection(("127.0.0.1", port)) as visitor:
            visitor.sendall(
                b"POST /login/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nx"
            )
            time.sleep(0.5)
            first.kill()
            first.communicate()

            said_until(up("--no-demo"), "is running at")

        assert status(port) == 200

    @pytest.mark.nightly
    def test_starts_a_web_server_again_that_was_killed(self, up, data, port):
        process = up("--no-demo")
        said_until(process, "is running at")
        (master,) = _children(process.pid, "gunicorn")
        with socket.create_connection(("127.0.0.1", port)) as visitor:
            # Somebody's request that is under way would keep the worker, and the port, for half a minute.
            visitor.sendall(
                b"POST /login/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nx"
            )
            time.sleep(0.5)
            os.kill(master, signal.SIGKILL)
            killed = time.monotonic()

            said_until(process, "'web' ended and is started again")
            while not _children(process.pid, "gunicorn") or not _listens(port):
                assert time.monotonic() < killed + 60
                time.sleep(0.1)

        assert status(port) == 200
        assert "Address already in use" not in (data / "logs/web.log").read_text()


@pytest.mark.nightly
class TestUpRefuses:
    def refusal(self, process):
        said, _ = process.communicate(timeout=60)
        assert process.returncode == 1
        assert "Traceback" not in said
        assert len(said.splitlines()) == 1
        return said

    def test_a_taken_port(self, up, port):
        with socket.create_server(("127.0.0.1", port)):
            assert f"Port {port} is taken" in self.refusal(up("--no-demo"))

    def test_a_data_folder_that_cannot_be_used(self, up, data):
        (data / "file").write_text("")

        said = self.refusal(up("--no-demo", EVALSITE_DATA=str(data / "file" / "var")))

        assert "EVALSITE_DATA" in said

    def test_a_queue_that_does_not_answer(self, up, data):
        assert "REDIS_URL" in self.refusal(up("--no-demo", REDIS_URL=f"unix://{data}/nothing.sock"))

    def test_a_socket_path_that_would_be_cut(self, up, data):
        long = data / ("x" * 120)

        assert "shorter path" in self.refusal(up("--no-demo", EVALSITE_DATA=str(long)))

    def test_an_unclear_setting(self, up):
        assert "DEBUG is 'perhaps'" in self.refusal(up("--no-demo", DEBUG="perhaps"))


def _listens(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def _children(parent, word):
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            fields = (path / "stat").read_text().rsplit(")", 1)[1].split()
            words = (path / "cmdline").read_bytes()
        except OSError:
            continue
        if int(fields[1]) == parent and word.encode() in words:
            found.append(int(path.name))
    return found
