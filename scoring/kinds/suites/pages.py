"""Suites: their list, writing them, the metrics there are, and starting a run.

* When a suite runs by itself: its page, and what is told of gates that were not kept.
* What suites put into the named slots of annotation's pages.
* Conversations: their list, one with what was found beside each turn, and bringing them in.
"""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_http_methods

from annotation.common import forms as refusals
from annotation.files.models import WholeKind
from annotation.imports import wholes
from annotation.people import permissions
from annotation.people.permissions import Scope, door
from evalsite import errors
from evalsite.web import keyset
from scoring.engine import forms as run_forms
from scoring.engine import starting as run_start
from scoring.engine.estimating import Estimate
from scoring.engine.models import Run
from scoring.kinds.suites import conversations as conversations_reads
from scoring.kinds.suites import exchange, keeping, schedules
from scoring.kinds.suites import keeping as known
from scoring.kinds.suites import operations as suite_runs
from scoring.kinds.suites import queries as suite_catalogue
from scoring.kinds.suites.conversations import Brought, ConversationFilter, ConversationsForm
from scoring.kinds.suites.forms import ScheduleForm, SuiteForm, SuiteRunForm
from scoring.kinds.suites.models import ScheduledRun, Suite, SuiteSchedule
from scoring.kinds.suites.protocol import definition

#: What a new suite begins with.
BEGINNING = """\
name: My suite
metrics:
  function:
    - {name: string_length, metric_level: Turn}
    - {name: is_refusal, metric_level: Turn,
       depends_on: [{name: is_role, kwargs: {role: assistant}, metric_min_value: 1}]}
# A rubric has a language model judge. Name an endpoint of this project under “grader”.
# grader: [{endpoint: NAME}]
# rubrics:
#   polite:
#     prompt: "Is this answer polite? {context} {completion}"
#     choice_scores: {"YES": 1, "NO": 0}
# …and under “metrics”:
#   rubric:
#     - {name: polite, metric_level: Turn}
# A gate makes manage.py run_suite fail:
# gates: [{metric: is_refusal, max: 0.1}]
"""


@require_GET
@door(permissions.UNBLINDED)
def suites(request: HttpRequest, scope: Scope) -> HttpResponse:
    """List the suites, the newest first."""
    rows = keeping.of(scope.project)
    page = keyset.page(rows, by=["-number"], after=request.GET.get("after", ""))
    n = rows.count()
    context = {
        "scope": scope,
        "lines": keeping.lines(page.rows),
        "count_text": ngettext("%(n)d suite", "%(n)d suites", n) % {"n": n},
        "next_url": keyset.next_url(request.GET, page),
        "first_url": keyset.first_url(request.GET, page),
        "may_do": scope.may(permissions.CURATORS),
    }
    return render(request, "scoring/kinds/suites/suites_list.html", context)


