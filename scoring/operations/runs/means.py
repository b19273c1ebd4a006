"""What a job works with. Tests give it other things than a worker does."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field

from scoring.llm.base import ChatModel
from scoring.models import Endpoint
from scoring.operations.runs.desk import Desk
from scoring.operations.runs.pacing import Patience

OpenModel = Callable[[Endpoint], AbstractAsyncContextManager[ChatModel]]


def open_configured(endpoint: Endpoint) -> AbstractAsyncContextManager[ChatModel]:
    """Open the client of an endpoint as it is configured, with its key."""
    from scoring.llm import clients  # a job that asks nobody loads no client
    from scoring.queries import endpoints

    return clients.open_model(endpoints.config_of(endpoint))


def nobody_asks() -> bool:
    return False


@dataclass(frozen=True)
class Means:
    open_model: OpenModel = open_configured
    patience: Patience = field(default_factory=Patience)
    desk: Callable[[], Desk] = Desk
    #: Whether the worker was asked to end.
    stopping: Callable[[], bool] = nobody_asks
