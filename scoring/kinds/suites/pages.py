"""Suites: their list, writing them, the metrics there are, and starting a run.

* When a suite runs by itself: its page, and what is told of gates that were not kept.
* What suites put into the named slots of annotation's pages.
* The parts of conversations behind a figure of a run, and its files.
"""

import math
from collections.abc import Callable
from typing import Any

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from annotation.common import forms as refusals
from annotation.common.forms import RecordForm, some_of
from annotation.imports.forms import FilesField
from annotation.people import permissions
from annotation.people.models import Project
from annotation.people.permissions import Scope, asks, shows
from evalsite import errors
from evalsite.web import keyset
from scoring.engine import starting as run_start
from scoring.engine.forms import budget
from scoring.kinds.suites import exchange, keeping, parts, schedules
from scoring.kinds.suites import keeping as known
from scoring.kinds.suites import queries as suite_catalogue
from scoring.kinds.suites.models import ScheduledRun, Suite, SuiteSchedule
from scoring.kinds.suites.outcome import SuiteOutcome
from scoring.kinds.suites.parts import WantedParts
from scoring.kinds.suites.protocol import definition
from scoring.kinds.suites.protocol.definition import Rubric
from scoring.kinds.suites.schedules import Scheduled

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


class SuiteForm(forms.Form):
    """A suite as YAML."""

    text = forms.CharField(
        label=gettext_lazy("Suite (YAML)"),
        widget=forms.Textarea(attrs={"rows": 24, "spellcheck": "false", "class": "mono"}),
        strip=False,
    )


class NewSuiteForm(SuiteForm):
    """A suite as YAML, written or in a file, with the files of rubrics that it names."""

    field_order = ("file", "rubrics", "chosen", "text")
    file = forms.FileField(
        label=gettext_lazy("File"),
        required=False,
        help_text=gettext_lazy("A suite, a FlexEval run, or several suites."),
    )
    rubrics = FilesField(
        label=gettext_lazy("Files of rubrics"),
        required=False,
        help_text=gettext_lazy("Named under “rubric_paths”."),
    )
    chosen = forms.CharField(
        label=gettext_lazy("Which suite"),
        required=False,
        max_length=200,
        help_text=gettext_lazy("If the file holds several."),
    )

    def __init__(self, data: Any = None, files: Any = None, **kwargs: Any) -> None:
        file = files.get("file") if files else None
        self._unread = False
        if file is not None:
            data = data.copy()
            data["text"], self._unread = _text_of(file)
        super().__init__(data, files, **kwargs)
        if names := keeping.names_in(data["text"]) if data and "text" in data else []:
            self.fields["chosen"] = forms.ChoiceField(
                label=self.fields["chosen"].label,
                choices=[("", "–"), *((one, one) for one in names)],
                error_messages={"required": _("The file holds several suites. Choose one.")},
            )
            self.order_fields(self.field_order)

    def clean(self) -> Any:
        if self._unread:
            self.add_error("file", _("This is no text in UTF-8, or longer than 512 KB."))
        return super().clean()

    def given(self) -> dict[str, Any]:
        """Return what the form says, as the operation takes it.

        Raises:
            errors.Refusal: a file of rubrics is none.
        """
        rubrics: dict[str, Rubric] = {}
        for file in self.cleaned_data["rubrics"]:
            text, unread = _text_of(file)
            if unread:
                said = _("“%(name)s” is no text in UTF-8, or longer than 512 KB.")
                raise errors.Invalid(said % {"name": file.name})
            rubrics = keeping.read_rubrics(text) | rubrics
        return {
            "text": self.cleaned_data["text"],
            "chosen": self.cleaned_data["chosen"],
            "rubrics": rubrics,
        }


def _text_of(file: Any) -> tuple[str, bool]:
    """Return the text of a file, and whether it cannot be read."""
    if file.size > definition.MOST_TEXT:
        return "", True
    try:
        return file.read().decode("utf-8-sig"), False
    except UnicodeDecodeError:
        return "", True


