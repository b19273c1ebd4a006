"""The chat API as servers speak it: a request as a body, a body as a reply. No network here."""

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from annotation.common import reasoning
from scoring.llm import base, config

#: Seeds beyond this are refused by some servers.
SEEDS = 2**31
MAX_TOP_LOGPROBS = 20
#: What JSON can say and a database cannot: a chance of nothing.
NO_CHANCE = -9999.0
MAX_REASONING = 200_000
#: What a tool is called that was called without a name.
UNNAMED = "unnamed"
#: How a schema is asked for in words, where a server holds no model to it.
WISH = "Reply with one JSON object that follows this JSON schema, and nothing else:\n"


class NoReply(Exception):
    """A server answered, and what it answered is no reply; `reply` is what is paid for all the same."""

    def __init__(
        self, trouble: base.Trouble, message: str, reply: base.Reply | None = None
    ) -> None:
        super().__init__(message)
        self.trouble, self.reply = trouble, reply


def body(request: base.Request, endpoint: config.EndpointConfig) -> dict[str, Any]:
    """Return the body of a request, with what this endpoint is known to understand.

    A sample has a seed of its own: the request's, and one more with each repeat.
    """
    form = endpoint.form
    sent: dict[str, Any] = {
        **endpoint.options.get("body", {}),
        "model": endpoint.model,
        "messages": _messages(request, form),
        **_sampling(request, endpoint),
    }
    if effort := request.settings.effort or endpoint.options.get("effort"):
        sent["reasoning_effort"] = effort
    if request.settings.n is not None:
        sent["n"] = request.settings.n
    if request.schema is not None and form is not config.ReplyForm.TEXT:
        sent["response_format"] = response_format(request.schema, form)
    return sent


def response_format(schema: Mapping[str, Any], form: config.ReplyForm) -> dict[str, Any]:
    if form is config.ReplyForm.JSON_SCHEMA:
        named = {"name": "reply", "schema": dict(schema), "strict": True}
        return {"type": form.value, "json_schema": named}
    return {"type": form.value}


def _messages(request: base.Request, form: config.ReplyForm) -> list[dict[str, str]]:
    written = base.transcript(request.messages)
    if request.schema is None or form is config.ReplyForm.JSON_SCHEMA:
        return written
    # Said at the end of the last message: some servers refuse a second system message, or two
    # messages of one role in a row.
    schema = json.dumps(request.schema, ensure_ascii=False)
    wish = f"{WISH}{schema}"
    if not written:
        return [{"role": "user", "content": wish}]
    last = written[-1]
    return [*written[:-1], {**last, "content": f"{last['content']}\n\n{wish}"}]


def schema_in_words(text: str) -> Mapping[str, Any] | None:
    """Return the schema that the end of a message asks for; None where it asks for none."""
    _before, wish, written = text.rpartition(WISH)
    try:
        found = json.loads(written) if wish else None
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def _sampling(request: base.Request, endpoint: config.EndpointConfig) -> dict[str, Any]:
    asked = request.settings
    wanted = {
        "temperature": asked.temperature,
        "top_p": asked.top_p,
        "stop": list(asked.stop) or None,
        "seed": None if asked.seed is None else (asked.seed + request.repeat) % SEEDS,
        "logprobs": None if asked.top_logprobs is None else True,
    }
    sent: dict[str, Any] = {
        name: value
        for name, value in wanted.items()
        if value is not None and not endpoint.leaves_out(name)
    }
    if asked.max_tokens is not None:
        sent[endpoint.limit_name] = asked.max_tokens + endpoint.thinking_room
    if "logprobs" in sent and asked.top_logprobs:
        sent["top_logprobs"] = min(asked.top_logprobs, MAX_TOP_LOGPROBS)
    return sent


def read_body(raw: bytes) -> dict[str, Any]:
    """Return a server's body as an object.

    Raises:
        NoReply: it is not JSON, or not an object.
    """
    try:
        found = json.loads(raw, parse_constant=lambda _name: None)
    except (ValueError, RecursionError):
        raise NoReply(
            base.Trouble.GARBAGE,
            "The server's answer is not JSON. Is the address right?",
            _salvaged(raw),
        ) from None
    if isinstance(found, list) and found and isinstance(found[0], dict) and "error" in found[0]:
        found = found[0]  # as Gemini answers an error
    if not isinstance(found, dict):
        message = "The server's answer is not a JSON object."
        raise NoReply(base.Trouble.GARBAGE, message, _salvaged(raw))
    return found


def _salvaged(raw: bytes) -> base.Reply | None:
    """Return what a broken body says of its tokens: it may have been paid for. None if it says nothing."""
    found = {
        name.decode(): int(number) for name, number in _TOKENS.findall(raw) if int(number) < SEEDS
    }
    if not found:
        return None
    return base.Reply("", "", found.get("prompt_tokens"), found.get("completion_tokens"))


_TOKENS = re.compile(rb'"(prompt_tokens|completion_tokens)"\s*:\s*(\d{1,10})')


