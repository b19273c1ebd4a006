"""What a run of an assistant came to: how its scores are distributed, and why some answers have none."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from django.db.models import Count, QuerySet
from django.http import Http404
from django.utils.translation import gettext as _

from annotation.common import texts as sheets
from annotation.people.models import Project
from annotation.people.permissions import Scope
from annotation.rubrics.models import Criterion
from annotation.rubrics.rules import Measure
from annotation.systems.models import SystemRelease
from evalsite import errors
from scoring.endpoints.models import Judge
from scoring.engine import queries as run_reading
from scoring.engine.models import Judgment, Run
from scoring.engine.queries import Reading
from scoring.figures import cells as distributions
from scoring.figures.cells import Distribution
from scoring.figures.cells import DistributionPart as Part
from scoring.kinds.assistants import v1 as assisting
from scoring.kinds.judging.queries import of
from scoring.shown import sheet as shown_sheet

#: Of the file with every answer.
COLUMNS: Final = ("item", "release", "value", "outcome", "reason")
PAGE: Final = 1000


class StillHidden(errors.Conflict):
    """The round is not final yet."""

    code = "still_hidden"


@dataclass(frozen=True, slots=True)
class Row:
    """The scores of a release; none where it has no answer with a score."""

    name: str
    scores: Distribution | None
    n_without: int


@dataclass(frozen=True, slots=True)
class Reason:
    text: str
    outcome: str
    n: int


@dataclass(frozen=True, slots=True)
class Board:
    """`bounds` is the declared range in words."""

    name: str
    rater: int
    bounds: str
    higher_is_better: bool
    all: Distribution | None
    parts: list[Part] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    reasons: list[Reason] = field(default_factory=list)

    @property
    def most(self) -> int:
        """The largest number of scores in a part of the range."""
        return max((one.n for one in self.parts), default=0)


def allowed(scope: Scope, number: int) -> Reading:
    """Return the reading of an assistant's run.

    Raises:
        Http404: there is no such run, or it is no assistant's.
        errors.Refusal: this person may not read it now.
    """
    found = run_reading.allowed(scope, number)
    if found.run.kind != Run.Kind.ASSIST or found.run.judge is None:
        raise Http404(_("No assistant scores in this run."))
    return found


def board(reading: Reading) -> Board:
    """Return the results of an assistant's run, releases by name.

    Raises:
        StillHidden: its round is not final.
    """
    if reading.hides_judges:
        raise StillHidden(_("What was scored can be read once the round is final."))
    run = reading.run
    assert run.judge is not None
    own = Criterion.objects.get(pk=run.config["criterion"])
    low, high = (None if end is None else float(end) for end in (own.minimum, own.maximum))
    by_release: dict[int, list[float]] = defaultdict(list)
    without: dict[int, int] = defaultdict(int)
    rows = Judgment.objects.filter(run=run).order_by("pk")
    for release, value in rows.values_list("response__release", "value"):
        if value is None:
            without[release] += 1
        else:
            by_release[release].append(value)
    releases = SystemRelease.objects.filter(pk__in={*by_release, *without})
    values = [value for each in by_release.values() for value in each]
    made = [
        Row(reading.name_of(one), distributions.of(by_release[one.pk]), without[one.pk])
        for one in releases.select_related("system")
    ]
    return Board(
        name=own.name,
        rater=run.judge.rater_id,
        bounds=Measure("", own.minimum, own.maximum).bounds(),
        higher_is_better=own.higher_is_better,
        all=distributions.of(values),
        parts=distributions.parts(values, low, high),
        rows=sorted(made, key=lambda row: row.name),
        reasons=_reasons(run),
    )


def records(found: Board) -> Iterator[dict[str, Any]]:
    """Yield one plain row for every release."""
    for row in found.rows:
        names = ("n", "mean", "lowest", "lower", "middle", "upper", "highest")
        said = {name: getattr(row.scores, name, None) for name in names}
        yield {"release": row.name, **said, "n": said["n"] or 0, "without_value": row.n_without}


def csv_lines(reading: Reading) -> Iterator[str]:
    """Yield the score of every answer, or why it has none; releases are called as this person may know them.

    Raises:
        StillHidden: its round is not final.
    """
    if reading.hides_judges:
        raise StillHidden(_("What was scored can be read once the round is final."))
    return _csv_lines(reading)


def _csv_lines(reading: Reading) -> Iterator[str]:
    yield shown_sheet.as_csv([COLUMNS])
    used = Judgment.objects.filter(run=reading.run).order_by().values("response__release")
    releases = SystemRelease.objects.filter(pk__in=used).select_related("system")
    names = {one.pk: reading.name_of(one) for one in releases}
    rows = Judgment.objects.filter(run=reading.run).order_by("pk")
    wanted = (
        "pk",
        "response__item__external_id",
        "response__release",
        "value",
        "outcome",
        "reason",
    )
    last = 0
    while page := list(rows.filter(pk__gt=last).values_list(*wanted)[:PAGE]):
        for _pk, item, release, value, outcome, reason in page:
            said = (sheets.neutral(one) for one in (item, names[release]))
            yield shown_sheet.as_csv([[*said, "" if value is None else value, outcome, reason]])
        last = page[-1][0]


def _reasons(run: Run) -> list[Reason]:
    rows = Judgment.objects.filter(run=run).exclude(outcome=Judgment.Outcome.SCORED).order_by()
    counted = rows.values_list("reason", "outcome").annotate(n=Count("pk"))
    return [
        Reason(reason, str(Judgment.Outcome(outcome).label), n)
        for reason, outcome, n in sorted(counted)
    ]


def assistants(project: Project) -> "QuerySet[Judge]":
    """Return the assistants whose endpoint is in use."""
    rows = of(project).filter(protocol=assisting.PROTOCOL, endpoint__retired_at__isnull=True)
    return rows.order_by("name")
