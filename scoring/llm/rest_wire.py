"""An application asked through the bodies of the chat API: for the test of its connection."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

from scoring.llm import base, config, rest_client


class RestWire:
    """Puts the messages of a body to an application, and gives its answer as a body."""

    def __init__(self, model: rest_client.RestModel) -> None:
        self._model = model

    async def post(
        self, path: str, sent: Mapping[str, Any], request: base.Request
    ) -> dict[str, Any]:
        messages = tuple(base.Message(one["role"], one["content"]) for one in sent["messages"])
        said = await self._model.reply(replace(request, messages=messages))
        return {"choices": [{"message": {"role": "assistant", "content": said.text}}]}


@asynccontextmanager
async def open_wire(endpoint: config.EndpointConfig) -> AsyncIterator[RestWire]:
    async with rest_client.open_client(endpoint) as model:
        yield RestWire(model)
