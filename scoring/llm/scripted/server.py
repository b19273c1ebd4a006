"""The scripted model behind HTTP, as OpenAI-compatible servers speak it; on loopback only.

It counts what arrives (GET /_count) and fails by plan, so that a test can say what a run did to its server.
`python -m scoring.llm.scripted.server --port 0` prints its address and serves until it is stopped.
"""

import argparse
import asyncio
import json
import sys
from collections.abc import Mapping
from typing import Any

from scoring.llm.scripted import answering as faults
from scoring.llm.scripted.answering import Answerer, Connection, Faults, ScriptedOptions
from scoring.llm.scripted.script import Script

__all__ = [
    "Faults",
    "Script",
    "ScriptedOptions",
    "ScriptedServer",
    "add_arguments",
    "options_of",
    "serve",
]

LOOPBACK = "127.0.0.1"


class ScriptedServer:
    """Takes requests and answers them. One for each event loop."""

    def __init__(self, options: ScriptedOptions | None = None) -> None:
        self.answerer = Answerer(options or ScriptedOptions())
        self._server: asyncio.Server | None = None
        self._connections: set[Connection] = set()

    async def start(self, port: int = 0) -> str:
        """Listen on loopback and return the base URL."""
        self._server = await asyncio.get_running_loop().create_server(self._connect, LOOPBACK, port)
        return f"http://{LOOPBACK}:{self._server.sockets[0].getsockname()[1]}/v1"

    async def stop(self) -> None:
        """Stop listening and drop what is open."""
        if self._server is not None:
            self._server.close()
        for connection in list(self._connections):
            if connection.transport is not None:
                connection.transport.abort()
        await asyncio.sleep(0)

    def _connect(self) -> Connection:
        connection = Connection(self.answerer, self._connections.discard)
        self._connections.add(connection)
        return connection


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say what can be set from a terminal."""
    parser.add_argument("--port", type=int, default=0, help="0 (the default) takes a free one")
    parser.add_argument("--script", default="{}", help='JSON, such as {"seed": 3, "latency": 200}')
    parser.add_argument("--faults", default="", help="such as 429=0.2,500=0.05,hang=0.01,at_most=2")
    parser.add_argument("--key", default="", help="the only key that is accepted")
    parser.add_argument("--context-length", type=int)
    parser.add_argument("--at-once", type=int, help="more requests at once get a 429")


def options_of(given: Mapping[str, Any]) -> ScriptedOptions:
    """Return the options of a terminal's arguments.

    Raises:
        ValueError: the script or the faults are wrong.
    """
    try:
        script = json.loads(given["script"])
    except ValueError:
        raise ValueError(f"The script is not JSON: {given['script']}.") from None
    return ScriptedOptions(
        script=Script.of(script),
        faults=Faults.of(faults.read_list(given["faults"])),
        key=given["key"],
        context_length=given["context_length"],
        at_once=given["at_once"],
    )


async def serve(options: ScriptedOptions, port: int) -> None:
    """Serve until cancelled; the first line of the output is the base URL."""
    server = ScriptedServer(options)
    sys.stdout.write(f"{await server.start(port)}\n")
    sys.stdout.flush()
    try:
        await asyncio.Event().wait()
    finally:
        await server.stop()


def main() -> None:
    parser = argparse.ArgumentParser(description="Serve the scripted model over HTTP.")
    add_arguments(parser)
    given = vars(parser.parse_args())
    try:
        asyncio.run(serve(options_of(given), given["port"]))
    except KeyboardInterrupt:
        sys.exit(0)


if __name__ == "__main__":
    main()
