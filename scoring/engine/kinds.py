"""What a kind of run has to say to the engine, and where the kinds are found.

* What a step's result says was found in the texts of systems: kept beside it, so that it can be counted.
* What nobody thought of: a run stops for it once, says so, and can be tried again.
"""

import functools
import logging
import sqlite3
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol, cast, runtime_checkable

from django import db
from django.utils.module_loading import import_string

from annotation.common.sentences import gettext as _
from annotation.people import audit
from evalsite import errors, queue
from scoring.engine.models import Run, Step
from scoring.llm.base import ChatModel, Failed, Role
from scoring.protocols.untrusted import Flag

#: The dotted name of an object of each kind. Imported by workers, and by the operation that checks.
KINDS: dict[str, str] = {
    Run.Kind.JUDGE: "scoring.kinds.judging.kind.KIND",
    Run.Kind.COLLECT: "scoring.kinds.collect.operations.KIND",
    Run.Kind.METRICS: "scoring.kinds.metrics.operations.KIND",
    Run.Kind.ASSIST: "scoring.kinds.assistants.operations.KIND",
    Run.Kind.KIEVAL: "scoring.kinds.interviews.kind.KIND",
    Run.Kind.SUITE: "scoring.kinds.suites.kind.KIND",
    Run.Kind.QUIZ: "scoring.kinds.accuracy.operations.KIND",
    Run.Kind.LOSSES: "scoring.kinds.losses.operations.KIND",
    Run.Kind.FUSION: "scoring.kinds.fusion.kind.FUSION_KIND",
    Run.Kind.COMBINE: "scoring.kinds.fusion.combining.KIND",
    Run.Kind.PLAN: "scoring.kinds.fusion.kind.KIND",
    Run.Kind.REJUDGE: "scoring.kinds.interviews.rejudging.KIND",
    Run.Kind.DRAFT: "scoring.kinds.drafting.kind.KIND",
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


def flags_of(result: Any) -> list[str]:
    """Return the flags of a result, once each, in the order in which they are declared."""
    if not isinstance(result, Mapping):
        return []
    parts = [result, *(one for one in result.get("exchanges") or () if isinstance(one, Mapping))]
    found = {flag for one in parts for flag in one.get("flags") or ()}
    return [flag.value for flag in Flag if flag.value in found]


logger = logging.getLogger(__name__)

#: Errors of the database that say something of what was asked of it, not of the database.
OF_WHAT_WAS_ASKED = (db.DataError, db.IntegrityError, db.ProgrammingError, db.NotSupportedError)


def passes(problem: BaseException) -> bool:
    """Say whether a problem may be gone at the next ring; of several, whether one may."""
    if isinstance(problem, BaseExceptionGroup):
        return any(passes(one) for one in problem.exceptions)
    if isinstance(problem, db.Error):
        return not isinstance(problem, OF_WHAT_WAS_ASKED) and not _is_of_the_query(problem)
    return not isinstance(problem, Exception) or isinstance(problem, queue.TimeIsUp)


def stop(*, run: Run, problem: Exception, now: datetime) -> bool:
    """Pause a run that cannot go on as it is, wherever it was; return whether it was at work.

    Two workers may meet the same problem: only the one that stops the run logs it.
    """
    at_work = Run.objects.to_work_on().filter(pk=run.pk)
    if not at_work.update(
        state=Run.State.PAUSED, pause=Run.Pause.PROBLEM, problem=_said(problem)[:500]
    ):
        return False
    logger.error("Run %s was stopped", run.pk, exc_info=problem)
    audit.record(
        project=run.project,
        actor=None,
        verb="run.stopped",
        subject=f"run:{run.number}",
        at=now,
        reason=Run.Pause.PROBLEM.value,
    )
    return True


def _said(problem: Exception) -> str:
    if isinstance(problem, Failed | errors.Refusal):
        return str(problem)
    return _(
        "Something unexpected happened (%(name)s). Nothing that was done is lost. Try again; if it "
        "stops here once more, the operator finds what it was in the worker’s log."
    ) % {"name": _name(problem)}


def _name(problem: Exception) -> str:
    """Return what kind of problem it is. Its text may hold anything, a key among it: that is logged."""
    if isinstance(problem, ExceptionGroup):
        return _name(problem.exceptions[0])
    return type(problem).__name__


def _is_of_the_query(problem: db.Error) -> bool:
    """Say whether SQLite cannot do what it was asked at all; Django calls that operational as well."""
    code = getattr(problem.__cause__, "sqlite_errorcode", None)
    return code == sqlite3.SQLITE_ERROR
