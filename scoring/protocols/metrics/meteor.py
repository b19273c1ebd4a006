"""METEOR by nltk: words matched as they are, by their stems, and as synonyms of WordNet.

WordNet is data that the operator puts beside nltk; nothing is fetched here.

References:
    Lavie and Agarwal (2007), METEOR: an automatic metric for MT evaluation with high levels of
    correlation with human judgments.
"""

from typing import Any, Literal

from nltk.corpus import wordnet as installed
from nltk.translate import meteor_score

from scoring.protocols.metrics import words
from scoring.protocols.metrics.texts import Text, Undefined, Why


def wordnet() -> Any:
    """Return WordNet where it is installed, else nothing."""
    try:
        installed.ensure_loaded()
    except LookupError:
        return None
    return installed


def score(text: Text, synonyms: Any, many: Literal["mean", "best"] = "best") -> float:
    """Return a score between 0 and 1; of several references the best, or their mean.

    Raises:
        Undefined: there is no WordNet or no reference.
    """
    if synonyms is None:
        raise Undefined(Why.NO_WORDNET)
    references = [one for one in map(words.words, text.references) if one]
    if not references:
        raise Undefined(Why.NO_REFERENCE)
    response = words.words(text.response)
    each = [
        float(meteor_score.single_meteor_score(one, response, wordnet=synonyms))
        for one in references
    ]
    return max(each) if many == "best" else sum(each) / len(each)
