"""What a server's answer shows of an ability. Answers are other people's: nothing in them is sure.

* Finds out by asking what a server can do: an ability counts only if its effect is seen in a reply.
"""

import asyncio
import json
import statistics
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from annotation.common import reasoning
from scoring.llm import base, chat_api, config

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
class PayloadSaid:
    """What a payload says: its answer, whether reasoning came too or all was cut off, or why there is none."""

    text: str
    reasons: bool = False
    cut: bool = False
    trouble: base.Trouble = base.Trouble.EMPTY
    problem: str = ""


def said(payload: Mapping[str, Any]) -> PayloadSaid:
    """Return the answer in a payload, apart from its reasoning."""
    try:
        reply = chat_api.reply(payload, seconds=0.0)
    except chat_api.NoReply as nothing:
        came = nothing.reply or base.Reply("", "")
        reasons = bool(came.notes.get("reasoning"))
        return PayloadSaid("", reasons, came.finish == "length", nothing.trouble, str(nothing))
    found = reasoning.split(reply.text)
    reasons = found.answer != reply.text or bool(reply.notes.get("reasoning"))
    cut = reply.finish == "length"
    why = base.ONLY_THOUGHT_CUT if cut else base.ONLY_THOUGHT
    return PayloadSaid(found.answer.strip(), reasons, cut, problem=why)


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


CHAT, COMPLETIONS = "/chat/completions", "/completions"
#: Room enough for a model that thinks before it writes.
ROOM = 600
#: Less is refused by some.
LITTLE_ROOM = 16
#: And for one that thinks for long.
MUCH_ROOM = 4000
ATTEMPTS = 3
LONGEST_WAIT = 10.0
#: What is asked to see an answer, and so much of it is shown.
GREETING, MOST_TOLD = "Hello! What can you help me with?", 200
#: Scores as a criterion may have them, beside those of one digit.
SCORES = ("10", "4.5")
#: Two replies to this are alike only if nothing is left to chance.
INVENT = "Invent a name for a ship, and say in one sentence where she sails."


@dataclass(frozen=True, slots=True)
class AbilityFinding:
    """What was found of one ability. `value` None: it could not be found out."""

    name: str
    value: Any
    how: str
    facts: Mapping[str, Any] = field(default_factory=dict)


class Wire(Protocol):
    async def post(
        self, path: str, sent: Mapping[str, Any], request: base.Request
    ) -> dict[str, Any]:
        """Return the object that a server answers, or raise `base.Failed`."""
        ...


