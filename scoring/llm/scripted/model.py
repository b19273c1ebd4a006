"""A model that is none: it plays a script, for demonstrations and tests. Its scores measure nothing.

* A script asked through the bodies of the chat API, without a server between: for tests of abilities.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

from scoring.llm import abilities, base, chat_api, config, failures, scoring_api
from scoring.llm.base import Ask, Reply, Request, Trouble
from scoring.llm.scripted import bodies, composing
from scoring.llm.scripted.reading import SeenRequest
from scoring.llm.scripted.script import Script


class ScriptedModel:
    """A ChatModel that answers from its script."""

    def __init__(
        self,
        script: Script | Mapping[str, Any] | None = None,
        *,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.script = script if isinstance(script, Script) else Script.of(script or {})
        self._sleep = sleep

    async def reply(self, request: Request) -> Reply:
        """Return what the script says to a request.

        Raises:
            SystemFailed: the script says that the candidate's reply is empty or filtered.
            MachineryFailed: the same for any other role.
        """
        if self.script.latency:
            await self._sleep(self.script.latency / 1000)
        if request.ask is not Ask.CHAT:
            return self._beside_chat(request)
        if request.settings.n is not None:
            return self._several(request)
        reply = composing.compose(self.script, _asked(request))
        if reply.finish == "content_filter":
            why = "The script filtered this reply."
            raise failures.failed(request, Trouble.FILTERED, why, reply=reply)
        if not reply.text.strip():
            why = "The script left this reply empty."
            raise failures.failed(request, Trouble.EMPTY, why, reply=reply)
        return reply

    def _several(self, request: Request) -> Reply:
        """Return the replies to a request for several as the scripted server would send them."""
        asked = _asked(request)
        samples = [replace(asked, sample=number) for number in range(request.settings.n or 1)]
        payload = bodies.completion(
            [composing.compose(self.script, one) for one in samples], bodies.MODEL
        )
        try:
            return chat_api.replies(payload, seconds=self.script.latency / 1000)
        except chat_api.NoReply as problem:
            words = str(problem)
            raise failures.failed(request, problem.trouble, words, reply=problem.reply) from None

    def _beside_chat(self, request: Request) -> Reply:
        sent, seconds = scoring_api.body(request, bodies.MODEL), self.script.latency / 1000
        try:
            if request.ask is Ask.WEIGH:
                payload = bodies.echo(sent, self.script)
            elif request.ask is Ask.EMBED:
                payload = composing.embeddings(sent)
            elif request.ask is Ask.MODERATE:
                payload = composing.moderations(sent, self.script)
            else:
                payload = composing.scores(sent, self.script)
            return scoring_api.reply(payload, request, seconds=seconds)
        except bodies.BadBody as refusal:
            raise failures.failed(request, Trouble.BAD_REQUEST, str(refusal)) from None
        except chat_api.NoReply as problem:
            raise failures.failed(request, problem.trouble, str(problem)) from None


@asynccontextmanager
async def open_script(endpoint: config.EndpointConfig) -> AsyncIterator[ScriptedModel]:
    """Open the scripted model of an endpoint, as a client of a server is opened."""
    yield ScriptedModel(endpoint.script)


def _asked(request: Request) -> SeenRequest:
    """Return a request as a server would see it: with a seed, each sample has one of its own."""
    settings = request.settings
    seed = None if settings.seed is None else settings.seed + request.repeat
    return SeenRequest(
        messages=request.messages,
        schema=request.schema,
        role=request.role,
        sample=request.repeat if seed is None else 0,
        temperature=settings.temperature,
        max_tokens=settings.max_tokens,
        top_logprobs=settings.top_logprobs,
        sha=bodies.sha_of(request.messages, seed),
    )


class ScriptWire:
    """Answers as the scripted server does, in process."""

    def __init__(self, script: Script) -> None:
        self._script = script

    async def post(
        self, path: str, sent: Mapping[str, Any], request: base.Request
    ) -> dict[str, Any]:
        try:
            if path == abilities.COMPLETIONS:
                return bodies.echo(sent, self._script)
            asked = bodies.asked(sent, self._script)
        except bodies.BadBody as refusal:
            raise failures.failed(
                request, base.Trouble.BAD_REQUEST, str(refusal), status=400
            ) from None
        samples = [replace(asked, sample=number) for number in range(int(sent.get("n", 1)))]
        replies = [composing.compose(self._script, one) for one in samples]
        return bodies.completion(replies, str(sent["model"]))


@asynccontextmanager
async def open_wire(endpoint: config.EndpointConfig) -> AsyncIterator[ScriptWire]:
    yield ScriptWire(Script.of(endpoint.script))
