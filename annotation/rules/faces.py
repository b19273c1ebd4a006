"""What is shown of a conversation: one text, the same for equal content."""

from collections.abc import Mapping, Sequence
from typing import Any

from annotation.rules import display, reasoning

#: Who may think aloud.
OF_SYSTEMS = frozenset({"assistant", "ai", "gpt", "model", "bot"})
ROLES = {"user": "User", "assistant": "Assistant", "system": "System", "tool": "Tool"}


def spoken(message: Mapping[str, Any]) -> str:
    """Return the words of a message; parts that are not text, and what a system thought aloud, are left out."""
    content = message.get("content")
    if str(message.get("role")) in OF_SYSTEMS:
        return reasoning.of_content(content).answer
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, Mapping)]
        return "\n\n".join(part for part in parts if isinstance(part, str))
    return ""


def conversation(messages: Sequence[Mapping[str, Any]]) -> str:
    """Return what is shown of a response: its text, or who said what if it has several messages."""
    if len(messages) == 1:
        return display.normalise(spoken(messages[0]))
    turns = [
        f"**{ROLES.get(str(message.get('role')), 'Assistant')}**\n\n{spoken(message)}"
        for message in messages
    ]
    return display.normalise("\n\n".join(turns))
