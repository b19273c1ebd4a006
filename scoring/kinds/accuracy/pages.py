"""Forms of accuracy: what is asked of whom, and how options become a score.

* Have accuracy measured on questions of multiple choice, and see what it came to.
"""

from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_GET, require_http_methods

from annotation.common.forms import Filter
from annotation.people import permissions
from annotation.people.models import Project
from annotation.people.permissions import Scope, door
from evalsite import errors
from scoring.endpoints import queries as connections
from scoring.engine import files as run_exporting
from scoring.engine import forms as run_forms
from scoring.engine import starting as run_start
from scoring.engine.estimating import Estimate
from scoring.engine.forms import StartForm
from scoring.engine.models import Run
from scoring.figures import pages as waiting
from scoring.figures.models import Figure
from scoring.kinds.accuracy import operations as accuracy
from scoring.kinds.accuracy import queries as quiz_options
from scoring.kinds.accuracy.operations import MOST_ORDERS, MOST_QUESTIONS, MOST_SHOTS, Wish
from scoring.kinds.accuracy.queries import AXES, Board
from scoring.kinds.interviews import pages as interviews
from scoring.kinds.interviews.forms import sources
from scoring.shown import names as banner
from scoring.shown import sheet as shown_sheet
from scoring.shown.sheet import NothingToDraw, stream

SETTINGS = ("over", "releases", "seed", "questions", "orders", "shots", "examples_over", "language")


class QuizForm(StartForm):
    """Which systems choose among which options, in how many orders, after how many examples."""

    over = forms.ChoiceField(
        label=_("Questions"),
        help_text=_("Only those with options to choose from are asked."),
    )
    questions = forms.IntegerField(
        label=_("How many"),
        required=False,
        min_value=1,
        max_value=MOST_QUESTIONS,
        help_text=_(
            "Drawn by lot, the same for every system. Interviews with the same seed meet the same "
            "questions. Left empty, all are asked."
        ),
    )
    releases = forms.TypedMultipleChoiceField(
        label=_("Systems"),
        coerce=int,
        widget=forms.CheckboxSelectMultiple,
        help_text=_("Those that an endpoint answers as."),
    )
    orders = forms.IntegerField(
        label=_("Orders of the options"),
        min_value=1,
        max_value=MOST_ORDERS,
        initial=1,
        help_text=_("Each is a request of its own; the first is the question’s own order."),
    )
    shots = forms.IntegerField(
        label=_("Examples before each question"),
        min_value=0,
        max_value=MOST_SHOTS,
        initial=0,
        help_text=_("Of the question’s own subject, each with its right answer; 0 is zero-shot."),
    )
    examples_over = forms.ChoiceField(
        label=_("Where examples come from"),
        required=False,
        help_text=_("What serves as an example is never asked."),
    )
    language = forms.ChoiceField(
        label=_("Language of the prompts"),
        choices=[
            ("auto", _("that of the question")),
            ("en", _("English")),
            ("zh", _("Chinese")),
        ],
    )

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        ready = [one for one in connections.of_project(project) if one.is_ready]
        keys = [one.release.pk for one in ready]
        kwargs["initial"] = {"releases": keys} | (kwargs.get("initial") or {})
        super().__init__(*args, **kwargs)
        offered = sources(project)
        self._choose("over", offered)
        self._choose("examples_over", [("", _("the same questions")), *offered[1:]])
        self._choose("releases", [(one.release.pk, str(one.release)) for one in ready])
        self.can_start = bool(ready)

    def wish(self) -> Wish:
        return Wish(**{name: self.cleaned_data[name] for name in SETTINGS})

    def _choose(self, name: str, choices: list[Any]) -> None:
        self.fields[name].choices = choices  # type: ignore[attr-defined]


def initial_of(run: Run) -> dict[str, Any]:
    """Return what the form of a clone shows."""
    names = ("over", "orders", "shots", "examples_over", "language")
    return {
        **{name: run.config[name] for name in names},
        "questions": len(run.config["items"]),
        "releases": [one["release"] for one in run.config["releases"]],
    }


