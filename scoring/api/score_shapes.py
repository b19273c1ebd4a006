"""Shapes of scores, differences and ranks as the API says them."""

from evalsite.contract.shapes import maybe, said, shape
from scoring.api.number_shapes import FRACTION, INTERVAL, NUMBER, WHY

SCORE_PARTS = {
    "round": shape("RoundHead", number=int, name=str, state=str, revision=int),
    "scripted": said(bool, "Whether some of it was written by a script: no measurement."),
    "level": said(float, "The confidence of every interval."),
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
            p=said(NUMBER, "Of this comparison alone."),
            p_holm=said(NUMBER, "Corrected for the number of pairs (Holm)."),
            clear=said(bool, "Whether the two differ beyond doubt, all pairs compared at once."),
            n_questions=said(int, "How many questions are common to both."),
            n_either=said(int, "How many questions either was graded on."),
            n_pairs=said(int, "How many grades of each side have a partner."),
            n_left_out=said(int, "How many grades of both sides have none."),
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
            first_in=said(NUMBER, "The share of resamples in which its score is the highest."),
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
