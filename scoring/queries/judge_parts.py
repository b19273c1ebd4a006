"""One judge beside people by capability and by system: may it replace a person? Workers only."""

from enum import StrEnum
from typing import Any, cast

import numpy as np

from annotation.models import Item
from scoring.queries import judge_sides
from scoring.queries.judge_human import Human, Judged
from scoring.queries.judge_sides import Sides
from scoring.stats import ceiling, correlation, correlation_intervals, levels
from scoring.stats.ceiling import Ceiling
from scoring.stats.exact import Values
from scoring.stats.linear import FloatArray
from scoring.stats.plain import Plain, plain
from scoring.stats.weighted import Coefficient

#: People who agree less than this with each other are no yardstick for a judge.
LEAST_CEILING = 0.5
#: A judge whose interval reaches below this may neither stand in nor screen.
LEAST_SCREEN = 0.3


class Use(StrEnum):
    """What a judge may be used for on a part.

    PERSON: its coefficient lies within or above what people reach among themselves, and its interval
    stays above 0.3. SCREEN: below people, but the interval stays above 0.3. NOT: below people, and
    the interval does not. UNCLEAR: people agree too little among themselves (below 0.5), a figure is
    undefined, or so few responses are compared that the interval of a high coefficient reaches 0.3.
    """

    PERSON = "person"
    SCREEN = "screen"
    NOT = "not"
    UNCLEAR = "unclear"


def by_capability(
    both: Sides, human: Human, judged: Judged, coefficient: str, resamples: int, seed: int
) -> Plain:
    """Return the pooled coefficient by capability beside that of people with each other."""
    rows = both.columns.rows
    known = dict(
        Item.objects.filter(pk__in=set(both.columns.item)).values_list("pk", "capability_id")
    )
    of = [known.get(one) for one in both.columns.item]
    names = sorted({one for one in of if one is not None})
    if len(names) < 2:
        return []
    values, told = judge_sides.upwards(judged), judge_sides.as_human(human).values
    made: list[Plain] = []
    for name in names:
        here = np.array([one == name for one in of])
        pairs = levels.pairs(rows, _only(values, here), _only(told, here))
        wanted = [cast("Coefficient", coefficient)]
        (point,) = correlation.correlations(pairs, "pooled", names=wanted)
        (bound,) = correlation_intervals.resampled(
            pairs, "pooled", names=wanted, resamples=resamples, seed=seed
        )
        (people,) = ceiling.ceilings(
            rows, np.where(here, human.marks, np.nan), "pooled", names=wanted
        )
        made.append(
            {
                "capability": name,
                "n": pairs.n,
                "value": point.value,
                "reason": plain(point.reason),
                "low": bound.low,
                "high": bound.high,
                "people": people.value,
                "people_low": people.low,
                "people_high": people.high,
                "use": use(point.value, bound.low, people).value,
            }
        )
    return made


def use(value: float | None, low: float | None, people: Ceiling) -> Use:
    """Return what a judge with this coefficient and lower bound may be used for."""
    if value is None or people.value is None or people.low is None:
        return Use.UNCLEAR
    if people.value < LEAST_CEILING:
        return Use.UNCLEAR
    is_sure = low is not None and low > LEAST_SCREEN
    if value >= people.low:
        return Use.PERSON if is_sure else Use.UNCLEAR
    return Use.SCREEN if is_sure else Use.NOT


def by_system(both: Sides, human: Human, judged: Judged, scaled: FloatArray | None) -> Plain:
    """Return both sides' means of every release over the responses that both have."""
    mean = judge_sides.human_means(human)
    values = judged.values if scaled is None else scaled
    there = ~np.isnan(mean) & ~np.isnan(values)
    release = np.array(both.columns.release)
    made: list[dict[str, Any]] = []
    for one in np.unique(release[there]).tolist():
        here = there & (release == one)
        made.append(
            {
                "release": one,
                "n": int(here.sum()),
                "human": float(mean[here].mean()),
                "judge": float(values[here].mean()),
                "shift": None if scaled is None else float((values - mean)[here].mean()),
            }
        )
    return plain(sorted(made, key=lambda row: -row["human"]))


def _only(values: Values, here: "np.ndarray[Any, np.dtype[np.bool_]]") -> Values:
    return Values(np.where(here, values.numerators, np.nan), values.unit, values.exact)
