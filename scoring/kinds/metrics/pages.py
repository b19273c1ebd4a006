"""The form that has answers measured by metrics.

* Have answers measured by metrics.
* What a run of metrics came to, as a page and as a file.
"""

from collections.abc import Sequence
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

from annotation.people import permissions
from annotation.people.models import Project
from annotation.people.permissions import Scope, door
from annotation.rounds.models import Round
from evalsite import errors
from scoring.engine import forms as run_forms
from scoring.engine import queries as run_reading
from scoring.engine import starting as run_start
from scoring.engine.forms import StartForm
from scoring.engine.models import Run
from scoring.kinds.metrics import operations
from scoring.kinds.metrics import queries as measured
from scoring.kinds.metrics.catalogue import METRICS, USUAL
from scoring.kinds.metrics.operations import Choice
from scoring.kinds.metrics.queries import Found
from scoring.shown.sheet import stream

ROUND, IMPORT = "round:", "import:"

GROUPS = {
    "likeness": _("Likeness with a reference"),
    "overlap": _("Sequences of words that are shared or new"),
    "shape": _("Length and repetition"),
    "readability": _("How easy it is to read"),
}
#: Names that do not say by themselves what is compared.
_WITH = {
    "overlap_references": _("%(n)d-grams shared with a reference"),
    "novelty_references": _("%(n)d-grams in no reference"),
    "overlap_source": _("%(n)d-grams shared with the source text"),
    "novelty_source": _("%(n)d-grams not in the source text"),
    "repetition": _("%(n)d-grams repeated in the answer"),
}
_NAMES = {
    "words": _("Words"),
    "signs": _("Characters"),
    "sentences": _("Sentences"),
    "reading_ease": _("Flesch reading ease (English)"),
    "grade_level": _("Flesch–Kincaid grade (English)"),
    "meteor": _("METEOR (needs WordNet on the server)"),
}


def label(key: str) -> Any:
    """Return what a metric is called on the page."""
    metric = METRICS[key]
    if metric.n:
        return _WITH[key.replace(str(metric.n), "", 1)] % {"n": metric.n}
    return _NAMES.get(key, metric.name)


def _metrics() -> list[tuple[Any, list[tuple[str, Any]]]]:
    found: dict[str, list[tuple[str, Any]]] = {name: [] for name in GROUPS}
    for key, metric in METRICS.items():
        found[metric.group].append((key, label(key)))
    return [(GROUPS[name], choices) for name, choices in found.items()]


def answers_of(project: Project, rounds: Sequence[Round]) -> list[tuple[Any, Any]]:
    """Return the choices of answers: of these rounds, and of the imports of a project."""
    imports = [
        (f"{IMPORT}{one.number}", f"{one.number} · {one.file_name}")
        for one in measured.imports_of(project)
    ]
    groups = [
        (_("Rounds"), [(f"{ROUND}{one.number}", one.name) for one in rounds]),
        (_("Imports of answers"), imports),
    ]
    return [("", _("Choose a round or an import")), *(one for one in groups if one[1])]


