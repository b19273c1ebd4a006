"""The form that puts a suite together without YAML."""

import json
from typing import Any, Final

from django import forms
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _

from annotation.forms.names import NameField
from annotation.models import Project
from scoring.forms import suite_functions, suite_gates
from scoring.models import ConversationSet, Endpoint
from scoring.protocols.suite.catalogue import Level
from scoring.protocols.suite.completing import MOST_SAMPLES, MOST_TURNS
from scoring.protocols.suite.definition import Rubric
from scoring.protocols.suite.writing import Draft
from scoring.queries import suites

#: Rubrics that the form has room for; the fields of the first have plain names.
ROOM: Final = ("", "_2", "_3", "_4")


class SuiteBuilder(forms.Form):
    """Functions with their arguments, rubrics, who judges by them, and gates."""

    name = NameField(label=_("Name"), max_length=120)
    notes = forms.CharField(
        label=_("What it is for"),
        required=False,
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 2}),
    )
    functions = forms.MultipleChoiceField(
        label=_("Functions"), required=False, widget=forms.CheckboxSelectMultiple
    )
    answers_only = forms.BooleanField(
        label=_("Only look at the assistant’s turns and messages"), required=False
    )
    graders = forms.MultipleChoiceField(
        label=_("Judges"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=_("Endpoints of this project; several judge side by side."),
    )
    gates = forms.CharField(
        label=_("Gates"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 3, "spellcheck": "false", "class": "mono"}),
        help_text=_(
            "One on each line, such as: is_refusal mean of assistant <= 0.2 at 95 %. The statistic is mean, min, "
            "max, sd or a percentile such as p98; the role and the confidence may be left out."
        ),
    )
    tried = forms.ChoiceField(
        label=_("Try it on three conversations of"),
        required=False,
        help_text=_(
            "Drawn by lot. The suite is saved first, and what judges say of each turn is shown."
        ),
    )

    completions = forms.MultipleChoiceField(
        label=_("Completed by"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=_(
            "These systems first answer the last message of the user in each conversation, and what they "
            "say is evaluated. Without any, the conversations are evaluated as they are stored."
        ),
    )
    samples = forms.IntegerField(
        label=_("Answers of each system"),
        required=False,
        min_value=1,
        max_value=MOST_SAMPLES,
        initial=1,
        help_text=_("More than one show how much a system varies."),
    )
    turns = forms.IntegerField(
        label=_("Turns"),
        required=False,
        min_value=1,
        max_value=MOST_TURNS,
        initial=1,
        help_text=_(
            "With more than one, systems begin at the user’s first message, and the user’s later messages are "
            "said as they were recorded."
        ),
    )

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["completions"].choices = offered(project)  # type: ignore[attr-defined]
        endpoints = Endpoint.objects.in_use().filter(project=project).order_by("name")
        names = list(dict.fromkeys(endpoints.values_list("name", flat=True)))
        self._sets = {str(one.set.number): one for one in suites.sets_of(project) if one.n}
        self.fields["functions"].choices = suite_functions.choices()  # type: ignore[attr-defined]
        self.fields["graders"].choices = [(one, one) for one in names]  # type: ignore[attr-defined]
        self.fields["tried"].choices = [  # type: ignore[attr-defined]
            (number, f"{one.set.name} ({one.n})") for number, one in self._sets.items()
        ]
        self.fields |= suite_functions.fields()
        for room in ROOM:
            self.fields |= _rubric_fields(room)

    @property
    def groups(self) -> list[suite_functions.Group]:
        return suite_functions.groups(self)

    @property
    def rubrics(self) -> list[list[forms.BoundField]]:
        """Return the fields of each rubric that is there, and of one more."""
        filled = [room for room in ROOM if self[f"rubric{room}"].value()]
        shown = ROOM[: min(len(filled) + 1, len(ROOM))]
        return [
            [self[f"{name}{room}"] for name in ("rubric", "prompt", "choices")] for room in shown
        ]

    @property
    def completion_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in ("completions", "samples", "turns")]

    @property
    def can_try(self) -> bool:
        return bool(self._sets)

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        names = [one.split(suite_functions.WITHIN)[0] for one in given.get("functions", ())]
        given["arguments"], problems = suite_functions.arguments(given, names)
        for field, problem in problems.items():
            self.add_error(field, problem)
        try:
            given["gates"] = suite_gates.read(str(given.get("gates", "")))
        except suite_gates.Unreadable as why:
            self.add_error("gates", str(why))
        for room in ROOM:
            try:
                given[f"choices{room}"] = _choices(str(given.get(f"choices{room}", "")))
            except forms.ValidationError as why:
                self.add_error(f"choices{room}", why)
        return given

    def draft(self) -> Draft:
        given = self.cleaned_data
        pairs = [one.split(suite_functions.WITHIN) for one in given["functions"]]
        return Draft(
            name=given["name"],
            notes=given["notes"].strip(),
            functions=[(function, Level(level)) for function, level in pairs],
            arguments=given["arguments"],
            rubrics={
                name: Rubric(given[f"prompt{room}"], given[f"choices{room}"])
                for room in ROOM
                if (name := given[f"rubric{room}"].strip())
            },
            graders=given["graders"],
            answers_only=given["answers_only"],
            completions=[_whom(one) for one in given["completions"]],
            samples=given["samples"] or 1,
            turns=given["turns"] or 1,
            gates=given["gates"],
        )

    def chosen_set(self) -> ConversationSet | None:
        """Return the conversations to try the suite on."""
        found = self._sets.get(self.cleaned_data["tried"])
        return found.set if found is not None else None


