"""Who has how much to do, whether rounds will be done in time, and what to do when somebody stops."""

import csv
import uuid
from collections.abc import Iterator

from django.contrib import messages
from django.contrib.auth import logout
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_http_methods

from annotation import permissions
from annotation.forms import people as forms
from annotation.forms import refusals
from annotation.forms.refusals import status_of
from annotation.forms.rounds import Reason
from annotation.models import Rater, RaterKind
from annotation.operations import leaving
from annotation.permissions import Scope, door
from annotation.queries import projects
from annotation.queries import workload as reads
from evalsite import addresses, errors

TIMES = ("annotator", "round", "item", "submitted_at", "active_ms", "grades")


@require_GET
@door(permissions.OWNERS)
def workload(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Show what each annotator has done and holds, and when each open round would be done."""
    now = timezone.now()
    lines = reads.lines(scope.project, now)
    context = {
        "scope": scope,
        "lines": lines,
        "has_times": any(one.n_done for one in lines),
        "outlooks": reads.outlooks(scope.project, now),
    }
    return render(request, "annotation/workload.html", context)


@require_GET
@door(permissions.OWNERS)
def workload_times(request: HttpRequest, scope: Scope) -> StreamingHttpResponse:
    """Send the active time of every submission as CSV; people under their pseudonyms."""

    def rows() -> Iterator[str]:
        writer = csv.writer(_Line())
        yield writer.writerow(TIMES)
        for one in reads.times(scope.project):
            yield writer.writerow(one)

    name = f"{scope.project.slug}-times.csv"
    return StreamingHttpResponse(
        rows(),
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


@require_http_methods(["GET", "POST"])
@door(permissions.OWNERS)
def workload_leave(request: HttpRequest, scope: Scope, person: uuid.UUID) -> HttpResponse:
    """Take somebody out of every round under way, after saying what that means."""
    rows = Rater.objects.filter(project=scope.project, kind=RaterKind.PERSON)
    rater = get_object_or_404(rows.select_related("user__person"), user__public_id=person)
    now = timezone.now()
    form = Reason(request.POST if request.method == "POST" else None)
    status = status_of(form)
    if form.is_valid():
        try:
            left = leaving.leave_rounds(
                project=scope.project,
                rater=rater,
                by=scope.user,
                reason=form.cleaned_data["reason"],
                now=now,
            )
        except errors.Refusal as refusal:
            refusals.show(form, refusal)
            status = refusal.status
        else:
            messages.success(
                request, _left(rater.user.display_name if rater.user else rater.ref, left)
            )
            return redirect("workload", scope.project.slug)
    line = next((one for one in reads.lines(scope.project, now) if one.rater == rater), None)
    context = {
        "scope": scope,
        "form": form,
        "rater": rater,
        "line": line,
        "short": reads.short_without(scope.project, rater),
    }
    return render(request, "annotation/workload_leave.html", context, status=status)


@require_http_methods(["GET", "POST"])
@door(permissions.OWNERS)
def person_erase(request: HttpRequest, scope: Scope, person: uuid.UUID) -> HttpResponse:
    """Erase the person behind an account that one made oneself, after the user name is typed."""
    user = get_object_or_404(projects.members_of(scope.project), public_id=person)
    form = forms.Erase(request.POST if request.method == "POST" else None)
    status = status_of(form)
    if form.is_valid():
        given = form.cleaned_data
        try:
            leaving.erase_confirmed(
                user=user,
                name_typed=given["name"],
                by=scope.user,
                password=given["password"],
                address=addresses.of(request),
                now=timezone.now(),
            )
        except errors.Refusal as refusal:
            refusals.show(form, refusal)
            status = refusal.status
        else:
            if user.pk == scope.user.pk:
                logout(request)
                return redirect("login")
            messages.success(request, _("The person is erased. What they graded stays."))
            return redirect("people", scope.project.slug)
    may = projects.keeps_account(by=scope.user, user=user) or user.pk == scope.user.pk
    context = {
        "scope": scope,
        "person": user,
        "form": form,
        "may_erase": may,
        "who_keeps": projects.who_keeps(),
    }
    return render(request, "annotation/person_erase.html", context, status=status)


def _left(name: str, left: leaving.Left) -> str:
    """Return what happened, in the words of the page that asked."""
    rounds = ngettext(
        "%(name)s is out of %(n)d round.", "%(name)s is out of %(n)d rounds.", left.n_rounds
    )
    seats = ngettext(
        "%(n)d question they held goes to the others.",
        "%(n)d questions they held go to the others.",
        left.n_seats,
    )
    said = rounds % {"name": name, "n": left.n_rounds}
    return f"{said} {seats % {'n': left.n_seats}}" if left.n_seats else said


class _Line:
    """A file for the csv writer that hands each line back."""

    def write(self, text: str) -> str:
        return text
