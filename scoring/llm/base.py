"""What a procedure may ask of the world: one reply to one request, by whoever plays a role.

* How many tokens a text has, roughly: without the tokenizer of the model, on the safe side.
* Several replies to one request as one reply, whose text is a JSON list, and back again.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol


class Role(StrEnum):
    """Who is asked. A run says which endpoint plays which role."""

    JUDGE = "judge"
    CANDIDATE = "candidate"
    INTERACTOR = "interactor"
    EVALUATOR = "evaluator"
    PLANNER = "planner"
    ASSISTANT = "assistant"
    DRAFTER = "drafter"


class Ask(StrEnum):
    """What is asked for: a reply of a chat, or one of the other things that servers give.

    WEIGH wants the log-probabilities of the last message's text after those before it; EMBED a vector
    of each message; SCORE a number for each message, which is a pair of texts as JSON; MODERATE how
    likely each message is of which category of harmful content.
    """

    CHAT = "chat"
    WEIGH = "weigh"
    EMBED = "embed"
    SCORE = "score"
    MODERATE = "moderate"


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call of a tool that a system asked for; the arguments as it wrote them, JSON mostly."""

    id: str
    name: str
    arguments: str = "{}"

    def as_dict(self) -> dict[str, Any]:
        """Return the call as the chat API writes it."""
        function = {"name": self.name, "arguments": self.arguments}
        return {"id": self.id, "type": "function", "function": function}


@dataclass(frozen=True, slots=True)
class Message:
    """What somebody said; `answers` is, of a tool's result, the call it belongs to."""

    role: str
    content: str
    tool_calls: tuple[ToolCall, ...] = ()
    answers: str = ""

    def beside(self) -> dict[str, Any]:
        """Return what the chat API writes of it beside role and content; mostly nothing."""
        found: dict[str, Any] = {}
        if self.tool_calls:
            found["tool_calls"] = [one.as_dict() for one in self.tool_calls]
        if self.answers:
            found["tool_call_id"] = self.answers
        return found


@dataclass(frozen=True, slots=True)
class Settings:
    """The parameters of a request; None leaves a parameter to the endpoint."""

    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    seed: int | None = None
    stop: tuple[str, ...] = ()
    #: How many likely tokens to return with their log-probabilities for every token of the reply.
    top_logprobs: int | None = None
    #: So many replies to the same messages in one request; what comes back is read by `llm.several`.
    n: int | None = None
    #: How much a model is to think before it answers, in the server's words; None is the endpoint's own.
    effort: str | None = None


#: Settings that came later: where they are not given, a request's hash is what it was before.
_LATER = frozenset({"n", "effort"})


