"""What a kind of run has to say to the engine, and where the kinds are found.

* What a step's result says was found in the texts of systems: kept beside it, so that it can be counted.
* What nobody thought of: a run stops for it once, says so, and can be tried again.
"""

import functools
import importlib
import logging
import pkgutil
import sqlite3
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from importlib.util import find_spec
from typing import Annotated, Any, ClassVar, Final, Protocol, cast, runtime_checkable
from uuid import UUID

from django import db
from django.urls import reverse
from django.utils.module_loading import import_string

from annotation.common.names import NameKind
from annotation.common.sentences import gettext as _
from annotation.people import audit
from annotation.people.models import User
from annotation.rounds.models import Round
from evalsite import errors, queue
from evalsite.db import prepared
from evalsite.kinds import Id, Number, Whole, YesNo, gettext_noop
from evalsite.records import Ask, Record
from scoring.endpoints.models import Judge
from scoring.engine.models import Judgment, Run, Step
from scoring.llm.base import ChatModel, Failed, Role
from scoring.protocols.untrusted import Flag

Procedure = Callable[[ChatModel], Awaitable[Any]]

#: What JavaScript and every language model's server can hold as an integer.
LARGEST_SEED: Final = 2**31 - 1
#: A limit of money: in the currency of the endpoints, to a millionth of it.
BUDGET_DIGITS, BUDGET_PLACES = 14, 6
LEAST_BUDGET: Final = Decimal(1).scaleb(-BUDGET_PLACES)


Budget = Annotated[
    Decimal | None,
    Number(BUDGET_DIGITS, BUDGET_PLACES, LEAST_BUDGET),
    Ask(
        gettext_noop("Budget"),
        gettext_noop("In the endpoints’ currency. The run pauses there. Empty: no limit."),
    ),
]


@dataclass(frozen=True, kw_only=True)
class Spending(Record):
    """What a run may spend from now on."""

    budget: Budget


@dataclass(frozen=True, kw_only=True)
class BeginRun(Record):
    """What every run is started with; a kind adds what it asks. With `estimate` nothing is started."""

    needs: ClassVar[frozenset[str]] = frozenset({"seed"})

    #: Made anew for every page, so that a form sent twice starts one run.
    key: Annotated[UUID, Id()]
    name: Annotated[
        str,
        NameKind(120, empty=False),
        Ask(gettext_noop("Name"), gettext_noop("As shown in lists.")),
    ]
    budget: Budget = None
    seed: Annotated[
        int,
        Whole(0, LARGEST_SEED),
        Ask(
            gettext_noop("Seed"),
            gettext_noop("For draws and endpoints."),
        ),
    ] = 0
    estimate: Annotated[bool, YesNo()] = False
    #: Pause after the first real steps, which tell what the rest will take; resume to go on.
    pilot: Annotated[bool, YesNo()] = False


@dataclass(frozen=True)
class RunAsking:
    """Who asks for a run, and when; unless it `starts`, nothing may be written."""

    user: User | None
    now: datetime
    starts: bool = False


@dataclass(frozen=True, kw_only=True)
class AskedRun:
    """What a run is to be, as its kind makes it of what somebody chose.

    Args:
        protocol: by which it works.
        config: all that decides what it comes to, beside its judge and its seed.
        round: whose answers it is about.
        judge: by whom they are judged.
        told: what an estimate says besides, by name.
        n_in_all: the steps of which the estimate looks at some.
        imagined: what the run needs is made when it starts, and cannot be checked before.
    """

    protocol: str = ""
    config: Mapping[str, Any]
    round: Round | None = None
    judge: Judge | None = None
    told: Mapping[str, Any] = field(default_factory=dict)
    n_in_all: int | None = None
    imagined: bool = False


class Begun(Protocol):
    """A kind as the doors know it: what is asked of people and programs, and what comes of it."""

    kind: Run.Kind
    #: The record of what is chosen: the form, the body of the API and the command follow from it.
    wish: type[Any]
    #: Whether `asked` makes what the run needs, such as a judge, when the run is started.
    writes: bool

    def asked(self, of: Any, wish: Any, asking: RunAsking) -> AskedRun:
        """Return what the run is to be; `kind_called` is the project, or what of it the run is about.

        Raises:
            errors.Refusal: it cannot be done; says why.
        """
        ...

    def again(self, run: Run) -> dict[str, Any]:
        """Return what the form shows for a clone of a run, beside its name, budget and seed."""
        ...


