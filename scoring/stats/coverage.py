"""What was wanted and what came: counts of grades for each release × capability."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from scoring.stats import frame
from scoring.stats.plain import Plain, plain
from scoring.stats.sums import Label

CANNOT_GRADE = "CANNOT_GRADE"


@dataclass(frozen=True, slots=True)
class CoverageRow:
    """Grades of one release × capability; `missing` is what is still wanted.

    Each row of the frame is counted once: late, else invalid, else cannot grade, else given.
    """

    release: Label
    capability: Label
    wanted: int | None
    given: int
    cannot_grade: int
    late: int
    invalid: int
    missing: int | None


@dataclass(frozen=True, slots=True)
class Coverage:
    rows: tuple[CoverageRow, ...]
    total: CoverageRow

    def plain(self) -> Plain:
        return plain(self)


def coverage(
    ratings: pd.DataFrame,
    *,
    wanted: Mapping[tuple[Any, Any], int] | None = None,
    purposes: Collection[str] | None = None,
) -> Coverage:
    """Count grades against what was wanted, over the rows in scope, valid or not.

    Args:
        ratings: the unfiltered ratings frame.
        wanted: grades wanted (items × criteria × seats) by release and capability; None where
            nobody planned, as in an imported round. A combination that is not named wants none.
        purposes: of round items, where others than the usual ones are looked at.

    Raises:
        ValueError: a wanted count is negative.
    """
    if wanted and min(wanted.values()) < 0:
        raise ValueError("A wanted number of grades is negative.")
    counts = _counts(frame.in_scope(ratings, purposes=purposes))
    keys = sorted({*counts, *(wanted or {})}, key=_sort_key)
    rows = tuple(
        _row(key, counts.get(key, (0, 0, 0, 0)), None if wanted is None else wanted.get(key, 0))
        for key in keys
    )
    return Coverage(rows, _total(rows, planned=wanted is not None))


def _counts(rows: pd.DataFrame) -> dict[tuple[Label, Label], tuple[int, int, int, int]]:
    late = rows["late"].to_numpy()
    invalid = ~rows["valid"].to_numpy()
    no_mark = (rows["outcome"] == CANNOT_GRADE).to_numpy() | rows["value"].isna().to_numpy()
    place = np.select([late, invalid, no_mark], [2, 3, 1], default=0)
    keyed = pd.DataFrame(
        {"release": rows["release"], "capability": rows["capability"], "place": place}
    )
    sizes = keyed.groupby(["release", "capability", "place"], observed=True, dropna=False).size()
    counted: dict[tuple[Label, Label], list[int]] = {}
    found = zip(sizes.index.to_list(), sizes.to_list(), strict=True)
    for (release, capability, at), n in found:
        key = (release, None if pd.isna(capability) else capability)
        counted.setdefault(key, [0, 0, 0, 0])[at] = int(n)
    return {key: (n[0], n[1], n[2], n[3]) for key, n in counted.items()}


def _sort_key(key: tuple[Label, Label]) -> tuple[str, bool, str]:
    return str(key[0]), key[1] is not None, str(key[1])


def _row(
    key: tuple[Label, Label], counts: tuple[int, int, int, int], wanted: int | None
) -> CoverageRow:
    given, cannot, late, invalid = counts
    missing = None if wanted is None else max(0, wanted - given - cannot)
    return CoverageRow(key[0], key[1], wanted, given, cannot, late, invalid, missing)


def _total(rows: tuple[CoverageRow, ...], *, planned: bool) -> CoverageRow:
    def added(name: str) -> int:
        return sum(getattr(row, name) or 0 for row in rows)

    return CoverageRow(
        None,
        None,
        added("wanted") if planned else None,
        added("given"),
        added("cannot_grade"),
        added("late"),
        added("invalid"),
        added("missing") if planned else None,
    )
