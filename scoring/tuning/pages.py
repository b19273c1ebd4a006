"""Tuning a judge: which ones there are, beginning one, and the page on which it is worked on."""

from typing import Any
from uuid import uuid4

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.common import diffs
from annotation.common import forms as refusals
from annotation.common.forms import RecordForm, one_of, some_of
from annotation.people import permissions
from annotation.people.permissions import Scope, asks, does, shows
from annotation.rounds.models import Round
from evalsite.web import keyset
from scoring.endpoints import queries as connections
from scoring.engine.forms import budget, endpoints_of
from scoring.figures.labels import ReadRound
from scoring.kinds.judging import queries as judging
from scoring.kinds.judging.models import Tuning
from scoring.kinds.judging.tuned import v1
from scoring.shown.names import BANNER
from scoring.tuning import operations, shown
from scoring.tuning import queries as reads
from scoring.tuning.queries import TriedVersion, TuningCourse
from scoring.tuning.records import TuningAgain, TuningBegin, TuningExample, TuningMeasure, TuningTry

POLL_SECONDS = 3
LEFT_OUT = ("instructions", "round")


class TuningForm(RecordForm, record=TuningBegin, leave_out=LEFT_OUT):
    """A judge to be tuned on a round that is chosen before."""

    field_order = ("name", "endpoint", "criteria", "share")
    endpoint = one_of(TuningBegin, "endpoint")
    criteria = some_of(TuningBegin, "criteria", required=False)

    def __init__(self, *args: Any, round_: Round, **kwargs: Any) -> None:
        self._round = round_
        choices = judging.choices_of(round_, labels=False)
        before = Tuning.objects.filter(round=round_).order_by("number").first()
        drawn = {"seed": before.seed, "share": before.share} if before else {}
        kwargs["initial"] = {"criteria": [one.key for one in choices], **drawn}
        super().__init__(*args, **kwargs)
        offered: dict[str, Any] = {
            "endpoint": endpoints_of(round_.project),
            "criteria": [(one.key, one.name) for one in choices],
        }
        for name, known in offered.items():
            self.fields[name].choices = known  # type: ignore[attr-defined]

    def wish(self) -> TuningBegin:
        given = {**self.cleaned_data, "criteria": tuple(self.cleaned_data["criteria"])}
        return TuningBegin(round=self._round.number, **given)


class WorkForm(RecordForm, record=TuningTry):
    """Instructions that are being worked on, and what is said of a try."""

    key = forms.UUIDField(widget=forms.HiddenInput)
    budget = budget()
    rev = forms.IntegerField(widget=forms.HiddenInput)

    def examples(self, tuning: Tuning) -> list[TuningExample]:
        """Return the examples with the reasons that stand in the form now."""
        return [
            TuningExample(
                response=one["response"],
                reason=str(self.data.get(f"reason-{one['response']}", one["reason"])),
            )
            for one in tuning.examples
        ]


class MeasureForm(RecordForm, record=TuningMeasure):
    """The version to lock, and what measuring it may cost."""

    key = forms.UUIDField(widget=forms.HiddenInput)
    version = forms.IntegerField(widget=forms.HiddenInput)
    budget = budget()


class AgainForm(RecordForm, record=TuningAgain):
    """The name under which a locked judge is tuned on."""


@shows(permissions.UNBLINDED)
def tunings(request: HttpRequest, scope: Scope) -> HttpResponse:
    """List the judges that are, or were, tuned."""
    page = reads.page(scope.project, after=request.GET.get("after", ""))
    context: dict[str, Any] = {
        "rows": page.rows,
        "may_tune": scope.may(permissions.CURATORS),
        "can_tune": reads.rounds(scope).exists(),
        **keyset.links(request.GET, page),
    }
    return render(request, "scoring/tuning/tunings.html", context)


