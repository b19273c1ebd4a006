"""Forms that make a judge and have it grade a round."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from typing import Any, Final

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.forms.names import NameField
from annotation.models import Project
from scoring.forms.runs import StartForm
from scoring.models import Endpoint, Judge, Run
from scoring.operations.judge_settings import (
    A_NUMBER,
    FEWEST_TOKENS,
    HOTTEST,
    KINDS,
    MOST_REPEATS,
    MOST_TOKENS,
    ONLY_WEIGHTS,
    SAMPLES,
    WEIGHTS,
    AnySettings,
)
from scoring.queries import judge_list
from scoring.queries.judging import CriterionChoice

TOGETHER, APART = "together", "apart"


class JudgeForm(forms.Form):
    """A direct judge: which model, and how it is asked. Other kinds have some of the fields, and own ones."""

    kind = "direct"

    name = NameField(
        label=_("Name"), max_length=120, help_text=_("As it stands beside people in every figure.")
    )
    endpoint = forms.ModelChoiceField(
        label=_("Endpoint"),
        queryset=Endpoint.objects.none(),
        empty_label=_("Choose an endpoint"),
        help_text=_("The language model that judges."),
    )
    repeats = forms.IntegerField(
        label=_("Readings of each answer"),
        min_value=1,
        max_value=MOST_REPEATS,
        help_text=_("The score is their mean; how far they spread is kept beside it."),
    )
    fewest_valid = forms.IntegerField(
        label=_("Readings a score needs"),
        min_value=1,
        max_value=MOST_REPEATS,
        help_text=_("With fewer that can be read, an answer has no score."),
    )
    temperature = forms.FloatField(
        label=_("Temperature"),
        required=False,
        min_value=0,
        max_value=float(HOTTEST),
        widget=forms.NumberInput(attrs={"step": "any", "inputmode": "decimal"}),
        help_text=_("0 makes readings alike. Left empty, the endpoint decides."),
    )
    max_tokens = forms.IntegerField(
        label=_("Tokens of a reply at most"),
        min_value=FEWEST_TOKENS,
        max_value=MOST_TOKENS,
        help_text=_("A reply that is cut off is asked for once more with three times the room."),
    )
    manner = forms.ChoiceField(
        label=_("Criteria"),
        widget=forms.RadioSelect,
        initial=TOGETHER,
        choices=[
            (TOGETHER, _("all in one request")),
            (APART, _("a request for each: dearer, and one cannot colour another")),
        ],
    )
    turned = forms.BooleanField(
        label=_("Turn the order round in every second reading"),
        required=False,
        help_text=_(
            "Criteria and material come in the opposite order then, and the judge’s page tells what "
            "that does to its scores."
        ),
    )
    reference = forms.BooleanField(
        label=_("Show it the standard answer and its key points"), required=False
    )
    language = forms.ChoiceField(
        label=_("Language of the instructions"),
        choices=[("en", _("English")), ("zh", _("Chinese"))],
        help_text=_("Questions, answers and criteria stay as they are."),
    )

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        usual = asdict(KINDS[self.kind].settings())
        kwargs["initial"] = usual | (kwargs.get("initial") or {})
        super().__init__(*args, **kwargs)
        field = self.fields["endpoint"]
        assert isinstance(field, forms.ModelChoiceField)
        field.queryset = judge_list.endpoints_of(project)

    def settings(self) -> AnySettings:
        kind = KINDS[self.kind].settings
        given = {**self.cleaned_data, "together": self.cleaned_data.get("manner") == TOGETHER}
        return kind(**{one.name: given[one.name] for one in fields(kind)})


class SingleForm(JudgeForm):
    """A judge that gives one score from 1 to 10."""

    kind = "single"
    manner = None  # type: ignore[assignment]  # so Django takes a field away


class GEvalForm(JudgeForm):
    """G-Eval: a form for each criterion, its score weighed by probabilities."""

    kind = "geval"
    manner = None  # type: ignore[assignment]
    weights = forms.ChoiceField(
        label=_("Scores come from"),
        widget=forms.RadioSelect,
        choices=[
            (WEIGHTS, _("the probabilities of the values; readings where there are none")),
            (ONLY_WEIGHTS, _("the probabilities alone: without them there is no score")),
            (SAMPLES, _("the mean of readings")),
        ],
        help_text=_(
            "Probabilities need an endpoint that returns them and that writes each value as one "
            "token; its test tells."
        ),
    )
    field_order = ("name", "endpoint", "weights", "repeats")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        room = self.fields["max_tokens"]
        assert isinstance(room, forms.IntegerField)
        # The field of the direct judge wants room for reasons; a form is filled in with a number.
        self.fields["max_tokens"] = forms.IntegerField(
            label=room.label,
            min_value=A_NUMBER,
            max_value=MOST_TOKENS,
            initial=room.initial,
            help_text=_(
                "A number needs few; a model that thinks before it writes needs many more."
            ),
        )
        self.order_fields(self.field_order)


#: The form of each kind of judge, and what the page says of it.
FORMS: Final[Mapping[str, type[JudgeForm]]] = {
    one.kind: one for one in (JudgeForm, GEvalForm, SingleForm)
}
ABOUT: Final[Mapping[str, tuple[Any, Any]]] = {
    "direct": (
        _("Direct"),
        _("It reads the whole rubric and gives a score with reasons for each criterion."),
    ),
    "geval": (
        _("G-Eval"),
        _(
            "It first writes the steps of evaluation for each criterion, then fills in a form with a "
            "number alone. The score is weighed by how probable each value was."
        ),
    ),
    "single": (
        _("One score, 1 to 10"),
        _("It leaves the rubric aside and scores the answer as a whole, as MT-Bench does."),
    ),
}


class JudgeRoundForm(StartForm):
    """Which judge grades a round, and by which of its criteria."""

    judge = forms.ModelChoiceField(
        label=_("Judge"), queryset=Judge.objects.none(), empty_label=_("Choose a judge")
    )
    criteria = forms.MultipleChoiceField(
        label=_("Criteria"),
        widget=forms.CheckboxSelectMultiple,
        help_text=_("Each answer is judged by those that its rubric has."),
    )

    def __init__(
        self, *args: Any, project: Project, criteria: Sequence[CriterionChoice], **kwargs: Any
    ) -> None:
        keys = [one.key for one in criteria]
        kwargs["initial"] = {"criteria": keys} | (kwargs.get("initial") or {})
        super().__init__(*args, **kwargs)
        field = self.fields["judge"]
        assert isinstance(field, forms.ModelChoiceField)
        field.queryset = judge_list.usable(project)
        self.fields["criteria"].choices = [  # type: ignore[attr-defined]
            (one.key, f"{one.name} ({', '.join(one.rubrics)})") for one in criteria
        ]
        self._keys = keys

    def chosen(self) -> list[str]:
        """Return the keys that were chosen; none where all of them were."""
        chosen: list[str] = self.cleaned_data["criteria"]
        return [] if set(chosen) == set(self._keys) else chosen


def initial_of(run: Run) -> dict[str, Any]:
    """Return what the form shows for a clone of a run."""
    chosen = run.config.get("criteria")
    return {"judge": run.judge_id, **({"criteria": chosen} if chosen else {})}
