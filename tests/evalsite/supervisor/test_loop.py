import sys
import time

import pytest

from evalsite.supervisor import children
from evalsite.supervisor import places as refusals
from evalsite.supervisor import site as loop

SLEEP = [sys.executable, "-S", "-c", "import time; time.sleep(60)"]
STUBBORN = [
    sys.executable,
    "-S",
    "-c",
    "import signal, time; signal.signal(15, signal.SIG_IGN); print('up', flush=True); time.sleep(60)",
]

NOTING = [
    sys.executable,
    "-S",
    "-c",
    """
import signal, sys, time
def note(*_):
    with open(sys.argv[1], "a") as file:
        file.write(sys.argv[2] + " ")
    sys.exit()
signal.signal(15, note)
print("up", flush=True)
time.sleep(60)
""",
]


def wait_for_word(word, *waited_for):
    while not all(word in child.last_lines() for child in waited_for):
        time.sleep(0.02)


@pytest.fixture
def make(tmp_path):
    made: list[children.ChildProcess] = []

    def making(name, argv):
        made.append(children.ChildProcess(name, argv, tmp_path / f"{name}.log"))
        return made[-1]

    yield making
    for child in made:
        child.kill()


def mend_without_pauses(supervisor):
    while True:
        supervisor.mend()
        for child in supervisor.children:
            if child.exits:
                child.exits[-1] -= children.PAUSE
        time.sleep(0.01)


class TestSupervisor:
    def test_starts_what_it_is_given(self, make):
        supervisor = loop.Supervisor([[make("a", SLEEP)], [make("b", SLEEP)]], print)

        supervisor.mend()

        assert all(child.is_alive for child in supervisor.children)

    def test_starts_again_what_ended(self, make):
        said: list[str] = []
        child = make("a", SLEEP)
        supervisor = loop.Supervisor([[child]], said.append)
        supervisor.mend()
        child.kill()
        supervisor.mend()
        child.exits[-1] -= children.PAUSE

        supervisor.mend()

        assert child.is_alive
        assert "'a' ended and is started again" in said[0]

    def test_gives_up_on_what_ends_at_once_and_names_the_log(self, make):
        child = make("a", [sys.executable, "-S", "-c", "print('no such table')"])
        supervisor = loop.Supervisor([[child]], lambda text: None)

        with pytest.raises(refusals.GaveUp) as refusal:
            mend_without_pauses(supervisor)

        assert str(child.log) in refusal.value.message
        assert "no such table" in refusal.value.message

    def test_stops_the_last_group_first(self, make, tmp_path):
        ended = tmp_path / "ended"
        first, last = (make(name, [*NOTING, str(ended), name]) for name in ("first", "last"))
        supervisor = loop.Supervisor([[first], [last]], print)
        supervisor.mend()
        wait_for_word("up", first, last)

        supervisor.stop()

        assert ended.read_text().split() == ["last", "first"]
        assert not any(child.is_alive for child in supervisor.children)

    def test_stops_at_once_when_asked_twice(self, make):
        child = make("a", STUBBORN)
        supervisor = loop.Supervisor([[child]], print, cold_patience=0.2)
        supervisor.mend()
        wait_for_word("up", child)
        supervisor.request_stop()
        supervisor.request_stop()
        supervisor.stop()

        assert not child.is_alive

    def test_announces_once_when_the_site_answers(self, make):
        supervisor = loop.Supervisor([[make("a", SLEEP)]], print)
        announced: list[int] = []
        answers = iter([False, True, True, True])

        def is_ready():
            return next(answers)

        def announce():
            announced.append(1)
            supervisor.request_stop()

        supervisor.watch(is_ready=is_ready, announce=announce)

        assert announced == [1]
