"""What a server's refusal means: which trouble it is, and what of its words may be repeated."""

import re
from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Any

from scoring.llm import base, chat_api

MAX_WORDS = 300
#: So much of a key in a row is a leak; servers like to repeat its beginning and end.
TELLING = 6
HIDDEN = "[key]"

_TOO_LONG = (
    "context_length_exceeded",
    "exceed_context_size",
    "exceeds the available context",
    "maximum context length",
    "context window",
    "context length",
    "maximum model length",
    "prompt is too long",
    "input is too long",
    "too many tokens",
)
_FILTERED = ("content_filter", "content_policy_violation", "content management policy")
_NO_MONEY = (
    "insufficient_quota",
    "billing_hard_limit",
    "insufficient balance",
    "credit balance",
    "billing_error",
)
_KEY = (
    "invalid_api_key",
    "incorrect api key",
    "invalid authentication",
    "authentication_error",
    "permission_error",
    "api key not valid",
    "api_key_invalid",
    "unauthenticated",
    "permission_denied",
)
#: What a server says of itself in an error of status 200, or in words beside a number.
_BUSY = ("rate_limit", "too many requests", "resource_exhausted")
_DOWN = ("overloaded", "unavailable", "server_error", "api_error", "internal")

_BY_STATUS = {
    401: base.Trouble.KEY,
    402: base.Trouble.KEY,
    403: base.Trouble.KEY,
    408: base.Trouble.TIMEOUT,
    409: base.Trouble.SERVER,
    413: base.Trouble.TOO_LONG,
    425: base.Trouble.SERVER,
    429: base.Trouble.RATE_LIMITED,
}
_SAID = {
    base.Trouble.RATE_LIMITED: "The server asks to wait (status {status}).",
    base.Trouble.SERVER: "The server failed (status {status}).",
    base.Trouble.TIMEOUT: "The server gave up waiting (status {status}).",
    base.Trouble.TOO_LONG: "The prompt is too long for this model (status {status}).",
    base.Trouble.FILTERED: "The server's content filter refused the prompt (status {status}).",
    base.Trouble.BAD_REQUEST: "The server refused the request (status {status}).",
    base.Trouble.REFUSED_ADDRESS: (
        "The server sends on to another address (status {status}), which is not followed. "
        "Give the address it sends to."
    ),
}


def failed(
    request: base.Request,
    trouble: base.Trouble,
    message: str,
    *,
    status: int | None = None,
    retry_after: float | None = None,
    reply: base.Reply | None = None,
) -> base.Failed:
    """Return the failure: the system's own where it plays the candidate, else the machinery's."""
    own = request.role is base.Role.CANDIDATE and trouble in base.OF_THE_SYSTEM
    kind = base.SystemFailed if own else base.MachineryFailed
    return kind(trouble, message, status=status, retry_after=retry_after, reply=reply)


def trouble_of(status: int, said: Mapping[str, Any]) -> base.Trouble:
    """Return what an error status means, with what the server's body says of it."""
    words = _words(said, "code", "type", "status", "message", "detail")
    if 300 <= status < 400:
        return base.Trouble.REFUSED_ADDRESS
    if status in {400, 429} and _has(words, _NO_MONEY):
        return base.Trouble.KEY
    if 400 <= status < 500 and status not in _BY_STATUS:
        return _of_words(words) or base.Trouble.BAD_REQUEST
    return _BY_STATUS.get(status, base.Trouble.SERVER)


def trouble_of_error(said: Mapping[str, Any]) -> base.Trouble:
    """Return what an error in a body of status 200 means; some name the status that they did not send."""
    code = said.get("code")
    if isinstance(code, int) and 400 <= code < 600:
        return trouble_of(code, said)
    words = _words(said, "code", "type", "status")
    if found := _of_words(words):
        return found
    if _has(words, _NO_MONEY):
        return base.Trouble.KEY
    if _has(words, _BUSY):
        return base.Trouble.RATE_LIMITED
    return base.Trouble.SERVER if _has(words, _DOWN) else base.Trouble.GARBAGE


