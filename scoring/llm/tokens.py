"""How many tokens a text has, roughly: without the tokenizer of the model, on the safe side.

A token is taken to be four characters of a text in Latin, Cyrillic or similar letters, and one
character of Chinese, Japanese or Korean: about what the tokenizers of today need or a little more.
What an endpoint counts itself always goes before this.
"""

import re
from collections.abc import Iterable, Mapping

from scoring.llm.base import Message

LETTERS_A_TOKEN = 4
#: What a server adds to each message: its role and the marks around it.
A_MESSAGE = 4
#: The mark with which the reply begins.
A_REPLY = 3

_WIDE = re.compile(
    "[\u1100-\u11ff\u2e80-\ua4cf\uac00-\ud7ff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]"
)


def of_text(text: str) -> int:
    """Return the tokens of a text, rounded up."""
    wide = len(_WIDE.findall(text))
    return wide - (-(len(text) - wide) // LETTERS_A_TOKEN)


def of_messages(messages: Iterable[Message]) -> int:
    """Return the tokens of a prompt."""
    return sum(of_text(one.content) + A_MESSAGE for one in messages) + A_REPLY


def of_stored(messages: Iterable[Mapping[str, str]]) -> int:
    """Return the tokens of messages as items and responses store them."""
    return of_messages(Message(one["role"], one["content"]) for one in messages)
