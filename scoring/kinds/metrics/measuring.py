"""METEOR by nltk: words matched as they are, by their stems, and as synonyms of WordNet.

* How much of a response is found in other texts, what is new in it, and what it says twice.
* ROUGE by the package rouge-score: F1, stemmed, a sentence on each line for ROUGE-Lsum.
* BLEU and chrF by the package sacrebleu: of one response, and of all responses of a system.
* All chosen metrics of a text at once. Loads the libraries of metrics: never in a web process.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Literal

from nltk.corpus import wordnet as installed
from nltk.stem import porter
from nltk.translate import meteor_score
from rouge_score import rouge_scorer, tokenizers
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF

from scoring.kinds.metrics import catalogue
from scoring.kinds.metrics.catalogue import MeasuredText, NoMetric, TextMetric, Undefined


def wordnet() -> Any:
    """Return WordNet where it is installed, else nothing."""
    try:
        installed.ensure_loaded()
    except LookupError:
        return None
    return installed


def meteor_of(text: MeasuredText, synonyms: Any, many: Literal["mean", "best"] = "best") -> float:
    """Return a score between 0 and 1; of several references the best, or their mean.

    Raises:
        Undefined: there is no WordNet or no reference.
    """
    if synonyms is None:
        raise Undefined(NoMetric.NO_WORDNET)
    references = [one for one in map(catalogue.words, text.references) if one]
    if not references:
        raise Undefined(NoMetric.NO_REFERENCE)
    response = catalogue.words(text.response)
    each = [
        float(meteor_score.single_meteor_score(one, response, wordnet=synonyms))
        for one in references
    ]
    return max(each) if many == "best" else sum(each) / len(each)


def overlap(response: str, others: Sequence[str], n: int) -> float:
    """Return the share of a response's sequences of n words that any of the other texts has.

    A sequence counts as often as the response has it.

    Raises:
        Undefined: the response has fewer than n words.
    """
    own = catalogue.ngrams(response, n)
    if not own:
        raise Undefined(NoMetric.TOO_SHORT)
    found = [catalogue.ngrams(one, n) for one in others]
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
    own = catalogue.ngrams(response, n)
    if not own:
        raise Undefined(NoMetric.TOO_SHORT)
    return 1 - len(own) / own.total()


#: What becomes of several references: the mean of their scores, or the best of them.
Many = Literal["mean", "best"]


class Stems(tokenizers.Tokenizer):  # type: ignore[misc]
    """Words in the convention of this house; those longer than three letters stemmed by Porter."""

    def __init__(self) -> None:
        self._stem = lru_cache(maxsize=1 << 16)(porter.PorterStemmer().stem)
        self._kept = lru_cache(maxsize=catalogue.KEPT)(self._of)

    def tokenize(self, text: str) -> list[str]:
        return self._kept(text)

    def _of(self, text: str) -> list[str]:
        return [self._stem(one) if len(one) > 3 else one for one in catalogue.words(text)]


class Rouge:
    """Scores texts; keeps the stems of references that come again."""

    def __init__(self, types: Sequence[str], many: Many = "mean") -> None:
        self._types, self._many = tuple(types), many
        self._scorer = rouge_scorer.RougeScorer(list(types), tokenizer=Stems())

    def scores(self, text: MeasuredText) -> dict[str, float | NoMetric]:
        """Return the score of each type, or why there is none.

        ROUGE of pairs of words is undefined for a text of one word; the package says 0.

        Raises:
            Undefined: no reference holds a word.
        """
        references = [one for one in text.references if catalogue.words(one)]
        if not references:
            raise Undefined(NoMetric.NO_REFERENCE)
        response = catalogue.lines(text.response)
        found = [self._scorer.score(catalogue.lines(one), response) for one in references]
        lengths = [len(catalogue.words(one)) for one in references]
        return {name: self._joined(name, text, found, lengths) for name in self._types}

    def _joined(
        self,
        name: str,
        text: MeasuredText,
        found: list[dict[str, rouge_scorer.scoring.Score]],
        lengths: list[int],
    ) -> float | NoMetric:
        least = int(name[5:]) if name[5:].isdigit() else 1
        if len(catalogue.words(text.response)) < least:
            return NoMetric.TOO_SHORT
        each = [
            float(one[name].fmeasure)
            for one, length in zip(found, lengths, strict=True)
            if length >= least
        ]
        if not each:
            return NoMetric.SHORT_REFERENCE
        return max(each) if self._many == "best" else sum(each) / len(each)


NAMES = ("bleu", "chrf", "chrfpp")
#: Sets of references that are kept in mind.
KEPT = 64


def _metric(name: str, *, alone: bool, references: Any = None) -> BLEU | CHRF:
    if name == "bleu":
        # A short response has no sequences of four words: only those lengths count that it has.
        return BLEU(effective_order=alone, force=True, references=references)
    return CHRF(word_order=2 if name == "chrfpp" else 0, references=references)


def score(name: str, text: MeasuredText) -> float:
    """Return a score between 0 and 100 of one response.

    Raises:
        Undefined: there is no reference.
    """
    references = _references(name, text)
    if not references:
        raise Undefined(NoMetric.NO_REFERENCE)
    alone = _against(name, tuple(references))
    return float(alone.corpus_score([_form(name, text.response)], None).score)


@lru_cache(maxsize=KEPT)
def _against(name: str, references: tuple[str, ...]) -> BLEU | CHRF:
    """Return the metric of one response; it counts the references once for all that answer the same."""
    return _metric(name, alone=True, references=[[one] for one in references])


def corpus_score(name: str, texts: Sequence[MeasuredText]) -> float:
    """Return the score of all responses of a system as one text, as papers report it.

    Responses that are empty or have no reference are left out.

    Raises:
        Undefined: none is left.
    """
    used = [one for one in texts if one.response.strip() and _references(name, one)]
    if not used:
        raise Undefined(NoMetric.NO_REFERENCE)
    each = [_references(name, one) for one in used]
    most = max(map(len, each))
    streams: list[Any] = [
        [one[place] if place < len(one) else None for one in each] for place in range(most)
    ]
    responses = [_form(name, one.response) for one in used]
    return float(_metric(name, alone=False).corpus_score(responses, streams).score)


def _references(name: str, text: MeasuredText) -> list[str]:
    return [_form(name, one) for one in text.references if one.strip()]


def _form(name: str, text: str) -> str:
    return catalogue.spaced(text) if name == "bleu" else text


#: A value, or why there is none.
Reading = float | NoMetric
_ROUGE = "rouge"

_ALONE: Mapping[str, Callable[[str], float]] = {
    "words": lambda text: float(len(catalogue.words(text))),
    "signs": lambda text: float(len(text.strip())),
    "sentences": lambda text: float(len(catalogue.sentences(text))),
    "reading_ease": catalogue.reading_ease,
    "grade_level": catalogue.grade_level,
}
_OVERLAP = {"overlap": overlap, "novelty": novelty}


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
        self._rouge = Rouge(types, many) if types else None

    def measure(self, text: MeasuredText) -> dict[str, Reading]:
        """Return the value of every metric, or why it has none, by its key.

        A response without a word has no value but for the counts; an empty one has none at all.
        """
        if not text.response.strip():
            return {one.key: NoMetric.EMPTY for one in self._metrics}
        made: dict[str, Reading] = {}
        for one in self._metrics:
            if one.key not in made:
                made |= self._of(one, text)
        return made

    def _of(self, one: TextMetric, text: MeasuredText) -> dict[str, Reading]:
        try:
            _check(one, text)
            if self._rouge is not None and one.key.startswith(_ROUGE):
                return dict(self._rouge.scores(text))
            return {one.key: self._value(one, text)}
        except Undefined as undefined:
            return {one.key: undefined.why}

    def _value(self, one: TextMetric, text: MeasuredText) -> float:
        if one.key in NAMES:
            return score(one.key, text)
        if one.key == "meteor":
            return meteor_of(text, self._synonyms, self._many)
        if one.key in _ALONE:
            return _ALONE[one.key](text.response)
        if one.key.startswith("repetition"):
            return repetition(text.response, one.n)
        others = text.references if one.needs == "references" else (text.source,)
        return _OVERLAP[one.key[:7]](text.response, others, one.n)


def measurer(keys: Iterable[str], many: Many = "mean") -> Measurer:
    """Return a measurer with WordNet, if METEOR is wanted and WordNet is installed."""
    wanted = list(keys)
    return Measurer(wanted, many, wordnet() if "meteor" in wanted else None)


def _check(one: TextMetric, text: MeasuredText) -> None:
    """Refuse what a metric cannot read.

    Raises:
        Undefined: it lacks words in the response, or the text it is compared with.
    """
    if one.needs and not catalogue.words(text.response):
        raise Undefined(NoMetric.NO_WORDS)
    if one.needs == "references" and not any(map(catalogue.words, text.references)):
        raise Undefined(NoMetric.NO_REFERENCE)
    if one.needs == "source" and not catalogue.words(text.source):
        raise Undefined(NoMetric.NO_SOURCE)
