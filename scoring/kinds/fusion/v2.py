"""Fusion-Eval, version 2: as version 1, but each criterion is asked for in a request of its own.

References:
    Shu et al. (2024), Fusion-Eval: Integrating Assistant Evaluators with LLMs, section 3; the paper asks
    for all criteria at once.
"""

from dataclasses import dataclass, replace
from typing import Any, Final

from annotation.common.scales import Scale
from scoring.kinds.fusion import v1
from scoring.kinds.fusion.v1 import Config
from scoring.llm.base import ChatModel, Reply, Request
from scoring.protocols import untrusted
from scoring.protocols.task_asking_v1 import OVERALL, Criterion, Design, Example

PROTOCOL: Final = "fusion_eval/v2"


@dataclass(frozen=True, slots=True)
class _Part:
    """The model as it is asked for one criterion: its requests say which."""

    model: ChatModel
    key: str

    async def reply(self, request: Request) -> Reply:
        part = f"{self.key[:60]} {request.part}".strip()
        return await self.model.reply(replace(request, part=part))


def parts(design: Design) -> tuple[Design, ...]:
    """Return the task with one criterion in each; an overall score is a criterion over all of them."""
    criteria = design.criteria
    if design.overall is not None:
        criteria = (*criteria, _overall(design, design.overall))
    return tuple(replace(design, criteria=(one,), overall=None) for one in criteria)


def _overall(design: Design, scale: Scale) -> Criterion:
    names = [f"- {one.name}: {one.definition}".removesuffix(": ") for one in design.criteria]
    said = "\n".join([design.words.form_overall, *names])
    return Criterion(OVERALL, design.words.overall_name, scale, said)


async def evaluate(
    model: ChatModel,
    design: Design,
    example: Example,
    config: Config,
    *,
    fence: untrusted.Fence,
    seed: int,
    together: bool = False,
) -> dict[str, Any]:
    """Return what `v1.evaluate` returns, asked criterion by criterion.

    Raises:
        MachineryFailed: from the model.
    """
    made = [
        await v1.evaluate(
            _Part(model, one.criteria[0].key),
            one,
            example,
            config,
            fence=fence,
            seed=seed,
            together=together,
        )
        for one in parts(design)
    ]
    return {
        "skipped": made[0]["skipped"],
        "criteria": {key: said for one in made for key, said in one["criteria"].items()},
        "samples": [
            {
                "repeat": side[0]["repeat"],
                "criteria": {key: said for one in side for key, said in one["criteria"].items()},
            }
            for side in zip(*(one["samples"] for one in made), strict=True)
        ],
        "flags": list(dict.fromkeys(flag for one in made for flag in one["flags"])),
    }
