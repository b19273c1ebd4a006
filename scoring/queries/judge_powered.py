"""Means that need fewer human grades: a random sample of them and a judge's scores. Workers only."""

from collections.abc import Mapping
from typing import Any, cast

import numpy as np
from django.utils.translation import gettext as _

from annotation.models import Item, Round
from scoring.queries import judge_choice, judge_sides, published_frame
from scoring.queries.judge_human import Human, Judged
from scoring.queries.judge_sides import Sides
from scoring.queries.published_frame import Frame
from scoring.stats import prediction_powered
from scoring.stats.plain import Plain, plain


def powered_of(round_: Round, params: Mapping[str, Any]) -> Plain:
    """Return for each release the prediction-powered mean of people beside the plain one.

    It is the mean over what the round was drawn from: of a published round all that the run put out, of
    others what the judge scored. Only capabilities count in which people used the criterion: elsewhere
    nobody would grade it.

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
    of = Round.objects.get(project=round_.project, number=choice.rounds[0])
    frame = published_frame.frame_of(of, both, human, judged) or _judged(both, human, judged)
    made: list[dict[str, Any]] = []
    graded = ~np.isnan(frame.human)
    wanted = np.isin(frame.capability, np.unique(frame.capability[graded]))
    for one in np.unique(frame.release[graded]).tolist():
        here = wanted & (frame.release == one)
        found = prediction_powered.powered_mean(
            judge=frame.judge[here],
            human=frame.human[here],
            inclusion=frame.inclusion[here],
            cluster=frame.cluster[here],
        )
        made.append({"release": one, **cast("dict[str, Any]", found.plain())})
    return {
        "judge": choice.judges[0],
        "criterion": key,
        "own": judged.criterion,
        "facts": plain(judge_sides.facts(both)),
        "drawn_from": _drawn_from(frame),
        "scale": plain(judge_sides.span_of(human)),
        "rows": plain(sorted(made, key=lambda row: -(row["humans"]["value"] or 0))),
    }


def _judged(both: Sides, human: Human, judged: Judged) -> Frame:
    """Return everything that the judge scored, or people graded, as the frame."""
    rows = Item.objects.filter(pk__in=set(both.columns.item))
    known = dict(rows.values_list("pk", "capability_id"))
    return Frame(
        judge=judged.values,
        human=judge_sides.human_means(human),
        inclusion=both.columns.inclusion_p,
        cluster=both.cluster,
        release=np.array(both.columns.release, dtype=np.int64),
        capability=np.array([known.get(one) or 0 for one in both.columns.item], dtype=np.int64),
    )


def _drawn_from(frame: Frame) -> Plain:
    """Return the run that a published round was drawn from, and how many outputs it had then."""
    found = frame.publication
    if found is None or found.run is None:
        return None
    return {"run": found.run.number, "name": found.run.name, "n": found.n_units}
