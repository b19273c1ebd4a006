"""The sources that a draft cites, as the rows of its editor.

* Forms of the bank: the filters of its list, and the editor of a draft with its buttons.
* What an editor sends to be looked at: messages, answer and key points, as JSON or as a form.
* The sheet of an inspection: a row for every line of the checklist, suggestions, a tried rubric.
"""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django import forms
from django.http import HttpRequest, QueryDict
from django.utils.translation import gettext, gettext_lazy
from django.utils.translation import gettext_lazy as _

from annotation.bank import operations as writing
from annotation.bank import questions
from annotation.bank import rules as bank
from annotation.bank.models import Question, QuestionVersion
from annotation.bank.records import VersionWords
from annotation.common import texts as common_texts
from annotation.common.forms import Filter, NameInput, RecordForm, initial_of
from annotation.domains.models import Difficulty
from annotation.domains.queries import capability_options, domain_options
from annotation.people import queries as settings
from annotation.people.models import Project
from annotation.people.rules import MAX_LANGUAGE
from annotation.sources.models import Source
from annotation.sources.records import SourceIn
from annotation.systems.forms import ItemFilter
from evalsite import errors
from evalsite.web import bodies


@dataclass(frozen=True)
class SourceRow:
    """A source that is cited, by the id of its version; a passage of it by its places."""

    version: int
    title: str
    locator: str = ""
    start: int | None = None
    end: int | None = None

    @property
    def passage(self) -> str:
        """The places as the page sends them; empty where none were marked."""
        return "" if self.start is None else f"{self.start}-{self.end}"

    def cited(self) -> writing.Cited:
        return writing.Cited(self.version, self.locator, self.start, self.end)


def places(text: str) -> tuple[int | None, int | None]:
    """Return the two places in "12-48"; none where it does not say so."""
    start, dash, end = text.partition("-")
    if dash and all(one.isascii() and one.isdigit() and len(one) < 10 for one in (start, end)):
        return int(start), int(end)
    return None, None


ORDER_NAMES = {
    bank.Order.NEWEST: _("Newest first"),
    bank.Order.OLDEST: _("Oldest first"),
    bank.Order.ID: _("By id"),
}
LOOK_NAMES = {
    "outdated": _("Expired questions"),
    "stale_source": _("Expired sources"),
    "changed_source": _("Changed sources"),
    "withdrawn_source": _("Withdrawn sources"),
    "returned": _("Returned to me"),
    "waiting": _("Waiting for inspection"),
    "old_draft": _("Old drafts"),
    "no_meaning": _("Meaning not said"),
}
Act = bank.Act


class QuestionFilter(Filter):
    text = forms.CharField(
        label=_("Search"),
        required=False,
        max_length=200,
        widget=forms.TextInput(attrs={"type": "search", "placeholder": _("Search")}),
    )
    state = forms.ChoiceField(
        label=_("State"),
        required=False,
        choices=[("", _("Any state")), *QuestionVersion.State.choices],
    )
    life = forms.ChoiceField(
        label=_("Life"), required=False, choices=[("", _("In use or not")), *Question.State.choices]
    )
    capability = forms.TypedChoiceField(label=_("Capability"), coerce=int, required=False)
    difficulty = forms.ChoiceField(
        label=_("Difficulty"),
        required=False,
        choices=[("", _("Any difficulty")), *Difficulty.choices],
    )
    domain = forms.TypedChoiceField(label=_("Area"), coerce=int, required=False)
    author = forms.TypedChoiceField(label=_("Author"), coerce=int, required=False)
    look = forms.ChoiceField(
        label=_("Needs review"),
        required=False,
        choices=[("", _("Needs review or not")), *LOOK_NAMES.items()],
    )
    tag = NameInput(
        label=_("Tag"),
        required=False,
        max_length=100,
        widget=forms.TextInput(attrs={"placeholder": _("Tag"), "size": 10}),
    )
    language = forms.CharField(
        label=_("Language"),
        required=False,
        max_length=MAX_LANGUAGE,
        widget=forms.TextInput(attrs={"placeholder": _("Language"), "size": 8}),
    )
    batch = forms.IntegerField(
        label=_("Number of an import"),
        required=False,
        min_value=1,
        max_value=2**31 - 1,
        widget=forms.NumberInput(attrs={"placeholder": _("Import"), "size": 6}),
    )
    origin = ItemFilter.declared_fields["origin"]
    order = forms.ChoiceField(
        label=_("Order"),
        required=False,
        choices=[(one.value, name) for one, name in ORDER_NAMES.items()],
    )

    #: Filters that are folded away until one of them is set.
    NARROW = ("life", "author", "look", "tag", "language", "batch", "order")

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        chosen: dict[str, list[tuple[Any, Any]]] = {
            "capability": [("", _("Any capability")), *capability_options(project)],
            "domain": [("", _("Any area")), *domain_options(project)],
            "author": [
                ("", _("Any author")),
                *((one.pk, one.display_name) for one in questions.authors(project)),
            ],
        }
        for name, options in chosen.items():
            self.fields[name].choices = options  # type: ignore[attr-defined]

    def filters(self) -> questions.BankFilters:
        def said(name: str) -> str:
            return str(self.given(name) or "")

        return questions.BankFilters(
            text=said("text"),
            state=said("state"),
            life=said("life"),
            capability=self.given("capability"),
            difficulty=said("difficulty"),
            domain=self.given("domain"),
            tag=said("tag"),
            language=said("language"),
            author=self.given("author"),
            look=said("look"),
            batch=self.given("batch"),
            origin=said("origin"),
        )

    @property
    def order_given(self) -> bank.Order:
        return bank.order(self.given("order") or "") or bank.Order.NEWEST

    @property
    def is_narrow(self) -> bool:
        """Whether one of the filters that are folded away is set."""
        return any(self.given(name) for name in self.NARROW)

    @property
    def in_sight(self) -> list[forms.BoundField]:
        return [field for field in self if field.name not in self.NARROW]

    @property
    def folded(self) -> list[forms.BoundField]:
        return [self[name] for name in self.NARROW]