class MetricsForm(StartForm):
    """Which answers are measured, by what, against which texts."""

    over = forms.ChoiceField(label=_("Answers"))
    metrics = forms.MultipleChoiceField(
        label=_("Metrics"),
        widget=forms.CheckboxSelectMultiple,
        initial=USUAL,
        help_text=_(
            "Each becomes a metric of its own in the list of judges, named after what it was "
            "compared with."
        ),
    )
    references = forms.ChoiceField(
        label=_("Compare with"),
        widget=forms.RadioSelect,
        initial="standard",
        choices=[
            ("standard", _("the standard answer")),
            ("texts", _("the reference texts that came with the question")),
            ("both", _("both")),
        ],
    )
    many = forms.ChoiceField(
        label=_("Of several references"),
        widget=forms.RadioSelect,
        initial="mean",
        choices=[("mean", _("the mean of all")), ("best", _("the best"))],
        help_text=_("For ROUGE and METEOR. BLEU and chrF use all of them by their own rules."),
    )
    source = forms.ChoiceField(
        label=_("Source text"),
        required=False,
        help_text=_("What the answer was made from, such as the article of a summary."),
    )

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in ("budget", "seed"):  # nobody is asked, and nothing is drawn
            del self.fields[name]
        self._rounds = {one.number: one for one in measured.rounds_of(project)}
        self._choose("over", answers_of(project, list(self._rounds.values())))
        self._choose("metrics", _metrics())
        self._choose("source", _sources(project))

    def choice(self) -> Choice:
        given = self.cleaned_data
        over = given["over"]
        return Choice(
            metrics=given["metrics"],
            references=given["references"],
            many=given["many"],
            source=given["source"],
            batch=int(over.removeprefix(IMPORT)) if over.startswith(IMPORT) else None,
        )

    def round(self) -> Round | None:
        over = self.cleaned_data["over"]
        return self._rounds[int(over.removeprefix(ROUND))] if over.startswith(ROUND) else None

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to choose from yet."""
        return len(self.fields["over"].choices) < 2  # type: ignore[attr-defined]

    def _choose(self, name: str, choices: list[Any]) -> None:
        self.fields[name].choices = choices  # type: ignore[attr-defined]


def initial_of(run: Run) -> dict[str, Any]:
    """Return what the form shows for a clone of a run."""
    config = run.config
    over = f"{ROUND}{run.round.number}" if run.round else f"{IMPORT}{config['import']}"
    kept = {name: config[name] for name in ("metrics", "references", "many", "source")}
    return {**kept, "over": over}


def _sources(project: Project) -> list[tuple[str, Any]]:
    kept = [(f"{measured.FIELD}{one}", one) for one in measured.fields(project)]
    groups = [(_("Fields kept with the question"), kept)] if kept else []
    return [("", _("none")), (measured.QUESTION, _("the question itself")), *groups]  # type: ignore[list-item]


@require_http_methods(["GET", "POST"])
@door(permissions.CURATORS)
def metrics_new(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Choose answers and metrics, see how many there are to measure, and start."""
    before = run_start.cloned(scope, request.GET.get("from", ""), Run.Kind.METRICS)
    initial: dict[str, Any] = {"name": gettext("Metrics"), "over": request.GET.get("over", "")}
    if before is not None:
        initial |= {**run_forms.initial_of(before), **initial_of(before)}
    form = MetricsForm(
        run_start.sent(request), project=scope.project, initial=initial, **run_start.fresh()
    )

    def estimate(sent: MetricsForm) -> Found:
        return operations.check(project=scope.project, round_=sent.round(), choice=sent.choice())

    def start(sent: MetricsForm) -> Run:
        return operations.request_metrics(
            project=scope.project,
            key=sent.cleaned_data["key"],
            name=sent.cleaned_data["name"],
            choice=sent.choice(),
            user=scope.user,
            now=timezone.now(),
            round_=sent.round(),
            cloned_from=before,
        )

    return run_start.answer(
        request,
        scope,
        form=form,
        template="scoring/kinds/metrics/metrics_new.html",
        context={"back_url": reverse("judges", args=[scope.project.slug])},
        estimate=estimate,
        start=start,
    )


@require_GET
@door(permissions.UNBLINDED)
def run_metrics(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Show the means of every release, and why answers have no value."""
    try:
        reading = measured.allowed(scope, number)
        board = measured.board(reading)
    except errors.Refusal as refusal:
        context = {"scope": scope, "run": run_reading.of(scope, number).run, "refusal": refusal}
        return render(request, "scoring/engine/closed.html", context, status=refusal.status)
    context = {"scope": scope, "run": reading.run, "board": board}
    return render(request, "scoring/kinds/metrics/metrics.html", context)


@require_GET
@door(permissions.UNBLINDED)
def run_metrics_csv(request: HttpRequest, scope: Scope, number: int) -> HttpResponseBase:
    """Send the means of every release as CSV."""
    try:
        reading = measured.allowed(scope, number)
        board = measured.board(reading)
    except errors.Refusal:
        return redirect("run_metrics", scope.project.slug, number)  # that page says why
    return stream(measured.export_metrics(reading=reading, board=board, now=timezone.now()))
