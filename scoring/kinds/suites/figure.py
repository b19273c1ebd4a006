"""How far a suite's metric agrees with labels that people gave the same parts. Workers only.

* Whether a run keeps the bounds of its suite. Loads scipy: workers and commands only.
* What a suite's run came to: distributions, roles, turns, releases beside each other. Workers only.
* What a suite's run came to, as lines for a terminal. Loads scipy: workers and commands only.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Protocol, cast

from annotation.people.models import Project
from annotation.systems.models import SystemRelease
from scoring.engine import queries as lost_steps
from scoring.engine.models import Judgment, Run
from scoring.kinds.suites import labels as suite_labels
from scoring.kinds.suites import queries as suite_frame
from scoring.kinds.suites.labels import LabelledValue
from scoring.kinds.suites.protocol import catalogue, source, v1
from scoring.kinds.suites.protocol.definition import RUBRIC, SuiteGate
from scoring.kinds.suites.queries import FindingRow, Frame, MetricSeries
from scoring.stats.machines import bars, classification, distributions
from scoring.stats.plain import Plain, Reason, plain


def labels_of_figure(run: Run, params: Mapping[str, Any]) -> Plain:
    """Return the figure of a run that the parameters name: a value of a metric, and a name of labels.

    Raises:
        ValueError: the run has no such value, or the labels are texts rather than classes.
    """
    wanted = [one for one in suite_labels.choices(run) if one.key == params["metric"]]
    if not wanted:
        raise ValueError("There is no such value of a metric in this run.")
    return compute_labels(run, wanted[0], params["label"])


def compute_labels(run: Run, choice: LabelledValue, name: str) -> Plain:
    """Return the classes, the table and the figures, with the parts that one side did not label."""
    said = _said(run, choice)
    true: list[str] = []
    machine: list[str] = []
    clusters: list[int] = []
    n_unlabelled = n_silent = 0
    rows = suite_frame.conversations_of(run).select_related("response").defer("text")
    for row in rows.iterator(chunk_size=200):
        whole = suite_frame.stored_conversation(row)
        for place, part in enumerate(catalogue.parts(whole, choice.series.level)):
            by_people = suite_labels.of_part(part, whole, name)
            by_machine = said.get((row.response_id, place), "") if whole.has(part) else ""
            if by_people and by_machine:
                true.append(by_people)
                machine.append(by_machine)
                clusters.append(row.item_id)
            n_unlabelled += bool(by_machine and not by_people)
            n_silent += bool(by_people and not by_machine)
    found = classification.classify(true, machine, clusters, seed=run.seed)
    made = plain(found)
    assert isinstance(made, dict)
    return {**made, "n_unlabelled": n_unlabelled, "n_silent": n_silent}


def _said(run: Run, choice: LabelledValue) -> dict[tuple[int, int], str]:
    target = next(key for key, level in suite_frame.LEVELS.items() if level == choice.series.level)
    rows = Judgment.objects.filter(
        run=run,
        rater=choice.series.rater,
        criterion__name=choice.series.name,
        target_level=target,
        repeat=0,
    ).values_list("response_id", "target_index", "label", "value")
    return {
        (response, place or 0): suite_labels.said_by(label, value)
        for response, place, label, value in rows
    }


@dataclass(frozen=True, slots=True)
class GateVerdict:
    """What became of a gate for one release (none: nothing was found at all)."""

    gate: str
    release: str
    value: float | None
    passed: bool
    said: str


class Baseline(Protocol):
    """What gates are held against: an earlier run, or the report that was kept of one."""

    def standard(self, gate: SuiteGate) -> float | None:
        """Return the statistic of a gate then, over everything; None where it had no value."""
        ...


class OfRun:
    """An earlier run as the baseline."""

    def __init__(self, run: Run) -> None:
        self._frame = Frame(run)
        self._rows = list(self._frame.rows())

    def standard(self, gate: SuiteGate) -> float | None:
        found = [one.value for one in _chosen(self._frame, gate, self._rows)]
        values = [one for one in found if one is not None]
        return _statistic(gate.statistic, values) if values else None


def baseline_or_none(run: Run | None) -> OfRun | None:
    return None if run is None else OfRun(run)


def verdicts(frame: Frame, baseline: Baseline | None = None) -> list[GateVerdict]:
    """Return what became of every gate, for every release that took part."""
    gates = frame.suite.gates
    if not gates:
        return []
    rows = list(frame.rows())
    names = _names({one.release for one in rows})
    found: list[GateVerdict] = []
    for gate in gates:
        mine = _by_release(frame, gate, rows)
        tolerated = tolerated_of(frame.run)
        if not mine:
            said = "nothing has a value"
            found.append(GateVerdict(gate.words, "", None, False, said))
        found += [
            _whole(
                _verdict(gate, names[release], mine[release], frame.run.seed, baseline),
                mine[release],
                tolerated,
            )
            for release in sorted(mine, key=lambda one: names[one])
        ]
    return found


def tolerated_of(run: Run) -> float:
    """Return the share of judgments that may be missing where a gate is kept all the same."""
    return float(run.config.get("tolerated", 0.0))


def _whole(found: GateVerdict, rows: Sequence[FindingRow], tolerated: float) -> GateVerdict:
    """Return a verdict; too many judgments that are missing keep no gate, whatever the others say.

    Neither do a judge's replies without a score where they are more than half: what is left speaks of few.
    """
    missing = sum(_is_missing(one) for one in rows)
    unread = sum(one.value is None for one in rows) - missing
    said, passed = [found.said], found.passed
    if missing > tolerated * len(rows):
        most = f"at most {100 * tolerated:g} % may be"
        said.append(f"{missing} of {len(rows)} judgments are missing; {most}")
        passed = False
    if unread:
        said.append(f"{unread} of {len(rows)} judgments gave no score")
        passed = passed and unread <= len(rows) / 2
    return replace(found, passed=passed, said="; ".join(filter(None, said)))


def _is_missing(row: FindingRow) -> bool:
    """Say whether a judgment was lost by the machinery; a judge that makes no choice has judged in its way."""
    return row.value is None and (
        row.outcome == suite_frame.FAILED or row.reason in v1.OF_MACHINERY.values()
    )


def _is_unread(frame: Frame, row: FindingRow) -> bool:
    """Say whether a judge was asked and gave no score."""
    is_judged = frame.entries[row.series.rater].kind == RUBRIC
    return is_judged and row.value is None and row.outcome == Judgment.Outcome.UNSCORED


def _verdict(
    gate: SuiteGate,
    name: str,
    rows: Sequence[FindingRow],
    seed: int,
    baseline: Baseline | None,
) -> GateVerdict:
    values = [one.value for one in rows if one.value is not None]
    if not values:
        return GateVerdict(gate.words, name, None, False, "nothing has a value")
    value = _statistic(gate.statistic, values)
    ends = _ends(gate, rows, value, seed)
    if ends is None:
        said = "there are too few conversations for an interval"
        return GateVerdict(gate.words, name, value, False, said)
    low, high = ends
    problems = []
    if gate.minimum is not None and low < gate.minimum:
        problems.append(f"{_end(gate, 'lower')}{low:.4g} is below {gate.minimum:g}")
    if gate.maximum is not None and high > gate.maximum:
        problems.append(f"{_end(gate, 'upper')}{high:.4g} is above {gate.maximum:g}")
    if gate.drop is not None:
        problems += _dropped(gate, value, baseline)
    return GateVerdict(gate.words, name, value, not problems, "; ".join(problems))


def _end(gate: SuiteGate, side: str) -> str:
    """Return which end of an interval is meant, where one is asked for."""
    return "" if gate.confidence is None else f"{side} limit "


def _ends(
    gate: SuiteGate, rows: Sequence[FindingRow], value: float, seed: int
) -> tuple[float, float] | None:
    """Return the ends that must keep the bounds: the value itself where no confidence is asked for."""
    if gate.confidence is None:
        return value, value
    values = [one.value for one in rows if one.value is not None]
    items = [one.item for one in rows if one.value is not None]
    # A one-sided bound at this confidence is an end of the interval of twice the error.
    level = max(2 * gate.confidence - 1, 0.01)
    found = distributions.describe(values, items, seed=seed, level=level)
    if found.low is not None and found.high is not None:
        return found.low, found.high
    return (value, value) if found.reason is Reason.NO_SPREAD else None


def _dropped(gate: SuiteGate, value: float, baseline: Baseline | None) -> list[str]:
    if baseline is None:
        return ["there is no baseline: name a run"]
    standard = baseline.standard(gate)
    if standard is None:
        return ["the baseline has no value of it"]
    if gate.drop is not None and standard - value > gate.drop:
        return [f"{value:.4g} is more than {gate.drop:g} below {standard:.4g} of the baseline"]
    return []


def _statistic(name: str, values: Sequence[float]) -> float:
    if (at := source.percentile(name)) is not None:
        return distributions.percentile(values, at)
    if name == "sd":
        return distributions.describe(values, range(len(values)), seed=0).sd or 0.0
    simple = {"min": min, "max": max}
    return float(simple[name](values)) if name in simple else sum(values) / len(values)


def _by_release(
    frame: Frame, gate: SuiteGate, rows: Iterable[FindingRow]
) -> dict[int, list[FindingRow]]:
    """Return the rows of a gate that have a value or should have one, by release."""
    found: dict[int, list[FindingRow]] = defaultdict(list)
    for one in _chosen(frame, gate, rows):
        if one.value is not None or _is_missing(one) or _is_unread(frame, one):
            found[one.release].append(one)
    return dict(found)


def _chosen(frame: Frame, gate: SuiteGate, rows: Iterable[FindingRow]) -> list[FindingRow]:
    """Return the rows that a gate speaks of."""
    raters = {
        rater for rater, entry in frame.entries.items() if gate.metric in {entry.name, entry.key}
    }
    return [
        one
        for one in rows
        if one.series.rater in raters
        and (not gate.value or one.series.name == gate.value)
        and (not gate.level or one.series.level == gate.level)
        and (not gate.role or one.role == gate.role or not one.response)
    ]


def _names(releases: Iterable[int]) -> dict[int, str]:
    rows = SystemRelease.objects.filter(pk__in=set(releases)).select_related("system")
    return {one.pk: str(one) for one in rows}


#: Series that are described; the ones with the most values, where a metric has very many names.
MOST_SERIES: Final = 300
MOST_TURNS: Final = 40
MOST_REASONS: Final = 8


def of_figure(run: Run, params: Mapping[str, Any]) -> Plain:
    """Return the figure of a run, with the baseline beside it if the parameters name one.

    Raises:
        ValueError: the baseline is not there.
    """
    number = params.get("baseline")
    baseline = None if number is None else baseline_of(run.project, number)
    return compute(run, baseline)


def baseline_of(project: Project, number: int) -> Run:
    """Return the run of a suite that another one is compared with.

    Raises:
        ValueError: there is none.
    """
    found = Run.objects.filter(project=project, number=number, kind=Run.Kind.SUITE).first()
    if found is None:
        raise ValueError(f"There is no run {number} of a suite to compare with.")
    return found


def compute(run: Run, baseline: Run | None = None) -> Plain:
    """Return all that the page of a run shows, as plain data."""
    frame = Frame(run)
    by_series = _by_series(frame.rows())
    before = _before(baseline)
    wanted = sorted(by_series, key=lambda one: -len(by_series[one]))[:MOST_SERIES]
    # As in the suite; what was only added for others to wait for comes last.
    order = {rater: frame.suite.entries.index(one) for rater, one in frame.entries.items()}
    wanted.sort(key=lambda one: (order.get(one.rater, 0), one.name, one.level))
    return plain(
        {
            "series": [
                _series(frame, one, by_series[one], before.get(_name(frame, one), {}))
                for one in wanted
            ],
            "n_left_out": len(by_series) - len(wanted),
            "n_conversations": len(frame.places),
            "completed": _completed(run),
            "gates": verdicts(frame, baseline_or_none(baseline)),
            "baseline": None if baseline is None else baseline.number,
            "lost": lost_steps.of_lost_steps(run),
        }
    )


def _completed(run: Run) -> dict[str, int]:
    """Count conversations that systems completed, and those that ended at a call of a tool."""
    rows = suite_frame.conversations_of(run).filter(n_before__gt=0)
    return {
        "n": rows.count(),
        "n_ended": rows.filter(response__details__has_key="ended").count(),
    }


def _by_series(rows: Iterable[FindingRow]) -> dict[MetricSeries, list[FindingRow]]:
    found: dict[MetricSeries, list[FindingRow]] = defaultdict(list)
    for one in rows:
        found[one.series].append(one)
    return found


def _name(frame: Frame, one: MetricSeries) -> tuple[str, str]:
    return frame.named(one), one.level


def _before(baseline: Run | None) -> dict[tuple[str, str], dict[int, list[float]]]:
    """Return the baseline's values by metric and level, then by conversation."""
    if baseline is None:
        return {}
    frame = Frame(baseline)
    found: dict[tuple[str, str], dict[int, list[float]]] = {}
    for series, rows in _by_series(frame.rows()).items():
        found[_name(frame, series)] = _by_item(rows)
    return found