def reply(
    payload: Mapping[str, Any], *, seconds: float, form: str = "", takes_calls: bool = False
) -> base.Reply:
    """Return the reply that a body holds; with `takes_calls` one that only calls tools is no empty one.

    Raises:
        NoReply: it holds none, an empty one, or one that a filter withheld.
    """
    return _read(payload, _choice(payload), seconds, form, takes_calls=takes_calls)


def replies(payload: Mapping[str, Any], *, seconds: float, form: str = "") -> base.Reply:
    """Return the replies to a request for several as one; there may be fewer than were asked for.

    Raises:
        NoReply: none of them holds any text; says why of the first.
    """
    _choice(payload)
    made: list[base.Reply] = []
    problem: NoReply | None = None
    for choice in payload["choices"]:
        if not isinstance(choice, Mapping):
            continue
        try:
            made.append(_read(payload, choice, seconds, form))
        except NoReply as nothing:
            problem = problem or nothing
            withheld = nothing.trouble is base.Trouble.FILTERED
            came = nothing.reply or base.Reply("")
            made.append(replace(came, text="", finish="content_filter" if withheld else "stop"))
    whole = next((one for one in made if one.text), None)
    if whole is None:
        assert problem is not None
        raise problem
    return base.packed(made, like=whole)


def _read(
    payload: Mapping[str, Any],
    choice: Mapping[str, Any],
    seconds: float,
    form: str,
    *,
    takes_calls: bool = False,
) -> base.Reply:
    message = choice.get("message")
    message = message if isinstance(message, Mapping) else {}
    finish = _finish(choice)
    text = _text(message.get("content"))
    refusal = clean(message.get("refusal"))
    calls = tool_calls(message)
    n_prompt, n_completion = usage_of(payload)
    # Read before it is judged: what cannot be used is paid for as well.
    found = base.Reply(
        text=text if text.strip() else refusal,
        finish=finish,
        prompt_tokens=n_prompt,
        completion_tokens=n_completion,
        cached_tokens=cached_of(payload),
        tokens=_chances(choice.get("logprobs")),
        fingerprint=clean(payload.get("system_fingerprint")),
        seconds=seconds,
        tool_calls=calls,
        notes=_notes(payload, message, form),
    )
    if finish == BROKEN:
        why = "The server broke the reply off with an error of its own."
        raise NoReply(base.Trouble.GARBAGE, why, found)
    if finish == "content_filter":
        why = "The server's content filter withheld the reply."
        raise NoReply(base.Trouble.FILTERED, why, found)
    if not found.text.strip() and not (takes_calls and calls):
        raise NoReply(base.Trouble.EMPTY, _why_empty(found), found)
    return found


def _finish(choice: Mapping[str, Any]) -> str:
    """Return why a reply ended, in the chat API's own words, whatever a server calls it."""
    said = clean(choice.get("finish_reason")) or "stop"
    word = said.partition(":")[0].strip().lower()
    return _FINISHES.get(word, said)


BROKEN = "error"
_FINISHES = {
    "max_tokens": "length",
    "model_length": "length",
    "max_output_tokens": "length",
    "content_filter": "content_filter",
    "safety": "content_filter",
    "length": "length",
    "stop": "stop",
    "error": BROKEN,
}


def usage_of(payload: Mapping[str, Any]) -> tuple[int | None, int | None]:
    """Return how many tokens a server counted in the prompt and in the reply; None where it says nothing."""
    said = payload.get("usage")
    said = said if isinstance(said, Mapping) else {}
    n_prompt = _count(said.get("prompt_tokens", said.get("input_tokens")))
    n_reply = _count(said.get("completion_tokens", said.get("output_tokens")))
    n_all = _count(said.get("total_tokens"))
    if n_all is not None and n_prompt is not None and n_all - n_prompt > (n_reply or 0):
        # Some servers count reasoning in the total alone; it is paid for all the same.
        n_reply = n_all - n_prompt
    return n_prompt, n_reply


def cached_of(payload: Mapping[str, Any]) -> int | None:
    """Return how many tokens of the prompt a server had kept from before; None where it says nothing."""
    said = payload.get("usage")
    said = said if isinstance(said, Mapping) else {}
    within = said.get("prompt_tokens_details", said.get("input_tokens_details"))
    within = within if isinstance(within, Mapping) else {}
    names = ("prompt_cache_hit_tokens", "cache_read_input_tokens")
    found = (within.get("cached_tokens"), *(said.get(name) for name in names))
    n_cached = next((n for one in found if (n := _count(one)) is not None), None)
    n_prompt, _n_reply = usage_of(payload)
    return None if n_cached is None else min(n_cached, n_prompt or 0)


def counted(payload: Mapping[str, Any]) -> base.Reply | None:
    """Return what a body without a reply says of its tokens; None where it says nothing."""
    n_prompt, n_reply = usage_of(payload)
    if n_prompt is None and n_reply is None:
        return None
    return base.Reply("", "", n_prompt, n_reply, cached_tokens=cached_of(payload))


