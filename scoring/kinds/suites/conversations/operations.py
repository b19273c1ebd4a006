"""Bring conversations in: a file or a request at a time, all of it or nothing."""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import PurePath
from typing import Any, Final

from django.db import transaction

from annotation.common import names
from annotation.common.sentences import gettext as _
from annotation.files import stored as room
from annotation.imports import uploading as recording
from annotation.imports.uploading import ConversationRecord
from annotation.people import audit
from annotation.people.models import Project, User
from annotation.systems import operations as systems
from annotation.systems.models import Response, SystemRelease
from evalsite import errors
from scoring.kinds.suites import keeping
from scoring.kinds.suites.models import Conversation, ConversationBatch, ConversationSet
from scoring.kinds.suites.protocol import files
from scoring.kinds.suites.protocol.files import FileTalk, UnreadableTalks

#: So much is written at once: a transaction stays short.
AT_ONCE: Final = 50
AT_ONCE_TEXT: Final = 2_000_000
#: Problems that are told; all are counted.
MOST_TOLD: Final = 20
MOST_ID: Final = 200

Open = Callable[[], Iterable[bytes]]


class BadConversations(errors.Invalid):
    """Something in the file is no conversation; nothing of it is brought in."""


class NoName(errors.Invalid): ...


@dataclass(frozen=True, slots=True)
class SetWish:
    """Where conversations go: into the set of this name, as what this release of a system said."""

    set_name: str
    system: str
    release: str = "1"
    file_name: str = ""


@dataclass(frozen=True, slots=True)
class Sent:
    """What tells one file or request from another, and how many bytes it has."""

    key: str
    size: int


@dataclass(frozen=True, slots=True)
class Brought:
    """`asked` is who somebody was only probably, by the role as the file has it: {"Agent": "assistant"}."""

    set: ConversationSet
    n: int
    n_known: int
    asked: Mapping[str, str] = field(default_factory=dict)


def bring_file(
    *, project: Project, wish: SetWish, open_file: Open, by: User, now: datetime
) -> Brought:
    """Bring the conversations of a file in. The same file again changes nothing.

    Args:
        project: where to.
        wish: under which names.
        open_file: gives the bytes of the file from its beginning, as often as it is called.
        by: who does.
        now: when.

    Raises:
        BadConversations: says which lines cannot be used and why.
        NoName: the set or the system has no name.
    """
    check(wish)
    stem = PurePath(names.of_file(wish.file_name)).stem[:80] or "conversation"

    def found() -> Iterator[FileTalk]:
        return files.read_talks(open_file(), name=stem)

    digest, size = hashlib.sha256(), 0
    for chunk in open_file():
        digest.update(chunk)
        size += len(chunk)
    _look(found)
    return _bring(project, wish, Sent(digest.hexdigest(), size), found(), by, now)


def bring_objects(
    *, project: Project, wish: SetWish, key: str, objects: Sequence[Any], by: User, now: datetime
) -> Brought:
    """Bring conversations of a request in. The same key again changes nothing.

    Raises:
        BadConversations: says which of them cannot be used and why.
        NoName: the set or the system has no name.
    """
    check(wish)
    if not objects:
        raise BadConversations(_("There is no conversation in it."))

    def found() -> Iterator[FileTalk]:
        return (
            files.of_object(one, number, key[:8]) for number, one in enumerate(objects, start=1)
        )

    _look(found)
    size = sum(len(json.dumps(one, ensure_ascii=False).encode()) for one in objects)
    sent = Sent(hashlib.sha256(key.encode()).hexdigest(), size)
    return _bring(project, wish, sent, found(), by, now)


@transaction.atomic
def responses_of(
    *, project: Project, wish: SetWish, objects: Sequence[Any], by: User, now: datetime
) -> list[int]:
    """Return the keys of the responses of conversations that were brought in, in their order."""
    release = _release(project, wish.system.strip(), wish.release.strip() or "1", by, now)
    found = [files.of_object(one, number, "") for number, one in enumerate(objects, start=1)]
    return recording.record_recording(
        project=project, release_id=release.pk, records=[_record(one) for one in found], now=now
    )


def check(wish: SetWish) -> None:
    """Refuse conversations of nothing.

    Raises:
        NoName: the set or the system has no name.
    """
    for name, said in (
        ("set_name", _("Give the conversations a name of up to 120 characters.")),
        ("system", _("Say which system took part in them.")),
    ):
        if not 1 <= len(getattr(wish, name).strip()) <= 120:
            raise NoName(said, fields={name: [said]})


def _look(found: Callable[[], Iterator[FileTalk]]) -> None:
    """Read everything once, so that nothing is written of what cannot be used."""
    told: list[str] = []
    n = n_bad = 0
    try:
        for one in found():
            n += 1
            problem = one.problem or _problem(one)
            if problem:
                n_bad += 1
                if len(told) < MOST_TOLD:
                    told.append(_("Line %(n)d: %(why)s") % {"n": one.line, "why": problem})
    except UnreadableTalks as problem:
        raise BadConversations(str(problem), fields={"file": [str(problem)]}) from problem
    if not n:
        raise BadConversations(_("There is no conversation in it."))
    if n_bad:
        head = _("%(bad)d of %(n)d conversations cannot be used; nothing was brought in.") % {
            "bad": n_bad,
            "n": n,
        }
        raise BadConversations(f"{head} {' '.join(told[:3])}", fields={"file": [head, *told]})


