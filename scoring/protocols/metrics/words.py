"""Words, sentences and n-grams of a text, in one convention for every metric that counts them.

Latin letters and digits as the package rouge-score has them (Lin 2004, ROUGE 1.5.5): in lower case,
divided by every other sign, a letter with an accent included. Signs that are written without spaces
(Han, kana) are a word each, as is usual for ROUGE of Chinese; a run of letters of another script is a
word. Full-width forms are read as their plain ones (NFKC).
"""

import re
import unicodedata
from collections import Counter
from functools import lru_cache

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