def initial_of(draft: Draft) -> dict[str, Any]:
    """Return what the form shows of a draft that it has room for."""
    rubrics: dict[str, Any] = {}
    for room, (name, rubric) in zip(ROOM, draft.rubrics.items(), strict=False):
        lines = (f"{choice} = {worth:g}" for choice, worth in rubric.choices.items())
        rubrics |= {f"rubric{room}": name, f"prompt{room}": rubric.prompt}
        rubrics[f"choices{room}"] = "\n".join(lines)
    return {
        "name": draft.name,
        "notes": draft.notes,
        "functions": [suite_functions.key(*one) for one in draft.functions],
        **suite_functions.initial_of(draft.arguments),
        "answers_only": draft.answers_only,
        **rubrics,
        "graders": list(draft.graders),
        "gates": suite_gates.write(draft.gates),
        "completions": [json.dumps(one) for one in draft.completions],
        "samples": draft.samples,
        "turns": draft.turns,
    }


def _rubric_fields(room: str) -> dict[str, forms.Field]:
    return {
        f"rubric{room}": forms.CharField(
            label=_("Name of the rubric"),
            required=False,
            max_length=80,
            help_text=_("Left empty, no language model is asked by it."),
        ),
        f"prompt{room}": forms.CharField(
            label=_("What the judge is asked"),
            required=False,
            widget=forms.Textarea(attrs={"rows": 6}),
            help_text=_(
                "With {content}, {context}, {conversation} or {tool_calls} where the text belongs. Reasons are "
                "asked for by themselves."
            ),
        ),
        f"choices{room}": forms.CharField(
            label=_("Choices"),
            required=False,
            widget=forms.Textarea(attrs={"rows": 3}),
            help_text=_("One on each line, with what it is worth: YES = 1"),
        ),
    }


def _choices(text: str) -> dict[str, float]:
    found: dict[str, float] = {}
    for line in text.splitlines():
        if not line.strip():
            continue
        choice, _sign, worth = line.rpartition("=")
        try:
            found[choice.strip()] = float(worth)
        except ValueError:
            raise forms.ValidationError(
                _now("“%(line)s” is no choice. Write it as YES = 1.") % {"line": line[:80]}
            ) from None
    return found


def offered(project: Project) -> list[tuple[str, str]]:
    """Return which systems can complete: releases by their connection, and endpoints without one."""
    return [(json.dumps(one), name) for *one, name in suites.completers(project)]


def _whom(key: str) -> tuple[str, str, str]:
    endpoint, system, release = json.loads(key)
    return endpoint, system, release
