"""Forms that make a judge and have it grade a round."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.models import Project
from scoring.forms.runs import StartForm
from scoring.models import Endpoint, Judge, Run
from scoring.operations.judges import HOTTEST, MOST_REPEATS, MOST_TOKENS, Settings
from scoring.queries import judge_list
from scoring.queries.judging import CriterionChoice

TOGETHER, APART = "together", "apart"
USUAL = Settings()


class JudgeForm(forms.Form):
    """A direct judge: which model, and how it is asked."""

    name = forms.CharField(
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
        initial=USUAL.repeats,
        help_text=_("The score is their mean; how far they spread is kept beside it."),
    )
    fewest_valid = forms.IntegerField(
        label=_("Readings a score needs"),
        min_value=1,
        max_value=MOST_REPEATS,
        initial=USUAL.fewest_valid,
        help_text=_("With fewer that can be read, an answer has no score."),
    )
    temperature = forms.FloatField(
        label=_("Temperature"),
        required=False,
        min_value=0,
        max_value=float(HOTTEST),
        initial=USUAL.temperature,
        widget=forms.NumberInput(attrs={"step": "any", "inputmode": "decimal"}),
        help_text=_("0 makes readings alike. Left empty, the endpoint decides."),
    )
    max_tokens = forms.IntegerField(
        label=_("Tokens of a reply at most"),
        min_value=50,
        max_value=MOST_TOKENS,
        initial=USUAL.max_tokens,
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
    reference = forms.BooleanField(
        label=_("Show it the standard answer and its key points"), required=False, initial=True
    )
    language = forms.ChoiceField(
        label=_("Language of the instructions"),
        choices=[("en", _("English")), ("zh", _("Chinese"))],
        initial=USUAL.language,
        help_text=_("Questions, answers and criteria stay as they are."),
    )

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["endpoint"]
        assert isinstance(field, forms.ModelChoiceField)
        field.queryset = judge_list.endpoints_of(project)

    def settings(self) -> Settings:
        given = self.cleaned_data
        names = ("repeats", "fewest_valid", "temperature", "max_tokens", "reference", "language")
        return Settings(
            together=given["manner"] == TOGETHER, **{name: given[name] for name in names}
        )


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
