"""A file that was handed in: its bytes from the database, its records by its layout."""

import tempfile
from collections.abc import Iterator
from dataclasses import replace

from annotation.models import ImportKind, Upload, UploadChunk
from annotation.queries.imports import workbooks
from annotation.rules.tabular import choice_sets, layouts, targets
from annotation.rules.tabular.layouts import Column, Layout
from annotation.rules.tabular.problems import Unreadable
from annotation.rules.tabular.records import Record
from annotation.rules.tabular.targets import Guess

SPOOLED = 8 * 1024 * 1024


def chunks(upload: Upload) -> Iterator[bytes]:
    """Yield the bytes of a file, one stored piece at a time."""
    ordinal = 0
    # One short query a piece: no cursor stays open while something else is written.
    while piece := _piece(upload, ordinal):
        yield piece
        ordinal += 1


def describe(upload: Upload, encoding: str = "") -> Layout:
    """Return the format, the encoding and the columns of a file.

    Args:
        encoding: that a person says it has; else it is found out.

    Raises:
        Unreadable: it cannot be brought in; the problem says why.
    """
    layout = layouts.recognise(upload.name, lambda: chunks(upload), encoding)
    if layout.format == "workbook":
        with _spooled(upload) as file:
            layout = workbooks.describe(layout, file)
    columns, n_sampled = layouts.columns_of(_records(upload, layout))
    return replace(layout, columns=columns, n_sampled=n_sampled)


def layout_of(upload: Upload) -> Layout:
    return Layout.from_dict(upload.layout)


def guesses(upload: Upload) -> list[tuple[Column, Guess]]:
    """Return the columns of a file, each with where it probably belongs."""
    columns = layout_of(upload).columns
    suggest = {
        ImportKind.ANSWERS: targets.suggest_answers,
        ImportKind.QUESTIONS: targets.suggest_questions,
        ImportKind.SCORES: targets.suggest_scores,
        ImportKind.CHOICES: targets.suggest_choices,
        ImportKind.FIGURES: targets.suggest_figures,
    }.get(ImportKind(upload.kind), targets.suggest_grades)
    return list(zip(columns, suggest(columns), strict=True))


def is_table(upload: Upload) -> bool:
    """Return whether a file is made for spreadsheets, whose texts may carry a shield."""
    return layout_of(upload).format in {"csv", "workbook"}


def records(upload: Upload) -> Iterator[Record]:
    """Yield the records of a file in their order.

    Raises:
        Unreadable: the rest of the file cannot be read.
    """
    layout = layout_of(upload)
    if upload.kind == ImportKind.CHOICES and lacks_header(layout):
        return choice_sets.without_header(layout, chunks(upload))
    return _records(upload, layout)


def names_of(upload: Upload) -> set[str]:
    """Return the names of all columns of a file; its rest is not looked at where it cannot be read."""
    found: set[str] = set()
    try:
        for record in records(upload):
            found.update(record.cells)
    except Unreadable:
        pass  # the check tells where reading stopped, with its row
    return found


def lacks_header(layout: Layout) -> bool:
    """Return whether the first line of a file of multiple choice is a question already."""
    return choice_sets.recognise(layout) == choice_sets.Kind.MMLU_TABLE


def _records(upload: Upload, layout: Layout) -> Iterator[Record]:
    if layout.format != "workbook":
        yield from layouts.read(layout, chunks(upload))
        return
    with _spooled(upload) as file:
        yield from workbooks.read(file)


def _spooled(upload: Upload) -> "tempfile.SpooledTemporaryFile[bytes]":
    file = tempfile.SpooledTemporaryFile(max_size=SPOOLED)  # noqa: SIM115  the caller closes it
    for piece in chunks(upload):
        file.write(piece)
    file.seek(0)
    return file


def _piece(upload: Upload, ordinal: int) -> bytes:
    found = (
        UploadChunk.objects.filter(upload_id=upload.pk, ordinal=ordinal)
        .values_list("data", flat=True)
        .first()
    )
    return bytes(found) if found else b""
