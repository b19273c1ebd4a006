"""What metrics are to measure: answers of a round or of an import, with the texts beside each.

* What a run of metrics came to: means of each release, and why some answers have no value.
* Take a run out of the product; who did, and in which form, is written down.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, get_args

from django.db.models import Avg, Count, Exists, OuterRef, Q, QuerySet
from django.http import Http404
from django.utils.translation import gettext as _

from annotation.common import scales as references
from annotation.common import texts as faces
from annotation.files.models import ImportBatch, ImportKind
from annotation.people import audit
from annotation.people.models import Project, Rater
from annotation.people.permissions import Scope
from annotation.rounds import queries as rounds
from annotation.rounds.models import Round, RoundResponse
from annotation.systems.models import Item, Response, SystemRelease
from evalsite import errors
from scoring.engine import queries as run_reading
from scoring.engine.models import Judgment, Run, Step
from scoring.engine.queries import Reading
from scoring.kinds.metrics import catalogue
from scoring.kinds.metrics.catalogue import Metric, Text
from scoring.shown import sheet as shown_sheet
from scoring.shown.sheet import CSV, Export

#: Which texts an answer is compared with.
Against = Literal["standard", "texts", "both"]
AGAINST: tuple[Against, ...] = get_args(Against)
#: What is made of several of them.
Many = Literal["mean", "best"]
MANY: tuple[Many, ...] = get_args(Many)
#: The text an answer was made from: what was asked, or a field kept with the question.
QUESTION, FIELD = "question", "field:"

PAGE = 500
#: Questions that are looked at for the names of their fields.
LOOKED_AT = 200
_SAID = {
    "standard": "standard answer",
    "texts": "references",
    "both": "standard answer and references",
}


@dataclass(frozen=True, slots=True)
class Found:
    """How many answers there are to measure, and how many have what they are compared with."""

    n: int
    n_standard: int
    n_texts: int
    n_releases: int


def responses(project: Project, round_: Round | None, batch: int | None) -> "QuerySet[Response]":
    """Return the answers that a round shows, or that an import brought."""
    here = Response.objects.seen().filter(item__project=project)
    if round_ is not None:
        used = RoundResponse.objects.filter(round_item__round=round_, response=OuterRef("pk"))
        return here.filter(Exists(used))
    return here.filter(batch__project=project, batch__number=batch or 0)


def of(run: Run) -> "QuerySet[Response]":
    return responses(run.project, run.round, run.config.get("import"))


def pages(run: Run, size: int) -> Iterator[list[int]]:
    """Yield the keys of all answers, those to the same question side by side."""
    rows = of(run).order_by("item", "pk")
    last = (0, 0)
    while True:
        after = Q(item__gt=last[0]) | Q(item=last[0], pk__gt=last[1])
        found = list(rows.filter(after).values_list("item", "pk")[:size])
        if not found:
            return
        yield [pk for _item, pk in found]
        last = found[-1]


def texts(keys: Sequence[int], config: Mapping[str, Any]) -> Iterator[tuple[int, Text]]:
    """Yield answers with what they are compared with, in the order of their keys."""
    for start in range(0, len(keys), PAGE):
        some = keys[start : start + PAGE]
        found = Response.objects.select_related("item").in_bulk(some)
        yield from ((pk, text(found[pk], found[pk].item, config)) for pk in some if pk in found)


def text(response: Response, item: Item, config: Mapping[str, Any]) -> Text:
    """Return one answer with what it is compared with."""
    against = config.get("references", "standard")
    found = [] if against == "texts" else [item.reference]
    if against != "standard":
        found += references.of(item.extra)
    return Text(
        spoken(response.messages),
        tuple(one for one in found if one.strip()),
        source(item, str(config.get("source", ""))),
    )


def spoken(messages: Sequence[Mapping[str, Any]]) -> str:
    """Return what the system said: the words of its messages, without what others said between."""
    own = [one for one in messages if one.get("role", "assistant") == "assistant"]
    return "\n\n".join(words for one in own if (words := faces.spoken(one)).strip())


def source(item: Item, where: str) -> str:
    """Return the text that an answer was made from."""
    if where == QUESTION:
        asked = [one for one in item.messages if one.get("role") == "user"] or item.messages
        return "\n\n".join(map(faces.spoken, asked))
    kept = item.extra.get(where.removeprefix(FIELD)) if where.startswith(FIELD) else ""
    parts = kept if isinstance(kept, list) else [kept]
    return "\n\n".join(one for one in parts if isinstance(one, str))


def name(metric: Metric, config: Mapping[str, Any]) -> str:
    """Return what a metric is called among raters: what it is, and what it was compared with."""
    if metric.needs == "source":
        where = str(config["source"])
        return f"{metric.name} ({where.removeprefix(FIELD)[:100]})"
    if metric.needs == "references":
        said = _SAID[config["references"]]
        several = metric.joins and config["references"] != "standard"
        return f"{metric.name} ({said}, {config['many']})" if several else f"{metric.name} ({said})"
    return metric.name


def rounds_of(project: Project) -> list[Round]:
    """Return the rounds whose answers stand, the newest first."""
    fixed = rounds.of(project).exclude(state=Round.State.DRAFT)
    return list(fixed.order_by("-number")[:PAGE])


def imports_of(project: Project) -> list[ImportBatch]:
    """Return the imports that brought answers, the newest first."""
    brought = ImportBatch.objects.filter(
        project=project, kind=ImportKind.ANSWERS, state=ImportBatch.State.APPLIED
    )
    return list(brought.defer("mapping").order_by("-number")[:PAGE])


def fields(project: Project) -> list[str]:
    """Return the names of fields that questions keep, found in the latest of them."""
    latest = Item.objects.seen().filter(project=project).order_by("-pk")
    found: dict[str, None] = {}
    for extra in latest.values_list("extra", flat=True)[:LOOKED_AT]:
        found |= dict.fromkeys(key for key, kept in extra.items() if isinstance(kept, str | list))
    return [one for one in found if one != references.FIELD]


def count(rows: "QuerySet[Response]") -> Found:
    """Count answers, and those whose question has something to compare them with."""
    return Found(
        n=rows.count(),
        n_standard=rows.exclude(item__reference="").count(),
        n_texts=rows.filter(item__extra__has_key=references.FIELD).count(),
        n_releases=rows.order_by().values("release").distinct().count(),
    )


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
    yield shown_sheet.as_csv([COLUMNS])
    for one in records(found):
        cells = [faces.neutral(cell) if isinstance(cell, str) else cell for cell in one.values()]
        yield shown_sheet.as_csv([["" if cell is None else cell for cell in cells]])


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


def export_metrics(*, reading: Reading, board: Board, now: datetime) -> Export:
    """Hand out the means of a run of metrics."""
    run, project = reading.run, reading.scope.project
    audit.record(
        project=project,
        actor=reading.scope.user,
        verb="run.exported",
        subject=f"run:{run.number}",
        at=now,
        form="metrics.csv",
        named=reading.shows_keys,
    )
    name = f"{project.slug}-run-{run.number}-{now:%Y%m%d-%H%M}-metrics.csv"
    return Export(csv_lines(board), CSV, name)
