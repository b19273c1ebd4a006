import contextlib
import socket
import stat
import threading
import time
from urllib.parse import urlsplit

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.db import OperationalError
from django.db.utils import ConnectionHandler

from evalsite import env
from tests import servers


class TestFlag:
    @pytest.mark.parametrize("word", ["1", "true", "YES", " on "])
    def test_reads_a_yes(self, monkeypatch, word):
        monkeypatch.setenv("DEBUG", word)

        assert env.flag("DEBUG")

    @pytest.mark.parametrize("word", ["0", "False", "no", "off"])
    def test_reads_a_no(self, monkeypatch, word):
        monkeypatch.setenv("DEBUG", word)

        assert not env.flag("DEBUG", default=True)

    def test_falls_back_when_nothing_is_said(self, monkeypatch):
        monkeypatch.setenv("DEBUG", "")

        assert env.flag("DEBUG", default=True)

    def test_refuses_anything_else(self, monkeypatch):
        monkeypatch.setenv("DEBUG", "maybe")

        with pytest.raises(ImproperlyConfigured, match="Set it to 1 or 0"):
            env.flag("DEBUG")


class TestWords:
    def test_splits_at_commas(self, monkeypatch):
        monkeypatch.setenv("ALLOWED_HOSTS", "a.example, b.example,")

        assert env.words("ALLOWED_HOSTS") == ["a.example", "b.example"]


class TestNetworks:
    def test_reads_networks_of_both_kinds(self, monkeypatch):
        monkeypatch.setenv("EVALSITE_ENDPOINT_NETWORKS", "10.0.0.0/8, ::1/128@northport")

        found = env.networks("EVALSITE_ENDPOINT_NETWORKS")

        assert found == ["10.0.0.0/8", "::1/128@northport"]

    @pytest.mark.parametrize("word", ["10.0.0.1/8", "localhost", "10.0.0.0/40", "10.0.0.0/8@"])
    def test_refuses_what_is_none(self, monkeypatch, word):
        monkeypatch.setenv("EVALSITE_ENDPOINT_NETWORKS", word)

        with pytest.raises(ImproperlyConfigured, match="EVALSITE_ENDPOINT_NETWORKS: "):
            env.networks("EVALSITE_ENDPOINT_NETWORKS")


class TestNumber:
    def test_reads_a_whole_number(self, monkeypatch):
        monkeypatch.setenv("DATABASE_POOL", "4")

        assert env.number("DATABASE_POOL", 10) == 4

    def test_refuses_anything_else(self, monkeypatch):
        monkeypatch.setenv("DATABASE_POOL", "four")

        with pytest.raises(ImproperlyConfigured, match="whole number"):
            env.number("DATABASE_POOL", 10)


class TestSecretKey:
    def test_is_the_environments_when_given(self, monkeypatch, tmp_path):
        monkeypatch.setenv("SECRET_KEY", "given")

        assert env.secret_key(tmp_path) == "given"
        assert list(tmp_path.iterdir()) == []

    def test_is_made_once_and_only_for_this_account(self, tmp_path):
        first = env.secret_key(tmp_path / "new")
        second = env.secret_key(tmp_path / "new")

        assert first == second
        assert len(first) >= 50
        assert [path.name for path in (tmp_path / "new").iterdir()] == ["secret_key"]
        assert stat.S_IMODE((tmp_path / "new" / "secret_key").stat().st_mode) == 0o600

    def test_differs_between_installations(self, tmp_path):
        assert env.secret_key(tmp_path / "a") != env.secret_key(tmp_path / "b")

    def test_refuses_a_folder_that_cannot_be_one(self, tmp_path):
        (tmp_path / "file").write_text("")

        with pytest.raises(ImproperlyConfigured, match="EVALSITE_DATA"):
            env.secret_key(tmp_path / "file" / "var")


class TestDatabase:
    def test_is_sqlite_in_the_data_folder_unless_told_otherwise(self, monkeypatch, tmp_path):
        monkeypatch.delenv("DATABASE_URL", raising=False)

        setting = env.database(tmp_path)

        assert setting["NAME"] == str(tmp_path / "db.sqlite3")
        assert setting["OPTIONS"]["transaction_mode"] == "IMMEDIATE"  # type: ignore[index]

    def test_reads_a_postgresql_address(self, monkeypatch, tmp_path):
        monkeypatch.delenv("DATABASE_POOL", raising=False)
        monkeypatch.setenv(
            "DATABASE_URL", "postgres://ann:p%40ss@db.example:5433/grades?sslmode=require"
        )

        setting = env.database(tmp_path)

        assert (setting["USER"], setting["PASSWORD"]) == ("ann", "p@ss")
        assert (setting["HOST"], setting["PORT"], setting["NAME"]) == (
            "db.example",
            "5433",
            "grades",
        )
        assert setting["OPTIONS"] == {
            **env.PATIENCE,
            "sslmode": "require",
            "pool": {"min_size": 1, "max_size": 10, "timeout": 5, "reconnect_timeout": 2},
        }
        assert setting["CONN_HEALTH_CHECKS"]

    def test_lets_the_address_say_how_long_to_wait(self, monkeypatch, tmp_path):
        monkeypatch.setenv("DATABASE_URL", "postgres:///grades?connect_timeout=2")

        assert env.database(tmp_path)["OPTIONS"]["connect_timeout"] == "2"  # type: ignore[index]

    def test_can_do_without_a_pool(self, monkeypatch, tmp_path):
        monkeypatch.setenv("DATABASE_URL", "postgres:///grades")
        monkeypatch.setenv("DATABASE_POOL", "0")

        assert env.database(tmp_path)["OPTIONS"] == env.PATIENCE

    def test_refuses_another_kind(self, monkeypatch, tmp_path):
        monkeypatch.setenv("DATABASE_URL", "mysql://db/grades")

        with pytest.raises(ImproperlyConfigured, match="postgres://user@host/name"):
            env.database(tmp_path)