class RuleFilter(Filter):
    """How chosen options become accuracy."""

    rule = forms.ChoiceField(label=_("Orders"), required=False)
    unread = forms.ChoiceField(label=_("Replies without an option"), required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, choices in AXES.items():
            self.fields[name].choices = list(choices.items())  # type: ignore[attr-defined]


PAGE = "scoring/kinds/accuracy/accuracy.html"


@require_http_methods(["GET", "POST"])
@door(permissions.CURATORS)
def quiz_new(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Choose questions, systems, orders and examples, see what it would take, and start."""
    before = run_start.cloned(scope, request.GET.get("from", ""), Run.Kind.QUIZ)
    initial: dict[str, Any] = {"name": gettext("Accuracy"), "over": request.GET.get("over", "")}
    if before is not None:
        initial |= {**run_forms.initial_of(before), **initial_of(before)}
    form = QuizForm(
        run_start.sent(request), project=scope.project, initial=initial, **run_start.fresh()
    )
    counted: dict[str, Any] = {}

    def estimate(sent: QuizForm) -> Estimate:
        checked = accuracy.check(project=scope.project, wish=sent.wish(), now=timezone.now())
        counted["found"] = checked.found
        return checked.estimate

    def start(sent: QuizForm) -> Run:
        begun = sent.start()
        return accuracy.start(
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
        template="scoring/kinds/accuracy/quiz_new.html",
        context={"counted": counted, "back_url": reverse("runs", args=[scope.project.slug])},
        estimate=estimate,
        start=start,
    )


@require_GET
@door(permissions.UNBLINDED)
def run_accuracy(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Show the accuracy of every system under a rule, in each data set and each order of options."""
    try:
        reading = quiz_options.allowed(scope, number)
    except errors.Refusal as refusal:
        return interviews.closed(request, scope, number, refusal)
    options = quiz_options.of_params(request.GET.dict())
    context = {
        "scope": scope,
        "run": reading.run,
        "form": RuleFilter(options.params),
        "options": options,
        "query": request.GET.urlencode(),
    }
    figure = accuracy.figure_of(run=reading.run, options=options, now=timezone.now())
    if wait := waiting.answer(request, [figure], context, page=PAGE):
        return wait
    board = Board(figure.data or {}, options, reading)
    context |= {"board": board, "ready": figure, "picture": shown_sheet.picture(board.draw)}
    return render(request, PAGE, context)


@require_GET
@door(permissions.UNBLINDED)
def run_accuracy_csv(request: HttpRequest, scope: Scope, number: int) -> HttpResponseBase:
    """Send every accuracy as CSV; while it is computed, go to the page that waits for it."""
    found = _ready(request, scope, number)
    if found is None:
        return _page(request, scope, number)
    export = run_exporting.export_lines(
        reading=found.reading, form="accuracy.csv", lines=found.csv_lines(), now=timezone.now()
    )
    return stream(export)


@require_GET
@door(permissions.UNBLINDED)
def run_accuracy_svg(request: HttpRequest, scope: Scope, number: int) -> HttpResponseBase:
    """Send the accuracies as a drawing; while they are computed, go to the page that waits for them."""
    found = _ready(request, scope, number)
    if found is None:
        return _page(request, scope, number)
    try:
        drawn = found.draw(False).file()
    except NothingToDraw:
        return _page(request, scope, number)
    export = run_exporting.export_lines(
        reading=found.reading,
        form=banner.named("accuracy.svg", banner.of_run(found.reading.run)),
        lines=iter([drawn]),
        now=timezone.now(),
        content_type=shown_sheet.SVG,
    )
    return stream(export)


def _ready(request: HttpRequest, scope: Scope, number: int) -> Board | None:
    try:
        reading = quiz_options.allowed(scope, number)
    except errors.Refusal:
        return None
    options = quiz_options.of_params(request.GET.dict())
    figure = accuracy.figure_of(run=reading.run, options=options, now=timezone.now())
    if figure.state != Figure.State.READY:
        return None
    return Board(figure.data or {}, options, reading)


def _page(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    there = reverse("run_accuracy", args=[scope.project.slug, number])
    return redirect(f"{there}?{request.GET.urlencode()}" if request.GET else there)
