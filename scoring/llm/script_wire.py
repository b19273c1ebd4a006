"""A script asked through the bodies of the chat API, without a server between: for tests of abilities."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

from scoring.llm import abilities, base, config, failures
from scoring.llm.scripts import bodies, composing
from scoring.llm.scripts.script import Script


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
