"""Contents and their fingerprints: the same content is the same thing, whatever its id."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

Message = Mapping[str, Any]


def canonical(value: object) -> bytes:
    """Return JSON that is equal for equal values: sorted keys, no spaces, UTF-8, text as it is.

    Raises:
        ValueError: a number that JSON cannot write.
        TypeError: a value that JSON does not know.
    """
    text = json.dumps(
        value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False
    )
    # Files hold half surrogate pairs now and then; they must not stop an import here.
    return text.encode("utf-8", "surrogatepass")


def prompt_sha(messages: Sequence[Message]) -> str:
    """Return the fingerprint of what a system saw."""
    return _sha("prompt 1", list(messages))


def content_sha(messages: Sequence[Message], reference: object = None, extra: object = None) -> str:
    """Return the fingerprint of what is put before a rater, reference answer and all."""
    return _sha("content 1", list(messages), reference, extra)


def response_sha(messages: Sequence[Message]) -> str:
    """Return the fingerprint of what a system answered."""
    return _sha("response 1", list(messages))


def as_messages(text: str, role: str = "user") -> list[dict[str, str]]:
    """Return a single text as a conversation of one message."""
    return [{"role": role, "content": text}]


def _sha(*parts: object) -> str:
    return hashlib.sha256(canonical(parts)).hexdigest()
