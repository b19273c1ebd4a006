"""The one table of ratings: built here, read by every statistic, dashboard and export."""

from collections.abc import Callable, Sequence
from typing import Any

import pandas as pd

from annotation.models import Round
from annotation.queries import grade_table
from annotation.queries.grade_table import GradeRow
from scoring.models import Snapshot
from scoring.stats import frame, packing

#: The frames of the rounds that were read last, by what their grades were then.
_KEPT: dict[str, pd.DataFrame] = {}
MOST_KEPT = 2


def table(rounds: Sequence[Round]) -> pd.DataFrame:
    """Return the ratings of these rounds as the typed frame. Loads pandas: workers only.

    A single final round is read from its snapshot, where there is one; a worker keeps the last
    two of those. Nobody may write into the frame.
    """
    if len(rounds) == 1 and (found := unpacked(rounds[0])) is not None:
        return found
    return from_rows(rounds)


def unpacked(round_: Round) -> pd.DataFrame | None:
    """Return the frame of a final round's snapshot; nothing if it has none that can be read."""
    if round_.state != Round.State.FINAL:
        return None
    version = grade_table.version(round_)
    if version in _KEPT:
        return _KEPT[version]
    data = Snapshot.objects.filter(ratings_sha=version).values_list("data", flat=True).first()
    if data is None:
        return None
    try:
        frame = packing.unpacked(bytes(data))
    except ValueError:
        return None  # of an older version of the program, or damaged: the rows are the record
    while len(_KEPT) >= MOST_KEPT:
        del _KEPT[next(iter(_KEPT))]
    _KEPT[version] = frame
    return frame


def forget() -> None:
    """Keep no frame any longer; the next reading looks again."""
    _KEPT.clear()


def from_rows(rounds: Sequence[Round]) -> pd.DataFrame:
    """Return the ratings of these rounds, read row by row.

    Items, releases, capabilities, raters and responses are named by their keys, so that a new name
    changes no figure.
    """
    known = grade_table.facts(rounds)
    columns: dict[str, list[Any]] = {name: [] for name in _TAKE}
    appends = [(columns[name].append, take) for name, take in _TAKE.items()]
    for row in grade_table.rows(known):
        for append, take in appends:
            append(take(row))
    return frame.frame(columns)


_TAKE: dict[str, Callable[[GradeRow], Any]] = {
    "round": lambda row: row.round.number,
    "round_kind": lambda row: row.round.kind,
    "item": lambda row: row.item.pk,
    "group": lambda row: row.item.group,
    "capability": lambda row: row.item.capability_id,
    "difficulty": lambda row: row.item.difficulty or None,
    "domain": lambda row: row.item.domain or None,
    "priority": lambda row: row.item.priority or None,
    "system": lambda row: row.release.system,
    "release": lambda row: row.release.pk,
    "response": lambda row: row.response_id,
    "criterion": lambda row: row.criterion.key,
    "rubric_version": lambda row: row.criterion.rubric_version,
    "rater": lambda row: row.rater.pk,
    "rater_kind": lambda row: row.rater.kind,
    "grade_kind": lambda row: row.grade_kind,
    "purpose": lambda row: row.seat.purpose,
    "occasion": lambda row: row.seat.occasion,
    "position": lambda row: row.position,
    "value": lambda row: row.value,
    "scale_min": lambda row: row.criterion.scale_min,
    "scale_max": lambda row: row.criterion.scale_max,
    "pass_at": lambda row: row.criterion.pass_at,
    "outcome": lambda row: row.outcome,
    "inclusion_p": lambda row: row.seat.inclusion_p,
    "at": lambda row: row.at,
    "active_ms": lambda row: row.active_ms,
    "late": lambda row: row.late,
    "valid": lambda row: row.valid,
}
