"""Where a judge and people lie apart, response by response. Loads pandas: workers only."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from annotation.models import Round
from scoring.queries import judge_choice, judge_sides
from scoring.queries.judge_human import Human, Judged
from scoring.queries.judge_sides import Sides
from scoring.stats.plain import Plain, plain

#: Responses that can be looked through; those that lie farthest apart come first.
MOST = 20_000


def apart_of(round_: Round, params: Mapping[str, Any]) -> Plain:
    """Return every response that both sides marked, those farthest apart first.

    Args:
        round_: one of the rounds whose people graded.
        params: a choice with one judge and a `criterion`.

    Raises:
        NothingYet: the judge has no such criterion, or people do not.
    """
    choice = judge_choice.read(params)
    both = judge_sides.sides(round_, choice)
    key, human, judged = both.of_one()
    return {
        "judge": choice.judges[0],
        "criterion": key,
        "by_data": judge_sides.shares(judged) is None,
        "rows": rows(both, human, judged, MOST),
        "of": int((~np.isnan(judged.values) & (human.count > 0)).sum()),
    }


def rows(both: Sides, human: Human, judged: Judged, most: int) -> Plain:
    """Return the responses on which judge and people lie farthest apart.

    The gap is judge minus people, both as shares of their ranges; where the judge's is open, of what
    was seen.
    """
    told = judge_sides.human_shares(human)
    said = judge_sides.shares(judged, by_data=True)
    if told is None or said is None:
        return []
    gap = said - told
    there = np.flatnonzero(~np.isnan(gap))
    order = there[np.argsort(-np.abs(gap[there]), kind="stable")][:most]
    mean, columns = judge_sides.human_means(human), both.columns
    return [
        {
            "response": columns.response[at],
            "item": columns.item[at],
            "release": columns.release[at],
            "human": plain(float(mean[at])),
            "n_marks": int(human.count[at]),
            "judge": plain(float(judged.values[at])),
            "gap": plain(float(gap[at])),
        }
        for at in order.tolist()
    ]
