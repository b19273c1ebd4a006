"""The one table of ratings: built here, read by every statistic, dashboard and export.

* Write the ratings of a final round once as columns: figures then read those.
"""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd
from django.db import transaction

from annotation.grading import facts as grade_table
from annotation.rounds.models import Round
from scoring.figures import operations as judgments
from scoring.figures.models import Snapshot
from scoring.stats import frame
from scoring.stats import frame as joining

#: The frames of the rounds that were read last, by what their grades were then.
_KEPT: dict[str, pd.DataFrame] = {}
MOST_KEPT = 2


def table(rounds: Sequence[Round], *, judged_by: Sequence[int] = ()) -> pd.DataFrame:
    """Return the ratings of these rounds as the typed frame. Loads pandas: workers only.

    A single final round is read from its snapshot, where there is one; a worker keeps the last
    two of those. Nobody may write into the frame.

    Args:
        rounds: whose grades; figures about people ask for nothing else.
        judged_by: keys of judges and metrics, all of whose judgments stand below the grades.
    """
    grades = unpacked(rounds[0]) if len(rounds) == 1 else None
    if grades is None:
        grades = from_rows(rounds)
    if not judged_by:
        return grades
    return joining.joined([grades, frame.frame(judgments.columns(judged_by))])


def version(rounds: Sequence[Round], *, judged_by: Sequence[int] = ()) -> str:
    """Return what changes whenever anything in the table does."""
    parts = [grade_table.version(one) for one in rounds]
    return "+".join([*parts, judgments.version(judged_by)] if judged_by else parts)


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
        frame = joining.unpacked(bytes(data))
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
    """Return the ratings of these rounds, read page by page from the rows.

    Items, releases, capabilities, raters and responses are named by their keys, so that a new name
    changes no figure. Only numbers are kept of a page, so that a million rows fit.
    """
    known = grade_table.facts(rounds)
    pages = [_page(known, found) for found in grade_table.pages(known, page=PAGE)]
    return frame.frame(_columns(known, pages))


PAGE = 20_000
#: Of `grade_table.COLUMNS`: those that are keys or small numbers, 0 or −1 where there is none.
KEYS = {"round": 1, "item": 2, "release": 3, "response": 4, "criterion": 5, "rater": 6}
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
NO_TIME = np.iinfo(np.int64).min  # what NaT is

_Page: TypeAlias = "dict[str, npt.NDArray[Any]]"