@dataclass(frozen=True, slots=True)
class Request:
    """One request. Equal requests of a step are the same call; `repeat` tells samples apart.

    `part` says which piece of the procedure asks ("verify", "repair", a criterion's key); with `role`
    and `exchange` it is what a reader of the calls is shown.
    """

    role: Role
    messages: tuple[Message, ...]
    settings: Settings = Settings()
    #: The JSON schema that the reply must follow, where the endpoint can hold a model to one.
    schema: Mapping[str, Any] | None = None
    part: str = ""
    exchange: int = 0
    repeat: int = 0
    ask: Ask = Ask.CHAT
    #: Whether a reply that only calls tools is one; else it is empty.
    takes_calls: bool = False

    def sha(self) -> str:
        """Return the hash of all that decides the reply, but for the repeat."""
        parts = {
            "role": self.role.value,
            "messages": [_hashed(one) for one in self.messages],
            "settings": {
                name: getattr(self.settings, name)
                for name in Settings.__dataclass_fields__
                if name not in _LATER or getattr(self.settings, name) is not None
            },
            "schema": self.schema,
            "part": self.part,
            "exchange": self.exchange,
        }
        if self.ask is not Ask.CHAT:
            parts["ask"] = self.ask.value
        text = json.dumps(parts, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class TokenChance:
    """A token that was written, with the likeliest ones at its place and their log-probabilities."""

    token: str
    logprob: float
    others: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back. `finish` is the server's word, such as "stop", "length" or "content_filter"."""

    text: str
    finish: str = "stop"
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    tokens: tuple[TokenChance, ...] | None = None
    fingerprint: str = ""
    seconds: float = 0.0
    #: The tools that a system called, whoever is to run them.
    tool_calls: tuple[ToolCall, ...] = ()
    #: What the server said beside it that a reader of the call may want (a refusal, a warning).
    notes: Mapping[str, Any] = field(default_factory=dict)
    #: How many tokens of the prompt the server had kept from an earlier request, where it says so.
    cached_tokens: int | None = None


class ChatModel(Protocol):
    async def reply(self, request: Request) -> Reply:
        """Return the reply to a request.

        Raises:
            SystemFailed: the system that is judged failed; this is an outcome of its own.
            MachineryFailed: the request got no reply for a reason that says nothing of any system.
        """
        ...


class Trouble(StrEnum):
    """Why a request got no reply."""

    RATE_LIMITED = "RATE_LIMITED"
    SERVER = "SERVER"
    TIMEOUT = "TIMEOUT"
    CONNECTION = "CONNECTION"
    CERTIFICATE = "CERTIFICATE"
    GARBAGE = "GARBAGE"
    KEY = "KEY"
    REFUSED_ADDRESS = "REFUSED_ADDRESS"
    BAD_REQUEST = "BAD_REQUEST"
    TOO_LONG = "TOO_LONG"
    FILTERED = "FILTERED"
    EMPTY = "EMPTY"


#: What may pass if one tries again.
PASSING = frozenset(
    {
        Trouble.RATE_LIMITED,
        Trouble.SERVER,
        Trouble.TIMEOUT,
        Trouble.CONNECTION,
        Trouble.GARBAGE,
    }
)
#: What the endpoint of a system does that is the system's own outcome, when it plays the candidate.
OF_THE_SYSTEM = frozenset({Trouble.TOO_LONG, Trouble.FILTERED, Trouble.EMPTY})


ONLY_THOUGHT = "The reply holds reasoning and no answer."
ONLY_THOUGHT_CUT = (
    "The reply was cut off while the model was still reasoning: the limit of tokens was reached before any "
    "answer. Raise it."
)


class Failed(Exception):
    """A request without a reply that can be used. The text names no key and no secret.

    `reply` is what came all the same, with its tokens: it is paid for, and kept.
    """

    def __init__(
        self,
        trouble: Trouble,
        message: str,
        *,
        status: int | None = None,
        retry_after: float | None = None,
        reply: Reply | None = None,
    ) -> None:
        super().__init__(message)
        self.trouble, self.status, self.retry_after = trouble, status, retry_after
        self.reply = reply


class SystemFailed(Failed):
    """The system that is judged gave no answer: counted as its outcome, never as ours."""


class MachineryFailed(Failed):
    """Network, server, key or budget: never charged to the system that is judged."""


def transcript(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """Return messages as the chat API writes them."""
    return [
        {
            "role": one.role,
            # Servers refuse an empty text, and take its absence where tools are called.
            "content": None if one.tool_calls and not one.content.strip() else one.content,
            **one.beside(),
        }
        for one in messages
    ]


def _hashed(one: Message) -> list[Any]:
    beside = one.beside()
    return [one.role, one.content, beside] if beside else [one.role, one.content]


LETTERS_A_TOKEN = 4
#: What a server adds to each message: its role and the marks around it.
A_MESSAGE = 4
#: The mark with which the reply begins.
A_REPLY = 3

_WIDE = re.compile(
    "[\u1100-\u11ff\u2e80-\ua4cf\uac00-\ud7ff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]"
)


def of_text(text: str) -> int:
    """Return the tokens of a text, rounded up."""
    wide = len(_WIDE.findall(text))
    return wide - (-(len(text) - wide) // LETTERS_A_TOKEN)


def of_messages(messages: Iterable[Message]) -> int:
    """Return the tokens of a prompt."""
    return sum(of_text(one.content) + A_MESSAGE for one in messages) + A_REPLY


def packed(replies: Sequence[Reply], *, like: Reply) -> Reply:
    """Return replies as one; counts, time and notes are those of `like`, which stands for the whole call."""
    text = json.dumps([_plain(one) for one in replies], ensure_ascii=False)
    return Reply(
        text=text,
        finish="stop",
        prompt_tokens=like.prompt_tokens,
        completion_tokens=like.completion_tokens,
        cached_tokens=like.cached_tokens,
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
            tokens=chances(one.get("tokens")),
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


def chances(rows: Iterable[Any] | None) -> tuple[TokenChance, ...] | None:
    """Return recorded tokens with their chances."""
    if rows is None:
        return None
    return tuple(
        TokenChance(token, logprob, tuple((word, chance) for word, chance in others))
        for token, logprob, others in rows
    )
