"""Preferences of a round: rates, agreement, disputes, plan, and grades beside. Loads pandas: workers only."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np
import pandas as pd
from django.db.models import Sum

from annotation.common import draws as seeds
from annotation.rounds import repeats
from annotation.rounds.models import Round, RoundItem, RoundResponse
from annotation.rubrics.models import Criterion, Level
from annotation.systems.models import Item
from scoring.figures import selection
from scoring.figures import snapshots as ratings
from scoring.figures.selected import Selected
from scoring.results.agreement import (
    AgreementFigure,
    AgreementOfGroups,
    AgreementPart,
    WithoutAnnotator,
)
from scoring.stats import frame
from scoring.stats.claims import MARGIN, Claim, ClaimEstimate, Ranks
from scoring.stats.people import agreement, disputes, strata
from scoring.stats.people.said import Coefficient, DisputesFigure, GroupDifferences
from scoring.stats.people.strata import UnitStratum
from scoring.stats.plain import Plain, plain
from scoring.stats.preferences import agreeing, beside, choices, rates
from scoring.stats.preferences.choices import Choices
from scoring.stats.preferences.said import (
    AnnotatorChoices,
    CriterionPreferences,
    GradesBeside,
    GradesBesideFigure,
    PreferencePart,
    PreferencesFigure,
    SideEffect,
    SystemPair,
    SystemRate,
)
from scoring.stats.resampled import units
from scoring.stats.resampled.linear import FloatArray
from scoring.stats.scores import planning as grades_planning
from scoring.stats.scores.said import PlanComponents, WidthCurve

#: Of choices: they have no order.
COEFFICIENTS = ("alpha_nominal", "ac1", "fleiss", "raw")
#: Ratios of disagreement that need neither a pass mark nor distances.
RULES = ("any", "modal")


def preferences_of(round_: Round, params: Mapping[str, Any]) -> Plain:
    """Return rates, pairs, parts and checks of every criterion of a round of pairs.

    Args:
        round_: whose choices.
        params: `selection` as `selection.Selection.params` says it, `margin` as a share, `areas`:
            of every area the name of its topic.
    """
    selected = Selected(round_, params)
    found = figure_of(
        _of_two(selected),
        ratings.table([round_]),
        margin=float(params.get("margin", MARGIN)),
        purposes=selected.purposes,
        wanted=_wanted(selected),
        topics=_topics(round_, params.get("areas", {})),
    )
    return plain(found)


def figure_of(
    everything: pd.DataFrame,
    whole: pd.DataFrame,
    *,
    margin: float = MARGIN,
    purposes: Sequence[str] | None = None,
    wanted: Mapping[str, int] | None = None,
    topics: Mapping[Any, str] | None = None,
) -> PreferencesFigure:
    """Return the preferences in some rows.

    Args:
        everything: rows of the ratings frame that are looked at.
        whole: all of the round as it was given; in those of its rows that are looked at pairs that
            came twice are looked for, of whatever purpose.
        margin: how far from even two systems may be and still be called equal, as a share.
        purposes: of round items, where others than the usual ones count.
        wanted: how many choices were planned, by criterion.
        topics: of each question, where there are any.
    """
    counted = frame.default_filter(everything, purposes=purposes, marks=frame.CHOSEN)
    given = whole[whole.index.isin(everything.index)]
    twice = agreeing.again(_valid(agreeing.turned(given)))
    made = (
        _criterion(str(key), rows, topics or {}, margin, (wanted or {}).get(key), twice, purposes)
        for key, rows in _by(counted, "criterion")
    )
    return PreferencesFigure(0.95, margin, tuple(made))


def _of_two(selected: Selected) -> pd.DataFrame:
    """Return the rows in sight whose both answers are of systems that were chosen."""
    rows = selected.everything
    if "release" not in selected.chosen:
        return rows
    return rows[rows["against"].isin(selected.chosen["release"])]


def _valid(rows: pd.DataFrame) -> pd.DataFrame:
    given = rows["grade_kind"] == "GIVEN"
    return rows[given & rows["valid"] & ~rows["late"]]


def _by(rows: pd.DataFrame, column: str) -> Iterator[tuple[Any, pd.DataFrame]]:
    for key, some in rows.groupby(column, observed=True, dropna=False):
        one = cast("Any", key)
        yield (None if one != one else one), some


def _wanted(selected: Selected) -> dict[str, int]:
    """Return by criterion how many choices were planned; nothing where nobody planned."""
    if selected.round.kind == Round.Kind.IMPORTED or {"annotator", "release"} & set(
        selected.chosen
    ):
        return {}
    places = RoundItem.objects.filter(round=selected.round, occasion=1)
    found = places.filter(selection.where(selected.chosen)).order_by()
    seats = dict(found.values_list("rubric_version").annotate(n=Sum("n_seats")))
    keys = Criterion.objects.filter(rubric_version__in=seats, mark=Criterion.Mark.CHOICE)
    made: dict[str, int] = {}
    for version, key in keys.values_list("rubric_version", "key"):
        made[key] = made.get(key, 0) + seats[version]
    return made


def _criterion(
    key: str,
    rows: pd.DataFrame,
    topics: Mapping[Any, str],
    margin: float,
    wanted: int | None,
    twice: pd.DataFrame,
    purposes: Sequence[str] | None,
) -> CriterionPreferences:
    given = rows[rows["value"].notna()]
    again = twice[twice["criterion"] == key]
    if given.empty:
        return _empty(key, rows, wanted)
    chosen = choices.of_ratings(given, purposes=purposes)
    found = rates.rates(chosen, margin=margin)
    turned = agreeing.turned(given)
    circles = choices.triads(chosen)
    n_raters = len(np.unique(chosen.rater))
    return CriterionPreferences(
        criterion=key,
        claim=Claim.of(n_raters),
        n=len(chosen),
        n_questions=int(given["group"].nunique()),
        n_raters=n_raters,
        n_answers=int(turned["response"].nunique()),
        n_cannot=int(rows["value"].isna().sum()),
        wanted=wanted,
        systems=_systems(found, chosen),
        pairs=_pairs(found),
        parts=tuple(_parts(given, topics, margin, purposes)),
        side=_side(chosen),
        n_triads=circles.n,
        n_circular=circles.n_circular,
        n_both_bad=int(chosen.both_bad.sum()),
        n_again=len(again),
        n_same=int(again["same"].sum()),
        raters=tuple(_raters(given, turned, again)),
        reason=found.reason,
        method=found.method,
    )


def _empty(key: str, rows: pd.DataFrame, wanted: int | None) -> CriterionPreferences:
    nothing: tuple[Any, ...] = ()
    return CriterionPreferences(
        criterion=key,
        claim=Claim.THESE,
        n=0,
        n_questions=0,
        n_raters=0,
        n_answers=0,
        n_cannot=len(rows),
        wanted=wanted,
        systems=nothing,
        pairs=nothing,
        parts=nothing,
        side=None,
        n_triads=0,
        n_circular=0,
        n_both_bad=0,
        n_again=0,
        n_same=0,
        raters=nothing,
        reason=None,
        method="",
    )


def _systems(found: rates.Rates, chosen: Choices) -> tuple[SystemRate, ...]:
    sides = np.bincount(chosen.first, minlength=chosen.n_systems)
    n = sides + np.bincount(chosen.second, minlength=chosen.n_systems)
    at = {name: int(one) for name, one in zip(chosen.names, n, strict=True)}
    these, others = (_ranks(one) for one in (found.these, found.others))
    return tuple(
        SystemRate(one.name, one.these, one.others, these[one.name], others[one.name], at[one.name])
        for one in found.field
    )


def _ranks(found: Ranks) -> dict[Any, tuple[int, ...]]:
    return {
        one.release: () if one.low is None or one.high is None else (one.low, one.high)
        for one in found.ranks
    }


def _pairs(found: rates.Rates) -> tuple[SystemPair, ...]:
    """Return all pairs in the order of the systems, the stronger one on the left."""
    order = {one.name: place for place, one in enumerate(found.field)}
    told = [_pair(one, is_turned=order[one.left] > order[one.right]) for one in found.pairs]
    return tuple(sorted(told, key=lambda one: (order[one.left], order[one.right])))


def _pair(one: rates.PairRate, *, is_turned: bool) -> SystemPair:
    tally = one.tally
    left, right, won, lost = one.left, one.right, tally.won, tally.lost
    these, others = one.these, one.others
    if is_turned:
        left, right, won, lost = right, left, lost, won
        these, others = _turned(these), _turned(others)
    return SystemPair(
        left,
        right,
        these,
        others,
        one.certainty,
        won,
        tally.tied,
        tally.both_bad,
        lost,
        one.n_raters,
    )


def _turned(one: ClaimEstimate) -> ClaimEstimate:
    """Return a rate as the other side has it."""
    return replace(
        one,
        value=None if one.value is None else 1 - one.value,
        low=None if one.high is None else 1 - one.high,
        high=None if one.low is None else 1 - one.low,
    )


def _parts(
    given: pd.DataFrame,
    topics: Mapping[Any, str],
    margin: float,
    purposes: Sequence[str] | None,
) -> Iterator[PreferencePart]:
    """Yield capabilities and topics one by one; one alone is no division."""
    if topics:
        given = given.assign(area=[topics.get(item, "") for item in given["item"].tolist()])
    for by in ("capability", "area") if topics else ("capability",):
        found = list(_by(given, by))
        if len(found) > 1:
            yield from (_part(by, key, some, margin, purposes) for key, some in found)


def _topics(round_: Round, areas: Mapping[str, str]) -> dict[int, str]:
    """Return the topic of each question of a round; empty where it has none."""
    if not areas:
        return {}
    drawn = RoundItem.objects.filter(round=round_).values("item_id")
    rows = Item.objects.filter(pk__in=drawn).values_list("pk", "domain_id")
    return {pk: areas.get(str(domain), "") for pk, domain in rows}


def _part(
    by: str, key: Any, rows: pd.DataFrame, margin: float, purposes: Sequence[str] | None
) -> PreferencePart:
    chosen = choices.of_ratings(rows, purposes=purposes)
    found = rates.rates(chosen, margin=margin)
    pairs = _pairs(found)
    lead = pairs[0] if found.reason is None and pairs else None
    return PreferencePart(
        by,
        None if by == "area" or key is None else int(key),
        str(key or "") if by == "area" else "",
        len(chosen),
        int(rows["group"].nunique()),
        _systems(found, chosen),
        lead,
        found.reason,
    )


def _side(chosen: Choices) -> SideEffect:
    found = rates.side(chosen)
    tally = found.tally
    ends = (found.these, found.others, found.certainty)
    return SideEffect(*ends, tally.won, tally.tied, tally.lost)


def _raters(
    given: pd.DataFrame, turned: pd.DataFrame, again: pd.DataFrame
) -> Iterator[AnnotatorChoices]:
    """Yield how each annotator chose, sides as they saw them."""
    value = given["value"].to_numpy(np.float64).astype(np.int64)
    met = agreeing.alike(turned)
    worth = np.array([np.nan, *choices.WORTH.values()])[value]
    table = pd.DataFrame(
        {
            "rater": given["rater"].to_numpy(),
            "first": worth,
            "tied": worth == 0.5,
            "bad": value == choices.BOTH_BAD,
            "met": met.met,
            "same": met.same,
            "seconds": given["active_ms"].to_numpy(np.float64) / 1000,
        }
    )
    by = table.groupby("rater", observed=True)
    sums, means = by[["met", "same"]].sum(), by[["first", "tied", "bad"]].mean()
    seconds, n = by["seconds"].median(), by.size()
    twice = again.groupby("rater", observed=True)["same"].agg(["size", "sum"])
    for rater in n.index.tolist():
        n_met, n_same = (int(sums.loc[rater, name]) for name in ("met", "same"))
        n_again, n_steady = twice.loc[rater].tolist() if rater in twice.index else [0, 0]
        at_a, tied, bad = (float(means.loc[rater, name]) for name in ("first", "tied", "bad"))
        time = float(seconds[rater])
        yield AnnotatorChoices(
            rater,
            int(n[rater]),
            at_a,
            tied,
            bad,
            n_same / n_met if n_met else None,
            n_met,
            int(n_again),
            int(n_steady),
            None if np.isnan(time) else time,
        )


# ----------------------------------------------------------------------- agreement and disputes
def agreement_of(round_: Round, params: Mapping[str, Any]) -> Plain:
    """Return agreement on choices by capability and criterion, over all, by pair of systems and of people.

    Args:
        round_: whose choices.
        params: `groups` of raters by name, and `raters`, that of them whose choices alone count.
    """
    everything = beside_each = agreeing.turned(ratings.table([round_]))
    if named := params.get("raters"):
        everything = everything[everything["rater"].isin(params["groups"][named])]
    counted = frame.default_filter(everything, marks=frame.CHOSEN)
    seed = seeds.integer(round_.seed, "agreement", below=2**32)
    offered = _levels(round_)
    whole = _strata(counted, offered)
    again = _strata(_twice(_valid(everything)), offered)
    people = counted["rater"].cat.categories.tolist()
    found = AgreementFigure(
        tuple(_agreement_parts(counted, offered, seed)),
        strata.together(whole, names=COEFFICIENTS, seed=seed),
        strata.together(again, names=COEFFICIENTS, seed=seed),
        repeats.has_any(round_),
        tuple(
            replace(one, left=people[one.left], right=people[one.right])
            for one in strata.between(whole, weights="nominal", seed=seed)
        ),
        tuple(
            WithoutAnnotator(people[rater], one.value, one.change)
            for rater, one in strata.leave_one_out(whole, "alpha_nominal").items()
        ),
        {name: one for name, one in disputes.disagreements(counted).items() if name in RULES},
        tuple(_groups(beside_each, params.get("groups", {}), offered, seed)),
        GroupDifferences((), (), ""),  # a choice is no number: groups of people do not grade apart
        systems=agreeing.by_pair(counted, seed=seed),
    )
    return plain(found)


def _groups(
    everything: pd.DataFrame,
    groups: Mapping[str, Sequence[int]],
    offered: Mapping[str, set[int]],
    seed: int,
) -> Iterator[AgreementOfGroups]:
    """Yield α within every group of annotators."""
    counted = frame.default_filter(everything, marks=frame.CHOSEN)
    for name, members in groups.items():
        mine = counted[counted["rater"].isin(members)]
        found = strata.together(_strata(mine, offered), names=("alpha_nominal",), seed=seed)
        (one,) = found.coefficients
        ends = (one.value, one.low, one.high, one.reason, one.interval_reason)
        n = (found.n_pairable, found.n_clusters, found.n_raters)
        yield AgreementOfGroups(name, None, *ends, *n)


def _levels(round_: Round) -> dict[str, set[int]]:
    """Return by criterion which choices it offers; turned they are the same."""
    versions = RoundItem.objects.filter(round=round_).order_by().values("rubric_version")
    levels = Level.objects.filter(
        criterion__rubric_version__in=versions, criterion__mark=Criterion.Mark.CHOICE
    )
    found: dict[str, set[int]] = {}
    for key, value in levels.values_list("criterion__key", "value"):
        found.setdefault(key, set()).add(int(value))
    return found


def _strata(rows: pd.DataFrame, offered: Mapping[str, set[int]]) -> list[UnitStratum]:
    """Return choices as strata: two systems, of one capability and criterion.

    Of several systems in one stratum chance would depend on which of two is called the first.
    """
    return [
        one
        for (_capability, criterion), part in _by_part(rows)
        for one in _of_part(criterion, part, offered)
    ]


def _by_part(rows: pd.DataFrame) -> Iterator[tuple[tuple[int | None, str], pd.DataFrame]]:
    for key, some in rows.groupby(["capability", "criterion"], observed=True, dropna=False):
        capability, criterion = cast("tuple[Any, str]", key)
        yield (None if capability != capability else int(capability), str(criterion)), some


def _of_part(
    criterion: str, rows: pd.DataFrame, offered: Mapping[str, set[int]]
) -> list[UnitStratum]:
    levels = _used(criterion, rows, offered)
    by = rows.groupby(["release", "against"], observed=True)
    return [strata.from_ratings(some, levels=levels) for _pair, some in by]


def _used(criterion: str, rows: pd.DataFrame, offered: Mapping[str, set[int]]) -> list[float]:
    used = {int(one) for one in rows["value"].dropna().unique().tolist()}
    return sorted({*used, *offered.get(criterion, ())})


def _agreement_parts(
    rows: pd.DataFrame, offered: Mapping[str, set[int]], seed: int
) -> Iterator[AgreementPart]:
    """Yield agreement by capability and criterion: the mean over pairs of systems."""
    for (capability, criterion), part in _by_part(rows):
        counts = units.from_ratings(part, levels=_used(criterion, part, offered))
        made = agreement.agreement(counts, names=COEFFICIENTS, resamples=0)
        found = strata.together(_of_part(criterion, part, offered), names=COEFFICIENTS, seed=seed)
        means = tuple(
            Coefficient(one.name, one.value, one.low, one.high, one.reason, one.interval_reason)
            for one in found.coefficients
        )
        figures = replace(made, coefficients=means, method=found.method)
        yield AgreementPart(
            capability, criterion, (), figures, None, Criterion.Mark.CHOICE.value, ()
        )


def _twice(rows: pd.DataFrame) -> pd.DataFrame:
    """Return what annotators chose twice: first and second choice stand as those of two raters."""
    given = rows[rows["value"].notna()]
    key = ["rater", "response", "criterion"]
    first, second = (given[given["occasion"] == n] for n in (1, 2))
    first = first.merge(second[key], on=key)
    both = pd.concat([first, second.merge(first[key], on=key)], ignore_index=True)
    unit = both["rater"].cat.codes.astype(str) + "/" + both["response"].astype(str)
    return both.assign(
        rater=pd.Categorical(both["occasion"].astype(str)), response=pd.Categorical(unit)
    )


def disputes_of(round_: Round, params: Mapping[str, Any]) -> Plain:
    """Return the pairs of answers of which some chose one and some the other; it knows no other rule."""
    turned = agreeing.turned(ratings.table([round_]))
    found: DisputesFigure = agreeing.opposed(frame.default_filter(turned, marks=frame.CHOSEN))
    return plain(found)


# ------------------------------------------------------------------------------------------ plan
def plan_of(round_: Round, params: Mapping[str, Any]) -> Plain:
    """Return how many questions and annotators the next round of pairs needs, with this one as pilot.

    Of several criteria the variances are the means.

    Args:
        round_: the pilot.
        params: `delta`, how far from even a rate is to be told, in points, and `power`; `width` of an
            interval of a rate that would be narrow enough, in points.
    """
    counted = frame.default_filter(ratings.table([round_]), marks=frame.CHOSEN)
    known = [
        choices.of_ratings(rows)
        for _key, rows in _by(counted[counted["value"].notna()], "criterion")
    ]
    found = _mean_components([rates.plan_components(one) for one in known])
    delta = float(params.get("delta", 5)) / 100
    made = grades_planning.plan(found, delta=delta, power=float(params.get("power", 0.8)))
    width = float(params.get("width", 10))
    if found is not None:
        half = width / 200
        needs = tuple(
            replace(one, n_narrow=rates.questions_for(found, one.n_raters, half=half))
            for one in made.needs
        )
        made = replace(made, needs=needs)
    return plain(replace(made, width=width, curves=_curves(known, width / 100)))


def _mean_components(found: Sequence[PlanComponents | None]) -> PlanComponents | None:
    known = [one for one in found if one is not None]
    if not known:
        return None
    question, rater, residual = (
        float(np.mean([getattr(one, name) for one in known]))
        for name in ("question", "rater", "residual")
    )
    return PlanComponents(
        question,
        rater,
        residual,
        max(one.n_questions for one in known),
        max(one.n_raters for one in known),
        max(one.n_pairs for one in known),
        sum(one.n_differences for one in known),
        tuple(dict.fromkeys(name for one in known for name in one.cut)),
    )


def _curves(known: Sequence[Choices], enough: float) -> tuple[WidthCurve, ...]:
    """Return how the interval of each system's rate narrows, by the first criterion."""
    if not known:
        return ()
    return tuple(
        grades_planning.course(
            one.these.low,
            one.these.high,
            one.these.n,
            release=one.name,
            enough=enough,
            reason=one.these.reason or one.these.interval_reason,
        )
        for one in rates.rates(known[0]).field
    )


