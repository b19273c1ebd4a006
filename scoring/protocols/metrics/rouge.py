"""ROUGE by the package rouge-score: F1, stemmed, a sentence on each line for ROUGE-Lsum.

References:
    Lin (2004), ROUGE: a package for automatic evaluation of summaries.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

from nltk.stem import porter
from rouge_score import rouge_scorer, tokenizers

from scoring.protocols.metrics import words
from scoring.protocols.metrics.texts import Text, Undefined, Why

#: What becomes of several references: the mean of their scores, or the best of them.
Many = Literal["mean", "best"]


class Stems(tokenizers.Tokenizer):  # type: ignore[misc]
    """Words in the convention of this house; those longer than three letters stemmed by Porter."""

    def __init__(self) -> None:
        self._stem = lru_cache(maxsize=1 << 16)(porter.PorterStemmer().stem)
        self._kept = lru_cache(maxsize=words.KEPT)(self._of)

    def tokenize(self, text: str) -> list[str]:
        return self._kept(text)

    def _of(self, text: str) -> list[str]:
        return [self._stem(one) if len(one) > 3 else one for one in words.words(text)]


class Rouge:
    """Scores texts; keeps the stems of references that come again."""

    def __init__(self, types: Sequence[str], many: Many = "mean") -> None:
        self._types, self._many = tuple(types), many
        self._scorer = rouge_scorer.RougeScorer(list(types), tokenizer=Stems())

    def scores(self, text: Text) -> dict[str, float | Why]:
        """Return the score of each type, or why there is none.

        ROUGE of pairs of words is undefined for a text of one word; the package says 0.

        Raises:
            Undefined: no reference holds a word.
        """
        references = [one for one in text.references if words.words(one)]
        if not references:
            raise Undefined(Why.NO_REFERENCE)
        response = words.lines(text.response)
        found = [self._scorer.score(words.lines(one), response) for one in references]
        lengths = [len(words.words(one)) for one in references]
        return {name: self._joined(name, text, found, lengths) for name in self._types}

    def _joined(
        self,
        name: str,
        text: Text,
        found: list[dict[str, rouge_scorer.scoring.Score]],
        lengths: list[int],
    ) -> float | Why:
        least = int(name[5:]) if name[5:].isdigit() else 1
        if len(words.words(text.response)) < least:
            return Why.TOO_SHORT
        each = [
            float(one[name].fmeasure)
            for one, length in zip(found, lengths, strict=True)
            if length >= least
        ]
        if not each:
            return Why.SHORT_REFERENCE
        return max(each) if self._many == "best" else sum(each) / len(each)
