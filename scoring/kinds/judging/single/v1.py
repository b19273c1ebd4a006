"""The judge of one score, version 1: an answer as a whole from 1 to 10, whatever a rubric asks.

It is asked as the direct judge is, by one criterion of its own; the words are ours.

References:
    Zheng et al. (2023), Judging LLM-as-a-judge with MT-bench and chatbot arena, section 3.1.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any, Final

from annotation.common.scales import Scale
from scoring.kinds.judging import prompts_v1
from scoring.kinds.judging.asking_v1 import Criterion, Task
from scoring.kinds.judging.direct import v1 as direct
from scoring.kinds.judging.direct.v1 import Config
from scoring.llm.base import ChatModel, Request
from scoring.protocols import untrusted

PROTOCOL: Final = "single/v1"
KEY: Final = "overall"
SCALE: Final = Scale(Decimal(1), Decimal(10), Decimal(1))
#: The name of the criterion and what it means, by language. Never edited once released.
SAID: Final[Mapping[str, tuple[str, str]]] = {
    "en": (
        "Overall quality",
        "How well does the answer serve the person who asked? Weigh together whether it is right, to "
        "the point, deep enough, complete and clear. 1 is of no use at all, 10 could hardly be better.",
    ),
    "zh": (
        "总体质量",
        "这份回答对提问者有多大帮助？请综合考虑它是否正确、切题、有深度、完整、清楚。1 表示毫无用处，"
        "10 表示几乎无可改进。",
    ),
}


def sha(language: str) -> str:
    """Return the hash of all that is said to a judge in a language."""
    said = json.dumps([prompts_v1.sha(language), SAID[language]], ensure_ascii=True)
    return hashlib.sha256(said.encode()).hexdigest()


def criterion(language: str) -> Criterion:
    name, description = SAID[language]
    return Criterion(KEY, name, SCALE, description)


def asked_of(task: Task) -> Task:
    """Return the task with the one criterion in place of a rubric's and its principle."""
    return replace(task, criteria=(criterion(task.language),), principle="")


async def judge(
    model: ChatModel,
    task: Task,
    config: Config,
    *,
    fence: untrusted.Fence,
    seed: int,
    at_once: bool = False,
) -> dict[str, Any]:
    """Return the samples of a judge and their mean, as the direct judge does."""
    return await direct.judge(
        model, asked_of(task), config, fence=fence, seed=seed, at_once=at_once
    )


def requests(task: Task, config: Config, *, fence: untrusted.Fence, seed: int) -> list[Request]:
    """Return the first requests of the first sample: what an estimate counts."""
    return direct.requests(asked_of(task), config, fence=fence, seed=seed)
