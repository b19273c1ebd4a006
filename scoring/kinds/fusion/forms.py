"""The editor of an evaluation task: what it says, and rows of fields, criteria and assistants.

* Forms of plans of evaluation, and of the start of Fusion-Eval.
"""

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any

from django import forms
from django.utils.text import slugify
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from annotation.common import scales
from annotation.common.forms import NameField
from annotation.common.scales import Scale
from annotation.people.models import Project
from annotation.rounds.models import Round
from evalsite.errors import Refusal
from scoring.endpoints.models import Endpoint, Judge
from scoring.engine import queries as judge_list
from scoring.engine.forms import StartForm
from scoring.engine.models import Run
from scoring.kinds.fusion import combining, v1
from scoring.kinds.fusion import queries as reads
from scoring.kinds.fusion.models import EvaluationTask, Plan, TaskVersion
from scoring.kinds.fusion.operations import HOTTEST, MOST_PREDICTIONS, MOST_TOKENS, Settings, Wish
from scoring.kinds.fusion.plans_v1 import MOST_TEXT as MOST_PLAN_TEXT
from scoring.kinds.fusion.tasks import (
    CONVERSATION,
    KEPT,
    MOST_ASSISTANTS,
    MOST_CRITERIA,
    MOST_FIELDS,
    MOST_TEXT,
    QUESTION,
    REFERENCE,
    Field,
    Helper,
    Task,
)
from scoring.kinds.fusion.v1 import Variant
from scoring.kinds.metrics import queries as measured
from scoring.kinds.metrics.pages import IMPORT, ROUND
from scoring.protocols.task_asking_v1 import OVERALL, Assistant, Criterion

#: Rows left empty for what is added; criteria are long, and there are few of them.
SPARE, SPARE_CRITERIA = 3, 2
NUMBER = {"inputmode": "decimal", "autocomplete": "off"}


def number(label: Any, **kwargs: Any) -> forms.DecimalField:
    return forms.DecimalField(
        label=label,
        max_digits=12,
        decimal_places=4,
        widget=forms.TextInput(attrs=NUMBER),
        **kwargs,
    )


class Head(forms.Form):
    name = NameField(label=_("Name"), max_length=120)
    description = forms.CharField(
        label=_("The task"),
        max_length=MOST_TEXT,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text=_(
            "What the systems were asked to do, and from where one should judge. Judge and planner "
            "read it first."
        ),
    )
    language = forms.ChoiceField(
        label=_("Language of the instructions"),
        choices=[("en", _("English")), ("zh", _("Chinese"))],
        help_text=_("Texts, criteria and plans stay as they are."),
    )
    overall = forms.ChoiceField(
        label=_("Overall"),
        widget=forms.RadioSelect,
        initial=TaskVersion.Overall.MEAN,
        choices=[
            ("MEAN", _("the mean of the criteria")),
            ("OWN", _("a score that the judge gives besides, in this range:")),
        ],
    )
    overall_minimum = number(_("Overall from"), required=False)
    overall_maximum = number(_("Overall to"), required=False)

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        if given.get("overall") == TaskVersion.Overall.OWN:
            _check_range(self, "overall_minimum", "overall_maximum")
        return given


