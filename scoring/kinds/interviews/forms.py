"""Forms of interviews: who talks with whom about what, and which dialogues are looked at.

* Forms of several evaluators: who judges dialogues again, and how a panel votes.
* The form by which dialogues come in from a file.
"""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.common.forms import Filter, NameField
from annotation.people.models import Project
from annotation.rounds import queries as rounds
from scoring.endpoints import queries as connections
from scoring.endpoints.models import Endpoint, Judge
from scoring.engine.forms import StartForm
from scoring.kinds.interviews import queries as interview_choice
from scoring.kinds.interviews.exchange import Wish as DialoguesWish
from scoring.kinds.interviews.files import MOST_BYTES, Source
from scoring.kinds.interviews.files import MOST_EXCHANGES as MOST_DIALOGUE_EXCHANGES
from scoring.kinds.interviews.operations import MOST_EXCHANGES, MOST_QUESTIONS, Wish
from scoring.kinds.interviews.queries import BANK, IMPORT, ROUND, Filters
from scoring.kinds.interviews.rejudging import Wish as InterviewEvaluatorsWish
from scoring.kinds.interviews.results import AXES, REASONS, VOTES

JUDGE, NEW = "judge:", "endpoint:"
SETTINGS = (
    "questions",
    "planned",
    "mark_but_continue",
    "prior",
    "decision",
    "verify",
    "temperature",
    "language",
)


class InterviewForm(StartForm):
    """Which systems are interviewed about which questions, by whom and how."""

    over = forms.ChoiceField(
        label=_("Questions"),
        help_text=_("Those without a standard answer are left out: nobody could be told right."),
    )
    questions = forms.IntegerField(
        label=_("How many"),
        min_value=1,
        max_value=MOST_QUESTIONS,
        initial=20,
        help_text=_("Drawn by lot, the same for every system."),
    )
    releases = forms.TypedMultipleChoiceField(
        label=_("Systems"),
        coerce=int,
        widget=forms.CheckboxSelectMultiple,
        help_text=_("Those that an endpoint answers as."),
    )
    interactor = forms.ModelChoiceField(
        label=_("Interviewer"),
        queryset=Endpoint.objects.none(),
        empty_label=_("Choose an endpoint"),
        help_text=_("Knows the standard answer and asks on; never sees a verdict."),
    )
    evaluator = forms.ChoiceField(
        label=_("Evaluator"),
        help_text=_("Gives a verdict after every exchange. Best a model that is not interviewed."),
    )
    reference_visible = forms.BooleanField(
        label=_("Show a new evaluator the standard answer"), required=False
    )
    planned = forms.IntegerField(
        label=_("Exchanges of a dialogue"), min_value=1, max_value=MOST_EXCHANGES, initial=5
    )
    mark_but_continue = forms.BooleanField(
        label=_("Go on after the evaluator asks to stop"),
        required=False,
        help_text=_("The stop is noted; scores with and without it come from the same dialogue."),
    )
    prior = forms.ChoiceField(
        label=_("What the interviewer is told of the first answer"),
        choices=[("neutral", _("nothing")), ("likely_wrong", _("that it is likely to be wrong"))],
    )
    decision = forms.ChoiceField(
        label=_("Whether a free first answer is right"),
        choices=[
            ("text", _("by equal text")),
            ("judge", _("the evaluator decides")),
            ("none", _("is not decided")),
        ],
        help_text=_("Questions of multiple choice go by the option chosen."),
    )
    verify = forms.BooleanField(
        label=_("Ask only what interviewer and evaluator get right themselves"),
        required=False,
        help_text=_("More questions are drawn until enough are verified."),
    )
    temperature = forms.FloatField(
        label=_("Temperature"),
        min_value=0,
        max_value=2,
        initial=0,
        widget=forms.NumberInput(attrs={"step": "any", "inputmode": "decimal"}),
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
        endpoints = connections.endpoints_of(project)
        self._judges = {one.pk: one for one in interview_choice.evaluators_of(project)}
        self._endpoints = {one.pk: one for one in endpoints}
        field = self.fields["interactor"]
        assert isinstance(field, forms.ModelChoiceField)
        field.queryset = endpoints
        self._choose("over", sources(project))
        self._choose("releases", [(one.release.pk, str(one.release)) for one in ready])
        self._choose("evaluator", self._evaluators())
        self.can_start = bool(ready)

    def wish(self) -> Wish:
        given = self.cleaned_data
        return Wish(
            over=given["over"],
            releases=given["releases"],
            interactor=given["interactor"],
            evaluator=self._chosen(given["evaluator"]),
            seed=given["seed"],
            reference_visible=given["reference_visible"],
            settings={name: given[name] for name in SETTINGS},
        )

    def _chosen(self, text: str) -> Judge | Endpoint:
        if text.startswith(JUDGE):
            return self._judges[int(text.removeprefix(JUDGE))]
        return self._endpoints[int(text.removeprefix(NEW))]

    def _evaluators(self) -> list[Any]:
        groups = [
            (_("Evaluators"), [(f"{JUDGE}{pk}", one.name) for pk, one in self._judges.items()]),
            (_("A new one, by"), [(f"{NEW}{pk}", str(one)) for pk, one in self._endpoints.items()]),
        ]
        return [("", _("Choose who judges")), *(one for one in groups if one[1])]

    def _choose(self, name: str, choices: list[Any]) -> None:
        self.fields[name].choices = choices  # type: ignore[attr-defined]


def sources(project: Project) -> list[Any]:
    """Return where questions can come from, as a choice in groups."""
    names = {BANK: _("Capabilities"), ROUND: _("Rounds"), IMPORT: _("Imports")}
    found = [
        (names[sort], choices) for sort, choices in interview_choice.sources(project) if choices
    ]
    return [("", _("Choose questions")), (BANK, _("All that can be drawn")), *found]


class ProfileFilter(Filter):
    """How verdicts become scores, and the aspect that is looked at."""

    aspect = forms.ChoiceField(label=_("Aspect"), required=False)
    scale = forms.ChoiceField(label=_("Map of a verdict"), required=False)
    decay = forms.ChoiceField(label=_("Weights"), required=False)
    after_stop = forms.ChoiceField(label=_("After an early stop"), required=False)
    unscored = forms.ChoiceField(label=_("Without a verdict"), required=False)
    stopping = forms.ChoiceField(label=_("Early stopping"), required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, choices in AXES.items():
            self.fields[name].choices = list(choices.items())  # type: ignore[attr-defined]


class DialogueFilter(Filter):
    """Which dialogues are looked at."""

    text = forms.CharField(
        label=_("Search what was said"),
        required=False,
        max_length=200,
        widget=forms.TextInput(attrs={"type": "search", "placeholder": _("Search what was said")}),
    )
    question = forms.CharField(
        label=_("Question"),
        required=False,
        max_length=200,
        widget=forms.TextInput(attrs={"type": "search", "placeholder": _("Name of the question")}),
    )
    release = forms.TypedChoiceField(label=_("System"), coerce=int, required=False)
    reason = forms.ChoiceField(
        label=_("Reason to stop"),
        required=False,
        choices=[("", _("Any reason to stop")), *REASONS.items()],
    )
    what = forms.ChoiceField(
        label=_("What happened"),
        required=False,
        choices=[
            ("", _("Whatever happened")),
            ("stopped", _("stopped early")),
            ("unscored", _("an exchange without a verdict")),
            ("flagged", _("flagged")),
            ("wrong", _("first answer wrong")),
            ("failed", _("the system failed")),
        ],
    )

    def __init__(self, *args: Any, releases: Sequence[tuple[int, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["release"].choices = [  # type: ignore[attr-defined]
            ("", _("Every system")),
            *releases,
        ]

    def filters(self) -> Filters:
        return Filters(
            release=self.given("release"),
            reason=self.given("reason") or "",
            what=self.given("what") or "",
            text=self.given("text") or "",
            question=self.given("question") or "",
        )


class RejudgeForm(StartForm):
    """Who judges the dialogues of a run again."""

    evaluators = forms.MultipleChoiceField(
        label=_("Evaluators"),
        widget=forms.CheckboxSelectMultiple,
        help_text=_(
            "Each reads every dialogue from its beginning and sees no verdict but its own. An "
            "endpoint makes a new one."
        ),
    )
    reference_visible = forms.BooleanField(
        label=_("Show a new evaluator the standard answer"), required=False
    )

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._judges = {one.pk: one for one in interview_choice.evaluators_of(project)}
        self._endpoints = {one.pk: one for one in connections.endpoints_of(project)}
        known = [(f"{JUDGE}{pk}", one.name) for pk, one in self._judges.items()]
        made = [
            (f"{NEW}{pk}", _("new: %(name)s") % {"name": one})
            for pk, one in self._endpoints.items()
        ]
        field = self.fields["evaluators"]
        assert isinstance(field, forms.MultipleChoiceField)
        field.choices = [*known, *made]
        self.can_start = bool(known or made)

    def wish(self) -> InterviewEvaluatorsWish:
        given = self.cleaned_data
        return InterviewEvaluatorsWish(
            chosen=[self._chosen(one) for one in given["evaluators"]],
            seed=given["seed"],
            reference_visible=given["reference_visible"],
        )

    def _chosen(self, text: str) -> Judge | Endpoint:
        if text.startswith(JUDGE):
            return self._judges[int(text.removeprefix(JUDGE))]
        return self._endpoints[int(text.removeprefix(NEW))]


class PanelFilter(ProfileFilter):
    """A profile, an aspect, and how the panel votes."""

    vote = forms.ChoiceField(
        label=_("Vote of the panel"), required=False, choices=list(VOTES.items())
    )


class DialogueImportForm(forms.Form):
    """A file of dialogues; what follows the name is for files that do not say it themselves."""

    key = forms.UUIDField(widget=forms.HiddenInput)
    file = forms.FileField(
        label=_("File"),
        widget=forms.FileInput(attrs={"accept": ".json,.jsonl,.zip"}),
        help_text=_("An archive exported here, its dialogues.jsonl, or interact_details.json."),
    )
    name = NameField(
        label=_("Name"), max_length=120, help_text=_("As it stands in the list of runs.")
    )
    release = forms.ChoiceField(
        label=_("System"),
        required=False,
        help_text=_("Whose dialogues interact_details.json holds. Archives say it themselves."),
    )
    new_system = NameField(label=_("Or a new system, by this name"), required=False, max_length=200)
    evaluator = NameField(
        label=_("Evaluator"),
        required=False,
        max_length=120,
        help_text=_("Who gave the verdicts; a rater of this name is made if there is none."),
    )
    dataset = NameField(label=_("Data set"), required=False, max_length=120)
    planned = forms.IntegerField(
        label=_("Exchanges that were planned"),
        required=False,
        min_value=1,
        max_value=MOST_DIALOGUE_EXCHANGES,
        initial=5,
    )

    def __init__(self, *args: Any, project: Project, key: UUID, **kwargs: Any) -> None:
        kwargs["initial"] = {"key": key, **(kwargs.get("initial") or {})}
        super().__init__(*args, **kwargs)
        self._releases = {str(one.pk): one for one in rounds.releases_of(project)}
        self.fields["release"].choices = [  # type: ignore[attr-defined]
            ("", _("As the file says")),
            *((key, str(one)) for key, one in self._releases.items()),
        ]

    def clean_file(self) -> Any:
        file = self.cleaned_data["file"]
        if file.size > MOST_BYTES:
            raise forms.ValidationError(_("The file is larger than 64 MB. Split it."))
        return file

    def wish(self) -> DialoguesWish:
        given = self.cleaned_data
        release = self._releases.get(given["release"])
        system = release.system.name if release else given["new_system"].strip()
        source = Source(
            system=system,
            release=release.label if release else "1",
            dataset=given["dataset"],
            planned=given["planned"] or 5,
        )
        return DialoguesWish(
            name=given["name"],
            file_name=given["file"].name,
            source=source,
            evaluator=given["evaluator"] or str(_("Evaluator of %(name)s") % given),
        )
