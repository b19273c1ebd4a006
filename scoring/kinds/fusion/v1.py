"""Fusion-Eval, version 1: an answer is scored in the light of what assistant evaluators scored.

References:
    Shu et al. (2024), Fusion-Eval: Integrating Assistant Evaluators with LLMs, sections 2 and 3; the
    variants are those of its ablation.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from scoring.llm.base import ChatModel, Request, Role, Settings
from scoring.protocols import samples, untrusted
from scoring.protocols import task_asking_v1 as asking
from scoring.protocols.task_asking_v1 import OVERALL, Design, Example

PROTOCOL: Final = "fusion_eval/v1"


class Variant(StrEnum):
    """What the judge is given beside the criteria."""

    FE = "FE"
    FE_NO_PLAN = "FE_NO_PLAN"
    DE = "DE"


@dataclass(frozen=True, slots=True)
class Config:
    """How a judge fuses: `predictions` are drawn and averaged, and a mean needs `fewest_valid` of them.

    `turned` has every second prediction see the answer first and the fields in the opposite order.
    """

    variant: Variant = Variant.FE
    plan: str = ""
    predictions: int = 8
    temperature: float | None = 0.5
    max_tokens: int = 1500
    fewest_valid: int = 1
    turned: bool = False

    def __post_init__(self) -> None:
        if (self.variant is Variant.FE) != bool(self.plan.strip()):
            raise ValueError("A plan belongs to Fusion-Eval with a plan, and to nothing else.")
        if self.predictions < 1 or not 1 <= self.fewest_valid <= self.predictions:
            raise ValueError(
                "At least one prediction is drawn, and no more can be needed than are drawn."
            )


def request(
    design: Design,
    example: Example,
    config: Config,
    *,
    fence: untrusted.Fence,
    seed: int,
    repeat: int = 1,
) -> Request:
    """Return the request of one prediction."""
    return Request(
        role=Role.JUDGE,
        messages=asking.judging(
            design,
            example,
            plan=config.plan,
            assistants=config.variant is not Variant.DE,
            code=fence.code(Role.JUDGE, repeat=repeat),
            turned=config.turned and samples.is_turned(repeat),
        ),
        settings=Settings(temperature=config.temperature, max_tokens=config.max_tokens, seed=seed),
        schema=asking.schema(design),
        repeat=repeat,
    )


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
    """Return the predictions of a judge for one answer and their means, as plain data.

    Args:
        model: answers the requests of role JUDGE.
        design: the task, its criteria and assistants.
        example: the answer, its fields and the assistants' scores.
        config: what the judge is given, and how it predicts.
        fence: the delimiters of this step.
        seed: sent with every request.
        together: ask for several predictions in one request.

    Returns:
        criteria: by key (and "overall" where the judge is asked for it) the mean over valid predictions
        with n_valid and sd; samples: each prediction; flags: what was found in the answer's text;
        skipped: why there is nothing to evaluate.

    Raises:
        MachineryFailed: from the model.
    """
    keys = [one.key for one in design.wanted]
    texts = [one.content for one in example.answer if one.role not in {"user", "system"}]
    flags = [one.value for one in untrusted.flags_of(texts, keys=keys)]
    if not any(text.strip() for text in texts):
        return {"skipped": "The answer is empty.", "criteria": {}, "samples": [], "flags": flags}
    asked = [
        request(design, example, config, fence=fence, seed=seed, repeat=repeat)
        for repeat in range(1, config.predictions + 1)
    ]
    said = design.words.repair
    by_repeat: dict[int, dict[str, samples.Mark]] = {}
    for alike in samples.alike(asked, turned=config.turned, together=together):
        taken = await samples.draw(
            model, alike, design.wanted, lambda _problems: said, together=together
        )
        by_repeat |= {one.repeat: marks for one, marks in zip(alike, taken, strict=True)}
    drawn = [by_repeat[one.repeat] for one in asked]
    return {
        "skipped": "",
        "criteria": {
            key: samples.mean([one[key] for one in drawn], config.fewest_valid) for key in keys
        },
        "samples": [
            {"repeat": number, "criteria": {key: mark.plain() for key, mark in one.items()}}
            for number, one in enumerate(drawn, start=1)
        ],
        "flags": flags,
    }


def overall_of(criteria: dict[str, Any]) -> float | None:
    """Return the mean of the criteria's means, the other definition of overall; None if one lacks.

    It is named apart from the judge's own overall, and never mixed with it.
    """
    values = [one["value"] for key, one in criteria.items() if key != OVERALL]
    if not values or any(one is None for one in values):
        return None
    return float(sum(values) / len(values))