@dataclass(frozen=True)
class TurnRow:
    role: str = "user"
    content: str = ""


#: What of a question's words stands on the page outside its details.
BESIDE = ("answer", "key_points", "meaning_changed", "meaning_note")


class QuestionDetailsForm(RecordForm, record=VersionWords, leave_out=BESIDE):
    """What stands beside question, answer and sources. Anything may be missing in a draft."""

    field_order = ("capability", "difficulty", "domain", "question_type")
    capability = forms.TypedChoiceField(
        label=_("Capability"), coerce=int, empty_value=None, required=False
    )
    domain = forms.TypedChoiceField(label=_("Area"), coerce=int, empty_value=None, required=False)
    tags = NameInput(
        label=_("Tags"), required=False, max_length=500, help_text=_("Between commas.")
    )

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, options in (
            ("capability", capability_options(project)),
            ("domain", domain_options(project)),
        ):
            self.fields[name].choices = [("", "–"), *options]  # type: ignore[attr-defined]
        if offered := settings.bank_of(project).languages:
            self._offer(offered)

    def _offer(self, languages: Sequence[str]) -> None:
        """Have an author choose a language; one that the question has already stays possible."""
        said = str(self.data.get(self.add_prefix("language"), "") if self.is_bound else "")
        now = [said or str(self.initial.get("language") or "")]
        codes = dict.fromkeys([*languages, *(one for one in now if one)])
        field = self.fields["language"]
        field.help_text = _("Set under Settings.")
        field.widget = forms.Select(choices=[("", "–"), *((one, one) for one in codes)])


#: What is said of a source on its own page only.
NOT_HERE = ("retrieved_on", "valid_from", "note", "publisher", "licence", "collection_id")


class NewSource(RecordForm, record=SourceIn, leave_out=NOT_HERE):
    """A source that is added while writing."""

    prefix = "new"
    field_order = ("title", "kind", "address", "locator", "valid_until", "text")
    title = NameInput(label=_("Title"), max_length=300, required=False)
    kind = forms.ChoiceField(label=_("Kind"), choices=Source.Kind.choices, required=False)
    locator = NameInput(label=_("Place"), max_length=300, required=False)
    text = forms.CharField(
        label=_("Text"), required=False, widget=forms.Textarea(attrs={"rows": 3})
    )


