"""Forms of interviews: who talks with whom about what, and which dialogues are looked at.

* The form by which others judge dialogues again.
* The form by which dialogues come in from a file.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.common.forms import Filter, NameInput, one_of, some_of
from annotation.people.models import Project
from annotation.rounds import queries as rounds
from scoring.endpoints import queries as connections
from scoring.engine.forms import ReleasesForm, StartForm, endpoints_of
from scoring.kinds.interviews import queries as interview_choice
from scoring.kinds.interviews.exchange import DialoguesWish
from scoring.kinds.interviews.files import MOST_BYTES, DialogueSource
from scoring.kinds.interviews.files import MOST_EXCHANGES as MOST_DIALOGUE_EXCHANGES
from scoring.kinds.interviews.operations import Interviews
from scoring.kinds.interviews.queries import BANK, IMPORT, ROUND, DialogueFilters
from scoring.kinds.interviews.rejudging import JudgeAgain
from scoring.kinds.interviews.results import REASONS

JUDGE, NEW = "judge:", "endpoint:"


class InterviewForm(
    ReleasesForm, record=Interviews, leave_out=("evaluator_endpoint", "evaluator", "releases")
):
    """Which systems are interviewed about which questions, by whom and how."""

    field_order = ("over", "questions", "releases", "interactor", "evaluator")
    over = one_of(Interviews, "over")
    releases = some_of(Interviews, "releases")
    interactor = one_of(Interviews, "interactor")
    evaluator = one_of(Interviews, "evaluator", required=True, coerce=str)

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        kwargs["initial"] = {"questions": 20} | (kwargs.get("initial") or {})
        super().__init__(*args, project=project, **kwargs)
        known, made = _evaluators(project)
        groups = [(_("Evaluators"), known), (_("A new one, by"), made)]
        self.offer(
            over=sources(project),
            interactor=endpoints_of(project),
            evaluator=[("", _("Choose who judges")), *(one for one in groups if one[1])],
        )

    def wish(self) -> Interviews:
        chosen = _chosen([self.cleaned_data.pop("evaluator")])
        rater, name = next(iter(chosen[0]), None), next(iter(chosen[1]), "")
        found: Interviews = super().wish()
        return replace(found, evaluator=rater, evaluator_endpoint=name)


def _evaluators(project: Project) -> tuple[list[tuple[str, Any]], list[tuple[str, Any]]]:
    """Return the evaluators there are, and the endpoints that new ones can be made of, as choices."""
    judges, endpoints = interview_choice.evaluators_of(project), connections.endpoints_of(project)
    return (
        [(f"{JUDGE}{one.rater_id}", one.name) for one in judges],
        [(f"{NEW}{one.name}", str(one)) for one in endpoints],
    )


def _chosen(texts: Sequence[str]) -> tuple[list[int], list[str]]:
    """Return the raters and the names of endpoints that were chosen."""
    judges = [int(one.removeprefix(JUDGE)) for one in texts if one.startswith(JUDGE)]
    return judges, [one.removeprefix(NEW) for one in texts if one.startswith(NEW)]


def sources(project: Project) -> list[Any]:
    """Return where questions can come from, as a choice in groups."""
    names = {BANK: _("Capabilities"), ROUND: _("Rounds"), IMPORT: _("Imports")}
    found = [
        (names[sort], choices) for sort, choices in interview_choice.sources(project) if choices
    ]
    return [("", _("Choose questions")), (BANK, _("All that can be drawn")), *found]


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

    def filters(self) -> DialogueFilters:
        return DialogueFilters(
            release=self.given("release"),
            reason=self.given("reason") or "",
            what=self.given("what") or "",
            text=self.given("text") or "",
            question=self.given("question") or "",
        )


class RejudgeForm(StartForm, record=JudgeAgain, leave_out=("evaluators", "endpoints")):
    """Who judges the dialogues of a run again."""

    field_order = ("evaluators", "reference_visible")
    evaluators = some_of(JudgeAgain, "evaluators", coerce=str)

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        known, made = _evaluators(project)
        new = [(key, _("new: %(name)s") % {"name": name}) for key, name in made]
        self.offer(evaluators=[*known, *new])
        self.can_start = bool(known or made)

    def wish(self) -> JudgeAgain:
        raters, names = _chosen(self.cleaned_data.pop("evaluators"))
        found: JudgeAgain = super().wish()
        return replace(found, evaluators=tuple(raters), endpoints=tuple(names))


class DialogueImportForm(forms.Form):
    """A file of dialogues; what follows the name is for files that do not say it themselves."""

    key = forms.UUIDField(widget=forms.HiddenInput)
    file = forms.FileField(
        label=_("File"),
        widget=forms.FileInput(attrs={"accept": ".json,.jsonl,.zip"}),
        help_text=_("Exported archive, dialogues.jsonl or interact_details.json."),
    )
    name = NameInput(
        label=_("Name"), max_length=120, help_text=_("As it stands in the list of runs.")
    )
    release = forms.ChoiceField(
        label=_("System"),
        required=False,
        help_text=_("Only for interact_details.json."),
    )
    new_system = NameInput(label=_("Or a new system, by this name"), required=False, max_length=200)
    evaluator = NameInput(
        label=_("Evaluator"),
        required=False,
        max_length=120,
        help_text=_("Who gave the verdicts."),
    )
    dataset = NameInput(label=_("Data set"), required=False, max_length=120)
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
        source = DialogueSource(
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
