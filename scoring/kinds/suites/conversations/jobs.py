"""Large files of conversations: how they are handed to a worker, and how it reads them."""

import json
from collections.abc import Iterable
from datetime import datetime
from typing import Any, Final

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.files.models import Upload, WholeKind
from annotation.imports import wholes
from annotation.imports.wholes import Pieces, WholeFileDone
from annotation.people.models import Project, User
from scoring.kinds.suites.conversations import operations as conversations
from scoring.kinds.suites.conversations import results
from scoring.kinds.suites.conversations.operations import Brought, SetWish

#: What conversations that a program sent are called until a worker has read them.
SENT_NAME: Final = "conversations.jsonl"


def hand_in(
    *,
    project: Project,
    wish: SetWish,
    pieces: Iterable[bytes],
    by: User,
    now: datetime,
    key: str = "",
) -> Upload:
    """Keep a file of conversations, or those that a program sent with a key, until a worker has read it.

    Raises:
        conversations.NoName: the set or the system has no name.
        errors.Refusal: it is too large, or too much waits.
    """
    conversations.check(wish)
    given = {"set_name": wish.set_name, "system": wish.system, "release": wish.release}
    return wholes.hand_in(
        project=project,
        kind=WholeKind.TALKS,
        name=SENT_NAME if key else wish.file_name,
        pieces=pieces,
        wish={**given, "key": key} if key else given,
        by=by,
        now=now,
    )


def read_talks(upload: Upload, pieces: Pieces, now: datetime) -> WholeFileDone:
    """Bring the conversations of a file in, or the results of FlexEval."""
    given: dict[str, Any] = dict(upload.mapping or {})
    if key := given.pop("key", ""):
        brought = conversations.bring_objects(
            project=upload.project,
            wish=conversations.SetWish(**given),
            key=key,
            objects=[json.loads(line) for line in b"".join(pieces()).splitlines()],
            by=upload.created_by,
            now=now,
        )
        return _of_talks(upload.project, brought)
    wish = conversations.SetWish(**given, file_name=upload.name)
    home: dict[str, Any] = {"project": upload.project, "wish": wish, "now": now}
    if results.is_results(pieces):
        found = results.bring(**home, chunks=pieces(), user=upload.created_by)
        return _of_results(upload.project, found)
    brought = conversations.bring_file(**home, open_file=pieces, by=upload.created_by)
    return _of_talks(upload.project, brought)


def said_of(found: Brought) -> str:
    """Return in words what came in."""
    new = ngettext("%(n)d conversation is new.", "%(n)d conversations are new.", found.n) % {
        "n": found.n
    }
    said = [new]
    if found.n_known:
        said.append(_("%(n)d were there already.") % {"n": found.n_known})
    words = {"assistant": _("“%(role)s” is the assistant."), "user": _("“%(role)s” is the user.")}
    asked = [words[who] % {"role": role} for role, who in found.asked.items()]
    if asked:
        said += [*asked, _("Please check.")]
    return " ".join(said)


def said_of_values(found: results.Imported) -> str:
    """Return in words how many values came in."""
    said = ngettext("%(n)d value came in.", "%(n)d values came in.", found.n_values)
    return said % {"n": found.n_values}


def _of_talks(project: Project, found: Brought) -> WholeFileDone:
    counts = {"set": found.set.name, "new": found.n, "known": found.n_known}
    query = f"set={found.set.number}"
    return WholeFileDone(said_of(found), counts, "conversations", (project.slug,), query)


def _of_results(project: Project, found: results.Imported) -> WholeFileDone:
    done = _of_talks(project, found.brought)
    if not found.runs:
        return done
    last = found.runs[-1].number
    counts = {**done.counts, "values": found.n_values, "run": last}
    said = f"{done.said} {said_of_values(found)}"
    return WholeFileDone(said, counts, "run_suite", (project.slug, last))
