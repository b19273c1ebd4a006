"""What a suite's run came to: distributions, roles, turns, releases beside each other. Workers only."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from annotation.models import Project
from scoring.models import Judgment, Run
from scoring.queries import lost_steps, suite_frame, suite_gates
from scoring.queries.suite_frame import Frame, Row, Series
from scoring.stats import bars, distributions
from scoring.stats.plain import Plain, plain

#: Series that are described; the ones with the most values, where a metric has very many names.
MOST_SERIES: Final = 300
MOST_TURNS: Final = 40
MOST_REASONS: Final = 8


def of_figure(params: Mapping[str, Any]) -> Plain:
    """Return the figure that the parameters name: a run, and the baseline beside it if there is one.

    Raises:
        ValueError: the run or the baseline is not there.
    """
    run = Run.objects.get(pk=params["run"])
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
            "gates": suite_gates.verdicts(frame, baseline),
            "baseline": None if baseline is None else baseline.number,
            "lost": lost_steps.of(run),
        }
    )


def _completed(run: Run) -> dict[str, int]:
    """Count conversations that systems completed, and those that ended at a call of a tool."""
    rows = suite_frame.conversations_of(run).filter(n_before__gt=0)
    return {
        "n": rows.count(),
        "n_ended": rows.filter(response__details__has_key="ended").count(),
    }


def _by_series(rows: Iterable[Row]) -> dict[Series, list[Row]]:
    found: dict[Series, list[Row]] = defaultdict(list)
    for one in rows:
        found[one.series].append(one)
    return found


def _name(frame: Frame, one: Series) -> tuple[str, str]:
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


def _by_item(rows: Iterable[Row]) -> dict[int, list[float]]:
    found: dict[int, list[float]] = defaultdict(list)
    for one in rows:
        if one.value is not None:
            found[one.item].append(one.value)
    return dict(found)


def _series(
    frame: Frame, one: Series, rows: Sequence[Row], before: Mapping[int, Sequence[float]]
) -> dict[str, Any]:
    seed = frame.run.seed
    by_release: dict[int, list[Row]] = defaultdict(list)
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


def _release(release: int, rows: Sequence[Row], seed: int) -> dict[str, Any]:
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


def _values(rows: Iterable[Row]) -> tuple[list[float], list[str]]:
    """Return the values there are, and the label of each."""
    found = [(row.value, row.label) for row in rows if row.value is not None]
    return [value for value, _label in found], [label for _value, label in found]


def _groups(rows: Sequence[Row], key: Callable[[Row], Any], seed: int) -> list[dict[str, Any]]:
    """Return n and mean of each group with its interval, release by release."""
    mine = [row for row in rows if row.value is not None and key(row) not in {"", None}]
    names = sorted({key(row) for row in mine})
    place = {name: at for at, name in enumerate(names)}
    by_release: dict[int, list[Row]] = defaultdict(list)
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
