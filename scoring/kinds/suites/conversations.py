"""Bring conversations in: a file or a request at a time, all of it or nothing.

* Stored conversations: their list, and one with what metrics and judges said beside each turn.
* Forms of conversations: bringing a file of them in, and filters of their list.
"""

import hashlib
import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from pathlib import PurePath
from typing import Any, Final

from django import forms
from django.db import transaction
from django.db.models import Max, QuerySet
from django.http import Http404
from django.utils.translation import gettext_lazy

from annotation.common import names
from annotation.common.forms import Filter, NameField
from annotation.common.sentences import gettext as _
from annotation.files import stored as room
from annotation.imports import uploading as recording
from annotation.imports.uploading import Record
from annotation.people import audit
from annotation.people.models import Project, User
from annotation.systems import operations as systems
from annotation.systems.models import Response, SystemRelease
from evalsite import errors
from evalsite.web import keyset
from scoring.engine.models import Judgment, Run
from scoring.kinds.suites import keeping as suites
from scoring.kinds.suites import queries as suite_frame
from scoring.kinds.suites.models import Conversation, ConversationBatch, ConversationSet
from scoring.kinds.suites.protocol import completing_v1, files, tools_v1
from scoring.kinds.suites.protocol import conversations as talks
from scoring.kinds.suites.protocol.files import Found, UnreadableFile
from scoring.kinds.suites.queries import Frame
from scoring.shown import scripts as script_marks

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
class Wish:
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
    *, project: Project, wish: Wish, open_file: Open, by: User, now: datetime
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

    def found() -> Iterator[Found]:
        return files.read(open_file(), name=stem)

    digest, size = hashlib.sha256(), 0
    for chunk in open_file():
        digest.update(chunk)
        size += len(chunk)
    _look(found)
    return _bring(project, wish, Sent(digest.hexdigest(), size), found(), by, now)


def bring_objects(
    *, project: Project, wish: Wish, key: str, objects: Sequence[Any], by: User, now: datetime
) -> Brought:
    """Bring conversations of a request in. The same key again changes nothing.

    Raises:
        BadConversations: says which of them cannot be used and why.
        NoName: the set or the system has no name.
    """
    check(wish)
    if not objects:
        raise BadConversations(_("There is no conversation in it."))

    def found() -> Iterator[Found]:
        return (
            files.of_object(one, number, key[:8]) for number, one in enumerate(objects, start=1)
        )

    _look(found)
    size = sum(len(json.dumps(one, ensure_ascii=False).encode()) for one in objects)
    sent = Sent(hashlib.sha256(key.encode()).hexdigest(), size)
    return _bring(project, wish, sent, found(), by, now)


@transaction.atomic
def responses_of(
    *, project: Project, wish: Wish, objects: Sequence[Any], by: User, now: datetime
) -> list[int]:
    """Return the keys of the responses of conversations that were brought in, in their order."""
    release = _release(project, wish.system.strip(), wish.release.strip() or "1", by, now)
    found = [files.of_object(one, number, "") for number, one in enumerate(objects, start=1)]
    return recording.record_recording(
        project=project, release_id=release.pk, records=[_record(one) for one in found], now=now
    )


def check(wish: Wish) -> None:
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


def _look(found: Callable[[], Iterator[Found]]) -> None:
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
    except UnreadableFile as problem:
        raise BadConversations(str(problem), fields={"file": [str(problem)]}) from problem
    if not n:
        raise BadConversations(_("There is no conversation in it."))
    if n_bad:
        head = _("%(bad)d of %(n)d conversations cannot be used; nothing was brought in.") % {
            "bad": n_bad,
            "n": n,
        }
        raise BadConversations(f"{head} {' '.join(told[:3])}", fields={"file": [head, *told]})


def _problem(one: Found) -> str:
    assert one.conversation is not None
    if len(one.conversation.external_id) > MOST_ID:
        return _("The id is longer than %(most)d characters.") % {"most": MOST_ID}
    return ""