class UnknownKind(errors.Invalid): ...


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


class RunKind(Protocol):
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


@dataclass(frozen=True, slots=True)
class Action:
    """A link on a page of runs."""

    text: Any
    url: str
    is_main: bool = False
    icon: str = ""


@dataclass(frozen=True, slots=True)
class Beginning:
    """A page on which runs are begun: its words, the name of its address, its place among the others."""

    text: Any
    name: str
    place: int


@dataclass(frozen=True, kw_only=True)
class RunPlugin:
    """A kind of run as its folder declares it, in `RUNS` of a module `plugin`.

    Args:
        kind: of the runs.
        works: the dotted name of its object (Kind), which workers import.
        form: the name of the page with its form, or what returns the address for another run like this one
            ("" where there is none).
        begins: the pages on which runs of it are begun.
        links: on the page of a run, in words, by the name of their address; or what returns them.
        told: returns the configuration of a run as people read it; as it is unless given.
        is_reseeded: it is offered again with another seed.
        has_prelude: it prepares something before it looks at a system: a pilot is of what comes then.
    """

    kind: str
    works: str
    form: str | Callable[[Run], str] = ""
    begins: Sequence[Beginning] = ()
    links: Sequence[tuple[Any, str]] | Callable[[Run], Sequence[Action]] = ()
    told: Callable[[Run], Mapping[str, Any]] | None = None
    is_reseeded: bool = False
    has_prelude: bool = False

    def form_of(self, run: Run) -> str:
        """Return where a run like this one is begun; "" where that is nowhere."""
        if callable(self.form):
            return self.form(run)
        return reverse(self.form, args=[run.project.slug]) if self.form else ""

    def links_of(self, run: Run) -> Sequence[Action]:
        """Return what leads on from a run; the first is the main one once it is over."""
        if callable(self.links):
            return self.links(run)
        args, is_over = [run.project.slug, run.number], run.state == Run.State.DONE
        return [
            Action(text, reverse(name, args=args), is_over and not place)
            for place, (text, name) in enumerate(self.links)
        ]


PACKAGE: Final = "scoring.kinds"


@functools.cache
def modules(name: str) -> Sequence[Any]:
    """Return the module of this name of every folder of kinds that has one."""
    package = importlib.import_module(PACKAGE)
    names = [f"{PACKAGE}.{one.name}.{name}" for one in pkgutil.iter_modules(package.__path__)]
    return [importlib.import_module(name) for name in names if find_spec(name)]


@functools.cache
def plugins() -> dict[str, RunPlugin]:
    """Return what the folders declare, by the kind of run."""
    return {one.kind: one for module in modules("plugin") for one in module.RUNS}


def plugin(kind: str) -> RunPlugin:
    """Return what declares this kind of run.

    Raises:
        UnknownKind: nothing does.
    """
    if kind not in plugins():
        raise UnknownKind(_("Runs of this kind cannot be started here."))
    return plugins()[kind]


def kind_called(kind: str) -> RunKind:
    """Return what knows this kind of run.

    Raises:
        UnknownKind: nobody does.
    """
    return _load(plugin(kind).works)


@functools.cache
def _load(name: str) -> RunKind:
    return cast("RunKind", import_string(name))


_JUDGMENTS = prepared.Insert(Judgment)


def keep(judgments: Iterable[Judgment]) -> None:
    """Write judgments of a step, in the caller's transaction."""
    _JUDGMENTS.add_all(list(judgments))


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
    audit.done(run, "run.stopped", None, now, reason=Run.Pause.PROBLEM.value)
    return True


def _said(problem: Exception) -> str:
    if isinstance(problem, Failed | errors.Refusal):
        return str(problem)
    return _(
        "Unexpected error (%(name)s). Nothing is lost; try again. If it recurs, the "
        "worker’s log says why."
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