@asks(permissions.CURATORS)
def tuning_new(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Choose a final round, then what judge is tuned by its grades."""
    rounds = list(reads.rounds(scope)[:50])
    wished = request.GET.get("round", "")
    named = [one for one in rounds if str(one.number) == wished]
    round_ = next(iter(named or rounds), None)
    context: dict[str, Any] = {
        "rounds": rounds,
        "round": round_,
        "can_ask": connections.endpoints_of(scope.project).exists(),
        "may_add": scope.may(permissions.OWNERS),
    }
    if round_ is None or not context["can_ask"]:
        status = 200 if request.method == "GET" else 422  # there is nothing to send yet
        return render(request, "scoring/tuning/tuning_new.html", context, status=status)
    round_.project = scope.project
    form = TuningForm(request.POST if request.method == "POST" else None, round_=round_)
    if form.is_valid():
        with refusals.shown(form):
            made = operations.begin(round_=round_, wish=form.wish(), **scope.who())
            return redirect("tuning", scope.project.slug, made.number)
    context |= {"form": form, "n_questions": len(reads.strata_of(round_))}
    status = refusals.status_of(form)
    return render(request, "scoring/tuning/tuning_new.html", context, status=status)


@asks(permissions.UNBLINDED, permissions.CURATORS)
def tuning(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Show a judge that is being tuned; what is sent is kept, and tried if that was wished."""
    found = reads.tuning_numbered(scope, number)
    sent = request.POST if request.method == "POST" else None
    initial = {"key": uuid4(), "rev": found.rev, "instructions": found.instructions}
    form = WorkForm(sent, initial=initial)
    if form.is_valid():
        with refusals.shown(form):
            _keep(scope, found, form)
            if request.POST.get("act") == "try":
                given = {one: form.cleaned_data[one] for one in ("key", "note", "budget")}
                made = operations.try_version(tuning=found, **given, **scope.who())
                messages.success(request, _("Version %(n)d is being tried.") % {"n": made.number})
            elif not _judged(request.POST, scope, found):
                messages.success(request, _("Saved."))
            return redirect(f"{request.path}?{request.GET.urlencode()}")
    context = _context(request, scope, found, form)
    if request.headers.get("HX-Request") and not context["course"].is_at_work:
        return HttpResponse(headers={"HX-Refresh": "true"})  # what a page waited for is there
    status = refusals.status_of(form)
    return render(request, "scoring/tuning/tuning.html", context, status=status)


def _keep(scope: Scope, tuning: Tuning, form: WorkForm) -> None:
    """Keep what a form holds, if it is not what is kept already."""
    said = (form.cleaned_data["instructions"] or "").replace("\r\n", "\n").strip()
    examples = form.examples(tuning)
    now = [{"response": one.response, "reason": one.reason.strip()} for one in examples]
    rev = form.cleaned_data["rev"]
    if (said, now, rev) != (tuning.instructions, tuning.examples, tuning.rev):
        operations.keep(tuning=tuning, instructions=said, examples=examples, rev=rev, **scope.who())


def _context(request: HttpRequest, scope: Scope, tuning: Tuning, form: WorkForm) -> dict[str, Any]:
    course = reads.course(tuning, timezone.now())
    wished = request.GET.get("version", "")
    tried = course.version(_whole(wished) if wished else None)
    names = {one.key: one.name for one in judging.choices_of(tuning.round)}
    criteria = [(key, names.get(key, key)) for key in tuning.criteria]
    criterion = request.GET.get("criterion", "")
    criterion = criterion if criterion in tuning.criteria else next(iter(tuning.criteria), "")
    drawn = shown.versions(course, criterion)
    return {
        "tuning": tuning,
        "course": course,
        "form": form,
        "criteria": criteria,
        "criterion": criterion,
        "criterion_name": names.get(criterion, criterion),
        "title": shown.title(course, criterion),
        "versions": list(zip(course.tried, drawn.figures, drawn.drawings, strict=True)),
        "ruler": drawn.ruler,
        "measured": shown.measured(course, criterion),
        "examples": shown.examples(tuning, ReadRound(scope, tuning.round)),
        "may_tune": scope.may(permissions.CURATORS),
        "is_scripted": BANNER if tuning.endpoint.is_scripted else "",
        "poll": POLL_SECONDS,
        "query": request.GET.urlencode(),
        **_of_version(request, scope, course, tried, criterion),
    }


def _of_version(
    request: HttpRequest,
    scope: Scope,
    course: TuningCourse,
    tried: TriedVersion | None,
    criterion: str,
) -> dict[str, Any]:
    """Return what a page says of the version that is looked at: what changed, and where it differs."""
    if tried is None:
        return {"tried": None}
    before = course.before(tried)
    then = before.version.instructions if before else v1.usual(course.tuning.settings["language"])
    made: dict[str, Any] = {
        "tried": tried,
        "measure": MeasureForm(
            initial={"key": uuid4(), "version": tried.version.number}, auto_id="measure_%s"
        ),
        "measuring": course.measuring(tried),
        "before": before,
        "changed": diffs.FieldChange("", diffs.between(then, tried.version.instructions)),
    }
    found = tried.figure.of(criterion) if tried.figure else None
    if found is None:
        return made
    which = request.GET.get("which", "")
    apart = reads.Apartness(ReadRound(scope, course.tuning.round), tried, found)
    rows = apart.rows(which)
    every = "all" in request.GET
    return made | {
        "found": found,
        "apart": apart,
        "which": which,
        "cases": apart.read(rows if every else rows[: reads.SHOWN]),
        "n_more": 0 if every else max(0, len(rows) - reads.SHOWN),
        "facets": shown.facets(apart, request.GET),
    }


def _judged(sent: QueryDict, scope: Scope, tuning: Tuning) -> bool:
    """Do what was pressed at a disagreement or an example, if something was."""
    aside = {"judge": "JUDGE", "neither": "NEITHER", "back": ""}
    for act in ("example", "no_example", *aside):
        response = sent.get(act, "")
        if not _whole(response):
            continue
        if act in aside:
            operations.set_aside(
                tuning=tuning, response=int(response), right=aside[act], **scope.who()
            )
        else:
            operations.show_example(
                tuning=tuning,
                response=int(response),
                reason=sent.get(f"why-{response}", ""),
                shown=act == "example",
                **scope.who(),
            )
        return True
    return False


@does(permissions.UNBLINDED, permissions.CURATORS)
def tuning_measure(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Lock a version and measure it once on the questions that were set aside."""
    found = reads.tuning_numbered(scope, number)
    form = MeasureForm(request.POST)
    if not form.is_valid():
        wrong = " ".join(str(one) for one in form.errors.get("budget", ()))
        messages.error(request, wrong or _("Load the page again, and choose a version."))
        return redirect("tuning", scope.project.slug, number)
    given = {"number": form.cleaned_data["version"], "key": form.cleaned_data["key"]}
    with refusals.told(request):
        operations.measure(tuning=found, **given, budget=form.cleaned_data["budget"], **scope.who())
        said = _("Version %(number)d is locked, and measured now.")
        messages.success(request, said % given)
    return redirect("tuning", scope.project.slug, number)


def _whole(text: str) -> int:
    """Return a number of an address or a form; 0, which nothing has, where it is none."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0


@does(permissions.UNBLINDED, permissions.CURATORS)
def tuning_again(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Tune on from the version that was locked, under another name."""
    found = reads.tuning_numbered(scope, number)
    form = AgainForm(request.POST)
    if not form.is_valid():
        messages.error(request, _("Give the judge a name of up to 100 characters."))
        return redirect("tuning", scope.project.slug, number)
    with refusals.told(request):
        made = operations.go_on(tuning=found, name=form.cleaned_data["name"], **scope.who())
        return redirect("tuning", scope.project.slug, made.number)
    return redirect("tuning", scope.project.slug, number)
