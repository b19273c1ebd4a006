"""Shapes of scores, differences and ranks as the API says them.

* Shapes of computed figures as the API says them: agreement, disputes, raters, plan, scores, movement.
"""

from datetime import datetime

from evalsite.contract.shapes import ANYTHING, maybe, one_of, optional, said, shape
from scoring.figures.api import FRACTION, INTERVAL, NUMBER, WHY
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

# ------------------------------------------------------------------------- agreement and disputes
COEFFICIENT = shape(
    "Coefficient", name=str, value=NUMBER, **INTERVAL, reason=WHY, interval_reason=WHY
)
AGREEMENT_OF = shape(
    "AgreementFigures",
    n_units=int,
    n_pairable=int,
    n_marks=int,
    n_raters=int,
    n_clusters=int,
    levels=[float],
    marginals=[float],
    coefficients=[COEFFICIENT],
    sampling=str,
    method=str,
)
AGREEMENT_TOGETHER = shape(
    "AgreementTogether",
    _text="Means over capabilities and criteria, weighted by their responses with two marks or more.",
    n_strata=said(int, "Capabilities × criteria."),
    n_units=int,
    n_pairable=int,
    n_marks=int,
    n_raters=int,
    n_clusters=int,
    coefficients=[
        shape(
            "MeanCoefficient",
            name=str,
            value=NUMBER,
            **INTERVAL,
            reason=WHY,
            interval_reason=WHY,
            n_strata=said(int, "Those that have the coefficient."),
            n_left_out=said(int, "Those that have none."),
        )
    ],
    method=str,
)
ICC = shape(
    "IntraclassCorrelation",
    n_units=int,
    n_left_out=int,
    n_raters=int,
    n_clusters=int,
    forms=[shape("IccForm", form=str, value=NUMBER, **INTERVAL, reason=WHY, interval_reason=WHY)],
)
PAIR = shape(
    "AnnotatorPair",
    left=str,
    right=str,
    n_units=int,
    n_clusters=int,
    raw=NUMBER,
    value=NUMBER,
    **INTERVAL,
    reason=WHY,
    interval_reason=WHY,
    method=str,
)
WITHOUT = shape("WithoutAnnotator", annotator=str, value=NUMBER, change=NUMBER)
DISAGREEMENT = shape(
    "Disagreement",
    rule=str,
    capability=maybe(str),
    n_disputed=int,
    n_pairs=int,
    value=maybe(FRACTION),
    reason=WHY,
)
AGREEMENT_PARTS = {
    "parts": [
        shape(
            "AgreementPart",
            capability=maybe(str),
            criterion=str,
            scale=[float],
            agreement=AGREEMENT_OF,
            icc=maybe(ICC),
        )
    ],
    "overall": AGREEMENT_TOGETHER,
    "again": AGREEMENT_TOGETHER,
    "disagreement": {str: [DISAGREEMENT]},
}
AGREEMENT_PEOPLE = {"pairs": [PAIR], "without": [WITHOUT]}
AGREEMENT = shape("Agreement", **READY, **AGREEMENT_PARTS, **AGREEMENT_PEOPLE)
DISPUTE_PARTS = {
    "rules": shape(
        "DisputeRules",
        rater=str,
        question=str,
        far=float,
        share=float,
        span=float,
        w1=FRACTION,
        w2=FRACTION,
    ),
    "few_raters": bool,
    "never": bool,
    "reason": WHY,
    "questions": [
        shape(
            "QuestionDispute",
            question=str,
            n_divided=int,
            n_alone=int,
            n_releases=int,
            n_raters=int,
            printed=maybe(FRACTION),
            normalised=maybe(FRACTION),
        )
    ],
    "n_without_threshold": int,
}
DISPUTE_PEOPLE = {
    "annotators": [
        shape(
            "AnnotatorDispute",
            overall=bool,
            annotator=str,
            capability=maybe(str),
            n_alone=int,
            n_graded=int,
            value=maybe(FRACTION),
        )
    ],
    "places": [
        shape(
            "DisputePlace",
            question=str,
            capability=maybe(str),
            criterion=str,
            divided=bool,
            n_raters=int,
            system=str,
            alone=[str],
        )
    ],
}
DISPUTES = shape("Disputes", **READY, **DISPUTE_PARTS, **DISPUTE_PEOPLE)

