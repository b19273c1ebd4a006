"""Conversations and traces of agents as people read them: who speaks, tools called, what they gave.

A result of a tool stands with its call: by the call's id, or in order where neither side has one. What is
long is folded; names are covered by their places in the one text of the conversation (`texts.laid_out`). What a
round shows is kept: labels stand in it by code, and are put into words when it is read (`worded`).
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.template.loader import render_to_string
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext, gettext_noop, ngettext

from annotation.common import identity, parts, texts
from annotation.common.texts import PieceKind, SpokenPiece
from evalsite.text import markdown

Message = Mapping[str, Any]
Spans = Sequence[tuple[int, int]]
#: A message that is longer is folded where it is not what is graded; so are arguments and results.
LONG: Final = (1_200, 20)
LONG_DATA: Final = (400, 8)
EXCERPT: Final = 90
#: The labels of page text by their codes.
WORDS: Final[Mapping[str, str]] = {
    "user": gettext_noop("User"),
    "assistant": gettext_noop("Assistant"),
    "tool": gettext_noop("Tool result"),
    "system": gettext_noop("System prompt"),
    "call": gettext_noop("Tool call"),
    "result": gettext_noop("Result"),
    "error": gettext_noop("Error"),
    "as_written": gettext_noop("as written"),
    "no_arguments": gettext_noop("no arguments"),
    "no_result": gettext_noop("no result up to here"),
    "empty": gettext_noop("empty"),
    "image": gettext_noop("Image"),
}
_CODE: Final = re.compile(r'<span data-word="(\w+)"(?: data-n="(\d+)")?>[^<]*</span>')
_IMAGE: Final = re.compile(r"\[image(?:: ([^\]<]*))?\]")


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument of a call; its value as it would be typed."""

    key: str
    value: str

    @property
    def is_block(self) -> bool:
        return "\n" in self.value


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """What a tool gave: data as data, anything else as text."""

    html: SafeString
    data: str
    text: str
    is_error: bool

    @property
    def is_folded(self) -> bool:
        return is_long(self.data or self.text, LONG_DATA)

    @property
    def excerpt(self) -> str:
        return excerpt(self.text)


@dataclass(frozen=True, slots=True)
class CallFace:
    """A call of a tool; `given` is None where no result was recorded."""

    name: str
    arguments: list[Argument]
    given: ToolAnswer | None

    @property
    def is_folded(self) -> bool:
        return is_long("\n".join(one.value for one in self.arguments), LONG_DATA)


@dataclass(frozen=True, slots=True)
class TraceEntry:
    """A message as it is read, with its calls and what they gave; `number` counts messages from 0."""

    number: int
    role: str
    html: SafeString
    text: str
    is_folded: bool = False
    is_error: bool = False

    @property
    def title(self) -> str:
        """Return who speaks; a role that nobody knows as it is written."""
        return word(self.role) if self.role in WORDS else self.role

    @property
    def excerpt(self) -> str:
        return excerpt(self.text)

    @property
    def size(self) -> int:
        return len(self.text)


def word(code: str, n: int | None = None) -> SafeString:
    """Return a label of page text, to be put into words by `worded`; English meanwhile."""
    said = WORDS.get(code) or f"{n} {code}"
    count = "" if n is None else format_html(' data-n="{}"', n)
    return format_html('<span data-word="{}"{}>{}</span>', code, count, said)


def worded(html: str) -> SafeString:
    """Return page text that was made clean with its labels in the language of whoever reads it."""
    return mark_safe(_CODE.sub(_in_words, html))  # noqa: S308 - labels of our own


def _in_words(found: re.Match[str]) -> str:
    code, n = found[1], int(found[2] or 0)
    if code == "characters":
        return ngettext("%(n)d character", "%(n)d characters", n) % {"n": n}
    if code == "arguments":
        return ngettext("%(n)d argument", "%(n)d arguments", n) % {"n": n}
    return escape(gettext(WORDS[code])) if code in WORDS else found[0]


def is_trace(messages: Sequence[Message]) -> bool:
    """Say whether there is more to show than one text."""
    return len(messages) > 1 or any(texts.tool_calls(one) for one in messages)


def is_long(text: str, limit: tuple[int, int]) -> bool:
    return len(text) > limit[0] or text.count("\n") >= limit[1]


