"""Figures about the grades themselves: agreement, disputes, raters. Loads pandas: workers only."""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any, TypeAlias, TypeVar, cast

import numpy as np
import pandas as pd

from annotation.common import draws as seeds
from annotation.common.scales import places
from annotation.rounds import repeats
from annotation.rounds.models import Round, RoundItem, RoundResponse
from annotation.rubrics.models import Criterion
from scoring.figures import selected, selection
from scoring.figures import snapshots as ratings
from scoring.publishing.models import Publication
from scoring.results.agreement import (
    AgreementFigure,
    AgreementOfGroups,
    AgreementPart,
    WithoutAnnotator,
)
from scoring.results.computing import label_names, way_of
from scoring.results.preferred import computing as preferred
from scoring.results.raters import RatersFigure
from scoring.stats import frame
from scoring.stats.people import agreement, disputes, raters, sets, severity, strata
from scoring.stats.people.said import AgreementTogether, DisputeRules
from scoring.stats.people.strata import UnitStratum
from scoring.stats.plain import Plain, Reason, plain
from scoring.stats.resampled import units
from scoring.stats.resampled.exact import Label
from scoring.stats.scores import differences, mixed, planning, sampled, scores
from scoring.stats.scores import groups as between
from scoring.stats.scores.said import (
    ModelDifference,
    ModelSystem,
    WholeDraw,
    WholeFigure,
    WholeSystem,
    WidthCurve,
)

#: Coefficients of labels, one of which is given: without weights.
OF_LABELS = ("alpha_nominal", "ac1", "fleiss", "raw")
#: Steps of a scale that are counted as levels; a finer scale has those that were used.
MOST_LEVELS = 21
#: The levels of a scale, by its criterion and ends.
Scales: TypeAlias = dict[tuple[str, float, float], list[float]]
#: A capability, a criterion and the ends of its scale.
Where: TypeAlias = tuple[int | None, str, tuple[float, float]]
Beside = TypeVar("Beside", ModelSystem, ModelDifference)


def agreement_of(round_: Round, params: Mapping[str, Any]) -> Plain:
    """Return agreement by capability and criterion, over all, by pair, and without each rater.

    Raters, capabilities and criteria go by their keys. What spans several criteria is the mean over
    them. Where nothing has a scale that is of labels: nominal, sets of them compared whole.

    Args:
        round_: whose grades.
        params: `kappa`, the weighting of κ of pairs; `groups` of raters by name, set beside each
            other, and `raters`, that of them whose grades alone count in everything else.
    """
    if round_.of_pairs:
        return preferred.agreement_of(round_, params)
    everything = ratings.table([round_])
    groups = params.get("groups", {})
    beside = frame.default_filter(everything)
    of_labels = not len(beside)
    marks = frame.LABELLED if of_labels else frame.MEASURED
    beside = frame.default_filter(everything, marks=marks)
    if chosen := params.get("raters"):
        everything = _of(everything, groups[chosen])
    counted = frame.default_filter(everything, marks=marks) if chosen else beside
    seed = seeds.integer(round_.seed, "agreement", below=2**32)
    scales = _levels(round_)
    names = OF_LABELS if of_labels else tuple(params.get("names", agreement.DEFAULT))
    usual: agreement.Metric = "nominal" if of_labels else "ordinal"
    weights: agreement.Weights = "nominal" if of_labels else params.get("kappa", "quadratic")
    held = list(_parts(counted, scales))
    whole = [one for _where, one in held]
    again = [one for _where, one in _parts(_again(frame.measured(everything, marks)), scales)]
    people = counted["rater"].cat.categories.tolist()
    labelled = frame.default_filter(everything, marks=frame.LABELLED)
    found = AgreementFigure(
        (
            *(
                AgreementPart(
                    *where,
                    agreement.agreement(one.units, names=names, seed=seed),
                    agreement.intraclass(one.units, seed=seed),
                    "",
                    (),
                )
                for where, one in ([] if of_labels else held)
            ),
            *_of_labels(labelled, label_names(round_) if len(labelled) else {}, seed),
        ),
        strata.together(whole, names=names, seed=seed),
        strata.together(again, names=names, seed=seed),
        repeats.has_any(round_),
        tuple(
            replace(one, left=people[one.left], right=people[one.right])
            for one in strata.between(whole, weights=weights, seed=seed)
        ),
        tuple(
            WithoutAnnotator(people[rater], one.value, one.change)
            for rater, one in strata.leave_one_out(whole, f"alpha_{usual}").items()
        ),
        {} if of_labels else disputes.disagreements(counted),
        tuple(_groups(beside, groups, scales, seed, usual)) if len(beside) else (),
        between.group_differences(beside, {} if of_labels else groups),
        of_labels=of_labels and len(beside) > 0,
    )
    return plain(found)


