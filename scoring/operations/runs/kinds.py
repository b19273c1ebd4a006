"""What a kind of run has to say to the engine, and where the kinds are found.

The engine knows nothing of judges or papers. It writes down the steps that `plan` gives, hands each
one's coroutine a ChatModel that remembers, and stores what came of it by `record`.
"""

import functools
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol, cast, runtime_checkable

from django.utils.module_loading import import_string
from django.utils.translation import gettext as _

from evalsite import errors
from scoring.llm.base import ChatModel, Failed, Role
from scoring.models import Run, Step

#: The dotted name of an object of each kind. Imported by workers, and by the operation that checks.
KINDS: dict[str, str] = {
    Run.Kind.JUDGE: "scoring.operations.runs.judging.KIND",
    Run.Kind.COLLECT: "scoring.operations.runs.collecting.KIND",
    Run.Kind.METRICS: "scoring.operations.runs.measuring.KIND",
    Run.Kind.ASSIST: "scoring.operations.runs.assisting.KIND",
    Run.Kind.KIEVAL: "scoring.operations.runs.interviewing.KIND",
    Run.Kind.SUITE: "scoring.operations.runs.suiting.KIND",
    Run.Kind.QUIZ: "scoring.operations.runs.quizzing.KIND",
    Run.Kind.LOSSES: "scoring.operations.runs.weighing.KIND",
    Run.Kind.FUSION: "scoring.operations.runs.fusing.KIND",
    Run.Kind.COMBINE: "scoring.operations.runs.combining.KIND",
    Run.Kind.PLAN: "scoring.operations.runs.planning_evaluation.KIND",
    Run.Kind.REJUDGE: "scoring.operations.runs.rejudging.KIND",
    Run.Kind.DRAFT: "scoring.operations.runs.drafting.KIND",
}

Procedure = Callable[[ChatModel], Awaitable[Any]]


class UnknownKind(errors.Invalid):
    code = "unknown_kind"


@dataclass(frozen=True, slots=True)
class StepPlan:
    """A unit of work to be written down. `key` names it within the run, for people and exports."""

    key: str
    item_id: int | None = None
    release_id: int | None = None
    response_id: int | None = None
    spec: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Work:
    """What a step does.

    Args:
        procedure: returns something that fits into JSON; raises SystemFailed or MachineryFailed.
        endpoints: the key of the Endpoint that plays a role in this step; empty if none is asked.
        blocking: computes without asking anybody; run in a thread, one at a time in a worker.
    """

    procedure: Procedure
    endpoints: Mapping[Role, int] = field(default_factory=dict)
    blocking: bool = False


@dataclass(frozen=True, slots=True)
class Estimated:
    """Calls that a run is going to make: how many, by whom, how long.

    Each call brings `replies`, of so many tokens each. `key` names the step in the message that says which
    prompts are too long.
    """

    role: Role
    endpoint_id: int
    prompt_tokens: int
    completion_tokens: int
    calls: int = 1
    key: str = ""
    replies: int = 1


class Kind(Protocol):
    """A kind of run. Objects of it keep nothing: one serves every run."""

    def check(self, run: Run) -> None:
        """Refuse, by an errors.Refusal, a run (not saved yet) that cannot work."""
        ...

    def endpoints(self, run: Run) -> Collection[int]:
        """Return the keys of all endpoints that the run may ask; none for one that asks nobody."""
        ...

    def prompts(self, run: Run) -> Iterator[Estimated]:
        """Yield what the run (not saved yet) is going to ask, in any order, lazily."""
        ...

    def plan(self, run: Run) -> Iterator[StepPlan]:
        """Yield the steps, lazily, in an order that is the same every time."""
        ...

    def prepare(self, step: Step) -> Work:
        """Read what a step needs. `step.run` is loaded. Called in the thread of the database."""
        ...

    def record(self, step: Step, result: Any, now: datetime) -> Step.Outcome:
        """Write what a step came to (judgments, responses) in the transaction that ends it.

        `step.run` is loaded. May be called again for the same step if the transaction had to be
        taken back, so it keeps nothing outside the database.
        """
        ...

    def record_failure(self, step: Step, failed: Failed, now: datetime) -> None:
        """Write what remains of a step in which the system that is judged failed."""
        ...


@runtime_checkable
class Staged(Protocol):
    """A kind whose later steps depend on what became of the earlier ones."""

    def more(self, run: Run) -> Iterator[StepPlan]:
        """Yield the steps that can be said now, asked when none is left to do.

        Those that are there already (by their key) are left out by whoever asks. A run of which
        nothing new comes is at its end.
        """
        ...


def of(kind: str) -> Kind:
    """Return what knows this kind of run.

    Raises:
        UnknownKind: nobody does.
    """
    if kind not in KINDS:
        raise UnknownKind(_("Runs of this kind cannot be started here."))
    return _load(KINDS[kind])


@functools.cache
def _load(name: str) -> Kind:
    return cast("Kind", import_string(name))