def _page(known: grade_table.Facts, found: Sequence[tuple[Any, ...]]) -> _Page:
    columns = list(zip(*found, strict=True))
    position, seat, kind, outcome, _reason, value, at, active_ms, late, against = columns[8:18]
    made: _Page = {name: np.array(columns[n], dtype=np.int64) for name, n in KEYS.items()}
    made["position"] = np.array([-1 if one is None else one for one in position], dtype=np.int16)
    made["against"] = np.array([one or 0 for one in against], dtype=np.int64)
    made["seat"] = np.array([one or 0 for one in seat], dtype=np.int64)
    made["grade_kind"] = np.array(kind, dtype="U11")
    made["outcome"] = np.array(outcome, dtype="U12")
    for name, numbers in (("value", value), ("active_ms", active_ms)):
        made[name] = np.array([np.nan if one is None else one for one in numbers], np.float64)
    moments = [NO_TIME if one is None else (one - EPOCH) // MICROSECOND for one in at]
    made["at"] = np.array(moments, dtype=np.int64)
    made["late"] = np.array(late, dtype=np.bool_)
    valid = [grade_table.is_valid(known, one) for one in found] if known.struck else True
    made["valid"] = np.full(len(found), valid, dtype=np.bool_)
    return made


def _columns(known: grade_table.Facts, pages: list[_Page]) -> dict[str, Any]:
    """Return the columns of the frame; what a key stands for is looked up once for each key."""
    made: dict[str, Any] = {}
    criteria: tuple[list[Any], npt.NDArray[np.intp]] = [], np.zeros(0, dtype=np.intp)
    for source, takes in _TAKES.items():
        keys, place = _joined(pages, source)
        facts = [_FACTS[source](known, key) for key in keys]
        if source == "criterion":
            criteria = facts, place
        for name, take in takes.items():
            labels, kind = [take(one) for one in facts], frame.COLUMNS[name]
            coded = kind == frame.CODE
            made[name] = frame.spread(labels, place) if coded else np.array(labels, kind)[place]
    for name in ("value", "active_ms", "late", "valid"):
        made[name] = _taken(pages, name)
    made["label"] = _labels(*criteria, made["value"])
    moments = _taken(pages, "at").astype(np.int64, copy=False)
    made["at"] = pd.Series(moments.view("datetime64[us]")).dt.tz_localize("UTC")
    return made


def _labels(
    criteria: Sequence[grade_table.CriterionFacts],
    place: npt.NDArray[np.intp],
    values: npt.NDArray[np.float64],
) -> "pd.Categorical[Any]":
    """Return the words of the levels that were given, where a level has one."""
    words: list[str | None] = [None]
    word = np.zeros(len(values), dtype=np.int32)
    for number, criterion in enumerate(criteria):
        for value, label in criterion.labels.items():
            word[(place == number) & (values == float(value))] = len(words)
            words.append(label)
    return frame.spread(words, word)


def _taken(pages: list[_Page], name: str) -> npt.NDArray[Any]:
    """Return a column of all pages, taking it out of them."""
    parts = [page.pop(name) for page in pages]
    return np.concatenate(parts) if parts else np.zeros(0)


def _joined(pages: list[_Page], name: str) -> tuple[list[Any], npt.NDArray[np.intp]]:
    """Return the different values of a column, and which of them each row has."""
    keys, place = np.unique(_taken(pages, name), return_inverse=True)
    return keys.tolist(), place.ravel()


def _itself(_known: grade_table.Facts, key: Any) -> Any:
    return key


_FACTS: dict[str, Callable[[grade_table.Facts, Any], Any]] = {
    "round": lambda known, key: known.rounds[key],
    "item": lambda known, key: known.items[key],
    "release": lambda known, key: known.releases[key],
    "response": _itself,
    "criterion": lambda known, key: known.criteria[key],
    "rater": lambda known, key: known.raters[key],
    "position": _itself,
    "against": _itself,
    "seat": lambda known, key: known.seats.get(key, grade_table.UNSEATED),
    "grade_kind": _itself,
    "outcome": _itself,
}
#: What the frame takes of each of them.
_TAKES: dict[str, dict[str, Callable[[Any], Any]]] = {
    "round": {"round": lambda one: one.number, "round_kind": lambda one: one.kind},
    "item": {
        "item": lambda one: one.pk,
        "group": lambda one: one.group,
        "capability": lambda one: one.capability_id,
        "difficulty": lambda one: one.difficulty or None,
        "domain": lambda one: one.domain or None,
        "priority": lambda one: one.priority or None,
    },
    "release": {"system": lambda one: one.system, "release": lambda one: one.pk},
    "response": {"response": lambda one: one},
    "criterion": {
        "criterion": lambda one: one.key,
        "rubric_version": lambda one: one.rubric_version,
        "scale_min": lambda one: one.scale_min,
        "scale_max": lambda one: one.scale_max,
        "pass_at": lambda one: one.pass_at,
        "mark": lambda one: one.mark,
    },
    "rater": {"rater": lambda one: one.pk, "rater_kind": lambda one: one.kind},
    "position": {"position": lambda one: None if one < 0 else one},
    "against": {"against": lambda one: one or None},
    "seat": {
        "purpose": lambda one: one.purpose,
        "occasion": lambda one: one.occasion,
        "inclusion_p": lambda one: one.inclusion_p,
    },
    "grade_kind": {"grade_kind": lambda one: one},
    "outcome": {"outcome": lambda one: one},
}


def ensure(*, round_: Round, now: datetime) -> Snapshot | None:
    """Return the snapshot of a final round as its grades are now; nothing for other rounds.

    It is built from the rows if it is not there or was written in another form; those of earlier
    revisions go.
    """
    if round_.state != Round.State.FINAL:
        return None
    version = grade_table.version(round_)
    found = Snapshot.objects.filter(ratings_sha=version).defer("data").first()
    if found is not None and unpacked(round_) is not None:
        return found
    frame = from_rows([round_])
    data = joining.packed(frame)
    with transaction.atomic():
        Snapshot.objects.filter(round=round_).delete()
        return Snapshot.objects.create(
            round=round_,
            ratings_sha=version,
            data=data,
            n_ratings=len(frame),
            created_at=now,
        )
