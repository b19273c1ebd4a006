"""What of a thing is searched, and how words are written when they are sought.

Two ways, each for its page. `folded` texts are compared sign by sign: any run of signs is found,
however short it is ("EU", "提单"), by reading all texts of a bank. `words` are found from an index:
capitals, widths, accents and punctuation do not count, and a run of Han or Kana, which has no
spaces, is cut into every two neighbouring signs.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from annotation.common.texts import SIGNS

#: So much of a question is searched sign by sign; what stands behind it is found by its first words.
MOST = 20_000
#: A text is read in parts of so many characters, which overlap a little: PostgreSQL's index of one
#: row holds 1 MB.
PART, OVERLAP = 40_000, 200
#: So many parts are read.
MOST_PARTS = 100
#: Of a longer word this is kept.
LONGEST_WORD = 64
#: From so many letters on, the beginning of a word is enough.
BEGINNING = 3
#: So many words are sought at once.
MOST_WORDS = 24

# The long mark of Katakana stands between its signs.
_RUN = f"{SIGNS}\u30fc"
_PIECE = re.compile(rf"[{_RUN}]+|[^{_RUN}\s]+")
_IS_RUN = re.compile(rf"[{_RUN}]")


def folded(text: str) -> str:
    """Return a text as it is compared: one case, one width, single spaces."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def words_of(external_id: str, turns: Iterable[str], answer: str) -> str:
    """Return all that a question is found by, a line for its id, for each turn and the answer."""
    return "\n".join(folded(one) for one in (external_id, *turns, answer))[:MOST]


class _Kept(dict[int, int | str | None]):
    """What becomes of a sign: letters, digits and their marks stay, Latin accents go, all else parts."""

    def __missing__(self, code: int) -> int | str | None:
        kept: int | str | None = code if unicodedata.category(chr(code))[0] in "LNM" else " "
        if 0x300 <= code <= 0x36F:
            kept = None
        self[code] = kept
        return kept


_KEPT = _Kept()


def plain(text: str) -> str:
    """Return a text with nothing but letters and digits: one case, one width, no accents."""
    if text.isascii():
        return text.lower().translate(_KEPT)
    apart = unicodedata.normalize("NFKD", text).casefold().translate(_KEPT)
    return unicodedata.normalize("NFC", apart)


def words(text: str) -> list[str]:
    """Return the words of a text as they are indexed, in order.

    A run of signs gives every two neighbours and, at its end, its last sign alone, so that each
    sign begins a word: "提货单" gives 提货, 货单, 单.
    """
    found: list[str] = []
    for word in plain(text).split():
        if word.isascii():  # as most are: what follows takes three times as long
            found.append(word[:LONGEST_WORD])
            continue
        for piece in _PIECE.findall(word):
            if _IS_RUN.match(piece):
                found += [piece[at : at + 2] for at in range(len(piece))]
            else:
                found.append(piece[:LONGEST_WORD])
    return found


def parts(texts: Sequence[str]) -> list[str]:
    """Return the indexed words of a thing's texts, part by part, each between spaces; at least one."""
    whole = "\n".join(texts)
    return [f" {' '.join(words(part))} " for part in cuts(whole)]


def cuts(whole: str) -> list[str]:
    """Return the parts in which a text is read."""
    starts = range(0, max(1, len(whole) - OVERLAP), PART - OVERLAP)
    return [whole[start : start + PART] for start in starts[:MOST_PARTS]]


def of_question(
    external_id: str, turns: Iterable[object], answer: str, key_points: Iterable[object]
) -> list[str]:
    """Return the texts that a question is found by: its id, its turns, what is right."""
    return [external_id, *said(turns), answer, *map(str, key_points)]


def of_source(title: str, publisher: str, address: str, note: str, text: str) -> list[str]:
    """Return the texts that a source is found by: where it comes from, and what it says."""
    return [title, publisher, address, note, text]


def said(messages: Iterable[object]) -> list[str]:
    """Return what the messages of a conversation say; what is no text says nothing."""
    contents = (one.get("content") for one in messages if isinstance(one, dict))
    return [one for one in contents if isinstance(one, str)]


@dataclass(frozen=True)
class Sought:
    """What somebody looks for.

    `words` are to be found from the index, each with whether its beginning is enough; `runs` must
    stand in the indexed words as they are; `marks` are what is marked where it is shown.
    """

    words: tuple[tuple[str, bool], ...] = ()
    runs: tuple[str, ...] = ()
    marks: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.words)