class FieldForm(forms.Form):
    name = NameField(label=_("Called"), max_length=80)
    where = forms.ChoiceField(label=_("Text"))

    def __init__(self, *args: Any, kept: Sequence[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        known: list[Any] = [
            ("", _("Choose a text")),
            (QUESTION, _("the question")),
            (CONVERSATION, _("the whole conversation before the answer")),
            (REFERENCE, _("the standard answer")),
        ]
        own = self.initial.get("where", "")
        names = [*kept, *([own.removeprefix(KEPT)] if own.startswith(KEPT) else [])]
        more = [(f"{KEPT}{one}", one) for one in dict.fromkeys(names)]
        self.fields["where"].choices = [  # type: ignore[attr-defined]
            *known, *([(_("Kept with the question"), more)] if more else [])
        ]  # fmt: skip


class CriterionForm(forms.Form):
    key = forms.CharField(required=False, max_length=80, widget=forms.HiddenInput)
    name = NameField(label=_("Criterion"), max_length=120)
    minimum = number(_("From"), initial=Decimal(1))
    maximum = number(_("To"), initial=Decimal(5))
    step = number(
        _("Step"),
        required=False,
        min_value=0,
        help_text=_("Left empty, any value between is a score."),
    )
    definition = forms.CharField(
        label=_("What it means"),
        required=False,
        max_length=MOST_TEXT,
        widget=forms.Textarea(attrs={"rows": 2}),
    )
    steps = forms.CharField(
        label=_("Steps of evaluation"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=_("One in each line."),
    )

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        _check_range(self, "minimum", "maximum", "step")
        return given

    def criterion(self, place: int) -> Criterion:
        given = self.cleaned_data
        key = given["key"] or slugify(given["name"])[:70] or f"criterion-{place}"
        return Criterion(
            key=f"{key}-criterion" if key == OVERALL else key,
            name=" ".join(given["name"].split()),
            scale=Scale(given["minimum"], given["maximum"], given["step"]),
            definition=given["definition"].strip(),
            steps=tuple(one.strip() for one in given["steps"].splitlines() if one.strip()),
        )


class AssistantForm(forms.Form):
    key = forms.CharField(required=False, max_length=80, widget=forms.HiddenInput)
    machine = forms.ChoiceField(label=_("Assistant"))
    meaning = forms.CharField(
        label=_("What its score means"), required=False, max_length=500,
        widget=forms.Textarea(attrs={"rows": 2}),
    )  # fmt: skip
    compares = forms.CharField(
        label=_("What it compares"),
        required=False,
        max_length=300,
        help_text=_("Such as: the answer with the source text."),
    )

    def __init__(self, *args: Any, choices: Sequence[reads.Choice], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._known = {one.value: one.helper for one in choices}
        self.fields["machine"].choices = [  # type: ignore[attr-defined]
            ("", _("Choose a judge or a metric")), *((one.value, one.label) for one in choices)
        ]  # fmt: skip

    def helper(self) -> Helper:
        given = self.cleaned_data
        found = self._known[given["machine"]]
        base = found.assistant
        assistant = Assistant(
            given["key"] or base.key,
            base.name,
            given["meaning"].strip(),
            given["compares"].strip(),
            base.low,
            base.high,
        )
        return Helper(assistant, found.rater, found.criterion)


class Editor:
    """A task as it is being edited: a head and three tables of rows, of which empty ones are left out."""

    def __init__(
        self, sent: Any, *, project: Project, content: Task | None = None, name: str = ""
    ) -> None:
        content = content or Task("", (Field("Question", QUESTION),), ())
        self.head = Head(sent, prefix="head", initial=_head(content, name))
        self.fields = _rows(FieldForm, MOST_FIELDS)(
            sent,
            prefix="fields",
            initial=[{"name": one.name, "where": one.where} for one in content.fields],
            form_kwargs={"kept": reads.fields(project)},
        )
        self.criteria = _rows(CriterionForm, MOST_CRITERIA, SPARE_CRITERIA)(
            sent, prefix="criteria", initial=[_criterion(one) for one in content.criteria]
        )
        self.assistants = _rows(AssistantForm, MOST_ASSISTANTS)(
            sent,
            prefix="assistants",
            initial=[_assistant(one) for one in content.helpers],
            form_kwargs={"choices": reads.assistants(project)},
        )
        self.problems: list[str] = []

    @property
    def is_bound(self) -> bool:
        return self.head.is_bound

    @property
    def errors(self) -> bool:
        return bool(self.problems) or any(one.errors for one in self._forms())

    @property
    def said(self) -> list[tuple[str, str, str]]:
        """Return what is wrong: the control, what it is called, and why."""
        return [
            (form[name].id_for_label, str(form[name].label), str(error))
            for form in self._forms()
            for name, errors in form.errors.items()
            if name in form.fields
            for error in errors
        ]

    def is_valid(self) -> bool:
        tables = (self.fields, self.criteria, self.assistants)
        return self.head.is_valid() and all(one.is_valid() for one in tables)

    def task(self) -> Task:
        """Return what was written; only after `is_valid`."""
        given = self.head.cleaned_data
        own = given["overall"] == TaskVersion.Overall.OWN
        criteria = [form.criterion(n) for n, form in enumerate(_filled(self.criteria), start=1)]
        return Task(
            description=given["description"].replace("\r\n", "\n").strip(),
            fields=tuple(
                Field(" ".join(one.cleaned_data["name"].split()), one.cleaned_data["where"])
                for one in _filled(self.fields)
            ),
            criteria=tuple(criteria),
            helpers=tuple(one.helper() for one in _filled(self.assistants)),
            overall=Scale(given["overall_minimum"], given["overall_maximum"]) if own else None,
            language=given["language"],
        )

    def show(self, refusal: Refusal) -> None:
        """Put what was refused at the head's fields, or above everything."""
        for name, messages in refusal.fields.items():
            if name in self.head.fields:
                self.head.add_error(name, messages)
            else:
                self.problems.extend(messages)
        if not refusal.fields:
            self.problems.append(refusal.message)

    def _forms(self) -> Iterator[Any]:
        yield self.head
        for table in (self.fields, self.criteria, self.assistants):
            yield from table


def _rows(kind: type[forms.Form], most: int, spare: int = SPARE) -> Any:
    return forms.formset_factory(kind, extra=spare, can_delete=True, max_num=most, absolute_max=60)


def _filled(table: Any) -> list[Any]:
    return [one for one in table if one.cleaned_data and not one.cleaned_data.get("DELETE")]


def _check_range(form: forms.Form, low: str, high: str, step: str = "") -> None:
    given = form.cleaned_data
    if given.get(low) is None or given.get(high) is None:
        if low in given and high in given:
            form.add_error(low, gettext("Give both ends of the range."))
        return
    try:
        Scale(given[low], given[high], given.get(step) if step else None)
    except ValueError as problem:
        form.add_error(high, str(problem))


def _head(content: Task, name: str) -> dict[str, Any]:
    own = content.overall
    ends = (Decimal(1), Decimal(5)) if own is None else (own.minimum, own.maximum)
    return {
        "name": name,
        "description": content.description,
        "language": content.language,
        "overall": TaskVersion.Overall.MEAN if own is None else TaskVersion.Overall.OWN,
        "overall_minimum": scales.text(ends[0]),
        "overall_maximum": scales.text(ends[1]),
    }


def _criterion(one: Criterion) -> dict[str, Any]:
    step = one.scale.step
    return {
        "key": one.key,
        "name": one.name,
        "minimum": scales.text(one.scale.minimum),
        "maximum": scales.text(one.scale.maximum),
        "step": "" if step is None else scales.text(step),
        "definition": one.definition,
        "steps": "\n".join(one.steps),
    }


def _assistant(one: Helper) -> dict[str, Any]:
    return {
        "key": one.assistant.key,
        "machine": f"{one.rater}:{one.criterion}",
        "meaning": one.assistant.meaning,
        "compares": one.assistant.compares,
    }


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
        max_length=MOST_PLAN_TEXT,
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