@dataclass
class QuestionEditor:
    """A draft as it stands on the page: what was typed, and what is wrong with it."""

    turns: list[TurnRow]
    answer: str
    key_points: str
    sources: list[SourceRow]
    details: QuestionDetailsForm
    new_source: NewSource
    meaning_changed: bool | None = None
    meaning_note: str = ""
    replies: dict[str, str] = field(default_factory=dict)
    problems: dict[str, list[str]] = field(default_factory=dict)
    message: str = ""
    #: What is shown is saved as a draft, though it could not be handed in.
    kept: bool = False

    def text(self) -> writing.WholeDraft:
        """Return what the operations take; what cannot be read in the details is left out."""
        self.details.is_valid()
        given = dict(self.details.cleaned_data)
        return writing.WholeDraft(
            **{f"{name}_id": given.pop(name) for name in ("capability", "domain") if name in given},
            **{**given, "tags": given.get("tags", "").split(",")},
            turns=[{"role": one.role, "content": one.content} for one in self.turns],
            answer=self.answer,
            key_points=self.key_points.splitlines(),
            cited=[one.cited() for one in self.sources],
            meaning_changed=self.meaning_changed,
            meaning_note=self.meaning_note,
            replies=self.replies,
        )

    def is_valid(self) -> bool:
        return self.details.is_valid()

    def show(self, message: str, problems: Mapping[str, Sequence[str]]) -> None:
        """Put a refusal where the person who was refused will look for it."""
        self.message = message
        self.problems = {name: list(said) for name, said in problems.items()}
        for name, said in self.problems.items():
            if name in self.details.fields and self.details.is_bound:
                self.details.add_error(name, said)


def posted(post: QueryDict, project: Project, titles: Mapping[int, str]) -> QuestionEditor:
    """Read what was sent; sources that the project does not have are left out."""
    roles, contents = post.getlist("role"), post.getlist("content")
    roles += ["user"] * (len(contents) - len(roles))
    turns = [
        TurnRow(role if role in {"user", "assistant", "system"} else "user", content)
        for role, content in zip(roles, contents, strict=False)
    ]
    cited = itertools.zip_longest(
        post.getlist("source"), post.getlist("locator"), post.getlist("passage"), fillvalue=""
    )
    rows = [
        SourceRow(int(pk), titles[int(pk)], place[:300], *places(passage))
        for pk, place, passage in cited
        if pk.isascii() and pk.isdigit() and int(pk[:18]) in titles
    ]
    return QuestionEditor(
        turns=turns[: common_texts.MAX_TURNS] or [TurnRow()],
        answer=post.get("answer", ""),
        key_points=post.get("key_points", ""),
        sources=rows,
        details=QuestionDetailsForm(post, project=project),
        new_source=NewSource(post if post.get("act") == "new_source" else None),
        meaning_changed={"yes": True, "no": False}.get(post.get("meaning_changed", "")),
        meaning_note=post.get("meaning_note", "")[:500],
        replies={
            name.removeprefix("reply-"): str(value)[: bank.MAX_REPLY]
            for name, value in post.items()
            if name.startswith("reply-")
        },
    )


def of_version(version: QuestionVersion, project: Project, rows: list[SourceRow]) -> QuestionEditor:
    """Return the editor of a draft as it was last saved."""
    initial = {
        **initial_of(VersionWords, version),
        "capability": version.capability_id,
        "domain": version.domain_id,
        "tags": ", ".join(version.tags),
    }
    return QuestionEditor(
        turns=[TurnRow(str(one["role"]), str(one["content"])) for one in version.turns]
        or [TurnRow()],
        answer=version.answer,
        key_points="\n".join(version.key_points),
        sources=rows,
        details=QuestionDetailsForm(initial=initial, project=project),
        new_source=NewSource(),
        meaning_changed=version.meaning_changed,
        meaning_note=version.meaning_note,
        replies=dict(version.replies),
    )


def empty(project: Project, given: QueryDict) -> QuestionEditor:
    """Return the editor of a question that is new; the address may say what it is about."""
    initial = {name: given.get(name, "") for name in ("capability", "difficulty", "domain")}
    return QuestionEditor(
        turns=[TurnRow()],
        answer="",
        key_points="",
        sources=[],
        details=QuestionDetailsForm(initial=initial, project=project),
        new_source=NewSource(),
    )


def applied(editor: QuestionEditor, act: str) -> bool:
    """Do what a button asks for: add, take out or move a turn or a source. False if it is none."""
    name, _colon, number = act.partition(":")
    place = int(number) if number.isascii() and number.isdigit() else 0
    turns = editor.turns
    if name == "add_turn":
        before = turns[-1].role if turns else "assistant"
        turns.append(TurnRow("assistant" if before == "user" else "user"))
    elif name == "drop_turn" and place < len(turns):
        del turns[place]
        if not turns:
            turns.append(TurnRow())
    elif name in {"up_turn", "down_turn"}:
        other = place + (-1 if name == "up_turn" else 1)
        if 0 <= other < len(turns) and place < len(turns):
            turns[place], turns[other] = turns[other], turns[place]
    elif name == "drop_source" and place < len(editor.sources):
        del editor.sources[place]
    elif name not in {"add_source", "preview"}:
        return False
    return True


