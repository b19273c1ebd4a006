"""How easy an English text is to read, by formulas over counts; no dictionary is needed.

Syllables are counted by spelling. Beside the pronouncing dictionary that others use, single words
differ; the mean over ordinary texts does so by less than four points of reading ease.

References:
    Flesch (1948), A new readability yardstick. Kincaid et al. (1975), Derivation of new readability
    formulas for Navy enlisted personnel.
"""

import re
from dataclasses import dataclass

from scoring.protocols.metrics.texts import Undefined, Why

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
class Counts:
    n_words: int
    n_sentences: int
    n_syllables: int


def counts(text: str) -> Counts:
    """Return what the formulas are made of. A number is a word of one syllable.

    Raises:
        Undefined: there is no word, or the text is not written in Latin letters.
    """
    letters = [sign for sign in text if sign.isalpha()]
    if 2 * sum(sign < "\u0250" for sign in letters) < len(letters):
        raise Undefined(Why.NOT_ENGLISH)
    words = _words(text)
    if not words:
        raise Undefined(Why.NO_WORDS)
    pieces = [len(_words(piece)) for piece in _PIECE.findall(text)]
    n_sentences = sum(n > MOST_WORDS_OF_A_PIECE for n in pieces)
    return Counts(len(words), max(1, n_sentences), sum(map(syllables, words)))


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
