"""Which outputs of a run people rate, how many, and by which rubric."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.forms.names import NameField
from annotation.models import Project, RubricVersion, SystemRelease
from annotation.queries import rounds
from annotation.rules import rounds as rules
from scoring.operations.publishing import MOST, Wish
from scoring.queries.outputs import Sort


class PublishForm(forms.Form):
    key = forms.UUIDField(widget=forms.HiddenInput)
    name = NameField(
        label=_("Name of the round"),
        max_length=200,
        help_text=_("Annotators read it, so it names no system."),
    )
    sort = forms.ChoiceField(
        label=_("What is rated"),
        help_text=_(
            "Of an exchange or a turn, people see all that went before it and rate the answer; of a "
            "whole dialogue or conversation, they rate all of it."
        ),
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
    rubric = forms.ChoiceField(label=_("Rubric"))
    n_seats = forms.IntegerField(
        label=_("Annotators per question"),
        min_value=1,
        max_value=rules.MOST_SEATS,
        initial=rules.FEWEST_SEATS,
        help_text=_("At least three, so that one opinion does not decide."),
    )
    override = forms.CharField(
        label=_("Why fewer than three are enough"),
        required=False,
        max_length=rules.LONGEST_REASON,
        help_text=_("Only an owner may say so. The reason is kept with the round."),
    )
    seed = forms.CharField(
        label=_("Seed"),
        max_length=rules.LONGEST_SEED,
        help_text=_("What is taken, and the order in which it is shown, are drawn by lot from it."),
    )

    def __init__(
        self,
        *args: Any,
        project: Project,
        releases: Sequence[SystemRelease],
        sorts: Sequence[Sort] = (),
        offered: Mapping[str, Any] | None = None,
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
        self._versions = {str(one.pk): one for one in rounds.versions_of(project)}
        self.fields["rubric"].choices = _rubrics(self._versions, offered or {})  # type: ignore[attr-defined]
        if len(sorts) < 2:
            del self.fields["sort"]
        else:
            self.fields["sort"].choices = [  # type: ignore[attr-defined]
                (one.key, f"{one.label} ({one.n})") for one in sorts
            ]

    def wish(self, *, secret: bytes) -> Wish:
        given = self.cleaned_data
        return Wish(
            name=given["name"],
            rubric=self._versions.get(given["rubric"]) or given["rubric"],
            seed=given["seed"],
            secret=secret,
            n=given["n"],
            n_seats=given["n_seats"],
            override=given["override"],
        )


def _rubrics(versions: Mapping[str, RubricVersion], offered: Mapping[str, Any]) -> list[Any]:
    """Return the project's rubrics, and those that come with the run."""
    own = [(key, str(one)) for key, one in versions.items()]
    choices: list[Any] = [("", _("Choose a rubric"))]
    if not offered:
        return [*choices, *own]
    there = [(_("Of this project"), own)] if own else []
    return [*choices, (_("Of the method or the suite"), list(offered.items())), *there]
