"""Bodies of the chat API as a scripted server reads and writes them."""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from scoring.llm import chat_api
from scoring.llm.base import Message, Reply, TokenChance
from scoring.llm.scripted import script as tokens
from scoring.llm.scripted import writing as objects
from scoring.llm.scripted.reading import SeenRequest
from scoring.llm.scripted.script import Script

MODEL = "scripted"
ANY_OBJECT = {"type": "object", "properties": {"text": {"type": "string"}}}
CODE = re.compile(r" [0-9a-f]{12,64}(?=>>>)")


class BadBody(Exception):
    """A request that the server refuses, with the code that says why."""

    def __init__(self, message: str, code: str = "invalid_request_error") -> None:
        super().__init__(message)
        self.code = code


def sha_of(messages: Sequence[Message], seed: int | None) -> str:
    """Return the hash from which a reply's chance comes.

    Codes of delimiters belong to a run and not to what is asked: two runs get the same replies.
    """
    text = json.dumps([[[one.role, one.content] for one in messages], seed])
    return hashlib.sha256(CODE.sub("", text).encode()).hexdigest()


def asked(body: Mapping[str, Any], script: Script) -> SeenRequest:
    """Return what a body asks for.

    Raises:
        BadBody: it is no request, or one for something that the script does not offer.
    """
    try:
        messages = tuple(Message(one["role"], _text(one["content"])) for one in body["messages"])
    except (KeyError, TypeError):
        raise BadBody("messages is missing or wrong.") from None
    if body.get("stream"):
        raise BadBody("This server does not stream.")
    wanted = body.get("logprobs")
    return SeenRequest(
        messages=messages,
        schema=_schema(body.get("response_format"), script) or _in_words(messages, body),
        temperature=body.get("temperature"),
        max_tokens=body.get("max_completion_tokens", body.get("max_tokens")),
        top_logprobs=body.get("top_logprobs", 0) if wanted else None,
        sha=sha_of(messages, body.get("seed")),
    )


def completion(replies: Sequence[Reply], model: str) -> dict[str, Any]:
    """Return the body of a chat completion; it says nothing of time, so that equal ones are equal."""
    return {
        "id": "scripted",
        "object": "chat.completion",
        "created": 0,
        "model": model,
        "choices": [_choice(place, reply) for place, reply in enumerate(replies)],
        "usage": _usage(
            replies[0].prompt_tokens or 0, sum(one.completion_tokens or 0 for one in replies)
        ),
        "system_fingerprint": replies[0].fingerprint,
    }


def echo(body: Mapping[str, Any], script: Script) -> dict[str, Any]:
    """Return a text completion that only repeats its prompt, with its log-probabilities.

    Raises:
        BadBody: more than an echo is wanted.
    """
    prompt = body.get("prompt")
    if not isinstance(prompt, str) or not body.get("echo") or body.get("max_tokens", 16):
        raise BadBody("This server completes no text: it repeats one prompt (echo, max_tokens 0).")
    pieces = tokens.cut(prompt, script)
    wanted = body.get("logprobs") is not None and script.logprobs
    return {
        "id": "scripted",
        "object": "text_completion",
        "created": 0,
        "model": body.get("model", MODEL),
        "choices": [
            {
                "index": 0,
                "text": prompt,
                "finish_reason": "length",
                "logprobs": _echoed(pieces, script) if wanted else None,
            }
        ],
        "usage": _usage(len(pieces), 0),
    }


def models(model: str) -> dict[str, Any]:
    return {
        "object": "list",
        "data": [{"id": model, "object": "model", "created": 0, "owned_by": "scripted"}],
    }


def error(message: str, code: str) -> dict[str, Any]:
    return {"error": {"message": message, "type": code, "code": code, "param": None}}


def _schema(wanted: Any, script: Script) -> Mapping[str, Any] | None:
    """Return the schema to keep to; an object without one is read from the prompt."""
    kind = wanted.get("type", "text") if isinstance(wanted, Mapping) else "text"
    offered = {True: ("json_schema", "json_object"), "object": ("json_object",)}
    if kind == "text":
        return None
    if kind not in offered.get(script.schema, ()):
        raise BadBody(f"response_format {kind} is not supported.")
    found = wanted.get("json_schema", {}).get("schema") if kind == "json_schema" else None
    if kind == "json_schema" and not isinstance(found, Mapping):
        raise BadBody("response_format.json_schema.schema is missing.")
    return found


def _in_words(messages: Sequence[Message], body: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the schema that the prompt asks for; any object, where JSON is to be held and none is shown."""
    said = chat_api.schema_in_words(messages[-1].content) if messages else None
    if said is not None or not body.get("response_format"):
        return said
    shown = any(objects.embedded(one.content) is not None for one in messages)
    return None if shown or body["response_format"].get("type") == "text" else ANY_OBJECT


def _text(content: Any) -> str:
    if isinstance(content, list):
        return "".join(part.get("text", "") for part in content)
    return content or ""


def _choice(place: int, reply: Reply) -> dict[str, Any]:
    return {
        "index": place,
        "message": {"role": "assistant", "content": reply.text, "refusal": None},
        "finish_reason": reply.finish,
        "logprobs": None if reply.tokens is None else {"content": _content(reply.tokens)},
    }


def _content(chances: Sequence[TokenChance]) -> list[dict[str, Any]]:
    return [
        {
            "token": one.token,
            "logprob": one.logprob,
            "bytes": None,
            "top_logprobs": [
                {"token": token, "logprob": logprob, "bytes": None} for token, logprob in one.others
            ],
        }
        for one in chances
    ]


def _usage(prompt: int, completion: int) -> dict[str, int]:
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
    }


def _echoed(pieces: list[str], script: Script) -> dict[str, Any]:
    """Return log-probabilities of a prompt: short tokens are likelier, the first one has none."""
    pairs = pairwise(pieces)
    logprobs = [
        round(-0.2 - 0.4 * len(piece) * tokens.number(script.seed, "echo", before, piece), 6)
        for before, piece in pairs
    ]
    ends = [0]
    for piece in pieces:
        ends.append(ends[-1] + len(piece))
    return {
        "tokens": pieces,
        "token_logprobs": [None, *logprobs][: len(pieces)],
        "top_logprobs": None,
        "text_offset": ends[:-1],
    }