def _by_item(rows: Iterable[FindingRow]) -> dict[int, list[float]]:
    found: dict[int, list[float]] = defaultdict(list)
    for one in rows:
        if one.value is not None:
            found[one.item].append(one.value)
    return dict(found)


def _series(
    frame: Frame,
    one: MetricSeries,
    rows: Sequence[FindingRow],
    before: Mapping[int, Sequence[float]],
) -> dict[str, Any]:
    seed = frame.run.seed
    by_release: dict[int, list[FindingRow]] = defaultdict(list)
    for row in rows:
        by_release[row.release].append(row)
    releases = sorted(by_release)
    drawn = bars.scale(*_values(rows))
    items = {release: _by_item(by_release[release]) for release in releases}
    entry = frame.entries[one.rater]
    return {
        "metric": frame.named(one),
        "kind": entry.kind,
        "rater": one.rater,
        "name": one.name,
        "level": one.level.value,
        "bars": [{"label": bar.label, "low": bar.low, "high": bar.high} for bar in drawn],
        "releases": [
            _release(release, by_release[release], seed)
            | {"counts": bars.count(drawn, *_values(by_release[release]))}
            for release in releases
        ],
        "roles": _groups(rows, lambda row: row.role, seed),
        "turns": _groups(
            [row for row in rows if row.turn is not None and row.turn < MOST_TURNS],
            lambda row: row.turn,
            seed,
        ),
        "labels": Counter(row.label for row in rows if row.label).most_common(20),
        "pairs": [
            {"left": left, "right": right}
            | {"less": distributions.less(items[left], items[right], seed=seed)}
            for at, left in enumerate(releases)
            for right in releases[at + 1 :]
        ],
        "before": [
            {"release": release, "less": distributions.less(items[release], before, seed=seed)}
            for release in releases
            if before
        ],
    }


