"""Forms of a round: what a curator chooses in a draft, and reasons for deeds on seats.

* Which items a round draws: the form of a draft's draw, with a number for each stratum.
"""

import secrets
from collections.abc import Sequence
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from annotation.common.draws import Preference
from annotation.common.forms import RecordForm, field_of
from annotation.domains.models import Capability
from annotation.people.models import Project, User
from annotation.rounds import beginning, drafting, rules
from annotation.rounds import queries as reads
from annotation.rounds import readiness as anchors
from annotation.rounds import records as said
from annotation.rounds.models import Round
from annotation.rounds.rules import Draw as Wishes
from annotation.rounds.rules import DrawHow, DrawWanted
from annotation.rubrics.models import RubricVersion
from annotation.systems.models import SystemRelease
from evalsite.records import part, parts


class NewRoundForm(RecordForm, record=said.BeginRound):
    """A round that is begun; what is left empty is chosen on its page later."""

    releases = forms.ModelMultipleChoiceField(
        label=_("Answers of"), queryset=SystemRelease.objects.none(), required=False
    )
    rubric = forms.ChoiceField(label=_("Rubric"), required=False)
    annotators = forms.ModelMultipleChoiceField(
        label=_("Annotators"),
        queryset=User.objects.none(),
        to_field_name="public_id",
        required=False,
    )

    def __init__(self, *args: Any, project: Project, usual: beginning.Usual, **kwargs: Any) -> None:
        super().__init__(*args, **{"initial": usual.initial(), **kwargs})
        self.usual = usual
        seats = self.fields["n_seats"]
        seats.required = False
        seats.help_text = _("At least three; fewer only with an owner’s reason.")
        _model_field(self, "releases").queryset = reads.releases_of(project)
        blind = [one.user.pk for one in usual.people if not one.sees_identities]
        people = User.objects.filter(pk__in=blind).select_related("person")
        _model_field(self, "annotators").queryset = people
        choices = [("", _("Choose a rubric")), *((one.key, one.title) for one in usual.rubrics)]
        self.fields["rubric"].choices = choices  # type: ignore[attr-defined]

        if not any(one.of_pairs for one in usual.rubrics):
            del self.fields["pairs"]

    def ticked(self, name: str) -> set[str]:
        return {str(one) for one in self[name].value() or []}

    def chosen(self) -> beginning.RubricChoice | None:
        key = self.cleaned_data.get("rubric", "")
        return next((one for one in self.usual.rubrics if one.key == key), None)

    def asked(self) -> beginning.RoundWish:
        given = self.cleaned_data
        return beginning.RoundWish(
            name=given["name"],
            seed=given["seed"] or secrets.token_hex(8),
            n_items=given["n_items"],
            pairs=given.get("pairs"),
            n_seats=given["n_seats"] or rules.FEWEST_SEATS,
            deadline=given["deadline"],
            releases=list(given["releases"]),
            rubrics=self.chosen(),
            annotators=list(given["annotators"]),
        )


class CopyRound(RecordForm, record=said.RoundCopyIn):
    questions = field_of(part(said.RoundCopyIn, "questions"), widget=forms.RadioSelect)


class DiscardRound(RecordForm, record=said.DiscardIn):
    """Why a round is discarded; a draft that nobody has seen needs no reason."""

    def __init__(self, *args: Any, was_open: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["reason"].required = was_open
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


class RubricsForm(forms.Form):
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
        label=_("Why somebody who sees identities may grade"),
        required=False,
        max_length=rules.LONGEST_REASON,
    )

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.people = reads.people_of(project)
        pks = [one.user.pk for one in self.people]
        _model_field(self, "annotators").queryset = User.objects.filter(pk__in=pks).select_related(
            "person"
        )


