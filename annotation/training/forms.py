"""Forms of training: the marks of an example, the example itself, rules and trials."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.common import scales
from annotation.common.forms import NameInput, RecordForm, entered, initial_of
from annotation.common.names import isolated
from annotation.domains.models import Capability
from annotation.people.models import Project, User
from annotation.qualification import operations as qualifying
from annotation.qualification import queries as qualifications
from annotation.qualification.models import Qualification, QualificationRule, TrainingExample
from annotation.rounds import queries as round_reads
from annotation.rubrics.models import Criterion, RubricVersion
from annotation.rubrics.queries import CriterionFace, criterion_face, ticked
from annotation.systems.models import SystemRelease
from annotation.training import operations as training
from annotation.training.records import ExampleText, Step, Trial
from evalsite import errors

if TYPE_CHECKING:
    _OfUsers = forms.ModelMultipleChoiceField[User]
else:
    _OfUsers = forms.ModelMultipleChoiceField


@dataclass(frozen=True)
class MarkField:
    """A mark of an example as its form shows it."""

    name: str
    criterion: CriterionFace
    value: str
    errors: list[str]

    @property
    def chosen(self) -> frozenset[str]:
        return ticked(self.value)


def name_of(key: str) -> str:
    return f"mark-{key}"


def read_grades(sent: Mapping[str, str], keys: Iterable[str]) -> dict[str, Decimal]:
    """Return the grades that were sent; what is no number is left out, and so is missing."""
    found: dict[str, Decimal] = {}
    for key in keys:
        try:
            found[key] = scales.parse(entered(sent, name_of(key)))
        except ValueError:
            continue
    return found


def marks(
    criteria: Sequence[CriterionFace],
    wanted: Mapping[str, Any],
    sent: Mapping[str, str],
    refusal: errors.Refusal | None,
) -> list[MarkField]:
    problems = refusal.fields if refusal else {}
    return [
        MarkField(name_of(one.key), one, entered(sent, name_of(one.key)), problems.get(one.key, []))
        for one in criteria
        if one.key in wanted
    ]


class ExampleForm(RecordForm, record=ExampleText, leave_out=("grades",)):
    """An example with one field for each criterion of the capability's rubric."""

    use = forms.ChoiceField(
        label=_("Use"),
        choices=TrainingExample.Use,
        widget=forms.RadioSelect,
        initial=TrainingExample.Use.PRACTISE,
    )

    def __init__(self, *args: Any, version: RubricVersion, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        rows = version.criteria.with_values().prefetch_related("levels")
        self.criteria: list[Criterion] = list(rows.order_by("position", "pk"))
        for one in self.criteria:
            self.fields[f"grade-{one.key}"] = _right(one)
        self.order_fields([name for name in self.fields if name != "explanation"])

    def text(self) -> ExampleText:
        given = self.cleaned_data
        grades = {
            one.key: given[f"grade-{one.key}"]
            for one in self.criteria
            if given.get(f"grade-{one.key}") is not None
        }
        names = ("use", "question", "reference", "response", "explanation")
        return ExampleText(grades=grades, **{name: given[name] for name in names})


def _right(criterion: Criterion) -> forms.Field:
    """Return the field for what is right on a criterion: a number, or its words."""
    face = criterion_face(criterion)
    said: dict[str, Any] = {"label": criterion.name, "required": False}
    if not face.said_by_word:
        low, high = (scales.text(end) for end in criterion.ends)
        said["help_text"] = _("Right grade, %(low)s to %(high)s.") % {"low": low, "high": high}
        return forms.DecimalField(**said)
    none = ("0", _("None of these")) if face.by_labels else ("", "–")
    words = [(one.box if face.by_labels else one.value, one.label) for one in face.levels]
    if face.by_labels:
        return LabelSet(**said, choices=[*words, none], widget=forms.CheckboxSelectMultiple)
    return forms.TypedChoiceField(
        **said, choices=[none, *words], coerce=scales.parse, empty_value=None
    )


class LabelSet(forms.TypedMultipleChoiceField):
    """Several labels as their one number; None where nothing is said."""

    def prepare_value(self, value: Any) -> Any:
        return sorted(ticked(value)) if isinstance(value, str) else value

    def clean(self, value: Any) -> Any:
        boxes = super().clean(value)
        if len(boxes) > 1 and "0" in boxes:
            raise forms.ValidationError(_("Choose labels, or none of these."))
        return Decimal(sum(map(int, boxes))) if boxes else None


class TrialRuleForm(RecordForm, record=qualifying.RuleAsked, leave_out=("asked",)):
    """What a trial asks for."""

    def asked(self) -> qualifying.RuleAsked:
        return qualifying.RuleAsked(**self.cleaned_data)


class ProjectRuleForm(TrialRuleForm):
    """The same for the whole project, which may ask for qualification in every new round."""

    asked_always = forms.BooleanField(
        label=_("New rounds ask for qualification"),
        required=False,
    )

    def asked(self) -> qualifying.RuleAsked:
        given = dict(self.cleaned_data)
        return qualifying.RuleAsked(asked=given.pop("asked_always"), **given)


def rule_initial(rule: QualificationRule | None) -> dict[str, Any]:
    """Return what stands in the form of a rule."""
    from_rule = rule or qualifying.RuleAsked()
    return {**initial_of(qualifying.RuleAsked, from_rule), "asked_always": from_rule.asked}


class PoolFilter(forms.Form):
    tag = forms.ChoiceField(label=_("Knows about"), required=False)
    state = forms.ChoiceField(label=_("State"), required=False)
    capability = forms.ModelChoiceField(
        label=_("Capability"),
        queryset=Capability.objects.none(),
        required=False,
        empty_label=_("any capability"),
    )

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        tags = {one for held in qualifications.tags_of(project).values() for one in held}
        _choice(self, "tag", [("", _("anything")), *((one, one) for one in sorted(tags))])
        _choice(self, "state", [("", _("any state")), *Qualification.State.choices])
        _model_field(self, "capability").queryset = Capability.objects.filter(project=project)

    def given(self) -> dict[str, Any]:
        if not self.is_valid():
            return {}
        chosen = self.cleaned_data
        one = chosen["capability"]
        return {
            "tag": chosen["tag"],
            "state": chosen["state"],
            "capability": one.pk if one else 0,
        }


class SayForm(RecordForm, record=Step, leave_out=("capability",)):
    """A step by hand: what becomes of somebody in a capability, and why."""

    event = forms.ChoiceField(label=_("What happens"))

    def __init__(self, *args: Any, deeds: list[tuple[str, Any]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _choice(self, "event", deeds)


class TagsForm(forms.Form):
    tags = NameInput(
        label=_("Knows about"),
        required=False,
        max_length=1000,
        help_text=_("Between commas."),
    )

    def wanted(self) -> list[str]:
        return [one for one in self.cleaned_data["tags"].split(",") if one.strip()]


class ReadyPeople(_OfUsers):
    """People by their names, each with the capabilities in which they are ready for a trial."""

    #: By primary key of the user.
    ready: Mapping[int, Sequence[str]] = {}

    def label_from_instance(self, obj: User) -> str:
        named = ", ".join(map(isolated, self.ready.get(obj.pk, ())))
        return _("%(name)s: ready in %(capabilities)s") % {
            "name": isolated(obj.display_name),
            "capabilities": named,
        }


class TrialForm(RecordForm, record=Trial):
    capability = forms.ModelChoiceField(
        label=_("Capability"), queryset=Capability.objects.none(), empty_label=None
    )
    releases = forms.ModelMultipleChoiceField(
        label=_("Systems"),
        queryset=SystemRelease.objects.none(),
        widget=forms.CheckboxSelectMultiple,
        help_text=_("Good and bad ones, if possible."),
    )
    users = ReadyPeople(
        label=_("Annotators"),
        queryset=User.objects.none(),
        to_field_name="public_id",
        widget=forms.CheckboxSelectMultiple,
    )

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        ready = qualifications.trained(project)
        _model_field(self, "capability").queryset = Capability.objects.filter(
            project=project, rubric__isnull=False
        )
        _model_field(self, "releases").queryset = round_reads.releases_of(project)
        if not self.initial.get("capability") and ready:
            self.initial["capability"] = next(iter(ready.values()))[0].pk
        people = self.fields["users"]
        assert isinstance(people, ReadyPeople)
        people.queryset = User.objects.filter(pk__in=ready).select_related("person")
        people.ready = {pk: [one.name for one in cells] for pk, cells in ready.items()}
        self.n_ready = len(ready)

    def plan(self) -> training.TrialPlan:
        given = self.cleaned_data
        return training.TrialPlan(
            name=given["name"],
            capability=given["capability"],
            releases=list(given["releases"]),
            users=list(given["users"]),
            n_items=given["n_items"],
        )


def _choice(form: forms.Form, name: str, choices: Sequence[tuple[Any, Any]]) -> None:
    field = form.fields[name]
    assert isinstance(field, forms.ChoiceField)
    field.choices = choices


def _model_field(form: forms.Form, name: str) -> "forms.ModelChoiceField[Any]":
    field = form.fields[name]
    assert isinstance(field, forms.ModelChoiceField)
    return field
