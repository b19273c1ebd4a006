"""Filters of lists, as they stand in the URL. What cannot be read is as if it were not there."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.models import Difficulty, ImportBatch, Project
from annotation.queries import events, items, taxonomy


class Filter(forms.Form):
    """A form whose bad values are left out instead of being refused."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs["auto_id"] = "filter_%s"
        super().__init__(*args, **kwargs)

    def given(self, name: str) -> Any:
        self.is_valid()
        return self.cleaned_data.get(name) or None

    @property
    def is_set(self) -> bool:
        return any(self.given(name) for name in self.fields)


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

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        tree = taxonomy.capability_names(project)
        self.fields["capability"].choices = [  # type: ignore[attr-defined]
            ("", _("Any capability")),
            *((one.node.pk, "\u2003" * one.depth + one.node.name) for one in tree),
        ]
        batches = ImportBatch.objects.filter(project=project, state=ImportBatch.State.APPLIED)
        self.fields["batch"].choices = [  # type: ignore[attr-defined]
            ("", _("Any import")),
            *(
                (number, f"{number} · {name}")
                for number, name in batches.values_list("number", "file_name")[:200]
            ),
        ]

    def filters(self) -> items.Filters:
        return items.Filters(
            capability=self.given("capability"),
            difficulty=self.given("difficulty") or "",
            text=self.given("text") or "",
            batch=self.given("batch"),
        )


class EventFilter(Filter):
    verb = forms.ChoiceField(label=_("What was done"), required=False)
    actor = forms.CharField(
        label=_("By whom"),
        required=False,
        max_length=150,
        widget=forms.TextInput(attrs={"type": "search", "placeholder": _("By whom")}),
    )

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["verb"].choices = [  # type: ignore[attr-defined]
            ("", _("Everything that was done")),
            *((verb, events.deed(verb)) for verb in events.verbs_of(project)),
        ]

    def filters(self) -> events.Filters:
        return events.Filters(verb=self.given("verb") or "", actor=self.given("actor") or "")
