"""Forms of a round: what a curator chooses in a draft, and reasons for deeds on seats."""

from typing import Any

from django import forms
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from annotation.forms.names import NameField
from annotation.models import Capability, Project, Round, RubricVersion, SystemRelease, User
from annotation.operations.rounds import copying, drafting
from annotation.queries import rounds as reads
from annotation.rules import rounds as rules


class NewRound(forms.Form):
    name = NameField(
        label=_("Name"),
        max_length=rules.LONGEST_NAME,
        help_text=_("As its annotators will see it."),
    )
    seed = forms.CharField(
        label=_("Seed"),
        required=False,
        max_length=rules.LONGEST_SEED,
        help_text=_(
            "Every draw by lot comes from it: the same seed over the same data draws the same items "
            "in the same orders. Left empty, one is drawn."
        ),
    )


class CopyRound(forms.Form):
    name = NameField(label=_("Name"), max_length=rules.LONGEST_NAME)
    questions = forms.ChoiceField(
        label=_("Questions"),
        widget=forms.RadioSelect,
        initial=copying.Questions.SAME,
        choices=[
            (copying.Questions.SAME, _("the same, in their newest versions")),
            (copying.Questions.NEW, _("a new draw with the same settings")),
        ],
    )
    seed = forms.CharField(
        label=_("Seed"),
        required=False,
        max_length=rules.LONGEST_SEED,
        help_text=_("Every draw by lot comes from it. Left empty, one is drawn."),
    )