class TestSession:
    """The questions of one test to one server. Tries again what may pass, a few times."""

    def __init__(
        self,
        wire: Wire,
        model: str,
        *,
        options: Mapping[str, Any] | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._wire, self._model, self._sleep, self._clock = wire, model, sleep, clock
        options = options or {}
        self._body = options.get("body", {})
        self._effort = {"reasoning_effort": options["effort"]} if options.get("effort") else {}
        #: Parameters that are never sent: the owner says so, or a probe saw them refused.
        self.without = set(options.get("leave_out", ()))
        named = options.get("limit_name")
        self.limit_names = (named,) if named else config.LIMIT_NAMES
        if options.get("api") == config.RESPONSES:
            self.limit_names = ("max_output_tokens",)
        self.limit_name, self.room = self.limit_names[0], ROOM
        self.seconds: list[float] = []
        self.n_counted = 0
        self.has_logprobs = False

    async def ask(
        self, text: str, *, room: int = 0, limit_name: str = "", **more: Any
    ) -> dict[str, Any]:
        """Return what the chat API answers to one message."""
        sent = {**self._effort, "messages": [{"role": "user", "content": text}]}
        limit = {limit_name or self.limit_name: room or self.room}
        return await self.post(CHAT, {**sent, **limit, **more})

    async def post(self, path: str, sent: Mapping[str, Any]) -> dict[str, Any]:
        asked = base.Request(role=base.Role.ASSISTANT, messages=())
        for attempt in range(1, ATTEMPTS + 1):
            started = self._clock()
            try:
                kept = {name: value for name, value in sent.items() if name not in self.without}
                whole = {**self._body, "model": self._model, **kept}
                payload = await self._wire.post(path, whole, asked)
            except base.Failed as problem:
                if problem.trouble not in base.PASSING or attempt == ATTEMPTS:
                    raise
                await self._sleep(min(problem.retry_after or float(attempt), LONGEST_WAIT))
            else:
                self.seconds.append(self._clock() - started)
                self.n_counted += None not in chat_api.usage_of(payload)
                return payload
        raise AssertionError("every attempt returns or raises")


Probe = Callable[[TestSession], Awaitable[list[AbilityFinding]]]


async def limit(session: TestSession) -> list[AbilityFinding]:
    """Find the name of the limit of tokens."""
    text = "Count from one to forty in words."
    accepted: list[str] = []
    refusal: base.Failed | None = None
    for name in session.limit_names:
        try:
            payload = await session.ask(text, room=LITTLE_ROOM, limit_name=name)
        except base.Failed as problem:
            if problem.trouble is not base.Trouble.BAD_REQUEST:
                raise
            refusal = refusal or problem
            continue
        accepted.append(name)
        if is_short(payload, LITTLE_ROOM):
            session.limit_name = name
            return [AbilityFinding("max_tokens_name", name, "obeyed")]
    if not accepted and refusal is not None:
        raise refusal
    session.limit_name = accepted[0]
    return [AbilityFinding("max_tokens_name", accepted[0], "ignored")]


async def greeting(session: TestSession) -> list[AbilityFinding]:
    """Find how a limit is named, whether anybody answers, and thinks first. What fails here, fails the test.

    What a model needs for its reasoning, all questions that follow leave room for.
    """
    named, (answered,) = await limit(session), await answers(session)
    room = answered.facts.get("room", False)
    session.room = max(ROOM, room)
    thinks = AbilityFinding("thinking", room, "room" if room else "none_seen")
    return [*named, answered, thinks]


async def temperature(session: TestSession) -> list[AbilityFinding]:
    """Find whether a temperature is taken at all; where it is not, no other question sends one."""
    return await _taken(session, "temperature", 0)


async def top_p(session: TestSession) -> list[AbilityFinding]:
    """Find the same of top_p, sent alone: some servers take no two of these together."""
    return await _taken(session, "top_p", 0.9)


async def _taken(session: TestSession, name: str, value: Any) -> list[AbilityFinding]:
    if name in session.without:
        return []
    try:
        await session.ask("Say: yes", **{name: value})
    except base.Failed as problem:
        found = _not_done(name, problem)
        if found.value is False:
            session.without.add(name)
        return [found]
    return [AbilityFinding(name, True, "accepted")]


async def usage(session: TestSession) -> list[AbilityFinding]:
    """Find whether the tokens of every reply so far were counted: else costs are estimated."""
    counts = session.n_counted == len(session.seconds)
    return [AbilityFinding("usage", counts, "seen" if counts else "uncounted")]


async def json_schema(session: TestSession) -> list[AbilityFinding]:
    wish = chat_api.response_format(SCHEMA, config.ReplyForm.JSON_SCHEMA)
    return [await _held(session, "json_schema", wish, follows_schema)]


async def json_object(session: TestSession) -> list[AbilityFinding]:
    wish = {"type": config.ReplyForm.JSON_OBJECT.value}
    return [await _held(session, "json_object", wish, lambda made: isinstance(made, dict))]


async def logprobs(session: TestSession) -> list[AbilityFinding]:
    """Find whether likely tokens come with their log-probabilities, and how many at a place."""
    refused: AbilityFinding | None = None
    for most in (chat_api.MAX_TOP_LOGPROBS, 5):
        try:
            payload = await session.ask("Say: yes", logprobs=True, top_logprobs=most)
        except base.Failed as problem:
            refused = _not_done("logprobs", problem)
            continue
        chances = tokens(payload)
        n_others = max((len(one.others) for one in chances), default=0)
        if not n_others:
            return [AbilityFinding("logprobs", False, "ignored")]
        session.has_logprobs = True
        found = AbilityFinding("logprobs", True, "seen")
        return [found, AbilityFinding("top_logprobs", n_others, "counted", {"asked": most})]
    assert refused is not None
    return [refused]


async def multi_token_scores(session: TestSession) -> list[AbilityFinding]:
    """Find whether a score can be several tokens: then its chance is a product over them."""
    name = "multi_token_scores"
    if not session.has_logprobs:
        return [AbilityFinding(name, None, "needs_logprobs")]
    counts: dict[str, int] = {}
    for score in SCORES:
        text = f"Repeat this number exactly, and write nothing else: {score}"
        try:
            payload = await session.ask(text, temperature=0, logprobs=True, top_logprobs=1)
        except base.Failed as problem:
            return [_not_done(name, problem, of_the_ability=False)]
        if n := pieces(tokens(payload), score):
            counts[score] = n
    if not counts:
        return [AbilityFinding(name, None, "not_repeated")]
    return [AbilityFinding(name, max(counts.values()) > 1, "counted", counts)]


async def several(session: TestSession) -> list[AbilityFinding]:
    """Find whether one request brings several replies, and not the same one twice."""
    try:
        payload = await session.ask(INVENT, n=2, temperature=1)
    except base.Failed as problem:
        return [_not_done("n", problem)]
    made = payload["choices"] if isinstance(payload.get("choices"), list) else []
    if len(made) != 2:
        return [AbilityFinding("n", False, "ignored")]
    texts = {text({**payload, "choices": [one]}) for one in made}
    return [AbilityFinding("n", len(texts) == 2, "seen" if len(texts) == 2 else "same_twice")]


async def seed(session: TestSession) -> list[AbilityFinding]:
    """Find whether a seed is accepted, and whether the same one gives the same reply."""
    try:
        one, two, three = [
            text(await session.ask(INVENT, seed=value, temperature=1)) for value in (11, 11, 12)
        ]
    except base.Failed as problem:
        return [_not_done("seed", problem)]
    how = "differs" if one != two else "repeats" if one != three else "always_same"
    return [
        AbilityFinding("seed", True, "accepted"),
        AbilityFinding("seed_repeats", one == two, how),
    ]


async def prompt_logprobs(session: TestSession) -> list[AbilityFinding]:
    """Find whether the tokens of a prompt can be weighed, and by which of the two usual ways."""
    name, prompt = "prompt_logprobs", "The sea is wide and blue today."
    sent = {"prompt": prompt, "echo": True, "logprobs": 1, "temperature": 0}
    for room in (0, 1):  # some take no limit of nothing, others nothing beyond the prompt
        try:
            payload = await session.post(COMPLETIONS, {**sent, "max_tokens": room})
        except base.Failed as problem:
            if problem.trouble in _UNKNOWN:
                return [_not_done(name, problem)]
            continue
        if weighs_prompt(payload, prompt):
            return [AbilityFinding(name, "completions", "seen")]
    try:
        payload = await session.ask(prompt, room=1, prompt_logprobs=1)
    except base.Failed as problem:
        return [_not_done(name, problem)]
    found = isinstance(payload.get("prompt_logprobs"), list)
    return [AbilityFinding(name, "chat" if found else False, "seen" if found else "ignored")]


async def answers(session: TestSession) -> list[AbilityFinding]:
    """Find whether anybody answers at all, and what. What fails here, fails the test.

    A model that had no room left for an answer for reasoning is asked once more with much room.
    """
    room = session.room
    heard = said(await session.ask(GREETING, room=room))
    if not heard.text and heard.reasons and heard.cut:
        room = MUCH_ROOM
        heard = replace(said(await session.ask(GREETING, room=room)), reasons=True)
    if heard.text:
        told = " ".join(heard.text.split())[:MOST_TOLD]
        facts = {"reply": told, **({"room": room} if heard.reasons else {})}
        return [AbilityFinding("answers", True, "reasons" if heard.reasons else "replied", facts)]
    raise base.MachineryFailed(heard.trouble, heard.problem)


async def latency(session: TestSession) -> list[AbilityFinding]:
    middle = round(statistics.median(session.seconds), 3)
    return [AbilityFinding("latency", middle, "median", {"n": len(session.seconds)})]


PROBES: tuple[Probe, ...] = (
    greeting,
    temperature,
    top_p,
    json_schema,
    json_object,
    logprobs,
    multi_token_scores,
    several,
    seed,
    prompt_logprobs,
    usage,
    latency,
)
#: What the second form of servers has no word for.
_OF_CHAT = (several, seed, prompt_logprobs)
#: What is asked of an application: whoever stands behind it has no abilities of its own to be found.
OF_APPLICATIONS: tuple[Probe, ...] = (answers, latency)
#: What the probes find, in the order in which pages show it.
NAMES = (
    "answers",
    "thinking",
    "temperature",
    "top_p",
    "json_schema",
    "json_object",
    "logprobs",
    "top_logprobs",
    "multi_token_scores",
    "n",
    "seed",
    "seed_repeats",
    "prompt_logprobs",
    "max_tokens_name",
    "usage",
    "latency",
)


def probes_of(kind: str, api: str = config.CHAT) -> tuple[Probe, ...]:
    """Return the questions of a test of this kind of endpoint, asked in this form."""
    if kind == config.REST:
        return OF_APPLICATIONS
    if api == config.RESPONSES:
        return tuple(one for one in PROBES if one not in _OF_CHAT)
    return PROBES


#: What says nothing of an ability: the question was not really answered.
_UNKNOWN = frozenset(
    {
        base.Trouble.RATE_LIMITED,
        base.Trouble.TIMEOUT,
        base.Trouble.CONNECTION,
        base.Trouble.CERTIFICATE,
        base.Trouble.KEY,
        base.Trouble.REFUSED_ADDRESS,
    }
)


async def _held(
    session: TestSession, name: str, wish: Mapping[str, Any], fits: Callable[[Any], bool]
) -> AbilityFinding:
    try:
        payload = await session.ask(
            "Describe the sea in one sentence, as JSON.", response_format=wish
        )
    except base.Failed as problem:
        return _not_done(name, problem)
    try:
        made = json.loads(text(payload))
    except ValueError:
        return AbilityFinding(name, False, "not_held")
    return (
        AbilityFinding(name, True, "seen")
        if fits(made)
        else AbilityFinding(name, False, "not_held")
    )


def _not_done(name: str, problem: base.Failed, *, of_the_ability: bool = True) -> AbilityFinding:
    """Return what a failure says: that the ability is missing, or only that nobody knows."""
    facts = {"trouble": problem.trouble.value, "status": problem.status}
    if problem.trouble in _UNKNOWN or not of_the_ability:
        return AbilityFinding(name, None, "failed", facts)
    return AbilityFinding(name, False, "refused", facts)
