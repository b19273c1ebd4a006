"""What runs apart: reads a file from standard input, writes its text as JSON to standard output.

Started by path, with nothing of the site imported, so that it starts fast and may be ended any time.
"""

import codecs
import io
import json
import logging
import re
import sys
import zipfile
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any, Final

MEMORY: Final = 256 * 1024 * 1024
SECONDS: Final = 5
MOST_SIGNS: Final = 2_000_000
MOST_UNPACKED: Final = 64 * 1024 * 1024
MOST_PARTS: Final = 4_000
MOST_PAGES: Final = 3_000
PAGE: Final = "\f"


class UnreadableSource(Exception):
    def __init__(self, problem: str, **where: Any) -> None:
        super().__init__(problem)
        self.problem, self.where = problem, where


def limit() -> None:
    """Take no more memory and computing time than one may, where the system can hold us to it."""
    try:
        import resource
    except ImportError:  # pragma: no cover  Windows
        return
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))


def read_source(data: bytes, suffix: str) -> dict[str, Any]:
    if data[:1024].lstrip().startswith(b"%PDF-"):
        return pdf(data)
    if data.startswith(b"PK\x03\x04"):
        return word(data)
    if data.startswith(b"\xd0\xcf\x11\xe0"):
        raise UnreadableSource("old_word" if suffix in {".doc", ".dot"} else "unknown")
    if suffix in {".pdf", ".docx"}:
        raise UnreadableSource("broken")
    text = decoded(data)
    if suffix in {".html", ".htm"} or _HTML.match(text):
        return html(text)
    if suffix in {".md", ".markdown"}:
        return said(text, "MARKDOWN")
    if suffix not in {"", ".txt", ".text"}:
        raise UnreadableSource("unknown")
    return said(text, "TEXT")