def _of_labels(
    rows: pd.DataFrame, names: Mapping[str, Mapping[int, str]], seed: int
) -> Iterator[AgreementPart]:
    """Yield agreement on labels, by capability and criterion: they have no order and no distance."""
    by = ["capability", "criterion", "mark"]
    for key, some in rows.groupby(by, observed=True, dropna=False):
        capability, criterion, mark = cast("tuple[Any, Any, str]", key)
        part = None if capability != capability else int(capability)
        known = names.get(str(criterion), {})
        if mark == "LABELS":
            made = sets.agreement(units.from_ratings(some), seed=seed)
            called = [" + ".join(known.get(n, str(n)) for n in places(one)) for one in made.levels]
        else:
            levels = sorted({*map(float, known), *some["value"].dropna().tolist()})
            marked = units.from_ratings(some, levels=levels)
            made = agreement.agreement(marked, names=OF_LABELS, seed=seed)
            called = [known.get(int(one), f"{one:g}") for one in made.levels]
        yield AgreementPart(part, str(criterion), (), made, None, mark, tuple(called))


def _of(rows: pd.DataFrame, raters: Sequence[int]) -> pd.DataFrame:
    return rows[rows["rater"].isin(raters)]


def _groups(
    counted: pd.DataFrame,
    groups: Mapping[str, Sequence[int]],
    scales: Scales,
    seed: int,
    metric: agreement.Metric,
) -> Iterator[AgreementOfGroups]:
    """Yield α within every group, then how far every two of them agree with each other.

    Two annotators alone are no groups, and what all of one group belong to is none beside it.
    """
    for name, members in groups.items():
        mine = [one for _where, one in _parts(_of(counted, members), scales)]
        found = strata.together(mine, names=(f"alpha_{metric}",), seed=seed)
        yield _of_groups(name, None, found)
    whole = [one for _where, one in _parts(counted, scales)]
    code = {pk: n for n, pk in enumerate(counted["rater"].cat.categories.tolist())}
    codes = {name: [code[pk] for pk in members if pk in code] for name, members in groups.items()}
    for left, right in itertools.combinations(groups, 2):
        sides = [set(a) - set(b) for a, b in itertools.permutations((groups[left], groups[right]))]
        if not all(sides) or all(len(side) == 1 for side in sides):
            continue
        found = strata.across(whole, codes[left], codes[right], metric=metric, seed=seed)
        yield _of_groups(left, right, found)


def _of_groups(left: str, right: str | None, found: AgreementTogether) -> AgreementOfGroups:
    (one,) = found.coefficients
    ends = (one.value, one.low, one.high, one.reason, one.interval_reason)
    return AgreementOfGroups(left, right, *ends, found.n_pairable, found.n_clusters, found.n_raters)


