"""What a suite's run came to: its page, the parts behind a figure, and files."""

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_GET

from annotation import permissions
from annotation.permissions import Scope, door
from evalsite import keyset
from scoring.forms.suites import BaselineFilter
from scoring.operations import figures, suite_exporting
from scoring.queries import suite_results as reads
from scoring.views import waiting

PAGE = "scoring/runs/suite.html"


@require_GET
@door(permissions.UNBLINDED)
def run_suite(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Show distributions, roles, turns and releases beside each other, and what became of the gates."""
    reading = reads.allowed(scope, number)
    run = reading.run
    baseline = reads.baseline(run, request.GET.get("baseline", ""))
    context = {
        "scope": scope,
        "run": run,
        "may_publish": scope.may(permissions.CURATORS),
        "form": BaselineFilter(request.GET, runs=list(reads.baselines(run)[:100])),
        "baseline": baseline,
    }
    params = {"baseline": baseline.number} if baseline else {}
    figure = figures.of_run(
        name=reads.FIGURE, run=run, params=params, now=timezone.now(), version=reads.version(run)
    )
    if wait := waiting.answer(request, [figure], context, page=PAGE):
        return wait
    context |= {"board": reads.Board(figure.data or {}, run), "ready": figure}
    return render(request, PAGE, context)


@require_GET
@door(permissions.UNBLINDED)
def run_suite_parts(request: HttpRequest, scope: Scope, number: int, rater: int) -> HttpResponse:
    """List the parts of conversations behind a figure, by value."""
    run = reads.allowed(scope, number).run
    name = request.GET.get("name", "")
    only = request.GET.get("only", "")
    down = request.GET.get("order", "") != "up"
    rows = reads.judgments(
        run, rater=rater, name=name, release=_number(request.GET.get("release", "")), only=only
    )
    page = reads.page(rows, after=request.GET.get("after", ""), down=down)
    context = {
        "scope": scope,
        "run": run,
        "metric": reads.named(run, rater),
        "may_publish": scope.may(permissions.CURATORS),
        "name": name,
        "parts": reads.parts(run, page.rows),
        "down": down,
        "only": only,
        "turned": _turned(request, down=down),
        "next_url": keyset.next_url(request.GET, page),
        "first_url": keyset.first_url(request.GET, page),
    }
    return render(request, "scoring/runs/suite_parts.html", context)


@require_GET
@door(permissions.UNBLINDED)
def run_suite_file(request: HttpRequest, scope: Scope, number: int, form: str) -> HttpResponseBase:
    """Send every value of every part: as CSV, as JSON Lines, or as one SQLite file."""
    reading = reads.allowed(scope, number)
    made = suite_exporting.export(reading=reading, form=form, now=timezone.now())
    return StreamingHttpResponse(
        made.pieces, content_type=made.content_type, headers=dict(made.headers)
    )


def _turned(request: HttpRequest, *, down: bool) -> str:
    query = request.GET.copy()
    query.pop("after", None)
    query["order"] = "up" if down else "down"
    return f"?{query.urlencode()}"


def _number(given: str) -> int | None:
    return int(given) if given.isascii() and given.isdigit() and len(given) < 10 else None
