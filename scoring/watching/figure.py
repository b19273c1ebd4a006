"""The figure of signals: which annotators need a look, by what they submitted first. Workers only."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd

from annotation.grading import counting as first_grades
from annotation.qualification import answers as gold
from annotation.rounds.models import Round
from scoring.stats.people import raters, watching
from scoring.stats.people.watching import SimulatedRate, WatchingPlan
from scoring.stats.plain import Plain
from scoring.stats.preferences.agreeing import TOOK
from scoring.stats.resampled.exact import Label
from scoring.stats.resampled.linear import FloatArray, IntArray

ALPHA = 0.01
#: How often a round accuses any steady annotator of drift.
DRIFT_ALPHA = 0.05
#: So much must there be of one annotator, and of all the others, before they are compared.
LEAST, LEAST_OTHERS = 5, 20
#: A share of the others that is compared with is taken to lie within these.
USUAL = (0.02, 0.98)


def signals_of(round_: Round, params: Mapping[str, Any]) -> Plain:
    """Return four signals of each annotator, with how often each is raised by chance.

    Args:
        round_: whose first grades.
        params: `good` and `careless` of the test on gold.
    """
    rows = _frame(round_)
    plan = WatchingPlan(good=float(params["good"]), careless=float(params["careless"]))
    people = sorted({int(one) for one in rows["rater"].tolist()})
    made = {
        "gold": _gold(rows, gold.of_round(round_), plan),
        "drift": drift_of(rows[rows["mark"] != "CHOICE"]),
        "retest": _retest(rows),
        "pace": _pace(rows),
    }
    return {
        "raters": [
            {"rater": person, **{name: found.get(person) for name, found in made.items()}}
            for person in people
        ],
        "alpha": ALPHA,
        "good": plan.good,
        "careless": plan.careless,
        "fast": raters.FAST,
        "drift_alpha": DRIFT_ALPHA,
    }


def _frame(round_: Round) -> pd.DataFrame:
    rows = pd.DataFrame(list(first_grades.rows(round_)), columns=list(first_grades.First._fields))
    rows["share"] = rows["share"].astype("float64")
    rows["active_ms"] = rows["active_ms"].astype("float64")
    rows["capability"] = rows["capability"].astype("float64")
    return rows.sort_values(["rater", "at", "item", "response", "criterion"], kind="stable")


def _gold(
    rows: pd.DataFrame, known: Mapping[tuple[int, str], gold.KnownCourse], plan: WatchingPlan
) -> dict[int, Plain]:
    """Compare gold with what was known when it was submitted; where nothing was, leave it out."""
    mine = rows[rows["purpose"] == "GOLD"]
    wanted = [
        _known(known, response, criterion, at)
        for response, criterion, at in zip(
            mine["response"].tolist(), mine["criterion"].tolist(), mine["at"].tolist(), strict=True
        )
    ]
    right = [
        value is not None and one is not None and _read(mark, value) == _read(mark, one)
        for mark, value, one in zip(
            mine["mark"].tolist(), mine["value"].tolist(), wanted, strict=True
        )
    ]
    mine = mine.assign(right=right)[np.array([one is not None for one in wanted], dtype=np.bool_)]
    made: dict[int, Plain] = {}
    for rater, places in mine.groupby("rater")["right"]:
        found = watching.sequential(places.to_numpy(dtype=np.bool_), plan)
        by_chance = watching.alarm_rate(plan, plan.good, found.n)
        caught = watching.alarm_rate(plan, plan.careless, found.n)
        made[_key(rater)] = {
            "n": found.n,
            "n_right": found.n_right,
            "at": found.at,
            "alarm": found.alarm,
            **_said(by_chance),
            "caught": caught.value,
        }
    return made


def _known(
    known: Mapping[tuple[int, str], gold.KnownCourse], response: int, criterion: str, at: Any
) -> Decimal | None:
    course = known.get((response, criterion))
    return course.at(None if pd.isna(at) else at) if course else None


def _read(mark: str, value: Decimal) -> Decimal | int:
    """Return what is compared of a mark: of a choice which answer it took, not by how much."""
    return int(TOOK[int(value)]) if mark == "CHOICE" else value


def _said(rate: SimulatedRate) -> dict[str, float]:
    return {"false_alarm": rate.value, "se": rate.se}


def drift_of(rows: pd.DataFrame) -> dict[int, Plain]:
    """Watch the deviations from the others: does anybody leave where they stood?"""
    counted = rows[(rows["occasion"] == 1) & (rows["purpose"] != "GOLD") & rows["share"].notna()]
    unit = counted.groupby(["response", "criterion"])["share"]
    n, total = unit.transform("size"), unit.transform("sum")
    others = (total - counted["share"]) / (n - 1).where(n > 1)
    known = counted.assign(off=counted["share"] - others).dropna(subset=["off", "at"])
    begun = known.groupby(["rater", "item"])["at"].transform("min")
    time = begun.to_numpy(dtype="datetime64[us]").astype(np.int64)
    courses: dict[Label, tuple[FloatArray, IntArray]] = {
        _key(rater): (known["off"].to_numpy(np.float64)[places], time[places])
        for rater, places in known.groupby("rater").indices.items()
    }
    made: dict[int, Plain] = {}
    for one in raters.drifts(courses):
        if one.p_bh is not None and one.cusum is not None:
            at, is_kinder = raters.turn(*courses[_key(one.rater)])
            alarm = one.p_bh <= DRIFT_ALPHA
            made[_key(one.rater)] = {
                "n": one.n_blocks,
                "cusum": one.cusum,
                "chance": one.p_bh,
                "at": at if alarm else None,
                "alarm": alarm,
                "is_kinder": is_kinder,
                "false_alarm": DRIFT_ALPHA,
            }
    return made


def _retest(rows: pd.DataFrame) -> dict[int, Plain]:
    """Compare what was given of the same response twice: too seldom the same?

    A choice is the same if it takes the same answer, by however much.
    """
    key = ["rater", "response", "criterion"]
    marked = rows[rows["share"].notna()].copy()
    chosen = marked["mark"] == "CHOICE"
    marked.loc[chosen, "share"] = TOOK[marked.loc[chosen, "value"].astype(int)]
    first, second = (marked[marked["occasion"] == n] for n in (1, 2))
    both = second.merge(first[[*key, "share"]], on=key, suffixes=("", "_before"))
    same = (both["share"] - both["share_before"]).abs() < 1e-9
    return _against_the_others(both["rater"].tolist(), same.tolist(), watching.few_hits)


def _pace(rows: pd.DataFrame) -> dict[int, Plain]:
    """Count the questions, or pairs, that took less than a share of what they usually take."""
    timed = rows[rows["active_ms"].notna()]
    seats = (
        timed.groupby(["rater", "item", "pair", "occasion"])
        .agg(ms=("active_ms", "max"), capability=("capability", "first"))
        .reset_index()
    )
    usual = seats.groupby("capability", dropna=False)["ms"].transform("median")
    fast = seats["ms"] < raters.FAST * usual
    return _against_the_others(seats["rater"].tolist(), fast.tolist(), watching.many_hits)


def _against_the_others(people: Sequence[int], hits: Sequence[bool], test: Any) -> dict[int, Plain]:
    """Test everybody's hits against the share that the others have together."""
    n: dict[int, int] = {}
    n_hits: dict[int, int] = {}
    for person, hit in zip(people, hits, strict=True):
        n[person] = n.get(person, 0) + 1
        n_hits[person] = n_hits.get(person, 0) + hit
    everything, all_hits = len(people), sum(n_hits.values())
    made: dict[int, Plain] = {}
    for person, mine in n.items():
        others = everything - mine
        if mine < LEAST or others < LEAST_OTHERS:
            continue
        low, high = USUAL
        share = min(high, max(low, (all_hits - n_hits[person]) / others))
        found = test(n_hits[person], mine, share, alpha=ALPHA)
        made[int(person)] = {
            "n": found.n,
            "n_hits": found.n_hits,
            "expected": found.expected,
            "chance": found.chance,
            "alarm": found.alarm,
            "false_alarm": found.false_alarm,
        }
    return made


def _key(rater: object) -> int:
    return int(str(rater))
