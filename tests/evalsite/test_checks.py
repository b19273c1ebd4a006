from types import SimpleNamespace

import pytest
from django.core.checks import ERROR, WARNING
from django.db import connection, connections
from django.db.backends.sqlite3.base import DatabaseWrapper

from evalsite import checks, env

GOOD_KEY = "k3Jh-9sQvX_2mZrT8wLpYbN4cGdF7aEuVtRoIiOq5x0"


def settings(**changes):
    return SimpleNamespace(
        **{
            "DEBUG": False,
            "SECRET_KEY": GOOD_KEY,
            "ALLOWED_HOSTS": ["grades.example"],
            "PRODUCTION": True,
        }
        | changes
    )


def ids(messages):
    return [message.id for message in messages]


class TestSettingsProblems:
    def test_finds_nothing_wrong_with_good_settings(self):
        assert checks.settings_problems(settings()) == []

    @pytest.mark.parametrize(
        ("change", "expected"),
        [
            ({"DEBUG": True}, "evalsite.E001"),
            ({"SECRET_KEY": "short"}, "evalsite.E002"),
            ({"SECRET_KEY": "ab" * 40}, "evalsite.E002"),
            ({"SECRET_KEY": f"django-insecure-{GOOD_KEY}"}, "evalsite.E002"),
            ({"ALLOWED_HOSTS": ["*"]}, "evalsite.E003"),
        ],
    )
    def test_refuses_in_production_and_says_the_remedy(self, change, expected):
        (message,) = checks.settings_problems(settings(**change))

        assert message.id == expected
        assert message.level == ERROR
        assert message.hint

    def test_only_warns_outside_production(self):
        (message,) = checks.settings_problems(settings(DEBUG=True, PRODUCTION=False))

        assert message.level == WARNING


@pytest.fixture
def sqlite(tmp_path, monkeypatch, db):
    monkeypatch.delenv("DATABASE_URL", raising=False)
    wrappers = []

    def opened(**options):
        setting = {**connections.settings["default"], **env.database(tmp_path)}
        setting["OPTIONS"] = {**setting["OPTIONS"], **options}
        wrappers.append(DatabaseWrapper(setting, alias="other"))
        return wrappers[-1]

    yield opened
    for wrapper in wrappers:
        wrapper.close()


class TestSqliteProblems:
    def test_finds_nothing_wrong_with_the_products_own_database(self, sqlite):
        assert checks.sqlite_problems(sqlite()) == []
        assert checks.sqlite_problems(connection) == []

    def test_refuses_another_journal(self, sqlite):
        found = checks.sqlite_problems(
            sqlite(init_command="PRAGMA journal_mode=DELETE; PRAGMA synchronous=FULL")
        )

        assert ids(found) == ["evalsite.E004"]
        assert "PRAGMA journal_mode=WAL" in str(found[0].hint)

    def test_refuses_a_synchronous_below_full(self, sqlite):
        found = checks.sqlite_problems(
            sqlite(init_command="PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL")
        )

        assert ids(found) == ["evalsite.E005"]

    def test_refuses_deferred_transactions(self, sqlite):
        assert ids(checks.sqlite_problems(sqlite(transaction_mode=None))) == ["evalsite.E006"]

    def test_has_nothing_to_say_of_a_database_in_memory(self):
        memory = SimpleNamespace(vendor="sqlite", is_in_memory_db=lambda: True)

        assert checks.sqlite_problems(memory) == []  # type: ignore[arg-type]


@pytest.mark.django_db
class TestCheckDatabases:
    def test_asks_only_the_databases_named(self):
        assert checks.check_databases(None) == []
        assert checks.check_databases(None, databases=["default"]) == []


class TestDoubts:
    USUAL = {
        "EMAIL_BACKEND": "django.core.mail.backends.smtp.EmailBackend",
        "EMAIL_HOST_PASSWORD": "secret",
        "EMAIL_USE_TLS": True,
        "EMAIL_USE_SSL": False,
        "SITE_ADDRESS": "https://grades.example",
        "ENDPOINT_NETWORKS": ["10.0.0.0/8"],
        "CSRF_TRUSTED_ORIGINS": ["https://grades.example"],
    }

    def doubts(self, **changed):
        of = SimpleNamespace(**{**self.USUAL, **changed})
        return [one.id for one in checks.settings_doubts(of)]

    def test_are_none_about_usual_settings(self):
        assert self.doubts() == []

    @pytest.mark.parametrize(
        ("changed", "code"),
        [
            ({"EMAIL_BACKEND": "django.core.mail.backends.console.EmailBackend"}, "W001"),
            ({"EMAIL_USE_TLS": False}, "W002"),
            ({"SITE_ADDRESS": ""}, "W003"),
            ({"SITE_ADDRESS": "http://grades.example"}, "W003"),
            ({"ENDPOINT_NETWORKS": ["0.0.0.0/0"]}, "W004"),
            ({"ENDPOINT_NETWORKS": ["::/0"]}, "W004"),
            ({"ENDPOINT_NETWORKS": ["0.0.0.0/0@northport"]}, "W004"),
            ({"CSRF_TRUSTED_ORIGINS": ["http://grades.example"]}, "W005"),
        ],
    )
    def test_name_what_is_dangerous(self, changed, code):
        assert self.doubts(**changed) == [f"evalsite.{code}"]


class TestUnreadKeys:
    def test_names_entries_that_allow_nothing(self):
        entries = ["HOUSE", "OTHER@models.example", "WHOLE@models.example@northport"]

        found = checks.unread_keys(entries)

        assert [one.id for one in found] == ["evalsite.W006"] * 2
        assert "OTHER@models.example" in found[1].msg
        assert "OTHER@models.example@northport" in found[1].hint
