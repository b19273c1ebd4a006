"""People and machines side by side on the same responses: the columns of the judge–human figures.

People are marks of rounds, by all raters or by those whose names fit a pattern; machines are the
judges and metrics asked for. Both are read from the one table of ratings under its default filter,
joined by response: a response that one side lacks stays, with nothing on that side.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import pandas as pd

from annotation.models import Rater, Response, Round
from scoring.models import Machine
from scoring.queries import ratings
from scoring.stats import frame, levels
from scoring.stats.linear import FloatArray, IntArray

PEOPLE = ("PERSON", "IMPORTED")
MACHINES = ("JUDGE", "METRIC", "DERIVED")
#: Grades have four decimals at most: whole numbers of these are summed, so that ties stay ties.
UNIT = 10_000


@dataclass(frozen=True, slots=True)
class People:
    """Whose marks stand for people. A pattern is a rater's name in which * stands for anything."""

    rounds: tuple[Round, ...]
    patterns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Human:
    """The marks of people on one criterion, a column a response.

    `total` is the exact sum over `count` marks; `marks` has a row for each of `raters`, NaN where
    somebody gave none, and the mean where somebody gave several.
    """

    criterion: str
    total: FloatArray
    count: IntArray
    marks: FloatArray
    raters: tuple[int, ...]
    scale_min: float
    scale_max: float


@dataclass(frozen=True, slots=True)
class Judged:
    """The scores of a machine on one criterion, a place a response, NaN where there is none.

    `n_failed` judgments had no score and say why; an open end of the range is NaN.
    """

    rater: int
    criterion: str
    values: FloatArray
    n_failed: int
    scale_min: float
    scale_max: float
    higher_is_better: bool
    family: str


@dataclass(frozen=True, slots=True)
class Columns:
    """Responses with what people and machines said of them. `inclusion_p` is NaN where not drawn.

    Everything stands in the order of `response`; `rows` is what the statistics take of it.
    """

    rows: levels.Rows
    response: tuple[int, ...]
    system: tuple[str, ...]
    group: tuple[str, ...]
    item: tuple[int, ...]
    release: tuple[int, ...]
    inclusion_p: FloatArray
    people: Mapping[str, Human]
    judges: Mapping[tuple[int, str], Judged]


def columns(people: People, judges: Sequence[int]) -> Columns:
    """Return the aligned columns. Loads pandas: workers only.

    Args:
        people: rounds of one project, and raters of them.
        judges: keys of raters of kind JUDGE or METRIC.
    """
    table = frame.default_filter(ratings.table(people.rounds, judged_by=judges))
    kind = table["rater_kind"].astype(object)
    chosen = _raters(people)
    human = table[kind.isin(PEOPLE) & table["rater"].astype(object).isin(chosen)]
    # A verdict on a turn is not one on the response.
    whole = table["target_level"].astype(object) == "RESPONSE"
    machine = table[kind.isin(MACHINES) & whole]
    both = pd.concat([human, machine])
    facts = both.drop_duplicates("response")
    order = np.argsort(facts["response"].to_numpy(dtype=np.int64), kind="stable")
    facts = facts.iloc[order]
    response = facts["response"].to_numpy(dtype=np.int64)
    system, group = tuple(facts["system"].tolist()), tuple(facts["group"].tolist())
    return Columns(
        rows=levels.rows(response=tuple(response.tolist()), system=system, group=group),
        response=tuple(response.tolist()),
        system=system,
        group=group,
        item=tuple(facts["item"].astype(np.int64).tolist()),
        release=tuple(facts["release"].astype(np.int64).tolist()),
        inclusion_p=_inclusion(human, response),
        people={
            str(key): _human(str(key), rows, response)
            for key, rows in human.groupby("criterion", observed=True)
        },
        judges=_judges(machine, response),
    )


def lengths(responses: Sequence[int]) -> dict[int, int]:
    """Return how many signs each response has, for the question whether length is rewarded."""
    rows = Response.objects.filter(pk__in=responses).values_list("pk", "messages")
    return {
        pk: sum(len(str(one.get("content") or "")) for one in messages) for pk, messages in rows
    }


def _raters(people: People) -> list[int]:
    rows = Rater.objects.filter(grades__round__in=people.rounds).distinct().select_related("user")
    named = {one.pk: one.user.username if one.user else one.ref for one in rows}
    return [
        pk
        for pk, name in named.items()
        if not people.patterns or any(fnmatchcase(name, one) for one in people.patterns)
    ]


def _human(key: str, rows: pd.DataFrame, response: npt.NDArray[np.int64]) -> Human:
    given = rows[rows["value"].notna()]
    place = np.searchsorted(response, given["response"].to_numpy(dtype=np.int64))
    whole = np.rint(given["value"].to_numpy() * UNIT)
    n = len(response)
    raters, rater = np.unique(given["rater"].to_numpy(dtype=np.int64), return_inverse=True)
    cell = rater * n + place
    sums = np.bincount(cell, weights=whole, minlength=len(raters) * n)
    counts = np.bincount(cell, minlength=len(raters) * n)
    with np.errstate(invalid="ignore"):
        marks = (sums / counts / UNIT).reshape(len(raters), n)
    return Human(
        criterion=key,
        total=np.bincount(place, weights=whole, minlength=n) / UNIT,
        count=np.bincount(place, minlength=n).astype(np.int64),
        marks=marks,
        raters=tuple(raters.tolist()),
        scale_min=float(rows["scale_min"].min()),
        scale_max=float(rows["scale_max"].max()),
    )


def _judges(
    machine: pd.DataFrame, response: npt.NDArray[np.int64]
) -> dict[tuple[int, str], Judged]:
    known = {one.rater_id: one for one in Machine.objects.filter(rater__in=_keys(machine))}
    better = _directions(list(known))
    made = {}
    for names, rows in machine.groupby(["rater", "criterion"], observed=True):
        rater, criterion = cast("tuple[Any, Any]", names)
        key = int(rater), str(criterion)
        values = np.full(len(response), np.nan)
        place = np.searchsorted(response, rows["response"].to_numpy(dtype=np.int64))
        values[place] = rows["value"].to_numpy()
        made[key] = Judged(
            *key,
            values=values,
            n_failed=int(rows["value"].isna().sum()),
            scale_min=float(rows["scale_min"].min(skipna=False)),
            scale_max=float(rows["scale_max"].max(skipna=False)),
            higher_is_better=better.get(key, True),
            family=known[key[0]].family if key[0] in known else "",
        )
    return made


def _keys(machine: pd.DataFrame) -> list[int]:
    return [int(one) for one in machine["rater"].unique()]


def _directions(raters: Sequence[int]) -> dict[tuple[int, str], bool]:
    """Return whether higher is better, by rater and criterion, as it was declared last."""
    rows = Machine.objects.filter(rater__in=raters, rubric__versions__isnull=False)
    declared = rows.order_by("rubric__versions__number").values_list(
        "rater_id",
        "rubric__versions__criteria__key",
        "rubric__versions__criteria__higher_is_better",
    )
    return {(rater, key): better for rater, key, better in declared}


def _inclusion(human: pd.DataFrame, response: npt.NDArray[np.int64]) -> FloatArray:
    drawn = human[human["inclusion_p"].notna()]
    found = np.full(len(response), np.nan)
    place = np.searchsorted(response, drawn["response"].to_numpy(dtype=np.int64))
    found[place] = drawn["inclusion_p"].to_numpy()
    return found
