"""Backups of both databases, made by the commands themselves in processes of their own."""

import json
import os
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading

import pytest

from evalsite import env
from evalsite.db import backups
from tests import servers

# One group: what is backed up is made once.
pytestmark = [pytest.mark.timeout(240), pytest.mark.xdist_group("backups")]


def manage(*arguments, data, url="", largest=None):
    """Run a command; `largest` is the most that a file may grow to in its disk."""
    given = {
        **{key: value for key, value in os.environ.items() if key != "DJANGO_SETTINGS_MODULE"},
        "EVALSITE_DATA": str(data),
        "DATABASE_URL": url,
        "DATABASE_POOL": "0",
        "DJANGO_SETTINGS_MODULE": "evalsite.settings",
    }
    return subprocess.run(
        [sys.executable, str(env.BASE_DIR / "manage.py"), *map(str, arguments)],
        env=given,
        capture_output=True,
        text=True,
        timeout=200,
        preexec_fn=None
        if largest is None
        else lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (largest, largest)),
    )


def done(*arguments, **given):
    answer = manage(*arguments, **given)
    assert answer.returncode == 0, answer.stderr
    return answer.stdout


def account(data, url=""):
    said = (
        "from annotation.models import User;"
        "print('names', sorted(User.objects.values_list('username', flat=True)))"
    )
    return done("shell", "--no-imports", "-c", said, data=data, url=url).strip().splitlines()[-1]


def populate(data, url=""):
    done("migrate", "--verbosity", "0", data=data, url=url)
    said = "from annotation.models import User; User.objects.create_user('lena', 'correct horse')"
    done("shell", "--no-imports", "-c", said, data=data, url=url)


@pytest.fixture(scope="module")
def installation(tmp_path_factory):
    data = tmp_path_factory.mktemp("site") / "data"
    populate(data)
    (data / "demo_accounts.txt").write_text("lena")
    return data


@pytest.fixture(scope="module")
def backup(installation):
    """A backup that was made while somebody wrote all the time."""
    folder = installation.parent / "backup"
    stop, wrote = threading.Event(), []

    def write():
        with sqlite3.connect(installation / "db.sqlite3", timeout=20) as busy:
            while not stop.is_set():
                busy.execute(
                    "INSERT INTO annotation_linkasked (whom_sha, from_sha, at) VALUES ('a', 'b', '2026-01-01')"
                )
                busy.commit()
                wrote.append(1)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        said = done("backup", folder, "--secrets", folder.with_name("key"), data=installation)
    finally:
        stop.set()
        writer.join()
    assert "with checksums" in said
    assert wrote
    return folder


class TestSqlite:
    def test_comes_back_into_an_empty_place(self, backup, installation, tmp_path):
        done("restore", backup, "--secrets", backup.with_name("key"), data=tmp_path / "new")

        assert account(tmp_path / "new") == "names ['lena']"
        assert (tmp_path / "new/demo_accounts.txt").read_text() == "lena"
        key = tmp_path / "new/secret_key"
        assert key.read_text() == (installation / "secret_key").read_text()
        assert key.stat().st_mode & 0o077 == 0

    def test_holds_no_secret(self, backup, installation):
        secret = (installation / "secret_key").read_bytes()

        assert not any(secret in path.read_bytes() for path in backup.rglob("*") if path.is_file())
        assert backup.with_name("key").stat().st_mode & 0o077 == 0

    def test_leaves_nothing_where_there_was_no_room(self, installation, tmp_path):
        answer = manage(
            "backup",
            tmp_path / "no",
            "--secrets",
            tmp_path / "key",
            data=installation,
            largest=9999,
        )

        assert answer.returncode == 1
        assert "could not be written" in answer.stderr
        assert "Traceback" not in answer.stderr
        assert list(tmp_path.iterdir()) == []

    @pytest.mark.nightly
    def test_that_does_not_come_back_for_want_of_room_leaves_the_place_empty(
        self, backup, tmp_path
    ):
        data = tmp_path / "new"
        no = manage("restore", backup, data=data, largest=99_999)
        done("restore", backup, data=data)

        assert no.returncode == 1
        assert "could not be brought back" in no.stderr
        assert account(data) == "names ['lena']"

    @pytest.mark.nightly
    def test_that_is_told_to_end_leaves_nothing(self, installation, tmp_path):
        said = (
            "import os, signal; from evalsite.db import backups;"
            "backups._copy_files = lambda *_given: os.kill(os.getpid(), signal.SIGTERM);"
            "from django.core.management import call_command;"
            f"call_command('backup', {str(tmp_path / 'no')!r})"
        )

        answer = manage("shell", "--no-imports", "-c", said, data=installation)

        assert answer.returncode == 128 + signal.SIGTERM
        assert list(tmp_path.iterdir()) == []

    @pytest.mark.nightly
    def test_is_refused_where_something_is_already(self, backup, installation):
        answer = manage("restore", backup, data=installation)

        assert answer.returncode == 1
        assert "There is a database already" in answer.stderr
        assert account(installation) == "names ['lena']"

    @pytest.mark.nightly
    @pytest.mark.parametrize("harm", ["changed", "missing", "added", "cut"])
    def test_is_refused_where_it_is_not_whole(self, backup, tmp_path, harm):
        copy = tmp_path / "copy"
        shutil.copytree(backup, copy)
        database = copy / backups.SQLITE
        if harm == "changed":
            with database.open("r+b") as file:
                file.seek(5000)
                file.write(b"harm")
        elif harm == "missing":
            (copy / "files/demo_accounts.txt").unlink()
        elif harm == "added":
            (copy / "files/more.txt").write_text("more")
        else:
            (copy / backups.MANIFEST).unlink()

        with pytest.raises(backups.BackupRefused):
            backups.verified(copy)

    @pytest.mark.nightly
    def test_is_refused_over_another_and_inside_the_data_folder(self, backup, installation):
        over = manage("backup", backup, data=installation)
        inside = manage("backup", installation / "backup", data=installation)

        assert "is there already" in over.stderr
        assert "inside the data folder" in inside.stderr

    @pytest.mark.nightly
    def test_of_a_newer_version_is_refused(self, backup, tmp_path):
        copy = tmp_path / "copy"
        shutil.copytree(backup, copy)
        told = json.loads((copy / backups.MANIFEST).read_text())
        told["migrations"].append("annotation.9999_next_year")
        (copy / backups.MANIFEST).write_text(json.dumps(told))

        answer = manage("restore", copy, data=tmp_path / "new")

        assert "newer version" in answer.stderr
        assert not (tmp_path / "new/db.sqlite3").exists()


@pytest.fixture
def postgres():
    """Addresses of two new databases of a server, if there is one with its programs."""
    if shutil.which("pg_dump") is None:
        pytest.skip("pg_dump is not installed.")
    with servers.postgres() as first, servers.postgres() as second:
        yield first, second


@pytest.mark.nightly
class TestPostgres:
    def test_comes_back_into_an_empty_database_and_into_no_other(self, postgres, tmp_path):
        first, second = postgres
        populate(tmp_path / "data", first)

        done("backup", tmp_path / "backup", data=tmp_path / "data", url=first)
        done("restore", tmp_path / "backup", data=tmp_path / "new", url=second)
        again = manage("restore", tmp_path / "backup", data=tmp_path / "newer", url=second)
        other = manage("restore", tmp_path / "backup", data=tmp_path / "newest")

        assert account(tmp_path / "new", second) == "names ['lena']"
        assert "There is a database already" in again.stderr
        assert "is of postgresql, and the database here is sqlite" in other.stderr
