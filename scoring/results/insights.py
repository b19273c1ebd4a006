"""Figures about the grades themselves: agreement, disputes, raters. Loads pandas: workers only."""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, cast

import pandas as pd

from annotation.common import draws as seeds
from annotation.rounds import repeats
from annotation.rounds.models import Round, RoundItem
from annotation.rubrics.models import Criterion
from scoring.figures import selected
from scoring.figures import snapshots as ratings
from scoring.stats import frame
from scoring.stats.people import agreement, disputes, icc, raters, severity, strata
from scoring.stats.people.disputes import RaterDispute
from scoring.stats.people.strata import Stratum
from scoring.stats.plain import Plain, plain
from scoring.stats.resampled import units
from scoring.stats.resampled.exact import Label
from scoring.stats.scores import planning, scores

#: Steps of a scale that are counted as levels; a finer scale has those that were used.
MOST_LEVELS = 21


def agreement_of(round_: Round, params: Mapping[str, Any]) -> Plain:
    """Return agreement by capability and criterion, over all, by pair, and without each rater.

    Raters, capabilities and criteria go by their keys. What spans several criteria is the mean over
    them. `kappa` of the params is the weighting of κ of pairs.
    """
    everything = ratings.table([round_])
    counted = frame.default_filter(everything)
    seed = seeds.integer(round_.seed, "agreement", below=2**32)
    scales = _levels(round_)
    names = tuple(params.get("names", agreement.DEFAULT))
    held = list(_parts(counted, scales))
    parts = [
        {
            **where,
            "agreement": agreement.agreement(one.units, names=names, seed=seed).plain(),
            "icc": icc.intraclass(one.units, seed=seed).plain(),
        }
        for where, one in held
    ]
    whole = [one for _where, one in held]
    again = [one for _where, one in _parts(_again(everything), scales)]
    people = counted["rater"].cat.categories.tolist()
    return {
        "parts": cast("list[Plain]", parts),
        "overall": strata.together(whole, names=names, seed=seed).plain(),
        "again": strata.together(again, names=names, seed=seed).plain(),
        "has_repeats": repeats.has_any(round_),
        "pairs": [
            {
                **cast("dict[str, Plain]", one.plain()),
                "left": people[one.left],
                "right": people[one.right],
            }
            for one in strata.between(whole, weights=params.get("kappa", "quadratic"), seed=seed)
        ],
        "without": [
            {"rater": people[rater], "value": one.value, "change": one.change}
            for rater, one in strata.leave_one_out(whole).items()
        ],
        "disagreement": plain(disputes.disagreements(counted)),
    }


def disputes_of(round_: Round, params: Mapping[str, Any]) -> Plain:
    """Return who stands alone where, which questions divide their raters, and every such place.

    Args:
        round_: whose grades.
        params: `rater`, `question`, `far`, `share`, `span`, `w1`, `w2` of the rules; `weights` of
            capabilities by key.
    """
    counted = frame.default_filter(ratings.table([round_]))
    rules = disputes.Rules(
        rater=params.get("rater", "alone"),
        question=params.get("question", "near_half"),
        far=float(params.get("far", 2)),
        share=float(params.get("share", 0.4)),
        span=float(params.get("span", 2)),
        w1=Fraction(params.get("w1", "1/2")),
        w2=Fraction(params.get("w2", "1/2")),
    )
    weights: dict[Label, Fraction] = {
        int(key): Fraction(value) for key, value in params.get("weights", {}).items()
    }
    found = disputes.disputes(counted, rules=rules, weights=weights)
    return {**cast("dict[str, Plain]", found.plain()), "raters": _by_rater(found.raters)}


def _by_rater(rows: Sequence[RaterDispute]) -> list[Plain]:
    """Return the lines of each rater together, the last of each marked as that over all."""
    by_rater: dict[Label, list[RaterDispute]] = {}
    for row in rows:
        by_rater.setdefault(row.rater, []).append(row)
    return [
        {"overall": row is mine[-1], **cast("dict[str, Plain]", plain(row))}
        for mine in by_rater.values()
        for row in mine
    ]


