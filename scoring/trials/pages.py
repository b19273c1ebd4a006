"""The report of a trial: who reached the threshold, what the wording has to do with it, the decision."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.common import forms as refusals
from annotation.people import permissions
from annotation.people.permissions import Scope, does, shows
from annotation.qualification.models import Trial
from annotation.rounds.models import Round
from scoring.figures import pages as waiting
from scoring.trials import queries as operations
from scoring.trials.queries import TrialReport


def _find(scope: Scope, number: int) -> Trial:
    rows = Trial.objects.filter(round__discarded_at__isnull=True).select_related(
        "round__project", "capability", "rule"
    )
    found = rows.exclude(round__state=Round.State.DRAFT)
    return get_object_or_404(found, round__project=scope.project, round__number=number)


@shows(permissions.CURATORS)
def trial_report(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Show each annotator against the threshold, and whether people or wording are behind it."""
    trial = _find(scope, number)
    figure = operations.figure_of(trial, timezone.now())
    context: dict[str, Any] = {"trial": trial, "round": trial.round}
    if wait := waiting.answer(request, [figure], context, page="scoring/trials/trial_wait.html"):
        return wait
    context |= {"figure": figure, "report": TrialReport(trial, figure.data or {})}
    return render(request, "scoring/trials/trial.html", context)


@does(permissions.CURATORS)
def trial_decide(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Record what the trial says of everybody, as the page showed it."""
    trial = _find(scope, number)
    seen = request.POST.get("figure", "")
    with refusals.told(request):
        outcome = operations.decide(
            trial=trial, seen=int(seen) if seen.isdigit() else 0, **scope.who()
        )
        said = _("%(passed)d qualified, %(failed)d not passed, %(undecided)d unclear.")
        messages.success(
            request,
            said
            % {
                "passed": outcome.passed,
                "failed": outcome.failed,
                "undecided": outcome.undecided,
            },
        )
    return redirect("trial_report", scope.project.slug, number)


def link(*, scope: Scope, round: Round, **_context: Any) -> dict[str, str] | None:
    """Lead from the page of a trial, and from the list of trials, to its report."""
    if round.kind != Round.Kind.TRIAL or round.state == Round.State.DRAFT:
        return None
    return {
        "url": reverse("trial_report", args=[scope.project.slug, round.number]),
        "label": _("Report"),
    }
