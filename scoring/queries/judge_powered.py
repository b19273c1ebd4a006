"""Means that need fewer human grades: a random sample of them and a judge's scores. Workers only."""

from collections.abc import Mapping
from typing import Any, TypeAlias, cast

import numpy as np
import numpy.typing as npt
from django.utils.translation import gettext as _

from annotation.models import Item, Round
from scoring.queries import judge_choice, judge_sides
from scoring.queries.judge_sides import Sides
from scoring.stats import prediction_powered
from scoring.stats.plain import Plain, plain

Mask: TypeAlias = npt.NDArray[np.bool_]


def powered_of(round_: Round, params: Mapping[str, Any]) -> Plain:
    """Return for each release the prediction-powered mean of people beside the plain one.

    It is the mean over what the judge scored in the capabilities where people used the criterion:
    elsewhere nobody would grade it.

    Args:
        round_: whose sample people graded; its draw gave every item a chance.
        params: a choice with one round, one judge and a `criterion`.

    Raises:
        ValueError: several rounds are chosen.
        NothingYet: the judge or the people have no such criterion.
    """
    choice = judge_choice.read(params)
    if len(set(choice.rounds)) > 1:
        raise ValueError(_("A chance of being drawn belongs to one round. Choose one."))
    both = judge_sides.sides(round_, choice)
    key, human, judged = both.of_one()
    mean, release = judge_sides.human_means(human), np.array(both.columns.release)
    made: list[dict[str, Any]] = []
    wanted = _where_used(both, ~np.isnan(mean))
    for one in np.unique(release[~np.isnan(mean)]).tolist():
        here = wanted & (release == one)
        found = prediction_powered.powered_mean(
            judge=judged.values[here],
            human=mean[here],
            inclusion=both.columns.inclusion_p[here],
            cluster=both.cluster[here],
        )
        made.append({"release": one, **cast("dict[str, Any]", found.plain())})
    return {
        "judge": choice.judges[0],
        "criterion": key,
        "own": judged.criterion,
        "facts": plain(judge_sides.facts(both)),
        "scale": plain(judge_sides.span_of(human)),
        "rows": plain(sorted(made, key=lambda row: -(row["humans"]["value"] or 0))),
    }


def _where_used(both: Sides, graded: Mask) -> Mask:
    """Return which rows are of capabilities in which people used the criterion."""
    rows = Item.objects.filter(pk__in=set(both.columns.item))
    known = dict(rows.values_list("pk", "capability_id"))
    of = np.array([known.get(one) or 0 for one in both.columns.item], dtype=np.int64)
    return np.isin(of, np.unique(of[graded]))