@require_http_methods(["GET", "POST"])
@door(permissions.CURATORS)
def suite_new(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Write a suite; what cannot be used is told line by line."""
    form = SuiteForm(run_start.sent(request), initial={"text": BEGINNING})
    if form.is_valid():
        try:
            made = keeping.create(
                project=scope.project,
                text=form.cleaned_data["text"],
                by=scope.user,
                now=timezone.now(),
            )
        except errors.Refusal as refusal:
            refusals.show(form, refusal)
        else:
            messages.success(request, _("The suite is saved."))
            return redirect("suite", scope.project.slug, made.suite.number)
    context = {"scope": scope, "form": form}
    status = refusals.status_of(form)
    return render(request, "scoring/kinds/suites/edit.html", context, status=status)


@require_GET
@door(permissions.UNBLINDED)
def suite(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Show a suite: what it measures and judges, its versions and its runs."""
    found = keeping.find(scope.project, number)
    version = _version(request, found)
    made = definition.from_dict(version.definition)
    context = {
        "scope": scope,
        "suite": found,
        "version": version,
        "newest": keeping.newest(found),
        "made": made,
        "metrics": keeping.metrics_of(made),
        "gates": keeping.gates_of(made),
        "versions": keeping.versions_of(found),
        "runs": keeping.runs_of(found),
        "schedule": schedules.of(found),
        "may_do": scope.may(permissions.CURATORS),
    }
    return render(request, "scoring/kinds/suites/suites_one.html", context)


@require_http_methods(["GET", "POST"])
@door(permissions.CURATORS)
def suite_edit(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Change a suite: what is saved is another version."""
    found = keeping.find(scope.project, number)
    version = keeping.newest(found)
    form = SuiteForm(run_start.sent(request), initial={"text": version.text})
    if form.is_valid():
        try:
            made = keeping.change(
                suite=found,
                text=form.cleaned_data["text"],
                by=scope.user,
                now=timezone.now(),
                rubrics=dict(definition.from_dict(version.definition).rubrics),
            )
        except errors.Refusal as refusal:
            refusals.show(form, refusal)
        else:
            messages.success(request, _("Version %(n)d is saved.") % {"n": made.number})
            return redirect("suite", scope.project.slug, found.number)
    context = {"scope": scope, "form": form, "suite": found}
    status = refusals.status_of(form)
    return render(request, "scoring/kinds/suites/edit.html", context, status=status)


@require_GET
@door(permissions.UNBLINDED)
def suite_metrics(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Show every function metric with an example and its value."""
    context = {
        "scope": scope,
        "groups": suite_catalogue.grouped(),
        "problems": known.problems(),
    }
    return render(request, "scoring/kinds/suites/metrics.html", context)


@require_http_methods(["GET", "POST"])
@door(permissions.CURATORS)
def suite_run(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Choose conversations, see what a run would take, and start it."""
    found = keeping.find(scope.project, number)
    version = keeping.newest(found)
    made = definition.from_dict(version.definition)
    before = run_start.cloned(scope, request.GET.get("from", ""), Run.Kind.SUITE)
    initial: dict[str, Any] = {"name": found.name}
    if before is not None:
        initial |= {**run_forms.initial_of(before), "sets": keeping.set_numbers(before)}
        initial["tolerated"] = before.config.get("tolerated", 0)
    form = SuiteRunForm(
        run_start.sent(request),
        project=scope.project,
        asks=bool(made.judged or made.completions or made.moderated),
        initial=initial,
        **run_start.fresh(),
    )

    def estimate(sent: SuiteRunForm) -> Estimate:
        given = sent.cleaned_data
        return suite_runs.estimate(
            project=scope.project,
            version=version,
            sets=sent.chosen(),
            tries=given["tries"],
            seed=given["seed"],
        )

    def start(sent: SuiteRunForm) -> Run:
        given = sent.cleaned_data
        return suite_runs.request_suite(
            project=scope.project,
            version=version,
            sets=sent.chosen(),
            key=given["key"],
            name=given["name"],
            seed=given["seed"],
            user=scope.user,
            now=timezone.now(),
            budget=given.get("budget"),
            cloned_from=before,
            tries=given["tries"],
            tolerated=given["tolerated"] or 0.0,
        )

    return run_start.answer(
        request,
        scope,
        form=form,
        template="scoring/kinds/suites/run.html",
        context={
            "suite": found,
            "version": version,
            "completions": [one.words for one in made.completions],
            "back_url": reverse("suite", args=[scope.project.slug, found.number]),
        },
        estimate=estimate,
        start=start,
    )


def _version(request: HttpRequest, found: Any) -> Any:
    wished = request.GET.get("version", "")
    if wished.isascii() and wished.isdigit() and len(wished) < 10:
        return keeping.version_of(found, int(wished))
    return keeping.newest(found)


@require_http_methods(["GET", "POST"])
@door(permissions.UNBLINDED, permissions.CURATORS)
def suite_schedule(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Show when a suite runs by itself and what became of it; curators set, pause and resume it."""
    found = keeping.find(scope.project, number)
    schedule = schedules.of(found)
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
            schedules.set_schedule(suite=found, by=scope.user, now=timezone.now(), **form.given())
        except errors.Refusal as refusal:
            refusals.show(form, refusal)
        else:
            messages.success(request, _("Saved. The suite runs by itself from now on."))
            return redirect("suite_schedule", scope.project.slug, found.number)
    context = {
        "scope": scope,
        "suite": found,
        "form": form,
        "face": schedules.face(schedule) if schedule else None,
        "may_do": scope.may(permissions.CURATORS),
    }
    status = refusals.status_of(form)
    return render(request, "scoring/kinds/suites/schedule.html", context, status=status)


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
    schedules.pause(schedule=schedule, by=scope.user, now=timezone.now())
    return _("Paused. What comes in the meantime is new when it goes on.")


def _resume(_request: HttpRequest, scope: Scope, schedule: SuiteSchedule) -> str:
    schedules.resume(schedule=schedule, by=scope.user, now=timezone.now())
    return _("It goes on within a minute.")


def _now(_request: HttpRequest, _scope: Scope, schedule: SuiteSchedule) -> str:
    if schedules.run_now(schedule=schedule, now=timezone.now()):
        return _("The run has been asked for.")
    return _("Nothing came since the last run.")


def _note(request: HttpRequest, scope: Scope, schedule: SuiteSchedule) -> str:
    given = request.POST.get("run", "")
    known = given.isascii() and given.isdigit() and len(given) < 10
    rows = ScheduledRun.objects.filter(schedule=schedule).select_related("run", "schedule__suite")
    one = get_object_or_404(rows, run__number=int(given) if known else 0)
    schedules.note(one=one, by=scope.user, now=timezone.now())
    return _("Noted.")


DEEDS: dict[str, Callable[[HttpRequest, Scope, SuiteSchedule], str]] = {
    "pause": _pause,
    "resume": _resume,
    "now": _now,
    "note": _note,
}


SHOWN = 10


def home(*, scope: Scope, **_context: Any) -> SafeString | None:
    """Tell, on the project's home, of gates that were not kept when nobody watched."""
    if not scope.may(permissions.UNBLINDED):
        return None
    found = list(schedules.failed(scope.project, timezone.now())[:SHOWN])
    if not found:
        return None
    return render_to_string(
        "scoring/kinds/suites/parts/home_gates.html", {"scope": scope, "found": found}
    )


@require_GET
@door(permissions.UNBLINDED)
def conversations(request: HttpRequest, scope: Scope) -> HttpResponse:
    """List the conversations, the newest first."""
    form = ConversationFilter(request.GET, project=scope.project)
    rows = conversations_reads.filtered(scope.project, form.filters())
    page = conversations_reads.page(rows, request.GET.get("after", ""))
    n = rows.count()
    context = {
        "scope": scope,
        "form": form,
        "rows": page.rows,
        "count_text": ngettext("%(n)d conversation", "%(n)d conversations", n) % {"n": n},
        "next_url": keyset.next_url(request.GET, page),
        "first_url": keyset.first_url(request.GET, page),
        "may_do": scope.may(permissions.CURATORS),
    }
    return render(request, "scoring/kinds/suites/conversations_list.html", context)


@require_http_methods(["GET", "POST"])
@door(permissions.CURATORS)
def conversations_new(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Bring a file of conversations in: all of it, or nothing."""
    sent = request.method == "POST"
    form = ConversationsForm(request.POST if sent else None, request.FILES if sent else None)
    if form.is_valid():
        try:
            return _taken(request, scope, form)
        except errors.Refusal as refusal:
            refusals.show(form, refusal)
    context = {
        "scope": scope,
        "form": form,
        **wholes.shown(scope.project, WholeKind.TALKS),
    }
    status = refusals.status_of(form)
    return render(request, "scoring/kinds/suites/new.html", context, status=status)


def _taken(request: HttpRequest, scope: Scope, form: ConversationsForm) -> HttpResponse:
    """Bring a small file in now, and leave a large one to a worker."""
    file: Any = form.cleaned_data["file"]
    given: dict[str, Any] = {
        "project": scope.project,
        "wish": form.wish(),
        "now": timezone.now(),
    }
    if file.size > wholes.SMALL:
        exchange.hand_in_talks(**given, pieces=file.chunks(), by=scope.user)
        messages.success(request, wholes.said_that_it_waits())
        return redirect("conversations_new", scope.project.slug)
    head = file.read(len(exchange.SIGNATURE))
    file.seek(0)
    if exchange.is_results(head):
        return _results(request, scope, form)
    found = conversations_reads.bring_file(**given, open_file=lambda: file.chunks(), by=scope.user)
    messages.success(request, exchange.said_of(found))
    return redirect(_list_of(scope, found))


def _results(request: HttpRequest, scope: Scope, form: ConversationsForm) -> HttpResponse:
    """Bring a results file of FlexEval in, and go to what it found."""
    found = exchange.bring(
        project=scope.project,
        wish=form.wish(),
        chunks=form.cleaned_data["file"].chunks(),
        user=scope.user,
        now=timezone.now(),
    )
    messages.success(request, exchange.said_of(found.brought))
    if not found.runs:
        return redirect(_list_of(scope, found.brought))
    messages.success(request, exchange.said_of_values(found))
    return redirect("run_suite", scope.project.slug, found.runs[-1].number)


def _list_of(scope: Scope, found: Brought) -> str:
    there = reverse("conversations", args=[scope.project.slug])
    return f"{there}?set={found.set.number}"


@require_GET
@door(permissions.UNBLINDED)
def conversation(request: HttpRequest, scope: Scope, pk: int) -> HttpResponse:
    """Show a conversation, and what a run of a suite found of it."""
    row = conversations_reads.find(scope.project, pk)
    runs = conversations_reads.runs_of(row)
    wished = request.GET.get("run", "")
    run = next((one for one in runs if str(one.number) == wished), runs[0] if runs else None)
    before, after = conversations_reads.neighbours(row)
    context = {
        "scope": scope,
        "shown": conversations_reads.shown(row, run, whole=bool(request.GET.get("whole"))),
        "row": row,
        "run": run,
        "runs": runs,
        "before": before,
        "after": after,
    }
    return render(request, "scoring/kinds/suites/conversations_one.html", context)
