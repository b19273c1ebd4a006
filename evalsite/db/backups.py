"""A whole installation as one folder of files, and back again.

The folder holds the database, what else lies in the data folder, and a manifest with the checksum of
every file. Secrets are not in it: they go into a file of their own, for another place. It gets its
name when it is whole; what was cut off has another one.
"""

import contextlib
import hashlib
import json
import os
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any

from django.db import DatabaseError, connection
from django.db.migrations.loader import MigrationLoader

from evalsite import errors

MANIFEST, FORMAT = "manifest.json", 1
SQLITE, POSTGRES = "database.sqlite3", "database.dump"
FILES, SECRET = "files", "secret_key"
#: What is made anew, or is of this machine alone.
LEFT_OUT = {SECRET, "valkey", "static", "logs", "up.lock", "address"}
CHUNK = 1024 * 1024


class BackupRefused(errors.Refusal):
    """A backup cannot be made, or not be brought back; nothing was changed."""


def make(*, target: Path, data: Path, now: datetime, secrets: Path | None = None) -> dict[str, Any]:
    """Write a backup while people work; return its manifest.

    Args:
        target: a folder that is not there yet.
        data: the data folder.
        secrets: where the secret key goes, if anywhere: a file that is not there yet.

    Raises:
        BackupRefused: a place is taken or has no room, or the database's own program failed.
    """
    for place in (target, secrets):
        if place is not None and place.exists():
            raise BackupRefused(f"{place} is there already. Name a new place.")
    if data.resolve() in (target.resolve(), *target.resolve().parents):
        raise BackupRefused(f"{target} is inside the data folder. Name a place outside it.")
    _check_room(data, target)
    with _unfinished(target) as draft:
        _dump(draft)
        _copy_files(data, draft / FILES)
        manifest = _manifest(draft, now)
        (draft / MANIFEST).write_text(json.dumps(manifest, indent=1) + "\n")
        if secrets is not None:
            _write_secret(data / SECRET, secrets)
        draft.rename(target)
    return manifest


@contextlib.contextmanager
def _unfinished(target: Path) -> Iterator[Path]:
    """Make the folder that becomes the backup once it is whole; of one that does not, nothing stays.

    Raises:
        BackupRefused: it could not be written.
    """
    draft = target.with_name(f"{target.name}.partial")
    shutil.rmtree(draft, ignore_errors=True)
    try:
        draft.mkdir(mode=0o700, parents=True)
        yield draft
    except (OSError, sqlite3.Error, DatabaseError) as problem:
        raise BackupRefused(
            f"The backup could not be written ({_reason(problem)}), and nothing of it was kept. "
            f"Make room where {target.parent} is, or name another place."
        ) from problem
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _manifest(draft: Path, now: datetime) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "made_at": now.isoformat(),
        "database": connection.vendor,
        "migrations": sorted(
            ".".join(one) for one in MigrationLoader(connection).applied_migrations
        ),
        "files": {
            str(path.relative_to(draft)): {"sha256": sha_of(path), "size": path.stat().st_size}
            for path in sorted(draft.rglob("*"))
            if path.is_file()
        },
    }


def _check_room(data: Path, target: Path) -> None:
    """Refuse a place that has not the room; what a dump of PostgreSQL takes is not known before.

    Raises:
        BackupRefused: there is less than what lies in the data folder takes.
    """
    place = next(one for one in target.absolute().parents if one.is_dir())
    needed = sum(path.stat().st_size for path in _own_files(data))
    if connection.vendor == "sqlite":
        needed += Path(str(connection.settings_dict["NAME"])).stat().st_size
    free = shutil.disk_usage(place).free
    if free < needed:
        raise BackupRefused(
            f"The backup takes about {needed / 1e6:.0f} MB, and {free / 1e6:.0f} MB are free where {place} is. "
            "Make room, or name another place."
        )


