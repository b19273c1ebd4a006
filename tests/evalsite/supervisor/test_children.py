import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from evalsite.supervisor import children

SLEEP = [sys.executable, "-c", "import time; print('up'); time.sleep(60)"]


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def start(tmp_path):
    started: list[children.ChildProcess] = []

    def starting(argv, **options):
        child = children.ChildProcess("test", argv, tmp_path / "test.log", **options)
        started.append(child)
        child.start()
        return child

    yield starting
    for child in started:
        child.kill()


def wait_for(condition):
    deadline = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


class TestChild:
    def test_writes_to_its_log(self, start):
        child = start(
            [sys.executable, "-c", "import sys; print('out'); print('err', file=sys.stderr)"]
        )

        wait_for(lambda: not child.is_alive)

        assert sorted(child.last_lines().splitlines()) == ["err", "out"]

    def test_runs_in_a_session_of_its_own(self, start):
        child = start(SLEEP)

        assert os.getsid(child.process.pid) == child.process.pid

    def test_ends_when_asked(self, start):
        child = start(SLEEP)
        wait_for(lambda: "up" in child.last_lines())

        child.ask_to_stop()

        assert child.process.wait(10) == -signal.SIGTERM

    def test_is_hopeless_after_five_exits_within_a_minute(self, tmp_path):
        clock = Clock()
        child = children.ChildProcess("test", ["true"], tmp_path / "test.log", clock=clock)
        for _ in range(5):
            clock.now += 10
            assert not child.is_hopeless
            child.note_exit()

        assert child.is_hopeless

    def test_is_not_hopeless_when_the_exits_are_far_apart(self, tmp_path):
        clock = Clock()
        child = children.ChildProcess("test", ["true"], tmp_path / "test.log", clock=clock)
        for _ in range(20):
            clock.now += 16
            child.note_exit()

        assert not child.is_hopeless

    def test_pauses_after_an_exit(self, tmp_path):
        clock = Clock()
        child = children.ChildProcess("test", ["true"], tmp_path / "test.log", clock=clock)
        child.note_exit()

        assert not child.is_due
        clock.now += children.PAUSE
        assert child.is_due

    def test_leaves_nothing_behind_when_it_was_killed(self, start):
        child = start(
            [
                sys.executable,
                "-c",
                "import subprocess, time; print(subprocess.Popen(['sleep', '60']).pid); time.sleep(60)",
            ]
        )
        wait_for(lambda: child.last_lines().strip().isdecimal())
        left = int(child.last_lines())
        wait_for(lambda: b"sleep" in _command_line(left))
        os.kill(child.process.pid, signal.SIGKILL)
        wait_for(lambda: not child.is_alive)
        assert _command_line(left)

        child.note_exit()

        wait_for(lambda: not _command_line(left))

    def test_turns_a_long_log_over(self, tmp_path, start):
        (tmp_path / "test.log").write_bytes(b"x" * (children.MAX_LOG_BYTES + 1))

        child = start([sys.executable, "-c", "print('new')"])
        wait_for(lambda: not child.is_alive)

        assert child.last_lines() == "new"
        assert (tmp_path / "test.log.1").stat().st_size > children.MAX_LOG_BYTES


@pytest.mark.skipif(
    sys.platform != "linux", reason="only Linux tells children of their parent's death"
)
class TestEndOrphan:
    def test_ends_what_a_supervisor_that_was_killed_has_left(self, tmp_path):
        log = tmp_path / "test.log"
        with subprocess.Popen(["sleep", "60"], start_new_session=True) as left:
            log.with_suffix(".pid").write_text(f"{left.pid}\n")
            next_one = children.ChildProcess("test", SLEEP, log)
            wait_for(lambda: b"sleep" in _command_line(left.pid))
            # As the system does it for one whose parent is gone.
            threading.Thread(target=left.wait).start()

            next_one.end_orphan(b"another command")
            assert left.poll() is None
            next_one.end_orphan(b"sleep")

            wait_for(lambda: left.poll() == -signal.SIGKILL)

    @pytest.mark.parametrize("said", ["", "no number", "999999999"])
    def test_minds_no_note_that_says_nothing(self, tmp_path, said):
        child = children.ChildProcess("test", SLEEP, tmp_path / "test.log")
        if said:
            child.pid_file.write_text(said)

        child.end_orphan(b"sleep")


@pytest.mark.skipif(
    sys.platform != "linux", reason="only Linux tells children of their parent's death"
)
class TestTether:
    def test_ends_a_worker_of_the_web_server_with_its_master(self, tmp_path):
        script = (
            "import os, signal, time, types\n"
            "from evalsite.supervisor import tether\n"
            "master = os.getpid()\n"
            "if os.fork() == 0:\n"
            "    signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
            "    tether.post_fork(None, types.SimpleNamespace(ppid=master))\n"
            "    print(os.getpid(), flush=True)\n"
            "time.sleep(60)"
        )
        with subprocess.Popen(
            [sys.executable, "-c", script], stdout=subprocess.PIPE, text=True
        ) as master:
            assert master.stdout
            worker = int(master.stdout.readline())
            assert _command_line(worker)

            master.kill()

            wait_for(lambda: not _command_line(worker))

    def test_ends_the_child_when_the_supervisor_is_killed(self, tmp_path):
        script = (
            "import sys, time; from pathlib import Path; from evalsite.supervisor import children\n"
            "child = children.ChildProcess('test', ['sleep', '60'], Path(sys.argv[1]))\n"
            "child.start(); print(child.process.pid, flush=True); time.sleep(60)"
        )
        supervisor = subprocess.Popen(
            [sys.executable, "-c", script, str(tmp_path / "test.log")],
            stdout=subprocess.PIPE,
            text=True,
        )
        with supervisor:
            assert supervisor.stdout
            pid = int(supervisor.stdout.readline())
            # The child is tethered once it has become the program.
            wait_for(lambda: b"sleep" in _command_line(pid))
            supervisor.kill()

            wait_for(lambda: not _command_line(pid))


def _command_line(pid: int) -> bytes:
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return file.read().split(b"\0")[0]
    except OSError:
        return b""
