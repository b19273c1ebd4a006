"""Give people outputs of a run to rate: a blind round that is drawn from them."""

import secrets
from uuid import uuid4

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from annotation import permissions
from annotation.forms import refusals
from annotation.models import Role, Round
from annotation.permissions import Scope, door
from evalsite import errors
from scoring.forms.publishing import PublishForm
from scoring.models import Publication, Run
from scoring.operations import publishing as operations
from scoring.queries import outputs as reads


def of_run(run: Run) -> dict[str, str] | None:
    """Lead from a run that put something out to people who rate it."""
    if not reads.has_any(run):
        return None
    return {
        "url": reverse("run_publish", args=[run.project.slug, run.number]),
        "text": _("Have people rate it"),
    }


@require_http_methods(["GET", "POST"])
@door(permissions.CURATORS)
def run_publish(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Show what a run put out and how it would be rated, or begin the round."""
    run = get_object_or_404(
        Run.objects.select_related("project"), project=scope.project, number=number
    )
    sorts = reads.sorts_of(run)
    units = reads.units(run) if sorts else []
    form = PublishForm(
        request.POST if request.method == "POST" else None,
        project=scope.project,
        releases=reads.releases_in(run, units),
        sorts=sorts,
        offered=operations.rubrics_of(run),
        key=uuid4(),
        seed=secrets.token_hex(8),
        initial={"name": _("What machines made"), "sort": request.GET.get("sort", "")},
    )
    if form.is_valid():
        try:
            made = _publish(scope, run, form)
        except errors.Refusal as refusal:
            refusals.show(form, refusal)
        else:
            messages.success(
                request, _("The draft is there and is being prepared. Choose who grades it next.")
            )
            return redirect("round", scope.project.slug, made.number)
    context = {
        "scope": scope,
        "run": run,
        "form": form,
        "n_units": len(units),
        "sorts": sorts if len(sorts) > 1 else (),
        "n_outputs": sum(len(one.outputs) for one in units),
        "publications": Publication.objects.filter(run=run).select_related("round"),
    }
    status = refusals.status_of(form)
    return render(request, "scoring/run_publish.html", context, status=status)


def _publish(scope: Scope, run: Run, form: PublishForm) -> Round:
    given = form.cleaned_data
    source = operations.source_of(run, sort=given.get("sort", ""), releases=given["releases"])
    return operations.publish_for_rating(
        project=scope.project,
        key=form.cleaned_data["key"],
        source=source,
        wish=form.wish(secret=secrets.token_bytes(32)),
        user=scope.user,
        by_owner=scope.may({Role.OWNER}),
        now=timezone.now(),
    )
