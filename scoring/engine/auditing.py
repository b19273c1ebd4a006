"""The calls of a step as a model that plays them back, so that its procedure runs again and asks nobody.

* Whether a run still says what it said: its procedures run again over the recorded calls, and ask nobody.
* What of runs and figures a project may keep for a time only.
"""

import asyncio
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, is_dataclass
from datetime import datetime
from typing import Any, Final

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from annotation.home.operations import KeptRows
from annotation.people.models import Project
from evalsite import errors
from scoring.engine import kinds
from scoring.engine.calls import refusal_of, reply_of
from scoring.engine.models import CallText, LLMCall, Run, Step
from scoring.figures.models import Figure
from scoring.llm.base import (
    OF_THE_SYSTEM,
    ChatModel,
    Failed,
    Reply,
    Request,
    SystemFailed,
    Trouble,
)
from scoring.llm.records import Key, NotRecorded, ReplayModel

#: What would fail again, and what a procedure may answer by asking otherwise: one sample at a time, say.
COMES_AGAIN: Final = OF_THE_SYSTEM | {Trouble.BAD_REQUEST}


class TextGone(errors.Conflict): ...


def model_of(step: Step) -> ReplayModel:
    """Return a ChatModel that answers from a step's calls alone.

    What was tried again counts by what it came to. A failure that would come again, such as a
    filter's or a refusal to give several samples at once, fails again; others had no reply and are
    not in it.

    Raises:
        TextGone: the project keeps texts of calls for a time only, and it is over.
    """
    rows = list(LLMCall.objects.filter(step=step).order_by("pk"))
    shas = {row.text_sha for row in rows if row.text_sha}
    texts = CallText.objects.filter(run=step.run_id, sha__in=shas)
    text_of = dict(texts.values_list("sha", "text"))
    calls: dict[Key, Reply | Failed] = {}
    for row in rows:
        key = (row.request_sha, row.repeat)
        if not row.trouble:
            if row.text_sha not in text_of:
                raise TextGone(
                    _(
                        "The texts of this run’s calls are no longer kept, so it cannot be played back."
                    )
                )
            calls[key] = reply_of(row, text_of[row.text_sha])
        elif row.trouble in COMES_AGAIN:
            calls.setdefault(key, refusal_of(row, text_of.get(row.text_sha, "")))
    return ReplayModel(calls)


CHUNK = 200


@dataclass(frozen=True, slots=True)
class ReplayDifference:
    """A step that comes to something else today."""

    key: str
    why: str


@dataclass(frozen=True, slots=True)
class ReplayAudit:
    """What became of playing a run back. Steps in which the machinery failed have nothing to compare."""

    n_same: int
    n_left_out: int
    differences: tuple[ReplayDifference, ...]


def audit(*, run: Run) -> ReplayAudit:
    """Play back every step of a run that has an outcome, and compare."""
    kind = kinds.kind_called(run.kind)
    n_same, n_left_out, differences = 0, 0, []
    for step in run.steps.order_by("ordinal").iterator(chunk_size=CHUNK):
        step.run = run
        if not _has_outcome(step):
            n_left_out += 1
        elif why := _difference(kind, step):
            differences.append(ReplayDifference(step.key, why))
        else:
            n_same += 1
    return ReplayAudit(n_same, n_left_out, tuple(differences))


def _has_outcome(step: Step) -> bool:
    return step.state == Step.State.DONE and step.outcome != Step.Outcome.MACHINERY_FAILED


def _difference(kind: kinds.RunKind, step: Step) -> str:
    """Return why a step is not what it was; nothing if it is."""
    try:
        work = kind.prepare(step)
        model = model_of(step)
        result = asyncio.run(_played(work, model))
    except NotRecorded as missing:
        return str(missing)
    except SystemFailed as failed:
        return "" if failed.trouble == step.trouble else _("It failed otherwise.")
    except (Failed, errors.Refusal) as problem:
        return str(problem)
    if step.outcome == Step.Outcome.SYSTEM_FAILED:
        return _("It failed only then.")
    if result != step.result:
        return _("Other result: %s.") % ", ".join(_places(step.result, result))
    return _("Recorded calls are left over.") if model.not_asked else ""


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


def _texts(project: Project, before: datetime) -> "QuerySet[Any]":
    """Return the texts of calls of runs that ended before; calls, costs, hashes and outcomes stay."""
    return CallText.objects.filter(
        run__project=project,
        run__state__in=[Run.State.DONE, Run.State.CANCELLED],
        run__finished_at__lt=before,
    )


def _figures(project: Project, before: datetime) -> "QuerySet[Any]":
    """Return figures that were worked out before; a page that asks for one has it worked out again."""
    return Figure.objects.filter(round__project=project, ready_at__lt=before)


CALLS, FIGURES = (KeptRows(_texts),), (KeptRows(_figures),)
