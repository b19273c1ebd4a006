"""What a server's answer shows of an ability. Answers are other people's: nothing in them is sure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.rules import reasoning
from scoring.llm import base, chat_api

#: No model says these by itself, so that a reply in this form was held to it.
SCHEMA = {
    "type": "object",
    "properties": {
        "shade": {"type": "string", "enum": ["umber", "ochre"]},
        "rank": {"type": "integer", "enum": [41, 43]},
    },
    "required": ["shade", "rank"],
    "additionalProperties": False,
}


def follows_schema(made: Any) -> bool:
    return (
        isinstance(made, dict)
        and made.keys() == {"shade", "rank"}
        and made["shade"] in ("umber", "ochre")
        and made["rank"] in (41, 43)
    )


@dataclass(frozen=True, slots=True)
class Said:
    """What a payload says: its answer, whether reasoning came too or all was cut off, or why there is none."""

    text: str
    reasons: bool = False
    cut: bool = False
    trouble: base.Trouble = base.Trouble.EMPTY
    problem: str = ""


def said(payload: Mapping[str, Any]) -> Said:
    """Return the answer in a payload, apart from its reasoning."""
    try:
        reply = chat_api.reply(payload, seconds=0.0)
    except chat_api.NoReply as nothing:
        came = nothing.reply or base.Reply("", "")
        reasons = bool(came.notes.get("reasoning"))
        return Said("", reasons, came.finish == "length", nothing.trouble, str(nothing))
    found = reasoning.split(reply.text)
    reasons = found.answer != reply.text or bool(reply.notes.get("reasoning"))
    cut = reply.finish == "length"
    why = base.ONLY_THOUGHT_CUT if cut else base.ONLY_THOUGHT
    return Said(found.answer.strip(), reasons, cut, problem=why)


def text(payload: Mapping[str, Any]) -> str:
    return said(payload).text


def tokens(payload: Mapping[str, Any]) -> Sequence[base.TokenChance]:
    try:
        return chat_api.reply(payload, seconds=0.0).tokens or ()
    except chat_api.NoReply:
        return ()


def is_short(payload: Mapping[str, Any], most: int) -> bool:
    """Say whether a limit of tokens was obeyed."""
    if first_choice(payload).get("finish_reason") == "length":
        return True
    usage = payload.get("usage")
    n = usage.get("completion_tokens") if isinstance(usage, Mapping) else None
    return isinstance(n, int) and n <= most


def first_choice(payload: Mapping[str, Any]) -> Mapping[str, Any]:
    choices = payload.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    return first if isinstance(first, Mapping) else {}


def pieces(tokens: Sequence[base.TokenChance], score: str) -> int:
    """Return over how many tokens a score is spread; 0 where it does not occur."""
    start = "".join(one.token for one in tokens).find(score)
    if start < 0:
        return 0
    return sum(first < start + len(score) and last > start for first, last in _spans(tokens))


def _spans(tokens: Sequence[base.TokenChance]) -> Iterator[tuple[int, int]]:
    at = 0
    for one in tokens:
        yield at, at + len(one.token)
        at += len(one.token)


def weighs_prompt(payload: Mapping[str, Any], prompt: str) -> bool:
    first = first_choice(payload)
    weights = first.get("logprobs")
    numbers = weights.get("token_logprobs") if isinstance(weights, Mapping) else None
    if not isinstance(numbers, list) or not str(first.get("text", "")).startswith(prompt):
        return False
    return sum(isinstance(one, float | int) for one in numbers) >= len(prompt.split()) - 1
