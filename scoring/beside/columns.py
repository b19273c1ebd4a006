"""People and machines side by side on the same responses: the columns of the judge–human figures.

* People and judges of a choice as the statistics take them. Loads pandas: workers only.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import pandas as pd
from django.utils.translation import gettext as _

from annotation.people.models import Rater
from annotation.rounds.models import Round
from annotation.systems.models import Response
from scoring.beside.options import BesideChoice
from scoring.beside.records import Correlated, SidesFacts
from scoring.engine.models import Machine
from scoring.figures import labels
from scoring.figures import snapshots as ratings
from scoring.kinds.judging import queries as machines
from scoring.shown.wording import NothingYet
from scoring.stats import frame
from scoring.stats.judges import coefficients as correlation
from scoring.stats.judges import intervals as correlation_intervals
from scoring.stats.judges import judges, levels
from scoring.stats.judges.levels import Level, Pairs
from scoring.stats.plain import Plain, plain
from scoring.stats.resampled import exact
from scoring.stats.resampled.exact import Values
from scoring.stats.resampled.linear import FloatArray, IntArray

PEOPLE = ("PERSON", "IMPORTED")
MACHINES = ("JUDGE", "METRIC", "DERIVED")
#: The one kind of mark that is a label both sides can give.
LABEL = ("LABEL",)
#: Grades have four decimals at most: whole numbers of these are summed, so that ties stay ties.
UNIT = 10_000


@dataclass(frozen=True, slots=True)
class PeopleChoice:
    """Whose marks stand for people.

    A pattern is a rater's name in which * stands for anything, or what people know about.
    """

    rounds: tuple[Round, ...]
    patterns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class HumanMarks:
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
class MachineScores:
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
class ComparedColumns:
    """Responses with what people and machines said of them. `inclusion_p` is NaN where not drawn.

    Everything stands in the order of `response`; `rows` is what the statistics take of it.
    """

    rows: levels.LevelRows
    response: tuple[int, ...]
    system: tuple[str, ...]
    group: tuple[str, ...]
    item: tuple[int, ...]
    release: tuple[int, ...]
    inclusion_p: FloatArray
    people: Mapping[str, HumanMarks]
    judges: Mapping[tuple[int, str], MachineScores]
    labels: "Labels"


@dataclass(frozen=True)
class Labels:
    """The ratings of both sides that are labels, every reading of a judge among them."""

    rows: pd.DataFrame

    @cached_property
    def group(self) -> dict[int, int]:
        """Return the question of every response, as a number."""
        codes = self.rows["group"].cat.codes.tolist()
        return dict(zip(self.rows["response"].tolist(), codes, strict=True))

    def of_people(self, criterion: str) -> dict[int, int]:
        """Return the label that most people gave each response; 0 where two were given as often."""
        kind = self.rows["rater_kind"].astype(object)
        return _commonest(self.rows[kind.isin(PEOPLE) & (self.rows["criterion"] == criterion)])

    def of_judge(self, judge: int, own: str) -> dict[int, int]:
        """Return the label that a judge gave each response, of several readings the commonest."""
        mine = self.rows[(self.rows["rater"] == judge) & (self.rows["criterion"] == own)]
        single = mine["repeat"] > 0  # what stands for all of them is a mean, and no label
        return _commonest(mine[single] if single.any() else mine)


def _commonest(rows: pd.DataFrame) -> dict[int, int]:
    counts: dict[int, Counter[int]] = {}
    given = rows[rows["value"] % 1 == 0]  # a mean of readings is no label
    for response, value in zip(given["response"].tolist(), given["value"].tolist(), strict=True):
        counts.setdefault(int(response), Counter())[int(value)] += 1
    best = {response: votes.most_common(2) for response, votes in counts.items()}
    return {
        response: 0 if len(top) > 1 and top[0][1] == top[1][1] else top[0][0]
        for response, top in best.items()
    }


def columns(people: PeopleChoice, judges: Sequence[int]) -> ComparedColumns:
    """Return the aligned columns. Loads pandas: workers only.

    Args:
        people: rounds of one project, and raters of them.
        judges: keys of raters of kind JUDGE or METRIC.
    """
    everything = ratings.table(people.rounds, judged_by=judges)
    table = frame.default_filter(everything)
    chosen = _raters(people)
    human, machine = _of_people(table, chosen), _untuned(_of_machines(table))
    both = pd.concat([human, machine])
    facts = both.drop_duplicates("response")
    order = np.argsort(facts["response"].to_numpy(dtype=np.int64), kind="stable")
    facts = facts.iloc[order]
    response = facts["response"].to_numpy(dtype=np.int64)
    system, group = tuple(facts["system"].tolist()), tuple(facts["group"].tolist())
    return ComparedColumns(
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
        labels=Labels(_labels(everything, chosen)),
    )


def _of_people(table: pd.DataFrame, chosen: Sequence[int]) -> pd.DataFrame:
    kind, rater = (table[name].astype(object) for name in ("rater_kind", "rater"))
    return table[kind.isin(PEOPLE) & rater.isin(chosen)]


def _of_machines(table: pd.DataFrame) -> pd.DataFrame:
    """Return the scores of responses: a verdict on a turn is not one on the response."""
    whole = table["target_level"].astype(object) == "RESPONSE"
    return table[table["rater_kind"].astype(object).isin(MACHINES) & whole]


def _labels(everything: pd.DataFrame, chosen: Sequence[int]) -> pd.DataFrame:
    """Return people's labels with all that machines said; nothing where people gave none."""
    human = _of_people(frame.default_filter(everything, marks=LABEL), chosen)
    return human if human.empty else pd.concat([human, _untuned(_of_machines(everything))])


