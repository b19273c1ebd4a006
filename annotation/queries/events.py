"""Reads about what was done: the list, its filters, the file."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from django.db.models import Max, Q, QuerySet

from annotation.models import AuditEvent, Project, User
from annotation.queries import projects
from evalsite import keyset
from evalsite.keyset import Page

FILE_BATCH = 1000


@dataclass(frozen=True)
class Filters:
    verb: str = ""
    actor: str = ""


@dataclass(frozen=True)
class Line:
    """An event, and what whoever did it is called now."""

    event: AuditEvent
    actor: str

    @property
    def details(self) -> list[tuple[str, str]]:
        """What the event says beside its subject, each value in one short text."""
        return [
            (key, value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
            for key, value in self.event.data.items()
        ]


@dataclass(frozen=True)
class Seal:
    """How far the chain of a project reaches, and how many events wait for it."""

    last: int
    n_waiting: int


def page(
    project: Project, filters: Filters, after: str = "", size: int = keyset.SIZE
) -> Page[AuditEvent]:
    """Return a page of the events of a project, the newest first."""
    return keyset.page(filtered(project, filters), by=("-pk",), after=after, size=size)


def filtered(project: Project, filters: Filters) -> "QuerySet[AuditEvent]":
    rows = AuditEvent.objects.filter(project=project)
    if filters.verb:
        rows = rows.filter(verb=filters.verb)
    if filters.actor:
        people = User.objects.filter(
            Q(person__name__icontains=filters.actor) | Q(username__icontains=filters.actor)
        )
        rows = rows.filter(actor__in=list(people.values_list("public_id", flat=True)[:200]))
    return rows


def lines(events: Iterable[AuditEvent]) -> list[Line]:
    events = list(events)
    names = projects.names_of(event.actor for event in events)
    return [Line(event, names.get(event.actor, "") if event.actor else "") for event in events]


def verbs_of(project: Project) -> list[str]:
    rows = AuditEvent.objects.filter(project=project).order_by("verb")
    return list(rows.values_list("verb", flat=True).distinct())


def seal_of(project: Project) -> Seal:
    rows = AuditEvent.objects.filter(project=project)
    last = rows.aggregate(last=Max("seq"))["last"]
    return Seal(last or 0, rows.filter(seq__isnull=True).count())


def as_records(project: Project, filters: Filters) -> Iterator[dict[str, Any]]:
    """Yield the events in the order in which they happened, as plain values, without names."""
    for event in filtered(project, filters).order_by("pk").iterator(chunk_size=FILE_BATCH):
        yield {
            "seq": event.seq,
            "at": event.at.isoformat(),
            "actor": str(event.actor) if event.actor else None,
            "verb": event.verb,
            "subject": event.subject,
            "data": event.data,
            "note": event.note,
            "note_sha": event.note_sha,
            "sha": event.sha,
        }
