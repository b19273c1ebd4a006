"""How good a scripted judge finds a text: signals that a person would use too, and a little chance."""

import re
from dataclasses import dataclass
from itertools import pairwise

from scoring.llm.scripts import chance, planning, reading
from scoring.llm.scripts.script import Script

DECLINES = re.compile(
    r"\bI (?:cannot|can't|do not know|don't know)\b|\[no answer\]|无法|不知道", re.I
)
#: Whoever declines does so at once.
LOOKED_AT = 400
#: How far the finding for one criterion may lie from the finding for the whole, each way.
OF_CRITERION = 0.12
OF_SAMPLE = 0.1


@dataclass(frozen=True, slots=True)
class Worth:
    """A judge's view of a text, from 0 to 1, that each criterion and each sample moves a little."""

    overall: float
    text: str
    script: Script
    #: What tells one sample from another.
    sample: tuple[str, int]
    #: 0 makes all samples alike, as it does with a language model.
    heat: float

    def of(self, criterion: str) -> float:
        """Return the finding for one criterion."""
        seed = self.script.seed
        own = chance.number(seed, "criterion", criterion, self.text) - 0.5
        moved = chance.number(seed, "sample", criterion, self.text, self.sample) - 0.5
        found = self.overall + 2 * OF_CRITERION * own + 2 * OF_SAMPLE * self.heat * moved
        return min(max(found, 0.0), 1.0)


def weigh(asked: reading.Asked, script: Script) -> Worth:
    """Return how good the judged text of a prompt is."""
    text = reading.judged_text(asked)
    terms = _terms(text)
    # What a reference says weighs more than what the question alone does.
    if against := _terms(reading.reference_of(asked)):
        near = 0.5 * min(1.0, 1.8 * _f1(terms, against))
    else:
        near = 0.3 * min(1.0, 1.5 * _coverage(terms, _terms(asked.whole.replace(text, " "))))
    luck = (0.3 if against else 0.5) * chance.number(script.seed, text)
    found = near + 0.2 * min(1.0, len(terms) / 40) + luck
    if not text.strip() or DECLINES.search(text, 0, LOOKED_AT):
        found *= 0.3
    if script.obey_plan and (said := planning.followed(asked.whole)):
        found += script.obey_plan * (sum(said) / len(said) - found)
    heat = 1.0 if asked.temperature is None else min(1.0, asked.temperature * 2)
    return Worth(found, text, script, (asked.sha, asked.sample), heat)


def _terms(text: str) -> set[str]:
    """Return words, and for Chinese pairs of signs."""
    signs = reading.CJK.findall(text)
    return {word.lower() for word in reading.WORD.findall(text)} | {
        first + second for first, second in pairwise(signs)
    }


def _f1(one: set[str], other: set[str]) -> float:
    return 2 * len(one & other) / (len(one) + len(other))


def _coverage(terms: set[str], of: set[str]) -> float:
    return len(terms & of) / len(terms) if terms else 0.0
