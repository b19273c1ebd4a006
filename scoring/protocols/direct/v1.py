"""The direct judge, version 1: one answer, graded by the criteria of a rubric, in one or more samples.

Each sample is one request for all criteria, or one for each of them. A reply that was cut off is asked
for once more with more room; one that gives no reading is asked for once more in its form; what then
still has no reading has no score, and says why.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from statistics import stdev
from typing import Any, Final, Literal

from scoring.llm import base
from scoring.llm.base import ChatModel, Message, Reply, Request, Role, Settings, Trouble
from scoring.protocols import reading, untrusted
from scoring.protocols.direct import asking_v1 as asking
from scoring.protocols.direct.asking_v1 import Task
from scoring.protocols.reading import Wanted

PROTOCOL: Final = "direct/v1"
#: How much longer a reply may be when it is asked for again because it was cut off.
MORE_ROOM: Final = 3
MOST_TEXT: Final = 8_000

CUT_OFF: Final = "The reply was cut off."
DECLINED: Final = "The judge declined."
FILTERED: Final = "A content filter withheld the judge's reply."
EMPTY: Final = "The judge's reply was empty."
TOO_LONG: Final = "The prompt is too long for the judge."
NO_ANSWER: Final = "The answer is empty."
#: Reasons that say nothing of what a judge wrote.
PLAIN_REASONS: Final = frozenset({CUT_OFF, DECLINED, FILTERED, EMPTY, TOO_LONG, NO_ANSWER})

Outcome = Literal["SCORED", "UNSCORED", "REFUSED", "SKIPPED"]


@dataclass(frozen=True, slots=True)
class Config:
    """How a judge grades.

    `together` asks for all criteria in one request; a mean needs `fewest_valid` readings.
    """

    repeats: int = 1
    temperature: float | None = 0.0
    max_tokens: int = 1500
    together: bool = True
    fewest_valid: int = 1


@dataclass(frozen=True, slots=True)
class Mark:
    """What one sample says of one criterion."""

    outcome: Outcome
    value: Decimal | None = None
    reason: str = ""
    text: str = ""


async def judge(
    model: ChatModel, task: Task, config: Config, *, fence: untrusted.Fence, seed: int
) -> dict[str, Any]:
    """Return the samples of a judge and their means by criterion, as plain data.

    Args:
        model: answers the requests of role JUDGE.
        task: what is graded, and by which criteria.
        config: samples, parameters, and how criteria are asked for.
        fence: the delimiters of this step.
        seed: sent with every request; a sample's number is added to it by the client.
    """
    keys = [one.key for one in task.criteria]
    flags = [
        flag.value for flag in untrusted.flags_of((*task.answer_texts, task.stored), keys=keys)
    ]
    if not any(text.strip() for text in task.answer_texts):
        return {"skipped": NO_ANSWER, "criteria": {}, "samples": [], "flags": flags}
    samples = [
        await _sample(model, task, config, fence=fence, seed=seed, repeat=repeat)
        for repeat in range(1, config.repeats + 1)
    ]
    return {
        "skipped": "",
        "criteria": {
            key: _mean([sample[key] for sample in samples], config.fewest_valid) for key in keys
        },
        "samples": [
            {"repeat": number, "criteria": {key: _plain(one) for key, one in sample.items()}}
            for number, sample in enumerate(samples, start=1)
        ],
        "flags": flags,
    }


def requests(task: Task, config: Config, *, fence: untrusted.Fence, seed: int) -> list[Request]:
    """Return the first requests of the first sample: what an estimate counts."""
    return [
        _request(part, config, fence=fence, seed=seed, repeat=1) for part in _parts(task, config)
    ]


def _parts(task: Task, config: Config) -> list[Task]:
    if config.together:
        return [task]
    return [replace(task, criteria=(one,)) for one in task.criteria]


def _request(
    task: Task, config: Config, *, fence: untrusted.Fence, seed: int, repeat: int
) -> Request:
    return Request(
        role=Role.JUDGE,
        messages=asking.messages(task, fence.code(Role.JUDGE, repeat=repeat)),
        settings=Settings(temperature=config.temperature, max_tokens=config.max_tokens, seed=seed),
        schema=asking.schema(task),
        part="" if config.together else task.criteria[0].key[:80],
        repeat=repeat,
    )


async def _sample(
    model: ChatModel,
    task: Task,
    config: Config,
    *,
    fence: untrusted.Fence,
    seed: int,
    repeat: int,
) -> dict[str, Mark]:
    made: dict[str, Mark] = {}
    for part in _parts(task, config):
        request = _request(part, config, fence=fence, seed=seed, repeat=repeat)
        made |= await _marks(model, part, request)
    return made


async def _marks(model: ChatModel, task: Task, request: Request) -> dict[str, Mark]:
    """Return what a judge says of the criteria after at most one longer and one repaired reply."""
    wanted = [one.wanted for one in task.criteria]
    try:
        reply = await model.reply(request)
        if reply.finish == "length":
            reply = await model.reply(_longer(request))
        marks = _read(reply, wanted)
        if _has_gaps(marks):
            repair = _repair(request, reply, task, marks)
            marks = _filled(marks, _read(await model.reply(repair), wanted))
    except base.Failed as failed:
        return _of_failure(failed, wanted)
    return marks


def _longer(request: Request) -> Request:
    room = (request.settings.max_tokens or 0) * MORE_ROOM
    settings = replace(request.settings, max_tokens=room or None)
    return replace(request, settings=settings, part=_named(request, "longer"))


def _repair(request: Request, reply: Reply, task: Task, marks: Mapping[str, Mark]) -> Request:
    """Ask for the form once more, with what was wrong."""
    problems = [mark.reason for mark in marks.values() if mark.outcome != "SCORED"]
    said = asking.repair(task, problems)
    turns = (Message("assistant", reply.text[:MOST_TEXT]), Message("user", said))
    longer = _longer(request) if reply.finish == "length" else request
    return replace(longer, messages=(*request.messages, *turns), part=_named(request, "repair"))


def _named(request: Request, what: str) -> str:
    return f"{request.part[:70]} {what}".strip()


def _read(reply: Reply, wanted: Sequence[Wanted]) -> dict[str, Mark]:
    if reply.finish == "length":
        cut = Mark("UNSCORED", reason=CUT_OFF, text=reply.text[:MOST_TEXT])
        return {one.key: cut for one in wanted}
    found = reading.scores(reply.text, wanted)
    if all(one.value is None for one in found.values()) and _declines(reply):
        words = reply.text.strip()[:MOST_TEXT]
        return {one.key: Mark("REFUSED", reason=DECLINED, text=words) for one in wanted}
    return {key: _mark(one) for key, one in found.items()}


def _mark(found: reading.Reading) -> Mark:
    text = found.text.strip()[:MOST_TEXT]
    if found.value is None:
        return Mark("UNSCORED", reason=found.problem, text=text)
    return Mark("SCORED", found.value, text=text)


def _declines(reply: Reply) -> bool:
    return bool(reply.notes.get("refusal")) or reading.declines(reply.text)


def _has_gaps(marks: Mapping[str, Mark]) -> bool:
    return any(mark.outcome == "UNSCORED" for mark in marks.values())


def _filled(first: Mapping[str, Mark], second: Mapping[str, Mark]) -> dict[str, Mark]:
    """Return the first reading, its gaps filled from the second."""
    return {key: mark if mark.outcome == "SCORED" else second[key] for key, mark in first.items()}


def _of_failure(failed: base.Failed, wanted: Sequence[Wanted]) -> dict[str, Mark]:
    """Return what a failure of the judge's own says of the criteria; any other goes on upwards."""
    if failed.trouble is Trouble.FILTERED:
        mark = Mark("REFUSED", reason=FILTERED)
    elif failed.trouble is Trouble.EMPTY:
        mark = Mark("UNSCORED", reason=EMPTY)
    elif failed.trouble is Trouble.TOO_LONG:
        mark = Mark("UNSCORED", reason=TOO_LONG)
    else:
        raise failed
    return {one.key: mark for one in wanted}


