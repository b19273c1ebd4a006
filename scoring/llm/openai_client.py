"""Asks OpenAI-compatible servers over checked connections.

Bodies are written and read by `chat_api`, so that a server's bad answer is our finding and not an
exception of a parser.
"""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import httpx2

from evalsite.outside import addresses
from scoring.llm import (
    base,
    certificates,
    chat_api,
    config,
    failures,
    guarded,
    responses_api,
    scoring_api,
)

#: Sent where no key is set: some servers want one, whichever.
NO_KEY = "none"
CHAT = "/chat/completions"


class Learnt:
    """What a server refused, and how it is asked since: for as long as its client is open."""

    def __init__(self) -> None:
        self._limit_name = ""
        self._left_out: list[str] = []

    def learn(self, sent: Mapping[str, Any], refused: base.Failed) -> bool:
        """Say whether a refusal tells how to ask in another way."""
        if refused.trouble is not base.Trouble.BAD_REQUEST:
            return False
        words = str(refused)
        for name, other in (config.LIMIT_NAMES, config.LIMIT_NAMES[::-1]):
            # What it wants instead is named beside what it refuses; a second turn would be a circle.
            if name in sent and other in words and self._limit_name in ("", other):
                self._limit_name = other
                return True
        can_go = [name for name in config.OPTIONAL if name in sent]
        found = failures.refused_parameters(words, can_go)
        self._left_out += found
        return bool(found)

    def applied(self, sent: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
        """Return a body as the server takes it, and in notes what is different."""
        made, notes = dict(sent), {}
        for name in config.LIMIT_NAMES:
            if self._limit_name not in ("", name) and name in made:
                made[self._limit_name] = made.pop(name)
                notes["limit_name"] = self._limit_name
        if out := [name for name in self._left_out if made.pop(name, None) is not None]:
            notes["left_out"] = ", ".join(out)
        if "logprobs" not in made:
            made.pop("top_logprobs", None)
        return made, notes


class OpenAIModel:
    """A ChatModel behind an OpenAI-compatible server. One per job and event loop. Never retries."""

    def __init__(self, endpoint: config.EndpointConfig, line: httpx2.AsyncBaseTransport) -> None:
        self.endpoint, self._line = endpoint, line
        self._learnt = Learnt()
        self._headers = _headers(endpoint)
        self._urls: dict[str, httpx2.URL] = {}
        waits = ("connect", "read", "write", "pool")
        self._extensions = {"timeout": dict.fromkeys(waits, endpoint.timeout)}

    async def reply(self, request: base.Request) -> base.Reply:
        if request.ask is not base.Ask.CHAT:
            return await self._beside_chat(request)
        sent = chat_api.body(request, self.endpoint)
        started = time.perf_counter()
        payload, without = await self._asked(sent, request)
        form = "" if request.schema is None else self.endpoint.form.value
        try:
            seconds = time.perf_counter() - started
            if request.settings.n is not None:
                made = chat_api.replies(payload, seconds=seconds, form=form)
            else:
                calls = request.takes_calls
                made = chat_api.reply(payload, seconds=seconds, form=form, takes_calls=calls)
        except chat_api.NoReply as problem:
            raise self._unusable(request, problem) from None
        return replace(made, notes={**made.notes, **without}) if without else made

    async def _asked(
        self, sent: Mapping[str, Any], request: base.Request
    ) -> tuple[dict[str, Any], dict[str, str]]:
        """Return what comes back, and what of the request the server made do without.

        A parameter that a server refuses is left out, or called as it wants, from then on; the reply
        says so.
        """
        while True:
            asked, without = self._learnt.applied(sent)
            try:
                return await self.post(CHAT, asked, request), without
            except base.Failed as refused:
                if not self._learnt.learn(asked, refused):
                    raise

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
        in_responses = path == CHAT and self.endpoint.api == config.RESPONSES
        if in_responses:
            path, sent = responses_api.PATH, responses_api.body(sent)
        payload = self._payload(request, await self._sent(path, sent, request))
        return responses_api.as_chat(payload) if in_responses else payload

    async def _sent(
        self, path: str, sent: Mapping[str, Any], request: base.Request
    ) -> httpx2.Response:
        try:
            async with asyncio.timeout(self.endpoint.timeout):
                answer = await self._line.handle_async_request(self._written(path, sent))
                try:
                    await answer.aread()
                finally:
                    await answer.aclose()
        except (TimeoutError, httpx2.TimeoutException):
            raise failures.failed(request, base.Trouble.TIMEOUT, self._too_slow()) from None
        except addresses.AddressNotAllowed as refusal:
            raise failures.failed(request, certificates.trouble_of(refusal), str(refusal)) from None
        except httpx2.RequestError as problem:
            raise self._not_connected(request, problem) from None
        if not answer.is_success:
            raise self._refused(request, answer)
        return answer

    def _written(self, path: str, sent: Mapping[str, Any]) -> httpx2.Request:
        if path not in self._urls:
            self._urls[path] = _url(self.endpoint, path)
        url = self._urls[path]
        text = json.dumps(sent, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        raw = text.encode()
        length = (b"Content-Length", str(len(raw)).encode())
        return httpx2.Request(
            "POST",
            url,
            headers=[(b"Host", url.netloc), *self._headers, length],
            stream=httpx2.ByteStream(raw),
            extensions=self._extensions,
        )

    def _payload(self, request: base.Request, answer: httpx2.Response) -> dict[str, Any]:
        try:
            payload = chat_api.read_body(failures.without_keys_in(answer.content, self._secrets))
        except chat_api.NoReply as problem:
            raise self._unusable(request, problem, answer.status_code) from None
        said = chat_api.error_of(payload)
        if said is None:
            return payload
        trouble = failures.trouble_of_error(said)
        words = failures.without_key(chat_api.words_of(said), *self._secrets)
        message = f"The server answered 200, but with an error: {words[: failures.MAX_WORDS]}"
        if trouble is base.Trouble.KEY:
            message = failures.message_of(200, trouble, said, *self._secrets)
        raise failures.failed(
            request, trouble, message, status=200, reply=chat_api.counted(payload)
        )

    def _refused(self, request: base.Request, answer: httpx2.Response) -> base.Failed:
        billed = None
        try:
            payload = chat_api.read_body(answer.content)
            said, billed = chat_api.error_of(payload) or payload, chat_api.counted(payload)
        except chat_api.NoReply:
            said = {"message": ""}
        status = answer.status_code
        trouble = failures.trouble_of(status, said)
        return failures.failed(
            request,
            trouble,
            failures.message_of(status, trouble, said, *self._secrets),
            status=status,
            retry_after=failures.retry_after(answer.headers, said, _now()),
            reply=billed,
        )

    def _not_connected(self, request: base.Request, problem: httpx2.RequestError) -> base.Failed:
        trouble, message = certificates.no_connection(problem)
        if trouble is base.Trouble.CONNECTION and not isinstance(problem, httpx2.ConnectError):
            message = f"The connection broke off ({type(problem).__name__})."
        return failures.failed(request, trouble, message)

    def _too_slow(self) -> str:
        return f"No reply within {self.endpoint.timeout:g} seconds."

    @property
    def _secrets(self) -> tuple[str, ...]:
        return self.endpoint.secrets


@asynccontextmanager
async def open_client(endpoint: config.EndpointConfig) -> AsyncIterator[OpenAIModel]:
    """Open a client for this event loop, and close its connections in the end."""
    line = guarded.Transport(
        endpoint.url, endpoint.networks, guarded.resolve, certificate=endpoint.certificates
    )
    async with line:
        yield OpenAIModel(endpoint, line)


def _headers(endpoint: config.EndpointConfig) -> list[tuple[bytes, bytes]]:
    """Return what goes with every request. The key stands in one place: where the endpoint says, or as usual."""
    own = {**endpoint.headers, **endpoint.query}
    is_placed = any(config.KEY in value for value in own.values())
    made = {
        "Accept": "application/json",
        "Accept-Encoding": "identity",
        "Content-Type": "application/json",
        "User-Agent": "evalsite",
    }
    if not is_placed and (endpoint.key or not own):
        made["Authorization"] = f"Bearer {endpoint.key or NO_KEY}"
    filled = _filled(endpoint, endpoint.headers)
    names = {name.lower() for name in filled}
    made = {name: value for name, value in made.items() if name.lower() not in names} | filled
    return [(name.encode(), value.encode()) for name, value in made.items()]


def _url(endpoint: config.EndpointConfig, path: str) -> httpx2.URL:
    query = _filled(endpoint, endpoint.query)
    url = httpx2.URL(_base_url(endpoint).rstrip("/") + path)
    return url.copy_merge_params(query) if query else url


def _filled(endpoint: config.EndpointConfig, own: Mapping[str, str]) -> dict[str, str]:
    return {name: value.replace(config.KEY, endpoint.key) for name, value in own.items()}


def _now() -> datetime:
    return datetime.fromtimestamp(time.time(), UTC)


def _base_url(endpoint: config.EndpointConfig) -> str:
    """Return the address, or one that leads nowhere: a refused one is not even read."""
    try:
        addresses.check(endpoint.url, endpoint.networks)
    except addresses.AddressNotAllowed:
        return "https://refused.invalid"
    return endpoint.url
