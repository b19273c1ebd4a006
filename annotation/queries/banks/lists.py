"""The bank files of a project, and what a page says of one."""

from collections.abc import Iterator
from dataclasses import dataclass

from annotation.models import BankFile, BankPiece, Project
from annotation.queries.banks.wording import PARTS
from evalsite import keyset


@dataclass(frozen=True)
class Line:
    """A part of a bank: how many records, or what would become of them."""

    label: str
    total: int
    new: int = 0
    more: int = 0
    same: int = 0
    differs: int = 0


def page(project: Project, after: str) -> "keyset.Page[BankFile]":
    """Return the files of a project, the newest first."""
    rows = BankFile.objects.filter(project=project).select_related("by__person")
    return keyset.page(rows, by=("-number",), after=after)


def lines(file: BankFile) -> list[Line]:
    """Return what a file holds, part by part: of an import with what becomes of it."""
    counts = file.report.get("counts") or {}
    found = []
    for part, label in PARTS.items():
        said = counts.get(part)
        if isinstance(said, dict):
            found.append(Line(str(label), sum(said.values()), **said))
        elif isinstance(said, int):
            found.append(Line(str(label), said))
    return found


def pieces(file: BankFile) -> Iterator[bytes]:
    """Yield the bytes of a file, one stored piece at a time."""
    ordinal = 0
    rows = BankPiece.objects.filter(file=file).values_list("data", flat=True)
    while (data := rows.filter(ordinal=ordinal).first()) is not None:
        yield bytes(data)
        ordinal += 1
