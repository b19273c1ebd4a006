"""All chosen metrics of a text at once. Loads the libraries of metrics: never in a web process."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from scoring.protocols.metrics import (
    catalogue,
    meteor,
    overlap,
    readability,
    rouge,
    sequences,
    words,
)
from scoring.protocols.metrics.catalogue import Metric
from scoring.protocols.metrics.rouge import Many
from scoring.protocols.metrics.texts import Text, Undefined, Why

#: A value, or why there is none.
Reading = float | Why
_ROUGE = "rouge"

_ALONE: Mapping[str, Callable[[str], float]] = {
    "words": lambda text: float(len(words.words(text))),
    "signs": lambda text: float(len(text.strip())),
    "sentences": lambda text: float(len(words.sentences(text))),
    "reading_ease": readability.reading_ease,
    "grade_level": readability.grade_level,
}
_OVERLAP = {"overlap": overlap.overlap, "novelty": overlap.novelty}


class Measurer:
    """Measures texts by the same metrics, one after the other."""

    def __init__(self, keys: Iterable[str], many: Many = "mean", synonyms: Any = None) -> None:
        """Take what is to be measured.

        Args:
            keys: of metrics in the catalogue.
            many: what is made of several references where a metric leaves the choice.
            synonyms: WordNet for METEOR, where there is one.
        """
        self._metrics = catalogue.in_order(keys)
        self._many, self._synonyms = many, synonyms
        types = [one.key for one in self._metrics if one.key.startswith(_ROUGE)]
        self._rouge = rouge.Rouge(types, many) if types else None

    def measure(self, text: Text) -> dict[str, Reading]:
        """Return the value of every metric, or why it has none, by its key.

        A response without a word has no value but for the counts; an empty one has none at all.
        """
        if not text.response.strip():
            return {one.key: Why.EMPTY for one in self._metrics}
        made: dict[str, Reading] = {}
        for one in self._metrics:
            if one.key not in made:
                made |= self._of(one, text)
        return made

    def _of(self, one: Metric, text: Text) -> dict[str, Reading]:
        try:
            _check(one, text)
            if self._rouge is not None and one.key.startswith(_ROUGE):
                return dict(self._rouge.scores(text))
            return {one.key: self._value(one, text)}
        except Undefined as undefined:
            return {one.key: undefined.why}

    def _value(self, one: Metric, text: Text) -> float:
        if one.key in sequences.NAMES:
            return sequences.score(one.key, text)
        if one.key == "meteor":
            return meteor.score(text, self._synonyms, self._many)
        if one.key in _ALONE:
            return _ALONE[one.key](text.response)
        if one.key.startswith("repetition"):
            return overlap.repetition(text.response, one.n)
        others = text.references if one.needs == "references" else (text.source,)
        return _OVERLAP[one.key[:7]](text.response, others, one.n)


def measurer(keys: Iterable[str], many: Many = "mean") -> Measurer:
    """Return a measurer with WordNet, if METEOR is wanted and WordNet is installed."""
    wanted = list(keys)
    return Measurer(wanted, many, meteor.wordnet() if "meteor" in wanted else None)


def _check(one: Metric, text: Text) -> None:
    """Refuse what a metric cannot read.

    Raises:
        Undefined: it lacks words in the response, or the text it is compared with.
    """
    if one.needs and not words.words(text.response):
        raise Undefined(Why.NO_WORDS)
    if one.needs == "references" and not any(map(words.words, text.references)):
        raise Undefined(Why.NO_REFERENCE)
    if one.needs == "source" and not words.words(text.source):
        raise Undefined(Why.NO_SOURCE)