class SettingsForm(RecordForm, record=said.RoundSettings):
    """What can be set on a draft besides its parts."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["deadline"].help_text = _(
            "Time zone: %(zone)s. Begun questions can be finished."
        ) % {"zone": timezone.get_current_timezone_name()}

    def settings(self) -> drafting.RoundSettings:
        return drafting.RoundSettings(**self.cleaned_data)


def settings_of(round_: Round) -> dict[str, Any]:
    found = {name: getattr(round_, name) for name in SettingsForm.base_fields}
    return found | {"qualified_override": round_.qualified_override or ""}


class PaceForm(forms.Form):
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


class ReasonForm(RecordForm, record=said.ReasonIn):
    pass


class FlagAnswerForm(RecordForm, record=said.FlagAnswerIn):
    flag = forms.IntegerField(widget=forms.HiddenInput)


class Message(RecordForm, record=said.MessageIn):
    """What an annotator says about one of their rounds."""

    round = forms.TypedChoiceField(label=_("Round"), coerce=int)

    field_order = ("round", "text")

    def offer(self, rounds: Sequence[tuple[int, str]]) -> None:
        field = self.fields["round"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = rounds
        if len(rounds) == 1:
            field.widget, field.initial = forms.HiddenInput(), rounds[0][0]


class Deadline(RecordForm, record=said.DeadlineIn):
    pass


class CloseReason(RecordForm, record=said.ClosingIn):
    pass


def _model_field(form: forms.Form, name: str) -> "forms.ModelMultipleChoiceField[Any]":
    field = form.fields[name]
    assert isinstance(field, forms.ModelMultipleChoiceField)
    return field


QUOTA = "quota-"

HOW = (
    (DrawHow.LOT, _("One lot over everything")),
    (DrawHow.SHARES, _("A total, shared over strata")),
    (DrawHow.QUOTAS, _("A number for each stratum")),
)
STRATA = (
    ("capability", _("Capability")),
    ("difficulty", _("Difficulty")),
    ("domain", _("Subject area")),
)
PREFERENCE = (
    (Preference.EQUAL, _("The lot alone decides")),
    (Preference.SHORT, _("P0 first where a stratum falls short")),
    (Preference.FIRST, _("P0 always first")),
)


class DrawForm(RecordForm, record=DrawWanted, leave_out=("quotas",)):
    """Which items are drawn, in three parts: from what, how, and what goes beside it."""

    capabilities = forms.TypedMultipleChoiceField(
        label=_("Capabilities"),
        coerce=int,
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=_("None ticked: all."),
    )
    external_ids = forms.CharField(
        label=_("Only these items"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 3, "spellcheck": "false"}),
        help_text=_("External ids, one per line."),
    )
    how = forms.ChoiceField(
        label=_("Kind of draw"),
        choices=HOW,
        required=False,
        widget=forms.RadioSelect,
        initial=DrawHow.LOT,
    )
    strata = forms.MultipleChoiceField(
        label=_("Strata by"),
        choices=STRATA,
        required=False,
        widget=forms.CheckboxSelectMultiple,
        initial=rules.USUAL,
    )
    preference = forms.ChoiceField(
        label=_("Priority of subject areas"), choices=PREFERENCE, required=False
    )
    anchors_from = forms.TypedChoiceField(
        label=_("Anchors from"),
        required=False,
        coerce=int,
        empty_value=None,
        help_text=_("Unchanged items graded again: a tenth or thirty, at most half the round."),
    )

    def __init__(self, *args: Any, round_: Round, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._project: Project = round_.project
        self._published = Wishes.from_json(round_.draw).published
        if not round_.of_pairs:
            del self.fields["pairs"]
        self.initial["external_ids"] = "\n".join(self.initial.get("external_ids") or [])
        self._offer(
            "capabilities",
            [
                (one.pk, f"{one.name} ({n})")
                for one, n in reads.capabilities_with_items(self._project)
            ],
        )
        earlier = [
            (one.number, _("%(number)s: %(name)s") % {"number": one.number, "name": one.name})
            for one in anchors.earlier(round_)
        ]
        self._offer("anchors_from", [("", _("no earlier round")), *earlier])

    def _offer(self, name: str, choices: Sequence[tuple[Any, Any]]) -> None:
        self.fields[name].choices = choices  # type: ignore[attr-defined]

    def clean_external_ids(self) -> list[str]:
        """Return the ids that were named.

        Raises:
            ValidationError: the project has no item of one of them.
        """
        named = [line.strip() for line in self.cleaned_data["external_ids"].splitlines()]
        wanted = list(dict.fromkeys(one for one in named if one))
        if unknown := reads.unknown_items(self._project, wanted):
            raise ValidationError(
                _("The project has no item %(ids)s. Correct the id, or import the item first.")
                % {"ids": ", ".join(unknown[:10])}
            )
        return wanted

    def clean(self) -> dict[str, Any]:
        """Read the numbers of the strata, whose names only the page knows.

        Raises:
            ValidationError: one of them is no number from 0.
        """
        given: dict[str, Any] = super().clean() or self.cleaned_data
        quotas: dict[str, float] = {}
        for name in self.data:
            text = str(self.data[name]).strip().replace(",", ".")
            if not name.startswith(QUOTA) or not text:
                continue
            try:
                quotas[name.removeprefix(QUOTA)] = self._number(text, given.get("how"))
            except ValueError:
                raise ValidationError(
                    _("“%(text)s” is no number from 0. Correct it in the table of strata.")
                    % {"text": text[:40]}
                ) from None
        given["quotas"] = quotas
        return given

    @staticmethod
    def _number(text: str, how: str | None) -> float:
        value = float(text)
        if not 0 <= value <= rules.MOST_ITEMS or (how == DrawHow.QUOTAS and value != int(value)):
            raise ValueError
        return int(value) if value == int(value) else value

    def draw(self) -> Wishes:
        given = self.cleaned_data
        how = given["how"] or DrawHow.LOT
        return Wishes(
            **{
                **{name: value for name, value in given.items() if name in WISHES},
                "n_items": None if how == DrawHow.QUOTAS else given["n_items"],
                "how": how,
                "strata": given["strata"] or (rules.USUAL if how == DrawHow.LOT else ()),
                "quotas": {} if how == DrawHow.LOT else given["quotas"],
                "preference": given["preference"] or Preference.EQUAL,
            },
            published=self._published,
        )


WISHES = frozenset(one.name for one in parts(DrawWanted))
