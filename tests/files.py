"""Files looked at without a database: what they look like, and their rows as the product knows them."""

import io
import zipfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from annotation.files.look import layouts, workbooks, zips
from annotation.files.look.layouts import Layout


def looked_at(
    content: bytes | Path, name: str = "", told: Mapping[str, str] | None = None
) -> tuple[Layout, list[dict[str, Any]]]:
    """Return the layout of a file with its columns, and its rows; a row that is refused is its problem."""
    data = content if isinstance(content, bytes) else content.read_bytes()
    name = name or (content.name if isinstance(content, Path) else "a.csv")
    if zips.are_here(name, data):
        layout = zips.describe(io.BytesIO(data), told or {})
    else:
        layout = layouts.recognise(name, lambda: iter([data]), told)
    if layout.members:
        rows = list(zips.read_members(layout, io.BytesIO(data)))
    elif layout.format == "workbook":
        layout = workbooks.describe(layout, io.BytesIO(data), name)
        rows = list(workbooks.read_sheet(layout, io.BytesIO(data)))
    else:
        rows = list(layouts.read_records(layout, [data]))
    columns, n = layouts.columns_of(rows)
    return replace(layout, columns=columns, n_sampled=n), [
        {"problem": one.problems[0].code} if one.problems else dict(one.cells) for one in rows
    ]


def packed(**files: str | bytes) -> bytes:
    """Return a ZIP of files."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as parts:
        for name, content in files.items():
            parts.writestr(name, content)
    return out.getvalue()
