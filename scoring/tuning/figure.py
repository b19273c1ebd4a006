"""How a try of a judge agrees with people, and where it does not. Loads pandas: workers only."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from annotation.common import draws as seeds
from annotation.rounds.models import Round, RoundItem
from annotation.rubrics.models import Criterion
from scoring.beside import columns
from scoring.beside.columns import ComparedColumns, PeopleChoice
from scoring.engine.models import Judgment, Run
from scoring.stats.judges import blocks, coefficients, intervals, levels
from scoring.stats.plain import Plain, plain
from scoring.stats.resampled import exact
from scoring.stats.resampled.linear import FloatArray
from scoring.tuning.said import Agreed, Apart, Ceiling, OfCriterion, TuningFigure

RESAMPLES = 1000
#: So many disagreements can be looked through.
MOST_APART = 5_000
#: A scale without steps counts as one of so many.
FINE = 10


def tuning_of(round_: Round, params: Mapping[str, Any]) -> Plain:
    """Return a run of a judge beside the people of its round, on the answers that it judged alone.

    Args:
        round_: whose people graded.
        params: `run`, the key of the run.
    """
    run = Run.objects.get(project=round_.project_id, round=round_, pk=params["run"])
    known = columns.columns(PeopleChoice((round_,)), [])
    own, judged = _own(run), _judged(run)
    seed = seeds.integer(round_.seed, "tuning", below=2**32)
    made = [
        _of_criterion(round_, key, pks, judged, known, seed)
        for key, pks in own.items()
        if key in known.people
    ]
    return plain(TuningFigure(tuple(made)))


Scores = Mapping[tuple[int, int], float | None]


def _own(run: Run) -> dict[str, tuple[int, ...]]:
    """Return the judge's own criteria by the key of people's."""
    found: dict[str, set[int]] = {}
    for spec in run.steps.order_by("ordinal").values_list("spec", flat=True):
        for key, pk in spec.get("criteria", {}).items():
            found.setdefault(key, set()).add(pk)
    return {key: tuple(sorted(pks)) for key, pks in found.items()}


def _judged(run: Run) -> Scores:
    """Return the scores of a run by response and the judge's own criterion; None where it gave none."""
    rows = Judgment.objects.filter(run=run, repeat=0, target_index__isnull=True)
    return {
        (response, criterion): value
        for response, criterion, value in rows.values_list("response_id", "criterion_id", "value")
    }


def _of_criterion(
    round_: Round, key: str, own: tuple[int, ...], judged: Scores, known: ComparedColumns, seed: int
) -> OfCriterion:
    human = known.people[key]
    values = np.full(len(known.response), np.nan)
    inside = np.zeros(len(known.response), dtype=np.bool_)
    for place, response in enumerate(known.response):
        found = [judged[response, pk] for pk in own if (response, pk) in judged]
        inside[place] = bool(found)
        values[place] = np.nan if not found or found[0] is None else found[0]
    there = inside & (human.count > 0)
    mean = np.where(there, columns.human_means(human), np.nan)
    gap = values - mean
    least = _least(round_, key)
    return OfCriterion(
        criterion=key,
        own=own,
        agreement=_agreed(known, values, mean, seed),
        people=_ceiling(known, np.where(there, human.marks, np.nan)),
        shift=float(np.nanmean(gap)) if np.isfinite(gap).any() else None,
        n_unscored=int((there & np.isnan(values)).sum()),
        least=least,
        n_apart=int((np.abs(np.nan_to_num(gap)) >= least).sum()),
        apart=_apart(known, mean, values, gap, least),
    )


def _agreed(known: ComparedColumns, judge: FloatArray, people: FloatArray, seed: int) -> Agreed:
    pairs = levels.pairs(known.rows, exact.values(judge), exact.values(people))
    (point,) = coefficients.correlations(pairs, "pooled", names=("pearson",))
    (ends,) = intervals.resampled(
        pairs, "pooled", names=("pearson",), resamples=RESAMPLES, seed=seed
    )
    return Agreed(
        value=point.value,
        low=ends.low,
        high=ends.high,
        n=pairs.n,
        n_questions=len(pairs.groups),
        reason=point.reason,
        interval_reason=ends.reason,
    )


def _ceiling(known: ComparedColumns, marks: FloatArray) -> Ceiling:
    (found,) = blocks.ceilings(known.rows, marks, "pooled", names=("pearson",))
    return Ceiling(found.value, found.low, found.high, found.reason)


def _least(round_: Round, key: str) -> float:
    """Return from which gap on two marks differ: half a level of people's scale."""
    versions = RoundItem.objects.filter(round=round_).order_by().values("rubric_version")
    scale = Criterion.objects.filter(rubric_version__in=versions, key=key)[0].scale
    step = scale.step or (scale.maximum - scale.minimum) / FINE
    return float(step) / 2


def _apart(
    known: ComparedColumns, people: FloatArray, judge: FloatArray, gap: FloatArray, least: float
) -> tuple[Apart, ...]:
    far = np.flatnonzero(np.abs(np.nan_to_num(gap)) >= least)
    order = far[np.argsort(-np.abs(gap[far]), kind="stable")][:MOST_APART]
    return tuple(
        Apart(
            response=known.response[at],
            item=known.item[at],
            release=known.release[at],
            people=float(people[at]),
            judge=float(judge[at]),
            gap=float(gap[at]),
        )
        for at in order.tolist()
    )