def sought(asked: str) -> Sought:
    """Return what is sought by some words; what stands between double quotes stands together.

    Whatever is written is taken as words: there are no operators. Signs that are no part of a
    word are left out.
    """
    found: dict[tuple[str, bool], None] = {}
    runs: list[str] = []
    marks: dict[str, None] = {}
    for place, stretch in enumerate(re.split(r'["“”„«»]', asked)):
        together = place % 2 == 1
        if together and len(row := _indexed(stretch)) > 1:
            runs.append(f" {' '.join(row)} ")
        for piece in _PIECE.findall(plain(stretch)):
            marks[piece] = None
            if not _IS_RUN.match(piece):
                word = piece[:LONGEST_WORD]
                found[word, not together and len(word) >= BEGINNING] = None
            elif len(piece) == 1:
                found[piece, True] = None
            else:
                pairs = _indexed(piece)
                found |= {(pair, False): None for pair in pairs}
                if len(pairs) > 1:
                    runs.append(f" {' '.join(pairs)} ")
    return Sought(tuple(found)[:MOST_WORDS], tuple(runs[:MOST_WORDS]), tuple(marks)[:MOST_WORDS])


def _indexed(text: str) -> list[str]:
    """Return the words of what is sought; the last sign of a longer run alone says nothing new."""
    rows: list[str] = []
    for piece in _PIECE.findall(plain(text)):
        if _IS_RUN.match(piece) and len(piece) > 1:
            rows += [piece[at : at + 2] for at in range(len(piece) - 1)]
        else:
            rows.append(piece[:LONGEST_WORD])
    return rows


@dataclass(frozen=True)
class SnippetPiece:
    """A part of a snippet, and whether it is what was sought."""

    text: str
    hit: bool = False


#: A snippet shows so many characters before what was found, and so many in all.
BEFORE, SHOWN = 60, 240
_STRETCH = 2_000


def snippet(text: str, marks: Sequence[str]) -> tuple[SnippetPiece, ...]:
    """Return the surroundings of the first thing sought in a text, with all that is sought marked.

    Where nothing of it is seen (it stands in an id or behind what is looked through), the text's
    beginning.
    """
    one_line = " ".join(text[: PART * 3].split())
    pattern = _pattern(marks)
    at = _first(one_line, pattern) if pattern else None
    start = max(0, (at or 0) - BEFORE)
    if start:  # at the beginning of a word, where there are spaces
        start = max(start, one_line.find(" ", start, at) + 1)
    shown = one_line[start : start + SHOWN]
    pieces = list(_pieces(shown, pattern)) if pattern else [SnippetPiece(shown)]
    if start:
        pieces.insert(0, SnippetPiece("… "))
    if start + SHOWN < len(one_line):
        pieces.append(SnippetPiece(" …"))
    return tuple(piece for piece in pieces if piece.text)


def marked(text: str, marks: Sequence[str]) -> tuple[SnippetPiece, ...]:
    """Return a whole short text with all that is sought marked."""
    pattern = _pattern(marks)
    pieces = _pieces(text, pattern) if pattern else [SnippetPiece(text)]
    return tuple(piece for piece in pieces if piece.text)


def _pattern(marks: Sequence[str]) -> "re.Pattern[str] | None":
    def of(mark: str) -> str:
        if _IS_RUN.match(mark):
            return re.escape(mark)
        end = "" if len(mark) >= BEGINNING else r"(?![^\W_])"
        return rf"(?<![^\W_{_RUN}]){re.escape(mark)}{end}"

    longest_first = sorted(marks, key=len, reverse=True)
    return re.compile("|".join(map(of, longest_first))) if marks else None


def _spread(text: str) -> tuple[str, Sequence[int]]:
    """Return a text as it is compared, and for each of its signs which sign of the text it is of."""
    if text.isascii():  # sign by sign there is one for each
        return plain(text), range(len(text) + 1)
    said = [_plain_sign(sign) for sign in text]
    origin = [place for place, kept in enumerate(said) for _sign in kept]
    return "".join(said), [*origin, len(text)]


@lru_cache(maxsize=20_000)
def _plain_sign(sign: str) -> str:
    return plain(sign)


def _first(text: str, pattern: "re.Pattern[str]") -> int | None:
    """Return where in a text something sought begins."""
    for start in range(0, len(text), _STRETCH - OVERLAP):
        stretch = text[start : start + _STRETCH]
        if pattern.search(plain(stretch)) is None:
            continue
        said, origin = _spread(stretch)
        if found := pattern.search(said):
            return start + origin[found.start()]
    return None


def _pieces(text: str, pattern: "re.Pattern[str]") -> Iterator[SnippetPiece]:
    said, origin = _spread(text)
    done = 0
    for found in pattern.finditer(said):
        start, end = origin[found.start()], origin[found.end() - 1] + 1
        if start < done:
            continue
        yield SnippetPiece(text[done:start])
        yield SnippetPiece(text[start:end], hit=True)
        done = end
    yield SnippetPiece(text[done:])