def _release(release: int, rows: Sequence[FindingRow], seed: int) -> dict[str, Any]:
    scored = [row for row in rows if row.value is not None]
    values = [row.value for row in scored if row.value is not None]
    clusters = [row.item for row in scored]
    reasons = Counter((row.outcome, row.reason) for row in rows if row.value is None)
    # What was left out by a dependency was meant to have no value: what did not come about leads.
    told = sorted(reasons.items(), key=lambda one: (one[0][0] == Judgment.Outcome.SKIPPED, -one[1]))
    return {
        "release": release,
        "n": len(rows),
        "n_without": len(rows) - len(scored),
        "distribution": distributions.describe(values, clusters, seed=seed) if values else None,
        "reasons": [
            {"outcome": outcome, "reason": reason, "n": n}
            for (outcome, reason), n in told[:MOST_REASONS]
        ],
    }


def _values(rows: Iterable[FindingRow]) -> tuple[list[float], list[str]]:
    """Return the values there are, and the label of each."""
    found = [(row.value, row.label) for row in rows if row.value is not None]
    return [value for value, _label in found], [label for _value, label in found]


def _groups(
    rows: Sequence[FindingRow], key: Callable[[FindingRow], Any], seed: int
) -> list[dict[str, Any]]:
    """Return n and mean of each group with its interval, release by release."""
    mine = [row for row in rows if row.value is not None and key(row) not in {"", None}]
    names = sorted({key(row) for row in mine})
    place = {name: at for at, name in enumerate(names)}
    by_release: dict[int, list[FindingRow]] = defaultdict(list)
    for row in mine:
        by_release[row.release].append(row)
    made = []
    for release, some in sorted(by_release.items()):
        found = distributions.by_group(
            [row.value for row in some if row.value is not None],
            [row.item for row in some],
            [place[key(row)] for row in some],
            seed=seed,
        )
        for at, one in found.items():
            ends = {"n": one.n, "mean": one.mean, "low": one.low, "high": one.high}
            made.append({"of": names[at], "release": release, **ends})
    return sorted(made, key=lambda one: (one["of"], one["release"]))


