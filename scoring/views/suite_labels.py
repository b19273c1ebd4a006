"""A suite's metric against the labels that people gave."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_GET

from annotation import permissions
from annotation.permissions import Scope, door
from scoring.forms.suites import LabelFilter
from scoring.operations import figures
from scoring.queries import suite_labels as reads
from scoring.queries import suite_results
from scoring.views import waiting

PAGE = "scoring/runs/suite_labels.html"


@require_GET
@door(permissions.UNBLINDED)
def run_suite_labels(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Show classes, table and figures of a metric held against a label; the first of each by itself."""
    run = suite_results.allowed(scope, number).run
    choices, found = reads.choices(run), reads.labels(run)
    labels = [one for one in found if not one.why]
    form = LabelFilter(request.GET, choices=choices, labels=labels)
    context = {
        "scope": scope,
        "run": run,
        "form": form,
        "choices": choices,
        "labels": labels,
        "others": [one for one in found if one.why][: reads.MOST_TOLD],
    }
    if not choices or not labels:
        return render(request, PAGE, context)
    metric, label = form.chosen()
    context["chosen"] = next((one for one in labels if one.name == label), None)
    figure = figures.of_run(
        name=reads.FIGURE,
        run=run,
        params={"metric": metric, "label": label},
        now=timezone.now(),
        version=suite_results.version(run),
    )
    if wait := waiting.answer(request, [figure], context, page=PAGE):
        return wait
    context |= {"board": reads.Board(figure.data or {}), "label": label, "ready": figure}
    return render(request, PAGE, context)
