"""Write down what was done; seal what was written into a chain."""

import hashlib
import json
from datetime import datetime
from typing import Any, Protocol

from django.db import transaction
from django.db.models import Max

from annotation.people.models import AuditEvent, Project, User
from evalsite.db import prepared

SEAL_BATCH = 500
_EVENTS = prepared.Insert(AuditEvent)


def record(
    *,
    project: Project | None,
    actor: User | None,
    verb: str,
    subject: str,
    at: datetime,
    note: str = "",
    **data: Any,
) -> AuditEvent:
    """Append one event. `data` must hold no personal data; free text goes into `note`.

    Args:
        subject: kind and address of the thing, such as "round:3".
    """
    return _EVENTS.add(
        AuditEvent(
            project=project,
            actor=actor.public_id if actor else None,
            verb=verb,
            subject=subject,
            data=data,
            note=note,
            note_sha=_sha(note) if note else "",
            at=at,
        )
    )


class Audited(Protocol):
    """A thing of a project whose changes are written down."""

    @property
    def audited(self) -> tuple[Project, str]:
        """Where it belongs, and its kind and address, such as "round:3"."""
        ...


def done(
    of: Audited, verb: str, by: User | None, at: datetime, *, note: str = "", **data: Any
) -> AuditEvent:
    """Append what was done with a thing; `data` and `note` as `record` takes them."""
    project, subject = of.audited
    return record(project=project, actor=by, verb=verb, subject=subject, at=at, note=note, **data)


def _sha(note: str) -> str:
    return hashlib.sha256(note.encode()).hexdigest()


def link(previous: str, event: AuditEvent, seq: int) -> str:
    """Return the hash that chains an event to the one before it."""
    content = [
        previous,
        seq,
        str(event.actor or ""),
        event.verb,
        event.subject,
        event.data,
        event.note_sha,
        event.at.isoformat(),
    ]
    text = json.dumps(content, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def sweep(now: datetime) -> int:
    """Seal what was recorded since the last time."""
    return seal()


@transaction.atomic
def seal(*, limit: int = SEAL_BATCH) -> int:
    """Chain committed events in order, project by project; return how many were sealed."""
    waiting = AuditEvent.objects.select_for_update().filter(seq__isnull=True).order_by("pk")[:limit]
    heads: dict[int | None, tuple[int, str]] = {}
    n_sealed = 0
    for event in waiting:
        if event.project_id not in heads:
            heads[event.project_id] = _head(event.project_id)
        seq, previous = heads[event.project_id]
        event.seq, event.sha = seq + 1, link(previous, event, seq + 1)
        event.save(update_fields=["seq", "sha"])
        heads[event.project_id] = (event.seq, event.sha)
        n_sealed += 1
    return n_sealed


def _head(project_id: int | None) -> tuple[int, str]:
    of_project = {"project": None} if project_id is None else {"project_id": project_id}
    sealed = AuditEvent.objects.filter(seq__isnull=False, **of_project)
    top = sealed.aggregate(top=Max("seq"))["top"]
    if top is None:
        return 0, ""
    return top, sealed.get(seq=top).sha


def broken_link(project: Project | None) -> int | None:
    """Return the number of the first event that was changed after it was sealed, or None.

    Its hash does not fit the chain, or its note not its own hash. A note may have been taken out.
    """
    previous = ""
    events = AuditEvent.objects.filter(project=project, seq__isnull=False).order_by("seq")
    for expected, event in enumerate(events.iterator(), start=1):
        fits = event.seq == expected and event.sha == link(previous, event, expected)
        if not fits or (event.note and _sha(event.note) != event.note_sha):
            return expected
        previous = event.sha
    return None
