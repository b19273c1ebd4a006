"""What is random in an answer, and what stands in its place in a recording."""

import re

#: Each with the reason why it cannot be the same twice.
MASKS: tuple[tuple[re.Pattern[str], str, str], ...] = (
    (re.compile(r"nonce-[\w+/=-]+"), "nonce-*", "drawn for every answer"),
    (re.compile(r'nonce="[\w+/=-]+"'), 'nonce="*"', "drawn for every answer"),
    (
        re.compile(r'(name="csrfmiddlewaretoken" value=")\w+'),
        r"\1*",
        "drawn for every session",
    ),
    (re.compile(r'("X-CSRFToken": ")\w+'), r"\1*", "drawn for every session"),
)
#: Headers that are set anew with every answer.
UNSTEADY_HEADERS = frozenset({"Set-Cookie", "X-Request-Id", "Date", "Server-Timing"})


def masked(text: str) -> str:
    """Return a text without what is random."""
    for pattern, instead, _why in MASKS:
        text = pattern.sub(instead, text)
    return text
