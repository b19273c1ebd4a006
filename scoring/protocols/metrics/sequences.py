"""BLEU and chrF by the package sacrebleu: of one response, and of all responses of a system.

Several references are used as each metric defines it: BLEU clips against all of them, chrF takes the
best. Chinese signs and kana are set apart by spaces before BLEU divides words as `13a` does.

References:
    Papineni et al. (2002), BLEU: a method for automatic evaluation of machine translation.
    Popović (2015), chrF: character n-gram F-score for automatic MT evaluation.
    Post (2018), A call for clarity in reporting BLEU scores.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF

from scoring.protocols.metrics import words
from scoring.protocols.metrics.texts import Text, Undefined, Why

NAMES = ("bleu", "chrf", "chrfpp")
#: Sets of references that are kept in mind.
KEPT = 64


def _metric(name: str, *, alone: bool, references: Any = None) -> BLEU | CHRF:
    if name == "bleu":
        # A short response has no sequences of four words: only those lengths count that it has.
        return BLEU(effective_order=alone, force=True, references=references)
    return CHRF(word_order=2 if name == "chrfpp" else 0, references=references)


def score(name: str, text: Text) -> float:
    """Return a score between 0 and 100 of one response.

    Raises:
        Undefined: there is no reference.
    """
    references = _references(name, text)
    if not references:
        raise Undefined(Why.NO_REFERENCE)
    alone = _against(name, tuple(references))
    return float(alone.corpus_score([_form(name, text.response)], None).score)


@lru_cache(maxsize=KEPT)
def _against(name: str, references: tuple[str, ...]) -> BLEU | CHRF:
    """Return the metric of one response; it counts the references once for all that answer the same."""
    return _metric(name, alone=True, references=[[one] for one in references])


def corpus_score(name: str, texts: Sequence[Text]) -> float:
    """Return the score of all responses of a system as one text, as papers report it.

    Responses that are empty or have no reference are left out.

    Raises:
        Undefined: none is left.
    """
    used = [one for one in texts if one.response.strip() and _references(name, one)]
    if not used:
        raise Undefined(Why.NO_REFERENCE)
    each = [_references(name, one) for one in used]
    most = max(map(len, each))
    streams: list[Any] = [
        [one[place] if place < len(one) else None for one in each] for place in range(most)
    ]
    responses = [_form(name, one.response) for one in used]
    return float(_metric(name, alone=False).corpus_score(responses, streams).score)


def _references(name: str, text: Text) -> list[str]:
    return [_form(name, one) for one in text.references if one.strip()]


def _form(name: str, text: str) -> str:
    return words.spaced(text) if name == "bleu" else text