def excerpt(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= EXCERPT else f"{line[:EXCERPT]}…"


def html(
    messages: Sequence[Message], spans: Spans = (), *, uniform: bool = False, graded: bool = True
) -> SafeString:
    """Return a conversation as page text.

    Args:
        spans: places of its text (`texts.conversation`) that are covered.
        uniform: headings, bold text, lists and emoji are made alike.
        graded: it is what is graded, so that nothing that the system says is folded.
    """
    return shown(entries(messages, spans, uniform=uniform, graded=graded))


def shown(read: Sequence[TraceEntry]) -> SafeString:
    return mark_safe(render_to_string("includes/trace.html", {"entries": read}))  # noqa: S308 - a template


def entries(
    messages: Sequence[Message], spans: Spans = (), *, uniform: bool = False, graded: bool = False
) -> list[TraceEntry]:
    """Return the messages as they are read; a result of a tool is part of the message that called it."""
    reader = _TraceReader(messages, spans, uniform)
    return [
        reader.entry(at, graded=graded) for at in range(len(messages)) if at not in reader.given
    ]


class _TraceReader:
    """Reads one conversation: `given` are the messages that are results of a known call."""

    def __init__(self, messages: Sequence[Message], spans: Spans, uniform: bool) -> None:
        self._messages, self._uniform = messages, uniform
        text, pieces = texts.laid_out(messages)
        self._words = {}
        for piece in pieces:
            whose = (piece.message, piece.call)
            self._words.setdefault(whose, []).append((piece.kind, _covered(text, piece, spans)))
        self._results = parts.tied(messages)
        self.given = set(self._results.values())

    _words: dict[tuple[int, int | None], list[tuple[PieceKind, str]]]

    def entry(self, at: int, *, graded: bool) -> TraceEntry:
        role = str(self._messages[at].get("role") or "assistant")
        text = self._content(at)
        calls = [self._call(at, n) for n in range(len(texts.tool_calls(self._messages[at])))]
        if role == "tool":
            given = self._result(at)
            made = _part({"given": given, "calls": calls})
            return TraceEntry(at, role, made, text, given.is_folded, given.is_error)
        own = graded and role == "assistant"
        folded = role == "system" or (not own and is_long(text, LONG))
        made = self._markdown(text)
        if calls:
            made = _part({"content": made, "calls": calls})
        return TraceEntry(at, role, made, text, folded and not calls)

    def _content(self, at: int) -> str:
        return self._words[at, None][0][1]

    def _call(self, at: int, n: int) -> CallFace:
        name, arguments, key = "", [], ""
        for kind, words in self._words.get((at, n), ()):
            if kind is PieceKind.TOOL:
                name = words
            elif kind is PieceKind.KEY:
                key = words.removesuffix(":")
            else:
                arguments.append(Argument(key, words))
                key = ""
        result = self._results.get((at, n))
        return CallFace(name, arguments, None if result is None else self._result(result))

    def _result(self, at: int) -> ToolAnswer:
        text, message = self._content(at), self._messages[at]
        data = _as_data(text)
        return ToolAnswer(
            mark_safe("") if data else self._markdown(text),
            data,
            text,
            texts.failed(message),
        )

    def _markdown(self, text: str) -> SafeString:
        if texts.is_empty(text):
            return mark_safe("")
        made = markdown.render(texts.uniform(text) if self._uniform else text)
        return mark_safe(_IMAGE.sub(_placeholder, made))  # noqa: S308 - sanitised by an allow-list


def _part(context: Mapping[str, Any]) -> SafeString:
    return mark_safe(render_to_string("includes/trace_part.html", dict(context)))  # noqa: S308 - a template


def _placeholder(found: re.Match[str]) -> str:
    return render_to_string(
        "includes/trace_image.html",
        {"address": mark_safe(found[1] or "")},  # noqa: S308 - escaped
    ).strip()


def _covered(text: str, piece: SpokenPiece, spans: Spans) -> str:
    """Return the words of a piece, with what is covered in it."""
    inside = [
        (max(start, piece.start) - piece.start, min(end, piece.end) - piece.start)
        for start, end in spans
        if start < piece.end and piece.start < end
    ]
    return identity.mask(text[piece.start : piece.end], inside)


def _as_data(text: str) -> str:
    """Return an object or a list of JSON with a line for each of its parts; nothing for another text."""
    if text[:1] not in {"{", "["}:
        return ""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return ""
    return texts.literal(found) if isinstance(found, dict | list) else ""
