"""The text of a source on its page: paragraphs with the passages that are cited, and what changed."""

from dataclasses import dataclass
from typing import Any

from annotation.models import Citation, SourceVersion
from annotation.queries import sources as reads
from annotation.rules import passages
from annotation.rules.passages import Paragraph

#: So many paragraphs stand on a page.
SHOWN = 150
#: Longer texts are not compared on a page: it would take too long.
MOST_COMPARED = 200_000


@dataclass(frozen=True)
class Piece:
    """A paragraph, cut where cited passages begin and end, and what cites it."""

    paragraph: Paragraph
    pieces: tuple[tuple[str, bool], ...]
    citations: list[Citation]
    #: Whether a page begins with it.
    opens_page: bool


@dataclass(frozen=True)
class Text:
    """A stretch of the paragraphs of a version, with where the next and the one before begin."""

    paragraphs: list[Piece]
    n: int
    first: int
    before: int
    after: int

    @property
    def last(self) -> int:
        return self.first + len(self.paragraphs) - 1


def text_of(version: SourceVersion, start: str) -> Text:
    """Return what is shown of a version's text from a paragraph on."""
    found = passages.paragraphs(version.text)
    wanted = int(start) if start.isascii() and start.isdigit() and len(start) < 9 else 1
    first = max(0, (min(max(wanted, 1), len(found) or 1) - 1) // SHOWN * SHOWN)
    shown = found[first : first + SHOWN]
    cited = reads.passages_of(version)
    after = first + SHOWN
    pieces = []
    page = 0
    for one in shown:
        here = [mine for mine in cited if _overlaps(mine, one)]
        marks = [(mine.start or 0, mine.end or 0) for mine in here]
        cut = passages.pieces(one, marks)
        pieces.append(Piece(one, cut, here, opens_page=one.page > page))
        page = one.page
    return Text(
        pieces,
        n=len(found),
        first=first + 1,
        before=max(1, first + 1 - SHOWN) if first else 0,
        after=after + 1 if after < len(found) else 0,
    )


def _overlaps(cited: Citation, paragraph: Paragraph) -> bool:
    start, end = cited.start, cited.end
    return start is not None and end is not None and start < paragraph.end and paragraph.start < end


def comparison(versions: list[SourceVersion], shown: SourceVersion, against: str) -> dict[str, Any]:
    """Return what a version changed against the one that is asked for; nothing if none is."""
    old = next((one for one in versions if str(one.number) == against), None)
    if old is None or old.pk == shown.pk:
        return {"old": None, "change": None}
    if max(len(old.text), len(shown.text)) > MOST_COMPARED:
        return {"old": old, "change": None}
    return {"old": old, "change": reads.change(old, shown)}