def bring_back(*, source: Path, data: Path, secrets: Path | None = None) -> dict[str, Any]:
    """Put a backup where nothing is yet; return its manifest.

    Args:
        source: the folder of the backup.
        data: the data folder.
        secrets: the file with the secret key, if it is to be brought back.

    Raises:
        BackupRefused: the backup is not whole, is of another kind of database or a newer version,
            or there is something already where it would go.
    """
    manifest = verified(source)
    _check_fits(manifest)
    _check_empty(data)
    if secrets is not None and not secrets.is_file():
        raise BackupRefused(f"There is no file {secrets}. Name the one that the backup wrote.")
    data.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        if (source / FILES).is_dir():
            shutil.copytree(source / FILES, data, dirs_exist_ok=True)
        _load(source)
        if secrets is not None:
            (data / SECRET).unlink(missing_ok=True)
            _write_secret(secrets, data / SECRET)
    except BaseException as problem:
        _empty_again(data, source)
        if isinstance(problem, OSError | sqlite3.Error | DatabaseError):
            raise BackupRefused(
                f"The backup could not be brought back ({_reason(problem)}); the place is as empty as before. "
                f"Make room where {data} is, or name another data folder in EVALSITE_DATA."
            ) from problem
        raise
    return manifest


def _empty_again(data: Path, source: Path) -> None:
    """Take out of a data folder what a backup that did not come back has left there."""
    copied = source / FILES
    names = {one.name for one in copied.iterdir()} if copied.is_dir() else set()
    for left in (data / name for name in names - LEFT_OUT):
        if left.is_dir():
            shutil.rmtree(left, ignore_errors=True)
        else:
            left.unlink(missing_ok=True)
    if connection.vendor == "sqlite":
        place = Path(str(connection.settings_dict["NAME"]))
        for one in (place, place.with_name(f"{place.name}.partial")):
            one.unlink(missing_ok=True)


def _reason(problem: BaseException) -> str:
    """Return why a file could not be written, in the system's words."""
    if isinstance(problem, shutil.Error):  # of many files; the first says enough
        (_source, _target, said), *_more = problem.args[0]
        return str(said)
    return (getattr(problem, "strerror", None) or str(problem)).lower()


def verified(source: Path) -> dict[str, Any]:
    """Return the manifest of a backup after every file was compared with it.

    Raises:
        BackupRefused: it is no backup, or a file is missing, changed or one too many.
    """
    try:
        manifest: dict[str, Any] = json.loads((source / MANIFEST).read_text())
        named = dict(manifest["files"])
    except (OSError, ValueError, KeyError, TypeError) as problem:
        raise BackupRefused(f"{source} is no whole backup: {MANIFEST} cannot be read.") from problem
    if manifest.get("format") != FORMAT:
        raise BackupRefused("This backup is of a newer version. Bring it back with that version.")
    there = {str(path.relative_to(source)) for path in source.rglob("*") if path.is_file()}
    if odd := sorted((there - {MANIFEST}) ^ named.keys()):
        raise BackupRefused(
            f"{odd[0]} is not what the manifest says is there. Take another backup."
        )
    for name, told in named.items():
        if sha_of(source / name) != told["sha256"]:
            raise BackupRefused(f"{name} was changed since the backup was made. Take another one.")
    return manifest


def sha_of(path: Path) -> str:
    found = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(CHUNK):
            found.update(piece)
    return found.hexdigest()


def _dump(folder: Path) -> None:
    if connection.vendor == "sqlite":
        connection.ensure_connection()
        name = str(connection.settings_dict["NAME"])
        with (
            closing(sqlite3.connect(name, timeout=20)) as source,
            closing(sqlite3.connect(folder / SQLITE)) as copy,
        ):
            source.backup(copy)
            copy.execute("PRAGMA journal_mode=DELETE")
            if copy.execute("PRAGMA integrity_check").fetchone() != ("ok",):
                raise BackupRefused("SQLite finds the copy damaged. Look at the disk.")
        return
    file = str(folder / POSTGRES)
    _run(["pg_dump", "--format=custom", "--no-owner", "--no-privileges", f"--file={file}"])


