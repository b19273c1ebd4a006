"""The form that puts a suite together without YAML."""

import json
from typing import Any

from django import forms
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _

from annotation.models import Project
from scoring.models import Endpoint
from scoring.protocols.suite import writing
from scoring.protocols.suite.catalogue import Level
from scoring.protocols.suite.completing import MOST_SAMPLES, MOST_TURNS
from scoring.protocols.suite.definition import Rubric
from scoring.protocols.suite.writing import Draft
from scoring.queries import suite_metrics, suites

WITHIN = " @ "


class SuiteBuilder(forms.Form):
    """Functions, one rubric, and who judges by it."""

    name = forms.CharField(label=_("Name"), max_length=120)
    functions = forms.MultipleChoiceField(
        label=_("Functions"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=_("Computed without asking anybody. Those that take arguments are for YAML."),
    )
    answers_only = forms.BooleanField(
        label=_("Only look at the assistant’s turns and messages"), required=False
    )
    rubric = forms.CharField(
        label=_("Rubric"),
        required=False,
        max_length=80,
        help_text=_("The name of what a language model judges; left empty, nobody is asked."),
    )
    prompt = forms.CharField(
        label=_("What the judge is asked"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 6}),
        help_text=_("With {content}, {context} or {conversation} where the text belongs."),
    )
    choices = forms.CharField(
        label=_("Choices"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text=_("One on each line, with what it is worth: YES = 1"),
    )
    graders = forms.MultipleChoiceField(
        label=_("Judges"), required=False, widget=forms.CheckboxSelectMultiple
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
        known = writing.choosable(suite_metrics.available())
        endpoints = Endpoint.objects.in_use().filter(project=project).order_by("name")
        names = list(dict.fromkeys(endpoints.values_list("name", flat=True)))
        self.fields["functions"].choices = [  # type: ignore[attr-defined]
            (_key(name, level), f"{name} · {level.value}") for name, level in known
        ]
        self.fields["graders"].choices = [(one, one) for one in names]  # type: ignore[attr-defined]

    def clean_choices(self) -> dict[str, float]:
        found: dict[str, float] = {}
        for line in str(self.cleaned_data["choices"]).splitlines():
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

    def draft(self) -> Draft:
        given = self.cleaned_data
        name = given["rubric"].strip()
        rubrics = {name: Rubric(given["prompt"], given["choices"])} if name else {}
        pairs = [one.split(WITHIN) for one in given["functions"]]
        return Draft(
            name=given["name"],
            functions=[(function, Level(level)) for function, level in pairs],
            rubrics=rubrics,
            graders=given["graders"],
            answers_only=given["answers_only"],
            completions=[_whom(one) for one in given["completions"]],
            samples=given["samples"] or 1,
            turns=given["turns"] or 1,
        )


def initial_of(draft: Draft) -> dict[str, Any]:
    """Return what the form shows of a draft that has at most one rubric."""
    name, rubric = next(iter(draft.rubrics.items()), ("", Rubric("", {})))
    return {
        "name": draft.name,
        "functions": [_key(*one) for one in draft.functions],
        "answers_only": draft.answers_only,
        "rubric": name,
        "prompt": rubric.prompt,
        "choices": "\n".join(f"{choice} = {worth:g}" for choice, worth in rubric.choices.items()),
        "graders": list(draft.graders),
        "completions": [json.dumps(one) for one in draft.completions],
        "samples": draft.samples,
        "turns": draft.turns,
    }


def offered(project: Project) -> list[tuple[str, str]]:
    """Return which systems can complete: releases by their connection, and endpoints without one."""
    return [(json.dumps(one), name) for *one, name in suites.completers(project)]


def _whom(key: str) -> tuple[str, str, str]:
    endpoint, system, release = json.loads(key)
    return endpoint, system, release


def _key(name: str, level: Level) -> str:
    return f"{name}{WITHIN}{level.value}"
