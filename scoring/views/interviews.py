"""Start interviews, and read their dialogues."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_http_methods

from annotation import permissions
from annotation.permissions import Scope, door
from evalsite import errors, keyset
from scoring.forms import runs as run_forms
from scoring.forms.interviews import DialogueFilter, InterviewForm
from scoring.models import Run
from scoring.operations import interview_starting as operations
from scoring.operations.runs.estimating import Estimate
from scoring.queries import interview_choice, interview_dialogues, interview_results, run_reading
from scoring.views import run_start


@require_http_methods(["GET", "POST"])
@door(permissions.CURATORS)
def interviews_new(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Choose questions, systems, interviewer and evaluator, see what it would take, and start."""
    before = run_start.cloned(scope, request.GET.get("from", ""), Run.Kind.KIEVAL)
    initial: dict[str, Any] = {"name": _("Interviews"), "over": request.GET.get("over", "")}
    if before is not None:
        initial |= {**run_forms.initial_of(before), **interview_choice.initial_of(before)}
    form = InterviewForm(
        run_start.sent(request), project=scope.project, initial=initial, **run_start.fresh()
    )
    counted: dict[str, Any] = {}

    def estimate(sent: InterviewForm) -> Estimate:
        checked = operations.check(project=scope.project, wish=sent.wish(), now=timezone.now())
        counted["found"] = checked.found
        return checked.estimate

    def start(sent: InterviewForm) -> Run:
        begun = sent.start()
        return operations.start(
            project=scope.project,
            wish=sent.wish(),
            key=begun.key,
            name=begun.name,
            user=scope.user,
            now=timezone.now(),
            budget=begun.budget,
            cloned_from=before,
        )

    return run_start.answer(
        request,
        scope,
        form=form,
        template="scoring/interviews_new.html",
        context={"counted": counted, "back_url": reverse("runs", args=[scope.project.slug])},
        estimate=estimate,
        start=start,
    )


@require_GET
@door(permissions.UNBLINDED)
def run_dialogues(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """List the dialogues of a run, by what happened in them."""
    try:
        reading = interview_results.allowed(scope, number)
    except errors.Refusal as refusal:
        return closed(request, scope, number, refusal)
    names = [(one["release"], one["name"]) for one in reading.run.config["releases"]]
    form = DialogueFilter(request.GET, releases=names)
    rows = interview_dialogues.filtered(reading.run, form.filters())
    page = interview_dialogues.page(rows, request.GET.get("after", ""))
    n = rows.count()
    context = {
        "scope": scope,
        "run": reading.run,
        "form": form,
        "lines": [interview_dialogues.line(reading, one) for one in page.rows],
        "count_text": ngettext("%(n)d dialogue", "%(n)d dialogues", n) % {"n": n},
        "next_url": keyset.next_url(request.GET, page),
        "first_url": keyset.first_url(request.GET, page),
    }
    return render(request, "scoring/runs/dialogues.html", context)


@require_GET
@door(permissions.UNBLINDED)
def run_dialogue(request: HttpRequest, scope: Scope, number: int, pk: int) -> HttpResponse:
    """Show a dialogue with every verdict beside its exchange, or two candidates side by side."""
    try:
        reading = interview_results.allowed(scope, number)
    except errors.Refusal as refusal:
        return closed(request, scope, number, refusal)
    shown = interview_dialogues.one(reading, pk)
    others = interview_dialogues.others(reading, shown.dialogue)
    wished = request.GET.get("beside", "")
    beside = next((one for one in others if str(one.dialogue.pk) == wished), None)
    if beside is not None:
        (beside,) = interview_dialogues.with_seconds(reading, [beside])
    before, after = interview_dialogues.neighbours(shown.dialogue)
    context = {
        "scope": scope,
        "run": reading.run,
        "line": shown,
        "item": shown.dialogue.item,
        "others": others,
        "beside": beside,
        "columns": [shown, beside] if beside else [shown],
        "before": before,
        "after": after,
    }
    return render(request, "scoring/runs/dialogue.html", context)


def closed(
    request: HttpRequest, scope: Scope, number: int, refusal: errors.Refusal
) -> HttpResponse:
    context = {"scope": scope, "run": run_reading.of(scope, number).run, "refusal": refusal}
    return render(request, "scoring/runs/closed.html", context, status=refusal.status)
