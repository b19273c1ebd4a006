import stat
from pathlib import Path

import pytest

from evalsite.supervisor import places


class TestLayOut:
    def test_makes_folders_that_are_closed_to_others(self, tmp_path):
        here = places.SitePlaces(tmp_path / "var")

        places.lay_out(here)

        assert here.logs.is_dir()
        for folder in (here.data, here.socket.parent):
            assert stat.S_IMODE(folder.stat().st_mode) == 0o700

    def test_closes_the_sockets_folder_if_it_was_open(self, tmp_path):
        (tmp_path / "valkey").mkdir(mode=0o755)

        places.lay_out(places.SitePlaces(tmp_path))

        assert stat.S_IMODE((tmp_path / "valkey").stat().st_mode) == 0o700

    def test_refuses_what_cannot_be_written_and_says_the_remedy(self, tmp_path):
        (tmp_path / "var").write_text("a file in the way")

        with pytest.raises(places.CannotStart) as refusal:
            places.lay_out(places.SitePlaces(tmp_path / "var"))

        assert str(tmp_path / "var") in refusal.value.message
        assert "EVALSITE_DATA" in refusal.value.message


class TestCheckSocketPath:
    def test_allows_a_usual_path(self):
        places.check_socket_path(Path("/srv/evalsite/var/valkey/valkey.sock"))

    def test_refuses_one_that_would_be_cut(self):
        with pytest.raises(places.CannotStart, match="shorter path in EVALSITE_DATA"):
            places.check_socket_path(Path("/" + "ä" * 60 + "/valkey.sock"))
