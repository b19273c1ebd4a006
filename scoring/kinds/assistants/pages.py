"""Forms that make an assistant, one for each kind, and have it score answers.

* Make an assistant, have it score answers, and see what came of it.
"""

from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any, Final

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_GET, require_http_methods

from annotation.common import forms as refusals
from annotation.common.forms import NameField
from annotation.people import permissions
from annotation.people.models import Project
from annotation.people.permissions import Scope, door
from annotation.rounds.models import Round
from evalsite import errors
from scoring.endpoints.models import Endpoint, Judge
from scoring.engine import files as run_exporting
from scoring.engine import forms as run_forms
from scoring.engine import queries as engine
from scoring.engine import starting as run_start
from scoring.engine.estimating import Estimate
from scoring.engine.forms import StartForm
from scoring.engine.models import Run
from scoring.kinds.assistants import operations as assistants
from scoring.kinds.assistants import queries as assistant_results
from scoring.kinds.assistants.asking_v1 import Kind
from scoring.kinds.assistants.operations import MOST_AT_ONCE, MOST_REPEATS, Settings
from scoring.kinds.metrics import queries as measured
from scoring.kinds.metrics.pages import IMPORT, ROUND, answers_of
from scoring.shown.sheet import stream

USUAL: Final[Mapping[Kind, Settings]] = {
    Kind.SERVED: Settings(Kind.SERVED),
    Kind.ENTAILMENT: Settings(Kind.ENTAILMENT, at_once=1),
    Kind.LIKELIHOOD: Settings(Kind.LIKELIHOOD, premise="question", at_once=1),
    Kind.SIMILARITY: Settings(Kind.SIMILARITY, low=-1.0),
}
#: What the page says of each kind.
ABOUT: Final[Mapping[Kind, tuple[Any, Any]]] = {
    Kind.SERVED: (
        _("Served model"),
        _(
            "A model of yours behind HTTP, such as one for entailment or BLEURT. It is sent pairs of "
            "texts at /scores and answers with a number for each."
        ),
    ),
    Kind.ENTAILMENT: (
        _("Entailment"),
        _("A language model is asked how much of one text follows from the other, from 0 to 1."),
    ),
    Kind.LIKELIHOOD: (
        _("Likelihood"),
        _(
            "How probable a language model finds the answer: the exponential of the mean "
            "log-probability of its tokens, from 0 to 1. The endpoint must tell the log-probabilities "
            "of a text through completions; its test shows it."
        ),
    ),
    Kind.SIMILARITY: (
        _("Similarity of embeddings"),
        _(
            "The cosine of the embeddings of two texts, from −1 to 1. The endpoint must offer "
            "/embeddings."
        ),
    ),
}
AGAINST: Final = (
    ("standard", _("the standard answer")),
    ("texts", _("the reference texts that came with the question")),
    ("both", _("both")),
    (measured.QUESTION, _("the question itself")),
)


class AssistantForm(forms.Form):
    """A served model, with all fields there are; other kinds have some of them."""

    kind = Kind.SERVED

    name = NameField(
        label=_("Name"), max_length=120, help_text=_("As it stands beside judges in every figure.")
    )
    endpoint = forms.ModelChoiceField(
        label=_("Endpoint"),
        queryset=Endpoint.objects.none(),
        empty_label=_("Choose an endpoint"),
    )
    premise = forms.ChoiceField(
        label=_("Set against"),
        help_text=_("Of several texts the score is the mean. An answer without any gets no score."),
    )
    turned = forms.BooleanField(
        label=_("The other way round: what follows from the answer"), required=False
    )
    low = forms.FloatField(
        label=_("Lowest score"),
        required=False,
        widget=forms.NumberInput(attrs={"step": "any", "inputmode": "decimal"}),
        help_text=_("A score outside the range is a problem and counts nowhere. Empty: open."),
    )
    high = forms.FloatField(
        label=_("Highest score"),
        required=False,
        widget=forms.NumberInput(attrs={"step": "any", "inputmode": "decimal"}),
    )
    higher_is_better = forms.BooleanField(label=_("Higher is better"), required=False)
    at_once = forms.IntegerField(
        label=_("Answers in one request"), min_value=1, max_value=MOST_AT_ONCE
    )

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        kwargs["initial"] = asdict(USUAL[self.kind]) | (kwargs.get("initial") or {})
        super().__init__(*args, **kwargs)
        endpoint, premise = self.fields["endpoint"], self.fields["premise"]
        assert isinstance(endpoint, forms.ModelChoiceField)
        assert isinstance(premise, forms.ChoiceField)
        endpoint.queryset = engine.endpoints_of(project)
        premise.choices = self.premises(project)

    def premises(self, project: Project) -> list[Any]:
        kept = [(f"{measured.FIELD}{one}", one) for one in measured.fields(project)]
        return [*AGAINST, (_("Fields kept with the question"), kept)] if kept else [*AGAINST]

    def settings(self) -> Settings:
        given = {**asdict(USUAL[self.kind]), **self.cleaned_data, "kind": self.kind}
        return Settings(**{one.name: given[one.name] for one in fields(Settings)})


