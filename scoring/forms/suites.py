"""Forms of suites: their text, a run over stored conversations, and what a run is compared with."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.forms.lists import Filter
from annotation.models import Project
from scoring.forms.runs import StartForm
from scoring.models import ConversationSet, Run
from scoring.queries import suites
from scoring.queries.suite_labels import Choice, Label


class SuiteForm(forms.Form):
    """A suite as YAML."""

    text = forms.CharField(
        label=_("Suite (YAML)"),
        widget=forms.Textarea(attrs={"rows": 24, "spellcheck": "false", "class": "mono"}),
        help_text=_(
            "Mistakes are listed line by line, and nothing is saved until they are mended."
        ),
        strip=False,
    )


class SuiteRunForm(StartForm):
    """Over which stored conversations a suite is run."""

    sets = forms.MultipleChoiceField(
        label=_("Conversations"),
        widget=forms.CheckboxSelectMultiple,
        help_text=_(
            "Those that are there when the run is asked for; later ones are not part of it."
        ),
    )

    tolerated = forms.FloatField(
        label=_("Share of judgments that may be missing"),
        min_value=0,
        max_value=1,
        required=False,
        initial=0,
        widget=forms.NumberInput(attrs={"step": "any"}),
        help_text=_("From 0 to 1. Where more are missing, no gate is kept."),
    )

    tries = forms.BooleanField(
        label=_("Only try it on three of them"),
        required=False,
        help_text=_(
            "Drawn by lot. Look at the reasons of the judges before you ask them thousands."
        ),
    )

    def __init__(self, *args: Any, project: Project, asks: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not asks:  # nobody is asked, so nothing costs anything
            del self.fields["budget"]
        self._sets = {str(one.set.number): one for one in suites.sets_of(project) if one.n}
        self.fields["sets"].choices = [  # type: ignore[attr-defined]
            (number, _("%(name)s (%(n)d)") % {"name": one.set.name, "n": one.n})
            for number, one in self._sets.items()
        ]

    @property
    def is_empty(self) -> bool:
        return not self._sets

    def chosen(self) -> list[ConversationSet]:
        return [self._sets[number].set for number in self.cleaned_data["sets"]]


class BaselineFilter(Filter):
    """The run that another one is compared with."""

    baseline = forms.ChoiceField(label=_("Compare with"), required=False)

    def __init__(self, *args: Any, runs: Sequence[Run], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["baseline"].choices = [  # type: ignore[attr-defined]
            ("", _("no other run")),
            *((str(one.number), f"{one.number} · {one.name}") for one in runs),
        ]


class LabelFilter(Filter):
    """A value of a metric, and the name of the labels it is held against; the first of each unless chosen."""

    metric = forms.ChoiceField(label=_("Metric"), required=False)
    label = forms.ChoiceField(label=_("Label by people"), required=False)

    def __init__(
        self, *args: Any, choices: Sequence[Choice], labels: Sequence[Label], **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self._first = (choices[0].key if choices else "", labels[0].name if labels else "")
        self.fields["metric"].choices = [(one.key, one.name) for one in choices]  # type: ignore[attr-defined]
        self.fields["label"].choices = [(one.name, one.shown) for one in labels]  # type: ignore[attr-defined]

    def chosen(self) -> tuple[str, str]:
        metric, label = self._first
        return self.given("metric") or metric, self.given("label") or label