WIDTH: Final = 46
HEADS: Final = ("n", "mean", "95 % interval", "median", "p98")
WIDTHS: Final = (6, 9, 19, 9, 9)


def lines(run: Run, baseline: Run | None = None) -> Iterator[str]:
    """Yield a table: a line for each metric, level and release, and the difference to the baseline."""
    data = cast("dict[str, Any]", compute(run, baseline))
    rows = SystemRelease.objects.filter(
        pk__in={each["release"] for one in data["series"] for each in one["releases"]}
    )
    names = {one.pk: str(one) for one in rows.select_related("system")}
    heads = [head.rjust(width) for head, width in zip(HEADS, WIDTHS, strict=True)]
    yield "".join(["Metric".ljust(WIDTH), *heads, "  without"])
    for one in data["series"]:
        differences = {each["release"]: each["less"] for each in one["before"]}
        for each in one["releases"]:
            name = f"{one['metric']} · {one['level']} · {names[each['release']]}"
            yield _line(name, each)
            less = differences.get(each["release"])
            if less and less["value"] is not None:
                yield f"  less the baseline: {less['value']:+.4g} {_table_ends(less)}"


def gates(run: Run, baseline: Baseline | None = None) -> list[GateVerdict]:
    """Return what became of the suite's gates."""
    return verdicts(Frame(run), baseline)


