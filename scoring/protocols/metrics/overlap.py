"""How much of a response is found in other texts, what is new in it, and what it says twice.

References:
    See, Liu and Manning (2017), Get to the point: summarization with pointer-generator networks
    (novel n-grams). Fabbri et al. (2021), SummEval (repeated n-grams).
    Li et al. (2016), A diversity-promoting objective function for neural conversation models
    (distinct n-grams).
"""

from collections.abc import Sequence

from scoring.protocols.metrics import words
from scoring.protocols.metrics.texts import Undefined, Why


def overlap(response: str, others: Sequence[str], n: int) -> float:
    """Return the share of a response's sequences of n words that any of the other texts has.

    A sequence counts as often as the response has it.

    Raises:
        Undefined: the response has fewer than n words.
    """
    own = words.ngrams(response, n)
    if not own:
        raise Undefined(Why.TOO_SHORT)
    found = [words.ngrams(one, n) for one in others]
    shared = sum(count for one, count in own.items() if any(one in other for other in found))
    return shared / own.total()


def novelty(response: str, others: Sequence[str], n: int) -> float:
    """Return the share of a response's sequences of n words that none of the other texts has.

    Raises:
        Undefined: the response has fewer than n words.
    """
    return 1 - overlap(response, others, n)


def repetition(response: str, n: int) -> float:
    """Return the share of a response's sequences of n words that it had before: 1 − distinct-n.

    Raises:
        Undefined: the response has fewer than n words.
    """
    own = words.ngrams(response, n)
    if not own:
        raise Undefined(Why.TOO_SHORT)
    return 1 - len(own) / own.total()
