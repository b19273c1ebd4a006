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

from annotation.common import forms as refusals
from annotation.common.forms import NameInput
from annotation.people import permissions
from annotation.people.models import Project
from annotation.people.permissions import Scope, asks, shows
from evalsite import errors
from scoring.endpoints import queries as connections
from scoring.endpoints.models import Endpoint
from scoring.engine import files as run_exporting
from scoring.engine import starting as run_start
from scoring.kinds.assistants import operations as assistants
from scoring.kinds.assistants import queries as assistant_results
from scoring.kinds.assistants.asking_v1 import Kind
from scoring.kinds.assistants.operations import (
    MOST_AT_ONCE,
    MOST_REPEATS,
    AssistantSettings,
)
from scoring.kinds.assistants.outcome import AssistantOutcome
from scoring.kinds.metrics import queries as measured
from scoring.shown.sheet import stream

USUAL: Final[Mapping[Kind, AssistantSettings]] = {
    Kind.SERVED: AssistantSettings(Kind.SERVED),
    Kind.ENTAILMENT: AssistantSettings(Kind.ENTAILMENT, at_once=1),
    Kind.LIKELIHOOD: AssistantSettings(Kind.LIKELIHOOD, premise="question", at_once=1),
    Kind.SIMILARITY: AssistantSettings(Kind.SIMILARITY, low=-1.0),
}
#: What the page says of each kind.
ABOUT: Final[Mapping[Kind, tuple[Any, Any]]] = {
    Kind.SERVED: (
        _("Served model"),
        _("Your own model, such as BLEURT: gets pairs of texts at /scores, answers a number each."),
    ),
    Kind.ENTAILMENT: (
        _("Entailment"),
        _("A language model says how far one text follows from the other, 0 to 1."),
    ),
    Kind.LIKELIHOOD: (
        _("Likelihood"),
        _(
            "exp of the mean log-probability of the answer’s tokens, 0 to 1. The endpoint "
            "must return log-probabilities of a text; its test shows it."
        ),
    ),
    Kind.SIMILARITY: (
        _("Similarity of embeddings"),
        _("Cosine of two texts, −1 to 1. Needs /embeddings."),
    ),
}
AGAINST: Final = (
    ("standard", _("the standard answer")),
    ("texts", _("the reference texts that came with the question")),
    ("both", _("both")),
    (measured.QUESTION, _("the question itself")),
)


class ServedModelForm(forms.Form):
    """A served model, with all fields there are; other kinds have some of them."""

    kind = Kind.SERVED

    name = NameInput(
        label=_("Name"), max_length=120, help_text=_("As it stands beside judges in every figure.")
    )
    endpoint = forms.ModelChoiceField(
        label=_("Endpoint"),
        queryset=Endpoint.objects.none(),
        empty_label=_("Choose an endpoint"),
    )
    premise = forms.ChoiceField(
        label=_("Set against"),
        help_text=_("Of several, the mean. Without any: no score."),
    )
    turned = forms.BooleanField(label=_("Reversed: what follows from the answer"), required=False)
    low = forms.FloatField(
        label=_("Lowest score"),
        required=False,
        widget=forms.NumberInput(attrs={"step": "any", "inputmode": "decimal"}),
        help_text=_("Scores outside do not count. Empty: open."),
    )
    high = forms.FloatField(
        label=_("Highest score"),
        required=False,
        widget=forms.NumberInput(attrs={"step": "any", "inputmode": "decimal"}),
    )
    higher_is_better = forms.BooleanField(label=_("Higher is better"), required=False)
    at_once = forms.IntegerField(
        label=_("Answers per request"), min_value=1, max_value=MOST_AT_ONCE
    )

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        kwargs["initial"] = asdict(USUAL[self.kind]) | (kwargs.get("initial") or {})
        super().__init__(*args, **kwargs)
        endpoint, premise = self.fields["endpoint"], self.fields["premise"]
        assert isinstance(endpoint, forms.ModelChoiceField)
        assert isinstance(premise, forms.ChoiceField)
        endpoint.queryset = connections.endpoints_of(project)
        premise.choices = self.premises(project)

    def premises(self, project: Project) -> list[Any]:
        kept = [(f"{measured.FIELD}{one}", one) for one in measured.fields(project)]
        return [*AGAINST, (_("Fields kept with the question"), kept)] if kept else [*AGAINST]

    def settings(self) -> AssistantSettings:
        given = {**asdict(USUAL[self.kind]), **self.cleaned_data, "kind": self.kind}
        return AssistantSettings(**{one.name: given[one.name] for one in fields(AssistantSettings)})


class SimilarityForm(ServedModelForm):
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
        help_text=_("What stands before the answer."),
    )

    def premises(self, project: Project) -> list[Any]:
        return [("", _("nothing: the answer alone")), *super().premises(project)]


class EntailmentForm(ServedModelForm):
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


FORMS: Final[Mapping[Kind, type[ServedModelForm]]] = {
    one.kind: one for one in (ServedModelForm, EntailmentForm, LikelihoodForm, SimilarityForm)
}


@asks(permissions.CURATORS)
def assistant_new(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Configure an assistant; then it is ready to score answers."""
    wished = request.GET.get("kind", "")
    kind = Kind(wished) if wished in set(Kind) else Kind.SERVED
    form = FORMS[kind](run_start.sent(request), project=scope.project)
    if form.is_bound and form.is_valid():
        with refusals.shown(form):
            made = assistants.create(
                name=form.cleaned_data["name"],
                endpoint=form.cleaned_data["endpoint"],
                settings=form.settings(),
                **scope.deed(),
            )
            messages.success(request, gettext("The assistant is ready."))
            url = reverse("assist", args=[scope.project.slug])
            return redirect(f"{url}?assistant={made.rater_id}")
    context = {
        "form": form,
        "kinds": [(f"?kind={one}", label, one == kind) for one, (label, _x) in ABOUT.items()],
        "about": ABOUT[kind][1],
        "can_make": connections.endpoints_of(scope.project).exists(),
        "may_add": scope.may(permissions.OWNERS),
        "back_url": reverse("judges", args=[scope.project.slug]),
    }
    return render(
        request,
        "scoring/kinds/assistants/assistant_new.html",
        context,
        status=refusals.status_of(form),
    )


@shows(permissions.UNBLINDED)
def run_assistant_answers(request: HttpRequest, scope: Scope, number: int) -> HttpResponseBase:
    """Send the score of every answer as CSV."""
    try:
        reading = AssistantOutcome.allowed(scope, number)
    except errors.Refusal:
        return redirect("run_assistant", scope.project.slug, number)  # that page says why
    lines = assistant_results.csv_lines(reading)
    export = run_exporting.export_lines(
        reading=reading, form="assistant.csv", lines=lines, now=timezone.now()
    )
    return stream(export)
