"""Shapes of scores, differences and ranks as the API says them.

* Shapes of computed figures as the API says them: agreement, disputes, raters, plan, scores, movement.
* What the API says of scores: every field named here, and no key of the database among them.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from annotation.common.parts import PartLevel
from annotation.rounds.models import Round
from annotation.rounds.queries import graded_parts
from evalsite.contract.shapes import answer, answers, at, maybe, one_of, or_null, said, shape
from scoring.figures import typed
from scoring.figures.api import FRACTION, INTERVAL, NUMBER, WHY
from scoring.figures.models import Figure
from scoring.figures.weights import WeightLine, written
from scoring.results import model
from scoring.results.agreement import AgreementFigure
from scoring.results.queries import RoundResult
from scoring.results.raters import RatersFigure
from scoring.shown.wording import why
from scoring.stats.claims import Certainty, Claim, ClaimDifference, ClaimScore, LabelsFigure
from scoring.stats.people.said import DisputesFigure
from scoring.stats.preferences.said import GradesBesideFigure, PreferencesFigure
from scoring.stats.scores.said import ModelFigure, PlanFigure, WholeFigure

_TESTS = {
    "p": said(NUMBER, "Of this comparison alone."),
    "p_holm": said(NUMBER, "Corrected for the number of pairs (Holm)."),
    "p_equal": said(NUMBER, "Of the two being further apart than `margin`, corrected likewise."),
}
HEAD = shape(
    "RoundHead",
    number=int,
    name=str,
    state=str,
    revision=int,
    graded=at(
        graded_parts,
        said(
            [one_of(*map(str, PartLevel))],
            "Of a round of conversations, which parts of them are graded; empty for answers to questions.",
        ),
    ),
)
RELEASE = shape(
    "ReleaseName",
    number=int,
    system=str,
    release=at("label", or_null(str)),
    name=at("text", str),
)
COVERED = shape(
    "Covered",
    capability=at("title", str),
    wanted=maybe(int),
    given=int,
    cannot_grade=int,
    late=int,
    invalid=int,
    missing=maybe(int),
)
RANK = shape(
    "ReleaseRank",
    release=said(int, "Its number in `releases`."),
    low=said(maybe(int), "The best rank it may have when all pairs are compared at once."),
    high=said(maybe(int), "The worst."),
    better_than=said([int], "The releases that it is above beyond doubt."),
    reason=WHY,
)
BY_CLAIM = shape("DifferenceForOthers", **INTERVAL, **_TESTS, interval_reason=WHY)


def _these(**fields: Any) -> dict[str, Any]:
    """Return fields of what is claimed for these annotators, as they stand beside the figure."""
    return {name: at(f"these.{name}", of) for name, of in fields.items()}


DIFFERENCE = shape(
    "ScoreDifference",
    figure=str,
    left=int,
    right=int,
    value=said(maybe(FRACTION), "Left less right, on what both were graded on."),
    **_these(**INTERVAL, **_TESTS),
    others=said(
        BY_CLAIM,
        "The same for other annotators too; the values beside it are for these.",
    ),
    certainty=said(
        one_of(*map(str, Certainty)),
        "All pairs compared at once: `clear` holds for other annotators too, `likely` for "
        "these; `equal` is within `margin`, and `open` may be chance.",
    ),
    clear=at(
        lambda row: row.certainty is Certainty.CLEAR,
        said(bool, "Whether `certainty` is `clear`."),
    ),
    n_questions=said(int, "How many questions are common to both."),
    n_either=said(int, "How many questions either was graded on."),
    n_pairs=said(int, "How many grades of each side have a partner."),
    n_left_out=said(int, "How many grades of both sides have none."),
    n_raters=said(int, "How many annotators graded both."),
    missing=said([str], "The parts that only one of the two was graded on."),
    reason=WHY,
    **_these(interval_reason=WHY),
    method=maybe(str),
)
SCORE = shape(
    "Score",
    release=said(int, "Its number in `releases`."),
    capability=maybe(str),
    figure=str,
    level=str,
    criterion=maybe(str),
    group=maybe(str),
    value=maybe(FRACTION),
    numerator=maybe(FRACTION),
    denominator=maybe(FRACTION),
    **_these(**INTERVAL),
    others=said(
        shape("ScoreForOthers", **INTERVAL, interval_reason=WHY),
        "The interval for other annotators too; `low` and `high` are for these.",
    ),
    n_grades=int,
    n_questions=int,
    n_raters=int,
    came=said(maybe(int), "How many of the grades wanted are there; null for a criterion."),
    wanted=said(maybe(int), "How many grades were wanted, where that is known."),
    partial=bool,
    reason=WHY,
    **_these(interval_reason=WHY),
    missing=[str],
    explanation=str,
)
LABELS = shape(
    "Labels",
    _text="A criterion whose marks are labels: they have no mean, and count in no score.",
    criterion=str,
    title=str,
    several=said(bool, "Whether an answer may have several of them."),
    n_grades=int,
    n_questions=int,
    n_raters=int,
    labels=[
        shape(
            "LabelShares",
            label=said(int, "Its place in the rubric, from 1; 0 for none of several."),
            name=str,
            shares=said([SCORE], "The share of grades with the label, a row for each release."),
            differences=said([DIFFERENCE], "Corrected over all labels and pairs of the criterion."),
        )
    ],
)
SCORE_PARTS = {
    "round": HEAD,
    "scripted": said(bool, "Whether some of it was written by a script: no measurement."),
    "level": said(float, "The confidence of every interval."),
    "claim": said(
        one_of(*map(str, Claim)),
        "For whom `ranks`, `better_than` and `not_separable` hold: for `these` annotators, or for "
        "`others` too, which takes three of them.",
    ),
    "margin": said(float, "How many points apart two systems are still called equal."),
    "counts": {str: int},
    "sample": said(
        maybe(shape("ScoreSample", n_chosen=int, n_frame=int, rule=str)),
        "Of a round that holds some outputs of a run: all these scores are of those alone. `whole/` has "
        "the figures of all.",
    ),
    "releases": [RELEASE],
    "weights": [shape("CapabilityWeight", capability=str, weight=str)],
    "methods": {str: str},
    "scores": [SCORE],
    "differences": [DIFFERENCE],
    "widest": said(
        maybe(shape("WidestGap", capability=str, high=int, low=int, points=float)),
        "The largest difference in a capability, on what both were graded on.",
    ),
    "ranks": [RANK],
    "not_separable": said([[int]], "Groups of releases of which no two differ beyond doubt."),
    "coverage": [COVERED],
    "labels": [LABELS],
}


READY = {"state": one_of("ready"), "as_of": maybe(datetime), "names_shown": bool}


def _share(line: WeightLine) -> float | None:
    return None if line.share is None else float(line.share / 100)


WEIGHT = shape(
    "WeightLine",
    name=str,
    title=str,
    stored=str,
    used=str,
    share=at(_share, NUMBER),
)
FILTER = shape(
    "FilterLine",
    name=str,
    title=str,
    values=at(
        "choices",
        [shape("FilterValue", key=str, title=str, items=at("n", maybe(int)), is_on=bool)],
    ),
)
SETTINGS = shape(
    "ScoreSettings",
    _text="The weights and filters in use, and every value that an address can give them.",
    is_usual=bool,
    query=str,
    weights=at("form", [WEIGHT]),
    effective=at(lambda cut: {k: written(one) for k, one in cut.effective.items()}, {str: str}),
    filters=at("facets", [FILTER]),
)

AGREEMENT = shape("Agreement", **READY, **typed.parts(AgreementFigure))
DISPUTES = shape("Disputes", **READY, **typed.parts(DisputesFigure))
ANNOTATORS = shape("AnnotatorFigures", **READY, **typed.parts(RatersFigure))
MODEL = shape("RoundModel", **READY, **typed.parts(ModelFigure))
WHOLE = shape("RoundWhole", **READY, **typed.parts(WholeFigure))
PLAN = shape("RoundPlan", **READY, **typed.parts(PlanFigure))
PREFERENCES = shape("RoundPreferences", **READY, **typed.parts(PreferencesFigure))
BESIDE = shape("PreferencesBesideGrades", **READY, **typed.parts(GradesBesideFigure))
# ----------------------------------------------------------------------------------------- scores
SCORES = shape("Scores", **READY, **SCORE_PARTS, settings=SETTINGS)


def results(
    round_: Round, result: RoundResult, figure: Figure, *, names_shown: bool
) -> dict[str, Any]:
    """Return the result of a round; releases go by their number, the one they are filtered by."""
    number = {name.release: result.places[name.release] for name in result.names}
    return {
        "state": "ready",
        "round": answer(HEAD, round_),
        # Some of what was graded was written by a script: no measurement.
        "scripted": bool(round_.draw.get("prepared", {}).get("scripted")),
        "as_of": figure.ready_at,
        "names_shown": names_shown,
        "level": result.data.level,
        "claim": result.claim,
        "margin": result.margin,
        "counts": dict(result.data.counts),
        "sample": _sample(round_),
        "releases": [answer(RELEASE, name, number=number[name.release]) for name in result.names],
        "weights": [{"capability": title, "weight": weight} for title, weight in result.weights],
        "methods": dict(result.data.methods),
        "scores": list(_scores(result, number)),
        "differences": [_difference(row, result, number) for row in result.differences],
        "widest": _widest(result, number),
        "ranks": list(_ranks(result, number)),
        "not_separable": [
            [number[name.release] for name in group] for group in result.not_separable
        ],
        "coverage": answers(COVERED, result.coverage),
        "labels": [_labels(one, result, number) for one in result.data.labels],
    }


def _sample(round_: Round) -> dict[str, Any] | None:
    made = model.drawn_from(round_)
    if made is None:
        return None
    return {"n_chosen": made.n_taken, "n_frame": made.n_units, "rule": made.rule}


def _difference(
    row: ClaimDifference, result: RoundResult, number: Mapping[int, int]
) -> dict[str, Any]:
    return answer(
        DIFFERENCE,
        row,
        left=number[row.left],
        right=number[row.right],
        missing=result.named(row.missing),
    )


def _labels(found: LabelsFigure, result: RoundResult, number: Mapping[int, int]) -> dict[str, Any]:
    made = [
        {
            "label": one.label,
            "name": one.name,
            "shares": [
                _score(row, result, number, {"came": None, "wanted": None})
                for row in one.scores
                if row.release in number
            ],
            "differences": [
                _difference(row, result, number)
                for row in one.differences
                if {row.left, row.right} <= number.keys()
            ],
        }
        for one in found.labels
    ]
    return answer(LABELS, found, title=result.criterion_title(found.criterion), labels=made)


def _scores(result: RoundResult, number: Mapping[int, int]) -> Iterator[dict[str, Any]]:
    for row in result.shown.scores:
        if row.release not in number:
            continue
        covered = result.covered(row)
        if row.level == "criterion":
            covered = dict.fromkeys(covered)
        yield _score(row, result, number, covered)


def _score(
    row: ClaimScore, result: RoundResult, number: Mapping[int, int], covered: Mapping[str, Any]
) -> dict[str, Any]:
    spans = row.level in {"group", "overall"}
    return answer(
        SCORE,
        row,
        release=number[row.release],
        capability=None if spans else result.title(row.capability),
        **covered,
        missing=result.missing(row),
        explanation=why(row.reason or row.these.interval_reason),
    )


def _widest(result: RoundResult, number: Mapping[int, int]) -> dict[str, Any] | None:
    found = result.widest
    if found is None:
        return None
    return {
        "capability": found.title,
        "high": number[found.high.release],
        "low": number[found.low.release],
        "points": float(found.points),
    }


def _ranks(result: RoundResult, number: Mapping[int, int]) -> Iterator[dict[str, Any]]:
    known = {line.name.release: line for line in result.headline}
    for row in result.shown.ranks[result.claim].ranks:
        if line := known.get(row.release):
            better = [number[other.release] for other in line.better]
            yield answer(RANK, row, release=number[row.release], better_than=better)
