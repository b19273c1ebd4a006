"""The runs of a project, as their list shows them."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count, OuterRef, QuerySet, Subquery

from annotation.models import Project, Round
from evalsite import keyset
from scoring.models import Run, Step

LEFT = (Step.State.FREE, Step.State.CLAIMED)


@dataclass(frozen=True)
class Filters:
    kind: str = ""
    state: str = ""


@dataclass(frozen=True)
class Line:
    """A run in the list, with how far it is."""

    run: Run
    n_steps: int
    n_left: int
    n_failed: int

    @property
    def n_done(self) -> int:
        return self.n_steps - self.n_left


def of(project: Project) -> "QuerySet[Run]":
    return Run.objects.filter(project=project).select_related(
        "round", "judge", "requested_by__person"
    )


def filtered(project: Project, filters: Filters) -> "QuerySet[Run]":
    rows = of(project)
    if filters.kind:
        rows = rows.filter(kind=filters.kind)
    return rows.filter(state=filters.state) if filters.state else rows


def page(rows: "QuerySet[Run]", after: str = "") -> keyset.Page[Run]:
    return keyset.page(rows, by=("-number",), after=after)


def lines(runs: Sequence[Run]) -> list[Line]:
    """Return the runs with their counts.

    Steps that are done are not counted one by one: they are all that are neither left nor failed,
    and how many there are is told by the last one's ordinal.
    """
    steps = Step.objects.filter(run=OuterRef("pk")).order_by()
    rows = Run.objects.filter(pk__in=[one.pk for one in runs]).annotate(
        last=Subquery(steps.order_by("-ordinal").values("ordinal")[:1]),
        n_left=_n(steps.filter(state__in=LEFT)),
        n_failed=_n(steps.filter(state=Step.State.FAILED)),
    )
    found = {pk: counts for pk, *counts in rows.values_list("pk", "last", "n_left", "n_failed")}
    return [_line(one, *found[one.pk]) for one in runs]


def _line(run: Run, last: int | None, n_left: int | None, n_failed: int | None) -> Line:
    return Line(run, 0 if last is None else last + 1, n_left or 0, n_failed or 0)


def _n(rows: "QuerySet[Step]") -> Subquery:
    return Subquery(rows.values("run").annotate(n=Count("pk")).values("n"))


def n_moving(project: Project) -> int:
    """Return how many runs are at work now."""
    return Run.objects.filter(project=project).to_work_on().count()


def over(round_: Round) -> "QuerySet[Run]":
    """Return the runs of judges over a round, the newest first."""
    rows = Run.objects.filter(round=round_, kind=Run.Kind.JUDGE)
    return rows.select_related("judge").order_by("-number")


def n_over(round_: Round) -> tuple[int, int]:
    """Return how many runs of judges there are over a round, and how many are finished."""
    states = list(over(round_).values_list("state", flat=True))
    return len(states), states.count(Run.State.DONE)
