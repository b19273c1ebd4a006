"""The direct judge, version 1: one answer, graded by the criteria of a rubric, in one or more samples.

Each sample is one request for all criteria, or one for each of them. How a reply is read, asked for
again and averaged is common to all judges (scoring.protocols.samples).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from scoring.kinds.judging import asking_v1 as asking
from scoring.kinds.judging.asking_v1 import Task
from scoring.llm.base import ChatModel, Request, Role, Settings
from scoring.protocols import samples, untrusted
from scoring.protocols.samples import Mark

PROTOCOL: Final = "direct/v1"
NO_ANSWER: Final = "The answer is empty."
#: Reasons that say nothing of what a judge wrote.
PLAIN_REASONS: Final = samples.PLAIN_REASONS | {NO_ANSWER}


@dataclass(frozen=True, slots=True)
class Config:
    """How a judge grades.

    `together` asks for all criteria in one request; a mean needs `fewest_valid` readings. `turned`
    has every second reading see criteria and material in the opposite order.
    """

    repeats: int = 1
    temperature: float | None = 0.0
    max_tokens: int = 1500
    together: bool = True
    fewest_valid: int = 1
    turned: bool = False
    top_p: float | None = None


async def judge(
    model: ChatModel,
    task: Task,
    config: Config,
    *,
    fence: untrusted.Fence,
    seed: int,
    at_once: bool = False,
) -> dict[str, Any]:
    """Return the samples of a judge and their means by criterion, as plain data.

    Args:
        model: answers the requests of role JUDGE.
        task: what is graded, and by which criteria.
        config: samples, parameters, and how criteria are asked for.
        fence: the delimiters of this step.
        seed: sent with every request; a sample's number is added to it by the client.
        at_once: ask for several samples in one request.
    """
    keys = [one.key for one in task.criteria]
    flags = [
        flag.value for flag in untrusted.flags_of((*task.answer_texts, task.stored), keys=keys)
    ]
    if not any(text.strip() for text in task.answer_texts):
        return {"skipped": NO_ANSWER, "criteria": {}, "samples": [], "flags": flags}
    drawn: list[dict[str, Mark]] = [{} for _repeat in range(config.repeats)]
    for place in range(len(_parts(task, config, 1))):
        for repeat, marks in await _samples(model, task, config, fence, seed, place, at_once):
            drawn[repeat - 1] |= marks
    return {
        "skipped": "",
        "criteria": {
            key: samples.mean([sample[key] for sample in drawn], config.fewest_valid)
            for key in keys
        },
        "samples": [
            {"repeat": number, "criteria": {key: one.plain() for key, one in sample.items()}}
            for number, sample in enumerate(drawn, start=1)
        ],
        "flags": flags,
    }


def requests(task: Task, config: Config, *, fence: untrusted.Fence, seed: int) -> list[Request]:
    """Return the first requests of the first sample: what an estimate counts."""
    return [
        _request(part, config, fence=fence, seed=seed, repeat=1) for part in _parts(task, config, 1)
    ]


def _parts(task: Task, config: Config, repeat: int) -> list[Task]:
    task = replace(task, turned=config.turned and samples.is_turned(repeat))
    if config.together:
        return [task]
    return [replace(task, criteria=(one,)) for one in task.criteria]


def _request(
    task: Task, config: Config, *, fence: untrusted.Fence, seed: int, repeat: int
) -> Request:
    return Request(
        role=Role.JUDGE,
        messages=asking.messages(task, fence.code(Role.JUDGE, repeat=repeat)),
        settings=Settings(
            temperature=config.temperature,
            top_p=config.top_p,
            max_tokens=config.max_tokens,
            seed=seed,
        ),
        schema=asking.schema(task),
        part="" if config.together else task.criteria[0].key[:80],
        repeat=repeat,
    )


async def _samples(
    model: ChatModel,
    task: Task,
    config: Config,
    fence: untrusted.Fence,
    seed: int,
    place: int,
    at_once: bool,
) -> list[tuple[int, dict[str, Mark]]]:
    """Return what each sample says of one part of the task, with its number."""
    parts = {one: _parts(task, config, one)[place] for one in range(1, config.repeats + 1)}
    asked = [
        _request(part, config, fence=fence, seed=seed, repeat=repeat)
        for repeat, part in parts.items()
    ]
    made: list[tuple[int, dict[str, Mark]]] = []
    for group in samples.alike(asked, turned=config.turned, together=at_once):
        part = parts[group[0].repeat]
        wanted = [one.wanted for one in part.criteria]
        taken = await samples.draw(model, group, wanted, _repair(part), together=at_once)
        made += [(one.repeat, marks) for one, marks in zip(group, taken, strict=True)]
    return made


def _repair(task: Task) -> samples.Repair:
    def said(problems: Sequence[str]) -> str:
        return asking.repair(task, problems)

    return said
