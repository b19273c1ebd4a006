"""What the environment says: typed reads with a clear refusal."""

import contextlib
import os
import re
import secrets
from dataclasses import dataclass, field
from ipaddress import ip_network
from pathlib import Path
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

BASE_DIR = Path(__file__).resolve().parent.parent
#: There in a checkout, not where the wheel is installed.
MANAGE = BASE_DIR / "manage.py"


def flag(name: str, *, default: bool = False) -> bool:
    """Read a yes/no variable.

    Raises:
        ImproperlyConfigured: the value is neither a yes nor a no.
    """
    raw = os.environ.get(name, "").strip().lower()
    if raw == "":
        return default
    if raw in {"1", "true", "yes", "on"}:
        return True
    if raw in {"0", "false", "no", "off"}:
        return False
    raise ImproperlyConfigured(f"{name} is {raw!r}. Set it to 1 or 0.")


def text(name: str, default: str = "") -> str:
    return os.environ.get(name, "").strip() or default


def choice(name: str, of: tuple[str, ...]) -> str:
    """Read one of some words; the first where nothing is said.

    Raises:
        ImproperlyConfigured: it is none of them.
    """
    given = text(name, of[0]).lower()
    if given not in of:
        raise ImproperlyConfigured(f"{name} is {given!r}. Set it to {' or '.join(of)}.")
    return given


def path(name: str, default: str) -> str:
    """Read the first part of an address; empty where it says "off".

    Raises:
        ImproperlyConfigured: it is no plain word.
    """
    said = text(name, default).strip("/")
    if said == "off":
        return ""
    if not re.fullmatch(r"[A-Za-z0-9_-]{1,60}", said):
        raise ImproperlyConfigured(
            f"{name} is {said!r}. Use one word of letters, digits, - and _, or off."
        )
    return said


def words(name: str, default: str = "") -> list[str]:
    return [word.strip() for word in text(name, default).split(",") if word.strip()]


def networks(name: str) -> list[str]:
    """Read networks such as 10.0.0.0/8,fd00::/8@northport.

    Raises:
        ImproperlyConfigured: one of them is no network.
    """
    found = words(name)
    for word in found:
        try:
            _check_network(word)
        except ValueError as problem:
            raise ImproperlyConfigured(
                f"{name}: {problem}. Write networks with commas between them, such as 10.0.0.0/8,127.0.0.0/8."
            ) from problem
    return found


def _check_network(entry: str) -> None:
    """Refuse what is no network, alone or with an @ and a project behind it (evalsite/allowances.py).

    Raises:
        ValueError: says what is wrong.
    """
    network, at, project = entry.partition("@")
    ip_network(network)
    if at and not project:
        raise ValueError(f"{entry!r} names no project behind the @")


def data_dir() -> Path:
    """Return the one folder in which everything this installation knows is kept."""
    usual = BASE_DIR / "var" if MANAGE.is_file() else "~/.local/share/evalsite"
    return Path(text("EVALSITE_DATA", str(usual))).expanduser().resolve()


def secret_key(folder: Path) -> str:
    """Return the secret key: the environment's, else the one generated into the data folder (0600).

    Raises:
        ImproperlyConfigured: the folder cannot be written, or the key in it not be read.
    """
    if given := text("SECRET_KEY"):
        return given
    path = folder / "secret_key"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not path.exists():
            _write_key(path)
        return path.read_text().strip()
    except OSError as problem:
        raise ImproperlyConfigured(
            f"The data folder {folder} cannot be used ({(problem.strerror or '').lower()}). "
            "Make it writable for this account, or name another one in EVALSITE_DATA."
        ) from problem


def _write_key(path: Path) -> None:
    """Write a new key in one step, so that a second process finds all of it or none of it."""
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "w") as file:
        file.write(secrets.token_urlsafe(64))
    with contextlib.suppress(FileExistsError):
        os.link(draft, path)
    draft.unlink()


#: How long PostgreSQL is waited for, to connect (seconds), and for a line that has gone dead.
PATIENCE = {
    "connect_timeout": 5,
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,  # milliseconds
}


