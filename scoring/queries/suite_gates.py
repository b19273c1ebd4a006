"""Whether a run keeps the bounds of its suite. Loads scipy: workers and commands only."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from annotation.models import SystemRelease
from scoring.models import Judgment, Run
from scoring.protocols.suite import source, v1
from scoring.protocols.suite.definition import RUBRIC, Gate
from scoring.queries import suite_frame
from scoring.queries.suite_frame import Frame, Row
from scoring.stats import distributions
from scoring.stats.reasons import Reason


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of a gate for one release (none: nothing was found at all)."""

    gate: str
    release: str
    value: float | None
    passed: bool
    said: str


def verdicts(frame: Frame, baseline: Run | None = None) -> list[Verdict]:
    """Return what became of every gate, for every release that took part."""
    gates = frame.suite.gates
    if not gates:
        return []
    rows = list(frame.rows())
    before = list(Frame(baseline).rows()) if baseline is not None else []
    names = _names({one.release for one in rows})
    found: list[Verdict] = []
    for gate in gates:
        mine = _by_release(frame, gate, rows)
        tolerated = tolerated_of(frame.run)
        if not mine:
            said = "nothing has a value"
            found.append(Verdict(gate.words, "", None, False, said))
        other = [] if baseline is None else _chosen(Frame(baseline), gate, before)
        found += [
            _whole(
                _verdict(gate, names[release], mine[release], other, frame.run.seed, baseline),
                mine[release],
                tolerated,
            )
            for release in sorted(mine, key=lambda one: names[one])
        ]
    return found


def tolerated_of(run: Run) -> float:
    """Return the share of judgments that may be missing where a gate is kept all the same."""
    return float(run.config.get("tolerated", 0.0))


def _whole(found: Verdict, rows: Sequence[Row], tolerated: float) -> Verdict:
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


def _is_missing(row: Row) -> bool:
    """Say whether a judgment was lost by the machinery; a judge that makes no choice has judged in its way."""
    return row.value is None and (
        row.outcome == suite_frame.FAILED or row.reason in v1.OF_MACHINERY.values()
    )


def _is_unread(frame: Frame, row: Row) -> bool:
    """Say whether a judge was asked and gave no score."""
    is_judged = frame.entries[row.series.rater].kind == RUBRIC
    return is_judged and row.value is None and row.outcome == Judgment.Outcome.UNSCORED


def _verdict(
    gate: Gate,
    name: str,
    rows: Sequence[Row],
    other: Sequence[Row],
    seed: int,
    baseline: Run | None,
) -> Verdict:
    values = [one.value for one in rows if one.value is not None]
    if not values:
        return Verdict(gate.words, name, None, False, "nothing has a value")
    value = _statistic(gate.statistic, values)
    ends = _ends(gate, rows, value, seed)
    if ends is None:
        said = "there are too few conversations for an interval"
        return Verdict(gate.words, name, value, False, said)
    low, high = ends
    problems = []
    if gate.minimum is not None and low < gate.minimum:
        problems.append(f"{_end(gate, 'lower')}{low:.4g} is below {gate.minimum:g}")
    if gate.maximum is not None and high > gate.maximum:
        problems.append(f"{_end(gate, 'upper')}{high:.4g} is above {gate.maximum:g}")
    if gate.drop is not None:
        problems += _dropped(gate, value, other, baseline)
    return Verdict(gate.words, name, value, not problems, "; ".join(problems))


def _end(gate: Gate, side: str) -> str:
    """Return which end of an interval is meant, where one is asked for."""
    return "" if gate.confidence is None else f"{side} limit "


def _ends(gate: Gate, rows: Sequence[Row], value: float, seed: int) -> tuple[float, float] | None:
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


def _dropped(gate: Gate, value: float, other: Sequence[Row], baseline: Run | None) -> list[str]:
    if baseline is None:
        return ["there is no baseline: name a run"]
    before = [one.value for one in other if one.value is not None]
    if not before:
        return ["the baseline has no value of it"]
    standard = _statistic(gate.statistic, before)
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


def _by_release(frame: Frame, gate: Gate, rows: Iterable[Row]) -> dict[int, list[Row]]:
    """Return the rows of a gate that have a value or should have one, by release."""
    found: dict[int, list[Row]] = defaultdict(list)
    for one in _chosen(frame, gate, rows):
        if one.value is not None or _is_missing(one) or _is_unread(frame, one):
            found[one.release].append(one)
    return dict(found)


def _chosen(frame: Frame, gate: Gate, rows: Iterable[Row]) -> list[Row]:
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
