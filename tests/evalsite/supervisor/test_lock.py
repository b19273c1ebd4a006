import os
import subprocess
import sys

import pytest

from evalsite.supervisor import places


class TestHeld:
    def test_says_who_holds_it(self, tmp_path):
        with places.held(tmp_path / "up.lock"):
            assert (tmp_path / "up.lock").read_text() == f"{os.getpid()}\n"

    def test_refuses_a_second_and_names_the_first(self, tmp_path):
        path = tmp_path / "up.lock"

        with places.held(path):
            with pytest.raises(places.AlreadyRunning) as refusal, places.held(path):
                pass

            assert f"process {os.getpid()}" in refusal.value.message
            assert path.read_text() == f"{os.getpid()}\n"

    def test_is_free_again_afterwards(self, tmp_path):
        for _ in range(2):
            with places.held(tmp_path / "up.lock"):
                pass

    def test_is_not_kept_by_what_was_started_meanwhile(self, tmp_path):
        with places.held(tmp_path / "up.lock"):
            child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
        with child, places.held(tmp_path / "up.lock"):
            child.communicate(b"\n")

    def test_refuses_a_place_that_cannot_be_written(self, tmp_path):
        with (
            pytest.raises(places.CannotStart, match="EVALSITE_DATA"),
            places.held(tmp_path / "no" / "up.lock"),
        ):
            pass
