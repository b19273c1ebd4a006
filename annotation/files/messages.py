"""Messages of any maker in the form of this product: the one reader of conversations.

A message here is `{"role": "system" | "user" | "assistant" | "tool", "content": text}` with, where there are
any, `tool_calls` (as OpenAI's chat has them), `tool_call_id` and `name` of a tool's result, `images`
(references, each shown in the content as "[image: …]"), and `reasoning`: text that is never part of the
content. What cannot be kept is refused by its name.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from annotation.common import reasoning
from annotation.common import texts as faces
from annotation.files.cells import Unfit, is_blank, storable, text
from annotation.files.parts import (
    ITEMS,
    LIKELY,
    PICTURES,
    ROLES,
    SAID,
    STRICT,
    THOUGHT,
    MessageParts,
    Raw,
    SpeakerRoles,
    numbered,
)
from annotation.files.parts import Message as Message


@dataclass(frozen=True, slots=True)
class Talk:
    """A conversation, what else the object says that held it, and which roles were only likely.

    `asked` is who somebody was taken for, by the role as it is written: {"Agent": "assistant"}.
    """

    messages: list[Message]
    details: Mapping[str, Any]
    asked: Mapping[str, str] = field(default_factory=dict)


# A cell ------------------------------------------------------------------------------------


def conversation(value: object, roles: SpeakerRoles = STRICT) -> list[Message]:
    """Return the messages of a cell without their reasoning; empty for an empty cell.

    Raises:
        Unfit: something in it is no message, or cannot be kept.
    """
    if is_blank(value):
        return []
    found = [_aloud(one) for one in read_messages(loaded(value), roles=roles)]
    for one in found:
        silent = not one["content"].strip() and "tool_calls" not in one
        if silent and one["role"] != "assistant":
            raise Unfit("empty_message", one)
    return found


def answer(value: object, roles: SpeakerRoles = STRICT) -> list[Message]:
    """Return an answer as messages without their reasoning: a text is one message of an assistant.

    A text that is a conversation in JSON, as tables hold it, is one.

    Raises:
        Unfit: it is a list or an object, but no conversation.
    """
    if is_talk(value):
        return conversation(value, roles)
    if isinstance(value, list):
        raise Unfit("no_conversation", value)
    return [{"role": "assistant", "content": reasoning.split(text(value)).answer}]


def thought(value: object, roles: SpeakerRoles = STRICT) -> list[str]:
    """Return what is reasoning in an answer or a conversation, piece by piece.

    Raises:
        Unfit: as of `answer` and `conversation`.
    """
    if is_talk(value):
        return [words for one in _said(loaded(value), roles) for words in one.thoughts]
    words = reasoning.split(value).reasoning if isinstance(value, str) else ""
    return [storable(words)] if words else []


def split_answer(messages: list[Message]) -> tuple[list[Message], list[Message]]:
    """Return what a system saw, and what it answered: the messages after the last user's."""
    cut = len(messages)
    while cut and messages[cut - 1]["role"] in {"assistant", "tool"}:
        cut -= 1
    return messages[:cut], messages[cut:]


def ends_answered(value: object) -> bool:
    """Say whether a cell holds a conversation in which an assistant spoke last."""
    try:
        return is_talk(value) and bool(split_answer(conversation(value))[1])
    except Unfit:
        return False


def last_answer(messages: list[Message]) -> list[Message]:
    """Return the last that an assistant said in a conversation, without what led to it.

    What it only thought is not said.

    Raises:
        Unfit: no assistant says anything.
    """
    for message in reversed(messages):
        if message["role"] == "assistant" and faces.spoken(message).strip():
            return [{"role": "assistant", "content": message["content"]}]
    raise Unfit("no_answer_in_it", [one["role"] for one in messages])


def _aloud(message: Message) -> Message:
    return {name: value for name, value in message.items() if name != "reasoning"}


def loaded(value: object) -> object:
    """Return what the JSON text of a cell holds; what is no text as it is.

    Raises:
        Unfit: it is no JSON.
    """
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError) as problem:
        raise Unfit("no_conversation", value) from problem


