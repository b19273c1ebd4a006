"""Filters of lists, as they stand in the URL. What cannot be read is as if it were not there."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.common.forms import Filter
from annotation.domains.models import Difficulty
from annotation.domains.queries import capability_options
from annotation.files.models import ImportBatch
from annotation.people.models import Project
from annotation.systems import queries as items


class ItemFilter(Filter):
    text = forms.CharField(
        label=_("Search"),
        required=False,
        max_length=200,
        widget=forms.TextInput(attrs={"type": "search", "placeholder": _("Search questions")}),
    )
    capability = forms.TypedChoiceField(label=_("Capability"), coerce=int, required=False)
    difficulty = forms.ChoiceField(
        label=_("Difficulty"),
        required=False,
        choices=[("", _("Any difficulty")), *Difficulty.choices],
    )
    batch = forms.TypedChoiceField(label=_("Import"), coerce=int, required=False)

    origin = forms.ChoiceField(
        label=_("Origin"),
        required=False,
        choices=[
            ("", _("Any origin")),
            (items.Origin.BANK, _("Bank")),
            (items.Origin.IMPORT, _("Imported")),
        ],
    )

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["capability"].choices = [  # type: ignore[attr-defined]
            ("", _("Any capability")),
            *capability_options(project),
        ]
        batches = ImportBatch.objects.filter(project=project, state=ImportBatch.State.APPLIED)
        self.fields["batch"].choices = [  # type: ignore[attr-defined]
            ("", _("Any import")),
            *(
                (number, f"{number} · {name}")
                for number, name in batches.values_list("number", "file_name")[:200]
            ),
        ]

    def filters(self) -> items.SystemFilters:
        return items.SystemFilters(
            capability=self.given("capability"),
            difficulty=self.given("difficulty") or "",
            text=self.given("text") or "",
            batch=self.given("batch"),
            origin=self.given("origin") or "",
        )
