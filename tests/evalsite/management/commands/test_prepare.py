import stat

import pytest
from django.contrib.staticfiles import finders

from evalsite.management.commands import prepare
from evalsite.supervisor import places


@pytest.fixture
def static_root(settings, tmp_path):
    source = tmp_path / "source"
    source.mkdir()
    (source / "page.css").write_text("body { color: black }")
    settings.STATIC_ROOT = tmp_path / "static"
    settings.STATICFILES_DIRS = [source]
    settings.STATICFILES_FINDERS = ["django.contrib.staticfiles.finders.FileSystemFinder"]
    finders.get_finder.cache_clear()  # type: ignore[attr-defined]
    yield settings.STATIC_ROOT
    finders.get_finder.cache_clear()  # type: ignore[attr-defined]


class TestCollectStatic:
    def test_collects(self, static_root):
        prepare.collect_static()

        assert (static_root / "page.css").exists()

    def test_does_nothing_when_nothing_changed(self, static_root):
        prepare.collect_static()
        (static_root / "mark").write_text("still here")

        prepare.collect_static()

        assert (static_root / "mark").exists()

    def test_collects_anew_when_a_file_changed(self, static_root, tmp_path):
        prepare.collect_static()
        (static_root / "mark").write_text("still here")
        (tmp_path / "source" / "page.css").write_text("body { color: blue }")

        prepare.collect_static()

        assert not (static_root / "mark").exists()
        assert "blue" in (static_root / "page.css").read_text()


class TestKnownSite:
    """The link that makes the first account begins with it."""

    @pytest.mark.parametrize(
        ("hosts", "known"),
        [
            (["localhost", "127.0.0.1"], "http://localhost:8001/"),
            (["*"], "http://localhost:8001/"),
            (["grades.example"], ""),
        ],
    )
    def test_is_where_the_server_listens_if_people_may_open_the_site_by_it(
        self, settings, hosts, known
    ):
        settings.ALLOWED_HOSTS = hosts

        assert prepare.known_site("http://localhost:8001/") == known
        assert prepare.known_site("") == ""


@pytest.mark.django_db
class TestLoadDemo:
    def test_keeps_the_accounts_for_the_next_starts(self, tmp_path):
        here = places.SitePlaces(tmp_path)

        prepare.load_demo(here, load=lambda said: said.write("ann: a password\n"))

        assert here.demo_accounts.read_text() == "ann: a password\n"
        assert stat.S_IMODE(here.demo_accounts.stat().st_mode) == 0o600
