"""A small kind of run for tests of the engine, and models that it asks."""

import asyncio
import functools
import hashlib
from collections import Counter
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from uuid import UUID

from annotation.systems.models import Response
from scoring.endpoints.models import Endpoint
from scoring.engine import kinds, working
from scoring.engine import requests as requesting
from scoring.engine.claims import Means
from scoring.engine.kinds import Estimated, RunPlugin, StepPlan, Work
from scoring.engine.models import Judgment, Machine, Run, Step
from scoring.engine.pacing import Patience
from scoring.llm.base import Message, Reply, Request, Role, Settings
from tests import make

NAME = "TEST"
QUICK = Patience(first_wait=0.01, longest_wait=0.05)


class Interviewing:
    """Asks `calls` questions one after the other in each of `n` steps, about nothing.

    With `judges` (the key of a rater) a step is a response and its result a judgment.
    """

    def __init__(self):
        #: Called with each step that is prepared, in the thread of the database.
        self.meanwhile = lambda step: None

    def check(self, run):
        pass

    def endpoints(self, run):
        return [one for one in [run.config.get("endpoint")] if one]

    def prompts(self, run):
        for number in range(run.config.get("n", 3)):
            yield Estimated(
                Role.JUDGE,
                run.config["endpoint"],
                run.config.get("tokens", 100),
                20,
                calls=run.config.get("calls", 1),
                key=f"step {number}",
            )

    def plan(self, run):
        if run.config.get("judges"):
            rows = Response.objects.filter(item__project=run.project).order_by("pk")
            for one in rows.select_related("item", "release__system")[: run.config.get("n_most")]:
                key = f"{one.item.external_id} by {one.release.system.name}"
                yield StepPlan(key, one.item_id, one.release_id, one.pk)
            return
        for number in range(run.config.get("n", 3)):
            yield StepPlan(f"step {number}", spec={"number": number})

    def prepare(self, step):
        self.meanwhile(step)
        config = step.run.config
        if config.get("computes"):
            return Work(computing, blocking=True)
        role = Role(config.get("role", "judge"))

        async def procedure(model):
            said = []
            for exchange in range(config.get("calls", 1)):
                messages = (Message("user", f"{step.key}, {exchange}, after {said[-1:]}"),)
                request = Request(role, messages, Settings(max_tokens=50), exchange=exchange)
                said.append((await model.reply(request)).text)
            return {"said": said}

        return Work(procedure, {role: config["endpoint"]})

    def record(self, step, result, now):
        if result == {"said": ["nothing"]}:
            return Step.Outcome.NO_READING
        if judge := step.run.config.get("judges"):
            Judgment.objects.create(
                rater_id=judge,
                response_id=step.response_id,
                criterion_id=_criterion(step.run.pk, judge),
                run=step.run,
                step=step,
                value=int(hashlib.sha256(result["said"][-1].encode()).hexdigest()[:2], 16) % 5,
                text=result["said"][-1],
                at=now,
            )
        return Step.Outcome.OK

    def record_failure(self, step, failed, now):
        pass


KIND = Interviewing()


@functools.lru_cache(maxsize=8)
def _criterion(run, judge):
    return Machine.objects.get(rater=judge).rubric.versions.get().criteria.get().pk


async def computing(model):
    return {"sum": sum(range(1000))}


def register():
    """Let the engine know the kind."""
    kinds.plugins()[NAME] = RunPlugin(kind=NAME, works="tests.scoring.running.KIND")


class Model:
    """Answers at once, by what it was asked; counts; does before what `first` says."""

    def __init__(self, first=None):
        self.first = first
        self.asked: Counter[str] = Counter()
        self.in_flight = self.peak = 0

    async def reply(self, request: Request) -> Reply:
        self.in_flight += 1
        self.peak = max(self.peak, self.in_flight)
        self.asked[request.messages[-1].content] += 1
        try:
            await asyncio.sleep(0)
            if self.first is not None:
                await self.first(request, self)
            return Reply(answer(request), prompt_tokens=100, completion_tokens=20)
        finally:
            self.in_flight -= 1

    @property
    def n(self):
        return self.asked.total()


def answer(request):
    return hashlib.sha256(request.messages[-1].content.encode()).hexdigest()[:12]


def means(model, *, patience=QUICK, **more):
    @asynccontextmanager
    async def opened(_endpoint):
        yield model

    return Means(open_model=lambda endpoint: opened(endpoint), patience=patience, **more)


def endpoint(name="Meridian", **given):
    defaults = {"created_at": make.NOW, "max_in_flight": 8, "timeout": 5}
    return Endpoint.objects.create(project=make.project(), name=name, **{**defaults, **given})


def requested(key=1, *, budget=None, seed=7, **config):
    """Return a run that was asked for."""
    register()
    if not config.get("computes"):
        config.setdefault("endpoint", None)
        config["endpoint"] = config["endpoint"] or endpoint().pk
    return requesting.request_run(
        project=make.project(),
        key=UUID(int=key),
        kind=NAME,
        name="A run",
        protocol="test/v1",
        config=config,
        seed=seed,
        user=make.user("ines"),
        now=make.NOW,
        budget=budget,
    )


def clock():
    return datetime.now(UTC)  # noqa: TID251  leases run in real time


def worked(run: Run, model, **given) -> Run:
    """Work on a run as a worker does; return it as it is then."""
    working.work(run.pk, clock, means(model, **given))
    run.refresh_from_db()
    return run


def outcomes(run):
    return Counter(run.steps.values_list("state", "outcome"))
