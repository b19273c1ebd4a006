"""The editor of an evaluation task: what it says, and rows of fields, criteria and assistants.

* Forms of plans of evaluation, and of the start of Fusion-Eval.
"""

from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from typing import Any

from django import forms
from django.utils.text import slugify
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from annotation.common import scales
from annotation.common.forms import NameInput, one_of, some_of
from annotation.common.scales import Scale
from annotation.people.models import Project
from annotation.rounds.models import Round
from evalsite.errors import Refusal
from scoring.endpoints.models import Judge
from scoring.engine.forms import StartForm, endpoints_of
from scoring.kinds.fusion import queries as reads
from scoring.kinds.fusion import v1, v2
from scoring.kinds.fusion.combining import Combined
from scoring.kinds.fusion.models import Plan, TaskVersion
from scoring.kinds.fusion.operations import Fused
from scoring.kinds.fusion.plans_v1 import MOST_TEXT as MOST_PLAN_TEXT
from scoring.kinds.fusion.task_operations import PlanWritten
from scoring.kinds.fusion.tasks import (
    CONVERSATION,
    KEPT,
    MOST_ASSISTANTS,
    MOST_CRITERIA,
    MOST_FIELDS,
    MOST_TEXT,
    QUESTION,
    REFERENCE,
    FusionTask,
    Helper,
    TaskField,
)
from scoring.kinds.fusion.v1 import Variant
from scoring.kinds.metrics import queries as measured
from scoring.kinds.metrics.start import OfAnswersForm
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


class TaskHeadForm(forms.Form):
    name = NameInput(label=_("Name"), max_length=120)
    description = forms.CharField(
        label=_("The task"),
        max_length=MOST_TEXT,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text=_(
            "What systems were asked, and how to judge it. Judge and planner read it first."
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
            ("OWN", _("its own score, in this range:")),
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
    name = NameInput(label=_("Called"), max_length=80)
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


class TaskCriterionForm(forms.Form):
    key = forms.CharField(required=False, max_length=80, widget=forms.HiddenInput)
    name = NameInput(label=_("Criterion"), max_length=120)
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


class TaskAssistantForm(forms.Form):
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

    def __init__(self, *args: Any, choices: Sequence[reads.AssistingChoice], **kwargs: Any) -> None:
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


class TaskEditor:
    """A task as it is being edited: a head and three tables of rows, of which empty ones are left out."""

    def __init__(
        self, sent: Any, *, project: Project, content: FusionTask | None = None, name: str = ""
    ) -> None:
        content = content or FusionTask("", (TaskField("Question", QUESTION),), ())
        self.head = TaskHeadForm(sent, prefix="head", initial=_head(content, name))
        self.fields = _rows(FieldForm, MOST_FIELDS)(
            sent,
            prefix="fields",
            initial=[{"name": one.name, "where": one.where} for one in content.fields],
            form_kwargs={"kept": reads.fields(project)},
        )
        self.criteria = _rows(TaskCriterionForm, MOST_CRITERIA, SPARE_CRITERIA)(
            sent, prefix="criteria", initial=[_criterion(one) for one in content.criteria]
        )
        self.assistants = _rows(TaskAssistantForm, MOST_ASSISTANTS)(
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

    def task(self) -> FusionTask:
        """Return what was written; only after `is_valid`."""
        given = self.head.cleaned_data
        own = given["overall"] == TaskVersion.Overall.OWN
        criteria = [form.criterion(n) for n, form in enumerate(_filled(self.criteria), start=1)]
        return FusionTask(
            description=given["description"].replace("\r\n", "\n").strip(),
            fields=tuple(
                TaskField(" ".join(one.cleaned_data["name"].split()), one.cleaned_data["where"])
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


def _head(content: FusionTask, name: str) -> dict[str, Any]:
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


VARIANTS = (
    (Variant.FE, _("FE: with the plan and the assistants’ scores")),
    (Variant.FE_NO_PLAN, _("FE-NoPlan: with the assistants’ scores, without a plan")),
    (Variant.DE, _("DE: by the criteria alone")),
)


class PlanForm(forms.Form):
    """A plan as a person writes it, with a tick for each assistant that it names for a criterion."""

    text = forms.CharField(
        label=_("Plan"),
        max_length=MOST_PLAN_TEXT,
        widget=forms.Textarea(attrs={"rows": 14}),
        help_text=_(
            "What to do per criterion, and which scores to read. Goes before every answer."
        ),
    )

    def __init__(self, sent: Any, *, content: FusionTask, based_on: Plan | None = None) -> None:
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


class PlanWriteForm(StartForm, record=PlanWritten):
    """Which endpoint writes a plan."""

    endpoint = one_of(PlanWritten, "endpoint")

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.offer(endpoint=endpoints_of(project))


class FusionForm(OfAnswersForm, record=Fused, leave_out=("variants",)):
    """Which answers are evaluated by a task, in which ways, by whom."""

    field_order = ("over", "variants", "plan", "endpoint", "predictions", "fewest_valid")
    variants = some_of(Fused, "variants", choices=[(str(one), label) for one, label in VARIANTS])
    plan = one_of(Fused, "plan")
    endpoint = one_of(Fused, "endpoint")

    def __init__(self, *args: Any, project: Project, version: TaskVersion, **kwargs: Any) -> None:
        plans = Plan.objects.filter(version=version).order_by("-number")
        newest = next((one.number for one in plans[:1]), None)
        usual = {"plan": newest, "variants": [str(Variant.FE if newest else Variant.DE)]}
        kwargs["initial"] = usual | (kwargs.get("initial") or {})
        super().__init__(*args, project=project, **kwargs)
        self.offer(plan=_plans(plans), endpoint=endpoints_of(project))


class CombineForm(OfAnswersForm, record=Combined, leave_out=("ways",)):
    """How the scores of a task's assistants are made into one, over which answers."""

    field_order = ("over", "ways", "plan", "judge", "people")
    ways = some_of(
        Combined,
        "ways",
        initial=["AVG"],
        choices=[
            ("AVG", _("AVG: the mean of all")),
            ("MEDIAN", _("Median")),
            ("LLMSEL", _("LLMSel: mean of those the plan names")),
            ("CORRW", _("CorrW: weighted by agreement on other questions")),
        ],
    )
    plan = one_of(Combined, "plan")
    judge = one_of(Combined, "judge")
    people = one_of(Combined, "people")

    def __init__(self, *args: Any, project: Project, version: TaskVersion, **kwargs: Any) -> None:
        super().__init__(*args, project=project, **kwargs)
        del self.fields["budget"]  # nobody is asked
        judges = Judge.objects.filter(
            project=project, protocol__in=(v1.PROTOCOL, v2.PROTOCOL), config__version=version.pk
        )
        rounds = measured.rounds_of(project)
        final = [one for one in rounds if one.state == Round.State.FINAL]
        self.offer(
            plan=_plans(Plan.objects.filter(version=version).order_by("-number")),
            judge=[
                ("", _("none: the assistants alone")),
                *((one.rater_id, str(one)) for one in judges.order_by("name")),
            ],
            people=[("", _("none")), *((one.number, one.name) for one in final)],
        )


def _plans(plans: Iterable[Plan]) -> list[tuple[Any, Any]]:
    return [("", _("none")), *((one.number, _plan(one)) for one in plans)]


def _plan(one: Plan) -> str:
    said = " ".join(one.text.split())
    return f"{one.number} · {one.get_source_display()} · {said[:60]}"
