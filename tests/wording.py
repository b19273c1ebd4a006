"""What a page says in the interface's own words, as tests of languages look at it.

A word on a page is the interface's, which was asked for by `gettext`, or content: it stands in the
database. What is neither is written into the code and stays as it is in every language.
"""

import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any

from django.apps import apps
from django.db import models
from django.http.response import HttpResponseBase
from django.utils import translation

from annotation.home.queries import list_templates

#: What `gettext` of Django asks, in whatever language it is.
WORDED: Any = vars(translation)["_trans"]
#: Attributes that a person reads or hears.
READ_ALOUD = {"alt", "title", "placeholder", "aria-label", "aria-description", "label"}
#: Of buttons alone: of other fields a value is content.
SAYS = re.compile(
    r"data-(?:short|says|saved|full|none|press|digit|reserved|taken|nothing|found|failed)$"
)
#: Names, signs and keys, which are the same in every language.
SAME = {
    "evalsite", "API", "CSV", "JSON", "JSONL", "XLSX", "HTML", "UTC", "MB", "UUID", "ASCII", "ID", "id",
    "Markdown", "Idempotency-Key", "Tab", "Ctrl", "Esc", "Shift", "Alt", "Enter", "Backspace", "Authorization",
    "Bearer", "CSRF", "Allow", "Accept", "Retry-After", "Content-Length", "Cohen", "fields", "next",
}  # fmt: skip
#: Where a script puts in a value.
PLACE = re.compile(r"\{\w*\}")
SILENT = {"style", "script", "code", "kbd", "math"}
VOID = {"area", "br", "col", "hr", "img", "input", "link", "meta", "path", "source", "track", "wbr"}
#: What a token is made for stands as a code behind its words.
SCOPE = re.compile(r"\((?:read|[a-z]+:write)\)")
LATIN = re.compile(r"[A-Za-z][A-Za-z’'-]+")
OPEN, CLOSE = "⟦", "⟧"
_WORDED = re.compile(f"{OPEN}[^{OPEN}{CLOSE}]*{CLOSE}")


class Asked:
    """What was asked for by `gettext`, and what there is no translation of."""

    def __init__(self, monkeypatch: Any) -> None:
        self.untranslated: set[str] = set()
        for name in ("gettext", "ngettext", "pgettext", "npgettext"):
            monkeypatch.setattr(WORDED, name, self._noting(name))

    def _noting(self, name: str) -> Any:
        whole = getattr(WORDED, name)
        has_context, has_plural = name.startswith(("p", "np")), name.startswith("n")

        def noting(*given: Any) -> str:
            said = whole(*given)
            texts = given[has_context : has_context + 1 + has_plural]
            if translation.get_language() != "en" and said in texts and unknown(said):
                self.untranslated.add(said)
            return str(said)

        return noting


def pseudo(monkeypatch: Any) -> None:
    """Have everything that is asked for by `gettext` stand in brackets."""
    for name in ("gettext", "ngettext", "pgettext", "npgettext"):
        whole = getattr(WORDED, name)
        monkeypatch.setattr(
            WORDED, name, lambda *given, whole=whole: f"{OPEN}{whole(*given)}{CLOSE}"
        )


class _Said(HTMLParser):
    """Collects what a page says; what is declared to be in another language says it in that."""

    def __init__(self) -> None:
        super().__init__()
        self.language = ""
        self._read_aloud: list[str] = []
        self._flow: list[str] = []
        #: The elements one is in, and whether each is silent.
        self._open: list[tuple[str, bool]] = []

    @property
    def texts(self) -> list[str]:
        """What stands in attributes, and the text of the page: a sentence may hold tags."""
        return [*self._read_aloud, "\n".join(self._flow)]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        is_foreign = given.get("lang", self.language) != self.language
        if tag == "html":
            self.language = given.get("lang") or ""
        if tag not in VOID:
            self._open.append((tag, tag in SILENT or is_foreign))
        if not self._is_silent:
            for name, value in given.items():
                if value and (name in READ_ALOUD or SAYS.match(name)):
                    self._read_aloud.append(value)

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        if data.strip() and not self._is_silent:
            self._flow.append(" ".join(data.split()))

    @property
    def _is_silent(self) -> bool:
        return any(silent for _tag, silent in self._open)


def said(response: HttpResponseBase) -> tuple[list[str], str]:
    """Return what an answer says to a person, and in which language it says it is."""
    kind = response.headers.get("Content-Type", "")
    body = b"".join(response.streaming_content) if response.streaming else response.content  # type: ignore[attr-defined]
    if kind.startswith("text/html"):
        page = _Said()
        page.feed(body.decode())
        return page.texts, page.language
    if kind.startswith("application/json"):
        return list(_messages(json.loads(body))), ""
    return [], ""


def _messages(told: Any, key: str = "") -> Iterator[str]:
    """Yield the sentences of an answer to a program: messages, and what is wrong with fields."""
    if isinstance(told, dict):
        for name, one in told.items():
            yield from _messages(one, "said" if key in {"fields", "said"} else name)
    elif isinstance(told, list):
        for one in told:
            yield from _messages(one, key)
    elif isinstance(told, str) and key in {"message", "said", "title", "label", "kind", "hint"}:
        yield told


def unknown(text: str, content: str = "") -> list[str]:
    """Return the pieces of a text that are neither names nor content."""
    pieces = re.findall(
        r"[A-Za-z][A-Za-z’'-]+(?:[ ,;:.!?()]+[A-Za-z’'-]+)*", PLACE.sub("", SCOPE.sub("", text))
    )
    return [
        one
        for one in pieces
        if one.casefold() not in content and not set(LATIN.findall(one)) <= SAME
    ]


def unworded(text: str, content: str) -> list[str]:
    """Return the pieces of a text that stand in no brackets and are no content."""
    while (bare := _WORDED.sub(" · ", text)) != text:
        text = bare
    return unknown(text, content)


def content() -> str:
    """Return every text of the database and of templates of projects, in small letters: what people brought."""
    found = [f"{one.name}: {one.summary} {one}" for one in list_templates()]
    for model in apps.get_models():
        if not model._meta.managed:
            continue
        fields = [
            one.attname
            for one in model._meta.concrete_fields
            if isinstance(one, models.CharField | models.TextField | models.JSONField)
        ]
        for row in model._default_manager.values_list(*fields):
            found += [one if isinstance(one, str) else str(one) for one in row if one]
    return " ".join(" ".join(found).split()).casefold()