def _bring(
    project: Project, wish: Wish, sent: Sent, found: Iterator[Found], by: User, now: datetime
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
    project: Project, wish: Wish, sent: Sent, by: User, now: datetime
) -> tuple[ConversationSet, SystemRelease, ConversationBatch]:
    home = home_of(project=project, name=wish.set_name.strip(), by=by, now=now)
    release = _release(project, wish.system.strip(), wish.release.strip() or "1", by, now)
    whole = hashlib.sha256(f"{sent.key}\n{release.pk}".encode()).hexdigest()
    told = {"file_name": names.of_file(wish.file_name), "size": sent.size}
    batch, new = ConversationBatch.objects.get_or_create(
        set=home, key=whole, defaults={**told, "created_by": by, "created_at": now}
    )
    if new and (problem := room.trouble(project)):
        raise BadConversations(problem)
    return home, release, batch


def home_of(*, project: Project, name: str, by: User, now: datetime) -> ConversationSet:
    """Return the set of this name, made if it is not there. In the caller's transaction."""
    found = ConversationSet.objects.filter(project=project, name=name).first()
    if found is None:
        rows = ConversationSet.objects.filter(project=project)
        number = (rows.aggregate(last=Max("number"))["last"] or 0) + 1
        found = ConversationSet.objects.create(
            project=project, number=number, name=name, created_by=by, created_at=now
        )
    return found


def _release(project: Project, system: str, label: str, by: User, now: datetime) -> SystemRelease:
    """Return the release of these names, added if it is not there."""
    rows = SystemRelease.objects.filter(system__project=project, system__name=system)
    if found := rows.filter(label=label).first():
        return found
    home = project.systems.filter(name=system).first()
    if home is None:
        home = systems.create_system(project=project, name=system, by=by, now=now)
    return systems.add_release(system=home, label=label, by=by, now=now)


def _portions(found: Iterator[Found]) -> Iterator[list[Found]]:
    """Yield some conversations at a time: so many, or so much text."""
    some: list[Found] = []
    size = 0
    for one in found:
        some.append(one)
        size += _size(one)
        if len(some) >= AT_ONCE or size >= AT_ONCE_TEXT:
            yield some
            some, size = [], 0
    if some:
        yield some


def _size(one: Found) -> int:
    return sum(len(each.content) for each in one.conversation.messages) if one.conversation else 0


