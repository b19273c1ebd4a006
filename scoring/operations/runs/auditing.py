"""Whether a run still says what it said: its procedures run again over the recorded calls, and ask nobody.

It writes nothing. A difference means that a procedure, a prompt or what it was made of is no longer what it
was, or that somebody changed a result.
"""

import asyncio
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, is_dataclass
from typing import Any

from django.utils.translation import gettext as _

from evalsite import errors
from scoring.llm.base import ChatModel, Failed, Reply, Request, SystemFailed
from scoring.llm.replay import NotRecorded
from scoring.models import Run, Step
from scoring.operations.runs import kinds
from scoring.queries import recorded_calls

CHUNK = 200


@dataclass(frozen=True, slots=True)
class Difference:
    """A step that comes to something else today."""

    key: str
    why: str


@dataclass(frozen=True, slots=True)
class Audit:
    """What became of playing a run back. Steps in which the machinery failed have nothing to compare."""

    n_same: int
    n_left_out: int
    differences: tuple[Difference, ...]


def audit(*, run: Run) -> Audit:
    """Play back every step of a run that has an outcome, and compare."""
    kind = kinds.of(run.kind)
    n_same, n_left_out, differences = 0, 0, []
    for step in run.steps.order_by("ordinal").iterator(chunk_size=CHUNK):
        step.run = run
        if not _has_outcome(step):
            n_left_out += 1
        elif why := _difference(kind, step):
            differences.append(Difference(step.key, why))
        else:
            n_same += 1
    return Audit(n_same, n_left_out, tuple(differences))


def _has_outcome(step: Step) -> bool:
    return step.state == Step.State.DONE and step.outcome != Step.Outcome.MACHINERY_FAILED


def _difference(kind: kinds.Kind, step: Step) -> str:
    """Return why a step is not what it was; nothing if it is."""
    try:
        work = kind.prepare(step)
        model = recorded_calls.model_of(step)
        result = asyncio.run(_played(work, model))
    except NotRecorded as missing:
        return str(missing)
    except SystemFailed as failed:
        return "" if failed.trouble == step.trouble else _("The system failed in another way.")
    except (Failed, errors.Refusal) as problem:
        return str(problem)
    if step.outcome == Step.Outcome.SYSTEM_FAILED:
        return _("The system failed then, and does not when it is played back.")
    if result != step.result:
        return _("The result is another one: %s.") % ", ".join(_places(step.result, result))
    return _("Not all recorded calls were asked for.") if model.not_asked else ""


async def _played(work: kinds.Work, model: ChatModel) -> Any:
    result = await work.procedure(_Nobody() if work.blocking else model)
    if is_dataclass(result) and not isinstance(result, type):
        result = asdict(result)
    return json.loads(json.dumps(result))


class _Nobody:
    """Stands in for a ChatModel where a step only computes."""

    async def reply(self, request: Request) -> Reply:
        raise NotRecorded(_("A step that computes has asked for something."))


def _places(was: Any, now: Any, at: str = "") -> Iterator[str]:
    """Yield where two results differ first, as paths."""
    if isinstance(was, dict) and isinstance(now, dict):
        for key in sorted(was.keys() | now.keys()):
            if was.get(key) != now.get(key):
                yield from _places(was.get(key), now.get(key), f"{at}.{key}" if at else str(key))
    else:
        yield at or _("as a whole")
