"""What a question says: by the API, on the page, in a bank file."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Annotated, ClassVar
from uuid import UUID

from pydantic import Field

from annotation.bank.checklists import FIELDS
from annotation.bank.models import MachineDraft, Question, QuestionVersion
from annotation.bank.rules import MAX_REPLY
from annotation.common.names import NameKind
from annotation.common.texts import MAX_TEXT
from annotation.domains.models import Difficulty, Priority, QuestionType
from annotation.people.rules import MAX_LANGUAGE
from evalsite import kinds
from evalsite.kinds import ByName, Choice, Day, Json, Moment, Whole, YesNo
from evalsite.kinds import gettext_noop as _
from evalsite.records import Ask, KeptAs, Record

Id = Annotated[int, Whole(1)]
Number = Annotated[int, Whole()]
Long = Annotated[str, kinds.Text()]
When = Annotated[datetime, Moment()]
Who = Annotated[UUID, kinds.Id()]
State = Annotated[str, kinds.choice(QuestionVersion.State)]
Life = Annotated[str, kinds.choice(Question.State), KeptAs("question.state")]
Difficult = Annotated[str, kinds.choice(Difficulty, empty=True), Ask(_("Difficulty"))]
Until = Annotated[
    Annotated[date, Day()] | None,
    Ask(_("Valid until"), _("Then it needs review.")),
]
Language = Annotated[str, kinds.Text(MAX_LANGUAGE), Ask(_("Language"), _("As en, de or zh."))]
Tags = Annotated[Sequence[Annotated[str, NameKind(100, empty=True)]], Ask(_("Tags"))]
Replies = Annotated[Mapping[str, str], ByName(MAX_REPLY)]


@dataclass(frozen=True, kw_only=True)
class VersionWords(Record):
    """What a version of a question says beside its messages. Anything may be missing in a draft."""

    answer: Annotated[str, kinds.Text(MAX_TEXT)] = ""
    key_points: Sequence[Long] = ()
    difficulty: Difficult = ""
    question_type: Annotated[str, kinds.choice(QuestionType, empty=True), Ask(_("Type"))] = ""
    as_of: Annotated[
        str,
        kinds.Text(40),
        Ask(_("As of"), _("The day for which the answer is right. Annotators see it.")),
    ] = ""
    valid_until: Until = None
    tags: Tags = ()
    language: Language = ""
    principle: Annotated[
        Long,
        Ask(
            _("Principle of this question"),
            _("Replaces the rubric’s principle."),
            rows=3,
        ),
    ] = ""
    meaning_changed: Annotated[bool, YesNo()] | None = None
    meaning_note: Annotated[str, kinds.Text(500)] = ""


@dataclass(frozen=True)
class Cited(Record):
    """A place in a version of a source; a passage stands from `start` up to `end`, in characters."""

    source_version_id: Annotated[Id, Field(alias="source_version")]
    locator: Annotated[str, kinds.Text(300), Field(alias="place")] = ""
    start: Number | None = None
    end: Id | None = None


@dataclass(frozen=True, kw_only=True)
class CitedOut(Cited):
    quote: Long


@dataclass(frozen=True, kw_only=True)
class MachineDrafted(Record):
    """What a machine drafted of a version."""

    part: Annotated[str, kinds.choice(MachineDraft.Part)]
    endpoint: Annotated[str, kinds.Text(120)]
    protocol: Annotated[str, kinds.Text(40)]
    prompts_sha: Annotated[str, kinds.Text(64)]
    at: When


@dataclass(frozen=True, kw_only=True)
class DraftedOut(MachineDrafted):
    component: ClassVar[str] = "MachineDrafted"

    version: Annotated[Number, KeptAs("version.number")]


@dataclass(frozen=True, kw_only=True)
class CommentIn(Record):
    text: Annotated[str, kinds.Text(empty=False)]
    field: Annotated[str, Choice(FIELDS, empty=True)] = ""


@dataclass(frozen=True, kw_only=True)
class CommentOut(CommentIn):
    version: Annotated[Number | None, KeptAs("version.number")]
    author: Annotated[Who, KeptAs("author.public_id")]
    at: When


@dataclass(frozen=True, kw_only=True)
class QuestionDraft(VersionWords):
    capability_id: Id | None = None
    domain_id: Id | None = None
    cited: Annotated[Sequence[Cited], KeptAs("citations")] = ()
    replies: Replies = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class WholeDraft(QuestionDraft):
    """Everything a draft says. It may be incomplete until it is submitted."""

    turns: Sequence[Mapping[str, str]] = ()


@dataclass(frozen=True, kw_only=True)
class TurnIn(Record):
    role: Annotated[str, Choice(("user", "assistant", "system"))] = "user"
    content: Annotated[str, kinds.Text(MAX_TEXT)]


@dataclass(frozen=True, kw_only=True)
class TextIn(QuestionDraft):
    """Everything a draft says; what is left out is empty. `rev` is the revision it goes by."""

    rev: Number | None = None
    external_id: Annotated[str, kinds.Text(200)] = ""
    turns: Sequence[TurnIn] = ()


@dataclass(frozen=True, kw_only=True)
class WaitingOut(Record):
    """A version that waits; who else has inspected it, and how, is not said."""

    id: Id
    external_id: Annotated[str, kinds.Text(), KeptAs("question.external_id")]
    number: Id
    state: State
    capability: Annotated[Long | None, KeptAs("capability.name")]
    domain: Annotated[Long | None, KeptAs("domain.name")]
    priority: Annotated[Annotated[str, kinds.choice(Priority)] | None, KeptAs("domain.priority")]
    difficulty: Difficult
    designer: Annotated[Who, KeptAs("author.public_id")]
    submitted_at: When | None


@dataclass(frozen=True, kw_only=True)
class VersionOut(WaitingOut, VersionWords):
    turns: Annotated[list[object], Json(list)]
    replies: Replies
    decided_at: When | None


@dataclass(frozen=True, kw_only=True)
class WholeOut(VersionOut):
    rev: Number
    capability_id: Id | None
    domain_id: Id | None
    saved_at: When


@dataclass(frozen=True, kw_only=True)
class QuestionOut(Record):
    """A question by its newest version; `id` is the question's."""

    id: Annotated[Id, KeptAs("question_id")]
    external_id: Annotated[str, kinds.Text(), KeptAs("question.external_id")]
    life: Life
    number: Id
    state: State
    rev: Number
    asked: Long
    capability_id: Id | None
    domain_id: Id | None
    difficulty: Difficult
    language: Language
    tags: Tags
    valid_until: Until
    author: Annotated[Who, KeptAs("author.public_id")]
    saved_at: When
