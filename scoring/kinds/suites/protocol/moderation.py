"""Moderation by an endpoint: how likely each part of a conversation is of a category of harmful content.

The endpoint is asked at /moderations, as OpenAI's and servers like it answer; the categories are its own.
It is a metric like others, but for that it asks somebody: others cannot wait for it.

References:
    Christie et al. (2024), FlexEval, section 3.1 (metrics that call a service).
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from scoring.kinds.suites.protocol import catalogue, evaluating
from scoring.kinds.suites.protocol.conversations import Conversation, Part, ToolCall, text_of
from scoring.kinds.suites.protocol.definition import MODERATION, Entry
from scoring.kinds.suites.protocol.evaluating import SCORED, SKIPPED, UNSCORED, Known
from scoring.llm import base
from scoring.llm.base import Ask, ChatModel, Request, Role, Trouble

FLAGGED: Final = "flagged"
_OWN: Final[Mapping[Trouble, str]] = {
    Trouble.TOO_LONG: "The text is too long for the endpoint.",
    Trouble.TIMEOUT: "The endpoint did not answer in time.",
    Trouble.GARBAGE: "What the endpoint sent could not be read.",
    Trouble.BAD_REQUEST: "The endpoint gives no moderation, or refuses this text.",
}

#: Place of the metric, place of the part, name, value, outcome, reason.
Row = list[Any]


async def moderate(
    model: ChatModel,
    conversation: Conversation,
    entries: Sequence[Entry],
    wanted: Sequence[int],
    known: Known,
) -> list[Row]:
    """Return what an endpoint says of every part of a conversation, as plain lists.

    Args:
        model: answers requests for moderation.
        conversation: that is looked at.
        entries: the suite's metrics.
        wanted: the places of those that this endpoint is asked for.
        known: the functions that they wait for.
    """
    made: list[Row] = []
    for at in wanted:
        entry = entries[at]
        for place, part in enumerate(catalogue.measured(conversation, entry.level)):
            if not conversation.has(part):
                continue
            why = evaluating.left_out(conversation, part, entry, entries, known)
            if why:
                made.append([at, place, entry.name, None, SKIPPED, why])
            else:
                made += await _found(model, part, at, place)
    return made


def request(part: Part) -> Request | None:
    """Return the request about a part; none where nothing is said in it."""
    text = "" if isinstance(part, ToolCall) else text_of(part)
    if not text.strip():
        return None
    return Request(
        role=Role.JUDGE, messages=(base.Message("user", text),), part=MODERATION, ask=Ask.MODERATE
    )


async def _found(model: ChatModel, part: Part, at: int, place: int) -> list[Row]:
    asked = request(part)
    if asked is None:
        return [[at, place, MODERATION, None, UNSCORED, evaluating.NOTHING]]
    try:
        reply = await model.reply(asked)
    except base.Failed as failed:
        if failed.trouble not in _OWN:
            raise
        return [[at, place, MODERATION, None, UNSCORED, _OWN[failed.trouble]]]
    (scores,) = json.loads(reply.text)
    return [[at, place, name, value, SCORED, ""] for name, value in scores.items()]