def is_talk(value: object) -> bool:
    """Say whether a cell holds messages, as objects or as their JSON text."""
    if isinstance(value, str):
        if not value.lstrip().startswith(("[", "{")):
            return False
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return False
    if isinstance(value, Mapping):
        return holds_messages(value) or is_message(value)
    return isinstance(value, list) and bool(value) and all(map(is_message, value))


def is_message(value: object) -> bool:
    """Say whether an object is a message of any known maker: who speaks, and what."""
    if not isinstance(value, Mapping):
        return False
    if value.keys() & {"role", "from"}:
        return True
    kind = str(value.get("type") or "").casefold()
    spoken = kind in ROLES and bool(value.keys() & {"content", "data", "tool_calls"})
    return spoken or kind in ITEMS or bool(value.keys() >= {"lc", "kwargs"})


# An object -----------------------------------------------------------------------------------

#: Where the messages of a conversation stand, and where those that answer them do.
_LISTS: Final = (
    "messages",
    "contents",
    "conversations",
    "conversation",
    "dialogue",
    "dialog",
    "chat_messages",
)
_ANSWERS: Final = ("output", "choices", "candidates")
_LISTED: Final = frozenset((*_LISTS, *_ANSWERS))
#: What a message of a batch says of the whole reply.
_NAMED: Final = frozenset({"model", "usage", "stop_reason"})
#: Where one question and its one answer stand beside each other.
_ASKED: Final = ("prompt", "question", "query", "user_input", "user_message", "user", "instruction")
_ANSWERED: Final = ("completion", "response", "answer", "reply", "assistant_response", "assistant")
_CHATML: Final = re.compile(r"\s*<\|im_start\|>(?P<who>\w+)\n")
_CHATML_END: Final = re.compile(r"<\|im_end\|>\s*(?:<\|endoftext\|>\s*)?\Z")
_SPOKEN: Final = re.compile(
    r"(?:\A|\n+)(?:### )?(?P<who>Human|User|Assistant|AI|Bot|System):[ \t]*", re.IGNORECASE
)
#: What stands beside both sides of an exchange and is said by neither.
_NOTED: Final = frozenset({"id", "turn", "turn_id", "timestamp", "time", "date", "created_at"})
_PROMPTS: Final = ("system", "systemInstruction", "system_instruction", "instructions")
#: What stands around a request or what came of it.
_AROUND: Final = ("request", "body", "response", "result")
#: How long the name of a system is at most, and what a prompt ends with or holds instead.
_NAME: Final = 60
_NAME_WORDS: Final = 5
_ENDS: Final = (".", "!", "?", ":", "。", "！", "？", "：")
_ADDRESSED: Final = frozenset({"you", "your", "you're", "always", "never"})


def read_messages(
    value: object, *, roles: SpeakerRoles = STRICT, more: bool = False
) -> list[Message]:
    """Return messages in the form of this product.

    Args:
        value: a list of messages of any known maker, or an object that holds one.
        roles: who is who.
        more: what else a message says stays in it.

    Raises:
        Unfit: something in it is no message, or cannot be kept; its fact `number` says which message.
    """
    return [one.as_message(more=more) for one in _said(value, roles)]


def read_object(given: Raw, *, roles: SpeakerRoles = STRICT, more: bool = False) -> Talk:
    """Return the conversation that an object of a file holds, with its system prompt and its answers.

    Raises:
        Unfit: as of `read_messages`.
    """
    raw, details = _inside(opened(given))
    asked = unsure_roles(SpeakerRoles.spelled(one) for one in raw if isinstance(one, Mapping))
    return Talk(read_messages(raw, roles=roles, more=more), details, asked)


def holds_messages(given: Raw) -> bool:
    """Say whether an object holds a conversation, or what a model answered to one."""
    inner = opened(given)
    listed = any(isinstance(inner.get(key), list) for key in (*_LISTS, "input"))
    answered = any(_answers(key, inner.get(key)) for key in _ANSWERS)
    return listed or answered or is_message(inner.get("message"))