def _untuned(machine: pd.DataFrame) -> pd.DataFrame:
    """Return the scores without those that a judge gave on questions it was tuned on."""
    seen = machines.tuned_on(_keys(machine))
    rater, group = machine["rater"].astype(np.int64), machine["group"].astype(object)
    for judge, groups in seen.items():
        apart = (rater == judge) & group.isin(groups)
        machine, rater, group = machine[~apart], rater[~apart], group[~apart]
    return machine


def lengths(responses: Sequence[int]) -> dict[int, int]:
    """Return how many signs each response has, for the question whether length is rewarded."""
    rows = Response.objects.filter(pk__in=responses).values_list("pk", "messages")
    return {
        pk: sum(len(str(one.get("content") or "")) for one in messages) for pk, messages in rows
    }


def _raters(people: PeopleChoice) -> list[int]:
    rows = Rater.objects.filter(grades__round__in=people.rounds).distinct().select_related("user")
    named = {one.pk: one.user.username if one.user else one.ref for one in rows}
    if not people.patterns:
        return list(named)
    tagged = labels.knowing(people.rounds)
    known = {pk for one in people.patterns for pk in tagged.get(one, ())}
    return [
        pk
        for pk, name in named.items()
        if pk in known or any(fnmatchcase(name, one) for one in people.patterns)
    ]