class ScheduleForm(RecordForm, record=Scheduled, leave_out=("sets",)):
    """How often, over which sets, and within what budget."""

    field_order = ("every", "sets", "from_beginning", "budget")
    sets = some_of(Scheduled, "sets")
    budget = budget(label=gettext_lazy("Budget of each run"))

    def __init__(
        self, *args: Any, project: Project, schedule: SuiteSchedule | None, **kwargs: Any
    ) -> None:
        kwargs["initial"] = _initial(schedule) | (kwargs.get("initial") or {})
        super().__init__(*args, **kwargs)
        self._sets = {one.set.name: one for one in keeping.sets_of(project)}
        self.is_empty = not self._sets
        self.fields["sets"].choices = [  # type: ignore[attr-defined]
            (name, _("%(name)s (%(n)d)") % {"name": name, "n": one.n})
            for name, one in self._sets.items()
        ]

    def given(self) -> dict[str, Any]:
        """Return what the form says, as the operation takes it."""
        sets = [self._sets[name].set for name in self.cleaned_data["sets"]]
        return {**self.cleaned_data, "sets": sets}


def _initial(schedule: SuiteSchedule | None) -> dict[str, Any]:
    if schedule is None:
        return {"every": SuiteSchedule.Every.DAILY}
    names = schedule.sets.order_by("number").values_list("name", flat=True)
    return {"every": schedule.every, "budget": schedule.budget, "sets": list(names)}


@shows(permissions.UNBLINDED)
def suites(request: HttpRequest, scope: Scope) -> HttpResponse:
    """List the suites, the newest first."""
    rows = keeping.suites_of(scope.project)
    page = keyset.page(rows, by=["-number"], after=request.GET.get("after", ""))
    n = rows.count()
    context = {
        "lines": keeping.lines(page.rows),
        "count_text": ngettext("%(n)d suite", "%(n)d suites", n) % {"n": n},
        **keyset.links(request.GET, page),
        "may_do": scope.may(permissions.CURATORS),
    }
    return render(request, "scoring/kinds/suites/suites_list.html", context)


