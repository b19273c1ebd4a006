"""People and judges of a choice as the statistics take them. Loads pandas: workers only."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from django.utils.translation import gettext as _

from annotation.models import Round
from scoring.queries import judge_human
from scoring.queries.emptiness import NothingYet
from scoring.queries.judge_choice import Choice
from scoring.queries.judge_human import Columns, Human, Judged, People
from scoring.stats import correlation, correlation_intervals, exact, judges
from scoring.stats.exact import Values
from scoring.stats.levels import Level, Pairs
from scoring.stats.linear import FloatArray, IntArray
from scoring.stats.plain import Plain, plain


@dataclass(frozen=True, slots=True)
class Sides:
    """The columns of a choice."""

    choice: Choice
    columns: Columns

    @property
    def cluster(self) -> IntArray:
        """The group of each row, as a number."""
        return self.columns.rows.group

    def human(self, criterion: str) -> Human | None:
        return self.columns.people.get(criterion)

    def judged(self, judge: int, criterion: str) -> Judged | None:
        """Return a judge's scores on what it calls a criterion of the people."""
        own = self.choice.criteria.get(criterion, {}).get(judge)
        return None if own is None else self.columns.judges.get((judge, own))

    def of_one(self) -> tuple[str, Human, Judged]:
        """Return the chosen criterion, people on it, and the first judge.

        Raises:
            NothingYet: the judge or the people have nothing on it.
        """
        key = self.choice.criterion or next(iter(self.criteria), "")
        human, judged = self.human(key), self.judged(self.choice.judges[0], key)
        if human is None or judged is None:
            raise NothingYet(
                _("The judge or the people have nothing on this criterion. Choose another one.")
            )
        return key, human, judged

    @property
    def criteria(self) -> list[str]:
        """The criteria that people graded and that were asked for."""
        return [key for key in self.choice.criteria if key in self.columns.people]

    def people(self) -> dict[str, judges.Human]:
        return {key: as_human(self.columns.people[key]) for key in self.criteria}

    def judges(self) -> dict[int, judges.Judge]:
        """Return the judges with a column for each criterion they have."""
        made = {}
        for judge in self.choice.judges:
            found = {key: self.judged(judge, key) for key in self.criteria}
            known = {key: one for key, one in found.items() if one is not None}
            if known:
                made[judge] = judges.Judge(
                    columns={key: one.values for key, one in known.items()},
                    ranges={key: span for key, one in known.items() if (span := span_of(one))},
                    less_is_better=[key for key, one in known.items() if not one.higher_is_better],
                )
        return made


def sides(round_: Round, choice: Choice) -> Sides:
    """Return both sides of a choice in the project of a round.

    Raises:
        ValueError: a round is gone.
        NothingYet: nothing was graded.
    """
    rounds = tuple(
        Round.objects.filter(project=round_.project, number__in=choice.rounds).order_by("number")
    )
    if len(rounds) < len(set(choice.rounds)):
        raise ValueError(_("One of the rounds is gone. Choose the people anew."))
    found = judge_human.columns(People(rounds, choice.raters), choice.judges)
    if not found.people:
        raise NothingYet(
            _(
                "These people graded nothing yet that counts. Choose the people of another round, or look "
                "again when grades have come in."
            )
        )
    return Sides(choice, found)


def as_human(one: Human) -> judges.Human:
    return judges.Human(one.total, one.count, span_of(one), one.marks)


def span_of(one: Human | Judged) -> tuple[float, float] | None:
    """Return the declared range, if both of its ends are closed and it has a width."""
    low, high = one.scale_min, one.scale_max
    return (low, high) if np.isfinite(low) and np.isfinite(high) and low < high else None


def upwards(one: Judged) -> Values:
    """Return a judge's values with higher being better."""
    values = exact.values(one.values)
    return values if one.higher_is_better else Values(-values.numerators, values.unit, values.exact)


def shares(one: Judged, *, by_data: bool = False) -> FloatArray | None:
    """Return values as shares of the declared range, or of what was seen; None where open."""
    span = span_of(one)
    if span is None and by_data and np.isfinite(one.values).any():
        span = float(np.nanmin(one.values)), float(np.nanmax(one.values))
        span = span if span[0] < span[1] else None
    if span is None:
        return None
    share = (one.values - span[0]) / (span[1] - span[0])
    return share if one.higher_is_better else 1 - share


def human_means(one: Human) -> FloatArray:
    """Return people's means; NaN where nobody graded."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return one.total / one.count


def human_shares(one: Human) -> FloatArray | None:
    span = span_of(one)
    return None if span is None else (human_means(one) - span[0]) / (span[1] - span[0])


def on_the_scale_of(one: Human, judged: Judged) -> FloatArray | None:
    """Return a judge's values on people's scale; None where a range is open."""
    span, share = span_of(one), shares(judged)
    return None if span is None or share is None else span[0] + share * (span[1] - span[0])


def turned(of: Sides, criterion: str) -> list[int]:
    """Return the judges for which lower is better on a criterion: their scores are turned round."""
    found = {judge: of.judged(judge, criterion) for judge in of.choice.judges}
    return [judge for judge, one in found.items() if one and not one.higher_is_better]


def cells(pairs: Pairs, level: Level, resamples: int, seed: int) -> list[Plain]:
    """Return each coefficient at a level with its interval by resampling systems and questions."""
    points = correlation.correlations(pairs, level)
    bounds = correlation_intervals.resampled(pairs, level, resamples=resamples, seed=seed)
    return [
        {"correlation": point.plain(), "interval": plain(bound)}
        for point, bound in zip(points, bounds, strict=True)
    ]


def facts(of: Sides) -> Mapping[str, int]:
    """Return how much was compared."""
    rows = of.columns.rows
    graded = np.zeros(len(rows.response), dtype=bool)
    for key in of.criteria:
        graded |= of.columns.people[key].count > 0
    return {
        "responses": len(rows.response),
        "graded": int(graded.sum()),
        "systems": len(np.unique(rows.system[graded])),
        "groups": len(np.unique(rows.group[graded])),
        "raters": len({key for c in of.criteria for key in of.columns.people[c].raters}),
    }
