"""Lanes are processes: each test runs a small program that makes some."""

import signal
import subprocess
import sys
import time

import pytest

from evalsite import env

PROGRAM = """
import os, signal, sys, time
from evalsite import lanes

lanes.PAUSE = 0.05

def say(text):
    os.write(1, f"{text}\\n".encode())  # in one piece

def deed(name):
    stopped = []
    signal.signal(signal.SIGTERM, lambda *_: stopped.append(1))
    say(f"{name} {os.getpid()} {os.getppid()}")
    if name == "brief":
        return
    if name == "broken":
        raise ValueError
    while not stopped:
        time.sleep(0.02)
    say(f"ended {name}")

lanes.Lanes(sys.argv[1:], deed).run()
"""


@pytest.fixture
def lanes():
    running = []

    def start(*names):
        process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, *names],
            cwd=env.BASE_DIR,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        running.append(process)
        return process

    yield start
    for process in running:
        process.kill()
        process.communicate()


def said(process, n):
    return [process.stdout.readline().split() for _line in range(n)]


class TestLanes:
    def test_are_a_process_for_each_name(self, lanes):
        process = lanes("short", "long", "long")
        lines = said(process, 3)

        assert sorted(name for name, _pid, _parent in lines) == ["long", "long", "short"]
        assert len({pid for _name, pid, _parent in lines}) == 3
        assert {int(parent) for _name, _pid, parent in lines} == {process.pid}

    def test_stop_all_when_asked(self, lanes):
        process = lanes("short", "long")
        said(process, 2)
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=20)

        assert sorted(out.split()) == ["ended", "ended", "long", "short"]
        assert (process.returncode, err) == (0, "")

    def test_start_one_again_that_ended(self, lanes):
        process = lanes("short")
        ((_name, first, _parent),) = said(process, 1)
        subprocess.run(["kill", "-9", first], check=True)
        ((name, second, _parent),) = said(process, 1)

        assert name == "short"
        assert second != first

    @pytest.mark.parametrize("name", ["brief", "broken"])
    def test_give_up_on_what_ends_again_and_again(self, lanes, name):
        _out, err = lanes("short", name).communicate(timeout=30)

        assert f"The worker '{name}' ends again and again." in err

    @pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells children")
    def test_end_with_their_parent(self, lanes):
        process = lanes("short")
        said(process, 1)
        process.kill()

        assert said(process, 1) == [["ended", "short"]]
        time.sleep(0.1)