# Means ------------------------------------------------------------------------------------


def _mean(marks: Sequence[Mark], fewest: int) -> dict[str, Any]:
    """Return the mean of the readings; the deviation is that of a sample (n − 1)."""
    values = [mark.value for mark in marks if mark.value is not None]
    made: dict[str, Any] = {
        "outcome": "SCORED", "value": None, "reason": "", "text": "", "n_valid": len(values), "sd": None,
    }  # fmt: skip
    if len(values) >= max(1, fewest):
        mean = sum(values, Decimal(0)) / len(values)
        spread = float(stdev(values)) if len(values) > 1 else None
        return made | {"value": float(mean), "sd": spread, "text": _nearest(marks, mean).text}
    first = next(mark for mark in marks if mark.value is None)
    refused = all(mark.outcome == "REFUSED" for mark in marks)
    reason = first.reason
    if values:
        reason = f"{len(values)} of {len(marks)} samples could be read; {fewest} are needed."
    return made | {
        "outcome": "REFUSED" if refused else "UNSCORED", "reason": reason, "text": first.text,
    }  # fmt: skip


def _nearest(marks: Sequence[Mark], mean: Decimal) -> Mark:
    """Return the first of the samples that lie closest to the mean: its reasons stand for it."""
    scored = [mark for mark in marks if mark.value is not None]
    return min(scored, key=lambda mark: abs((mark.value or Decimal(0)) - mean))


def _plain(mark: Mark) -> dict[str, Any]:
    value = None if mark.value is None else float(mark.value)
    return {"outcome": mark.outcome, "value": value, "reason": mark.reason, "text": mark.text}