class SimilarityForm(AssistantForm):
    kind = Kind.SIMILARITY
    turned = None  # type: ignore[assignment]  # so Django takes a field away
    low = None  # type: ignore[assignment]
    high = None  # type: ignore[assignment]
    higher_is_better = None  # type: ignore[assignment]


class LikelihoodForm(SimilarityForm):
    kind = Kind.LIKELIHOOD
    at_once = None  # type: ignore[assignment]
    premise = forms.ChoiceField(
        label=_("After"),
        required=False,
        help_text=_("What stands before the answer, so that it is probable as an answer to it."),
    )

    def premises(self, project: Project) -> list[Any]:
        return [("", _("nothing: the answer alone")), *super().premises(project)]


class EntailmentForm(AssistantForm):
    kind = Kind.ENTAILMENT
    low = None  # type: ignore[assignment]
    high = None  # type: ignore[assignment]
    higher_is_better = None  # type: ignore[assignment]
    at_once = None  # type: ignore[assignment]
    repeats = forms.IntegerField(
        label=_("Readings of each answer"), min_value=1, max_value=MOST_REPEATS
    )
    temperature = forms.FloatField(
        label=_("Temperature"),
        required=False,
        min_value=0,
        max_value=2,
        widget=forms.NumberInput(attrs={"step": "any", "inputmode": "decimal"}),
    )
    language = forms.ChoiceField(
        label=_("Language of the instructions"),
        choices=[("en", _("English")), ("zh", _("Chinese"))],
    )


FORMS: Final[Mapping[Kind, type[AssistantForm]]] = {
    one.kind: one for one in (AssistantForm, EntailmentForm, LikelihoodForm, SimilarityForm)
}


class AssistForm(StartForm):
    """Which assistant scores which answers."""

    assistant = forms.ModelChoiceField(
        label=_("Assistant"), queryset=Judge.objects.none(), empty_label=_("Choose an assistant")
    )
    over = forms.ChoiceField(label=_("Answers"))

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        assistant, over = self.fields["assistant"], self.fields["over"]
        assert isinstance(assistant, forms.ModelChoiceField)
        assert isinstance(over, forms.ChoiceField)
        assistant.queryset = assistant_results.assistants(project)
        self._rounds = {one.number: one for one in measured.rounds_of(project)}
        over.choices = answers_of(project, list(self._rounds.values()))
        self.is_empty = len(over.choices) < 2

    def round(self) -> Round | None:
        over = self.cleaned_data["over"]
        return self._rounds[int(over.removeprefix(ROUND))] if over.startswith(ROUND) else None

    def batch(self) -> int | None:
        over = self.cleaned_data["over"]
        return int(over.removeprefix(IMPORT)) if over.startswith(IMPORT) else None


def initial_of(run: Run) -> dict[str, Any]:
    """Return what the form shows for a clone of a run."""
    over = f"{ROUND}{run.round.number}" if run.round else f"{IMPORT}{run.config['import']}"
    return {"assistant": run.judge_id, "over": over}