def tool_calls(message: Mapping[str, Any]) -> tuple[base.ToolCall, ...]:
    """Return the tools that a message calls, in the usual layout or that of older servers.

    A call without an id gets one by its place, so that its result can be sent back.
    """
    given = message.get("tool_calls")
    listed = given if isinstance(given, list) else []
    if not listed and isinstance(message.get("function_call"), Mapping):
        listed = [{"function": message["function_call"]}]
    return tuple(
        _tool_call(at, one) for at, one in enumerate(listed, start=1) if isinstance(one, Mapping)
    )


def _tool_call(at: int, one: Mapping[str, Any]) -> base.ToolCall:
    inner = one.get("function")
    said = inner if isinstance(inner, Mapping) else one
    given = said.get("arguments")
    if not isinstance(given, str):
        given = json.dumps(given if given is not None else {}, ensure_ascii=False)
    return base.ToolCall(
        clean(one.get("id")) or f"call_{at}", clean(said.get("name")) or UNNAMED, clean(given)
    )


def clean(value: object) -> str:
    """Return a server's text without what a database or a page cannot hold."""
    if not isinstance(value, str):
        return ""
    return value.encode("utf-8", "replace").decode().replace("\x00", "\N{REPLACEMENT CHARACTER}")


def error_of(payload: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return what a body says of an error; None where it says nothing of one."""
    said = payload.get("error")
    if not said:
        return None
    return said if isinstance(said, Mapping) else {"message": str(said)}


def words_of(said: Mapping[str, Any]) -> str:
    """Return what an error says, whatever its layout: a text, or a list of what is wrong with which field."""
    found = next((said[name] for name in ("message", "detail", "title") if said.get(name)), "")
    if not isinstance(found, str):
        found = json.dumps(found, ensure_ascii=False)
    return clean(found)


def _choice(payload: Mapping[str, Any]) -> Mapping[str, Any]:
    choices = payload.get("choices")
    if isinstance(choices, list) and choices and isinstance(choices[0], Mapping):
        first: Mapping[str, Any] = choices[0]
        return first
    message = "The server answered 200, but without a reply in it."
    raise NoReply(base.Trouble.GARBAGE, message, counted(payload) or base.Reply("", ""))


def _text(content: object) -> str:
    if isinstance(content, list):
        parts = (
            one.get("text")
            for one in content
            if isinstance(one, Mapping) and not reasoning.is_reasoning(one)
        )
        return clean("".join(part for part in parts if isinstance(part, str)))
    return clean(content)


def _thought(message: Mapping[str, Any]) -> str:
    """Return the reasoning that a server sends apart from the text, whatever it calls it."""
    content = message.get("content")
    parts = content if isinstance(content, list) else ()
    own = [one for one in parts if isinstance(one, Mapping) and reasoning.is_reasoning(one)]
    sent = [message.get(name) for name in ("reasoning_content", "reasoning", "thinking")]
    found = [words for one in (*sent, own) if (words := reasoning.words_of(one).strip())]
    if not found:
        found = [reasoning.words_of(message.get("reasoning_details")).strip()]
    return clean("\n\n".join(dict.fromkeys(found)))[:MAX_REASONING]


def _why_empty(found: base.Reply) -> str:
    thought = bool(found.notes.get("reasoning"))
    if found.tool_calls:
        return f"The reply has no text: it calls the tool “{found.tool_calls[0].name}”."
    if found.finish == "length" and thought:
        return base.ONLY_THOUGHT_CUT
    if found.finish == "length":
        return "The reply was empty: the limit of tokens was reached before any text. Raise it."
    return base.ONLY_THOUGHT if thought else "The reply was empty."


def _count(value: object) -> int | None:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    right = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < SEEDS
    return value if right and isinstance(value, int) else None


def _notes(
    payload: Mapping[str, Any], message: Mapping[str, Any], form: str
) -> dict[str, str | None]:
    said = {
        "form": form,
        "model": clean(payload.get("model")),
        "refusal": clean(message.get("refusal")),
        "reasoning": _thought(message),
    }
    return {name: value for name, value in said.items() if value}


def _chances(logprobs: object) -> tuple[base.TokenChance, ...] | None:
    content = logprobs.get("content") if isinstance(logprobs, Mapping) else None
    if not isinstance(content, Sequence) or isinstance(content, str):
        return None
    return tuple(
        base.TokenChance(
            token=clean(one.get("token")),
            logprob=_chance(one.get("logprob")),
            others=tuple(
                (clean(other.get("token")), _chance(other.get("logprob")))
                for other in one.get("top_logprobs") or ()
                if isinstance(other, Mapping)
            ),
        )
        for one in content
        if isinstance(one, Mapping)
    )


def _chance(value: object) -> float:
    if isinstance(value, int | float) and math.isfinite(value):
        return float(value)
    return NO_CHANCE
