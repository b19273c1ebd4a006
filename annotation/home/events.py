"""Reads about what was done: the list, its filters, the file.

* Filters of lists, as they stand in the URL. What cannot be read is as if it were not there.
* The audit: what was done, whether the chain is whole, and all of it as a file.
"""

import functools
import json
import re
import uuid
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from django import forms
from django.apps import apps
from django.db.models import Max, Q, QuerySet
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.common.draws import Preference
from annotation.common.forms import Filter
from annotation.common.names import isolated
from annotation.people import audit as chain
from annotation.people import permissions
from annotation.people import queries as projects
from annotation.people.models import AuditEvent, Project, User
from annotation.people.permissions import Scope, shows
from annotation.rounds.rules import DrawHow
from evalsite.web import keyset
from evalsite.web.keyset import Page

FILE_BATCH = 1000
_PERSON = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}")
_CAPITALS = re.compile(r"(?<![^/])[A-Z][A-Z_]{2,}(?![^/])")  # alone, or between slashes
_HASH = re.compile(r"[0-9a-f]{32,}")


@dataclass(frozen=True)
class EventFilters:
    verb: str = ""
    actor: str = ""


@dataclass(frozen=True)
class EventLine:
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
    return chosen | {str(one) for one in (*DrawHow, *Preference)}


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
    project: Project, filters: EventFilters, after: str = "", size: int = keyset.SIZE
) -> Page[AuditEvent]:
    """Return a page of the events of a project, the newest first."""
    return keyset.page(filtered(project, filters), by=("-pk",), after=after, size=size)


def filtered(project: Project, filters: EventFilters) -> "QuerySet[AuditEvent]":
    rows = AuditEvent.objects.filter(project=project)
    if filters.verb:
        rows = rows.filter(verb=filters.verb)
    if filters.actor:
        people = User.objects.filter(
            Q(person__name__icontains=filters.actor) | Q(username__icontains=filters.actor)
        )
        rows = rows.filter(actor__in=list(people.values_list("public_id", flat=True)[:200]))
    return rows


def lines(events: Iterable[AuditEvent]) -> list[EventLine]:
    events = list(events)
    told = {one.pk: _PERSON.findall(f"{one.subject} {one.data}") for one in events}
    others = {uuid.UUID(one) for found in told.values() for one in found}
    names = projects.names_of([*(event.actor for event in events), *others])
    by_text = {str(key): name for key, name in names.items()}
    return [EventLine(event, by_text.get(str(event.actor), ""), by_text) for event in events]


def verbs_of(project: Project) -> list[str]:
    rows = AuditEvent.objects.filter(project=project).order_by("verb")
    return list(rows.values_list("verb", flat=True).distinct())


def seal_of(project: Project) -> Seal:
    rows = AuditEvent.objects.filter(project=project)
    last = rows.aggregate(last=Max("seq"))["last"]
    return Seal(last or 0, rows.filter(seq__isnull=True).count())


def as_records(project: Project, filters: EventFilters) -> Iterator[dict[str, Any]]:
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


class EventFilter(Filter):
    verb = forms.ChoiceField(label=gettext_lazy("Done"), required=False)
    actor = forms.CharField(
        label=gettext_lazy("By whom"),
        required=False,
        max_length=150,
        widget=forms.TextInput(attrs={"type": "search", "placeholder": gettext_lazy("By whom")}),
    )

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["verb"].choices = [  # type: ignore[attr-defined]
            ("", gettext_lazy("Everything that was done")),
            *((verb, deed(verb)) for verb in verbs_of(project)),
        ]

    def filters(self) -> EventFilters:
        return EventFilters(verb=self.given("verb") or "", actor=self.given("actor") or "")


@shows(permissions.OWNERS)
def audit(request: HttpRequest, scope: Scope) -> HttpResponse:
    """List what was done; `?check=1` reads the whole chain and says where it breaks, if it does."""
    form = EventFilter(request.GET, project=scope.project)
    shown = page(scope.project, form.filters(), after=request.GET.get("after", ""))
    query = request.GET.copy()
    query.pop("after", None)
    query["check"] = "1"
    checked = request.GET.get("check") == "1"
    context = {
        "form": form,
        "page": shown,
        "lines": lines(shown.rows),
        "seal": seal_of(scope.project),
        "checked": checked,
        **keyset.links(request.GET, shown),
        "check_url": f"?{query.urlencode()}",
        "file_url": f"events.jsonl?{query.urlencode()}",
        "broken": chain.broken_link(scope.project) if checked else None,
    }
    return render(request, "annotation/home/audit.html", context)


@shows(permissions.OWNERS)
def audit_jsonl(request: HttpRequest, scope: Scope) -> StreamingHttpResponse:
    """Send the events as lines of JSON; people by their public ids, not by their names."""
    filters = EventFilter(request.GET, project=scope.project).filters()

    def lines() -> Iterator[str]:
        for record in as_records(scope.project, filters):
            yield json.dumps(record, ensure_ascii=False) + "\n"

    name = f"{scope.project.slug}-audit.jsonl"
    return StreamingHttpResponse(
        lines(),
        content_type="application/x-ndjson; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )
