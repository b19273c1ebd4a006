"""Forms of accuracy: what is asked of whom, and how options become a score."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.forms.lists import Filter
from annotation.models import Project
from scoring.forms.interviews import sources
from scoring.forms.runs import StartForm
from scoring.models import Run
from scoring.operations.quizzes import MOST_ORDERS, MOST_QUESTIONS, MOST_SHOTS, Wish
from scoring.queries import connections
from scoring.queries.quiz_options import AXES

SETTINGS = ("over", "releases", "seed", "questions", "orders", "shots", "examples_over", "language")


class QuizForm(StartForm):
    """Which systems choose among which options, in how many orders, after how many examples."""

    over = forms.ChoiceField(
        label=_("Questions"),
        help_text=_("Only those with options to choose from are asked."),
    )
    questions = forms.IntegerField(
        label=_("How many"),
        required=False,
        min_value=1,
        max_value=MOST_QUESTIONS,
        help_text=_(
            "Drawn by lot, the same for every system. Interviews with the same seed meet the same "
            "questions. Left empty, all are asked."
        ),
    )
    releases = forms.TypedMultipleChoiceField(
        label=_("Systems"),
        coerce=int,
        widget=forms.CheckboxSelectMultiple,
        help_text=_("Those that an endpoint answers as."),
    )
    orders = forms.IntegerField(
        label=_("Orders of the options"),
        min_value=1,
        max_value=MOST_ORDERS,
        initial=1,
        help_text=_("Each is a request of its own; the first is the question’s own order."),
    )
    shots = forms.IntegerField(
        label=_("Examples before each question"),
        min_value=0,
        max_value=MOST_SHOTS,
        initial=0,
        help_text=_("Of the question’s own subject, each with its right answer; 0 is zero-shot."),
    )
    examples_over = forms.ChoiceField(
        label=_("Where examples come from"),
        required=False,
        help_text=_("What serves as an example is never asked."),
    )
    language = forms.ChoiceField(
        label=_("Language of the prompts"),
        choices=[
            ("auto", _("that of the question")),
            ("en", _("English")),
            ("zh", _("Chinese")),
        ],
    )

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        ready = [one for one in connections.of_project(project) if one.is_ready]
        keys = [one.release.pk for one in ready]
        kwargs["initial"] = {"releases": keys} | (kwargs.get("initial") or {})
        super().__init__(*args, **kwargs)
        offered = sources(project)
        self._choose("over", offered)
        self._choose("examples_over", [("", _("the same questions")), *offered[1:]])
        self._choose("releases", [(one.release.pk, str(one.release)) for one in ready])
        self.can_start = bool(ready)

    def wish(self) -> Wish:
        return Wish(**{name: self.cleaned_data[name] for name in SETTINGS})

    def _choose(self, name: str, choices: list[Any]) -> None:
        self.fields[name].choices = choices  # type: ignore[attr-defined]


def initial_of(run: Run) -> dict[str, Any]:
    """Return what the form of a clone shows."""
    names = ("over", "orders", "shots", "examples_over", "language")
    return {
        **{name: run.config[name] for name in names},
        "questions": len(run.config["items"]),
        "releases": [one["release"] for one in run.config["releases"]],
    }


class RuleFilter(Filter):
    """How chosen options become accuracy."""

    rule = forms.ChoiceField(label=_("Orders"), required=False)
    unread = forms.ChoiceField(label=_("Replies without an option"), required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, choices in AXES.items():
            self.fields[name].choices = list(choices.items())  # type: ignore[attr-defined]
