"""Opens what answers for a configured endpoint. Libraries are loaded when one is needed."""

from contextlib import AbstractAsyncContextManager
from importlib import import_module
from typing import Any

from scoring.llm import abilities, base, config

# By name: a worker that asks only a script pays for no library of the network.
_MODELS = {
    config.SERVER: "scoring.llm.openai_client.open_client",
    config.REST: "scoring.llm.rest_client.open_client",
    config.SCRIPTED: "scoring.llm.scripted.model.open_script",
}
_WIRES = {
    config.SERVER: "scoring.llm.openai_client.open_client",
    config.REST: "scoring.llm.rest_client.open_wire",
    config.SCRIPTED: "scoring.llm.scripted.model.open_wire",
}


def open_model(
    endpoint: config.EndpointConfig,
) -> AbstractAsyncContextManager[base.ChatModel]:
    """Open the ChatModel of an endpoint for one job and event loop; closed at the end of the block."""
    opened: AbstractAsyncContextManager[base.ChatModel] = _opener(_MODELS[endpoint.kind])(endpoint)
    return opened


def open_wire(
    endpoint: config.EndpointConfig,
) -> AbstractAsyncContextManager[abilities.Wire]:
    """Open what takes bodies as they are, to find out what an endpoint can do."""
    opened: AbstractAsyncContextManager[abilities.Wire] = _opener(_WIRES[endpoint.kind])(endpoint)
    return opened


def _opener(name: str) -> Any:
    module, _dot, function = name.rpartition(".")
    return getattr(import_module(module), function)