def opened(given: Raw) -> dict[str, Any]:
    """Return an object with what a request or a reply around its messages held: a level or two of it."""
    flat = dict(given)
    for _level in range(3):
        inner = [key for key in _AROUND if _adds(flat.get(key), flat)]
        for key in inner:
            flat = {**flat.pop(key), **flat}
        if not inner:
            break
    said = flat.get("message")
    if isinstance(said, Mapping) and is_message(said) and not _LISTED & flat.keys():
        flat = {**{key: one for key, one in said.items() if key in _NAMED}, **flat}
    return flat


def _adds(value: object, outer: Raw) -> bool:
    """Say whether what stands within an object holds messages that the object itself has not."""
    if not isinstance(value, Mapping):
        return False
    listed = [key for key in _LISTS if isinstance(value.get(key), list)]
    answered = [key for key in _ANSWERS if _answers(key, value.get(key))]
    single = ["message"] if is_message(value.get("message")) else []
    if is_message(value) and value.keys() & set(SAID):
        single = ["content"]
    found = {
        *listed,
        *answered,
        *single,
        *(["body"] if isinstance(value.get("body"), Mapping) else []),
    }
    own = {key for key in _LISTS if isinstance(outer.get(key), list)}
    return bool(found) and not found & outer.keys() and not (listed and own)


def _answers(name: str, found: object) -> bool:
    """Say whether what stands under a name are messages of a model, and no options or texts."""
    if not isinstance(found, list) or not found:
        return False
    if name == "output":
        return all(map(is_message, found))
    return all(map(_is_choice, found))


def _is_choice(one: object) -> bool:
    if not isinstance(one, Mapping):
        return False
    completed = "text" in one and bool(one.keys() & {"finish_reason", "logprobs"})
    return completed or isinstance(one.get("message") or one.get("content"), Mapping)


