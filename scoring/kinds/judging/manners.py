"""How each kind of judge goes about an answer: what a run of judging asks of its judge's manner.

Manners keep nothing: one serves every run. Which one a run has is its protocol's.
"""

from collections.abc import Collection, Iterator, Sequence
from typing import Final, Protocol, TypeVar

from annotation.rubrics.models import RubricVersion
from annotation.systems.models import Display, Item, Response
from evalsite.db import prepared
from scoring.endpoints.models import Endpoint, Judge
from scoring.engine.kinds import Estimated, StepPlan, Work
from scoring.engine.models import Run, Step
from scoring.kinds.judging import queries as judging
from scoring.kinds.judging import settings as judge_settings
from scoring.kinds.judging.asking_v1 import Task
from scoring.kinds.judging.queries import JudgedAnswer
from scoring.kinds.judging.settings import JudgeSettings
from scoring.llm import base as tokens
from scoring.protocols import samples

#: Tokens of the two delimiters around a text.
A_FENCE: Final = 40
S = TypeVar("S")

_SHOWN = prepared.PreparedQuery(lambda pk: Display.objects.filter(pk=pk), pk=int)
_PRINCIPLE = prepared.PreparedQuery(
    lambda version: RubricVersion.objects.filter(pk=version).values_list("principle", flat=True),
    version=int,
)


class JudgingManner(Protocol):
    def check(self, run: Run) -> None:
        """Refuse, by an errors.Refusal, a round that this judge cannot grade."""
        ...

    def declare(self, run: Run, versions: Collection[int]) -> dict[int, dict[str, int]]:
        """Return the judge's own criteria by people's rubric version and key, made if they are not there."""
        ...

    def first(self, run: Run) -> Iterator[StepPlan]:
        """Yield what has to be done before the answers; nothing for most."""
        ...

    def first_prompts(self, run: Run) -> Iterator[Estimated]:
        """Yield what that asks."""
        ...

    def prompts(self, run: Run, page: Sequence[JudgedAnswer]) -> Iterator[Estimated]:
        """Yield the requests of some answers: the fixed part counted once, their texts one by one."""
        ...

    def prepare(self, step: Step) -> Work:
        """Return what a step does: one of an answer, or one of what comes first."""
        ...


def judge_of(run: Run) -> Judge:
    assert run.judge is not None
    return run.judge


def keys_of(run: Run) -> list[str]:
    """Return the keys of the criteria that a run judges; none for all."""
    return [str(one) for one in run.config.get("criteria") or []]


def settings_of(run: Run, kind: type[S]) -> S:
    found = judge_settings.settings_of(judge_of(run))
    assert isinstance(found, kind)
    return found


def task_of(step: Step, settings: JudgeSettings, keys: Collection[str]) -> Task:
    """Return the answer of a step with the criteria of these keys."""
    version, display = step.spec["rubric_version"], step.spec["display"]
    assert step.item is not None
    assert step.response is not None
    return judging.task(
        item=step.item,
        response=step.response,
        shown=_SHOWN.first(pk=display) if display else None,
        criteria=judging.criteria_of(version, keys),
        principle=principle_of(version),
        reference=settings.reference,
        language=settings.language,
    )


def material_of(texts: tuple[Item, Response, Display | None], settings: JudgeSettings) -> int:
    """Return the tokens of what stands between delimiters."""
    item, response, shown = texts
    task = judging.task(
        item=item,
        response=response,
        shown=shown,
        criteria=(),
        principle="",
        reference=settings.reference,
        language=settings.language,
    )
    said = [one.content for one in (*task.question, *task.answer)]
    said += [task.reference, *task.key_points]
    return sum(tokens.of_text(one) + A_FENCE for one in said if one)


def drawn(endpoint: Endpoint, n_samples: int, *, turned: bool = False) -> dict[str, int]:
    """Return how many calls so many samples take of an endpoint, and how many replies each brings.

    Samples in turned order are asked for apart. Of several the mean is counted, rounded up.
    """
    if not endpoint.gives_several:
        return {"calls": n_samples, "replies": 1}
    half = n_samples // 2 if turned else 0
    calls = sum(-(-one // samples.AT_ONCE) for one in (half, n_samples - half))
    return {"calls": calls, "replies": -(-n_samples // calls)}


def principle_of(version: int) -> str:
    return _PRINCIPLE.first(version=version) or ""