class DiscardRound(forms.Form):
    """Why a round is discarded; a draft that nobody has seen needs no reason."""

    reason = forms.CharField(
        label=_("Why"),
        max_length=rules.LONGEST_REASON,
        help_text=_("Its annotators read it. Name no system."),
    )

    def __init__(self, *args: Any, was_open: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not was_open:
            del self.fields["reason"]


class Releases(forms.Form):
    """Which releases are compared."""

    releases = forms.ModelMultipleChoiceField(
        label=_("Releases"),
        queryset=SystemRelease.objects.none(),
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": _("Choose between one and eight releases.")},
    )

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _model_field(self, "releases").queryset = reads.releases_of(project)


class Rubrics(forms.Form):
    """A rubric version for each capability, and one for all the rest."""

    def __init__(self, *args: Any, round_: Round, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        versions = list(reads.versions_of(round_.project))
        self._versions = {one.pk: one for one in versions}
        chosen = {row.capability_id: row.rubric_version_id for row in round_.rubrics.all()}
        wanted = round_.draw.get("capabilities") or []
        self._capabilities: dict[str, Capability] = {}
        for capability, n_items in reads.capabilities_with_items(round_.project):
            if wanted and capability.pk not in wanted:
                continue
            preset = None if chosen else _newest(versions, capability.rubric_id)
            self._capabilities[f"capability-{capability.pk}"] = capability
            self.fields[f"capability-{capability.pk}"] = self._field(
                f"{capability.name} ({n_items})",
                versions,
                chosen.get(capability.pk, preset),
                _("as all the rest"),
            )
        label, empty = _("All the rest"), _("none: the others need one each")
        if not self._capabilities:
            label, empty = _("All items"), _("Choose a rubric")
        self.fields["rest"] = self._field(label, versions, chosen.get(None), empty)

    def _field(
        self, label: Any, versions: list[RubricVersion], initial: int | None, empty: Any
    ) -> forms.Field:
        return forms.TypedChoiceField(
            label=label,
            required=False,
            coerce=int,
            empty_value=None,
            initial=initial,
            choices=[("", empty), *((one.pk, str(one)) for one in versions)],
        )

    def chosen(self) -> tuple[dict[Capability, RubricVersion], RubricVersion | None]:
        """Return what is chosen for each capability, and for the rest."""
        given = self.cleaned_data
        by_capability = {
            capability: self._versions[given[name]]
            for name, capability in self._capabilities.items()
            if given[name]
        }
        return by_capability, self._versions.get(given["rest"])


def _newest(versions: list[RubricVersion], rubric: int | None) -> int | None:
    return next((one.pk for one in versions if rubric and one.rubric_id == rubric), None)


class Annotators(forms.Form):
    """Who grades. `keep` are in the round already and cannot be taken out by this form."""

    annotators = forms.ModelMultipleChoiceField(
        label=_("Annotators"),
        queryset=User.objects.none(),
        to_field_name="public_id",
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )
    override = forms.CharField(
        label=_("Why somebody who can see identities may grade all the same"),
        required=False,
        max_length=rules.LONGEST_REASON,
        help_text=_("Only an owner may say so. The reason is kept with the round."),
    )

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.people = reads.people_of(project)
        pks = [one.user.pk for one in self.people]
        _model_field(self, "annotators").queryset = User.objects.filter(pk__in=pks).select_related(
            "person"
        )


class SettingsForm(forms.Form):
    name = NameField(label=_("Name"), max_length=rules.LONGEST_NAME)
    n_seats = forms.IntegerField(
        label=_("Annotators per question"),
        min_value=1,
        max_value=rules.MOST_SEATS,
        help_text=_("At least three, so that one opinion does not decide."),
    )
    seats_override = forms.CharField(
        label=_("Why fewer than three are enough"),
        required=False,
        max_length=rules.LONGEST_REASON,
        help_text=_("Only an owner may say so. The reason is kept with the round."),
    )
    lease_minutes = forms.IntegerField(
        label=_("Minutes a question is held"),
        min_value=rules.SHORTEST_LEASE,
        max_value=rules.LONGEST_LEASE,
        help_text=_(
            "After so long without a sign of work somebody else gets it. Work renews it, up to four times."
        ),
    )
    deadline = forms.DateTimeField(
        label=_("Closes"),
        required=False,
        widget=forms.DateTimeInput(format="%Y-%m-%dT%H:%M", attrs={"type": "datetime-local"}),
    )
    instructions = forms.CharField(
        label=_("Note to the annotators"), required=False, widget=forms.Textarea(attrs={"rows": 4})
    )
    uniform_rendering = forms.BooleanField(
        label=_("Flatten headings, bold and emoji"),
        required=False,
        help_text=_(
            "A system's habits of layout can give it away. Kept with the results as a condition."
        ),
    )

    asks_qualification = forms.BooleanField(
        label=_("Only for those who have qualified"),
        required=False,
        help_text=_(
            "Nobody is given a question of a capability before they have passed its trial. Questions "
            "without a capability are for everybody."
        ),
    )
    qualified_override = forms.CharField(
        label=_("Why it may open although too few have qualified"),
        required=False,
        max_length=rules.LONGEST_REASON,
        help_text=_("Only an owner may say so. The reason is kept with the round."),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["deadline"].help_text = _(
            "Time zone: %(zone)s. Afterwards nobody is given a question; what was begun can be finished."
        ) % {"zone": timezone.get_current_timezone_name()}

    def settings(self) -> drafting.Settings:
        return drafting.Settings(**self.cleaned_data)


def settings_of(round_: Round) -> dict[str, Any]:
    found = {name: getattr(round_, name) for name in SettingsForm.base_fields}
    return found | {"qualified_override": round_.qualified_override or ""}


class Pace(forms.Form):
    """How many minutes an item takes, for the forecast; in the URL."""

    minutes = forms.FloatField(
        label=_("Minutes per item"),
        min_value=0.1,
        max_value=600,
        required=False,
        widget=forms.NumberInput(attrs={"step": "0.5"}),
    )

    def given(self, otherwise: float) -> float:
        return (self.is_valid() and self.cleaned_data["minutes"]) or otherwise


class Reason(forms.Form):
    reason = forms.CharField(
        label=_("Why"),
        max_length=rules.LONGEST_REASON,
        help_text=_("Kept with the seat and in the audit."),
    )


class FlagAnswer(forms.Form):
    flag = forms.IntegerField(widget=forms.HiddenInput)
    text = forms.CharField(
        label=_("Answer"), max_length=1000, widget=forms.Textarea(attrs={"rows": 2})
    )


class Deadline(forms.Form):
    deadline = forms.DateTimeField(
        label=_("Closes"),
        required=False,
        widget=forms.DateTimeInput(format="%Y-%m-%dT%H:%M", attrs={"type": "datetime-local"}),
        help_text=_("In UTC. Left empty: no closing time."),
    )


class CloseReason(forms.Form):
    reason = forms.CharField(
        label=_("Why now"),
        required=False,
        max_length=rules.LONGEST_REASON,
        help_text=_("Kept in the audit."),
    )


def _model_field(form: forms.Form, name: str) -> "forms.ModelMultipleChoiceField[Any]":
    field = form.fields[name]
    assert isinstance(field, forms.ModelMultipleChoiceField)
    return field
