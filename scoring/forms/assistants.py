"""Forms that make an assistant, one for each kind, and have it score answers."""

from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any, Final

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.forms.names import NameField
from annotation.models import Project, Round
from scoring.forms.metrics import IMPORT, ROUND, answers_of
from scoring.forms.runs import StartForm
from scoring.models import Endpoint, Judge, Run
from scoring.operations.assistants import MOST_AT_ONCE, MOST_REPEATS, Settings
from scoring.protocols.assistants.asking_v1 import Kind
from scoring.queries import judge_list, measured

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
        endpoint.queryset = judge_list.endpoints_of(project)
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
        assistant.queryset = judge_list.assistants(project)
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
