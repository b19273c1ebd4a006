"""When a suite runs by itself: its page, and what is told of gates that were not kept."""

from collections.abc import Callable

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from annotation import permissions
from annotation.forms import refusals
from annotation.permissions import Scope, door
from evalsite import errors
from scoring.forms.suite_schedules import ScheduleForm
from scoring.models import ScheduledRun, Suite, SuiteSchedule
from scoring.operations import suite_schedules as operations
from scoring.queries import suite_schedules as reads
from scoring.queries import suites


@require_http_methods(["GET", "POST"])
@door(permissions.UNBLINDED, permissions.CURATORS)
def suite_schedule(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Show when a suite runs by itself and what became of it; curators set, pause and resume it."""
    found = suites.find(scope.project, number)
    schedule = reads.of(found)
    deed = request.POST.get("deed", "")
    if request.method == "POST" and deed in DEEDS:
        return _done(request, scope, found, schedule, deed)
    form = ScheduleForm(
        request.POST if request.method == "POST" else None,
        project=scope.project,
        schedule=schedule,
    )
    if form.is_valid():
        try:
            operations.set_schedule(suite=found, by=scope.user, now=timezone.now(), **form.given())
        except errors.Refusal as refusal:
            refusals.show(form, refusal)
        else:
            messages.success(request, _("Saved. The suite runs by itself from now on."))
            return redirect("suite_schedule", scope.project.slug, found.number)
    context = {
        "scope": scope,
        "suite": found,
        "form": form,
        "face": reads.face(schedule) if schedule else None,
        "may_do": scope.may(permissions.CURATORS),
    }
    status = refusals.status_of(form)
    return render(request, "scoring/suites/schedule.html", context, status=status)


def _done(
    request: HttpRequest, scope: Scope, suite: Suite, schedule: SuiteSchedule | None, deed: str
) -> HttpResponse:
    if schedule is None:
        raise Http404(_("This suite has no schedule."))
    try:
        messages.success(request, DEEDS[deed](request, scope, schedule))
    except errors.Refusal as refusal:
        messages.error(request, refusal.message)
    return redirect("suite_schedule", scope.project.slug, suite.number)


def _pause(_request: HttpRequest, scope: Scope, schedule: SuiteSchedule) -> str:
    operations.pause(schedule=schedule, by=scope.user, now=timezone.now())
    return _("Paused. What comes in the meantime is new when it goes on.")


def _resume(_request: HttpRequest, scope: Scope, schedule: SuiteSchedule) -> str:
    operations.resume(schedule=schedule, by=scope.user, now=timezone.now())
    return _("It goes on within a minute.")


def _now(_request: HttpRequest, _scope: Scope, schedule: SuiteSchedule) -> str:
    if operations.run_now(schedule=schedule, now=timezone.now()):
        return _("The run has been asked for.")
    return _("Nothing came since the last run.")


def _note(request: HttpRequest, scope: Scope, schedule: SuiteSchedule) -> str:
    given = request.POST.get("run", "")
    known = given.isascii() and given.isdigit() and len(given) < 10
    rows = ScheduledRun.objects.filter(schedule=schedule).select_related("run", "schedule__suite")
    one = get_object_or_404(rows, run__number=int(given) if known else 0)
    operations.note(one=one, by=scope.user, now=timezone.now())
    return _("Noted.")


DEEDS: dict[str, Callable[[HttpRequest, Scope, SuiteSchedule], str]] = {
    "pause": _pause,
    "resume": _resume,
    "now": _now,
    "note": _note,
}
