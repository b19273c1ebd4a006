"""Asks OpenAI-compatible servers. The only door to the openai library.

Of the library it takes the connection and the authentication; bodies are written and read by
`chat_api`, so that a server's bad answer is our finding and not an exception of a parser.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import openai

from scoring.llm import (
    addresses,
    base,
    certificates,
    chat_api,
    config,
    failures,
    guarded,
    scoring_api,
)

#: Sent where no key is set, so that none of the environment's is.
NO_KEY = "none"
CHAT = "/chat/completions"


class OpenAIModel:
    """A ChatModel behind an OpenAI-compatible server. One per job and event loop. Never retries."""

    def __init__(self, endpoint: config.EndpointConfig, client: openai.AsyncOpenAI) -> None:
        self.endpoint, self._client = endpoint, client

    async def reply(self, request: base.Request) -> base.Reply:
        if request.ask is not base.Ask.CHAT:
            return await self._beside_chat(request)
        sent = chat_api.body(request, self.endpoint)
        started = time.perf_counter()
        payload = await self.post(CHAT, sent, request)
        form = "" if request.schema is None else self.endpoint.form.value
        try:
            seconds = time.perf_counter() - started
            if request.settings.n is not None:
                return chat_api.replies(payload, seconds=seconds, form=form)
            calls = request.takes_calls
            return chat_api.reply(payload, seconds=seconds, form=form, takes_calls=calls)
        except chat_api.NoReply as problem:
            raise self._unusable(request, problem) from None

    async def _beside_chat(self, request: base.Request) -> base.Reply:
        sent = scoring_api.body(request, self.endpoint.model)
        started = time.perf_counter()
        payload = await self.post(scoring_api.PATHS[request.ask], sent, request)
        try:
            return scoring_api.reply(payload, request, seconds=time.perf_counter() - started)
        except chat_api.NoReply as problem:
            problem.reply = problem.reply or chat_api.counted(payload)
            raise self._unusable(request, problem) from None

    @staticmethod
    def _unusable(
        request: base.Request, problem: chat_api.NoReply, status: int = 200
    ) -> base.Failed:
        words = str(problem)
        return failures.failed(request, problem.trouble, words, status=status, reply=problem.reply)

    async def post(
        self, path: str, sent: Mapping[str, Any], request: base.Request
    ) -> dict[str, Any]:
        """Return the object that the server answers to a body.

        Raises:
            Failed: with the trouble; its text holds nothing of the key.
        """
        try:
            async with asyncio.timeout(self.endpoint.timeout):
                answer = await self._client.post(path, cast_to=httpx2.Response, body=dict(sent))
        except (TimeoutError, openai.APITimeoutError):
            raise failures.failed(request, base.Trouble.TIMEOUT, self._too_slow()) from None
        except addresses.AddressRefused as refusal:
            raise failures.failed(request, certificates.trouble_of(refusal), str(refusal)) from None
        except openai.APIStatusError as problem:
            raise self._refused(request, problem.response) from None
        except openai.APIConnectionError as problem:
            raise self._not_connected(request, problem) from None
        return self._payload(request, answer)

    def _payload(self, request: base.Request, answer: httpx2.Response) -> dict[str, Any]:
        try:
            payload = chat_api.read(self._without_key(answer.content))
        except chat_api.NoReply as problem:
            raise self._unusable(request, problem, answer.status_code) from None
        said = chat_api.error_of(payload)
        if said is None:
            return payload
        trouble = failures.trouble_of_error(said)
        words = failures.without_key(chat_api.clean(said.get("message")), self.endpoint.key)
        message = f"The server answered 200, but with an error: {words[: failures.MAX_WORDS]}"
        if trouble is base.Trouble.KEY:
            message = failures.message_of(200, trouble, said, self.endpoint.key)
        raise failures.failed(
            request, trouble, message, status=200, reply=chat_api.counted(payload)
        )

    def _refused(self, request: base.Request, answer: httpx2.Response) -> base.Failed:
        billed = None
        try:
            payload = chat_api.read(answer.content)
            said, billed = chat_api.error_of(payload) or payload, chat_api.counted(payload)
        except chat_api.NoReply:
            said = {"message": ""}
        status = answer.status_code
        trouble = failures.trouble_of(status, said)
        return failures.failed(
            request,
            trouble,
            failures.message_of(status, trouble, said, self.endpoint.key),
            status=status,
            retry_after=failures.retry_after(answer.headers),
            reply=billed,
        )

    def _not_connected(
        self, request: base.Request, problem: openai.APIConnectionError
    ) -> base.Failed:
        cause = problem.__cause__
        trouble, message = certificates.no_connection(problem)
        if trouble is base.Trouble.CONNECTION and not isinstance(cause, httpx2.ConnectError):
            message = f"The connection broke off ({type(cause).__name__})."
        return failures.failed(request, trouble, message)

    def _too_slow(self) -> str:
        return f"No reply within {self.endpoint.timeout:g} seconds."

    def _without_key(self, raw: bytes) -> bytes:
        # A server that repeats the key in its reply would have it stored and shown.
        key = self.endpoint.key.encode()
        return raw.replace(key, failures.HIDDEN.encode()) if len(key) >= failures.TELLING else raw


@asynccontextmanager
async def open_client(endpoint: config.EndpointConfig) -> AsyncIterator[OpenAIModel]:
    """Open a client for this event loop, and close its connections in the end."""
    http = guarded.client(endpoint.url, networks=endpoint.networks, timeout=endpoint.timeout)
    async with http:
        yield OpenAIModel(endpoint, _client(endpoint, http))


def _client(endpoint: config.EndpointConfig, http: httpx2.AsyncClient) -> openai.AsyncOpenAI:
    client = openai.AsyncOpenAI(
        api_key=endpoint.key or NO_KEY,
        admin_api_key="",
        webhook_secret="",
        base_url=_base_url(endpoint),
        timeout=endpoint.timeout,
        max_retries=0,
        http_client=http,
    )
    # The library reads these from the environment, where they may belong to another server.
    client.organization = client.project = None
    client._custom_headers = {"Accept-Encoding": "identity"}
    return client


def _base_url(endpoint: config.EndpointConfig) -> str:
    """Return the address, or one that leads nowhere: a refused one must not even be read by the library."""
    try:
        addresses.check(endpoint.url, endpoint.networks)
    except addresses.AddressRefused:
        return "https://refused.invalid"
    return endpoint.url
