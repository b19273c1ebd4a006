"""System checks: what this installation must not run with, and the remedy.

The settings' checks run with every command. Those that ask the database run with `migrate`,
`manage.py up` and `manage.py check --database default`.
"""

from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.conf import LazySettings, settings
from django.core.checks import CheckMessage, Error, Tags, Warning, register
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper

from evalsite import allowances

MIN_KEY_LENGTH = 40
MIN_KEY_LETTERS = 8
SQLITE_FULL = 2


def settings_problems(of: LazySettings) -> list[CheckMessage]:
    """Return what is wrong with these settings; in production it is an error."""
    found: list[tuple[str, str, str]] = []
    if of.DEBUG:
        found.append(
            (
                "E001",
                "DEBUG is on: error pages would show data and code.",
                "Take DEBUG out of the environment.",
            )
        )
    if weakness := _weakness(of.SECRET_KEY):
        found.append(
            (
                "E002",
                f"SECRET_KEY {weakness}, so sessions and blind addresses could be forged.",
                "Take SECRET_KEY out of the environment: a good one is then made in the data folder. "
                "Or give one of 50 random characters.",
            )
        )
    if "*" in of.ALLOWED_HOSTS:
        found.append(
            (
                "E003",
                "ALLOWED_HOSTS is '*': anybody could make links that lead elsewhere.",
                "Set ALLOWED_HOSTS to the names under which people open this site, with commas.",
            )
        )
    kind = Error if of.PRODUCTION else Warning
    return [kind(text, hint=remedy, id=f"evalsite.{code}") for code, text, remedy in found]


def unread_keys(entries: Sequence[str]) -> list[CheckMessage]:
    """Warn of entries as they were before they named a project; the site starts without their keys."""
    return [
        Warning(
            f"EVALSITE_ENDPOINT_KEYS holds {entry}, which allows nothing: it names no address or no project.",
            hint=f"Write {entry.partition('@')[0]}@models.example@northport, or @* for all projects. A host alone "
            "means https at port 443: write http://host:8000 for a server without encryption.",
            id="evalsite.W006",
        )
        for entry in allowances.incomplete(entries)
    ]


def settings_doubts(of: LazySettings) -> list[CheckMessage]:
    """Return what a site that others use had better not run with; for `check --deploy`."""
    found: list[tuple[str, str, str]] = []
    if of.EMAIL_BACKEND.endswith("console.EmailBackend"):
        found.append(
            (
                "W001",
                "Mails are printed into the worker's log, with links that set a new password.",
                "Name a mail server in EVALSITE_MAIL.",
            )
        )
    elif of.EMAIL_HOST_PASSWORD and not (of.EMAIL_USE_TLS or of.EMAIL_USE_SSL):
        found.append(
            (
                "W002",
                "The password of the mail server is sent without encryption.",
                "Use smtp:// or smtps:// in EVALSITE_MAIL; smtp+plain:// is for this machine alone.",
            )
        )
    if not of.SITE_ADDRESS.startswith("https://"):
        found.append(
            (
                "W003",
                "EVALSITE_ADDRESS is no https address: links in mails lead nowhere, or can be read on the way.",
                "Set it to the address under which people open the site: https://grades.example.",
            )
        )
    if open_to_all := [one for one in of.ENDPOINT_NETWORKS if one.partition("@")[0].endswith("/0")]:
        found.append(
            (
                "W004",
                f"EVALSITE_ENDPOINT_NETWORKS holds {open_to_all[0]}: owners of projects may ask any machine "
                "that this one reaches.",
                "Name the networks in which language models are.",
            )
        )
    if plain := [one for one in of.CSRF_TRUSTED_ORIGINS if not one.startswith("https://")]:
        found.append(
            (
                "W005",
                f"CSRF_TRUSTED_ORIGINS holds {plain[0]}: pages that came without encryption could send forms.",
                "List https addresses only.",
            )
        )
    return [Warning(text, hint=remedy, id=f"evalsite.{code}") for code, text, remedy in found]


def sqlite_problems(connection: BaseDatabaseWrapper) -> list[CheckMessage]:
    """Ask a SQLite connection for its mode and return what would lose or refuse people's work."""
    if connection.vendor != "sqlite" or connection.is_in_memory_db():  # type: ignore[attr-defined]
        return []
    with connection.cursor() as cursor:
        journal = cursor.execute("PRAGMA journal_mode").fetchone()[0]
        synchronous = cursor.execute("PRAGMA synchronous").fetchone()[0]
    found = []
    if journal != "wal":
        found.append(
            ("E004", f"SQLite's journal mode is {journal!r}, not WAL", "PRAGMA journal_mode=WAL")
        )
    if synchronous < SQLITE_FULL:
        found.append(("E005", "SQLite's synchronous is below FULL", "PRAGMA synchronous=FULL"))
    hint = (
        "Add {} to init_command in DATABASES, as evalsite/env.py does. If it is there, the data folder "
        "is on a network file system: move it to a local disk, or use PostgreSQL (DATABASE_URL)."
    )
    messages: list[CheckMessage] = [
        Error(
            f"{text}: saved grades could be lost.", hint=hint.format(pragma), id=f"evalsite.{code}"
        )
        for code, text, pragma in found
    ]
    if (mode := getattr(connection, "transaction_mode", None)) != "IMMEDIATE":
        messages.append(
            Error(
                f"SQLite's transaction mode is {mode or 'DEFERRED'}, not IMMEDIATE: "
                "people who save at once would be told the database is locked.",
                hint='Set OPTIONS["transaction_mode"] to "IMMEDIATE", as evalsite/env.py does.',
                id="evalsite.E006",
            )
        )
    return messages


@register(Tags.security)
def check_settings(app_configs: Sequence[AppConfig] | None, **_kwargs: Any) -> list[CheckMessage]:
    return [*settings_problems(settings), *unread_keys(settings.ENDPOINT_KEYS)]


@register(Tags.security, deploy=True)
def check_deployment(app_configs: Sequence[AppConfig] | None, **_kwargs: Any) -> list[CheckMessage]:
    return settings_doubts(settings)


@register(Tags.database)
def check_databases(
    app_configs: Sequence[AppConfig] | None, databases: Sequence[str] | None = None, **_kwargs: Any
) -> list[CheckMessage]:
    return [message for alias in databases or () for message in sqlite_problems(connections[alias])]


def _weakness(key: str) -> str:
    if len(key) < MIN_KEY_LENGTH:
        return f"has only {len(key)} characters"
    if len(set(key)) < MIN_KEY_LETTERS:
        return "repeats the same few characters"
    if key.startswith("django-insecure-"):
        return "is one that Django made for trying things out"
    return ""
