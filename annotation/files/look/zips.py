"""Several files in a ZIP: tables that are alike are read one after the other, as are texts of an answer each.

Each file is looked at as if it had come alone. Of several that differ a person says which one is meant.
"""

import io
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import IO, Final

from annotation.files.asks import MEMBER, FileAsk, Told
from annotation.files.cells import BadFile, FileRecord
from annotation.files.look import encodings, layouts, workbooks
from annotation.files.look.archives import ARCHIVE, Parts
from annotation.files.look.layouts import Layout

ENDING: Final = ".zip"
#: All files that are alike, and the column of what each is called.
EVERY: Final = "*"
FILE: Final = "name of the file"
#: The columns of texts beside it: the name of the folder, or the second half of the file's name.
FOLDER, LAST, TEXT = "name of the folder", "end of the name", "response"
#: So many tables are looked at, and so many named where a person has to choose.
MOST_TABLES: Final = 500
NAMED: Final = 50
_TEXTS: Final = frozenset((".txt", ".md", ".markdown", ".text"))
#: How an archive begins that holds nothing.
_EMPTY: Final = b"PK\x05\x06"
#: What parts the name of a file in two.
_HALVES: Final = re.compile(r"__|--| - |[_-]")


def are_here(name: str, head: bytes = ARCHIVE) -> bool:
    """Say whether a file of this name, that begins like this, may hold several."""
    return head.startswith((ARCHIVE, _EMPTY)) and name.lower().endswith(ENDING)


def describe(file: IO[bytes], told: Told, most: float = math.inf) -> Layout:
    """Return how the files are written that are read, without their columns.

    Args:
        file: the archive.
        told: what a person said of it.
        most: each of its workbooks may unpack to so many bytes.

    Raises:
        BadFile: it is damaged, or nothing in it can be read.
    """
    parts = Parts(file)
    texts = [name for name in parts.names if PurePosixPath(name).suffix.lower() in _TEXTS]
    tables = [name for name in parts.names if name not in texts]
    if len(texts) > 1 and not any(_is_table(name) for name in tables):
        return _of_texts(parts, texts, told)
    if len(tables) > MOST_TABLES:
        raise BadFile("too_many_files", n=str(len(tables)), most=str(MOST_TABLES))
    looked, reason = _looked_at(parts, tables or texts, told, most)
    if not looked:
        raise reason if reason and len(parts.names) == 1 else BadFile("no_files")
    return _chosen(looked, _alike(parts, looked, most), told)


def _is_table(name: str) -> bool:
    return PurePosixPath(name).suffix.lower() in {".csv", ".tsv", ".json", ".jsonl", ".xlsx"}


def _looked_at(
    parts: Parts, names: Sequence[str], told: Told, most: float
) -> tuple[dict[str, Layout], BadFile | None]:
    """Return the layouts of the files that can be read, and why the first of the others cannot."""
    looked: dict[str, Layout] = {}
    reason = None
    for name in names:
        try:
            looked[name] = _layout(parts, name, told, most)
        except BadFile as stop:
            reason = reason or stop
    return looked, reason


def _chosen(looked: dict[str, Layout], alike: Sequence[str], told: Told) -> Layout:
    """Return the layout of the file that is meant, or of all that are alike; the first until one is chosen."""
    names = tuple(looked)
    if len(names) == 1:
        return replace(looked[names[0]], members=names)
    every = (EVERY,) if alike else ()
    whole = len(alike) == len(names)
    ask = FileAsk(MEMBER, "member", (*names[:NAMED], *every), EVERY if whole else "")
    answer = ask.answer(told)
    members = tuple(alike) if answer == EVERY else (answer or (alike or names)[0],)
    layout = looked[members[0]]
    doubtful = [looked[name] for name in members if looked[name].doubtful]
    if doubtful:
        layout = replace(layout, doubtful=True, readings=doubtful[0].readings)
    return replace(layout, members=members, asks=(ask, *layout.asks))


