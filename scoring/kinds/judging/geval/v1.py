"""G-Eval, version 1: evaluation steps once per criterion, then a score per answer and criterion.

The steps are written by a model from the task and the criterion (auto chain of thought), or by a person.
An answer's score is the expectation over the score's token where the endpoint tells its probabilities,
else the mean of samples; which of the two it was stands in the result.

References:
    Liu et al. (2023), G-Eval: NLG Evaluation using GPT-4 with Better Human Alignment, section 2.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from annotation.common import scales
from scoring.kinds.judging.geval import weighing
from scoring.llm.base import ChatModel, Failed, Message, Request, Role, Settings
from scoring.protocols import hearing, reading, samples, untrusted
from scoring.protocols.samples import SAMPLED, WEIGHTED, is_turned
from scoring.protocols.task_asking_v1 import Criterion, Design, Example

PROTOCOL: Final = "geval/v1"
NO_ANSWER: Final = "The answer is empty."
#: As many likely tokens as a chat endpoint returns.
TOP: Final = 20
#: What is said, by language. Never edited once released.
SAID: Final[Mapping[str, Mapping[str, str]]] = {
    "en": {
        "steps": "Write the steps of evaluation for this criterion: a short numbered list that tells a judge how to "
        "come from the material to a score. Only the list.",
        "judge": "You fill in an evaluation form about one answer that an AI system gave. Follow the steps; judge by "
        "this one criterion alone.",
        "score": "# Evaluation form\nThe material is over; this is from us. Reply with the score alone, a number "
        "and nothing else.",
        "repair": "Your reply could not be used. Reply with the score alone, a number of the range.",
    },
    "zh": {
        "steps": "请写出按这条标准评价的步骤：一个简短的编号列表，说明评审者如何由材料得出分数。只写列表。",
        "judge": "你就一个人工智能系统给出的一份回答填写评价表。请按步骤进行，只按这一条标准判断。",
        "score": "# 评价表\n材料到此结束，以下是我们的要求。只回复分数，一个数字，不要有任何其他内容。",
        "repair": "你的回复无法使用。请只回复分数，即范围内的一个数字。",
    },
}


@dataclass(frozen=True, slots=True)
class Config:
    """`weighted` asks for probabilities; `samples` are drawn where there are none, or in their place.

    Without samples what cannot be weighed has no score. `turned` has every second sample see the
    answer first and what stands beside it in the opposite order.
    """

    weighted: bool = True
    samples: int = 20
    temperature: float | None = 1.0
    max_tokens: int = 16
    fewest_valid: int = 1
    turned: bool = False
    #: Of readings; where probabilities are read, none is cut away.
    top_p: float | None = None


def sha() -> str:
    """Return the hash of all that is said to the judge."""
    return hashlib.sha256(json.dumps(SAID, sort_keys=True).encode()).hexdigest()


async def steps(model: ChatModel, design: Design, criterion: Criterion) -> tuple[str, ...]:
    """Let a model write the steps of evaluation for a criterion.

    Raises:
        Failed: there is no reply.
    """
    words, said = design.words, SAID[design.language]
    text = "\n\n".join(
        [words.task + "\n" + design.task.strip(), *_criterion(design, criterion, ()), said["steps"]]
    )
    request = Request(
        Role.PLANNER,
        (Message("user", text),),
        Settings(temperature=0.0, max_tokens=600),
        part=criterion.key[:80],
    )
    reply = await hearing.ask_for_words(model, request)
    lines = [one.strip().lstrip("0123456789.)-*、． ").strip() for one in reply.text.splitlines()]
    return tuple(one for one in lines if one)


def request(
    design: Design,
    criterion: Criterion,
    example: Example,
    config: Config,
    *,
    fence: untrusted.Fence,
    seed: int,
    repeat: int,
) -> Request:
    """Return the request of one criterion; repeat 0 is the one whose probabilities are read."""
    code = fence.code(Role.JUDGE, repeat=repeat)
    weighs = repeat == 0
    return Request(
        role=Role.JUDGE,
        messages=_messages(
            design,
            criterion,
            example,
            code,
            turned=config.turned and not weighs and is_turned(repeat),
        ),
        settings=Settings(
            temperature=0.0 if weighs else config.temperature,
            top_p=None if weighs else config.top_p,
            max_tokens=config.max_tokens,
            seed=seed,
            top_logprobs=TOP if weighs else None,
        ),
        part=criterion.key[:80],
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
    unweighable: Mapping[str, str] | None = None,
    together: bool = False,
) -> dict[str, Any]:
    """Return the score of each criterion for one answer, as plain data.

    Args:
        model: answers the requests of role JUDGE.
        design: the task and its criteria.
        example: the answer, and the fields beside it.
        config: how scores are come by.
        fence: the delimiters of this step.
        seed: sent with every request.
        unweighable: by key of a criterion, why its scores cannot be weighed by this endpoint.
        together: ask for several samples in one request.

    Returns:
        criteria: by key value, n_valid, sd (of samples), `how` ("weighted" or "samples"), `mass` of the
        probability the values have, and `unweighted`: why samples were drawn although weights were wanted.

    Raises:
        MachineryFailed: from the model.
    """
    texts = [one.content for one in example.answer if one.role not in {"user", "system"}]
    flags = [one.value for one in untrusted.flags_of(texts)]
    if not any(text.strip() for text in texts):
        return {"skipped": NO_ANSWER, "criteria": {}, "samples": [], "flags": flags}
    found, drawn = {}, {}
    for criterion in design.criteria:
        asked = [
            request(design, criterion, example, config, fence=fence, seed=seed, repeat=repeat)
            for repeat in range(config.samples + 1)
        ]
        why = (unweighable or {}).get(criterion.key, "")
        found[criterion.key], drawn[criterion.key] = await _scored(
            model, design, criterion, config, asked, why, together=together
        )
    return {"skipped": "", "criteria": found, "samples": _by_repeat(drawn), "flags": flags}


def _by_repeat(drawn: Mapping[str, Sequence[samples.Mark]]) -> list[dict[str, Any]]:
    """Return the samples as other judges have them: number by number, of the criteria that have one."""
    most = max((len(one) for one in drawn.values()), default=0)
    return [
        {
            "repeat": number + 1,
            "criteria": {
                key: one[number].plain() for key, one in drawn.items() if number < len(one)
            },
        }
        for number in range(most)
    ]


async def _scored(
    model: ChatModel,
    design: Design,
    criterion: Criterion,
    config: Config,
    asked: Sequence[Request],
    why: str,
    *,
    together: bool,
) -> tuple[dict[str, Any], list[samples.Mark]]:
    """Return the score of a criterion and the samples behind it, none where it was weighed."""
    mass = None
    if config.weighted and not why:
        weighed, mark = await _weighed(model, criterion, asked[0])
        mass, why = weighed.mass, weighed.reason
        if weighed.value is not None or not config.samples:
            made = samples.mean([mark], 1) | {"how": WEIGHTED, "mass": mass, "unweighted": why}
            return made | {"value": weighed.value}, []
    if not config.samples:
        made = samples.mean([samples.Mark("UNSCORED", reason=why)], 1)
        return made | {"how": WEIGHTED, "mass": mass, "unweighted": why}, []
    said = SAID[design.language]["repair"]
    drawn: dict[int, samples.Mark] = {}
    for alike in samples.alike(asked[1:], turned=config.turned, together=together):
        taken = await samples.draw(
            model, alike, [criterion.wanted], lambda _problems: said, together=together
        )
        drawn |= {one.repeat: mark[criterion.key] for one, mark in zip(alike, taken, strict=True)}
    marks = [drawn[one.repeat] for one in asked[1:]]
    made = samples.mean(marks, config.fewest_valid)
    return made | {"how": SAMPLED, "mass": mass, "unweighted": why}, marks


async def _weighed(
    model: ChatModel, criterion: Criterion, request: Request
) -> tuple[weighing.Weighed, samples.Mark]:
    """Return the expected score, and the mark of the reply that it was read from."""
    try:
        reply = await hearing.ask(model, request)
    except Failed as failed:
        mark = samples.of_failure(failed, [criterion.wanted])[criterion.key]
        return weighing.Weighed(None, 0, mark.reason), mark
    weighed = weighing.weigh(reply.tokens, criterion.scale)
    said = reading.scores(reply.text, [criterion.wanted])[criterion.key]
    if weighed.value is not None and said.problem == reading.TWICE:
        weighed = weighing.Weighed(None, weighed.mass, said.problem)
    if weighed.value is None:
        return weighed, samples.Mark("UNSCORED", reason=weighed.reason, text=reply.text)
    return weighed, samples.Mark("SCORED", criterion.scale.minimum, text=reply.text)


def _messages(
    design: Design, criterion: Criterion, example: Example, code: str, *, turned: bool
) -> tuple[Message, ...]:
    words, said = design.words, SAID[design.language]
    fields = []
    for number, (name, text) in enumerate(example.fields, start=1):
        fenced = untrusted.fenced(text, name=f"FIELD {number}", code=code).text
        fields.append(f"## {name}\n{fenced}")
    answer = "\n".join(
        untrusted.fenced(one.content or words.no_reply, name=f"ANSWER {number}", code=code).text
        for number, one in enumerate(example.answer, start=1)
    )
    given = [*fields, words.response + "\n" + answer]
    parts = [
        words.task + "\n" + design.task.strip(),
        *_criterion(design, criterion, criterion.steps),
        words.example,
        *(given[::-1] if turned else given),
        said["score"],
    ]
    system = said["judge"] + "\n\n" + words.material
    return Message("system", system), Message("user", "\n\n".join(parts))


def _criterion(design: Design, one: Criterion, steps: Sequence[str]) -> list[str]:
    words = design.words
    low, high = scales.text(one.scale.minimum), scales.text(one.scale.maximum)
    lines = [
        words.criteria,
        f"## {one.name}",
        f"{words.from_to} {low} – {high}",
        one.definition.strip(),
    ]
    if steps:
        lines.append(words.criterion_steps)
        lines += [f"{number}. {step}" for number, step in enumerate(steps, start=1)]
    return ["\n".join(line for line in lines if line)]
