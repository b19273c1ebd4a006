"""What lies behind a judge's scores: its readings, their spread, weights, and what their order does.

Loads what workers load; pages read it from the figure of the judge.
"""

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from statistics import fmean
from typing import Any

import numpy as np

from scoring.models import Judge
from scoring.protocols import samples
from scoring.protocols.geval import v1 as geval
from scoring.queries import distributions, judgments
from scoring.queries.judge_human import Judged
from scoring.stats import deviation
from scoring.stats.linear import IntArray
from scoring.stats.plain import Plain, plain

FIELDS = ("response", "repeat", "value", "n_valid", "sd", "mass", "label")
Row = tuple[Any, ...]


def of(
    judged: Judged, responses: Sequence[int], cluster: IntArray, *, resamples: int, seed: int
) -> Plain:
    """Return what lies behind a judge's scores on a criterion.

    Args:
        judged: the judge, its criterion and its range.
        responses: keys of those that people graded too.
        cluster: the question of each.
        resamples: of questions, for the interval of the order.
        seed: where chance comes from.
    """
    places = {response: place for place, response in enumerate(responses)}
    means: list[Row] = []
    readings: list[Row] = []
    for row in _rows(judged):
        if row[0] in places:
            (readings if row[1] else means).append(row)
    values = [row[2] for row in means if row[2] is not None]
    low, high = (None if math.isnan(end) else end for end in (judged.scale_min, judged.scale_max))
    n_valid = [row[3] for row in means if row[3] is not None]
    spread = [row[4] for row in means if row[4] is not None]
    mass = [row[5] for row in means if row[5] is not None]
    found = distributions.of(values)
    return {
        "n": len(means),
        "n_scored": len(values),
        "n_readings": max((row[1] for row in readings), default=0),
        "n_valid": fmean(n_valid) if n_valid else None,
        "fewest_valid": min(n_valid, default=None),
        "sd": fmean(spread) if spread else None,
        "n_weighted": sum(row[6] == geval.WEIGHTED for row in means),
        "mass": fmean(mass) if mass else None,
        "least_mass": min(mass, default=None),
        "distribution": None if found is None else plain(asdict(found)),
        "parts": [plain(asdict(one)) for one in distributions.parts(values, low, high)],
        "order": _order(judged, readings, places, cluster, resamples, seed),
    }


def _rows(judged: Judged) -> Iterator[Row]:
    """Yield the judgments of a criterion, page by page."""
    rows = judgments.of([judged.rater]).filter(
        criterion__key=judged.criterion, target_index__isnull=True
    )
    last = 0
    while found := list(
        rows.filter(pk__gt=last).order_by("pk").values_list("pk", *FIELDS)[: judgments.PAGE]
    ):
        yield from (row[1:] for row in found)
        last = found[-1][0]


def _order(
    judged: Judged,
    readings: Sequence[Row],
    places: dict[int, int],
    cluster: IntArray,
    resamples: int,
    seed: int,
) -> Plain:
    """Return the readings in the opposite order less those as given; none where no order was turned."""
    configured = Judge.objects.filter(rater=judged.rater).values_list("config", flat=True).first()
    if not (configured or {}).get("turned"):
        return None
    sides: dict[tuple[int, bool], list[float]] = defaultdict(list)
    for response, repeat, value, *_rest in readings:
        if value is not None:
            sides[response, samples.is_turned(repeat)].append(value)
    columns = np.full((2, len(places)), np.nan)
    for (response, is_turned), values in sides.items():
        columns[int(is_turned), places[response]] = fmean(values)
    return deviation.deviation(
        judge=columns[1], human=columns[0], cluster=cluster, resamples=resamples, seed=seed
    ).plain()
