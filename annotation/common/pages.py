"""Texts of systems and people as they are put on curators' pages."""

from dataclasses import dataclass
from typing import Any

from django.utils.safestring import SafeString, mark_safe

from annotation.common import traces
from evalsite.text import markdown


@dataclass(frozen=True)
class ShownTurn:
    """A message as it is shown: who speaks, the safe page text, and the original."""

    role: str
    html: SafeString
    original: str


def rendered(text: str) -> SafeString:
    """Return Markdown as page text; the renderer lets nothing through that could act."""
    return mark_safe(markdown.render(text))  # noqa: S308 - sanitised by an allow-list


def turns(messages: list[dict[str, Any]]) -> list[ShownTurn]:
    """Return the messages of a conversation as they are shown."""
    return [
        ShownTurn(one.role, traces.worded(one.html), str(messages[one.number].get("content") or ""))
        for one in traces.entries(messages)
    ]
