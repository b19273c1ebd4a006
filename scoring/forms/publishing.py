"""Which outputs of a run people rate, how many, and by which rubric."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.models import Project, RubricVersion, SystemRelease
from annotation.operations.rounds import drafting
from annotation.queries import rounds
from scoring.operations.publishing import MOST, Wish


class PublishForm(forms.Form):
    key = forms.UUIDField(widget=forms.HiddenInput)
    name = forms.CharField(
        label=_("Name of the round"),
        max_length=200,
        help_text=_("Annotators read it, so it names no system."),
    )
    releases = forms.TypedMultipleChoiceField(
        label=_("Releases"), coerce=int, widget=forms.CheckboxSelectMultiple
    )
    n = forms.IntegerField(
        label=_("How many"),
        required=False,
        min_value=1,
        max_value=MOST,
        help_text=_(
            "Taken by lot. Each keeps the chance it was taken with, so that figures over all can be "
            "reckoned from those that people rated. Left empty: all."
        ),
    )
    rubric = forms.ModelChoiceField(
        label=_("Rubric"),
        queryset=RubricVersion.objects.none(),
        empty_label=_("Choose a rubric"),
    )
    n_seats = forms.IntegerField(
        label=_("Annotators per question"),
        min_value=1,
        max_value=20,
        initial=drafting.FEWEST_SEATS,
        help_text=_("At least three, so that one opinion does not decide."),
    )
    override = forms.CharField(
        label=_("Why fewer than three are enough"),
        required=False,
        max_length=300,
        help_text=_("Only an owner may say so. The reason is kept with the round."),
    )
    seed = forms.CharField(
        label=_("Seed"),
        max_length=64,
        help_text=_("What is taken, and the order in which it is shown, are drawn by lot from it."),
    )

    def __init__(
        self,
        *args: Any,
        project: Project,
        releases: Sequence[SystemRelease],
        key: UUID,
        seed: str,
        **kwargs: Any,
    ) -> None:
        kwargs["initial"] = {
            "key": key,
            "seed": seed,
            "releases": [one.pk for one in releases],
            **(kwargs.get("initial") or {}),
        }
        super().__init__(*args, **kwargs)
        self.fields["releases"].choices = [  # type: ignore[attr-defined]
            (one.pk, str(one)) for one in releases
        ]
        field = self.fields["rubric"]
        assert isinstance(field, forms.ModelChoiceField)
        field.queryset = rounds.versions_of(project)

    def wish(self, *, secret: bytes) -> Wish:
        given = self.cleaned_data
        return Wish(
            name=given["name"],
            rubric=given["rubric"],
            seed=given["seed"],
            secret=secret,
            n=given["n"],
            n_seats=given["n_seats"],
            override=given["override"],
        )