def _alike(parts: Parts, looked: dict[str, Layout], most: float) -> list[str]:
    """Return the files of the same form and maker, with the same columns; none where each is alone."""
    groups: dict[tuple[str, str, frozenset[str]], list[str]] = {}
    for name, layout in looked.items():
        names = frozenset[str]()
        if not layout.shape:
            try:
                columns, _n = layouts.columns_of(_records(parts, name, layout, most))
            except BadFile:
                continue
            names = frozenset(column.name for column in columns)
        groups.setdefault((layout.format, layout.shape, names), []).append(name)
    largest = max(groups.values(), key=len, default=[])
    return largest if len(largest) > 1 else []


def _layout(parts: Parts, name: str, told: Told, most: float) -> Layout:
    """Return the layout of a file; what was said of the encoding holds only where it is doubtful."""
    plain = {key: said for key, said in told.items() if key != "encoding"}
    called = PurePosixPath(name).name
    layout = layouts.recognise(called, lambda: parts.pieces(name), plain)
    if layout.doubtful and "encoding" in told:
        layout = layouts.recognise(called, lambda: parts.pieces(name), told)
    if layout.format == "workbook":
        layout = workbooks.describe(layout, _workbook(parts, name, most), called)
    return replace(layout, told=told)


def _workbook(parts: Parts, name: str, most: float) -> io.BytesIO:
    book = io.BytesIO(b"".join(parts.pieces(name)))
    workbooks.weigh(book, most)
    return book


def _records(parts: Parts, name: str, layout: Layout, most: float) -> Iterator[FileRecord]:
    if layout.format == "workbook":
        return workbooks.read_sheet(layout, _workbook(parts, name, most))
    return layouts.read_records(layout, parts.pieces(name), most)


def read_members(layout: Layout, file: IO[bytes], most: float = math.inf) -> Iterator[FileRecord]:
    """Yield the records of the files that are read, with the name of theirs where they are several.

    Raises:
        BadFile: the rest cannot be read.
    """
    parts = Parts(file)
    if layout.format == "texts":
        yield from _texts(parts, layout)
        return
    for name, called in zip(layout.members, _names(layout.members), strict=True):
        own = _layout(parts, name, layout.told, most)
        for record in _records(parts, name, own, most):
            if len(layout.members) > 1:
                record.part = called
                if not record.problems:
                    record.cells = {**record.cells, FILE: called}
            yield record


def _names(paths: Sequence[str]) -> list[str]:
    """Return what files are called, as shortly as keeps them apart."""
    whole = [PurePosixPath(path).with_suffix("") for path in paths]
    for names in ([one.name for one in whole], [one.parent.name for one in whole]):
        if len(set(names)) == len(names):
            return names
    return [str(one) for one in whole]


# Texts -----------------------------------------------------------------------------------------


def _of_texts(parts: Parts, names: Sequence[str], told: Told) -> Layout:
    layout = Layout("texts", members=tuple(names), told=told)
    for name in names[:NAMED]:
        found = _found(parts, name, told)
        if found.doubtful and found.readings:
            return replace(layout, encoding=found.encoding, readings=found.readings, doubtful=True)
        if found.readings:
            layout = replace(layout, encoding=found.encoding, readings=found.readings)
    return layout


def _found(parts: Parts, name: str, told: Told) -> encodings.FoundEncoding:
    data = b"".join(parts.pieces(name))
    found = encodings.look(data, whole=True)
    if found.doubtful and told.get("encoding"):
        return encodings.look(data, whole=True, said=told["encoding"])
    return found


def _texts(parts: Parts, layout: Layout) -> Iterator[FileRecord]:
    for number, (name, called) in enumerate(
        zip(layout.members, _called(layout.members), strict=True), start=1
    ):
        found = _found(parts, name, layout.told)
        lines = encodings.DecodedLines(parts.pieces(name), found.encoding, b"\n")
        yield FileRecord(number, {**called, TEXT: "".join(lines).strip()})


def _called(paths: Sequence[str]) -> list[dict[str, str]]:
    """Return how each file is called, in columns: by its folder, or by two halves of its name."""
    whole = [PurePosixPath(path).with_suffix("") for path in paths]
    folders = [one.parent.name for one in whole]
    if len(set(folders)) > 1:
        return [{FOLDER: one.parent.name, FILE: one.name} for one in whole]
    halves = [_HALVES.split(one.name) for one in whole]
    if all(len(one) == 2 and all(one) for one in halves):
        return [dict(zip((FILE, LAST), one, strict=True)) for one in halves]
    return [{FILE: one.name} for one in whole]
