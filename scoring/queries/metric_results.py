"""What a run of metrics came to: means of each release, and why some answers have no value."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Avg, Count
from django.http import Http404
from django.utils.translation import gettext as _

from annotation.models import Rater, SystemRelease
from annotation.permissions import Scope
from annotation.rules import sheets
from evalsite import errors
from scoring.models import Judgment, Run, Step
from scoring.protocols.metrics import catalogue
from scoring.protocols.metrics.catalogue import Metric
from scoring.queries import exports, run_reading
from scoring.queries.run_reading import Reading

COLUMNS = ("release", "metric", "mean", "n", "without_value", "all_answers_as_one_text")


class StillHidden(errors.Conflict):
    """The round is not final yet."""

    code = "still_hidden"


@dataclass(frozen=True, slots=True)
class Column:
    metric: Metric
    rater: int
    name: str

    def shown(self, value: float) -> str:
        """Return a value with as many decimals as its range deserves."""
        return f"{value:.4f}" if self.metric.maximum == 1 else f"{value:.2f}"


@dataclass(frozen=True, slots=True)
class Cell:
    """The mean of a metric over the answers of a release; `n_without` have no value.

    `whole` is the metric of all its answers taken as one text, where that is defined.
    """

    column: Column
    mean: float | None
    n: int
    n_without: int
    whole: float | None = None

    @property
    def mean_text(self) -> str:
        return "–" if self.mean is None else self.column.shown(self.mean)

    @property
    def whole_text(self) -> str:
        return "" if self.whole is None else self.column.shown(self.whole)


@dataclass(frozen=True, slots=True)
class Row:
    release: int
    name: str
    cells: list[Cell]


@dataclass(frozen=True, slots=True)
class Reason:
    """Why so many answers have no value of some metrics."""

    text: str
    outcome: str
    metrics: list[str]
    n: int


@dataclass(frozen=True, slots=True)
class Board:
    columns: list[Column]
    rows: list[Row] = field(default_factory=list)
    reasons: list[Reason] = field(default_factory=list)

    @property
    def by_metric(self) -> list[tuple[Column, list[Cell]]]:
        """Return each metric with its cells, one for every release in the order of the rows."""
        return [
            (column, [row.cells[place] for row in self.rows])
            for place, column in enumerate(self.columns)
        ]


def allowed(scope: Scope, number: int) -> Reading:
    """Return the reading of a run of metrics.

    Raises:
        Http404: there is no such run, or it measures nothing.
        errors.Refusal: this person may not read it now.
    """
    found = run_reading.allowed(scope, number)
    if found.run.kind != Run.Kind.METRICS:
        raise Http404(_("This run computes no metrics."))
    return found


def board(reading: Reading) -> Board:
    """Return the results of a run of metrics, releases by name.

    Raises:
        StillHidden: its round is not final.
    """
    if reading.hides_judges:
        raise StillHidden(_("What was measured can be read once the round is final."))
    columns = _columns(reading)
    by_release: dict[int, dict[int, tuple[float | None, int, int]]] = defaultdict(dict)
    rows = Judgment.objects.filter(run=reading.run).order_by()
    for release, rater, mean, n, n_all in rows.values_list("response__release", "rater").annotate(
        mean=Avg("value"), n=Count("value"), n_all=Count("pk")
    ):
        by_release[release][rater] = (mean, n, n_all - n)
    releases = SystemRelease.objects.filter(pk__in=by_release).select_related("system")
    whole = _whole(reading)
    made = [
        Row(
            one.pk,
            reading.name_of(one),
            [
                Cell(
                    column,
                    *by_release[one.pk].get(column.rater, (None, 0, 0)),
                    whole=whole.get((one.pk, column.metric.key)),
                )
                for column in columns
            ],
        )
        for one in releases
    ]
    return Board(columns, sorted(made, key=lambda row: row.name), _reasons(reading, columns))


def records(found: Board) -> Iterator[dict[str, Any]]:
    """Yield one plain row for every release and metric."""
    for row in found.rows:
        for cell in row.cells:
            yield {
                "release": row.name,
                "metric": cell.column.name,
                "mean": cell.mean,
                "n": cell.n,
                "without_value": cell.n_without,
                "all_answers_as_one_text": cell.whole,
            }


def csv_lines(found: Board) -> Iterator[str]:
    yield exports.as_csv([COLUMNS])
    for one in records(found):
        cells = [sheets.neutral(cell) if isinstance(cell, str) else cell for cell in one.values()]
        yield exports.as_csv([["" if cell is None else cell for cell in cells]])


def _columns(reading: Reading) -> list[Column]:
    raters = {key: pair[0] for key, pair in reading.run.config["raters"].items()}
    names = dict(Rater.objects.filter(pk__in=raters.values()).values_list("pk", "ref"))
    return [
        Column(one, raters[one.key], names[raters[one.key]]) for one in catalogue.in_order(raters)
    ]


def _whole(reading: Reading) -> dict[tuple[int, str], float]:
    """Return the metrics of all answers of a release as one text."""
    steps = Step.objects.filter(run=reading.run, release__isnull=False, state=Step.State.DONE)
    return {
        (release, key): value
        for release, result in steps.values_list("release", "result")
        for key, value in (result or {}).get("system", {}).items()
        if isinstance(value, float)
    }


def _reasons(reading: Reading, columns: list[Column]) -> list[Reason]:
    names = {one.rater: one.name for one in columns}
    rows = Judgment.objects.filter(run=reading.run).exclude(outcome=Judgment.Outcome.SCORED)
    found: dict[tuple[str, str], dict[int, int]] = defaultdict(dict)
    counted = rows.order_by().values_list("reason", "outcome", "rater").annotate(n=Count("pk"))
    for reason, outcome, rater, n in counted:
        found[reason, outcome][rater] = n
    return [
        Reason(
            text,
            str(Judgment.Outcome(outcome).label),
            [name for rater, name in names.items() if rater in by_rater],
            max(by_rater.values()),
        )
        for (text, outcome), by_rater in sorted(found.items())
    ]
