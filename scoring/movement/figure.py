"""The grades of two rounds, and why those of one system moved. Loads pandas: workers only.

* Every system over the rounds of a project, and what changed between them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal, cast

import numpy as np
import numpy.typing as npt
import pandas as pd

from annotation.common import draws as seeds
from annotation.rounds import sameness
from annotation.rounds.models import Round
from annotation.rounds.sameness import Movement
from scoring.figures import snapshots as ratings
from scoring.figures import weights
from scoring.figures.labels import NONE
from scoring.figures.selected import Selected
from scoring.movement.causes import TrendFigure, TrendPoint, TrendStep
from scoring.stats import frame
from scoring.stats.claims import Claim, ClaimScore
from scoring.stats.plain import Plain, plain
from scoring.stats.resampled.linear import IntArray
from scoring.stats.scores import fluctuation, scores
from scoring.stats.scores.fluctuation import BoolArray, TwoRounds

ObjectArray = npt.NDArray[np.object_]

#: Marks have four decimals at most, so their sums stay whole numbers.
UNIT = 10_000
Which = Literal["score", "accuracy"]


@dataclass(frozen=True)
class _MovedGrades:
    """What was graded in both rounds: who answered, what is the same, and what everything weighs."""

    later: Round
    systems: Mapping[int, int]  # of every release
    moved: Mapping[int, Movement]  # of every system that took part in both
    of: int
    capabilities: Mapping[str, Any]
    criteria: Mapping[str, Any]

    def weight(self, capability: object, criterion: object) -> tuple[Fraction, Fraction]:
        """Return what a capability weighs, and what a criterion weighs within it."""
        key = NONE if capability is None or pd.isna(cast("Any", capability)) else str(capability)
        inner = self.criteria.get(f"{key}.{criterion}", 1)
        return Fraction(self.capabilities.get(key, 1)), Fraction(inner)


def fluctuation_of(round_: Round, params: Mapping[str, Any]) -> Plain:
    """Return the causes of a system's movement up to a round, for score and accuracy.

    Each is given of all, of every capability and of every criterion. Other systems' grades say who
    became stricter; the score is that which the rounds show, by the stored weights.

    Args:
        round_: the later round.
        params: `before`, the number of the earlier round; `system` by its key; `resamples`;
            `weights` and `criteria` as those of scores.
    """
    before, of = round_.project.rounds.get(number=params["before"]), int(params["system"])
    met = _met((before, round_), of, params)
    counted = frame.default_filter(ratings.table([before, round_]))
    rows = counted[counted["value"].notna()]
    mine = rows[_answered_by(rows, met) == of]
    capabilities = sorted(mine["capability"].dropna().unique().tolist())
    criteria = sorted(mine["criterion"].astype(object).unique().tolist())
    spots: list[tuple[int | None, str | None]] = [(None, None)]
    spots += [(None, one) for one in criteria if len(criteria) > 1]
    spots += [(one, None) for one in capabilities]
    return {
        "before": before.number,
        "after": round_.number,
        "pairs": _counts(met.moved[of]),
        "figures": [
            _figure(rows, met, which, spot, params)
            for which in ("score", "accuracy")
            for spot in spots
        ],
    }


def _met(both: tuple[Round, Round], of: int, params: Mapping[str, Any]) -> _MovedGrades:
    systems = {
        one.release_id: one.release.system_id
        for round_ in both
        for one in round_.systems.select_related("release")
    }
    took_part = [set(one.systems.values_list("release__system", flat=True)) for one in both]
    return _MovedGrades(
        both[1],
        systems,
        {one: sameness.movement(*both, one) for one in took_part[0] & took_part[1]},
        of,
        params.get("weights", {}),
        params.get("criteria", {}),
    )


def _answered_by(rows: pd.DataFrame, met: _MovedGrades) -> IntArray:
    """Return the system of every grade."""
    found: IntArray = np.array(
        [met.systems[int(one)] for one in rows["release"].tolist()], dtype=np.int64
    )
    return found


def _figure(
    rows: pd.DataFrame,
    met: _MovedGrades,
    which: str,
    spot: tuple[int | None, str | None],
    params: Mapping[str, Any],
) -> Plain:
    capability, criterion = spot
    some = rows
    if capability is not None:
        some, met = rows[rows["capability"] == capability], replace(met, capabilities={})
    if criterion is not None:
        some, met = rows[rows["criterion"] == criterion], replace(met, criteria={})
    made: dict[str, Plain] = {"figure": which, "capability": capability, "criterion": criterion}
    try:
        rounds = two_rounds(some, met, cast("Which", which))
    except ValueError as problem:
        nothing: dict[str, Plain] = {"methods": {}, "intervals": {}, "scenarios": []}
        return {**made, **nothing, "problem": str(problem)}
    seed = seeds.generator(met.later.seed, "fluctuation")
    resamples = int(params.get("resamples", 300 if capability is None else 0))
    methods = {name: plain(find(rounds)) for name, find in fluctuation.METHODS.items()}
    intervals = fluctuation.intervals(rounds, resamples=resamples, seed=seed) if resamples else {}
    return {
        **made,
        "problem": "",
        "methods": cast("dict[str, Plain]", methods),
        "intervals": plain(intervals),
        "scenarios": plain(fluctuation.scenarios(rounds)),
    }


def two_rounds(rows: pd.DataFrame, met: _MovedGrades, which: Which) -> TwoRounds:
    """Return grades of two rounds as columns of the decompositions.

    Args:
        rows: of the ratings frame, with values, of both rounds and all systems.
        met: which questions and responses are the same, and whose score is looked at.
        which: marks as shares of the scale, or whether they pass; criteria without a pass mark
            have no place in the latter.

    Raises:
        ValueError: a round has no such grades.
    """
    top, base, known = _marks(rows, which)
    rows, top, base = rows[known], top[known], base[known]
    later = (rows["round"] == met.later.number).to_numpy()
    system = _answered_by(rows, met)
    question, content = _labels(rows, met, system, later)
    part, weights = _parts(rows, met, system == met.of, later)
    return TwoRounds(
        _codes(question),
        _codes(content),
        _codes(rows["rater"].astype(object).to_numpy()),
        later,
        top,
        base,
        system == met.of,
        part,
        weights,
    )


def _marks(rows: pd.DataFrame, which: Which) -> tuple[IntArray, IntArray, BoolArray]:
    """Return marks above the minimum, what they could be at most, and which of them can be used."""
    low, high, value = (
        rows[name].to_numpy(np.float64) for name in ("scale_min", "scale_max", "value")
    )
    if which == "accuracy":
        mark = rows["pass_at"].to_numpy(np.float64)
        from_zero = np.isnan(mark) & (low == 0)
        top = np.where(from_zero, value > 0, value >= mark).astype(np.int64)
        return top, np.ones(len(rows), dtype=np.int64), from_zero | ~np.isnan(mark)
    known = np.isfinite(high - low) & (high > low)
    width = np.where(known, high - low, 1.0)
    top = np.where(known, np.rint((value - low) * UNIT), 0).astype(np.int64)
    return top, np.rint(width * UNIT).astype(np.int64), known


def _parts(
    rows: pd.DataFrame, met: _MovedGrades, mine: BoolArray, later: BoolArray
) -> tuple[IntArray, tuple[tuple[Fraction, ...], ...]]:
    """Return the part of every grade, a criterion of a capability, and what parts weigh in each round.

    Within a capability the criteria that a round has share its weight, as in the scores of the round.
    """
    columns = [rows[name].astype(object).to_numpy() for name in ("capability", "criterion")]
    spots = np.empty(len(rows), dtype=object)
    spots[:] = [(None if pd.isna(one) else one, other) for one, other in zip(*columns, strict=True)]
    part = _codes(spots)
    there = list(dict.fromkeys(spots.tolist()))
    weights = []
    for side in (0, 1):
        present = set(spots[mine & (later == bool(side))].tolist())
        inner: dict[Any, Fraction] = {}
        for spot in present:
            inner[spot[0]] = inner.get(spot[0], Fraction(0)) + met.weight(*spot)[1]
        weights.append(tuple(_share(met.weight(*one), inner.get(one[0])) for one in there))
    return part, tuple(weights)


def _share(weight: tuple[Fraction, Fraction], of_all: Fraction | None) -> Fraction:
    return weight[0] * weight[1] / of_all if of_all else Fraction(0)


def _labels(
    rows: pd.DataFrame, met: _MovedGrades, system: IntArray, later: BoolArray
) -> tuple[ObjectArray, ObjectArray]:
    """Return labels of question and content, equal in both rounds where they are the same."""
    pairs = [(key, one) for key, moved in met.moved.items() for one in moved.pairs]
    same_question = {one.group for _key, one in pairs if one.question.same}
    same_content = {
        (key, one.group) for key, one in pairs if one.question.same and one.response.same
    }
    groups = rows["group"].astype(object).tolist()
    criteria = rows["criterion"].astype(object).tolist()
    scales = zip(rows["scale_min"].tolist(), rows["scale_max"].tolist(), strict=True)
    question = np.empty(len(rows), dtype=object)
    content = np.empty(len(rows), dtype=object)
    together = zip(groups, system.tolist(), criteria, scales, later.tolist(), strict=True)
    for place, (group, by, criterion, scale, second) in enumerate(together):
        question[place] = (group, -1 if group in same_question else int(second))
        at = -1 if (by, group) in same_content else int(second)
        content[place] = (group, by, at, criterion, scale)
    return question, content


def _codes(labels: ObjectArray) -> IntArray:
    place: dict[Any, int] = {}
    return np.array([place.setdefault(label, len(place)) for label in labels], dtype=np.int64)


def _counts(moved: Movement) -> dict[str, Plain]:
    return {
        "common": len(moved.pairs),
        "same_questions": sum(one.question.same for one in moved.pairs),
        "same_responses": sum(one.question.same and one.response.same for one in moved.pairs),
        "gone": len(moved.gone),
        "new": len(moved.new),
        "open": moved.n_open,
    }


def trend_of(round_: Round, params: Mapping[str, Any]) -> Plain:
    """Return the scores of every system in some rounds, and what changed from each to the next.

    Args:
        round_: the last of the rounds.
        params: `rounds` by number.
    """
    wanted = Round.objects.filter(project=round_.project_id, number__in=params["rounds"])
    told = [
        (one, Selected(one, weights.weights_of(one).params)) for one in wanted.order_by("number")
    ]
    points = [point for one, selected in told for point in _points_of(one, selected)]
    graded = [(one, selected.counted.dropna(subset=["value"])) for one, selected in told]
    known = [(one, rows) for one, rows in graded if len(rows)]
    steps = tuple(_step(known, place) for place in range(1, len(known)))
    return plain(TrendFigure(tuple(points), steps))


def _step(known: Sequence[tuple[Round, pd.DataFrame]], place: int) -> TrendStep:
    """Return the step from the last round that this one can be compared with; else from the one before."""
    after, second = known[place]
    steps = (
        step_between(before.number, first, after.number, second)
        for before, first in reversed(known[:place])
    )
    found = list(steps)
    return next((one for one in found if not one.broken), found[0])


def _points_of(round_: Round, selected: Selected) -> Sequence[TrendPoint]:
    rows = selected.counted
    if rows["value"].isna().all():
        return []
    scored = scores.scores(
        rows, weights=selected.weights, criterion_weights=selected.criterion_weights
    )
    claim = Claim.of(int(rows.dropna(subset=["value"])["rater"].nunique()))
    return [_point(round_, one, claim) for one in scored.rows if one.level == "overall"]


def _point(round_: Round, one: ClaimScore, claim: Claim) -> TrendPoint:
    ends = one.others if claim is Claim.OTHERS else one.these
    return TrendPoint(
        round=round_.number,
        release=int(str(one.release)),
        figure=one.figure,
        value=one.value,
        low=ends.low,
        high=ends.high,
        n_questions=one.n_questions,
        n_raters=one.n_raters,
    )


def step_between(before: int, first: pd.DataFrame, after: int, second: pd.DataFrame) -> TrendStep:
    """Return what changed between two rounds, from the grades that count in each."""
    asked, raters, rubrics = (
        [set(rows[name].astype(object)) for rows in (first, second)]
        for name in ("group", "rater", "rubric_version")
    )
    criteria = [
        set(rows[["criterion", "scale_min", "scale_max"]].itertuples(index=False, name=None))
        for rows in (first, second)
    ]
    common = asked[0] & asked[1]
    broken = "questions" if not common else ""
    return TrendStep(
        before=before,
        after=after,
        common=len(common),
        gone=len(asked[0] - common),
        new=len(asked[1] - common),
        stayed=len(raters[0] & raters[1]),
        left=len(raters[0] - raters[1]),
        joined=len(raters[1] - raters[0]),
        rubrics=rubrics[0] != rubrics[1],
        broken="criteria" if criteria[0] != criteria[1] else broken,
    )
