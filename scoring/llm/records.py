"""Requests and replies as a table of calls keeps them, and back again. Texts are kept apart, by hash.

* A model that answers from recorded calls only: to score again, and to see that a run says what it said.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from scoring.llm.base import Failed, Reply, Request, ToolCall, chances


def text_sha(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def of_messages(request: Request) -> list[list[Any]]:
    """Return pairs of a role and the hash of what it said; with calls of tools a third beside them."""
    return [
        [one.role, text_sha(one.content), *([beside] if (beside := one.beside()) else [])]
        for one in request.messages
    ]


def said(messages: Iterable[Sequence[Any]]) -> list[tuple[str, str]]:
    """Return role and hash of each message that `of_messages` wrote down."""
    return [(role, sha) for role, sha, *_beside in messages]


def beside(message: Sequence[Any]) -> Mapping[str, Any]:
    """Return what the chat API writes of such a message beside role and content."""
    found: Mapping[str, Any] = message[2] if len(message) > 2 else {}
    return found


def of_settings(request: Request) -> dict[str, Any]:
    """Return the parameters that were given; the others were left to the endpoint."""
    given = {name: getattr(request.settings, name) for name in request.settings.__slots__}
    return {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in given.items()
        if value is not None and value != ()
    }


def texts_of(request: Request) -> dict[str, str]:
    """Return the texts of a request by their hashes, its schema among them."""
    texts = {text_sha(one.content): one.content for one in request.messages}
    if request.schema is not None:
        texts[schema_sha(request)] = _schema(request)
    return texts


def schema_sha(request: Request) -> str:
    """Return the hash of the schema's text; nothing if no schema is given."""
    return "" if request.schema is None else text_sha(_schema(request))


def of_reply(reply: Reply) -> dict[str, Any]:
    """Return a reply without its text, counts and seconds, which have columns of their own."""
    record: dict[str, Any] = {"finish": reply.finish}
    if reply.fingerprint:
        record["fingerprint"] = reply.fingerprint
    if reply.cached_tokens:
        record["cached"] = reply.cached_tokens
    if reply.tool_calls:
        record["tool_calls"] = [[one.id, one.name, one.arguments] for one in reply.tool_calls]
    if reply.notes:
        record["notes"] = dict(reply.notes)
    if reply.tokens is not None:
        record["tokens"] = [
            [one.token, one.logprob, [list(other) for other in one.others]] for one in reply.tokens
        ]
    return record


def reply_from(
    record: Mapping[str, Any],
    text: str,
    *,
    prompt_tokens: int | None,
    completion_tokens: int | None,
    seconds: float,
) -> Reply:
    """Return the reply that a record was made of."""
    return Reply(
        text=text,
        finish=record["finish"],
        prompt_tokens=prompt_tokens,
        completion_tokens=completion_tokens,
        tokens=chances(record.get("tokens")),
        fingerprint=record.get("fingerprint", ""),
        seconds=seconds,
        tool_calls=tool_calls(record),
        notes=record.get("notes", {}),
        cached_tokens=record.get("cached"),
    )


def tool_calls(record: Mapping[str, Any] | None) -> tuple[ToolCall, ...]:
    """Return the tools that a recorded reply called."""
    return tuple(ToolCall(*one) for one in (record or {}).get("tool_calls", ()))


def _schema(request: Request) -> str:
    return json.dumps(request.schema, sort_keys=True, ensure_ascii=False)


#: The hash of a request, and which sample of it.
Key = tuple[str, int]


class NotRecorded(LookupError):
    """A request that no recorded call answers.

    It is no failure of a system or a server, and so none that a procedure may take for an outcome.
    """


class ReplayModel:
    """A ChatModel over recorded calls. A recorded failure fails again."""

    def __init__(self, calls: Mapping[Key, Reply | Failed]) -> None:
        self._calls = calls
        self._asked: set[Key] = set()

    async def reply(self, request: Request) -> Reply:
        """Return the recorded reply to a request.

        Raises:
            NotRecorded: there is none.
            Failed: as it did when it was recorded.
        """
        key = (request.sha(), request.repeat)
        try:
            recorded = self._calls[key]
        except KeyError:
            raise NotRecorded(
                f"No recorded call answers this request of the {request.role.value}"
                f" (part {request.part or '–'}, exchange {request.exchange}, sample {request.repeat})."
            ) from None
        self._asked.add(key)
        if isinstance(recorded, Failed):
            raise recorded
        return recorded

    @property
    def not_asked(self) -> list[Key]:
        """The recorded calls that nobody has asked for: a procedure that went another way leaves some."""
        return [key for key in self._calls if key not in self._asked]