def message_of(status: int, trouble: base.Trouble, said: Mapping[str, Any], *keys: str) -> str:
    """Return a refusal in words. What a server says to a wrong key is not repeated: it may hold it."""
    if trouble is base.Trouble.KEY:
        unpaid = status in {402, 429} or _has(_words(said, "code", "type", "message"), _NO_MONEY)
        why = "is out of quota or unpaid" if unpaid else "was not accepted"
        return f"The key {why} (status {status}). Set another key."
    text = _SAID.get(trouble, _SAID[base.Trouble.BAD_REQUEST]).format(status=status)
    words = without_key(chat_api.words_of(said), *keys)[:MAX_WORDS].strip()
    return f"{text} It says: {words}" if words else text


def without_key(text: str, *keys: str) -> str:
    """Return a text without the keys and without any telling piece of them."""
    for key in keys:
        text = _without(text, key)
    return text


def without_keys_in(raw: bytes, keys: Iterable[str]) -> bytes:
    """Return a body without whole keys: a server that repeats one would have it stored and shown."""
    for key in keys:
        if len(key) >= TELLING:
            raw = raw.replace(key.encode(), HIDDEN.encode())
    return raw


def _without(text: str, key: str) -> str:
    if not key:
        return text
    if len(key) <= TELLING:
        return text.replace(key, HIDDEN)
    covered = [False] * len(text)
    for start in range(len(key) - TELLING + 1):
        piece = key[start : start + TELLING]
        at = text.find(piece)
        while at >= 0:
            covered[at : at + TELLING] = [True] * TELLING
            at = text.find(piece, at + 1)
    return _hide(text, covered)


def retry_after(
    headers: Mapping[str, str], said: Mapping[str, Any] | None = None, now: datetime | None = None
) -> float | None:
    """Return how many seconds a server asks to wait: from its headers (lower-case names), else its body."""
    for name, divisor in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        seconds = _number(headers.get(name, ""))
        if seconds is not None:
            return seconds / divisor
    try:
        until = parsedate_to_datetime(headers.get("retry-after", ""))
    except (TypeError, ValueError):
        return _delay(said or {})
    try:
        # A date is measured by the clock of whoever wrote it; by ours where theirs is not told.
        written: datetime | None = parsedate_to_datetime(headers.get("date", ""))
    except (TypeError, ValueError):
        written = now
    try:
        return max((until - written).total_seconds(), 0.0) if written else None
    except TypeError:  # one of them names no zone
        return None


def _delay(said: Mapping[str, Any]) -> float | None:
    """Return the delay that Google's servers name in the details of an error: "27s"."""
    details = said.get("details")
    for one in details if isinstance(details, list) else ():
        told = one.get("retryDelay") if isinstance(one, Mapping) else None
        if isinstance(told, str) and told.endswith("s"):
            return _number(told[:-1])
    return None


#: What a server says of a parameter that it takes from nobody; values out of range are another matter.
_NOT_TAKEN = (
    "unsupported",
    "not supported",
    "does not support",
    "unknown name",
    "unknown field",
    "unknown parameter",
    "unrecognized",
    "extra_forbidden",
    "extra inputs are not permitted",
    "not permitted",
    "deprecated",
    "cannot both be specified",
    "not allowed",
)


def refused_parameters(message: str, sent: Collection[str]) -> list[str]:
    """Return which of the parameters that were sent a refusal names as not taken at all.

    Of two that cannot be sent together the later one is left out.
    """
    words = message.lower()
    if not _has(words, _NOT_TAKEN):
        return []
    named = [name for name in sent if re.search(rf"(?<![a-z_]){name}(?![a-z_])", words)]
    return named[-1:] if "cannot both" in words else named


def _number(raw: str) -> float | None:
    try:
        value = float(raw)
    except ValueError:
        return None
    return value if 0 <= value < 1e6 else None


def _of_words(words: str) -> base.Trouble | None:
    if _has(words, _TOO_LONG):
        return base.Trouble.TOO_LONG
    if _has(words, _FILTERED):
        return base.Trouble.FILTERED
    return base.Trouble.KEY if _has(words, _KEY) else None


def _words(said: Mapping[str, Any], *names: str) -> str:
    return " ".join(str(said.get(name) or "") for name in names).lower()


def _has(words: str, signs: tuple[str, ...]) -> bool:
    return any(sign in words for sign in signs)


def _hide(text: str, covered: list[bool]) -> str:
    out: list[str] = []
    for letter, hidden in zip(text, covered, strict=True):
        if not hidden:
            out.append(letter)
        elif not out or out[-1] != HIDDEN:
            out.append(HIDDEN)
    return "".join(out)
