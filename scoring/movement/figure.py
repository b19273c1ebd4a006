"""The grades of one system in two rounds, and why they moved. Loads pandas: workers only."""

from collections.abc import Mapping
from typing import Any, Literal, cast

import numpy as np
import pandas as pd

from annotation.common import draws as seeds
from annotation.rounds import sameness
from annotation.rounds.models import Round
from annotation.rounds.sameness import Movement
from scoring.figures import snapshots as ratings
from scoring.stats import frame
from scoring.stats.plain import Plain, plain
from scoring.stats.scores import fluctuation
from scoring.stats.scores.fluctuation import TwoRounds

#: Marks have four decimals at most, so their sums stay whole numbers.
UNIT = 10_000
Which = Literal["score", "accuracy"]


def fluctuation_of(round_: Round, params: Mapping[str, Any]) -> Plain:
    """Return the causes of a system's movement up to a round, for score and accuracy.

    Args:
        round_: the later round.
        params: `before`, the number of the earlier round; `system` by its key; `resamples`.
    """
    before = round_.project.rounds.get(number=params["before"])
    moved = sameness.movement(before, round_, int(params["system"]))
    counted = frame.default_filter(ratings.table([before, round_]))
    releases = _releases((before, round_), int(params["system"]))
    mine = counted[counted["release"].isin(releases) & counted["value"].notna()]
    capabilities: list[int | None] = [None, *sorted(mine["capability"].dropna().unique().tolist())]
    return {
        "before": before.number,
        "after": round_.number,
        "pairs": _counts(moved),
        "figures": [
            _figure(mine, moved, which, capability, round_, params)
            for which in ("score", "accuracy")
            for capability in capabilities
        ],
    }


def _figure(
    rows: pd.DataFrame,
    moved: Movement,
    which: str,
    capability: int | None,
    round_: Round,
    params: Mapping[str, Any],
) -> Plain:
    some = rows if capability is None else rows[rows["capability"] == capability]
    made: dict[str, Plain] = {"figure": which, "capability": capability}
    try:
        rounds = two_rounds(some, moved, cast("Which", which))
    except ValueError as problem:
        nothing: dict[str, Plain] = {"methods": {}, "intervals": {}, "scenarios": []}
        return {**made, **nothing, "problem": str(problem)}
    seed = seeds.generator(round_.seed, "fluctuation")
    resamples = int(params.get("resamples", 300 if capability is None else 0))
    methods = {name: find(rounds).plain() for name, find in fluctuation.METHODS.items()}
    intervals = fluctuation.intervals(rounds, resamples=resamples, seed=seed) if resamples else {}
    return {
        **made,
        "problem": "",
        "methods": cast("dict[str, Plain]", methods),
        "intervals": plain(intervals),
        "scenarios": plain(fluctuation.scenarios(rounds)),
    }


def two_rounds(rows: pd.DataFrame, moved: Movement, which: Which) -> TwoRounds:
    """Return grades of one system in two rounds as columns of the decompositions.

    Args:
        rows: of the ratings frame, with values, of both rounds.
        moved: which questions and responses are the same.
        which: marks as shares of the scale, or whether they pass; criteria without a pass mark
            have no place in the latter.

    Raises:
        ValueError: a round has no such grades.
    """
    low, high, value = (
        rows[name].to_numpy(np.float64) for name in ("scale_min", "scale_max", "value")
    )
    if which == "accuracy":
        mark = rows["pass_at"].to_numpy(np.float64)
        from_zero = np.isnan(mark) & (low == 0)
        top = np.where(from_zero, value > 0, value >= mark).astype(np.int64)
        base = np.ones(len(rows), dtype=np.int64)
        known = from_zero | ~np.isnan(mark)
    else:
        known = np.isfinite(high - low) & (high > low)
        width = np.where(known, high - low, 1.0)
        top = np.rint((value - low) * UNIT).astype(np.int64)
        base = np.rint(width * UNIT).astype(np.int64)
    later = (rows["round"] == moved.after.number).to_numpy()
    question, content = _labels(rows, moved, later)
    return TwoRounds(
        _codes(question[known]),
        _codes(content[known]),
        _codes(rows["rater"].astype(object).to_numpy()[known]),
        later[known],
        top[known],
        base[known],
    )


def _labels(
    rows: pd.DataFrame, moved: Movement, later: "np.ndarray[tuple[int], np.dtype[np.bool_]]"
) -> tuple[
    "np.ndarray[tuple[int], np.dtype[np.object_]]", "np.ndarray[tuple[int], np.dtype[np.object_]]"
]:
    """Return labels of question and content, equal in both rounds where they are the same."""
    same_question = {one.group for one in moved.pairs if one.question.same}
    same_content = {one.group for one in moved.pairs if one.question.same and one.response.same}
    groups = rows["group"].astype(object).tolist()
    criteria = rows["criterion"].astype(object).tolist()
    scales = zip(rows["scale_min"].tolist(), rows["scale_max"].tolist(), strict=True)
    question = np.empty(len(rows), dtype=object)
    content = np.empty(len(rows), dtype=object)
    together = zip(groups, criteria, scales, later.tolist(), strict=True)
    for place, (group, criterion, scale, second) in enumerate(together):
        question[place] = (group, -1 if group in same_question else int(second))
        at = -1 if group in same_content else int(second)
        content[place] = (group, at, criterion, scale)
    return question, content


def _codes(
    labels: "np.ndarray[tuple[int], np.dtype[np.object_]]",
) -> "np.ndarray[tuple[int], np.dtype[np.int64]]":
    place: dict[Any, int] = {}
    return np.array([place.setdefault(label, len(place)) for label in labels], dtype=np.int64)


def _releases(rounds: tuple[Round, Round], system: int) -> list[int]:
    return [
        one.release_id
        for round_ in rounds
        for one in round_.systems.select_related("release")
        if one.release.system_id == system
    ]


def _counts(moved: Movement) -> dict[str, Plain]:
    return {
        "common": len(moved.pairs),
        "same_questions": sum(one.question.same for one in moved.pairs),
        "same_responses": sum(one.question.same and one.response.same for one in moved.pairs),
        "gone": len(moved.gone),
        "new": len(moved.new),
        "open": moved.n_open,
    }
