"""The second form in which an OpenAI-compatible server is asked: /v1/responses.

Bodies are written and read as those of chat completions, and translated here on their way out and back,
so that whatever is found in a reply is found in both forms by the same rules. No network here.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

PATH = "/responses"
#: What the chat API knows and this form has no word for.
UNKNOWN = ("seed", "stop", "n")
_LOGPROBS = "message.output_text.logprobs"
#: Words of the chat API for why a reply is incomplete.
_WHY = {"max_output_tokens": "length", "content_filter": "content_filter"}


def body(sent: Mapping[str, Any]) -> dict[str, Any]:
    """Return the body of a chat completion as this form has it; nothing is kept by the server."""
    left = {name: value for name, value in sent.items() if name not in UNKNOWN}
    made: dict[str, Any] = {"input": list(_inputs(left.pop("messages", ()))), "store": False}
    for name in ("max_tokens", "max_completion_tokens"):
        if name in left:
            made["max_output_tokens"] = left.pop(name)
    if effort := left.pop("reasoning_effort", None):
        made["reasoning"] = {"effort": effort}
    if wish := left.pop("response_format", None):
        made["text"] = {"format": _format(wish)}
    if left.pop("logprobs", None):
        made["include"] = [_LOGPROBS]
    return {**left, **made}


def _format(wish: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": wish["type"], **wish.get("json_schema", {})}


def _inputs(messages: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    for one in messages:
        if one["role"] == "tool":
            yield {
                "type": "function_call_output",
                "call_id": one.get("tool_call_id", ""),
                "output": one["content"],
            }
            continue
        if one.get("content"):
            yield {"role": one["role"], "content": one["content"]}
        for call in one.get("tool_calls", ()):
            yield {"type": "function_call", "call_id": call["id"], **call["function"]}


def as_chat(payload: Mapping[str, Any]) -> dict[str, Any]:
    """Return a server's answer in this form as a chat completion; what is none is left as it is."""
    output = payload.get("output")
    if not isinstance(output, list):
        return dict(payload)
    items = [one for one in output if isinstance(one, Mapping)]
    choice = {"message": _message(items), "finish_reason": _finish(payload, items)}
    if chances := [one for part in _parts(items) for one in _list(part.get("logprobs"))]:
        choice["logprobs"] = {"content": chances}
    told = {name: payload[name] for name in ("id", "model", "usage", "error") if payload.get(name)}
    if payload.get("status") == "failed":
        told.setdefault("error", {"message": "The reply failed.", "code": "server_error"})
    # An answer without any item is no reply, and not an empty one.
    return {**told, "choices": [choice] if items else None}


def _message(items: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    texts = [_text(part, "text") for part in _parts(items) if part.get("type") == "output_text"]
    refused = [_text(part, "refusal") for part in _parts(items) if part.get("type") == "refusal"]
    thoughts = [
        _text(part, "text")
        for one in items
        if one.get("type") == "reasoning"
        for part in (*_list(one.get("summary")), *_list(one.get("content")))
        if isinstance(part, Mapping)
    ]
    calls = [
        {
            "id": one.get("call_id") or one.get("id"),
            "type": "function",
            "function": {"name": one.get("name"), "arguments": one.get("arguments")},
        }
        for one in items
        if one.get("type") == "function_call"
    ]
    found = {
        "role": "assistant",
        "content": "".join(texts) or None,
        "refusal": "".join(refused) or None,
        "reasoning_content": "\n\n".join(one for one in thoughts if one) or None,
        "tool_calls": calls,
    }
    return {name: value for name, value in found.items() if value}


def _finish(payload: Mapping[str, Any], items: Sequence[Mapping[str, Any]]) -> str:
    if payload.get("status") == "incomplete":
        why = payload.get("incomplete_details")
        reason = why.get("reason") if isinstance(why, Mapping) else ""
        return _WHY.get(str(reason), "length")
    calls = any(one.get("type") == "function_call" for one in items)
    return "tool_calls" if calls else "stop"


def _parts(items: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    for one in items:
        if one.get("type", "message") == "message":
            content = one.get("content")
            if isinstance(content, str):
                yield {"type": "output_text", "text": content}
            yield from (part for part in _list(content) if isinstance(part, Mapping))


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _text(part: Mapping[str, Any], name: str) -> str:
    found = part.get(name)
    return found if isinstance(found, str) else json.dumps(found) if found else ""
