"""Who reads a run, and what they may see of it now.

* The runs of a project, as their list shows them.
* The live judges of a project: those that are configured here and can be asked.
* The steps of a run that brought nothing, or less than they should, for a reason of the machinery.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from django.db.models import Count, OuterRef, Q, QuerySet, Subquery
from django.http import Http404
from django.utils.translation import gettext as _

from annotation.people.models import Project
from annotation.people.permissions import Scope
from annotation.rounds import queries as unblinding
from annotation.rounds.models import Round
from annotation.systems.models import SystemRelease
from evalsite import errors
from evalsite.web import keyset
from scoring.engine.models import Run, Step
from scoring.llm.base import Role
from scoring.shown import names

#: Who is judged, or asks; everybody else in a run is the judge's side.
OPEN_ROLES = frozenset({Role.CANDIDATE.value, Role.INTERACTOR.value})


class NotForItsAnnotators(errors.NotAllowed): ...


@dataclass
class RunReading:
    """Somebody reads a run."""

    scope: Scope
    run: Run

    @cached_property
    def hides_judges(self) -> bool:
        """Whether what the judge's side said is still hidden."""
        return self.run.round is not None and self.run.round.state != Round.State.FINAL

    @cached_property
    def is_closed(self) -> bool:
        """Whether this person grades in the round, which is not final."""
        round_ = self.run.round
        return (
            round_ is not None
            and self.hides_judges
            and unblinding.grades_in(round_, self.scope.user)
        )

    @cached_property
    def shown(self) -> bool:
        """Whether the systems of the round may be told apart by name: in names, marks, keys of steps."""
        round_ = self.run.round
        # The grades of an imported round were given elsewhere: nothing is left to hide.
        return (
            round_ is None
            or round_.kind == Round.Kind.IMPORTED
            or unblinding.has_seen(round_, self.scope.user.pk)
        )

    @cached_property
    def names(self) -> Mapping[int, names.Name]:
        """Return what the releases of the round are called for this person, by key."""
        round_ = self.run.round
        return {} if round_ is None else names.names(round_, shown=self.shown)

    def name_of(self, release: SystemRelease | None) -> str:
        """Return what a release is called here: as the round's pages call it, if it is one of it."""
        if release is None:
            return ""
        known = self.names.get(release.pk)
        return known.text if known else f"{release.system.name} · {release.label}"

    def mark_of(self, release: SystemRelease | None) -> int:
        """Return the ordinal of colour and shape that a release has here; hidden, not its own."""
        if release is None:
            return 0
        known = self.names.get(release.pk)
        return known.mark if known else release.system.colour

    def hides(self, role: str) -> bool:
        return self.hides_judges and role not in OPEN_ROLES


def reading_of(scope: Scope, number: int) -> RunReading:
    """Return the reading of a run.

    Raises:
        Http404: there is no such run.
    """
    rows = Run.objects.filter(project=scope.project, number=number)
    found = rows.select_related(
        "round", "judge__rater", "requested_by__person", "cloned_from"
    ).first()
    if found is None:
        raise Http404(_("There is no such run."))
    found.project = scope.project
    return RunReading(scope, found)


def allowed(scope: Scope, number: int) -> RunReading:
    """Return the reading of a run whose texts this person may read now.

    Raises:
        Http404: there is no such run.
        NotForItsAnnotators: they grade in the run's round, and it is not final.
    """
    reading = reading_of(scope, number)
    if reading.is_closed:
        raise NotForItsAnnotators(
            _("You grade in this run’s round. What was said opens to you when the round is final.")
        )
    return reading


LEFT = (Step.State.FREE, Step.State.CLAIMED)


@dataclass(frozen=True)
class RunFilters:
    kind: str = ""
    state: str = ""


@dataclass(frozen=True)
class RunLine:
    """A run in the list, with how far it is."""

    run: Run
    n_steps: int
    n_left: int
    n_failed: int

    @property
    def n_done(self) -> int:
        return self.n_steps - self.n_left


def of_run_list(project: Project) -> "QuerySet[Run]":
    return Run.objects.filter(project=project).select_related(
        "round", "judge", "requested_by__person"
    )


def filtered(project: Project, filters: RunFilters) -> "QuerySet[Run]":
    rows = of_run_list(project)
    if filters.kind:
        rows = rows.filter(kind=filters.kind)
    return rows.filter(state=filters.state) if filters.state else rows


def page(rows: "QuerySet[Run]", after: str = "") -> keyset.Page[Run]:
    return keyset.page(rows, by=("-number",), after=after)


def lines(runs: Sequence[Run]) -> list[RunLine]:
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


def _line(run: Run, last: int | None, n_left: int | None, n_failed: int | None) -> RunLine:
    return RunLine(run, 0 if last is None else last + 1, n_left or 0, n_failed or 0)


def _n(rows: "QuerySet[Step]") -> Subquery:
    return Subquery(rows.values("run").annotate(n=Count("pk")).values("n"))


def over(round_: Round) -> "QuerySet[Run]":
    """Return the runs of judges over a round, the newest first."""
    rows = Run.objects.filter(round=round_, kind__in=(Run.Kind.JUDGE, Run.Kind.PAIRS))
    return rows.select_related("judge").order_by("-number")


def n_over(round_: Round) -> tuple[int, int]:
    """Return how many runs of judges there are over a round, and how many are finished."""
    states = list(over(round_).values_list("state", flat=True))
    return len(states), states.count(Run.State.DONE)


Outcome = Step.Outcome


@dataclass(frozen=True, slots=True)
class Lost:
    """How many of all steps; the reason that is most frequent, how often it is, and a step for an example."""

    n: int
    of: int
    reason: str = ""
    n_reason: int = 0
    example: str = ""
    n_failed: int = 0

    def beyond(self, tolerated: float) -> bool:
        """Say whether these are more than may be lost."""
        return self.n > tolerated * self.of


def of_lost_steps(run: Run) -> Lost:
    """Count the steps that failed or were not done.

    A judge's reply that cannot be read is its own outcome, and so is a system that fails, unless no step
    brought anything; a reply that its server kept back or spoilt is not.
    """
    steps = Step.objects.filter(run=run)
    found = steps.aggregate(
        n=Count("pk"),
        n_failed=Count("pk", filter=Q(state=Step.State.FAILED)),
        n_undone=Count("pk", filter=_undone()),
        n_good=Count("pk", filter=Q(outcome=Outcome.OK)),
    )
    unread = steps.filter(outcome__in=[Outcome.NO_READING, Outcome.SYSTEM_FAILED])
    if found["n_good"]:
        unread = unread.filter(outcome=Outcome.NO_READING).exclude(trouble="")
    bad = steps.filter(Q(state=Step.State.FAILED) | Q(pk__in=unread.values("pk")))
    reason, n_reason, example = _most_frequent(bad)
    n = found["n_undone"] + unread.count()
    return Lost(n, found["n"], reason, n_reason, example, found["n_failed"])


def _undone() -> Q:
    return ~Q(state=Step.State.DONE)


def _most_frequent(rows: "QuerySet[Step]") -> tuple[str, int, str]:
    counted = rows.order_by().values("problem", "trouble").annotate(n=Count("pk"))
    first = counted.order_by("-n", "problem").first()
    if first is None:
        return "", 0, ""
    same = rows.filter(problem=first["problem"], trouble=first["trouble"])
    example = same.order_by("ordinal").values_list("key", flat=True).first()
    return first["problem"] or first["trouble"], first["n"], example or ""