@require_http_methods(["GET", "POST"])
@door(permissions.CURATORS)
def assistant_new(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Configure an assistant; then it is ready to score answers."""
    wished = request.GET.get("kind", "")
    kind = Kind(wished) if wished in set(Kind) else Kind.SERVED
    form = FORMS[kind](run_start.sent(request), project=scope.project)
    if form.is_bound and form.is_valid():
        try:
            made = assistants.create(
                project=scope.project,
                name=form.cleaned_data["name"],
                endpoint=form.cleaned_data["endpoint"],
                settings=form.settings(),
                by=scope.user,
                now=timezone.now(),
            )
        except errors.Refusal as refusal:
            refusals.show(form, refusal)
        else:
            messages.success(
                request, gettext("The assistant is ready. It stays as it is configured.")
            )
            url = reverse("assist", args=[scope.project.slug])
            return redirect(f"{url}?assistant={made.pk}")
    context = {
        "scope": scope,
        "form": form,
        "kinds": [(f"?kind={one}", label, one == kind) for one, (label, _x) in ABOUT.items()],
        "about": ABOUT[kind][1],
        "can_make": engine.endpoints_of(scope.project).exists(),
        "may_add": scope.may(permissions.OWNERS),
        "back_url": reverse("judges", args=[scope.project.slug]),
    }
    return render(
        request,
        "scoring/kinds/assistants/assistant_new.html",
        context,
        status=refusals.status_of(form),
    )


@require_http_methods(["GET", "POST"])
@door(permissions.CURATORS)
def assist(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Choose an assistant and answers, see what it would take, and start."""
    before = run_start.cloned(scope, request.GET.get("from", ""), Run.Kind.ASSIST)
    initial: dict[str, Any] = {
        "name": gettext("Scores of an assistant"),
        "assistant": request.GET.get("assistant", ""),
        "over": request.GET.get("over", ""),
    }
    if before is not None:
        initial |= {**run_forms.initial_of(before), **initial_of(before)}
    form = AssistForm(
        run_start.sent(request), project=scope.project, initial=initial, **run_start.fresh()
    )

    def estimate(sent: AssistForm) -> Estimate:
        return assistants.estimate(
            assistant=sent.cleaned_data["assistant"], round_=sent.round(), batch=sent.batch()
        )

    def start(sent: AssistForm) -> Run:
        begun = sent.start()
        return assistants.request_scores(
            assistant=sent.cleaned_data["assistant"],
            key=begun.key,
            name=begun.name,
            seed=begun.seed,
            user=scope.user,
            now=timezone.now(),
            round_=sent.round(),
            batch=sent.batch(),
            budget=begun.budget,
            cloned_from=before,
        )

    return run_start.answer(
        request,
        scope,
        form=form,
        template="scoring/kinds/assistants/assist.html",
        context={
            "has_assistants": assistant_results.assistants(scope.project).exists(),
            "back_url": reverse("judges", args=[scope.project.slug]),
        },
        estimate=estimate,
        start=start,
    )


@require_GET
@door(permissions.UNBLINDED)
def run_assistant_csv(request: HttpRequest, scope: Scope, number: int) -> HttpResponseBase:
    """Send the score of every answer as CSV."""
    try:
        reading = assistant_results.allowed(scope, number)
        lines = assistant_results.csv_lines(reading)
    except errors.Refusal:
        return redirect("run_assistant", scope.project.slug, number)  # that page says why
    export = run_exporting.export_lines(
        reading=reading, form="assistant.csv", lines=lines, now=timezone.now()
    )
    return stream(export)


@require_GET
@door(permissions.UNBLINDED)
def run_assistant(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Show how an assistant's scores are distributed, by release, and why answers have none."""
    try:
        reading = assistant_results.allowed(scope, number)
        found = assistant_results.board(reading)
    except errors.Refusal as refusal:
        context = {"scope": scope, "run": engine.of(scope, number).run, "refusal": refusal}
        return render(request, "scoring/engine/closed.html", context, status=refusal.status)
    context = {"scope": scope, "run": reading.run, "board": found}
    return render(request, "scoring/kinds/assistants/assistant.html", context)
