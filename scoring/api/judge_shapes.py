"""Shapes of judges beside people as the API says them; a row has the columns of its table."""

from datetime import datetime

from evalsite.contract.shapes import maybe, one_of, said, shape

NUMBER = maybe(float)
INTERVAL = {"low": NUMBER, "high": NUMBER}
WHY = said(maybe(str), "Why there is no number, in words.")
HEAD = {
    "state": one_of("ready"),
    "as_of": maybe(datetime),
    "rounds": [int],
    "raters": [str],
    "note": str,
    "names_shown": bool,
}
COUNTS = {str: int}
CORRELATION = {"value": NUMBER, **INTERVAL, "why": WHY, "p": NUMBER, "n": maybe(int)}
SHOWN = {"level": str, "coefficient": str}
OF_ALL = {
    "level": str,
    "counts": COUNTS,
    "coefficients": [
        shape(
            "JudgeCorrelation",
            judge=str,
            criterion=str,
            own_criterion=maybe(str),
            **SHOWN,
            **CORRELATION,
            without_score=maybe(int),
        )
    ],
    "shifts": [
        shape(
            "JudgeShift",
            judge=str,
            criterion=str,
            shift=NUMBER,
            **INTERVAL,
            mean_distance=NUMBER,
        )
    ],
    "overall": [
        shape(
            "JudgeOverall",
            judge=str,
            definition=str,
            **SHOWN,
            value=NUMBER,
            **INTERVAL,
            n=maybe(int),
        )
    ],
    "ceilings": [
        shape(
            "PeopleCeiling",
            criterion=str,
            coefficient=str,
            value=NUMBER,
            lowest=NUMBER,
            highest=NUMBER,
            people=maybe(int),
        )
    ],
}
GAP = shape("Gap", item=str, system=str, people=NUMBER, marks=int, judge=NUMBER, gap=NUMBER)
OF_ONE = {
    "criterion": str,
    "own_criterion": maybe(str),
    "coefficient": str,
    "n": int,
    "without_score": int,
    "alternative": said(
        maybe(
            shape(
                "AlternativeTest",
                passes=maybe(bool),
                winning_rate=said(NUMBER, "The share of people that it may stand in for."),
                advantage=NUMBER,
                epsilon=NUMBER,
                n_people=int,
                n_tested=int,
                reason=maybe(str),
            )
        ),
        "Whether the judge may stand in for a person.",
    ),
    "confusion": said(
        maybe(
            shape("JudgeConfusion", levels=[float], table=[[int]], rounded=bool),
        ),
        "Every mark of a person, a row each level, beside the judge's, a column each.",
    ),
    "pairs_within_questions": {
        str: shape("PairwiseAgreement", value=NUMBER, **INTERVAL, n_pairs=int)
    },
    "pairs_of_systems": shape("SystemPairs", value=NUMBER, n_pairs=int),
    "soft_pairwise_accuracy": NUMBER,
    "levels": [shape("JudgeLevel", **SHOWN, **CORRELATION)],
    "capabilities": [
        shape(
            "JudgeCapability",
            capability=str,
            value=NUMBER,
            **INTERVAL,
            why=WHY,
            people=NUMBER,
            n=maybe(int),
            use=maybe(str),
        )
    ],
    "systems": [
        shape("JudgeSystem", system=str, people=NUMBER, judge=NUMBER, shift=NUMBER, n=maybe(int))
    ],
    "sway": [shape("JudgeSway", what=str, value=NUMBER, **INTERVAL, why=WHY, meaning=str)],
    "disagreements": [GAP],
}
BESIDE_PEOPLE = shape("JudgesBesidePeople", **HEAD, **OF_ALL)
ONE_BESIDE_PEOPLE = shape("JudgeBesidePeople", **HEAD, **OF_ONE)
PAIRS = shape(
    "JudgePairs",
    **HEAD,
    **SHOWN,
    criterion=str,
    counts=COUNTS,
    matrix=[
        shape(
            "JudgePair",
            left=str,
            right=str,
            **SHOWN,
            value=NUMBER,
            why=WHY,
            p=NUMBER,
            n=maybe(int),
        )
    ],
    tests=[
        shape(
            "JudgePairTest",
            left=str,
            right=str,
            **SHOWN,
            left_with_people=NUMBER,
            right_with_people=NUMBER,
            difference=NUMBER,
            p=NUMBER,
            p_holm=NUMBER,
            williams_p=NUMBER,
            williams_p_holm=NUMBER,
            why=WHY,
            n=maybe(int),
        )
    ],
)
TOGETHER = shape(
    "JudgesTogether",
    **HEAD,
    level=str,
    counts=COUNTS,
    open_ranges=str,
    alignment=said({str: [str]}, "The judges of LLMSel, by criterion."),
    left_out=said({str: {str: str}}, "Why a judge is left out, by criterion and judge."),
    mixes=[
        shape(
            "JudgeMix",
            criterion=str,
            name=str,
            method=str,
            **SHOWN,
            **CORRELATION,
            within_folds=NUMBER,
            incomplete=maybe(int),
        )
    ],
    weights=[
        shape(
            "JudgeWeight",
            criterion=str,
            weighing=str,
            fold=maybe(int),
            n_train=maybe(int),
            judge=str,
            weight=NUMBER,
        )
    ],
)
FEWER = shape(
    "FewerGrades",
    **HEAD,
    criterion=str,
    counts=COUNTS,
    judge=str,
    scale=[float],
    drawn_from=maybe(shape("DrawnFrom", run=int, name=str, n=int)),
    confidence=NUMBER,
    method=str,
    powered=[
        shape(
            "PoweredMean",
            system=str,
            value=NUMBER,
            **INTERVAL,
            people=NUMBER,
            people_low=NUMBER,
            people_high=NUMBER,
            why=WHY,
            judge_mean=NUMBER,
            lambda_=NUMBER,
            n=maybe(int),
            graded=maybe(int),
            imputed=maybe(int),
            effective=NUMBER,
            saved=NUMBER,
        )
    ],
)
APART = shape(
    "JudgeApart",
    **HEAD,
    criterion=str,
    systems=[str],
    n=int,
    of=int,
    results=[GAP],
    next=said(maybe(str), "The query of the next page; null on the last one."),
)
