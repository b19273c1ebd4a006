"""The metrics there are: what each reads, where its values lie, which way is better. Loads no library.

* What a metric reads, and why it may have nothing to say.
* Words, sentences and n-grams of a text, in one convention for every metric that counts them.
* How easy an English text is to read, by formulas over counts; no dictionary is needed.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Literal

#: What a metric reads beside the response.
Needs = Literal["", "references", "source"]
#: What a run is asked for in one go; the headings of the page.
Group = Literal["likeness", "overlap", "shape", "readability"]
LONGEST = 3


@dataclass(frozen=True, slots=True)
class TextMetric:
    """A metric. An end of its range that is None is open.

    `joins` says whether a choice is to be made of what several references give, their mean or the
    best; where it is false the metric reads them all by its own definition.
    """

    key: str
    name: str
    group: Group
    needs: Needs = ""
    minimum: int | None = 0
    maximum: int | None = 1
    higher_is_better: bool = True
    joins: bool = False
    n: int = 0


def _ngrams(
    kind: Literal["overlap", "novelty"], needs: Literal["references", "source"]
) -> list[TextMetric]:
    said = {"overlap": "Overlap of", "novelty": "New"}[kind]
    return [
        TextMetric(f"{kind}{n}_{needs}", f"{said} {n}-grams", "overlap", needs, n=n)
        for n in range(1, LONGEST + 1)
    ]


_ALL: Sequence[TextMetric] = (
    TextMetric("rouge1", "ROUGE-1", "likeness", "references", joins=True),
    TextMetric("rouge2", "ROUGE-2", "likeness", "references", joins=True),
    TextMetric("rougeL", "ROUGE-L", "likeness", "references", joins=True),
    TextMetric("rougeLsum", "ROUGE-Lsum", "likeness", "references", joins=True),
    TextMetric("bleu", "BLEU", "likeness", "references", maximum=100),
    TextMetric("chrf", "chrF", "likeness", "references", maximum=100),
    TextMetric("chrfpp", "chrF++", "likeness", "references", maximum=100),
    TextMetric("meteor", "METEOR", "likeness", "references", joins=True),
    *_ngrams("overlap", "references"),
    *_ngrams("novelty", "references"),
    *_ngrams("overlap", "source"),
    *_ngrams("novelty", "source"),
    TextMetric("words", "Words", "shape", maximum=None),
    TextMetric("signs", "Signs", "shape", maximum=None),
    TextMetric("sentences", "Sentences", "shape", maximum=None),
    TextMetric("repetition2", "Repeated 2-grams", "shape", higher_is_better=False, n=2),
    TextMetric("repetition3", "Repeated 3-grams", "shape", higher_is_better=False, n=3),
    TextMetric("reading_ease", "Flesch reading ease", "readability", minimum=None, maximum=None),
    TextMetric(
        "grade_level",
        "Flesch–Kincaid grade",
        "readability",
        minimum=None,
        maximum=None,
        higher_is_better=False,
    ),
)
METRICS: Mapping[str, TextMetric] = {one.key: one for one in _ALL}
#: What is ticked at first: what papers report of a summary or an answer with a standard answer.
USUAL = ("rouge1", "rouge2", "rougeLsum", "bleu", "chrf", "words")


def in_order(keys: Iterable[str]) -> list[TextMetric]:
    """Return metrics in the order of the catalogue.

    Raises:
        KeyError: there is no such metric.
    """
    wanted = set(keys)
    for key in wanted - METRICS.keys():
        raise KeyError(key)
    return [one for one in _ALL if one.key in wanted]


@dataclass(frozen=True, slots=True)
class MeasuredText:
    """A response, the texts it should resemble, and the text it was made from."""

    response: str
    references: tuple[str, ...] = ()
    source: str = ""


class NoMetric(StrEnum):
    """Why a metric is undefined for a text."""

    EMPTY = "empty"
    NO_WORDS = "no_words"
    TOO_SHORT = "too_short"
    NO_REFERENCE = "no_reference"
    SHORT_REFERENCE = "short_reference"
    NO_SOURCE = "no_source"
    NOT_ENGLISH = "not_english"
    NO_WORDNET = "no_wordnet"


class Undefined(ValueError):
    """A metric has no value for this text."""

    def __init__(self, why: NoMetric) -> None:
        super().__init__(why.value)
        self.why = why


#: Signs that are words of their own: Han with its extensions, kana, iteration marks.
CJK = (
    "\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)
#: Latin letters with accents: they divide words, as they do for rouge-score.
_LATIN = "\u0000-\u024f\u1e00-\u1eff"
#: Vowel signs and points that belong to the letter before.
_MARKS = "\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0900-\u0963\u0966-\u109f"
_WORD = re.compile(f"[a-z0-9]+|[{CJK}]|(?:(?![{_LATIN}{CJK}])(?:[^\\W_]|[{_MARKS}]))+")
_STOPS = "。！？"
#: After a full stop that a space follows, as the published ROUGE-Lsum of SummEval was computed, and
#: after a Chinese one, which no space follows.
_SENTENCE = re.compile(f"(?<=[.!?]) |(?<=[{_STOPS}])(?=.)")
#: Texts that are kept in mind: the references of one question are read for all its responses.
KEPT = 4096


@lru_cache(maxsize=KEPT)
def words(text: str) -> tuple[str, ...]:
    """Return the words of a text in lower case."""
    plain = text if text.isascii() else unicodedata.normalize("NFKC", text)
    return tuple(_WORD.findall(plain.lower()))


@lru_cache(maxsize=KEPT)
def ngrams(text: str, n: int) -> Counter[tuple[str, ...]]:
    """Return how often each sequence of n words occurs in a text. Not to be changed."""
    found = words(text)
    return Counter(found[place : place + n] for place in range(len(found) - n + 1))


def sentences(text: str) -> list[str]:
    """Return the sentences of a text that hold a word; a line end ends one too."""
    return [part for line in text.splitlines() for part in _SENTENCE.split(line) if words(part)]


def lines(text: str) -> str:
    """Return the text with each sentence on a line of its own."""
    return _SENTENCE.sub("\n", text)


def spaced(text: str) -> str:
    """Return the text with spaces around every sign that is a word, and around Chinese stops."""
    return text if text.isascii() else _ALONE.sub(r" \g<0> ", text)


_ALONE = re.compile(f"[{CJK}\u3000-\u3004\u3008-\u303f\uff00-\uffef]")


#: Pieces up to this many words are no sentences of their own ("Thanks!", "e.g."), as in textstat.
MOST_WORDS_OF_A_PIECE = 2
_PIECE = re.compile(r"\b[^.!?]+[.!?]*")
_NO_LETTER = re.compile(r"[^a-z]")
_VOWELS = re.compile("[aeiouy]+")
#: Two vowels side by side that are two syllables, unless they are part of one ending.
_TWO = re.compile(
    r"i(?:a(?!ge|l\b|n\b)|o(?!n|us))|(?<![gq])ua(?!r)|eo(?!ple|u)|iu|[aeiou]ing\b|uou|ism\b"
    r"|creat|sci(?=e)|iet"
)
#: The silent e of a word that goes on: care-ful, some-thing.
_SILENT = re.compile("(?<=[^aeiouy])e(?=(?:ful|ly|less|ness|thing|where|time|length)s?$)")
_SOFT_ES = re.compile("(?:[sxz]|ch|sh|c|g)es$")


@dataclass(frozen=True, slots=True)
class TextCounts:
    n_words: int
    n_sentences: int
    n_syllables: int


def counts(text: str) -> TextCounts:
    """Return what the formulas are made of. A number is a word of one syllable.

    Raises:
        Undefined: there is no word, or the text is not written in Latin letters.
    """
    letters = [sign for sign in text if sign.isalpha()]
    if 2 * sum(sign < "\u0250" for sign in letters) < len(letters):
        raise Undefined(NoMetric.NOT_ENGLISH)
    words = _words(text)
    if not words:
        raise Undefined(NoMetric.NO_WORDS)
    pieces = [len(_words(piece)) for piece in _PIECE.findall(text)]
    n_sentences = sum(n > MOST_WORDS_OF_A_PIECE for n in pieces)
    return TextCounts(len(words), max(1, n_sentences), sum(map(syllables, words)))


def reading_ease(text: str) -> float:
    """Return Flesch's reading ease: about 100 is very easy, 0 very hard; it has no ends."""
    of = counts(text)
    return 206.835 - 1.015 * of.n_words / of.n_sentences - 84.6 * of.n_syllables / of.n_words


def grade_level(text: str) -> float:
    """Return the Flesch–Kincaid grade: years of school that a reader needs."""
    of = counts(text)
    return 0.39 * of.n_words / of.n_sentences + 11.8 * of.n_syllables / of.n_words - 15.59


def syllables(word: str) -> int:
    """Return how many syllables an English word probably has, at least one."""
    bare = _NO_LETTER.sub("", word.lower())
    bare = _SILENT.sub("", bare)
    n = len(_VOWELS.findall(bare)) + len(_TWO.findall(bare)) - _is_last_e_silent(bare)
    return max(1, n)


def _is_last_e_silent(bare: str) -> bool:
    if bare.endswith("ed"):
        return bare[-3:-2] not in {"t", "d", "e", "i", ""}
    if bare.endswith("es"):
        return not _SOFT_ES.search(bare) and bare[-3:-2] not in {"e", "i", ""}
    if bare.endswith("le"):
        return bare[-3:-2] in set("aeiouy")
    return bare.endswith("e") and bare[-2:-1] not in set("aeiou")


def _words(text: str) -> list[str]:
    return [one for one in text.split() if any(sign.isalnum() for sign in one)]
