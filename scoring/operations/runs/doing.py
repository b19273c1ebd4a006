"""One step: run its procedure, and store what came of it, whichever of the three outcomes it is."""

import asyncio
import logging
from dataclasses import asdict, is_dataclass
from typing import Any

from django.utils.translation import gettext as _

from evalsite import errors
from scoring.llm.base import Failed, MachineryFailed, Reply, Request, SystemFailed
from scoring.models import Step
from scoring.operations.runs import claiming, unforeseen
from scoring.operations.runs.calling import House, Remembering
from scoring.operations.runs.kinds import Kind, Work
from scoring.operations.runs.pacing import Interrupted
from scoring.operations.runs.storing import Past

logger = logging.getLogger(__name__)


class NoModel:
    """Stands in for a ChatModel where nobody is to be asked."""

    async def reply(self, request: Request) -> Reply:
        raise LookupError(f"A step that computes has no endpoint for {request.role}.")


async def do(house: House, kind: Kind, step: Step, work: Work, past: Past) -> bool:
    """Do a step and end it; return whether it ended. One that was interrupted is left as it is."""
    model = Remembering(house, step, work.endpoints, past)
    try:
        result = await _result(work, model)
    except Interrupted:
        return False
    except BaseExceptionGroup as several:
        if not model.interrupted:
            await _end_badly(house, kind, step, _first(several))
    except Exception as problem:  # noqa: BLE001  told below; a worker outlives its steps
        if not model.interrupted:
            await _end_badly(house, kind, step, problem)
    else:
        if not model.interrupted:
            await _end(house, kind, step, result)
    return not model.interrupted


async def _result(work: Work, model: Remembering) -> Any:
    if not work.blocking:
        return _plain(await work.procedure(model))

    async def compute() -> Any:
        return await work.procedure(NoModel())

    return _plain(await asyncio.to_thread(lambda: asyncio.run(compute())))


async def _end(house: House, kind: Kind, step: Step, result: Any) -> None:
    now = house.clock()
    try:
        await house.desk.write(lambda: claiming.end(step=step, kind=kind, result=result, now=now))
    except Exception as problem:  # noqa: BLE001  what a kind cannot store is its step's failure
        await _end_badly(house, kind, step, problem)


async def _end_badly(house: House, kind: Kind, step: Step, problem: Exception) -> None:
    if isinstance(problem, SystemFailed):
        unkept = await _end_by_system(house, kind, step, problem)
        if unkept is None:
            return
        problem = unkept
    if unforeseen.passes(problem):
        raise problem  # the step is left as it is, and the next job does it again
    now = house.clock()
    failed = problem if isinstance(problem, Failed) else None
    known = isinstance(problem, Failed | errors.Refusal)
    if not known:
        logger.error("Step %s of run %s", step.pk, step.run_id, exc_info=problem)
    said = str(problem) if known else _unexpected()
    await house.desk.write(lambda: claiming.fail(step=step, failed=failed, problem=said, now=now))


async def _end_by_system(
    house: House, kind: Kind, step: Step, failed: SystemFailed
) -> Exception | None:
    """End a step in which the system failed; return why that could not be stored, if so."""
    now = house.clock()
    try:
        await house.desk.write(
            lambda: claiming.end_by_system(step=step, kind=kind, failed=failed, now=now)
        )
    except Exception as problem:  # noqa: BLE001  what a kind cannot store is its step's failure
        return problem
    return None


def _unexpected() -> str:
    return _("Something unexpected happened; the operator finds it in the worker's log.")


def _first(several: BaseExceptionGroup[BaseException]) -> Exception:
    """Return the failure that says most: the system's own, then the machinery's, then any."""
    flat: list[BaseException] = []
    waiting: list[BaseException] = [several]
    while waiting:
        one = waiting.pop(0)
        if isinstance(one, BaseExceptionGroup):
            waiting.extend(one.exceptions)
        else:
            flat.append(one)
    for kind in (SystemFailed, MachineryFailed, Exception):
        for one in flat:
            if isinstance(one, kind):
                return one
    raise several


def _plain(result: Any) -> Any:
    if is_dataclass(result) and not isinstance(result, type):
        return asdict(result)
    return result