def standards(run: Run) -> list[dict[str, Any]]:
    """Return the statistic of every gate over the whole run: what a later one is held against."""
    mine = OfRun(run)
    return [{**_kept_as(one), "value": mine.standard(one)} for one in Frame(run).suite.gates]


@dataclass(frozen=True, slots=True)
class OfReport:
    """The standards that a report kept, as `standards` has them."""

    kept: Sequence[Mapping[str, Any]]

    def standard(self, gate: SuiteGate) -> float | None:
        wanted = _kept_as(gate)
        for one in self.kept:
            if {name: one.get(name) for name in wanted} == wanted:
                found: float | None = one["value"]
                return found
        return None


def _kept_as(gate: SuiteGate) -> dict[str, str]:
    """Return what a gate speaks of, whatever its bounds."""
    said = {"metric": gate.metric, "statistic": gate.statistic, "of": gate.value}
    return {**said, "level": gate.level, "role": gate.role}


def _line(name: str, each: dict[str, Any]) -> str:
    found = each["distribution"]
    if found is None:
        why = "".join(f"{one['reason']} ({one['n']} ×)" for one in each["reasons"][:1])
        return f"{_cut(name)}  no value: {why}"
    cells = (
        str(found["n"]),
        f"{found['mean']:.4g}",
        _table_ends(found),
        f"{found['percentiles'][2]:.4g}",
        f"{found['percentiles'][5]:.4g}",
    )
    made = [cell.rjust(width) for cell, width in zip(cells, WIDTHS, strict=True)]
    return "".join([_cut(name), *made, str(each["n_without"]).rjust(9)])


def _cut(name: str) -> str:
    return (name if len(name) < WIDTH else f"{name[: WIDTH - 2]}…").ljust(WIDTH)


def _table_ends(found: dict[str, Any]) -> str:
    if found["low"] is None:
        return "–"
    return f"{found['low']:.4g} … {found['high']:.4g}"