@transaction.atomic
def _write(
    project: Project,
    home: ConversationSet,
    batch: ConversationBatch,
    release: SystemRelease,
    some: Sequence[Found],
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


def _record(one: Found) -> Record:
    """Return what is stored: the opening is all before somebody answers, prompts of systems and all."""
    assert one.conversation is not None
    opening: list[Any] = []
    for message in one.messages:
        if message["role"] in {"system", "user"}:
            opening.append(message)
        else:
            break
    return Record(
        external_id=one.conversation.external_id,
        opening=opening,
        messages=one.messages,
        details=one.details or {},
    )


SIZE: Final = 30
#: A longer message is shown by its beginning, until somebody wants the whole.
SHOWN: Final = 10_000
RUNS: Final = 30
#: How a conversation ended that a system completed and could not go on with.
ENDED: Final = {
    completing_v1.NO_RESULT: gettext_lazy(
        "The conversation ends here: the system called a tool of which no result is recorded."
    ),
    completing_v1.ROUNDS: gettext_lazy(
        "The conversation ends here: the system called tools again and again without an answer."
    ),
}


@dataclass(frozen=True)
class Filters:
    """Which conversations: words said in them, a set, a release, whether tools were called."""

    text: str = ""
    set: int | None = None
    release: int | None = None
    tools: bool = False


@dataclass(frozen=True, slots=True)
class Value:
    """What was found of a part: `shown` is the value, or why there is none."""

    metric: str
    shown: str
    judge: str = ""
    text: str = ""
    scored: bool = True


@dataclass(frozen=True, slots=True)
class ToolLine:
    call: talks.ToolCall
    values: Sequence[Value]

    @property
    def arguments(self) -> str:
        return ", ".join(f"{name}: {value}" for name, value in talks.leaves(self.call.arguments))


@dataclass(frozen=True, slots=True)
class MessageLine:
    message: talks.Message
    calls: Sequence[ToolLine]
    values: Sequence[Value]
    whole: bool

    @property
    def shown(self) -> str:
        said = self.message.content
        return said if self.whole else said[:SHOWN]

    @property
    def is_of_another_call(self) -> bool:
        """Return whether it is the recorded result of a call with other arguments."""
        return bool(self.message.details.get(talks.RECORDED) == tools_v1.OTHER)

    @property
    def n_hidden(self) -> int:
        return len(self.message.content) - len(self.shown)


@dataclass(frozen=True, slots=True)
class TurnLine:
    turn: talks.Turn
    messages: Sequence[MessageLine]
    values: Sequence[Value]

    @property
    def number(self) -> int:
        return self.turn.index + 1


@dataclass(frozen=True)
class Shown:
    """A conversation as a page shows it, with the findings of a run beside it (or of none)."""

    row: Conversation
    run: Run | None = None
    whole: bool = False
    _found: Mapping[tuple[str, int], list[Value]] = field(default_factory=dict)

    @cached_property
    def talk(self) -> talks.Conversation:
        return suite_frame.read(self.row)

    @cached_property
    def turns(self) -> list[TurnLine]:
        return [
            TurnLine(
                turn,
                [self._message(one) for one in turn.messages],
                self._found.get((Judgment.Target.TURN, turn.index), []),
            )
            for turn in self.talk.turns
        ]

    @property
    def values(self) -> Sequence[Value]:
        """Return what was found of the conversation as a whole."""
        return self._found.get((Judgment.Target.RESPONSE, 0), [])

    @property
    def has_values(self) -> bool:
        return bool(self._found)

    @property
    def ended(self) -> str:
        """Return why a system did not go on with it; nothing where it did."""
        how = self.talk.details.get("ended")
        return str(ENDED.get(how, "")) if isinstance(how, str) else ""

    @property
    def details(self) -> list[tuple[str, str]]:
        return [(name, str(value)[:300]) for name, value in self.talk.details.items()]

    def _message(self, one: talks.Message) -> MessageLine:
        calls = [
            ToolLine(call, self._found.get((Judgment.Target.TOOL_CALL, call.index), []))
            for call in one.tool_calls
        ]
        return MessageLine(
            one, calls, self._found.get((Judgment.Target.MESSAGE, one.index), []), self.whole
        )


def of(project: Project) -> "QuerySet[Conversation]":
    rows = Conversation.objects.seen().filter(set__project=project)
    return rows.select_related("set", "item", "response__release__system").defer(
        "text", "response__messages", "response__details"
    )


def filtered(project: Project, filters: Filters) -> "QuerySet[Conversation]":
    rows = of(project)
    if filters.text:
        rows = rows.filter(text__icontains=filters.text)
    if filters.set:
        rows = rows.filter(set__number=filters.set)
    if filters.release:
        rows = rows.filter(response__release=filters.release)
    return rows.filter(n_tool_calls__gt=0) if filters.tools else rows


def page(rows: "QuerySet[Conversation]", after: str = "") -> "keyset.Page[Conversation]":
    return keyset.page(rows, by=["-pk"], after=after, size=SIZE)


def find(project: Project, pk: int) -> Conversation:
    """Return a conversation.

    Raises:
        Http404: there is none.
    """
    rows = Conversation.objects.seen().filter(set__project=project, pk=pk)
    found = rows.select_related("set", "item", "response__release__system").first()
    if found is None:
        raise Http404(_("There is no such conversation."))
    return found


def runs_of(row: Conversation) -> list[Run]:
    """Return the newest runs of suites that the conversation is part of."""
    rows = Run.objects.filter(project=row.set.project_id, kind=Run.Kind.SUITE)
    mine = rows.filter(judgments__response=row.response_id).distinct()
    return list(mine.order_by("-number")[:RUNS])


def shown(row: Conversation, run: Run | None, *, whole: bool = False) -> Shown:
    """Return a conversation with what a run found of it."""
    if run is None:
        return Shown(row, None, whole)
    frame = Frame(run)
    found: dict[tuple[str, int], list[Value]] = defaultdict(list)
    judgments = Judgment.objects.filter(run=run, response=row.response_id)
    for one in judgments.select_related("criterion").order_by("pk"):
        found[one.target_level, one.target_index or 0].append(_value(frame, one))
    return Shown(row, run, whole, dict(found))


def neighbours(row: Conversation) -> tuple[int | None, int | None]:
    """Return the keys of the conversations before and after it in its set."""
    rows = Conversation.objects.seen().filter(set=row.set_id)
    before = rows.filter(pk__lt=row.pk).order_by("-pk").values_list("pk", flat=True).first()
    after = rows.filter(pk__gt=row.pk).order_by("pk").values_list("pk", flat=True).first()
    return before, after


def _value(frame: Frame, one: Judgment) -> Value:
    entry = frame.entries.get(one.rater_id)
    name = entry.key if entry else one.criterion.name
    if entry and one.criterion.name not in {entry.name, entry.key}:
        name = f"{name} · {one.criterion.name}"
    judge = frame.judges.get(one.rater_id, "")
    if one.value is None:
        return Value(name, one.reason, judge, one.text, scored=False)
    said = f"{one.value:.6g}"
    return Value(name, f"{one.label} ({said})" if one.label else said, judge, one.text)


def as_plain(found: Shown) -> dict[str, Any]:
    """Return a conversation for programs: its messages as they came, and what was found of it."""
    return {
        "id": found.row.pk,
        "external_id": found.row.external_id,
        "set": found.row.set.name,
        "system": found.row.response.release.system.name,
        "release": found.row.response.release.label,
        "messages": found.row.response.messages,
        "details": found.row.response.details,
        script_marks.SCRIPTED: bool(script_marks.of_response(found.row.response)),
        "run": found.run.number if found.run else None,
    }


class ConversationsForm(forms.Form):
    """A file of conversations, and under which names it goes."""

    file = forms.FileField(
        label=gettext_lazy("File"),
        allow_empty_file=True,  # the operation says what is wrong with an empty one
        help_text=gettext_lazy(
            "JSONL with a conversation on each line, as in {“messages”: [{“role”, “content”}]}; a JSON "
            "list of them; or CSV with the columns conversation, role and content. Or the database "
            "with the results of FlexEval: its values come in as well."
        ),
    )
    set_name = NameField(
        label=gettext_lazy("Name of these conversations"),
        max_length=120,
        help_text=gettext_lazy("A name that is there already gets more conversations."),
    )
    system = NameField(
        label=gettext_lazy("System"),
        max_length=120,
        help_text=gettext_lazy("That took part in them."),
    )
    release = NameField(label=gettext_lazy("Release"), max_length=120, initial="1")

    def wish(self) -> Wish:
        given = self.cleaned_data
        return Wish(given["set_name"], given["system"], given["release"], given["file"].name)


class ConversationFilter(Filter):
    q = forms.CharField(
        label=gettext_lazy("Search"),
        required=False,
        max_length=200,
        widget=forms.TextInput(
            attrs={"type": "search", "placeholder": gettext_lazy("What was said")}
        ),
    )
    set = forms.TypedChoiceField(label=gettext_lazy("Set"), coerce=int, required=False)
    release = forms.TypedChoiceField(label=gettext_lazy("System"), coerce=int, required=False)
    tools = forms.BooleanField(label=gettext_lazy("With tool calls"), required=False)

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        sets = suites.sets_of(project)
        self.fields["set"].choices = [  # type: ignore[attr-defined]
            ("", gettext_lazy("Every set")),
            *((one.set.number, one.set.name) for one in sets),
        ]
        used = SystemRelease.objects.filter(
            system__project=project, responses__conversations__isnull=False
        )
        self.fields["release"].choices = [  # type: ignore[attr-defined]
            ("", gettext_lazy("Every system")),
            *((one.pk, str(one)) for one in used.distinct().select_related("system")[:200]),
        ]

    def filters(self) -> Filters:
        return Filters(
            text=self.given("q") or "",
            set=self.given("set"),
            release=self.given("release"),
            tools=bool(self.given("tools")),
        )
