"""Reads about what was done: the list, its filters, the file."""

import functools
import re
import uuid
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.apps import apps
from django.db.models import Max, Q, QuerySet
from django.utils.translation import gettext as _

from annotation.models import AuditEvent, Project, User
from annotation.queries import projects
from annotation.rules.draws import How
from annotation.rules.names import isolated
from annotation.rules.sampling import Preference
from evalsite import keyset
from evalsite.keyset import Page

FILE_BATCH = 1000
_PERSON = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}")
_CAPITALS = re.compile(r"(?<![^/])[A-Z][A-Z_]{2,}(?![^/])")  # alone, or between slashes
_HASH = re.compile(r"[0-9a-f]{32,}")


@dataclass(frozen=True)
class Filters:
    verb: str = ""
    actor: str = ""


@dataclass(frozen=True)
class Line:
    """An event in words, with what the people in it are called now; the file has it as it was stored."""

    event: AuditEvent
    actor: str
    names: Mapping[str, str] = field(default_factory=dict)

    @property
    def deed(self) -> str:
        return deed(self.event.verb)

    @property
    def subject(self) -> str:
        return self._plain(self.event.subject.replace("_", " ").replace(":", " ", 1))

    @property
    def round_number(self) -> int | None:
        kind, _colon, number = self.event.subject.partition(":")
        return int(number) if kind == "round" and number.isdecimal() else None

    @property
    def details(self) -> list[tuple[str, str]]:
        """What the event says beside its subject, each value in one short text; empty lists are left out."""
        return [
            (_key(key), self._words(value))
            for key, value in self.event.data.items()
            if value not in ([], {})
        ]

    def _words(self, value: Any) -> str:
        match value:
            case bool():
                return _("yes") if value else _("no")
            case list():
                return ", ".join(self._words(one) for one in value)
            case dict():
                return ", ".join(f"{_key(key)} {self._words(one)}" for key, one in value.items())
            case None | "":
                return "–"
        return isolated(self._plain(str(value)))

    def _plain(self, text: str) -> str:
        text = _PERSON.sub(lambda found: isolated(self.names.get(found[0], found[0])), text)
        text = _HASH.sub(lambda found: f"{found[0][:12]}…", text)
        return _CAPITALS.sub(lambda found: _code(found[0]), text)


def _code(word: str) -> str:
    """Return a code of ours as words; another word in capitals is a name, and stays."""
    return word.lower().replace("_", " ") if "_" in word or word in _codes() else word


@functools.cache
def _codes() -> frozenset[str]:
    """Return what a field with choices or a draw may hold: states, kinds, roles."""
    chosen = frozenset(
        str(value)
        for model in apps.get_models()
        for one in model._meta.get_fields()
        for value, _label in getattr(one, "flatchoices", None) or ()
    )
    return chosen | {str(one) for one in (*How, *Preference)}


def deed(verb: str) -> str:
    """Return what was done in words: "Round: annotators chosen" for "round.annotators_chosen"."""
    about, _dot, done = verb.replace("_", " ").partition(".")
    return f"{about.capitalize()}: {done}" if done else about.capitalize()


def _key(key: str) -> str:
    if key == "None":  # what belongs to no capability
        return _("the rest")
    return key.removeprefix("n_").replace("_", " ")


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
    told = {one.pk: _PERSON.findall(f"{one.subject} {one.data}") for one in events}
    others = {uuid.UUID(one) for found in told.values() for one in found}
    names = projects.names_of([*(event.actor for event in events), *others])
    by_text = {str(key): name for key, name in names.items()}
    return [Line(event, by_text.get(str(event.actor), ""), by_text) for event in events]


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
