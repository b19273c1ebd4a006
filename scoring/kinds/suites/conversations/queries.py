"""Stored conversations: their list, and one with what metrics and judges said beside each turn."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

from django.db.models import QuerySet
from django.http import Http404
from django.utils.translation import gettext_lazy

from annotation.common.sentences import gettext as _
from annotation.people.models import Project
from evalsite.web import keyset
from scoring.engine.models import Judgment, Run
from scoring.kinds.suites import queries as suite_frame
from scoring.kinds.suites.models import Conversation
from scoring.kinds.suites.protocol import completing_v1, tools_v1
from scoring.kinds.suites.protocol import conversations as talks
from scoring.kinds.suites.queries import Frame
from scoring.shown import scripts as script_marks

SIZE: Final = 30
#: A longer message is shown by its beginning, until somebody wants the whole.
SHOWN: Final = 10_000
RUNS: Final = 30
#: How a conversation ended that a system completed and could not go on with.
ENDED: Final = {
    completing_v1.NO_RESULT: gettext_lazy("Ended: a called tool has no recorded result."),
    completing_v1.ROUNDS: gettext_lazy("Ended: the system called tools without end."),
}


@dataclass(frozen=True)
class ConversationFilters:
    """Which conversations: words said in them, a set, a release, whether tools were called."""

    text: str = ""
    set: int | None = None
    release: int | None = None
    tools: bool = False


@dataclass(frozen=True, slots=True)
class FoundValue:
    """What was found of a part: `shown` is the value, or why there is none."""

    metric: str
    shown: str
    judge: str = ""
    text: str = ""
    scored: bool = True


@dataclass(frozen=True, slots=True)
class ToolLine:
    call: talks.ToolCall
    values: Sequence[FoundValue]

    @property
    def arguments(self) -> str:
        return ", ".join(f"{name}: {value}" for name, value in talks.leaves(self.call.arguments))


@dataclass(frozen=True, slots=True)
class MessageLine:
    message: talks.Message
    calls: Sequence[ToolLine]
    values: Sequence[FoundValue]
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
    values: Sequence[FoundValue]

    @property
    def number(self) -> int:
        return self.turn.index + 1


@dataclass(frozen=True)
class ShownConversation:
    """A conversation as a page shows it, with the findings of a run beside it (or of none)."""

    row: Conversation
    run: Run | None = None
    whole: bool = False
    _found: Mapping[tuple[str, int], list[FoundValue]] = field(default_factory=dict)

    @cached_property
    def talk(self) -> talks.Conversation:
        return suite_frame.stored_conversation(self.row)

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
    def values(self) -> Sequence[FoundValue]:
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


def conversations_of(project: Project) -> "QuerySet[Conversation]":
    rows = Conversation.objects.seen().filter(set__project=project)
    return rows.select_related("set", "item", "response__release__system").defer(
        "text", "response__messages", "response__details"
    )


def filtered(project: Project, filters: ConversationFilters) -> "QuerySet[Conversation]":
    rows = conversations_of(project)
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


def shown(row: Conversation, run: Run | None, *, whole: bool = False) -> ShownConversation:
    """Return a conversation with what a run found of it."""
    if run is None:
        return ShownConversation(row, None, whole)
    frame = Frame(run)
    found: dict[tuple[str, int], list[FoundValue]] = defaultdict(list)
    judgments = Judgment.objects.filter(run=run, response=row.response_id)
    for one in judgments.select_related("criterion").order_by("pk"):
        found[one.target_level, one.target_index or 0].append(_value(frame, one))
    return ShownConversation(row, run, whole, dict(found))


def neighbours(row: Conversation) -> tuple[int | None, int | None]:
    """Return the keys of the conversations before and after it in its set."""
    rows = Conversation.objects.seen().filter(set=row.set_id)
    before = rows.filter(pk__lt=row.pk).order_by("-pk").values_list("pk", flat=True).first()
    after = rows.filter(pk__gt=row.pk).order_by("pk").values_list("pk", flat=True).first()
    return before, after


def _value(frame: Frame, one: Judgment) -> FoundValue:
    entry = frame.entries.get(one.rater_id)
    name = entry.key if entry else one.criterion.name
    if entry and one.criterion.name not in {entry.name, entry.key}:
        name = f"{name} · {one.criterion.name}"
    judge = frame.judges.get(one.rater_id, "")
    if one.value is None:
        return FoundValue(name, one.reason, judge, one.text, scored=False)
    said = f"{one.value:.6g}"
    return FoundValue(name, f"{one.label} ({said})" if one.label else said, judge, one.text)


def as_plain(found: ShownConversation) -> dict[str, Any]:
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