class TestSocketUrl:
    def test_survives_a_blank_in_the_path(self, tmp_path):
        assert "%20" in env.socket_url(tmp_path / "my data")


class TestMail:
    def test_is_printed_without_a_server(self, monkeypatch):
        monkeypatch.delenv("EVALSITE_MAIL", raising=False)

        assert env.mail().backend.endswith("console.EmailBackend")

    @pytest.mark.parametrize(
        ("url", "port", "asks", "is_tls"),
        [
            ("smtp://me:a%2Fb@mail.example", 587, True, False),
            ("smtps://me:a%2Fb@mail.example:4650", 4650, False, True),
            ("smtp+plain://me:a%2Fb@mail.example", 25, False, False),
        ],
    )
    def test_goes_over_the_server_that_is_named(self, monkeypatch, url, port, asks, is_tls):
        monkeypatch.setenv("EVALSITE_MAIL", url)

        found = env.mail()

        assert (found.host, found.port) == ("mail.example", port)
        assert (found.user, found.password) == ("me", "a/b")
        assert (found.asks_for_tls, found.is_tls) == (asks, is_tls)
        assert "a/b" not in repr(found)

    @pytest.mark.parametrize("url", ["mail.example:587", "http://mail.example", "smtp://"])
    def test_refuses_what_is_no_mail_server(self, monkeypatch, url):
        monkeypatch.setenv("EVALSITE_MAIL", url)

        with pytest.raises(ImproperlyConfigured, match="EVALSITE_MAIL"):
            env.mail()


class Wire:
    """A way to a server that can be cut."""

    def __init__(self, host: str, port: int) -> None:
        self.server = (host, port)
        self.door = socket.create_server(("127.0.0.1", 0))
        self.port = self.door.getsockname()[1]
        self.lines: list[socket.socket] = []
        self.listen()

    def listen(self) -> None:
        threading.Thread(target=self.accept, args=[self.door], daemon=True).start()

    def accept(self, door: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while True:
                here, _ = door.accept()
                there = socket.create_connection(self.server)
                self.lines += [here, there]
                for one, other in ((here, there), (there, here)):
                    threading.Thread(target=self.carry, args=[one, other], daemon=True).start()

    def carry(self, one: socket.socket, other: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while said := one.recv(65536):
                other.sendall(said)
        with contextlib.suppress(OSError):
            other.shutdown(socket.SHUT_RDWR)

    def cut(self) -> None:
        self.door.shutdown(socket.SHUT_RDWR)
        for one in [self.door, *self.lines]:
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()
        self.lines.clear()

    def mend(self) -> None:
        self.door = socket.create_server(("127.0.0.1", self.port))
        self.listen()


@pytest.mark.nightly
@pytest.mark.timeout(120)
class TestPool:
    def test_answers_soon_after_a_server_that_was_away_is_back(
        self, monkeypatch, tmp_path, django_db_blocker
    ):
        monkeypatch.delenv("DATABASE_POOL", raising=False)
        with servers.postgres() as url, django_db_blocker.unblock():
            parts = urlsplit(url)
            wire = Wire(parts.hostname or "", parts.port or 5432)
            through = parts._replace(netloc=f"{parts.username}@127.0.0.1:{wire.port}")
            monkeypatch.setenv("DATABASE_URL", through.geturl())
            databases = ConnectionHandler({"default": env.database(tmp_path)})

            def ask() -> bool:
                connection = databases["default"]
                try:
                    with connection.cursor() as cursor:
                        cursor.execute("SELECT 1")
                        return cursor.fetchone() == (1,)
                except OperationalError:
                    return False
                finally:
                    connection.close()

            assert ask()
            wire.cut()
            away = time.monotonic()
            while time.monotonic() - away < 17:  # as requests come
                assert not ask()
                time.sleep(0.2)
            wire.mend()
            back = time.monotonic()
            while not ask():
                assert time.monotonic() - back < 60
            assert time.monotonic() - back < 10
            assert all(ask() for _n in range(20))  # none of those from before is handed out
            databases["default"].close_pool()  # type: ignore[attr-defined]
