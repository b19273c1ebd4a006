import shutil
import socket
import stat
import tempfile
from pathlib import Path

import pytest

from evalsite.supervisor import places
from evalsite.supervisor import site as valkey


@pytest.fixture
def here():
    folder = Path(
        tempfile.mkdtemp(prefix="ev")
    )  # pytest's own folders may be too long for a socket
    found = places.SitePlaces(folder)
    places.lay_out(found)
    yield found
    shutil.rmtree(folder)


@pytest.fixture
def running(here):
    child = valkey.child(here)
    child.start()
    valkey.wait_until_ready(child, here.socket)
    yield child
    child.kill()


class TestChild:
    def test_listens_on_a_socket_only_its_owner_may_use(self, here, running):
        assert valkey.answers(here.socket)
        assert stat.S_IMODE(here.socket.stat().st_mode) == 0o600
        assert running.argv[running.argv.index("--port") + 1] == "0"

    def test_writes_every_change_down(self, here, running):
        assert list(here.socket.parent.glob("appendonly*"))


class TestClearSocket:
    def test_removes_a_socket_without_a_server(self, here):
        with socket.socket(socket.AF_UNIX) as left:
            left.bind(str(here.socket))

        valkey.clear_socket(here.socket)

        assert not here.socket.exists()

    def test_ends_an_orphan(self, here, running):
        valkey.clear_socket(here.socket)

        assert running.process.wait(10) == 0
        assert not here.socket.exists()

    def test_does_nothing_where_there_is_nothing(self, here):
        valkey.clear_socket(here.socket)

    def test_refuses_what_cannot_be_removed(self, here):
        here.socket.mkdir()

        with pytest.raises(places.CannotStart, match="Remove it and start again"):
            valkey.clear_socket(here.socket)


class TestWaitUntilReady:
    def test_shows_the_log_of_a_server_that_ends(self, here):
        child = valkey.child(here)
        child.argv = [*child.argv, "--no-such-option", "1"]
        child.start()

        with pytest.raises(places.CannotStart, match="no-such-option"):
            valkey.wait_until_ready(child, here.socket)
