"""How a worker reads large files of conversations and dialogues, and how they are handed to it."""

import zipfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict
from datetime import datetime
from typing import IO, Any, Final
from uuid import UUID

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.models import Project, Upload, User, WholeKind
from annotation.operations.imports import wholes
from annotation.operations.imports.wholes import Done
from scoring.operations import conversations, dialogue_imports, suite_imports
from scoring.operations.conversations import Brought
from scoring.operations.dialogue_imports import Wish
from scoring.operations.suite_imports import Imported
from scoring.queries.dialogue_files import Source

#: What is larger, unpacked, is left to a worker.
SMALL: Final = Upload.SMALL

Pieces = Callable[[], Iterator[bytes]]


def is_large(file: IO[bytes], size: int) -> bool:
    """Say whether a file is for a worker to read: by what is in it, however small it was packed."""
    if size > SMALL:
        return True
    file.seek(0)
    try:
        with zipfile.ZipFile(file) as parts:
            return sum(part.file_size for part in parts.infolist()) > SMALL
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        return False  # it is none, or whoever reads it says what is wrong with it
    finally:
        file.seek(0)


def hand_in_talks(
    *,
    project: Project,
    wish: conversations.Wish,
    pieces: Iterable[bytes],
    by: User,
    now: datetime,
) -> Upload:
    """Keep a file of conversations until a worker has read it.

    Raises:
        conversations.NoName: the set or the system has no name.
        errors.Refusal: it is too large, or too much waits.
    """
    conversations.check(wish)
    given = {"set_name": wish.set_name, "system": wish.system, "release": wish.release}
    return wholes.hand_in(
        project=project,
        kind=WholeKind.TALKS,
        name=wish.file_name,
        pieces=pieces,
        wish=given,
        by=by,
        now=now,
    )


def hand_in_dialogues(
    *, project: Project, key: UUID, wish: Wish, pieces: Iterable[bytes], by: User, now: datetime
) -> Upload:
    """Keep a file of dialogues until a worker has read it.

    Raises:
        errors.Refusal: it is too large, or too much waits.
    """
    given = {
        "key": str(key),
        "name": wish.name,
        "evaluator": wish.evaluator,
        "source": asdict(wish.source),
    }
    return wholes.hand_in(
        project=project,
        kind=WholeKind.DIALOGUES,
        name=wish.file_name,
        pieces=pieces,
        wish=given,
        by=by,
        now=now,
    )


def read_talks(upload: Upload, pieces: Pieces, now: datetime) -> Done:
    """Bring the conversations of a file in, or the results of FlexEval."""
    given: dict[str, Any] = upload.mapping or {}
    wish = conversations.Wish(**given, file_name=upload.name)
    home: dict[str, Any] = {"project": upload.project, "wish": wish, "now": now}
    if suite_imports.is_results(next(pieces(), b"")):
        found = suite_imports.bring(**home, chunks=pieces(), user=upload.created_by)
        return _of_results(upload.project, found)
    brought = conversations.bring_file(**home, open_file=pieces, by=upload.created_by)
    return _of_talks(upload.project, brought)


def read_dialogues(upload: Upload, pieces: Pieces, now: datetime) -> Done:
    """Bring the dialogues of a file in as a run that is over."""
    given: dict[str, Any] = upload.mapping or {}
    run = dialogue_imports.bring_in(
        project=upload.project,
        key=UUID(given["key"]),
        data=b"".join(pieces()),
        wish=Wish(given["name"], upload.name, Source(**given["source"]), given["evaluator"]),
        user=upload.created_by,
        now=now,
    )
    return Done(
        said_of_dialogues(), {"run": run.number}, "run_dialogues", (upload.project.slug, run.number)
    )


def said_that_it_waits() -> str:
    """Return in words that a file was taken and is not read yet."""
    return _("The file is here. A worker reads it; what comes of it is told on this page.")


def said_of(found: Brought) -> str:
    """Return in words what came in."""
    new = ngettext("%(n)d conversation is new.", "%(n)d conversations are new.", found.n) % {
        "n": found.n
    }
    if not found.n_known:
        return new
    return f"{new} " + _("%(n)d were there already.") % {"n": found.n_known}


def said_of_values(found: Imported) -> str:
    """Return in words how many values came in."""
    said = ngettext("%(n)d value came in.", "%(n)d values came in.", found.n_values)
    return said % {"n": found.n_values}


def said_of_dialogues() -> str:
    """Return in words that dialogues came in."""
    return _("The dialogues are here. No system was asked.")


def _of_talks(project: Project, found: Brought) -> Done:
    counts = {"set": found.set.name, "new": found.n, "known": found.n_known}
    query = f"set={found.set.number}"
    return Done(said_of(found), counts, "conversations", (project.slug,), query)


def _of_results(project: Project, found: Imported) -> Done:
    done = _of_talks(project, found.brought)
    if not found.runs:
        return done
    last = found.runs[-1].number
    counts = {**done.counts, "values": found.n_values, "run": last}
    said = f"{done.said} {said_of_values(found)}"
    return Done(said, counts, "run_suite", (project.slug, last))