# ------------------------------------------------------------------------------------- annotators
ANNOTATORS_PARTS = {
    "severity": shape(
        "Severity",
        n_left_out=int,
        reason=WHY,
        method=str,
        annotators=[
            shape(
                "AnnotatorSeverity",
                annotator=str,
                severity=NUMBER,
                **INTERVAL,
                points=NUMBER,
                misfit=NUMBER,
                n_grades=int,
            )
        ],
        systems=[shape("FairScore", system=str, raw=NUMBER, fair=NUMBER, n_grades=int)],
    ),
    "retest": [
        shape(
            "Retest",
            annotator=str,
            n_pairs=int,
            same=NUMBER,
            apart=NUMBER,
            shift=NUMBER,
            reason=WHY,
        )
    ],
    "drift": [
        shape(
            "Drift",
            annotator=str,
            n_grades=int,
            slope=NUMBER,
            **INTERVAL,
            cusum=NUMBER,
            p=NUMBER,
            course=[float],
            reason=WHY,
        )
    ],
    "pace": [
        shape(
            "Pace",
            annotator=str,
            capability=maybe(str),
            n_seats=int,
            median=NUMBER,
            **INTERVAL,
            n_fast=int,
        )
    ],
    "tempo": [
        shape(
            "Tempo",
            _text="The usual time of a question beside how often somebody stands alone.",
            annotator=str,
            seconds=NUMBER,
            **INTERVAL,
            n_seats=int,
            alone=said(NUMBER, "C(i): the share of graded responses."),
            n_graded=int,
        )
    ],
    "position": shape(
        "Position",
        positions=[shape("AtPosition", position=int, mean=NUMBER, **INTERVAL, n_grades=int)],
        p=NUMBER,
        n_questions=int,
        reason=WHY,
    ),
}
ANNOTATORS = shape("AnnotatorFigures", **READY, **ANNOTATORS_PARTS)
HITS = shape(
    "SignalHits",
    n=int,
    n_hits=int,
    expected=NUMBER,
    chance=NUMBER,
    alarm=bool,
    false_alarm=NUMBER,
)
SIGNALS = shape(
    "Signals",
    **READY,
    annotators=[
        shape(
            "AnnotatorSignals",
            annotator=str,
            needs_look=bool,
            gold=maybe(
                shape(
                    "GoldSignal",
                    n=int,
                    n_right=int,
                    at=maybe(int),
                    alarm=bool,
                    false_alarm=NUMBER,
                    se=NUMBER,
                    caught=NUMBER,
                )
            ),
            drift=said(maybe({str: ANYTHING}), "Null where nothing can be said."),
            retest=maybe(HITS),
            pace=maybe(HITS),
            looked_into=maybe(str),
        )
    ],
)
# ------------------------------------------------------------------------------------------- plan
PLAN_PARTS = {
    "delta": float,
    "power": float,
    "level": float,
    "components": maybe({str: ANYTHING}),
    "needs": [
        shape(
            "Need",
            n_raters=int,
            n_questions=said(maybe(int), "That find the difference."),
            n_equal=said(maybe(int), "That show two equal systems to lie within it."),
            reason=WHY,
        )
    ],
    "least_raters": maybe(int),
    "reason": WHY,
    "width": float,
    "curves": [
        shape(
            "WidthCurve",
            system=str,
            n_questions=int,
            points=[shape("CurvePoint", n_questions=int, width=NUMBER, enough=bool)],
            n_enough=maybe(int),
            reason=WHY,
        )
    ],
}
PLAN = shape("RoundPlan", **READY, **PLAN_PARTS)

# ----------------------------------------------------------------------------------------- scores
SCORES = shape("Scores", **READY, **SCORE_PARTS, settings=SETTINGS)

# --------------------------------------------------------------------------------------- movement
CAUSES = shape(
    "Causes",
    before=ANYTHING,
    after=ANYTHING,
    questions=ANYTHING,
    responses=ANYTHING,
    same_raters=ANYTHING,
    other_raters=ANYTHING,
    together=ANYTHING,
    change=ANYTHING,
    drift=ANYTHING,
    reason=WHY,
)
MOVEMENT = shape(
    "Movement",
    state=one_of("ready"),
    system=str,
    before=int,
    after=int,
    as_of=maybe(datetime),
    pairs={str: ANYTHING},
    figures=[
        shape(
            "MovedFigure",
            figure=str,
            capability=maybe(str),
            criterion=maybe(str),
            problem=maybe(str),
            methods={str: CAUSES},
            intervals={str: shape("CauseInterval", **INTERVAL, n_clusters=maybe(int), reason=WHY)},
            scenarios=[ANYTHING],
        )
    ],
)

# ----------------------------------------------------------------------------------------- report
_OPTIONAL_PEOPLE = {name: optional(of) for name, of in AGREEMENT_PEOPLE.items()}
_OPTIONAL_PLACES = {name: optional(of) for name, of in DISPUTE_PEOPLE.items()}
REPORT = shape(
    "Report",
    **READY,
    **SCORE_PARTS,
    is_final=bool,
    is_partial=bool,
    agreement=shape("ReportAgreement", **AGREEMENT_PARTS, **_OPTIONAL_PEOPLE),
    disputes=shape("ReportDisputes", **DISPUTE_PARTS, **_OPTIONAL_PLACES),
    annotators=optional(shape("ReportAnnotators", **ANNOTATORS_PARTS)),
    plan=shape("ReportPlan", **PLAN_PARTS),
    movement=[MOVEMENT],
    methods_text=[shape("MethodText", of=str, text=str)],
    settings=[shape("ReportSetting", setting=str, value=str)],
    versions=[shape("ReportVersion", of=str, value=str)],
)
