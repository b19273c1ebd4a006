"""The expected score under a model's own probabilities, where its tokens allow it.

Score = Σ p(token) · value over the values that stand at the place of the score, divided by the
probability they have in all. A value that the model writes in several tokens ("10" as "1", "0") cannot
be weighed at one place: that is a reason not to, never an approximation.

References:
    Liu et al. (2023), G-Eval: NLG Evaluation using GPT-4 with Better Human Alignment, section 2.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from annotation.common import scales
from annotation.common.scales import Scale
from scoring.llm.base import TokenChance

#: Below this probability in all, the values that were seen do not speak for the model.
LEAST_MASS: Final = 0.5


@dataclass(frozen=True, slots=True)
class Weighed:
    """The expected score; `mass` is the probability that the values seen have together."""

    value: float | None
    mass: float
    reason: str = ""


def weigh(tokens: Sequence[TokenChance] | None, scale: Scale) -> Weighed:
    """Return the expected score of the first number that a reply writes.

    Args:
        tokens: of the reply, each with the likeliest others at its place.
        scale: with steps; a value of it is told apart by its whole text.
    """
    values = {scales.text(one): one for one in scale.levels()}
    if not values:
        return Weighed(None, 0, "A scale without steps has no values to weigh.")
    if not tokens:
        return Weighed(None, 0, "The endpoint returned no log-probabilities.")
    place = next((at for at, one in enumerate(tokens) if re.search(r"\d", one.token)), None)
    if place is None:
        return Weighed(None, 0, "The reply holds no number.")
    if _goes_on(tokens, place):
        return Weighed(None, 0, "The score is written in several tokens.")
    chances = _chances(tokens[place], values)
    if _split(chances, values):
        return Weighed(None, 0, "A value of the scale is written in several tokens.")
    mass = math.fsum(chances.values())
    if mass < LEAST_MASS:
        return Weighed(None, mass, "The values of the scale have too little probability.")
    expected = math.fsum(float(values[text]) * chance for text, chance in chances.items()) / mass
    return Weighed(expected, min(mass, 1.0))


def _goes_on(tokens: Sequence[TokenChance], place: int) -> bool:
    """Return whether the number goes on in the next tokens: "1", "0" or "4", ".", "5"."""
    after = "".join(one.token for one in tokens[place + 1 : place + 3])
    return re.match(r"\d|[.,]\d", after) is not None


def _chances(at: TokenChance, values: dict[str, Decimal]) -> dict[str, float]:
    found: dict[str, float] = {}
    seen = dict(at.others) | {at.token: at.logprob}
    for token, logprob in seen.items():
        text = token.strip(" \n\t:*\"'")
        if text in values:
            found[text] = found.get(text, 0.0) + math.exp(logprob)
    return found


def _split(chances: dict[str, float], values: dict[str, Decimal]) -> bool:
    """Return whether a value that was seen may be the beginning of one that was not seen whole."""
    return any(
        longer != seen and longer.startswith(seen) and longer not in chances
        for seen in chances
        for longer in values
    )