def cite(editor: QuestionEditor, chosen: SourceRow | None) -> None:
    """Add a source to those that are cited, unless this place of it is cited already."""
    if chosen is not None and chosen not in editor.sources:
        editor.sources.append(chosen)


#: More than this is no question that somebody writes; it is not looked at.
MOST_SIGNS = 100_000
MOST_TURNS, MOST_POINTS = 100, 100


class NotAQuestion(errors.Invalid): ...


@dataclass(frozen=True)
class WrittenSoFar:
    """What somebody has written so far; `question` is the one that is edited, if it is in the bank."""

    turns: list[dict[str, str]]
    answer: str
    key_points: list[str]
    question: int | None

    @property
    def asked(self) -> list[str]:
        return [one["content"] for one in self.turns]


def read_sent(request: HttpRequest) -> WrittenSoFar:
    """Return what was sent: a JSON object, or a form with `role` and `content` for each message.

    Raises:
        bodies.BodyNotReadable: the body is no JSON object.
        NotAQuestion: something in it is of the wrong kind or too long; `fields` says what.
    """
    if request.content_type == "application/json":
        body: Mapping[str, Any] = bodies.json_body(request)
    else:
        roles, texts = request.POST.getlist("role"), request.POST.getlist("content")
        roles += ["user"] * (len(texts) - len(roles))
        body = {
            "turns": [
                {"role": role, "content": text} for role, text in zip(roles, texts, strict=False)
            ],
            "answer": request.POST.get("answer", ""),
            "key_points": request.POST.get("key_points", "").splitlines(),
            "question": request.POST.get("question") or None,
        }
    written = WrittenSoFar(
        _turns(body.get("turns", [])),
        _text("answer", body.get("answer", "")),
        [_text("key_points", one) for one in _list("key_points", body.get("key_points", []))],
        _number(body.get("question")),
    )
    if sum(map(len, (*written.asked, written.answer, *written.key_points))) > MOST_SIGNS:
        raise _wrong(
            "turns", gettext("This is longer than hints are given for. Shorten your texts.")
        )
    return written


def _turns(given: object) -> list[dict[str, str]]:
    turns = []
    for one in _list("turns", given):
        if not isinstance(one, dict):
            raise _wrong("turns", gettext("A message has a role and a content."))
        turns.append(
            {
                "role": _text("turns", one.get("role", "user")),
                "content": _text("turns", one.get("content", "")),
            }
        )
    return turns


def _list(field: str, given: object) -> list[Any]:
    if not isinstance(given, list) or len(given) > max(MOST_TURNS, MOST_POINTS):
        raise _wrong(field, gettext("Send a list of at most %(n)d.") % {"n": MOST_TURNS})
    return given


def _text(field: str, given: object) -> str:
    if not isinstance(given, str):
        raise _wrong(field, gettext("Send text here."))
    return given


def _number(given: object) -> int | None:
    if given is None:
        return None
    if isinstance(given, bool) or not str(given).isdecimal() or len(str(given)) > 18:
        raise _wrong(
            "question", gettext("Send the number of the question that is edited, or nothing.")
        )
    return int(str(given))


def _wrong(field: str, message: str) -> NotAQuestion:
    return NotAQuestion(message, fields={field: [message]})


#: What the fields of a question are called on pages.
FIELD_NAMES = {
    "turns": gettext_lazy("Question"),
    "answer": gettext_lazy("Standard answer"),
    "key_points": gettext_lazy("Key points"),
    "capability": gettext_lazy("Capability"),
    "domain": gettext_lazy("Domain"),
    "difficulty": gettext_lazy("Difficulty"),
    "question_type": gettext_lazy("Type"),
    "principle": gettext_lazy("Principle"),
    "sources": gettext_lazy("Sources"),
    "as_of": gettext_lazy("As of"),
    "valid_until": gettext_lazy("Valid until"),
    "tags": gettext_lazy("Tags"),
    "language": gettext_lazy("Language"),
}
SUGGESTED_NAMES = {**FIELD_NAMES, "question": gettext_lazy("Question")}
