"""Asks applications over REST, by the same rules of addresses as any endpoint. Never retries.

* An application asked through the bodies of the chat API: for the test of its connection.
"""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import httpx2

from evalsite.outside import addresses
from scoring.llm import base, certificates, chat_api, config, failures, guarded, rest


class RestModel:
    """A ChatModel behind an application. One per job and event loop."""

    def __init__(self, endpoint: config.EndpointConfig, client: httpx2.AsyncClient) -> None:
        self.endpoint, self._client = endpoint, client
        self._template = rest.template_of(endpoint.url, endpoint.request)

    async def reply(self, request: base.Request) -> base.Reply:
        if request.ask is not base.Ask.CHAT:
            message = "An application over REST answers conversations, and nothing else."
            raise failures.failed(request, base.Trouble.BAD_REQUEST, message)
        started = time.perf_counter()
        answer = await self._sent(request)
        if answer.is_error or answer.is_redirect:
            raise self._refused(request, answer)
        raw = failures.without_keys_in(answer.content, [self.endpoint.key])
        try:
            text = rest.answer(self._template, raw)
        except rest.NoAnswer as problem:
            raise self._failed(request, base.Trouble.GARBAGE, str(problem), 200) from None
        if not text.strip():
            raise failures.failed(
                request,
                base.Trouble.EMPTY,
                "The answer was empty.",
                status=200,
                reply=base.Reply("", seconds=time.perf_counter() - started),
            )
        return base.Reply(text=text, seconds=time.perf_counter() - started)

    async def _sent(self, request: base.Request) -> httpx2.Response:
        endpoint = self.endpoint
        try:
            written = rest.write(self._template, request, model=endpoint.model, key=endpoint.key)
            async with asyncio.timeout(endpoint.timeout):
                return await self._client.request(
                    written.method,
                    written.url,
                    headers={"Accept-Encoding": "identity", **written.headers},
                    content=written.content,
                )
        except (TimeoutError, httpx2.TimeoutException):
            message = f"No reply within {endpoint.timeout:g} seconds."
            raise failures.failed(request, base.Trouble.TIMEOUT, message) from None
        except addresses.AddressNotAllowed as refusal:
            raise failures.failed(request, certificates.trouble_of(refusal), str(refusal)) from None
        except httpx2.ConnectError as problem:
            raise failures.failed(request, *certificates.no_connection(problem)) from None
        except httpx2.TransportError as problem:
            message = f"The connection broke off ({type(problem).__name__})."
            raise failures.failed(request, base.Trouble.CONNECTION, message) from None
        except (httpx2.InvalidURL, ValueError) as problem:
            message = (
                f"The request cannot be written ({type(problem).__name__}). Look at its parts."
            )
            raise failures.failed(request, base.Trouble.BAD_REQUEST, message) from None

    def _refused(self, request: base.Request, answer: httpx2.Response) -> base.Failed:
        status = answer.status_code
        said = _said(answer.content)
        trouble = failures.trouble_of(status, said)
        return failures.failed(
            request,
            trouble,
            failures.message_of(status, trouble, said, self.endpoint.key),
            status=status,
            retry_after=failures.retry_after(answer.headers, said),
        )

    def _failed(
        self, request: base.Request, trouble: base.Trouble, message: str, status: int
    ) -> base.Failed:
        words = failures.without_key(message, self.endpoint.key)
        return failures.failed(request, trouble, words, status=status)


def _said(raw: bytes) -> dict[str, Any]:
    """Return what an error's body says, whatever its layout."""
    text = raw[:20_000].decode("utf-8", "replace")
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {"message": ""}
    if not isinstance(found, dict):
        return {"message": ""}
    inner = chat_api.error_of(found) or found
    return {**inner, "message": chat_api.words_of(inner)}


@asynccontextmanager
async def open_client(endpoint: config.EndpointConfig) -> AsyncIterator[RestModel]:
    """Open a client for this event loop, and close its connections in the end."""
    origin = rest.template_of(endpoint.url, endpoint.request).origin
    http = guarded.client(
        origin,
        networks=endpoint.networks,
        timeout=endpoint.timeout,
        certificate=endpoint.certificates,
    )
    async with http:
        yield RestModel(endpoint, http)


class RestWire:
    """Puts the messages of a body to an application, and gives its answer as a body."""

    def __init__(self, model: RestModel) -> None:
        self._model = model

    async def post(
        self, path: str, sent: Mapping[str, Any], request: base.Request
    ) -> dict[str, Any]:
        messages = tuple(base.Message(one["role"], one["content"]) for one in sent["messages"])
        said = await self._model.reply(replace(request, messages=messages))
        return {"choices": [{"message": {"role": "assistant", "content": said.text}}]}


@asynccontextmanager
async def open_wire(endpoint: config.EndpointConfig) -> AsyncIterator[RestWire]:
    async with open_client(endpoint) as model:
        yield RestWire(model)
