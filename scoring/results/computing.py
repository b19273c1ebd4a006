"""Scores by capability, difficulty and subject area. Loads pandas: workers only.

* Scores by subject area, of all releases of a round together. Loads pandas: workers only.
* Figures by name: from the ratings of a round to plain data. Loads pandas: workers only.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias, TypedDict, cast

import numpy as np
import numpy.typing as npt
import pandas as pd

from annotation.domains import plan as stock
from annotation.domains.models import Domain
from annotation.rounds.models import Round, RoundItem
from annotation.rubrics.models import Level
from annotation.systems.models import Item
from scoring.figures import snapshots as ratings
from scoring.figures.cells import CellRow
from scoring.figures.labels import ALL, NONE
from scoring.figures.selected import Selected
from scoring.stats import frame
from scoring.stats.claims import (
    FIGURES,
    MARGIN,
    Claim,
    ClaimRanking,
    ClaimScore,
    Figure,
    LabelsFigure,
    PieceFigure,
    RankedView,
    ScoresFigure,
    Top,
)
from scoring.stats.plain import Plain, Reason, plain
from scoring.stats.resampled.exact import Convention
from scoring.stats.scores import differences, scores
from scoring.stats.scores.means import Average
from scoring.stats.scores.scores import PartScore, Scores

#: Columns of the frame by which the page of scores is divided; an area here is the topmost one.
BY = ("capability", "criterion", "area")
#: release, node, criterion, difficulty, domain; "" stands for all of them together.
Spot = tuple[int, str, str, str, str]


def breakdown_of(round_: Round, params: Mapping[str, Any]) -> Plain:
    """Return every cell of release × capability × difficulty × area, with groups and wholes.

    A node is "all", a group of `params`, or "c-" and a capability. An area counts all below it.

    Args:
        round_: whose grades.
        params: as for the scores, and `domains`: of every area the ones above it and itself.
    """
    selected = Selected(round_, params)
    lines = {int(key): tuple(line) for key, line in params.get("domains", {}).items()}
    counted = _with_areas(selected.counted, round_)
    came, wanted = _came(counted, params, lines), _wanted_breakdown(selected, params, lines)
    claim = Claim.of(_counts(counted)["raters"])
    rows = [
        _row(spot, one.score, claim, came, wanted)
        for spot, one in _scored(counted, selected, lines)
        if came[spot] or (wanted is not None and wanted[spot])
    ]
    there = {(row.release, row.node, row.criterion, row.difficulty, row.domain) for row in rows}
    rows += [
        _empty(figure, spot, n)
        for spot, n in (wanted or {}).items()
        if spot not in there
        for figure in FIGURES
    ]
    return {
        "level": 0.95,
        "claim": claim,
        "method": "each part scored as if its grades were all there are",
        "rows": [list(cast("dict[str, Plain]", plain(row)).values()) for row in rows],
    }


def _with_areas(counted: pd.DataFrame, round_: Round) -> pd.DataFrame:
    """Return the frame with the keys of areas in the place of their names."""
    drawn = RoundItem.objects.filter(round=round_).values("item_id")
    area = dict(Item.objects.filter(pk__in=drawn).values_list("pk", "domain_id"))
    return counted.assign(domain=_objects(area.get(pk) for pk in counted["item"].tolist()))


def _objects(values: Iterable[object]) -> npt.NDArray[np.object_]:
    """Return keys as they are: a column of numbers and nothing would become one of floats."""
    held = list(values)
    made = np.empty(len(held), dtype=object)
    made[:] = held
    return made


def _scored(
    counted: pd.DataFrame, selected: Selected, lines: Mapping[int, Sequence[int]]
) -> Iterator[tuple[Spot, PartScore]]:
    """Yield the scores of every split; areas level by level, as one lies within another."""
    yield from _split(counted, selected, (), {}, selected.groups)
    yield from _split(counted, selected, ("difficulty",), {}, selected.groups)
    for depth in range(max(map(len, lines.values()), default=0)):
        at_depth = {pk: line[depth] for pk, line in lines.items() if len(line) > depth}
        kept = counted["domain"].isin(list(at_depth))
        if depth == 0:
            kept |= counted["domain"].isna()
        part = counted[kept]
        here = part["domain"].tolist()
        part = part.assign(domain=_objects(at_depth.get(pk) for pk in here))
        areas: dict[int | None, int | None] = dict(at_depth.items())
        if depth == 0:
            areas[None] = None
        yield from _split(part, selected, ("domain",), areas, {})
        yield from _split(part, selected, ("difficulty", "domain"), areas, {})


def _split(
    part: pd.DataFrame,
    selected: Selected,
    by: tuple[str, ...],
    areas: Mapping[int | None, int | None],
    groups: Mapping[str, Sequence[int]],
) -> Iterator[tuple[Spot, PartScore]]:
    wanted = {
        (_said(one.capability), *(_said(value) for value in spot))
        for one in selected.wanted or ()
        if (spot := _place(one.difficulty, one.domain, by, areas)) is not None
    }
    scored = scores.breakdown(
        part,
        by=by,
        wanted=sorted(wanted, key=str),
        weights={_said(key): weight for key, weight in selected.weights.items()},
        criterion_weights={
            (_said(key), criterion): weight
            for (key, criterion), weight in selected.criterion_weights.items()
        },
        groups=groups,
        **way_of(selected.params),
    )
    for one in scored:
        at = dict(zip(by, one.at, strict=True))
        node = one.group or (ALL if one.capability is None else f"c-{one.capability}")
        yield (
            (
                cast("int", one.score.release),
                node,
                "" if one.score.criterion is None else str(one.score.criterion),
                str(at.get("difficulty", "")),
                str(at.get("domain", "")),
            ),
            one,
        )


def _place(
    difficulty: str,
    domain: int | None,
    by: Sequence[str],
    areas: Mapping[int | None, int | None],
) -> tuple[object, ...] | None:
    """Return the values that a split has for what was wanted; None where it lies outside."""
    if "domain" in by and domain not in areas:
        return None
    values = {"difficulty": difficulty, "domain": areas.get(domain)}
    return tuple(values[name] for name in by)


def _came(
    counted: pd.DataFrame, params: Mapping[str, Any], lines: Mapping[int, Sequence[int]]
) -> Counter[Spot]:
    """Count the grades that came for every cell, with those that said "cannot grade"."""
    by = ["release", "capability", "criterion", "difficulty", "domain"]
    sizes = counted.groupby(by, observed=True, dropna=False).size()
    found: Counter[Spot] = Counter()
    for key, n in sizes.items():
        release, capability, criterion, difficulty, domain = cast("tuple[Any, ...]", key)
        area = None if pd.isna(domain) else int(domain)
        known = None if pd.isna(capability) else int(capability)
        level = NONE if pd.isna(difficulty) else str(difficulty)
        for spot in _spots(int(release), known, str(criterion), level, area, params, lines):
            found[spot] += int(n)
    return found


def _wanted_breakdown(
    selected: Selected, params: Mapping[str, Any], lines: Mapping[int, Sequence[int]]
) -> Counter[Spot] | None:
    if selected.wanted is None:
        return None
    found: Counter[Spot] = Counter()
    for one in selected.wanted:
        for spot in _spots(
            one.release, one.capability, one.criterion, one.difficulty, one.domain, params, lines
        ):
            found[spot] += one.n
    return found


def _spots(
    release: int,
    capability: int | None,
    criterion: str,
    difficulty: str,
    domain: int | None,
    params: Mapping[str, Any],
    lines: Mapping[int, Sequence[int]],
) -> Iterator[Spot]:
    """Yield every cell that a grade counts in."""
    mine = f"c-{_said(capability)}"
    groups = [name for name, members in params.get("groups", {}).items() if capability in members]
    areas = ["", *map(str, lines.get(domain, ()))] if domain else ["", *([NONE] if lines else [])]
    for level in ("", difficulty):
        for area in areas:
            for node in (ALL, *(() if area else groups), mine):
                yield (release, node, "", level, area)
    yield (release, mine, criterion, "", "")


def _row(
    spot: Spot,
    score: ClaimScore,
    claim: Claim,
    came: Mapping[Spot, int],
    wanted: Mapping[Spot, int] | None,
) -> CellRow:
    estimate = score.others if claim is Claim.OTHERS else score.these
    return CellRow(
        score.figure,
        *spot,
        score.value,
        estimate.low,
        estimate.high,
        score.n_grades,
        score.n_questions,
        score.n_raters,
        came.get(spot, 0),
        None if wanted is None else wanted.get(spot, 0),
        len(score.missing) if score.partial else 0,
        score.reason,
        estimate.interval_reason,
    )


def _empty(figure: str, spot: Spot, wanted: int) -> CellRow:
    """Return the row of a cell that was to be graded and holds nothing yet."""
    return CellRow(
        figure, *spot, None, None, None, 0, 0, 0, 0, wanted, 0, Reason.NO_GRADES.value, None
    )


def _said(key: object) -> Any:
    return NONE if key is None else key


def scores_of_domains(round_: Round, params: Mapping[str, Any]) -> Plain:
    """Return score (0 to 100) and number of grades of every area that has any, with all below it.

    The score is Σ(mark − minimum) / Σ(top − minimum) over the grades that count, as everywhere.
    """
    counted = frame.default_filter(ratings.table([round_])).dropna(subset=["value"])
    lines = stock.lineages(Domain.objects.filter(project_id=round_.project_id))
    domain_of = dict(
        Item.objects.filter(project_id=round_.project_id, domain__isnull=False).values_list(
            "pk", "domain_id"
        )
    )
    sums: dict[int, list[float]] = {}
    columns = (counted[name] for name in ("item", "value", "scale_min", "scale_max"))
    for item, value, low, top in zip(*columns, strict=True):
        for domain in lines.get(domain_of.get(int(item)) or 0, ()):
            mine = sums.setdefault(domain, [0.0, 0.0, 0.0])
            mine[0] += float(value) - float(low)
            mine[1] += float(top) - float(low)
            mine[2] += 1
    return {
        str(domain): {"score": 100 * marks / span, "n": int(n)}
        for domain, (marks, span, n) in sorted(sums.items())
        if span > 0
    }


class Way(TypedDict, total=False):
    convention: Convention
    average: Average


WAYS: Mapping[str, Way] = {
    "": {},
    "printed": {"convention": "of_top"},
    "questions": {"average": "means_of_questions"},
}
Compute: TypeAlias = Callable[[Round, Mapping[str, Any]], Plain]


def scores_of(round_: Round, params: Mapping[str, Any]) -> Plain:
    """Return everything the page of results shows: scores, differences, coverage, and all of it by part.

    Releases and capabilities go by their keys; the page names them.

    Args:
        round_: whose grades.
        params: `weights` of capabilities by key, `criteria` by "capability.criterion", `groups`
            of capabilities by name, `selection` as `selection.Selection.params` says it, `margin`
            as a share, `way` of making a score of marks.
    """
    selected = Selected(round_, params)
    scored = scores.scores(
        selected.counted,
        weights=selected.weights,
        criterion_weights=selected.criterion_weights,
        groups=selected.groups,
        **way_of(params),
    )
    ranking = differences.ranking(scored, margin=float(params.get("margin", MARGIN)))
    # Of labels alone it is these that everything rests on.
    counts = _counts(selected.counted if len(selected.counted) else selected.labelled)
    wanted = _wanted(selected)
    of_words = not len(selected.counted) and len(selected.worded)
    return plain(
        ScoresFigure(
            level=scored.level,
            claim=Claim.of(counts["raters"]),
            margin=ranking.margin,
            counts=counts,
            methods={row.figure + "." + row.level: row.method for row in scored.rows},
            method_of_ranks=ranking.method,
            capabilities=scored.capabilities,
            usual=_ranked(scored.rows, ranking),
            views=_views(selected, ranking.margin, scored),
            pieces=_parts(selected, ranking.margin),
            widest=differences.widest(scored),
            coverage=scores.coverage(
                selected.everything, wanted=wanted, purposes=selected.purposes
            ),
            labels=tuple(_labels(selected, ranking.margin)),
            reason=Reason.NOT_MEASURED if of_words else None,
        )
    )


def _labels(selected: Selected, margin: float) -> Iterator[LabelsFigure]:
    """Yield the shares of the labels of every criterion that asks for them."""
    rows = selected.labelled.dropna(subset=["value"])
    names = {} if rows.empty else label_names(selected.round)
    for (criterion, _mark), mine in rows.groupby(["criterion", "mark"], observed=True):
        yield differences.label_shares(mine, names.get(str(criterion), {}), margin=margin)


def label_names(round_: Round) -> dict[str, dict[int, str]]:
    """Return by criterion what its labels are called, by their place."""
    versions = RoundItem.objects.filter(round=round_).order_by().values("rubric_version")
    levels = Level.objects.filter(
        criterion__rubric_version__in=versions, criterion__mark__in=frame.LABELLED
    )
    found: dict[str, dict[int, str]] = {}
    for key, value, label in levels.order_by("criterion__rubric_version__number").values_list(
        "criterion__key", "value", "label"
    ):
        found.setdefault(key, {})[int(value)] = label
    return found


def _wanted(selected: Selected) -> dict[tuple[int, int | None], int] | None:
    """Return how many marks were wanted by release and capability."""
    if selected.wanted is None:
        return None
    counts: dict[tuple[int, int | None], int] = {}
    for one in selected.wanted:
        place = (one.release, one.capability)
        counts[place] = counts.get(place, 0) + one.n
    return counts


def _counts(counted: pd.DataFrame) -> dict[str, int]:
    given = counted[counted["value"].notna()]
    return {
        "grades": len(given),
        "questions": int(given["group"].nunique()),
        "items": int(given["item"].nunique()),
        "raters": int(given["rater"].nunique()),
        "responses": int(given["response"].nunique()),
    }


def _views(selected: Selected, margin: float, whole: Scores) -> dict[str, RankedView]:
    """Return what else systems can be ranked by: accuracy, and each of several criteria alone."""
    made = {"accuracy": _view(whole, "accuracy", margin)}
    for key, rows in _pieces(selected.counted, "criterion").items():
        scored = _alone(selected, rows)
        for figure in FIGURES:
            made[f"{figure}/{key}"] = _view(scored, figure, margin)
    return made


def _view(scored: Scores, figure: Figure, margin: float) -> RankedView:
    """Return the overall figures of all releases with their ranks and differences."""
    overall = [row for row in scored.rows if row.level == "overall" and row.figure == figure]
    return _ranked(overall, differences.ranking(scored, figure=figure, margin=margin))


def _ranked(rows: Iterable[ClaimScore], ranking: ClaimRanking) -> RankedView:
    """Return figures with their ranks; how they are computed is said once for all of them."""
    return RankedView(
        ranking.releases,
        tuple(replace(row, method="") for row in rows),
        ranking.differences,
        {claim: getattr(ranking, claim) for claim in Claim},
    )


def _parts(selected: Selected, margin: float) -> tuple[PieceFigure, ...]:
    """Return capabilities, criteria and areas one by one, of all criteria and of each of several."""
    counted = _with_areas(selected.counted, selected.round)
    lines = stock.lineages(Domain.objects.filter(project_id=selected.round.project_id))
    areas = counted["domain"].tolist()
    counted = counted.assign(area=_objects(lines[pk][-1] if pk in lines else None for pk in areas))
    return tuple(
        PieceFigure(criterion, by, key, _part(_alone(selected, rows), margin))
        for criterion, mine in {"": counted, **_pieces(counted, "criterion")}.items()
        for by in BY
        for key, rows in _pieces(mine, by).items()
    )


def _part(scored: Scores, margin: float) -> dict[str, Top]:
    """Return by figure what a part scored as if it were all there is, and the pair on top of it."""
    views = {figure: _view(scored, figure, margin) for figure in FIGURES}
    return {
        figure: Top(view.scores, next(iter(view.differences), None))
        for figure, view in views.items()
    }


def _pieces(counted: pd.DataFrame, column: str) -> dict[Any, pd.DataFrame]:
    """Return the rows by the values of a column, nothing last; one value alone is no division."""
    groups = counted.groupby(column, observed=True, dropna=False)
    found = {_plain_key(key): rows for key, rows in groups}
    return found if len(found) > 1 else {}


def _plain_key(key: Any) -> Any:
    """Return a key of a group as it is stored: a text, a whole number, or None for nothing."""
    if pd.isna(key):
        return None
    return key if isinstance(key, str) else int(key)


def _alone(selected: Selected, rows: pd.DataFrame) -> Scores:
    """Score some rows as if they were all there are, with the weights that are looked at."""
    there = {_plain_key(key) for key in rows["capability"].unique().tolist()}
    return scores.scores(
        rows,
        weights={key: weight for key, weight in selected.weights.items() if key in there},
        criterion_weights=selected.criterion_weights,
        **way_of(selected.params),
    )


def way_of(params: Mapping[str, Any]) -> Way:
    """Return how a score is made of marks, as `scores` takes it."""
    return WAYS[params.get("way", "")]
