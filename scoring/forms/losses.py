"""Forms of losses: which texts are asked about, and which share of tokens is looked at."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.forms.lists import Filter
from annotation.models import Project
from scoring.forms.interviews import sources
from scoring.forms.runs import StartForm
from scoring.models import Run
from scoring.operations.losses import MOST_TEXTS, Wish
from scoring.queries import connections
from scoring.queries.loss_results import SHARES

SETTINGS = ("train_over", "test_over", "releases", "seed", "texts")


class LossesForm(StartForm):
    """Which systems are asked about which texts."""

    train_over = forms.ChoiceField(
        label=_("Texts to compare with (train)"),
        help_text=_("Such as the train split of a question set: of the same kind, but no test."),
    )
    test_over = forms.ChoiceField(
        label=_("Texts of the test"),
        help_text=_("Such as the test split of the same set, which systems should not know."),
    )
    texts = forms.IntegerField(
        label=_("How many of each"),
        required=False,
        min_value=1,
        max_value=MOST_TEXTS,
        help_text=_("Drawn by lot. Left empty, as many as both have."),
    )
    releases = forms.TypedMultipleChoiceField(
        label=_("Systems"),
        coerce=int,
        widget=forms.CheckboxSelectMultiple,
        help_text=_("Their endpoints have to tell log-probabilities of a prompt (echo)."),
    )

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        ready = [one for one in connections.of_project(project) if one.is_ready]
        keys = [one.release.pk for one in ready]
        kwargs["initial"] = {"releases": keys} | (kwargs.get("initial") or {})
        super().__init__(*args, **kwargs)
        offered = sources(project)
        for name, choices in (
            ("train_over", offered),
            ("test_over", offered),
            ("releases", [(one.release.pk, str(one.release)) for one in ready]),
        ):
            self.fields[name].choices = choices  # type: ignore[attr-defined]
        self.can_start = bool(ready)

    def wish(self) -> Wish:
        return Wish(**{name: self.cleaned_data[name] for name in SETTINGS})


def initial_of(run: Run) -> dict[str, Any]:
    """Return what the form of a clone shows."""
    return {
        "train_over": run.config["train_over"],
        "test_over": run.config["test_over"],
        "texts": len(run.config["train"]),
        "releases": [one["release"] for one in run.config["releases"]],
    }


class ShareFilter(Filter):
    """How many of a text's tokens Min-K% looks at."""

    share = forms.ChoiceField(
        label=_("Least likely tokens"),
        required=False,
        choices=[(str(one), f"Min-{one}%") for one in SHARES],
    )
