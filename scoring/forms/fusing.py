"""Forms of plans of evaluation, and of the start of Fusion-Eval."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.models import Project, Round
from scoring.forms.metrics import IMPORT, ROUND
from scoring.forms.runs import StartForm
from scoring.models import Endpoint, EvaluationTask, Judge, Plan, Run, TaskVersion
from scoring.operations import combining
from scoring.operations.fusing import Wish
from scoring.operations.fusion_judges import HOTTEST, MOST_PREDICTIONS, MOST_TOKENS, Settings
from scoring.protocols.fusion_eval import v1
from scoring.protocols.fusion_eval.plans_v1 import MOST_TEXT
from scoring.protocols.fusion_eval.tasks import Task
from scoring.protocols.fusion_eval.v1 import Variant
from scoring.queries import judge_list, measured

USUAL = Settings()
VARIANTS = (
    (Variant.FE, _("FE: with the plan and the assistants’ scores")),
    (Variant.FE_NO_PLAN, _("FE-NoPlan: with the assistants’ scores, without a plan")),
    (Variant.DE, _("DE: by the criteria alone")),
)


class Answers:
    """Rounds and imports whose answers can be chosen, by what an option says."""

    def __init__(self, project: Project) -> None:
        self.rounds = {one.number: one for one in measured.rounds_of(project)}
        self.imports = measured.imports_of(project)

    @property
    def is_empty(self) -> bool:
        return not self.rounds and not self.imports

    def round(self, over: str) -> Round | None:
        return self.rounds[int(over.removeprefix(ROUND))] if over.startswith(ROUND) else None

    def batch(self, over: str) -> int | None:
        return int(over.removeprefix(IMPORT)) if over.startswith(IMPORT) else None

    def choices(self) -> list[tuple[Any, Any]]:
        rounds = [(f"{ROUND}{one.number}", one.name) for one in self.rounds.values()]
        brought = [
            (f"{IMPORT}{one.number}", f"{one.number} · {one.file_name}") for one in self.imports
        ]
        groups = [(_("Rounds"), rounds), (_("Imports of answers"), brought)]
        return [("", _("Choose a round or an import")), *(one for one in groups if one[1])]


class PlanForm(forms.Form):
    """A plan as a person writes it, with a tick for each assistant that it names for a criterion."""

    text = forms.CharField(
        label=_("Plan"),
        max_length=MOST_TEXT,
        widget=forms.Textarea(attrs={"rows": 14}),
        help_text=_(
            "What the judge is to do for each criterion, and which scores to look at. It goes before "
            "every answer, as it stands here."
        ),
    )

    def __init__(self, sent: Any, *, content: Task, based_on: Plan | None = None) -> None:
        initial: dict[str, Any] = {}
        if based_on is not None:
            initial = {"text": based_on.text}
            initial |= {f"align.{key}": named for key, named in based_on.alignment.items()}
        super().__init__(sent, initial=initial)
        self._criteria = [one.key for one in content.criteria]
        helpers = [(one.assistant.key, one.assistant.name) for one in content.helpers]
        for one in content.criteria if helpers else ():
            self.fields[f"align.{one.key}"] = forms.MultipleChoiceField(
                label=one.name,
                required=False,
                choices=helpers,
                widget=forms.CheckboxSelectMultiple,
                help_text=_("Assistants that the plan names for it."),
            )

    def alignment(self) -> dict[str, list[str]]:
        return {key: self.cleaned_data.get(f"align.{key}", []) for key in self._criteria}


class PlanWriteForm(StartForm):
    """Which endpoint writes a plan."""

    endpoint = forms.ModelChoiceField(
        label=_("Endpoint"),
        queryset=Endpoint.objects.none(),
        empty_label=_("Choose an endpoint"),
        help_text=_("It is told the task, the criteria and the assistants, and sees no answer."),
    )

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["endpoint"]
        assert isinstance(field, forms.ModelChoiceField)
        field.queryset = judge_list.endpoints_of(project)


class FusionForm(StartForm):
    """Which answers are evaluated by a task, in which ways, by whom."""

    over = forms.ChoiceField(label=_("Answers"))
    variants = forms.TypedMultipleChoiceField(
        label=_("Ways of judging"),
        coerce=Variant,
        choices=[(str(one), label) for one, label in VARIANTS],
        widget=forms.CheckboxSelectMultiple,
        help_text=_(
            "Each becomes a judge of its own. Several over the same answers show what plan and "
            "scores do."
        ),
    )
    plan = forms.ModelChoiceField(
        label=_("Plan"),
        queryset=Plan.objects.none(),
        required=False,
        empty_label=_("none"),
        help_text=_("For FE; of the newest version of the task."),
    )
    endpoint = forms.ModelChoiceField(
        label=_("Endpoint"),
        queryset=Endpoint.objects.none(),
        empty_label=_("Choose an endpoint"),
        help_text=_("The language model that judges."),
    )
    predictions = forms.IntegerField(
        label=_("Predictions for each answer"),
        min_value=1,
        max_value=MOST_PREDICTIONS,
        initial=USUAL.predictions,
        help_text=_("The score is their mean; every one and their spread are kept."),
    )
    fewest_valid = forms.IntegerField(
        label=_("Valid predictions a score needs"),
        min_value=1,
        max_value=MOST_PREDICTIONS,
        initial=USUAL.fewest_valid,
        help_text=_("With fewer that can be read, an answer has no score; never a made-up one."),
    )
    temperature = forms.FloatField(
        label=_("Temperature"),
        required=False,
        min_value=0,
        max_value=HOTTEST,
        initial=USUAL.temperature,
        widget=forms.NumberInput(attrs={"step": "any", "inputmode": "decimal"}),
        help_text=_("At 0 predictions are alike. Left empty, the endpoint decides."),
    )
    max_tokens = forms.IntegerField(
        label=_("Tokens of a reply at most"),
        min_value=50,
        max_value=MOST_TOKENS,
        initial=USUAL.max_tokens,
    )
    turned = forms.BooleanField(
        label=_("Turn the order round in every second prediction"),
        required=False,
        help_text=_(
            "The answer comes first then, and what is shown beside it in the opposite order; the judge’s "
            "page tells what that does to its scores."
        ),
    )

    def __init__(
        self,
        *args: Any,
        project: Project,
        task: EvaluationTask,
        version: TaskVersion,
        **kwargs: Any,
    ) -> None:
        plans = Plan.objects.filter(version=version).order_by("-number")
        usual = {"plan": next((one.pk for one in plans[:1]), None)}
        usual["variants"] = [str(Variant.FE)] if usual["plan"] else [str(Variant.DE)]  # type: ignore[assignment]
        kwargs["initial"] = usual | (kwargs.get("initial") or {})
        super().__init__(*args, **kwargs)
        self._version = version
        self._answers = Answers(project)
        for name, rows in (("plan", plans), ("endpoint", judge_list.endpoints_of(project))):
            field = self.fields[name]
            assert isinstance(field, forms.ModelChoiceField)
            field.queryset = rows
        self.fields["plan"].label_from_instance = _plan  # type: ignore[attr-defined]
        self.fields["over"].choices = self._answers.choices()  # type: ignore[attr-defined]

    def wish(self) -> Wish:
        given = self.cleaned_data
        over = given["over"]
        names = Settings.__dataclass_fields__
        return Wish(
            version=self._version,
            variants=given["variants"],
            endpoint=given["endpoint"],
            plan=given["plan"] if Variant.FE in given["variants"] else None,
            round=self._answers.round(over),
            batch=self._answers.batch(over),
            settings=Settings(**{name: given[name] for name in names}),
        )

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to evaluate yet."""
        return self._answers.is_empty


