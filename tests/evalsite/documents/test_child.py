import io
import zipfile

import numpy as np
import pytest

from evalsite.documents import child
from tests.evalsite.test_documents import pdf, word

FILES = {
    ".pdf": pdf(["The first page says this", "and goes on."], ["The second page."]),
    ".docx": word("One.", "Two.", table=[["a", "b"], ["c", "d"]]),
    ".html": b"<!doctype html><meta charset=utf-8><title>T</title><table><tr><td>1<td>2</table><pre>a\nb</pre>",
    ".md": "# One\n\nTwo – drei, 四.".encode(),
}


def spoilt(data, draw):
    """Return a file of which some bytes are changed, taken out, or said twice."""
    made = bytearray(data)
    for _once in range(int(draw.integers(1, 12))):
        place = int(draw.integers(0, max(len(made), 1)))
        length = int(draw.integers(1, 40))
        match int(draw.integers(0, 4)):
            case 0:
                made[place : place + 1] = bytes([int(draw.integers(0, 256))])
            case 1:
                del made[place : place + length]
            case 2:
                made[place:place] = made[place : place + length]
            case _:
                made[place:place] = bytes(draw.integers(0, 256, length, dtype=np.uint8))
    return bytes(made)


def packed(data, draw):
    """Return a Word file whose text is spoilt, and packed again so that its parts can be opened."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(made, "w") as new:
        for one in old.infolist():
            said = old.read(one)
            new.writestr(one, spoilt(said, draw) if one.filename == "word/document.xml" else said)
    return made.getvalue()


def fuzz(suffix, n):
    """Return how many of so many spoilt files were read; the others were refused, none broke it."""
    draw = np.random.default_rng(7)
    read = 0
    for number in range(n):
        spoil = packed if suffix == ".docx" and number % 2 else spoilt
        try:
            found = child.read_source(spoil(FILES[suffix], draw), suffix)
        except (child.UnreadableSource, RecursionError):
            continue
        assert found["text"].strip()
        read += 1
    return read


class TestRead:
    @pytest.mark.parametrize("suffix", FILES)
    def test_refuses_or_reads_what_is_spoilt(self, suffix):
        assert fuzz(suffix, 40) <= 40

    @pytest.mark.nightly
    @pytest.mark.timeout(300)
    @pytest.mark.parametrize("suffix", FILES)
    def test_refuses_or_reads_a_thousand_spoilt_files(self, suffix):
        assert 0 < fuzz(suffix, 1000) <= 1000


class TestParagraphs:
    def test_joins_lines_and_ends_at_a_short_one(self):
        text = (
            "A line that is as long as the others are\nand one that ends here.\n"
            "The next paragraph begins and goes on with its\nlines."
        )

        assert child.paragraphs(text).split("\n\n") == [
            "A line that is as long as the others are and one that ends here.",
            "The next paragraph begins and goes on with its lines.",
        ]

    def test_puts_a_word_together_that_was_cut(self):
        assert child.paragraphs("a con-\ntainer") == "a container"


class TestDecoded:
    def test_believes_a_page_that_names_its_encoding(self):
        page = '<meta charset="iso-8859-1"><p>Fracht fällig'.encode("latin-1")

        assert "fällig" in child.decoded(page)

    def test_takes_no_codec_that_is_no_encoding(self):
        assert "x" in child.decoded(b'<meta charset="hex">x')
