"""Every judge beside people, and judge beside judge, as plain data. Loads pandas: workers only."""

from collections.abc import Mapping
from typing import Any, cast

from django.utils.translation import gettext as _

from annotation.models import Round
from annotation.rules import seeds
from scoring.queries import judge_choice, judge_sides
from scoring.queries.emptiness import NothingYet
from scoring.queries.judge_sides import Sides
from scoring.stats import deviation, judge_pairs, judges
from scoring.stats.plain import Plain, plain

RESAMPLES = 1_000


def judges_of(round_: Round, params: Mapping[str, Any]) -> Plain:
    """Return every judge on every criterion at one level, with ceilings and both overalls.

    Args:
        round_: one of the rounds whose people graded.
        params: a choice, as `judge_choice.Choice.params` says it; `resamples`.
    """
    choice = judge_choice.read(params)
    both = judge_sides.sides(round_, choice)
    seed = seeds.integer(round_.seed, "judges", below=2**32)
    resamples = int(params.get("resamples", RESAMPLES))
    found = judges.judge_table(
        both.columns.rows,
        cast("Mapping[Any, judges.Human]", both.people()),
        cast("Mapping[Any, judges.Judge]", both.judges()),
        at=[choice.level],
        resamples=resamples,
        seed=seed,
    )
    return {
        "level": choice.level,
        "facts": plain(judge_sides.facts(both)),
        "criteria": cast("list[Plain]", both.criteria),
        "judges": [_judge(both, judge, resamples, seed) for judge in choice.judges],
        "table": found.plain(),
    }


def _judge(both: Sides, judge: int, resamples: int, seed: int) -> Plain:
    """Return what a judge is beside its correlations, criterion by criterion."""
    made: list[Plain] = []
    for criterion in both.criteria:
        judged, human = both.judged(judge, criterion), both.human(criterion)
        if judged is None or human is None:
            continue
        scaled = judge_sides.on_the_scale_of(human, judged)
        shift = None
        if scaled is not None:
            shift = deviation.deviation(
                judge=scaled,
                human=judge_sides.human_means(human),
                cluster=both.cluster,
                resamples=resamples,
                seed=seed,
            ).plain()
        span = judge_sides.span_of(human)
        made.append(
            {
                "criterion": criterion,
                "own": judged.criterion,
                "minimum": plain(judged.scale_min),
                "maximum": plain(judged.scale_max),
                "higher_is_better": judged.higher_is_better,
                "n_failed": judged.n_failed,
                "deviation": shift,
                "scale": None if span is None else list(span),
            }
        )
    return {"judge": judge, "criteria": made}


def pairs_of(round_: Round, params: Mapping[str, Any]) -> Plain:
    """Return how judges correlate with each other, and which of two agrees better with people.

    Args:
        round_: one of the rounds whose people graded.
        params: a choice with `criterion`; `resamples`, `swapped`.
    """
    choice = judge_choice.read(params)
    both = judge_sides.sides(round_, choice)
    criterion = choice.criterion or next(iter(both.criteria), "")
    human = both.human(criterion)
    if human is None:
        raise NothingYet(_("These people graded nothing on this criterion. Choose another one."))
    known = {
        judge: judge_sides.upwards(one)
        for judge in choice.judges
        if (one := both.judged(judge, criterion)) is not None
    }
    seed = seeds.integer(round_.seed, "judges", below=2**32)
    resamples = int(params.get("resamples", RESAMPLES))
    values = cast("Mapping[Any, Any]", known)
    return {
        "level": choice.level,
        "coefficient": choice.coefficient,
        "criterion": criterion,
        "facts": plain(judge_sides.facts(both)),
        "judges": list(known),
        "turned": plain(judge_sides.turned(both, criterion)),
        "between": plain(judge_pairs.between(both.columns.rows, values, choice.level, seed=seed)),
        "compared": plain(
            judge_pairs.compared(
                both.columns.rows,
                values,
                judge_sides.as_human(human).values,
                choice.level,
                coefficient=choice.coefficient,
                resamples=resamples,
                seed=seed,
            )
        ),
    }
