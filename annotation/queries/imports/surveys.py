"""A first look at a file of scores, before it is checked: which judges and metrics it holds."""

import itertools
from collections.abc import Iterator

from annotation.models import Upload
from annotation.queries.imports import files
from annotation.rules.tabular import scores
from annotation.rules.tabular.machines import Seen
from annotation.rules.tabular.problems import Unreadable
from annotation.rules.tabular.records import Record
from annotation.rules.tabular.score_mappings import ScoreMapping

#: Rows that are looked at; the check reads all and tells what comes up later.
ROWS = 10_000


def machines(upload: Upload, mapping: ScoreMapping) -> list[Seen]:
    """Return the judges and metrics in the first rows, and those that the last check found."""
    found = scores.survey(_first(upload), mapping)
    for name in (upload.report or {}).get("undeclared", ()):
        found.setdefault(name, Seen(name))
    return list(found.values())


def _first(upload: Upload) -> Iterator[Record]:
    try:
        yield from itertools.islice(files.beginning(upload), ROWS)
    except Unreadable:
        return  # the check tells where reading stopped, with its row
