"""The digest by which a page knows that its grades arrived: the browser computes the same."""

import hashlib
import json
from collections.abc import Iterable
from decimal import Decimal

from annotation.rules import scales


def canonical_grades(rows: Iterable[tuple[str, str, Decimal]]) -> str:
    """Return the JSON text of sorted [letter, criterion, value] rows that is hashed.

    Rows are sorted as JavaScript sorts strings, by UTF-16 units.
    """
    written = [[letter, criterion, scales.text(value)] for letter, criterion, value in rows]
    written.sort(key=lambda row: [cell.encode("utf-16-be") for cell in row])
    return json.dumps(written, ensure_ascii=False, separators=(",", ":"))


def grades_digest(rows: Iterable[tuple[str, str, Decimal]]) -> str:
    """Return the SHA-256 of the canonical form, in hex."""
    return hashlib.sha256(canonical_grades(rows).encode()).hexdigest()
