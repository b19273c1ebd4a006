"""Several replies to one request as one reply, whose text is a JSON list, and back again.

A request for several is one call with one bill: it is stored, resumed, played back and paid for as such.
"""

import json
from collections.abc import Sequence
from typing import Any

from scoring.llm.base import Reply, TokenChance


def packed(replies: Sequence[Reply], *, like: Reply) -> Reply:
    """Return replies as one; counts, time and notes are those of `like`, which stands for the whole call."""
    text = json.dumps([_plain(one) for one in replies], ensure_ascii=False)
    return Reply(
        text=text,
        finish="stop",
        prompt_tokens=like.prompt_tokens,
        completion_tokens=like.completion_tokens,
        fingerprint=like.fingerprint,
        seconds=like.seconds,
        notes=like.notes,
    )


def unpacked(reply: Reply) -> list[Reply]:
    """Return the replies of a request for several; one that holds no text is among them."""
    return [
        Reply(
            text=one["text"],
            finish=one["finish"],
            tokens=_chances(one.get("tokens")),
            fingerprint=reply.fingerprint,
            notes=one.get("notes", {}),
        )
        for one in json.loads(reply.text)
    ]


def _plain(reply: Reply) -> dict[str, Any]:
    made: dict[str, Any] = {"text": reply.text, "finish": reply.finish}
    if reply.notes:
        made["notes"] = dict(reply.notes)
    if reply.tokens is not None:
        made["tokens"] = [[one.token, one.logprob, one.others] for one in reply.tokens]
    return made


def _chances(rows: Sequence[Any] | None) -> tuple[TokenChance, ...] | None:
    if rows is None:
        return None
    return tuple(
        TokenChance(token, logprob, tuple((word, chance) for word, chance in others))
        for token, logprob, others in rows
    )