def disputes_of(round_: Round, params: Mapping[str, Any]) -> Plain:
    """Return who stands alone where, which questions divide their raters, and every such place.

    Args:
        round_: whose grades.
        params: `rater`, `question`, `far`, `share`, `span`, `w1`, `w2` of the rules; `weights` of
            capabilities by key.
    """
    if round_.of_pairs:
        return preferred.disputes_of(round_, params)
    everything = ratings.table([round_])
    counted = frame.default_filter(everything)
    rules = DisputeRules(
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
    labels, places_ = disputes.of_labels(frame.default_filter(everything, marks=frame.LABELLED))
    reason = _unmeasured(everything) or found.reason
    return plain(replace(found, labels=labels, label_places=places_, reason=reason))


def raters_of(round_: Round, params: Mapping[str, Any]) -> Plain:
    """Return severity with fair scores, consistency, drift, pace beside disputes, effect of position.

    Args:
        round_: whose grades.
        params: `groups` of raters by name, whose severity is told beside theirs.
    """
    table = ratings.table([round_])
    everything = frame.measured(table)
    counted = frame.default_filter(everything)
    given = everything["grade_kind"] == "GIVEN"
    wanted = given & everything["valid"] & ~everything["late"]
    valid = everything if wanted.all() else everything[wanted]
    # Time is one of the whole question, whatever was asked of it.
    times = raters.seats(
        counted if len(counted) else frame.default_filter(table, marks=frame.WORDED)
    )
    known = severity.severities(counted, groups=params.get("groups", {}))
    found = RatersFigure(
        replace(known, reason=_unmeasured(table) or known.reason),
        raters.retest(valid, drawn=repeats.has_any(round_)),
        raters.drift(counted),
        raters.pace(counted, times=times),
        raters.tempo(counted, disputes.disputes(counted, most=0), times=times),
        raters.position_effect(counted),
    )
    return plain(found)


def _unmeasured(table: pd.DataFrame) -> Reason | None:
    """Return the reason why there are no scores where all that was graded are labels and texts."""
    if len(frame.default_filter(table)) or not len(frame.default_filter(table, marks=frame.WORDED)):
        return None
    return Reason.NOT_MEASURED


def plan_of(round_: Round, params: Mapping[str, Any]) -> Plain:
    """Return how many questions and raters the next round needs, with this one as pilot.

    Args:
        round_: the pilot.
        params: `delta` in points of percent, `power`; for the learning curve `width`, the interval
            that would be narrow enough, in points, and `weights` of capabilities by key.
    """
    if round_.of_pairs:
        return preferred.plan_of(round_, params)
    table = ratings.table([round_])
    counted = frame.default_filter(table)
    found = planning.components(counted)
    delta = float(params.get("delta", 5)) / 100
    made = planning.plan(found, delta=delta, power=float(params.get("power", 0.8)))
    width = float(params.get("width", 10))
    curves = () if _unmeasured(table) else _curves(round_, counted, params)
    return plain(
        replace(made, width=width, curves=curves, reason=_unmeasured(table) or made.reason)
    )


def model_of(round_: Round, params: Mapping[str, Any]) -> Plain:
    """Return what a mixed model of all grades says of systems, beside their scores.

    Args:
        round_: whose grades.
        params: as for the scores.
    """
    chosen = selected.Selected(round_, params)
    found = mixed.mixed(chosen.counted)
    if found.reason is not None:
        unmeasured = _unmeasured(ratings.table([round_]))
        return plain(replace(found, reason=unmeasured or found.reason))
    scored = scores.scores(
        chosen.counted,
        weights=chosen.weights,
        criterion_weights=chosen.criterion_weights,
        **way_of(params),
    )
    whole = {release: _share(scored.find(release).value) for release in scored.releases}
    gaps = {
        (one.left, one.right): _share(one.value) for one in differences.ranking(scored).differences
    }
    gaps |= {(b, a): None if gap is None else -gap for (a, b), gap in gaps.items()}
    systems = tuple(_beside(one, whole[one.release]) for one in found.systems)
    pairs = tuple(_beside(one, gaps.get((one.left, one.right))) for one in found.differences)
    return plain(replace(found, systems=systems, differences=pairs))


def _share(value: Fraction | None) -> float | None:
    return None if value is None else float(value)


def _beside(one: Beside, known: float | None) -> Beside:
    """Return what the model says with what is known without it, and how far apart they are."""
    return replace(one, plain=known, apart=None if known is None else one.value - known)


def whole_of(round_: Round, params: Mapping[str, Any]) -> Plain:
    """Return the score of every system over all outputs that a round was drawn from, beside the plain one.

    Every output counts alike. A response is worth the mean over annotators of the weighted mean of its
    criteria, as a share of their scales.

    Args:
        round_: which was published from a run.
        params: as for the scores, without a selection.
    """
    made = Publication.objects.filter(round=round_).select_related("run").first()
    if made is None:
        return plain(WholeFigure(None, (), Reason.NO_FRAME))
    chosen = selected.Selected(round_, params)
    values, noise = _values(chosen)
    drawn = _drawn(round_)
    rows = [
        _whole(release, rows, values, noise, made) for release, rows in drawn.groupby("release")
    ]
    chances = drawn.drop_duplicates("place")["chance"].dropna()
    draw = WholeDraw(
        run=made.run.number if made.run else None,
        run_name=made.run.name if made.run else "",
        sort=made.sort,
        rule=made.rule,
        rule_label=made.rule_label,
        even=made.even,
        seed=made.seed,
        n_chosen=drawn["place"].nunique(),
        n_frame=made.n_units,
        n_certain=int((chances >= 1).sum()),
        least_chance=float(chances.min()) if len(chances) else None,
        greatest_chance=float(chances.max()) if len(chances) else None,
    )
    ranked = sorted(rows, key=lambda one: -(one.value or 0))
    return plain(WholeFigure(draw, tuple(ranked), None))


def _values(chosen: selected.Selected) -> tuple[pd.DataFrame, float | None]:
    """Return what each response is worth (`value`) by how many annotators (`n`), and how far these differ.

    The second is the variance of one annotator's mark of a response; None where none has two.
    """
    rows = chosen.counted.dropna(subset=["value"])
    keys = zip(rows["capability"].tolist(), rows["criterion"].tolist(), strict=True)
    weights = [
        float(chosen.criterion_weights.get((None if pd.isna(a) else int(a), str(b)), 1))
        for a, b in keys
    ]
    share = (rows["value"] - rows["scale_min"]) / (rows["scale_max"] - rows["scale_min"])
    rows = rows.assign(weight=weights, part=share * weights)
    sums = rows.groupby(["response", "rater"], observed=True)[["part", "weight"]].sum()
    marks = (sums["part"] / sums["weight"]).dropna()
    by = marks.groupby(level="response", observed=True)
    values = pd.DataFrame({"value": by.mean(), "n": by.count(), "squares": by.var()})
    several = values[values["n"] > 1]
    freedom = float((several["n"] - 1).sum())
    within = float((several["squares"] * (several["n"] - 1)).sum())
    return values, within / freedom if freedom else None


def _drawn(round_: Round) -> pd.DataFrame:
    """Return the responses that were drawn for people, with their chances."""
    places = RoundResponse.objects.filter(
        round_item__round=round_, round_item__purpose__in=selection.USUAL, round_item__occasion=1
    )
    names = {
        "response": "response_id",
        "release": "release_id",
        "place": "round_item_id",
        "chance": "round_item__inclusion_probability",
    }
    rows = list(places.order_by("pk").values_list(*names.values()))
    return pd.DataFrame(rows, columns=list(names)).astype({"chance": "float64"})


def _whole(
    release: Any,
    drawn: pd.DataFrame,
    values: pd.DataFrame,
    noise: float | None,
    made: Publication,
) -> WholeSystem:
    """Return a system over all it put out."""
    frame_ = made.frame.get("releases", {}).get(str(release), {})
    graded = drawn[drawn["response"].isin(values.index)]
    here = values.loc[graded["response"]]
    aid = made.frame.get("aid", {})
    found = sampled.sampled_mean(
        sampled.SampledSystem(
            value=here["value"].to_numpy(dtype=np.float64),
            n_marks=here["n"].to_numpy(dtype=np.int64),
            inclusion=graded["chance"].to_numpy(dtype=np.float64),
            n_chosen=len(drawn),
            n_frame=frame_.get("n", made.n_units),
            aid=np.array(
                [aid.get(str(one), np.nan) for one in graded["response"]], dtype=np.float64
            ),
            aid_of_all=frame_.get("mean"),
        ),
        noise=noise,
    )
    people, helped = found.people, found.helped
    return WholeSystem(
        release=int(release),
        value=people.value,
        low=people.low,
        high=people.high,
        helped=helped.value if aid else None,
        helped_low=helped.low if aid else None,
        helped_high=helped.high if aid else None,
        trust=found.trust if aid else None,
        plain=float(here["value"].mean()) if len(here) else None,
        n_graded=len(graded),
        n_chosen=len(drawn),
        n_frame=frame_.get("n", made.n_units),
        n_unscored=frame_.get("unscored", 0) if aid else 0,
        effective=found.effective,
        reason=people.reason,
        interval_reason=people.interval_reason,
    )


def _curves(
    round_: Round, counted: pd.DataFrame, params: Mapping[str, Any]
) -> tuple[WidthCurve, ...]:
    """Return how the interval of each release's overall score narrows with questions."""
    chosen = selected.Selected(round_, params)
    scored = scores.scores(
        counted,
        weights=chosen.weights,
        criterion_weights=chosen.criterion_weights,
        **way_of(params),
    )
    enough = float(params.get("width", 10)) / 100
    rows = [scored.find(release) for release in scored.releases]
    return tuple(
        planning.course(
            row.these.low,
            row.these.high,
            row.n_questions,
            release=row.release,
            enough=enough,
            reason=row.reason or row.these.interval_reason,
        )
        for row in rows
    )


def _levels(round_: Round) -> Scales:
    """Return the levels of every scale in the round, used or not."""
    versions = RoundItem.objects.filter(round=round_).order_by().values("rubric_version_id")
    made: Scales = {}
    measured = Criterion.objects.filter(mark__in=frame.MEASURED)
    for one in measured.filter(rubric_version__in=versions.distinct()):
        low, high = one.ends
        if one.step and (high - low) / one.step < MOST_LEVELS:
            n = int((high - low) / one.step)
            steps = [float(low + Decimal(i) * one.step) for i in range(n + 1)]
            made[one.key, float(low), float(high)] = steps
    return made


def _parts(counted: pd.DataFrame, scales: Scales) -> Iterator[tuple[Where, UnitStratum]]:
    by = ["capability", "criterion", "scale_min", "scale_max"]
    narrow = counted[list(dict.fromkeys([*by, *units.COLUMNS]))]
    for key, rows in narrow.groupby(by, observed=True, dropna=False):
        capability, criterion, low, high = cast("tuple[Any, Any, float, float]", key)
        known = scales.get((str(criterion), float(low), float(high)))
        part = None if capability != capability else int(capability)
        where = (part, str(criterion), (float(low), float(high)))
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