def _problem(one: FileTalk) -> str:
    assert one.conversation is not None
    if len(one.conversation.external_id) > MOST_ID:
        return _("The id is longer than %(most)d characters.") % {"most": MOST_ID}
    return ""


def _bring(
    project: Project, wish: SetWish, sent: Sent, found: Iterator[FileTalk], by: User, now: datetime
) -> Brought:
    home, release, batch = _begin(project, wish, sent, by, now)
    if batch.state == ConversationBatch.State.APPLIED:
        return Brought(home, 0, batch.n + batch.n_known)
    n = n_known = 0
    asked: dict[str, str] = {}
    for some in _portions(found):
        asked.update({role: who for one in some for role, who in one.asked.items()})
        made = _write(project, home, batch, release, some, now)
        n, n_known = n + made, n_known + len(some) - made
    # One that was stopped half-way is taken up again: what it wrote is known by then.
    with transaction.atomic():
        own = Conversation.objects.filter(batch=batch).count()
        ConversationBatch.objects.filter(pk=batch.pk).update(
            state=ConversationBatch.State.APPLIED, n=own, n_known=n + n_known - own
        )
        audit.record(
            project=project,
            actor=by,
            verb="conversations.brought",
            subject=f"conversation_set:{home.number}",
            at=now,
            n=own,
            release=release.pk,
        )
    return Brought(home, own, n + n_known - own, asked)


@transaction.atomic
def _begin(
    project: Project, wish: SetWish, sent: Sent, by: User, now: datetime
) -> tuple[ConversationSet, SystemRelease, ConversationBatch]:
    home = keeping.home_of(project=project, name=wish.set_name.strip(), by=by, now=now)
    release = _release(project, wish.system.strip(), wish.release.strip() or "1", by, now)
    whole = hashlib.sha256(f"{sent.key}\n{release.pk}".encode()).hexdigest()
    told = {"file_name": names.of_file(wish.file_name), "size": sent.size}
    batch, new = ConversationBatch.objects.get_or_create(
        set=home, key=whole, defaults={**told, "created_by": by, "created_at": now}
    )
    if new and (problem := room.trouble(project)):
        raise BadConversations(problem)
    return home, release, batch


def _release(project: Project, system: str, label: str, by: User, now: datetime) -> SystemRelease:
    """Return the release of these names, added if it is not there."""
    rows = SystemRelease.objects.filter(system__project=project, system__name=system)
    if found := rows.filter(label=label).first():
        return found
    home = project.systems.filter(name=system).first()
    if home is None:
        home = systems.create_system(project=project, name=system, by=by, now=now)
    return systems.add_release(system=home, label=label, by=by, now=now)


def _portions(found: Iterator[FileTalk]) -> Iterator[list[FileTalk]]:
    """Yield some conversations at a time: so many, or so much text."""
    some: list[FileTalk] = []
    size = 0
    for one in found:
        some.append(one)
        size += _size(one)
        if len(some) >= AT_ONCE or size >= AT_ONCE_TEXT:
            yield some
            some, size = [], 0
    if some:
        yield some


def _size(one: FileTalk) -> int:
    return sum(len(each.content) for each in one.conversation.messages) if one.conversation else 0


@transaction.atomic
def _write(
    project: Project,
    home: ConversationSet,
    batch: ConversationBatch,
    release: SystemRelease,
    some: Sequence[FileTalk],
    now: datetime,
) -> int:
    """Write some conversations; return how many the set had not."""
    keys = recording.record_recording(
        project=project, release_id=release.pk, records=[_record(one) for one in some], now=now
    )
    rows = Conversation.objects.filter(set=home, response__in=keys)
    known = set(rows.values_list("response_id", flat=True))
    made: dict[int, Conversation] = {}
    for one, key in zip(some, keys, strict=True):
        said = one.conversation
        if said is None or key in known or key in made:
            continue
        made[key] = Conversation(
            set=home,
            batch=batch,
            item_id=0,
            response_id=key,
            external_id=said.external_id,
            n_messages=len(said.messages),
            n_turns=len(said.turns),
            n_tool_calls=len(said.tool_calls),
            text="\n".join([said.system, *(each.content for each in said.messages)]).strip(),
        )
    items = dict(_items_of(list(made)))
    for key, row in made.items():
        row.item_id = items[key]
    Conversation.objects.bulk_create(made.values())
    return len(made)


def _items_of(responses: Sequence[int]) -> Iterator[tuple[int, int]]:
    rows = Response.objects.filter(pk__in=responses)
    yield from rows.values_list("pk", "item_id")


def _record(one: FileTalk) -> ConversationRecord:
    """Return what is stored: the opening is all before somebody answers, prompts of systems and all."""
    assert one.conversation is not None
    opening: list[Any] = []
    for message in one.messages:
        if message["role"] in {"system", "user"}:
            opening.append(message)
        else:
            break
    return ConversationRecord(
        external_id=one.conversation.external_id,
        opening=opening,
        messages=one.messages,
        details=one.details or {},
    )
