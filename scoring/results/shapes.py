"""Shapes of scores, differences and ranks as the API says them.

* Shapes of computed figures as the API says them: agreement, disputes, raters, plan, scores, movement.
"""

from datetime import datetime

from evalsite.contract.shapes import maybe, one_of, said, shape
from scoring.figures import typed
from scoring.figures.api import FRACTION, INTERVAL, NUMBER, WHY
from scoring.results.agreement import AgreementFigure
from scoring.results.disputes import DisputesFigure
from scoring.results.plan import PlanFigure
from scoring.results.raters import RatersFigure
from scoring.stats.claims import Certainty, Claim

_TESTS = {
    "p": said(NUMBER, "Of this comparison alone."),
    "p_holm": said(NUMBER, "Corrected for the number of pairs (Holm)."),
    "p_equal": said(NUMBER, "Of the two being further apart than `margin`, corrected likewise."),
}
SCORE_PARTS = {
    "round": shape("RoundHead", number=int, name=str, state=str, revision=int),
    "scripted": said(bool, "Whether some of it was written by a script: no measurement."),
    "level": said(float, "The confidence of every interval."),
    "claim": said(
        one_of(*map(str, Claim)),
        "For whom `ranks`, `better_than` and `not_separable` hold: for `these` annotators, or for "
        "`others` too, which takes three of them.",
    ),
    "margin": said(float, "How many points apart two systems are still called equal."),
    "counts": {str: int},
    "releases": [shape("ReleaseName", number=int, system=str, release=maybe(str), name=str)],
    "weights": [shape("CapabilityWeight", capability=str, weight=str)],
    "methods": {str: str},
    "scores": [
        shape(
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
            **INTERVAL,
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
            interval_reason=WHY,
            missing=[str],
            explanation=str,
        )
    ],
    "differences": [
        shape(
            "ScoreDifference",
            figure=str,
            left=int,
            right=int,
            value=said(maybe(FRACTION), "Left less right, on what both were graded on."),
            **INTERVAL,
            **_TESTS,
            others=said(
                shape("DifferenceForOthers", **INTERVAL, **_TESTS, interval_reason=WHY),
                "The same for other annotators too; the values beside it are for these.",
            ),
            certainty=said(
                one_of(*map(str, Certainty)),
                "All pairs compared at once: `clear` holds for other annotators too, `likely` for "
                "these; `equal` is within `margin`, and `open` may be chance.",
            ),
            clear=said(bool, "Whether `certainty` is `clear`."),
            n_questions=said(int, "How many questions are common to both."),
            n_either=said(int, "How many questions either was graded on."),
            n_pairs=said(int, "How many grades of each side have a partner."),
            n_left_out=said(int, "How many grades of both sides have none."),
            n_raters=said(int, "How many annotators graded both."),
            missing=said([str], "The parts that only one of the two was graded on."),
            reason=WHY,
            interval_reason=WHY,
            method=maybe(str),
        )
    ],
    "widest": said(
        maybe(shape("WidestGap", capability=str, high=int, low=int, points=float)),
        "The largest difference in a capability, on what both were graded on.",
    ),
    "ranks": [
        shape(
            "ReleaseRank",
            release=said(int, "Its number in `releases`."),
            low=said(maybe(int), "The best rank it may have when all pairs are compared at once."),
            high=said(maybe(int), "The worst."),
            better_than=said([int], "The releases that it is above beyond doubt."),
            reason=WHY,
        )
    ],
    "not_separable": said([[int]], "Groups of releases of which no two differ beyond doubt."),
    "coverage": [
        shape(
            "Covered",
            capability=str,
            wanted=maybe(int),
            given=int,
            cannot_grade=int,
            late=int,
            invalid=int,
            missing=maybe(int),
        )
    ],
}


READY = {"state": one_of("ready"), "as_of": maybe(datetime), "names_shown": bool}
SETTINGS = shape(
    "ScoreSettings",
    _text="The weights and filters in use, and every value that an address can give them.",
    is_usual=bool,
    query=str,
    weights=[
        shape("WeightLine", name=str, title=str, stored=str, used=str, share=NUMBER),
    ],
    effective={str: str},
    filters=[
        shape(
            "FilterLine",
            name=str,
            title=str,
            values=[shape("FilterValue", key=str, title=str, items=maybe(int), is_on=bool)],
        )
    ],
)

AGREEMENT = shape("Agreement", **READY, **typed.parts(AgreementFigure))
DISPUTES = shape("Disputes", **READY, **typed.parts(DisputesFigure))
ANNOTATORS = shape("AnnotatorFigures", **READY, **typed.parts(RatersFigure))
PLAN = shape("RoundPlan", **READY, **typed.parts(PlanFigure))
# ----------------------------------------------------------------------------------------- scores
SCORES = shape("Scores", **READY, **SCORE_PARTS, settings=SETTINGS)