# -------------------------------------------------------------------------------- grades beside
def beside_of(round_: Round, params: Mapping[str, Any]) -> Plain:
    """Return how often people chose the answer that was graded better in another round.

    Args:
        round_: whose choices.
        params: `rounds`, with the number of the round of grades.
    """
    (number,) = params["rounds"]
    other = Round.objects.get(project=round_.project_id, number=number)
    counted = frame.default_filter(ratings.table([round_]), marks=frame.CHOSEN)
    graded = frame.default_filter(ratings.table([other]))
    served = RoundResponse.objects.filter(round_item__round=round_)
    answers = served.order_by().values_list("response_id", flat=True).distinct()
    grades = beside.mean_grades(graded[graded["response"].isin(list(answers))])
    given = counted[counted["value"].notna()]
    made = tuple(_beside(str(key), rows, grades) for key, rows in _by(given, "criterion"))
    return plain(GradesBesideFigure(made))


def _beside(key: str, rows: pd.DataFrame, grades: Mapping[tuple[Any, Any], float]) -> GradesBeside:
    chosen = choices.of_ratings(rows)
    items = np.unique(rows["item"].cat.codes.to_numpy())
    names = rows["item"].cat.categories[items].tolist()
    groups = dict(zip(rows["item"].tolist(), rows["group"].tolist(), strict=True))
    table: FloatArray = np.array(
        [[grades.get((item, one), np.nan) for one in chosen.names] for item in names]
    )
    asked = tuple(str(groups[item]) for item in names)
    return beside.beside(chosen, table, criterion=key, questions=asked)