def _human(key: str, rows: pd.DataFrame, response: npt.NDArray[np.int64]) -> HumanMarks:
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
    return HumanMarks(
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
) -> dict[tuple[int, str], MachineScores]:
    known = {one.rater_id: one for one in Machine.objects.filter(rater__in=_keys(machine))}
    better = _directions(list(known))
    made = {}
    for names, rows in machine.groupby(["rater", "criterion"], observed=True):
        rater, criterion = cast("tuple[Any, Any]", names)
        key = int(rater), str(criterion)
        values = np.full(len(response), np.nan)
        place = np.searchsorted(response, rows["response"].to_numpy(dtype=np.int64))
        values[place] = rows["value"].to_numpy()
        made[key] = MachineScores(
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


@dataclass(frozen=True, slots=True)
class ChosenSides:
    """The columns of a choice."""

    choice: BesideChoice
    columns: ComparedColumns

    @property
    def cluster(self) -> IntArray:
        """The group of each row, as a number."""
        return self.columns.rows.group

    def human(self, criterion: str) -> HumanMarks | None:
        return self.columns.people.get(criterion)

    def judged(self, judge: int, criterion: str) -> MachineScores | None:
        """Return a judge's scores on what it calls a criterion of the people."""
        own = self.choice.criteria.get(criterion, {}).get(judge)
        return None if own is None else self.columns.judges.get((judge, own))

    def of_one(self) -> tuple[str, HumanMarks, MachineScores]:
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

    def people(self) -> dict[str, judges.PeopleMarks]:
        return {key: as_human(self.columns.people[key]) for key in self.criteria}

    def judges(self) -> dict[int, judges.JudgeColumns]:
        """Return the judges with a column for each criterion they have."""
        made = {}
        for judge in self.choice.judges:
            found = {key: self.judged(judge, key) for key in self.criteria}
            known = {key: one for key, one in found.items() if one is not None}
            if known:
                made[judge] = judges.JudgeColumns(
                    columns={key: one.values for key, one in known.items()},  # noqa: PD011 no pandas here
                    ranges={key: span for key, one in known.items() if (span := span_of(one))},
                    less_is_better=[key for key, one in known.items() if not one.higher_is_better],
                )
        return made


def sides(round_: Round, choice: BesideChoice) -> ChosenSides:
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
    found = columns(PeopleChoice(rounds, choice.raters), choice.judges)
    if not found.people and found.labels.rows.empty:
        raise NothingYet(
            _(
                "These people graded nothing yet that counts. Choose the people of another round, or look "
                "again when grades have come in."
            )
        )
    return ChosenSides(choice, found)


def as_human(one: HumanMarks) -> judges.PeopleMarks:
    return judges.PeopleMarks(one.total, one.count, span_of(one), one.marks)


def span_of(one: HumanMarks | MachineScores) -> tuple[float, float] | None:
    """Return the declared range, if both of its ends are closed and it has a width."""
    low, high = one.scale_min, one.scale_max
    return (low, high) if np.isfinite(low) and np.isfinite(high) and low < high else None


def upwards(one: MachineScores) -> Values:
    """Return a judge's values with higher being better."""
    values = exact.values(one.values)
    return values if one.higher_is_better else Values(-values.numerators, values.unit, values.exact)


def shares(one: MachineScores, *, by_data: bool = False) -> FloatArray | None:
    """Return values as shares of the declared range, or of what was seen; None where open."""
    span = span_of(one)
    if span is None and by_data and np.isfinite(one.values).any():
        span = float(np.nanmin(one.values)), float(np.nanmax(one.values))
        span = span if span[0] < span[1] else None
    if span is None:
        return None
    share = (one.values - span[0]) / (span[1] - span[0])  # noqa: PD011 no pandas here
    return share if one.higher_is_better else 1 - share


def human_means(one: HumanMarks) -> FloatArray:
    """Return people's means; NaN where nobody graded."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return one.total / one.count


def human_shares(one: HumanMarks) -> FloatArray | None:
    span = span_of(one)
    return None if span is None else (human_means(one) - span[0]) / (span[1] - span[0])


def on_the_scale_of(one: HumanMarks, judged: MachineScores) -> FloatArray | None:
    """Return a judge's values on people's scale; None where a range is open."""
    span, share = span_of(one), shares(judged)
    return None if span is None or share is None else span[0] + share * (span[1] - span[0])


def turned(of: ChosenSides, criterion: str) -> tuple[int, ...]:
    """Return the judges for which lower is better on a criterion: their scores are turned round."""
    found = {judge: of.judged(judge, criterion) for judge in of.choice.judges}
    return tuple(judge for judge, one in found.items() if one and not one.higher_is_better)


def correlated(pairs: Pairs, level: Level, resamples: int, seed: int) -> tuple[Correlated, ...]:
    """Return each coefficient at a level with its interval by resampling systems and questions."""
    points = correlation.correlations(pairs, level)
    bounds = correlation_intervals.resampled(pairs, level, resamples=resamples, seed=seed)
    return tuple(map(Correlated, points, bounds))


def cells(pairs: Pairs, level: Level, resamples: int, seed: int) -> list[Plain]:
    """Return the same as plain data."""
    return [plain(one) for one in correlated(pairs, level, resamples, seed)]


def facts(of: ChosenSides) -> SidesFacts:
    """Return how much was compared."""
    rows = of.columns.rows
    graded = np.zeros(len(rows.response), dtype=bool)
    for key in of.criteria:
        graded |= of.columns.people[key].count > 0
    return SidesFacts(
        responses=len(rows.response),
        graded=int(graded.sum()),
        systems=len(np.unique(rows.system[graded])),
        groups=len(np.unique(rows.group[graded])),
        raters=len({key for c in of.criteria for key in of.columns.people[c].raters}),
    )
