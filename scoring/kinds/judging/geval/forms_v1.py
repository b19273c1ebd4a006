"""What G-Eval, version 1, is given of a round: its answers and criteria as a form has them.

A criterion's definition is what people read of it, with the descriptions of its levels.
"""

import hashlib
import json
from collections.abc import Mapping
from typing import Final

from annotation.common import scales
from scoring.kinds.judging import asking_v1 as direct
from scoring.kinds.judging.geval import v1 as v1
from scoring.protocols.task_asking_v1 import Criterion, Design, Example

#: The task and the names of fields, by language. Never edited once released.
SAID: Final[Mapping[str, Mapping[str, str]]] = {
    "en": {
        "task": "An AI system was asked the question below and gave the answer below. Say how good the answer is.",
        "question": "Question",
        "conversation": "Conversation that led to the answer, oldest message first",
        "reference": "Reference answer",
        "points": "Points that a good answer should make",
        "principle": "Principle of grading:",
        "step": "Steps of the scale:",
    },
    "zh": {
        "task": "有人向一个人工智能系统提出了下面的问题，它给出了下面的回答。请说明这份回答有多好。",
        "question": "问题",
        "conversation": "得到该回答之前的对话，按时间先后",
        "reference": "参考答案",
        "points": "好的回答应当提到的要点",
        "principle": "评分原则：",
        "step": "量表的各级：",
    },
}


def sha() -> str:
    """Return the hash of all that a judge is told by version 1, forms and material alike."""
    return hashlib.sha256(json.dumps([v1.sha(), SAID], sort_keys=True).encode()).hexdigest()


def design(task: direct.Task, steps: Mapping[str, tuple[str, ...]]) -> Design:
    """Return what is the same for all answers that a rubric grades.

    Args:
        task: of one of the answers; its criteria, principle and language are used.
        steps: of evaluation, by the key of their criterion.
    """
    said = SAID[task.language]
    about = [said["task"]]
    if task.principle.strip():
        about.append(said["principle"] + " " + task.principle.strip())
    return Design(
        "\n".join(about),
        tuple(_criterion(one, said, steps.get(one.key, ())) for one in task.criteria),
        language=task.language,
    )


def example(task: direct.Task) -> Example:
    """Return one answer with the fields beside it."""
    said = SAID[task.language]
    if len(task.question) == 1:
        fields = [(said["question"], task.question[0].content)]
    else:
        lines = [one.role.upper() + ": " + one.content for one in task.question]
        fields = [(said["conversation"], "\n\n".join(lines))]
    if task.reference.strip():
        fields.append((said["reference"], task.reference))
    if task.key_points:
        fields.append((said["points"], "\n".join("- " + one for one in task.key_points)))
    return Example(tuple(fields), task.answer)


def _criterion(one: direct.Criterion, said: Mapping[str, str], steps: tuple[str, ...]) -> Criterion:
    lines = [one.description.strip()]
    levels = [_level(level) for level in one.levels]
    if levels:
        lines += [said["step"], *levels]
    return Criterion(one.key, one.name, one.scale, "\n".join(line for line in lines if line), steps)


def _level(level: direct.Level) -> str:
    line = "- " + scales.text(level.value)
    if level.label.strip():
        line += " " + level.label.strip()
    return line + (": " + level.description.strip() if level.description.strip() else "")
