"""Which runs of suites may be read, and what they are compared with."""

from typing import Final

from django.db.models import QuerySet
from django.http import Http404
from django.utils.translation import gettext as _

from annotation.permissions import Scope
from scoring.models import Run, Step
from scoring.queries import run_reading, suite_frame
from scoring.queries.run_reading import Reading

FIGURE: Final = "suite"
#: Changes with what a figure holds, so that one that was computed before is not shown as a new one.
SHAPE: Final = 4


def allowed(scope: Scope, number: int) -> Reading:
    """Return the reading of a run of a suite.

    Raises:
        Http404: there is no such run, or it is of another kind.
        errors.Refusal: this person may not read it now.
    """
    found = run_reading.allowed(scope, number)
    if found.run.kind != Run.Kind.SUITE:
        raise Http404(_("This run evaluates no suite."))
    return found


def version(run: Run) -> str:
    """Return what changes whenever the figures of the run do."""
    n_undone = Step.objects.filter(run=run).exclude(state=Step.State.DONE).count()
    n = suite_frame.judgments_of(run).count()
    return f", {n} judgments, {n_undone} steps not done, shape {SHAPE}"


def baselines(run: Run) -> "QuerySet[Run]":
    """Return the finished runs of suites that the run can be compared with, newest first."""
    rows = Run.objects.filter(project=run.project_id, kind=Run.Kind.SUITE, state=Run.State.DONE)
    return rows.exclude(pk=run.pk).order_by("-number")


def baseline(run: Run, given: str) -> Run | None:
    """Return the run whose number was given, if the run can be compared with it."""
    if not given.isascii() or not given.isdigit() or len(given) > 9:
        return None
    return baselines(run).filter(number=int(given)).first()