@asks(permissions.CURATORS)
def suite_new(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Write a suite; what cannot be used is told line by line."""
    sent = run_start.sent(request)
    form = NewSuiteForm(sent, request.FILES if sent else None, initial={"text": BEGINNING})
    if form.is_valid():
        with refusals.shown(form):
            made = keeping.create(**form.given(), **scope.deed())
            messages.success(request, _("Saved."))
            return redirect("suite", scope.project.slug, made.suite.number)
    context = {"form": form}
    status = refusals.status_of(form)
    return render(request, "scoring/kinds/suites/edit.html", context, status=status)


@shows(permissions.UNBLINDED)
def suite(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Show a suite: what it measures and judges, its versions and its runs."""
    found = keeping.find(scope.project, number)
    version = _version(request, found)
    made = definition.from_dict(version.definition)
    context = {
        "suite": found,
        "version": version,
        "newest": keeping.newest(found),
        "made": made,
        "metrics": keeping.metrics_of(made),
        "gates": keeping.gates_of(made),
        "versions": keeping.versions_of(found),
        "runs": keeping.runs_of(found),
        "schedule": schedules.schedule_of(found),
        "may_do": scope.may(permissions.CURATORS),
    }
    return render(request, "scoring/kinds/suites/suites_one.html", context)


@asks(permissions.CURATORS)
def suite_edit(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Change a suite: what is saved is another version."""
    found = keeping.find(scope.project, number)
    version = keeping.newest(found)
    form = SuiteForm(run_start.sent(request), initial={"text": version.text})
    if form.is_valid():
        with refusals.shown(form):
            made = keeping.change(
                suite=found,
                text=form.cleaned_data["text"],
                rubrics=dict(definition.from_dict(version.definition).rubrics),
                **scope.who(),
            )
            messages.success(request, _("Version %(n)d is saved.") % {"n": made.number})
            return redirect("suite", scope.project.slug, found.number)
    context = {"form": form, "suite": found}
    status = refusals.status_of(form)
    return render(request, "scoring/kinds/suites/edit.html", context, status=status)


@shows(permissions.UNBLINDED)
def suite_metrics(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Show every function metric with an example and its value."""
    context = {"groups": suite_catalogue.grouped(), "problems": known.problems()}
    return render(request, "scoring/kinds/suites/metrics.html", context)


def _version(request: HttpRequest, found: Any) -> Any:
    wished = request.GET.get("version", "")
    if wished.isascii() and wished.isdigit() and len(wished) < 10:
        return keeping.version_of(found, int(wished))
    return keeping.newest(found)


@asks(permissions.UNBLINDED, permissions.CURATORS)
def suite_schedule(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Show when a suite runs by itself and what became of it; curators set, pause and resume it."""
    found = keeping.find(scope.project, number)
    schedule = schedules.schedule_of(found)
    deed = request.POST.get("deed", "")
    if request.method == "POST" and deed in DEEDS:
        return _done(request, scope, found, schedule, deed)
    form = ScheduleForm(
        request.POST if request.method == "POST" else None,
        project=scope.project,
        schedule=schedule,
    )
    if form.is_valid():
        with refusals.shown(form):
            schedules.set_schedule(suite=found, **form.given(), **scope.who())
            messages.success(request, _("Saved."))
            return redirect("suite_schedule", scope.project.slug, found.number)
    context = {
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
    with refusals.told(request):
        messages.success(request, DEEDS[deed](request, scope, schedule))
    return redirect("suite_schedule", scope.project.slug, suite.number)


def _pause(_request: HttpRequest, scope: Scope, schedule: SuiteSchedule) -> str:
    schedules.pause(schedule=schedule, **scope.who())
    return _("Paused.")


def _resume(_request: HttpRequest, scope: Scope, schedule: SuiteSchedule) -> str:
    schedules.resume(schedule=schedule, **scope.who())
    return _("Resumes within a minute.")


def _now(_request: HttpRequest, _scope: Scope, schedule: SuiteSchedule) -> str:
    if schedules.run_now(schedule=schedule, now=timezone.now()):
        return _("Started.")
    return _("Nothing new.")


def _note(request: HttpRequest, scope: Scope, schedule: SuiteSchedule) -> str:
    given = request.POST.get("run", "")
    known = given.isascii() and given.isdigit() and len(given) < 10
    rows = ScheduledRun.objects.filter(schedule=schedule).select_related("run", "schedule__suite")
    one = get_object_or_404(rows, run__number=int(given) if known else 0)
    schedules.note(one=one, **scope.who())
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


@shows(permissions.UNBLINDED)
def run_suite_parts(request: HttpRequest, scope: Scope, number: int, rater: int) -> HttpResponse:
    """List the parts of conversations behind a figure, by value."""
    run = SuiteOutcome.allowed(scope, number).run
    wanted = _wanted(request, rater)
    down = request.GET.get("order", "") != "up"
    metric = parts.named(run, rater)
    page = parts.page(run, wanted, after=request.GET.get("after", ""), down=down)
    context = {
        "run": run,
        "metric": metric,
        "may_publish": scope.may(permissions.CURATORS),
        "name": wanted.name,
        "narrowed": parts.words(wanted),
        "parts": page.rows,
        "looked_at": page.looked_at,
        "down": down,
        "only": wanted.only,
        "turned": _turned(request, down=down),
        **keyset.links(request.GET, page),
    }
    return render(request, "scoring/kinds/suites/suite_parts.html", context)


@shows(permissions.UNBLINDED)
def run_suite_labels(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Lead from the former address of a run's labels to where they are now."""
    there = reverse("run_labels", args=[scope.project.slug, number])
    query = request.GET.urlencode()
    return redirect(f"{there}?{query}" if query else there, permanent=True)


@shows(permissions.UNBLINDED)
def run_suite_file(request: HttpRequest, scope: Scope, number: int, form: str) -> HttpResponseBase:
    """Send every value of every part: as CSV, as JSON Lines, or as one SQLite file."""
    reading = SuiteOutcome.allowed(scope, number)
    made = exchange.export(reading=reading, form=form, now=timezone.now())
    return StreamingHttpResponse(
        made.pieces, content_type=made.content_type, headers=dict(made.headers)
    )


def _turned(request: HttpRequest, *, down: bool) -> str:
    query = request.GET.copy()
    query.pop("after", None)
    query["order"] = "up" if down else "down"
    return f"?{query.urlencode()}"


def _wanted(request: HttpRequest, rater: int) -> WantedParts:
    given = request.GET
    return WantedParts(
        rater=rater,
        name=given.get("name", ""),
        level=given.get("level", ""),
        release=_number(given.get("release", "")),
        only=given.get("only", ""),
        label=given.get("label"),
        low=_value(given.get("low", "")),
        high=_value(given.get("high", "")),
        role=given.get("role", ""),
        turn=_number(given.get("turn", "")),
    )


def _value(given: str) -> float | None:
    try:
        found = float(given)
    except ValueError:
        return None
    return found if math.isfinite(found) else None


def _number(given: str) -> int | None:
    return int(given) if given.isascii() and given.isdigit() and len(given) < 10 else None
