"""One message of any maker: who speaks, its texts, images, reasoning, calls of tools and their results.

Raises:
    Unfit: something in it cannot be kept; it is named.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from annotation.common import reasoning
from annotation.common.texts import failed
from annotation.files.cells import Unfit, detail, storable, text

Message = dict[str, Any]
Raw = Mapping[str, Any]


def by_word(words: Mapping[str, str]) -> dict[str, str]:
    """Return the role of each word, of words by role."""
    return {word: role for role, some in words.items() for word in some.split()}


#: What a role is called elsewhere.
ROLES: Final = by_word(
    {
        "system": "system developer systemmessage",
        "user": "user human question prompter humanmessage humanmessagechunk",
        "assistant": (
            "assistant ai gpt bot chatbot model chatgpt answer aimessage aimessagechunk bing bard"
            " claude function_call tool_call tool_use"
        ),
        "tool": (
            "tool function observation function_response tool_response tool_result ipython"
            " toolmessage functionmessage"
        ),
    }
)
#: Who somebody probably is in a conversation between people: this is asked.
LIKELY: Final = by_word(
    {
        "assistant": (
            "agent tutor teacher advisor adviser support operator representative counselor counsellor"
            " therapist coach helper expert staff admin employee assistent assistente asistente 客服 助手"
        ),
        "user": (
            "customer student client caller visitor guest patient pupil learner buyer seeker person"
            " kunde cliente usuario 用户 客户 学生"
        ),
    }
)
#: Roles of those who speak through a call alone.
_CALLERS: Final = frozenset({"function_call", "tool_call", "tool_use"})

_WHO: Final = ("role", "from", "type", "speaker", "author", "sender")
SAID: Final = ("content", "value", "parts", "text", "utterance", "message", "body")
THOUGHT: Final = ("reasoning_content", "reasoning", "thinking", "reasoning_details")
_CALLS: Final = ("tool_calls", "invalid_tool_calls")
_CALL: Final = "function_call"
_IDS: Final = ("tool_call_id", "tool_use_id", "call_id")
PICTURES: Final = ("images", "image", "image_url")
_ARGUMENTS: Final = ("arguments", "args", "input", "parameters", "action")
#: What a message may hold that cannot be kept.
_NOT_KEPT: Final = ("audio", "attachments", "experimental_attachments", "files", "toolInvocations")
_READ: Final = frozenset(
    {*THOUGHT, *_CALLS, _CALL, *_IDS, *PICTURES, "name", "refusal"} | {"additional_kwargs"}
)


@dataclass(frozen=True, slots=True)
class SpeakerRoles:
    """Who is who.

    Args:
        told: what a person said of roles that are not known, folded: {"agent": "assistant"}.
        others: roles that nobody knows stay as they are, instead of being refused.
        asked: who somebody was taken for by a role that is only likely; None where such roles are refused.
    """

    told: Mapping[str, str] = field(default_factory=dict)
    others: bool = False
    asked: dict[str, str] | None = None

    def find(self, raw: Raw) -> str:
        """Return the role of a message.

        Raises:
            Unfit: it has none, or one that nobody knows.
        """
        written = self.written(raw)
        if not written:
            raise Unfit("no_role", raw)
        role = self.told.get(written) or ROLES.get(written) or (written if self.others else "")
        if self.asked is not None and written in LIKELY:
            role = role or LIKELY[written]
            self.asked[self.spelled(raw)] = role
        if not role:
            raise Unfit("unknown_role", next(raw[key] for key in _WHO if raw.get(key)))
        return role

    @staticmethod
    def written(raw: Raw) -> str:
        """Return the role folded; empty where there is none."""
        return SpeakerRoles.spelled(raw).casefold()

    @staticmethod
    def spelled(raw: Raw) -> str:
        """Return the role as it is written; empty where there is none."""
        found = next((raw[key] for key in _WHO if raw.get(key)), "")
        if isinstance(found, Mapping):
            found = found.get("role") or found.get("name") or ""
        return found.strip() if isinstance(found, str) else ""


STRICT: Final = SpeakerRoles()


# A message -----------------------------------------------------------------------------------


@dataclass(slots=True)
class MessageParts:
    """What one message says, while its parts are read."""

    role: str
    texts: list[str] = field(default_factory=list)
    thoughts: list[str] = field(default_factory=list)
    calls: list[Message] = field(default_factory=list)
    images: list[str] = field(default_factory=list)
    beside: Message = field(default_factory=dict)
    others: Message = field(default_factory=dict)
    is_thought: bool = False

    @property
    def is_empty(self) -> bool:
        return not (any(self.texts) or self.calls)

    def think(self, value: object) -> None:
        """Keep what is reasoning, once."""
        words = storable(reasoning.words_of(value))
        if words and words not in self.thoughts:
            self.thoughts.append(words)

    def show(self, address: str) -> None:
        """Keep an image by its address, shown where it stood."""
        mark = f"[image: {address}]" if address else "[image]"
        if address and address not in self.images:
            self.images.append(address)
        if not any(mark in one for one in self.texts):
            self.texts.append(mark)

    def part(self) -> None:
        """Keep reasoning that stands within what an assistant says apart from it."""
        if self.role == "assistant" and self.texts:
            parted = reasoning.split("\n".join(self.texts))
            self.texts = [parted.answer]
            self.think(parted.reasoning)

    def as_message(self, *, more: bool) -> Message:
        message: Message = {"role": self.role, "content": storable("\n".join(self.texts))}
        message |= self.beside
        for name, kept in (("tool_calls", self.calls), ("images", self.images)):
            if kept:
                message[name] = detail(list(kept))
        if self.thoughts:
            message["reasoning"] = "\n\n".join(self.thoughts)
        if more:
            return {**self.others, **message}
        return message | ({"error": True} if self.role == "tool" and failed(self.others) else {})


def numbered(raw: object, number: int, roles: SpeakerRoles) -> list[MessageParts]:
    try:
        if isinstance(raw, str):
            raise Unfit("no_conversation", raw)
        return list(_of_message(raw, roles))
    except Unfit as unfit:
        raise Unfit(unfit.code, unfit.found, **{"number": str(number), **unfit.facts}) from unfit


def _of_message(raw: object, roles: SpeakerRoles) -> Iterator[MessageParts]:
    if not isinstance(raw, Mapping):
        raise Unfit("no_conversation", raw)
    raw = _unwrapped(raw)
    kind = str(raw.get("type") or "").casefold()
    if "role" not in raw and kind in ITEMS:
        yield from _of_item(kind, raw)
        return
    if lost := next((name for name in _NOT_KEPT if raw.get(name)), ""):
        raise Unfit("not_kept", lost)
    said = next((key for key in SAID if key in raw and raw[key] not in (None, "")), "")
    content = raw.get(said)
    called = _calls_in_text(content) if roles.written(raw) in _CALLERS else []
    used = {said, next((key for key in _WHO if raw.get(key)), ""), "content"}
    others = {key: raw[key] for key in raw if key not in used | _READ}
    parts = _Parts(MessageParts(roles.find(raw), calls=called, beside=_beside(raw), others=others))
    for key in (key for key in THOUGHT if key in raw):
        parts.now.think(raw[key])
    parts.add(None if called else content)
    if raw.keys() & _READ:
        _add_beside(parts.now, raw)
    yield from parts.finished()


def _add_beside(now: MessageParts, raw: Raw) -> None:
    """Add what a message says beside its content."""
    if raw.get("refusal"):
        now.texts.append(text(raw["refusal"]))
    for key in PICTURES:
        for address in _addresses(raw.get(key)):
            now.show(address)
    now.calls += _calls_of(raw)


def _unwrapped(raw: Raw) -> Raw:
    """Return a message out of what stands around it."""
    if isinstance(inner := raw.get("data"), Mapping) and "content" in inner:
        return {"type": raw.get("type"), **inner}
    if raw.get("lc") and isinstance(inner := raw.get("kwargs"), Mapping):
        named = raw.get("id")
        kind = named[-1] if isinstance(named, list) and named else ""
        return {"type": kind, **inner}
    if isinstance(inner := raw.get("message"), Mapping):
        return inner
    return raw


def _beside(raw: Raw) -> Message:
    kept = {}
    if isinstance(raw.get("name"), str) and raw["name"]:
        kept["name"] = text(raw["name"])
    if own := next((raw[key] for key in _IDS if raw.get(key)), None):
        kept["tool_call_id"] = text(own)
    return kept


# The parts of a content ------------------------------------------------------------------------

_TEXTS: Final = frozenset({"", "text", "input_text", "output_text"})
_IMAGES: Final = frozenset({"image", "image_url", "input_image", "image_file"})
_USES: Final = frozenset({"tool_use", "server_tool_use", "function_call", "tool-call", "tool_call"})
_RESULTS: Final = frozenset({"tool_result", "tool-result", "function_call_output"})
#: Parts that say nothing.
_SILENT: Final = frozenset({"step-start", "step_start", "cache_point"})


class _Parts:
    """Reads the parts of one message: a result of a tool among them is a message of its own."""

    def __init__(self, now: MessageParts) -> None:
        self.now = now
        self._done: list[MessageParts] = []

    def finished(self) -> Iterator[MessageParts]:
        """Yield the messages that the one has become; none for what only held results of tools."""
        self.now.part()
        if self._done and self.now.is_empty and not self.now.thoughts:
            yield from self._done
        else:
            yield from (*self._done, self.now)

    def add(self, content: object) -> None:
        """Read a content: a text, an object, or a list of parts.

        Raises:
            Unfit: a part cannot be kept; it is named.
        """
        if isinstance(content, Mapping):
            content = content["parts"] if isinstance(content.get("parts"), list) else [content]
        if not isinstance(content, list):
            self.now.texts += [text(content)] if content is not None else []
            return
        for part in content:
            if isinstance(part, Mapping):
                self._add(part)
            else:
                if not isinstance(part, str):
                    raise Unfit("not_kept", part)
                self.now.texts.append(storable(part))

    def _add(self, part: Raw) -> None:
        kind = str(part.get("type") or "").casefold()
        if reasoning.is_reasoning(part) or part.get("thought") is True:
            self.now.think(part)
        elif kind in _RESULTS or kind.endswith("_tool_result"):
            self._result(part)
        elif kind in _USES:
            self.now.calls.append(_call(part))
        elif kind in _IMAGES:
            for address in _addresses(part) or [""]:
                self.now.show(address)
        elif kind == "refusal" or (kind in _TEXTS and "text" in part):
            self.now.texts.append(_text_of(part.get("text", part.get("refusal"))))
        elif kind not in _SILENT:
            self._of_gemini(part, kind)

    def _of_gemini(self, part: Raw, kind: str) -> None:
        """Read a part that is told by its key, as Gemini's are.

        Raises:
            Unfit: it is none of those.
        """
        call, result = (
            next((part[key] for key in keys if isinstance(part.get(key), Mapping)), None)
            for keys in (
                ("functionCall", "function_call"),
                ("functionResponse", "function_response"),
            )
        )
        media = next((part[key] for key in _MEDIA if isinstance(part.get(key), Mapping)), None)
        if call is not None:
            self.now.calls.append(_call(call))
        elif result is not None:
            self._result({**result, "content": result.get("response")})
        elif media is not None and _media_type(media).startswith("image/"):
            for address in _addresses(part):
                self.now.show(address)
        else:
            raise Unfit("not_kept", kind or _media_type(media) or "".join(list(part)[:1]) or "{}")

    def _result(self, part: Raw) -> None:
        """Keep what a tool gave as its own message, where it stands among the parts."""
        if not self.now.is_empty:
            self.now.part()
            self._done.append(self.now)
            self.now = MessageParts(self.now.role, others=self.now.others)
        found = MessageParts("tool", beside=_beside(part), others=self.now.others)
        names = (*_IDS, "toolCallId", "id")
        if own := next((part[key] for key in names if part.get(key)), None):
            found.beside["tool_call_id"] = text(own)
        if part.get("is_error"):
            found.beside["error"] = True
        said = next((part[key] for key in ("content", "output", "result") if key in part), None)
        inner = _Parts(found)
        inner.add(said if _is_content(said) else _as_text(said))
        self._done.append(inner.now)


def _text_of(said: object) -> str:
    return text(said["value"] if isinstance(said, Mapping) and "value" in said else said)


def _is_content(said: object) -> bool:
    """Say whether a tool gave texts and images, and no data of another form."""
    if not isinstance(said, list):
        return isinstance(said, str)
    known = _TEXTS | _IMAGES
    return all(isinstance(one, Mapping) and one.get("type") in known for one in said)


def _as_text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else text(value)


# Calls of tools --------------------------------------------------------------------------------


def _calls_of(raw: Raw) -> list[Message]:
    """Return the calls that a message makes beside its content."""
    more = raw.get("additional_kwargs")
    places = [raw] if any(raw.get(key) for key in (*_CALLS, _CALL)) else [raw, more]
    found: list[Message] = []
    for place in places:
        if not isinstance(place, Mapping):
            continue
        for key in _CALLS:
            given = place.get(key) or []
            if not isinstance(given, list):
                raise Unfit("bad_calls", given)
            found += [_call(one) for one in given]
        if place.get(_CALL):
            found.append(_call(place[_CALL]))
    return found


def _calls_in_text(content: object) -> list[Message]:
    """Return the calls that a text is, as JSON; none where it is a text like any other."""
    try:
        given = json.loads(content) if isinstance(content, str) else content
    except (ValueError, RecursionError):
        return []
    calls = given if isinstance(given, list) else [given]
    named = all(isinstance(one, Mapping) and one.keys() & {"name", "function"} for one in calls)
    return [_call(one) for one in calls] if named and calls else []


def _call(given: object) -> Message:
    """Return a call of a tool, in whichever of the usual layouts, as {"function": {name, arguments}}.

    Raises:
        Unfit: it is no object.
    """
    if not isinstance(given, Mapping):
        raise Unfit("bad_calls", given)
    name = given.get("name") or given.get("toolName")
    if isinstance(given.get("function"), Mapping) or not isinstance(name, str):
        return dict(given)  # as it is wanted, or nothing that is understood
    own = next((given[key] for key in (*_IDS, "id", "toolCallId") if given.get(key)), None)
    made: Message = {"id": own} if own else {}
    function: Message = {"name": name}
    for key in _ARGUMENTS:
        if key in given and given[key] is not None:
            said = given[key]
            function["arguments"] = (
                said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)
            )
            break
    return {**made, "type": "function", "function": function}


# Items that are no messages, as lists of OpenAI's Responses have them ------------------------------

_OUTPUTS: Final = frozenset({"function_call_output", "custom_tool_call_output"})
_MADE: Final = frozenset({"function_call", "custom_tool_call", "mcp_call"})
_OWN: Final = frozenset(
    {"web_search_call", "file_search_call", "code_interpreter_call", "computer_call"}
)
_LOST: Final = frozenset(
    {"item_reference", "image_generation_call", "mcp_list_tools", "mcp_approval_request"}
)
ITEMS: Final = _OUTPUTS | _MADE | _OWN | _LOST | {"reasoning"}


def _of_item(kind: str, item: Raw) -> Iterator[MessageParts]:
    if kind in _LOST:
        raise Unfit("not_kept", kind)
    now = MessageParts("assistant")
    if kind == "reasoning":
        now.think(item)
        now.is_thought = True
        yield now
        return
    if kind in _OUTPUTS:
        parts = _Parts(MessageParts("user"))
        parts.add([{**item, "type": "tool_result"}])
        yield from parts.finished()
        return
    given: Raw = item
    if kind in _OWN:
        inner = {name: item[name] for name in item if name not in {"type", "id", "status"}}
        given = {"name": kind.removesuffix("_call"), "arguments": item.get("action", inner)}
    now.calls.append(_call({**given, "id": item.get("call_id") or item.get("id")}))
    yield now
    if kind == "mcp_call" and item.get("output") is not None:
        own = {"tool_call_id": text(item.get("id"))}
        yield MessageParts("tool", [_as_text(item["output"])], beside={**_beside(item), **own})


# Images --------------------------------------------------------------------------------------

_MEDIA: Final = ("inlineData", "inline_data", "fileData", "file_data")
_TYPES: Final = ("mimeType", "mime_type", "media_type", "mediaType")
_ADDRESS: Final = ("url", "image_url", "image", "fileUri", "file_uri", "file_id", "path", "uri")
_INNER: Final = ("source", "image_file", *_MEDIA)
_PLAIN: Final = 2_000


def _media_type(media: Raw | None) -> str:
    return next((str(media[key]) for key in _TYPES if media.get(key)), "") if media else ""


def _addresses(value: object) -> list[str]:
    """Return the addresses of images in a part of a content, or beside one; what is in it is kept short."""
    if isinstance(value, str):
        return [_short(value)] if value.strip() else []
    if isinstance(value, list):
        return [address for one in value for address in _addresses(one)]
    if not isinstance(value, Mapping):
        return []
    for key in (*_ADDRESS, *_INNER):
        if found := _addresses(value.get(key)):
            return found
    data = value.get("data") or value.get("base64") or value.get("bytes")
    return [_short(f"data:{_media_type(value) or 'image'};base64,{data}")] if data else []


def _short(address: str) -> str:
    """Return an address; of an image that is written out in it, its kind and what tells it from others."""
    address = storable(address.strip())
    if address.startswith("data:"):
        head, found, data = address.partition(",")
        if not found:
            return address
        return f"{head.split(';')[0]};sha256={hashlib.sha256(data.encode()).hexdigest()[:16]}"
    if len(address) > _PLAIN:
        return f"data:image;sha256={hashlib.sha256(address.encode()).hexdigest()[:16]}"
    return address