def raters_of(round_: Round, params: Mapping[str, Any]) -> Plain:
    """Return severity with fair scores, consistency, drift, pace beside disputes, effect of position."""
    everything = ratings.table([round_])
    counted = frame.default_filter(everything)
    given = everything["grade_kind"] == "GIVEN"
    wanted = given & everything["valid"] & ~everything["late"]
    valid = everything if wanted.all() else everything[wanted]
    times = raters.seats(counted)
    severities = severity.severities(counted)
    fair = [
        {**cast("dict[str, Plain]", plain(one)), "shift": one.fair - one.raw}
        for one in severities.releases
    ]
    return {
        "severity": {
            **cast("dict[str, Plain]", severities.plain()),
            "releases": cast("list[Plain]", fair),
        },
        "retest": plain(raters.retest(valid, drawn=repeats.has_any(round_))),
        "drift": plain(raters.drift(counted)),
        "position": raters.position_effect(counted).plain(),
        "pace": plain(raters.pace(counted, times=times)),
        "tempo": plain(raters.tempo(counted, disputes.disputes(counted, most=0), times=times)),
    }


def plan_of(round_: Round, params: Mapping[str, Any]) -> Plain:
    """Return how many questions and raters the next round needs, with this one as pilot.

    Args:
        round_: the pilot.
        params: `delta` in points of percent, `power`; for the learning curve `width`, the interval
            that would be narrow enough, in points, and `weights` of capabilities by key.
    """
    counted = frame.default_filter(ratings.table([round_]))
    found = planning.components(counted)
    delta = float(params.get("delta", 5)) / 100
    made = planning.plan(found, delta=delta, power=float(params.get("power", 0.8)))
    needs = [
        {
            **cast("dict[str, Plain]", plain(one)),
            "n_grades": one.n_questions and one.n_questions * one.n_raters,
        }
        for one in made.needs
    ]
    return {
        **cast("dict[str, Plain]", made.plain()),
        "needs": cast("list[Plain]", needs),
        "width": float(params.get("width", 10)),
        "curves": _curves(round_, counted, params),
    }


def _curves(round_: Round, counted: pd.DataFrame, params: Mapping[str, Any]) -> Plain:
    """Return how the interval of each release's overall score narrows with questions."""
    chosen = selected.Selected(round_, params)
    scored = scores.scores(
        counted,
        weights=chosen.weights,
        criterion_weights=chosen.criterion_weights,
    )
    enough = float(params.get("width", 10)) / 100
    rows = [scored.find(release) for release in scored.releases]
    return plain(
        [
            planning.course(
                row.these.low,
                row.these.high,
                row.n_questions,
                release=row.release,
                enough=enough,
                reason=row.reason or row.these.interval_reason,
            )
            for row in rows
        ]
    )


def _levels(round_: Round) -> dict[tuple[str, float, float], list[float]]:
    """Return the levels of every scale in the round, used or not."""
    versions = RoundItem.objects.filter(round=round_).order_by().values("rubric_version_id")
    made: dict[tuple[str, float, float], list[float]] = {}
    for one in Criterion.objects.filter(rubric_version__in=versions.distinct()):
        low, high = one.ends
        if one.step and (high - low) / one.step < MOST_LEVELS:
            n = int((high - low) / one.step)
            steps = [float(low + Decimal(i) * one.step) for i in range(n + 1)]
            made[one.key, float(low), float(high)] = steps
    return made


def _parts(
    counted: pd.DataFrame, scales: Mapping[tuple[str, float, float], list[float]]
) -> Iterator[tuple[dict[str, Plain], Stratum]]:
    by = ["capability", "criterion", "scale_min", "scale_max"]
    narrow = counted[list(dict.fromkeys([*by, *units.COLUMNS]))]
    for key, rows in narrow.groupby(by, observed=True, dropna=False):
        capability, criterion, low, high = cast("tuple[Any, Any, float, float]", key)
        known = scales.get((str(criterion), float(low), float(high)))
        where: dict[str, Plain] = {
            "capability": None if capability != capability else int(capability),
            "criterion": str(criterion),
            "scale": [float(low), float(high)],
        }
        yield where, strata.from_ratings(rows, levels=known)


def _again(everything: pd.DataFrame) -> pd.DataFrame:
    """Return what raters graded twice: their first and second marks stand as two raters."""
    given = everything["grade_kind"] == "GIVEN"
    stands = everything["valid"] & ~everything["late"] & everything["value"].notna()
    rows = everything[given & stands]
    first, second = (rows[rows["occasion"] == n] for n in (1, 2))
    key = ["rater", "response", "criterion"]
    first = first.merge(second[key], on=key)
    twice = pd.concat([first, second.merge(first[key], on=key)], ignore_index=True)
    unit = twice["rater"].cat.codes.astype(str) + "/" + twice["response"].cat.codes.astype(str)
    occasion = pd.Categorical(twice["occasion"].astype(str))
    return twice.assign(rater=occasion, response=pd.Categorical(unit))