class CombineForm(StartForm):
    """How the scores of a task's assistants are made into one, over which answers."""

    over = forms.ChoiceField(label=_("Answers"))
    ways = forms.MultipleChoiceField(
        label=_("Ways of combining"),
        initial=["AVG"],
        choices=[
            ("AVG", _("AVG: the mean of all")),
            ("LLMSEL", _("LLMSel: the mean of those that the plan names for the criterion")),
            ("CORRW", _("CorrW: weighted by how each agrees with people on other questions")),
        ],
        widget=forms.CheckboxSelectMultiple,
        help_text=_("Each becomes a rater of its own, as shares of the declared ranges."),
    )
    plan = forms.ModelChoiceField(
        label=_("Plan"), queryset=Plan.objects.none(), required=False, empty_label=_("none")
    )
    judge = forms.ModelChoiceField(
        label=_("Judge"),
        queryset=Judge.objects.none(),
        required=False,
        empty_label=_("none: the assistants alone"),
        help_text=_("Combined with the assistants; its last finished run counts."),
    )
    people = forms.ChoiceField(
        label=_("People’s grades"), required=False, help_text=_("What CorrW weighs by.")
    )

    def __init__(
        self,
        *args: Any,
        project: Project,
        task: EvaluationTask,
        version: TaskVersion,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        del self.fields["budget"]  # nobody is asked
        self._version = version
        self._answers = Answers(project)
        self._final = {
            str(one.number): one
            for one in self._answers.rounds.values()
            if one.state == Round.State.FINAL
        }
        rows = Judge.objects.filter(
            project=project, protocol=v1.PROTOCOL, config__version=version.pk
        )
        plans = Plan.objects.filter(version=version).order_by("-number")
        for name, found in (("plan", plans), ("judge", rows.order_by("name"))):
            field = self.fields[name]
            assert isinstance(field, forms.ModelChoiceField)
            field.queryset = found
        self.fields["plan"].label_from_instance = _plan  # type: ignore[attr-defined]
        self.fields["over"].choices = self._answers.choices()  # type: ignore[attr-defined]
        self.fields["people"].choices = [  # type: ignore[attr-defined]
            ("", _("none")), *((number, one.name) for number, one in self._final.items())
        ]  # fmt: skip

    def wish(self) -> combining.Wish:
        given = self.cleaned_data
        return combining.Wish(
            version=self._version,
            ways=given["ways"],
            plan=given["plan"],
            judge=given["judge"],
            round=self._answers.round(given["over"]),
            batch=self._answers.batch(given["over"]),
            people=self._final.get(given["people"]),
        )

    @property
    def is_empty(self) -> bool:
        return self._answers.is_empty


def combine_initial_of(run: Run) -> dict[str, Any]:
    """Return what the form shows for a clone of a run that combines."""
    config = run.config
    return {
        "over": over_of(run),
        "ways": [one["how"] for one in config["mixes"]],
        "plan": config["plan"],
        "judge": config["judge"],
        "people": str(config["people"] or ""),
    }


def _plan(one: Plan) -> str:
    said = " ".join(one.text.split())
    return f"{one.number} · {one.get_source_display()} · {said[:60]}"


def initial_of(run: Run) -> dict[str, Any]:
    """Return what the form shows for a clone of a run."""
    judges = run.config["judges"]
    return {
        **judges[0]["settings"],
        "over": over_of(run),
        "variants": [one["variant"] for one in judges],
        "plan": run.config["plan"],
        "endpoint": judges[0]["endpoint"],
    }


def over_of(run: Run) -> str:
    """Return the option that says what a run was over."""
    return f"{ROUND}{run.round.number}" if run.round else f"{IMPORT}{run.config['import']}"
