"""What servers give beside chat, as bodies and replies: no network here.

WEIGH repeats a text through /completions (echo) and reads its log-probabilities; EMBED asks /embeddings.
SCORE asks /scores, a contract of our own for models that are served over HTTP (docs/operator.md):
`{"model", "inputs": [{"premise", "hypothesis"}]}` is answered by `{"scores": [number or null]}`.
"""

import base64
import json
import math
import struct
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Any, Final

from scoring.llm import chat_api
from scoring.llm.base import Ask, Reply, Request, TokenChance, Trouble
from scoring.llm.chat_api import NoReply

PATHS: Final[Mapping[Ask, str]] = {
    Ask.WEIGH: "/completions",
    Ask.EMBED: "/embeddings",
    Ask.SCORE: "/scores",
    Ask.MODERATE: "/moderations",
}

#: A server that names more categories than this is none that moderates.
MOST_CATEGORIES: Final = 60


def body(request: Request, model: str) -> dict[str, Any]:
    """Return the body of a request that asks for no chat."""
    texts = [one.content for one in request.messages]
    if request.ask in {Ask.EMBED, Ask.MODERATE}:
        return {"model": model, "input": texts}
    if request.ask is Ask.SCORE:
        return {"model": model, "inputs": [json.loads(text) for text in texts]}
    return {
        "model": model,
        "prompt": "".join(texts),
        "echo": True,
        "logprobs": 1,
        "max_tokens": request.settings.max_tokens or 0,
        "temperature": 0,
    }


def reply(payload: Mapping[str, Any], request: Request, *, seconds: float) -> Reply:
    """Return the reply that a body holds.

    Returns:
        Of WEIGH the last message with its tokens; of EMBED a JSON list of vectors, each base64 of
        little-endian 32-bit floats; of SCORE a JSON list of numbers and nulls; of MODERATE a JSON list of
        numbers by category, with 1 or 0 for “flagged”.

    Raises:
        NoReply: it holds none, or not as many as were asked for.
    """
    tokens: tuple[TokenChance, ...] | None = None
    if request.ask is Ask.WEIGH:
        text = request.messages[-1].content
        tokens = _weighed(payload, "".join(one.content for one in request.messages), len(text))
    elif request.ask is Ask.EMBED:
        text = json.dumps([_packed(one) for one in _embeddings(payload, len(request.messages))])
    elif request.ask is Ask.MODERATE:
        text = json.dumps(_moderated(payload, len(request.messages)))
    else:
        text = json.dumps(_scores(payload, len(request.messages)))
    usage = payload.get("usage")
    n_prompt = usage.get("prompt_tokens") if isinstance(usage, Mapping) else None
    return Reply(
        text=text,
        prompt_tokens=n_prompt if isinstance(n_prompt, int) and n_prompt >= 0 else None,
        completion_tokens=0,
        tokens=tokens,
        fingerprint=chat_api.clean(payload.get("system_fingerprint")),
        seconds=seconds,
    )


def vectors(text: str) -> list[tuple[float, ...]]:
    """Return the vectors of a reply to EMBED."""
    raws = [base64.b64decode(one) for one in json.loads(text)]
    return [struct.unpack(f"<{len(raw) // 4}f", raw) for raw in raws]


def _packed(vector: Sequence[float]) -> str:
    return base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode()


def _scores(payload: Mapping[str, Any], n: int) -> list[float | None]:
    found = payload.get("scores")
    if not isinstance(found, list) or len(found) != n:
        raise _garbage(f"The server answered without a list of {n} scores.")
    if not all(one is None or _is_number(one) for one in found):
        raise _garbage("A score of the server is neither a number nor null.")
    return [None if one is None else float(one) for one in found]


def _moderated(payload: Mapping[str, Any], n: int) -> list[dict[str, float]]:
    rows = payload.get("results")
    if not isinstance(rows, list) or len(rows) != n:
        raise _garbage(f"The server answered without {n} results of moderation.")
    return [_categories(one) for one in rows]


def _categories(row: object) -> dict[str, float]:
    found = row.get("category_scores") if isinstance(row, Mapping) else None
    if not isinstance(row, Mapping) or not isinstance(found, Mapping) or not found:
        raise _garbage("The server named no categories.")
    if len(found) > MOST_CATEGORIES or not all(map(_is_number, found.values())):
        raise _garbage("A category of the server has no number.")
    scores = {chat_api.clean(name)[:80]: float(one) for name, one in found.items()}
    return {"flagged": float(row.get("flagged") is True)} | scores


def _embeddings(payload: Mapping[str, Any], n: int) -> list[list[float]]:
    rows = payload.get("data")
    rows = [one for one in rows if isinstance(one, Mapping)] if isinstance(rows, list) else []
    by_place = {one.get("index", place): one.get("embedding") for place, one in enumerate(rows)}
    found = [by_place.get(place) for place in range(n)]
    made = [one for one in found if isinstance(one, list) and one and all(map(_is_number, one))]
    if len(rows) != n or len(made) != n or len({len(one) for one in made}) != 1:
        raise _garbage(f"The server answered without {n} vectors of one length.")
    return made


def _weighed(payload: Mapping[str, Any], prompt: str, n: int) -> tuple[TokenChance, ...]:
    """Return the tokens of the last `n` signs of a prompt; what was written after it is left out."""
    choices = payload.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    logprobs = choice.get("logprobs") if isinstance(choice, Mapping) else None
    logprobs = logprobs if isinstance(logprobs, Mapping) else {}
    tokens, chances = logprobs.get("tokens"), logprobs.get("token_logprobs")
    if not isinstance(tokens, list) or not isinstance(chances, list) or len(tokens) != len(chances):
        raise _garbage("The server told no log-probabilities of the text.")
    made = [
        TokenChance(chat_api.clean(token), float(chance))
        for at, token, chance in zip(_starts(logprobs, prompt), tokens, chances, strict=True)
        if len(prompt) - n <= at < len(prompt) and _is_number(chance)
    ]
    if not made:
        raise _garbage("The server told no log-probabilities of the text.")
    return tuple(made)


def _starts(logprobs: Mapping[str, Any], prompt: str) -> Iterator[int]:
    """Yield where each token begins in the prompt; a mark of the beginning stands before it."""
    tokens = [str(one) for one in logprobs["tokens"]]
    before = "".join(tokens).find(prompt)
    offsets = logprobs.get("text_offset")
    if before < 0:
        if not isinstance(offsets, list) or len(offsets) != len(tokens):
            raise _garbage("The server's tokens are not those of the text.")
        yield from (one if isinstance(one, int) else -1 for one in offsets)
        return
    ends = accumulate((len(one) for one in tokens[:-1]), initial=0)
    yield from (one - before for one in ends)


def _is_number(value: object) -> bool:
    right = isinstance(value, int | float) and not isinstance(value, bool)
    return right and isinstance(value, int | float) and math.isfinite(value)


def _garbage(message: str) -> NoReply:
    return NoReply(Trouble.GARBAGE, message)