def _inside(given: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    """Return the messages of an object as they are written, and what else it says."""
    key = _key(given)
    said: list[Any] = []
    if key:
        found = given.pop(key)
        if isinstance(found, str) and key == "input":
            found = [{"role": "user", "content": found}]
        if not isinstance(found, list) or not found:
            raise Unfit("no_conversation", found, key=key)
        said = list(found)
    elif is_message(given.get("message")):
        said = [given.pop("message")]
    elif is_message(given) and given.keys() & {*SAID, "tool_calls"}:
        return [given], {}
    said += _answered(given, key)
    said = [each for one in said for each in _of_pair(one)] or _exchange(given)
    if not said:
        raise Unfit("no_conversation", given)
    prompts = [given.pop(name) for name in _PROMPTS if is_prompt(name, given.get(name), key)]
    opening = [{"role": "system", **_as_content(one)} for one in prompts]
    return [*opening, *said], given


def _of_pair(one: Any) -> list[Any]:
    """Return the messages of an object that says by its keys who spoke: {"user": "Hi", "bot": "Hello"}.

    Raises:
        Unfit: something else stands in it that would be lost.
    """
    if not isinstance(one, Mapping) or SpeakerRoles.written(one):
        return [one]
    spoken = [key for key in one if ROLES.get(key.casefold()) and isinstance(one[key], str)]
    if not spoken or one.keys() & {*SAID}:
        return [one]
    shown, thought = ({key: one[key] for key in of if key in one} for of in (PICTURES, THOUGHT))
    kept = {*spoken, *shown, *thought} | _NOTED
    for key, said in one.items():
        if key not in kept and not is_blank(said) and not isinstance(said, int | float):
            raise Unfit("not_kept", key)
    found: list[dict[str, Any]] = [{"role": key, "content": one[key]} for key in spoken]
    found[0] |= shown
    found[-1] |= thought
    return found


def _exchange(given: dict[str, Any]) -> list[Any]:
    """Return the messages of an object with a question and an answer, or with a text in which both speak."""
    asked, answered = (
        next((key for key in names if isinstance(given.get(key), str)), "")
        for names in (_ASKED, _ANSWERED)
    )
    if asked and answered:
        question, answer = given.pop(asked), given.pop(answered)
        return [{"role": "user", "content": question}, {"role": "assistant", "content": answer}]
    spoken = next((key for key in SAID if isinstance(given.get(key), str)), "")
    if found := in_text(given.get(spoken, "")):
        given.pop(spoken)
    return found


def in_text(text: str) -> list[Message]:
    """Return the messages of a text in which "User:" and "Assistant:" speak, or that is written in ChatML."""
    marks = list(_CHATML.finditer(text)) or _speakers(text)
    if not marks or marks[0].start() or len(marks) < 2:
        return []
    ends = [*(mark.start() for mark in marks[1:]), len(text)]
    return [
        {"role": mark["who"].lower(), "content": _CHATML_END.sub("", text[mark.end() : end])}
        for mark, end in zip(marks, ends, strict=True)
    ]


def _speakers(text: str) -> list[re.Match[str]]:
    """Return where somebody begins to speak; a system does so first, or its name is part of what is said."""
    found = enumerate(_SPOKEN.finditer(text))
    return [mark for n, mark in found if n == 0 or mark["who"].casefold() != "system"]


def _key(given: Raw) -> str:
    """Return under which name an object has its messages; empty where it has only answers."""
    if "messages" in given:
        return "messages"
    lists = [key for key in _LISTS if isinstance(given.get(key), list)]
    named = [key for key in ("input", "conversations") if key in given]
    turns = ["turns"] if isinstance(given.get("turns"), list) else []
    return next(iter([*lists, *named, *turns]), "")


def _answered(given: dict[str, Any], key: str) -> list[Any]:
    """Return the messages that answer a conversation, taken out of an object."""
    lost = [name for name in ("contents",) if key != name and given.get(name)]
    lost += ["output"] if key not in {"", "input"} and given.get("output") else []
    if lost:
        raise Unfit("not_kept", lost[0])
    if key == "input" and isinstance(given.get("output"), str):
        return [{"role": "assistant", "content": given.pop("output")}]
    said: list[Any] = []
    for name in _ANSWERS:
        if not _answers(name, given.get(name)):
            continue
        found = given.pop(name)
        if name != "output" and len(found) > 1:
            raise Unfit("not_kept", f"{name}[1]")
        said += found if name == "output" else [_of_choice(one) for one in found]
    return said


def _of_choice(choice: Raw) -> Raw:
    """Return the message of a choice or a candidate."""
    found = choice.get("message") or choice.get("content") or {"content": choice.get("text")}
    return {"role": "assistant", **found}


def _as_content(prompt: object) -> Raw:
    return prompt if isinstance(prompt, Mapping) else {"content": prompt}


def is_prompt(name: str, said: object, key: str = "messages") -> bool:
    """Say whether what stands beside messages is a prompt; “system” may also be the name of one."""
    if not said:
        return False
    if name == "instructions":
        return key in {"", "input"}
    if name != "system" or not isinstance(said, str):
        return True
    plain = said.strip()
    words = plain.casefold().split()
    is_name = len(plain) <= _NAME and len(words) <= _NAME_WORDS and not set(words) & _ADDRESSED
    return not is_name or "\n" in plain or plain.endswith(_ENDS)


def _said(value: object, roles: SpeakerRoles) -> list[MessageParts]:
    """Return what the messages of a list say; one that only thinks gives it to the next that speaks."""
    if isinstance(value, Mapping):
        value = _inside(opened(value))[0]
    if not isinstance(value, list) or not value:
        raise Unfit("no_conversation", value)
    found: list[MessageParts] = []
    waiting: list[str] = []
    for number, raw in enumerate(value, start=1):
        for one in numbered(raw, number, roles):
            if one.is_thought:
                waiting += one.thoughts
                continue
            if waiting and one.role == "assistant":
                one.thoughts, waiting = [*waiting, *one.thoughts], []
            found.append(one)
    return [*found, MessageParts("assistant", thoughts=waiting)] if waiting else found


# Tables with a row a message ----------------------------------------------------------------------


def unsure_roles(written: Iterable[str]) -> dict[str, str]:
    """Return who is who among roles that are only likely, by the role as it is written."""
    return {
        one: LIKELY[folded]
        for one in dict.fromkeys(written)
        if (folded := one.strip().casefold()) in LIKELY
    }


def of_turns(turns: Sequence[object], role: str) -> list[Message]:
    """Return texts that one side says turn by turn as its messages.

    Raises:
        Unfit: one of them is no text.
    """
    return [{"role": role, "content": text(one)} for one in turns]
