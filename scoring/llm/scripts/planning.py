"""Plans of evaluation in a scripted model: one that it writes, and which scores one names."""

import json
import re

from scoring.llm.scripts import chance, prose, reading
from scoring.llm.scripts.script import Script

CRITERIA = re.compile(r"^# (?:Criteria|标准)$(.*?)(?=^# )", re.M | re.S)
ASSISTANTS = re.compile(r"^# (?:Assistant evaluators|辅助评估器)$(.*?)(?=^# |\Z)", re.M | re.S)
#: A thing of a section with its key, such as "## rouge-1: ROUGE-1".
KEYED = re.compile(r"^## ([^:\n]+): ", re.M)
PLAN = re.compile(
    r"^# (?:Plan of evaluation|评价计划)$(.*?)(?=^# (?:What is|待评价)|\Z)", re.M | re.S
)
#: How the scores of assistant evaluators are written into prompts.
SCORE = re.compile(r"(?<![\d.])(?:0\.\d{3}|1\.000)(?!\d)")
NAMED_SCORE = re.compile(r"^([^:\n]+): (0\.\d{3}|1\.000)$", re.M)


def plan(asked: reading.Asked, script: Script) -> str:
    """Return steps, and the alignment in the form that was asked for, where assistants are told of."""
    steps = prose.plan(asked)
    criteria, assistants = _keys(CRITERIA, asked.whole), _keys(ASSISTANTS, asked.whole)
    if not criteria or not assistants:
        return steps
    alignment = {
        one: [key for key in assistants if chance.happens(0.5, script.seed, "names", one, key)]
        for one in criteria
    }
    lines = [f"- {one}: {', '.join(named) or '–'}" for one, named in alignment.items()]
    told = json.dumps({"alignment": alignment}, ensure_ascii=False)
    return "\n".join([steps, *lines, "", told])


def followed(text: str) -> list[float]:
    """Return the scores that a judge follows: those that the plan names, or all if there is no plan."""
    found = PLAN.search(text)
    if found is None:
        return [float(one) for one in SCORE.findall(text)]
    said = found.group(1)
    rest = text[found.end() :]
    return [float(score) for key, score in NAMED_SCORE.findall(rest) if key in said]


def _keys(section: re.Pattern[str], text: str) -> list[str]:
    found = section.search(text)
    return [] if found is None else list(dict.fromkeys(KEYED.findall(found.group(1))))
