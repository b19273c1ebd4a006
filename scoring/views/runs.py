"""Runs: their list, one of them with all that is counted of it, and its parts that go on by themselves."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET

from annotation import permissions
from annotation.permissions import Scope, door
from evalsite import keyset, panels
from scoring.forms.runs import RunFilter
from scoring.queries import run_config, run_list, run_progress, run_reading
from scoring.queries.run_progress import Progress
from scoring.views import run_start

#: A run that works is asked for this often; one that is large, less often.
POLL_SECONDS, POLL_SECONDS_OF_MANY = 2, 5
MANY_STEPS = 5000


@require_GET
@door(permissions.UNBLINDED)
def runs(request: HttpRequest, scope: Scope) -> HttpResponse:
    """List the runs, the newest first."""
    form = RunFilter(request.GET)
    rows = run_list.filtered(scope.project, form.filters())
    page = run_list.page(rows, request.GET.get("after", ""))
    n = rows.count()
    context = {
        "scope": scope,
        "form": form,
        "lines": run_list.lines(page.rows),
        "count_text": ngettext("%(n)d run", "%(n)d runs", n) % {"n": n},
        "next_url": keyset.next_url(request.GET, page),
        "first_url": keyset.first_url(request.GET, page),
        "starts": run_start.starts(scope) if scope.may(permissions.CURATORS) else [],
    }
    return render(request, "scoring/runs/list.html", context)


@require_GET
@door(permissions.UNBLINDED)
def run(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    return render(request, "scoring/runs/run.html", page_of(scope, number))


def page_of(scope: Scope, number: int) -> dict[str, Any]:
    """Return what the page of a run shows."""
    reading = run_reading.of(scope, number)
    progress = run_progress.of(reading.run, timezone.now())
    return {
        **part_of(reading, progress),
        "facts": run_config.facts(reading.run),
        "clone_url": run_start.clone_url(reading.run),
        "more": list(panels.fill("run", run=reading.run)),
    }


def part_of(reading: run_reading.Reading, progress: Progress) -> dict[str, Any]:
    return {
        "scope": reading.scope,
        "reading": reading,
        "run": reading.run,
        "progress": progress,
        "may_do": reading.scope.may(permissions.CURATORS),
        "poll": POLL_SECONDS if progress.n_steps < MANY_STEPS else POLL_SECONDS_OF_MANY,
    }


@require_GET
@door(permissions.UNBLINDED)
def run_live(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Send the part of a run's page that moves, or the sentence that is read aloud.

    When the run is in another state than the page was drawn for, the page is loaded anew: its
    buttons are others then.
    """
    reading = run_reading.of(scope, number)
    if request.GET.get("state", reading.run.state) != reading.run.state:
        return HttpResponse(headers={"HX-Refresh": "true"})
    context = part_of(reading, run_progress.of(reading.run, timezone.now()))
    said = request.GET.get("part") == "said"
    template = "scoring/runs/_said.html" if said else "scoring/runs/_live.html"
    return render(request, template, context)
