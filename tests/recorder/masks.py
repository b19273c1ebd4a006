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
    (re.compile(r'("(?:X-CSRFToken|csrf)": ")\w+'), r"\1*", "drawn for every session"),
    (re.compile(r'(name="key" value=")[0-9a-f-]{36}'), r"\1*", "of a form, so that it counts once"),
    (re.compile(r'(name="seed" value=")\d+'), r"\1*", "proposed by chance"),
    (re.compile(r"(/join/)[\w-]{20,}"), r"\1*", "of a link"),
    (re.compile(r"(/password/)[0-9a-f-]{36}/[\w-]+"), r"\1*", "of a link"),
)
#: Headers that are set anew with every answer.
UNSTEADY_HEADERS = frozenset(
    {"Set-Cookie", "X-Request-Id", "X-Request-ID", "Date", "Server-Timing"}
)


def masked(text: str) -> str:
    """Return a text without what is random."""
    for pattern, instead, _why in MASKS:
        text = pattern.sub(instead, text)
    return text