def database(folder: Path) -> dict[str, object]:
    """Return Django's database setting: DATABASE_URL (postgres://…) or SQLite in the data folder.

    Raises:
        ImproperlyConfigured: the URL names another kind of database.
    """
    url = text("DATABASE_URL")
    if not url or url.startswith("sqlite:"):
        name = url.removeprefix("sqlite:///") or str(folder / "db.sqlite3")
        return {
            "ENGINE": "evalsite.sqlite",
            "NAME": name,
            # Each thread keeps its connection: closing the last one copies the whole log back.
            "CONN_MAX_AGE": None,
            "OPTIONS": {
                "transaction_mode": "IMMEDIATE",
                "timeout": 20,
                "init_command": (
                    "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON;"
                ),
            },
        }
    parts = urlsplit(url)
    if parts.scheme not in {"postgres", "postgresql"}:
        raise ImproperlyConfigured(
            f"DATABASE_URL begins with {parts.scheme!r}. Use postgres://user@host/name, "
            "or leave it out to use SQLite."
        )
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(parts.path.lstrip("/")),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": parts.hostname or "",
        "PORT": str(parts.port or ""),
        # A connection that broke while the server was away is found so before a request gets it.
        "CONN_HEALTH_CHECKS": True,
        "OPTIONS": {**PATIENCE, **dict(parse_qsl(parts.query)), **_pool()},
    }


@dataclass(frozen=True)
class Mail:
    """How mails go out: by Django's backend of this name, over this server."""

    backend: str
    host: str = "localhost"
    port: int = 25
    user: str = ""
    password: str = field(default="", repr=False)
    asks_for_tls: bool = False
    is_tls: bool = False


MAIL_PORTS = {"smtp": 587, "smtps": 465, "smtp+plain": 25}


def mail() -> Mail:
    """Read EVALSITE_MAIL: smtp://…, smtps://… or smtp+plain://…; without it mails are printed.

    smtp asks for encryption once it is connected, smtps is encrypted from the start, and smtp+plain
    never is, for a server on the same machine.

    Raises:
        ImproperlyConfigured: it is none of these.
    """
    url = text("EVALSITE_MAIL")
    if not url:
        return Mail("django.core.mail.backends.console.EmailBackend")
    parts = urlsplit(url)
    if parts.scheme not in MAIL_PORTS or not parts.hostname:
        raise ImproperlyConfigured(
            "EVALSITE_MAIL is not the address of a mail server. Use smtp://user:password@host:587, "
            "smtps://user:password@host:465 or smtp+plain://localhost, or leave it out to print mails."
        )
    return Mail(
        backend="django.core.mail.backends.smtp.EmailBackend",
        host=parts.hostname,
        port=parts.port or MAIL_PORTS[parts.scheme],
        user=unquote(parts.username or ""),
        password=unquote(parts.password or ""),
        asks_for_tls=parts.scheme == "smtp",
        is_tls=parts.scheme == "smtps",
    )


def number(name: str, default: int) -> int:
    """Read a whole number.

    Raises:
        ImproperlyConfigured: the value is not a whole number of at least 0.
    """
    raw = text(name)
    if raw and not raw.isdecimal():
        raise ImproperlyConfigured(f"{name} is {raw!r}. Set it to a whole number.")
    return int(raw) if raw else default


def socket_path(folder: Path) -> Path:
    """Return where the embedded Valkey of this data folder listens."""
    return folder / "valkey" / "valkey.sock"


def socket_url(folder: Path) -> str:
    return f"unix://{quote(str(socket_path(folder)))}"


def _pool() -> dict[str, object]:
    # Eight threads of a web process, and two to spare for a command run by hand.
    size = number("DATABASE_POOL", 10)
    if not size:
        return {}
    # Of a server that is away it asks again every other second, as long as requests come: the pool's own way
    # is to wait twice as long each time, and a minute's absence would become two.
    return {"pool": {"min_size": 1, "max_size": size, "timeout": 5, "reconnect_timeout": 2}}