def said(
    text: str, form: str, *, title: str = "", pages: int = 0, silent: list[int] | None = None
) -> dict[str, Any]:
    """Return what was read.

    Raises:
        UnreadableSource: it is nothing, or too much.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\x00", "").strip(" \n\t")
    if not text.strip():
        raise UnreadableSource("silent")
    if len(text) > MOST_SIGNS:
        raise UnreadableSource("long", most=MOST_SIGNS)
    return {
        "text": text.encode("utf-8", "replace").decode(),
        "format": form,
        "title": " ".join(title.split())[:300].encode("utf-8", "replace").decode(),
        "pages": pages,
        "silent": silent or [],
    }


# Plain text and HTML ----------------------------------------------------------------------

_HTML = re.compile(r"\s*(?:<\?xml[^>]{0,200}>\s*)?<(?:!doctype\s+html|html)\b", re.IGNORECASE)
_CHARSET = re.compile(rb"<meta[^>]{0,200}charset=[\"']?\s*([\w-]{2,40})", re.IGNORECASE)


def decoded(data: bytes) -> str:
    """Return bytes as text.

    Raises:
        UnreadableSource: they are none, or in an encoding that is not known.
    """
    for mark, name in (
        (codecs.BOM_UTF8, "utf-8-sig"),
        (codecs.BOM_UTF16_LE, "utf-16"),
        (codecs.BOM_UTF16_BE, "utf-16"),
    ):
        if data.startswith(mark):
            return _decoded(data, name) or _refuse("encoding")
    if data.count(b"\x00") * 50 > len(data):
        raise UnreadableSource("unknown")
    named = _CHARSET.search(data[:4096])
    names = [named[1].decode("ascii", "replace")] if named else []
    for name in ("utf-8", *names, "gb18030"):
        text = _decoded(data, name)
        if text is not None:
            return text
    return _refuse("encoding")


def _decoded(data: bytes, name: str) -> str | None:
    try:
        return codecs.lookup(name).decode(data)[0] if _is_text(name) else None
    except (UnicodeError, LookupError):
        return None


def _is_text(name: str) -> bool:
    return getattr(codecs.lookup(name), "_is_text_encoding", True)


def _refuse(problem: str) -> str:
    raise UnreadableSource(problem)


class _PageWords(HTMLParser):
    """The words of a page, an empty line between its blocks."""

    HIDDEN = frozenset(
        ["script", "style", "template", "noscript", "svg", "math", "iframe", "object", "select"]
    )
    INLINE = frozenset(
        [
            "a",
            "abbr",
            "b",
            "bdi",
            "bdo",
            "cite",
            "code",
            "data",
            "dfn",
            "em",
            "font",
            "i",
            "kbd",
            "label",
            "mark",
            "q",
            "s",
            "samp",
            "small",
            "span",
            "strong",
            "sub",
            "sup",
            "time",
            "u",
            "var",
            "wbr",
            "ins",
            "del",
            "img",
        ]
    )

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []
        self.title: list[str] = []
        self.hidden = ""
        self.depth = 0
        self.in_title = self.in_pre = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self.hidden:
            self.depth += tag == self.hidden
            return
        if tag in self.HIDDEN:
            self.hidden, self.depth = tag, 1
        elif tag == "title":
            self.in_title = True
        elif tag == "br":
            self.pieces.append("\v")
        elif tag in {"td", "th"}:
            self.pieces.append(" | " if self._in_line() else "")
        elif tag not in self.INLINE:
            self.in_pre = self.in_pre or tag == "pre"
            self.pieces.append(PAGE)

    def handle_endtag(self, tag: str) -> None:
        if self.hidden:
            self.depth -= tag == self.hidden
            if not self.depth:
                self.hidden = ""
            return
        if tag == "title":
            self.in_title = False
        elif tag not in self.INLINE and tag not in {"td", "th", "br"}:
            self.in_pre = self.in_pre and tag != "pre"
            self.pieces.append(PAGE)

    def handle_data(self, data: str) -> None:
        if self.hidden:
            return
        if self.in_title:
            self.title.append(data)
        else:
            self.pieces.append(data.replace("\n", "\v") if self.in_pre else data)

    def _in_line(self) -> bool:
        return bool(self.pieces) and self.pieces[-1].strip() != "" and self.pieces[-1] != PAGE

    def text(self) -> str:
        """Return the blocks; a vertical tab stood for a break that is meant."""
        blocks = "".join(self.pieces).split(PAGE)
        plain = ("\n".join(" ".join(line.split()) for line in one.split("\v")) for one in blocks)
        return "\n\n".join(one.strip() for one in plain if one.strip())


def html(text: str) -> dict[str, Any]:
    words = _PageWords()
    words.feed(text.replace(PAGE, " ").replace("\v", " "))
    words.close()
    return said(words.text(), "HTML", title="".join(words.title))


# PDF --------------------------------------------------------------------------------------


def pdf(data: bytes) -> dict[str, Any]:
    file = _opened(data)
    n = len(file.pages)
    if n > MOST_PAGES:
        raise UnreadableSource("long", most=MOST_SIGNS)
    pages, total = [], 0
    for number in range(1, n + 1):
        pages.append(_page(file, number))
        total += len(pages[-1])
        if total > MOST_SIGNS:
            raise UnreadableSource("long", most=MOST_SIGNS)
    silent = [number for number, one in enumerate(pages, start=1) if not one]
    title = str(getattr(file.metadata, "title", None) or "")
    # The page of a place is counted by what stands between pages: a silent one counts too.
    return said(PAGE.join(pages), "PDF", title=title, pages=n, silent=silent)


def _opened(data: bytes) -> Any:
    import pypdf

    logging.disable(logging.CRITICAL)
    try:
        file = pypdf.PdfReader(io.BytesIO(data))
        if file.is_encrypted and not file.decrypt(""):
            raise UnreadableSource("locked")
        len(file.pages)
    except (UnreadableSource, MemoryError):
        raise
    except Exception as problem:
        raise UnreadableSource("broken") from problem
    return file


def _page(file: Any, number: int) -> str:
    try:
        return paragraphs(file.pages[number - 1].extract_text() or "")
    except MemoryError:
        raise
    except Exception as problem:
        raise UnreadableSource("page", page=number) from problem


def paragraphs(text: str) -> str:
    """Return the text of a page with its lines joined: a short line ends a paragraph."""
    lines = [
        " ".join(one.replace("\xad", "").split()) for one in text.replace(PAGE, "\n").split("\n")
    ]
    lengths = sorted(len(one) for one in lines if one)
    usual = lengths[int(0.8 * (len(lengths) - 1))] if lengths else 0
    made: list[str] = []
    going = False
    for line in lines:
        if not line:
            going = False
            continue
        if going:
            made[-1] = _joined(made[-1], line)
        else:
            made.append(line)
        going = not (len(line) < 0.75 * usual and line[-1] in '.!?:;。！？：；”"')
    return "\n\n".join(made)


def _joined(before: str, line: str) -> str:
    if before.endswith("-") and before[-2:-1].islower() and line[:1].islower():
        return before[:-1] + line
    return f"{before} {line}"


# Word -------------------------------------------------------------------------------------


def word(data: bytes) -> dict[str, Any]:
    refuse_bombs(data)
    import docx

    try:
        file = docx.Document(io.BytesIO(data))
    except MemoryError:
        raise
    except Exception as problem:
        raise UnreadableSource("broken") from problem
    blocks: list[str] = []
    total = 0
    for found in _blocks(file):
        blocks.append(found)
        total += len(found)
        if total > MOST_SIGNS:
            raise UnreadableSource("long", most=MOST_SIGNS)
    return said("\n\n".join(blocks), "DOCX", title=str(file.core_properties.title or ""))


def _blocks(file: Any) -> Iterator[str]:
    """Yield the paragraphs and tables that say something, in their order."""
    n = 0
    try:
        for one in file.iter_inner_content():
            found = _rows(one) if hasattr(one, "rows") else one.text.strip()
            if found:
                n += 1
                yield found
    except MemoryError:
        raise
    except Exception as problem:
        raise UnreadableSource("paragraph", paragraph=n + 1) from problem


def _rows(table: Any) -> str:
    rows = (
        " | ".join(dict.fromkeys(" ".join(cell.text.split()) for cell in row.cells))
        for row in table.rows
    )
    return "\n".join(one for one in rows if one.strip(" |"))


def refuse_bombs(data: bytes) -> None:
    """Refuse a packed file that is no Word document, or that would be too large unpacked.

    Raises:
        UnreadableSource: it is one.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            parts = packed.infolist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError, OverflowError) as problem:
        raise UnreadableSource("broken") from problem
    if len(parts) > MOST_PARTS or sum(one.file_size for one in parts) > MOST_UNPACKED:
        raise UnreadableSource("bomb", most=MOST_UNPACKED // 1024 // 1024)
    if any(one.flag_bits & 1 for one in parts):
        raise UnreadableSource("locked")
    if "word/document.xml" not in {one.filename for one in parts}:
        raise UnreadableSource("unknown")


def main() -> None:
    limit()
    data = sys.stdin.buffer.read()
    try:
        found = read_source(data, sys.argv[1] if len(sys.argv) > 1 else "")
    except UnreadableSource as problem:
        found = {"problem": problem.problem, **problem.where}
    except (MemoryError, RecursionError):
        found = {"problem": "heavy"}
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main()