def _load(source: Path) -> None:
    if connection.vendor == "sqlite":
        place = Path(str(connection.settings_dict["NAME"]))
        draft = place.with_name(f"{place.name}.partial")
        shutil.copyfile(source / SQLITE, draft)
        draft.chmod(0o600)
        draft.replace(place)
        return
    file = str(source / POSTGRES)
    name = str(connection.settings_dict["NAME"])
    _run(
        [
            "pg_restore",
            "--no-owner",
            "--exit-on-error",
            "--single-transaction",
            f"--dbname={name}",
            file,
        ]
    )


def _run(command: list[str]) -> None:
    """Run one of PostgreSQL's programs; the password goes through the environment."""
    of = connection.settings_dict
    told = {
        "PGHOST": of["HOST"],
        "PGPORT": of["PORT"],
        "PGUSER": of["USER"],
        "PGPASSWORD": of["PASSWORD"],
        "PGDATABASE": of["NAME"],
        "PGSSLMODE": (of.get("OPTIONS") or {}).get("sslmode", ""),
    }
    given = {name: str(value) for name, value in told.items() if value}
    if shutil.which(command[0]) is None:
        raise BackupRefused(f"{command[0]} is not installed. Install PostgreSQL's client programs.")
    done = subprocess.run(  # noqa: S603  our own argument list, no shell
        command, env={**os.environ, **given}, capture_output=True, text=True, check=False
    )
    if done.returncode:
        said = (done.stderr.strip().splitlines() or ["no reason given"])[0]
        raise BackupRefused(f"{command[0]} failed: {said}")


def _copy_files(data: Path, folder: Path) -> None:
    """Copy what else lies in the data folder."""
    for path in _own(data):
        folder.mkdir(exist_ok=True)
        if path.is_dir():
            shutil.copytree(path, folder / path.name)
        elif path.is_file():
            shutil.copy2(path, folder / path.name)


def _own(data: Path) -> list[Path]:
    """Return what in the data folder belongs into a backup, beside the database."""
    database = Path(str(connection.settings_dict["NAME"])).name
    found = sorted(data.iterdir()) if data.is_dir() else []
    return [one for one in found if one.name not in LEFT_OUT and not one.name.startswith(database)]


def _own_files(data: Path) -> Iterator[Path]:
    for path in _own(data):
        yield from (one for one in (path, *path.rglob("*")) if one.is_file())


def _write_secret(source: Path, target: Path) -> None:
    try:
        secret = source.read_bytes()
    except OSError as problem:
        raise BackupRefused(
            f"There is no {source}: the key is in the environment (SECRET_KEY). Keep it from there."
        ) from problem
    handle = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(secret)
    except OSError:
        target.unlink()
        raise


def _check_fits(manifest: dict[str, Any]) -> None:
    if manifest["database"] != connection.vendor:
        raise BackupRefused(
            f"This backup is of {manifest['database']}, and the database here is {connection.vendor}. "
            "Set or take out DATABASE_URL."
        )
    known = {".".join(one) for one in MigrationLoader(None).disk_migrations}
    if newer := sorted(set(manifest["migrations"]) - known):
        raise BackupRefused(
            f"This backup is of a newer version (it knows {newer[0]}). Bring it back with that version."
        )


def _check_empty(data: Path) -> None:
    """Refuse a place where something is already.

    Raises:
        BackupRefused: the database has tables, or the data folder has files of its own.
    """
    if connection.vendor == "sqlite":
        place = Path(str(connection.settings_dict["NAME"]))
        beside = [place, *(place.with_name(place.name + end) for end in ("-wal", "-shm"))]
        taken = any(one.exists() and one.stat().st_size for one in beside)
    else:
        place = Path(str(connection.settings_dict["NAME"]))
        with connection.cursor() as cursor:
            taken = bool(connection.introspection.table_names(cursor))
    if taken:
        raise BackupRefused(
            f"There is a database already ({place}). A backup is brought back into an empty place only: "
            "name a new data folder in EVALSITE_DATA, or a new database in DATABASE_URL."
        )
    names = {one.name for one in data.iterdir()} if data.is_dir() else set()
    own = {name for name in names - LEFT_OUT if not name.startswith(place.name)}
    if own:
        raise BackupRefused(
            f"There is {sorted(own)[0]} in {data} already. Name a new data folder in EVALSITE_DATA."
        )
