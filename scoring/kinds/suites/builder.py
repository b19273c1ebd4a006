"""The part of a suite's form that chooses functions: by what they measure, each with its levels and arguments.

* The form that puts a suite together without YAML.
* Put a suite together by a form; what comes of it is YAML like any other.
"""

import json
import re
import typing
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import uuid4

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.common import forms as refusals
from annotation.common.forms import NameInput
from annotation.people import permissions
from annotation.people.models import Project
from annotation.people.permissions import Scope, asks
from evalsite import errors
from scoring.endpoints.models import Endpoint
from scoring.engine import requests
from scoring.engine import starting as run_start
from scoring.kinds.suites import keeping
from scoring.kinds.suites import operations as suite_runs
from scoring.kinds.suites import queries as suite_catalogue
from scoring.kinds.suites.kind import NoConversations
from scoring.kinds.suites.models import ConversationSet, Suite, SuiteVersion
from scoring.kinds.suites.protocol import definition, writing
from scoring.kinds.suites.protocol.catalogue import FunctionMetric, Level
from scoring.kinds.suites.protocol.completing import MOST_SAMPLES, MOST_TURNS
from scoring.kinds.suites.protocol.definition import Rubric, SuiteGate
from scoring.kinds.suites.protocol.writing import SuiteDraft
from scoring.kinds.suites.queries import FunctionLine

WITHIN: Final = " @ "
ARGUMENT: Final = "arg"
LONGEST: Final = 500


@dataclass(frozen=True, slots=True)
class LevelBox:
    """A level at which a function can be chosen."""

    key: str
    level: str
    checked: bool

    @property
    def id(self) -> str:
        return f"function-{self.key.replace(WITHIN, '-')}"


#: What a rubric may judge.
LEVELS: Final = (
    (Level.TURN.value, gettext_lazy("each turn")),
    (Level.MESSAGE.value, gettext_lazy("each message")),
    (Level.TOOL_CALL.value, gettext_lazy("each tool call")),
    (Level.CONVERSATION.value, gettext_lazy("the whole conversation")),
)


@dataclass(frozen=True, slots=True)
class FunctionRow:
    """A function with what can be said of it."""

    line: FunctionLine
    boxes: Sequence[LevelBox]
    arguments: Sequence[forms.BoundField]

    @property
    def is_chosen(self) -> bool:
        return any(one.checked for one in self.boxes)


@dataclass(frozen=True, slots=True)
class FunctionGroup:
    title: str
    rows: Sequence[FunctionRow]


def key(name: str, level: Level) -> str:
    return f"{name}{WITHIN}{level.value}"


def choices() -> list[tuple[str, str]]:
    """Return every function at every level it works at."""
    return [
        (key(name, level), f"{name} · {level.value}")
        for name, one in sorted(keeping.available().items())
        for level in Level
        if level in one.levels
    ]


def fields() -> dict[str, forms.Field]:
    """Return a field for each argument of each function."""
    return {
        _field_name(name, given): forms.CharField(
            label=given,
            required=False,
            max_length=LONGEST,
            strip=False,
            initial="" if one.default is one.empty else str(one.default),
        )
        for name, metric in keeping.available().items()
        for given, one in metric.parameters.items()
    }


def initial_of(arguments: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Return what the fields show of arguments that a suite has."""
    return {
        _field_name(name, given): str(value)
        for name, some in arguments.items()
        for given, value in some.items()
    }


def arguments(
    cleaned: Mapping[str, Any], names: Sequence[str]
) -> tuple[dict[str, dict[str, Any]], dict[str, str]]:
    """Return the arguments of the functions that were chosen, and what is wrong with which field.

    What a function would take by itself is left out.
    """
    made: dict[str, dict[str, Any]] = {}
    problems: dict[str, str] = {}
    for name in dict.fromkeys(names):
        for given, one in keeping.available()[name].parameters.items():
            field = _field_name(name, given)
            said = str(cleaned.get(field) or "")
            if said == "" and one.default is one.empty:
                problems[field] = _("“%(metric)s” needs “%(argument)s”.") % {
                    "metric": name,
                    "argument": given,
                }
            elif said not in {"", str(one.default)}:
                try:
                    made.setdefault(name, {})[given] = _value(one.annotation, said)
                except ValueError:
                    problems[field] = _("“%(argument)s” of “%(metric)s” is a number.") % {
                        "metric": name,
                        "argument": given,
                    }
    return made, problems


def groups(form: forms.Form) -> list[FunctionGroup]:
    """Return the functions of a form as it stands: those that are chosen first, then by what they measure."""
    chosen = set(form["functions"].value() or ())
    found = [
        FunctionGroup(title, [_row(form, line, chosen) for line in lines])
        for title, lines in suite_catalogue.grouped()
    ]
    mine = [row for group in found for row in group.rows if row.is_chosen]
    rest = [
        FunctionGroup(one.title, [row for row in one.rows if not row.is_chosen]) for one in found
    ]
    first = [FunctionGroup(_("Chosen"), mine)] if mine else []
    return [*first, *(one for one in rest if one.rows)]


def _row(form: forms.Form, line: FunctionLine, chosen: set[str]) -> FunctionRow:
    metric: FunctionMetric = line.metric
    boxes = [
        LevelBox(key(metric.name, level), level.value, key(metric.name, level) in chosen)
        for level in Level
        if level in metric.levels
    ]
    names = [_field_name(metric.name, given) for given in metric.parameters]
    return FunctionRow(line, boxes, [form[name] for name in names])


def _value(annotation: Any, said: str) -> Any:
    wanted = set(typing.get_args(annotation)) or {annotation}
    if bool in wanted:
        return said.strip().lower() in {"true", "yes", "1"}
    if float in wanted:
        number = float(said)
        return int(number) if number.is_integer() else number
    return int(said) if int in wanted else said


def _field_name(metric: str, argument: str) -> str:
    return f"{ARGUMENT}__{metric}__{argument}"


#: Rubrics that the form has room for; the fields of the first have plain names.
ROOM: Final = ("", "_2", "_3", "_4")


class SuiteBuilder(forms.Form):
    """Functions with their arguments, rubrics, who judges by them, and gates."""

    name = NameInput(label=gettext_lazy("Name"), max_length=120)
    notes = forms.CharField(
        label=gettext_lazy("Purpose"),
        required=False,
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 2}),
    )
    functions = forms.MultipleChoiceField(
        label=gettext_lazy("Functions"), required=False, widget=forms.CheckboxSelectMultiple
    )
    answers_only = forms.BooleanField(
        label=gettext_lazy("Only the assistant’s turns and messages"), required=False
    )
    graders = forms.MultipleChoiceField(
        label=gettext_lazy("Judges"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=gettext_lazy("Several judge side by side."),
    )
    gates = forms.CharField(
        label=gettext_lazy("Gates"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 3, "spellcheck": "false", "class": "mono"}),
        help_text=gettext_lazy(
            "One per line: is_refusal mean of assistant <= 0.2 at 95 %. Also min, max, sd, "
            "p98; role and confidence may be left out."
        ),
    )
    tried = forms.ChoiceField(
        label=gettext_lazy("Try three conversations of"),
        required=False,
        help_text=gettext_lazy("Drawn by lot; saves the suite first."),
    )

    completions = forms.MultipleChoiceField(
        label=gettext_lazy("Completed by"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=gettext_lazy(
            "They answer each conversation’s last message; that is evaluated. None: as stored."
        ),
    )
    samples = forms.IntegerField(
        label=gettext_lazy("Answers of each system"),
        required=False,
        min_value=1,
        max_value=MOST_SAMPLES,
        initial=1,
        help_text=gettext_lazy("More show variation."),
    )
    turns = forms.IntegerField(
        label=gettext_lazy("Turns"),
        required=False,
        min_value=1,
        max_value=MOST_TURNS,
        initial=1,
        help_text=gettext_lazy(
            "Above one, from the user’s first message, with later ones as recorded."
        ),
    )

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["completions"].choices = offered(project)  # type: ignore[attr-defined]
        endpoints = Endpoint.objects.in_use().filter(project=project).order_by("name")
        names = list(dict.fromkeys(endpoints.values_list("name", flat=True)))
        self._sets = {str(one.set.number): one for one in keeping.sets_of(project) if one.n}
        self.fields["functions"].choices = choices()  # type: ignore[attr-defined]
        self.fields["graders"].choices = [(one, one) for one in names]  # type: ignore[attr-defined]
        self.fields["tried"].choices = [  # type: ignore[attr-defined]
            (number, f"{one.set.name} ({one.n})") for number, one in self._sets.items()
        ]
        self.fields |= fields()
        for room in ROOM:
            self.fields |= _rubric_fields(room)

    @property
    def groups(self) -> list[FunctionGroup]:
        return groups(self)

    @property
    def rubrics(self) -> list[list[forms.BoundField]]:
        """Return the fields of each rubric that is there, and of one more."""
        filled = [room for room in ROOM if self[f"rubric{room}"].value()]
        shown = ROOM[: min(len(filled) + 1, len(ROOM))]
        return [
            [self[f"{name}{room}"] for name in ("rubric", "level", "prompt", "choices")]
            for room in shown
        ]

    @property
    def completion_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in ("completions", "samples", "turns")]

    @property
    def can_try(self) -> bool:
        return bool(self._sets)

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        names = [one.split(WITHIN)[0] for one in given.get("functions", ())]
        given["arguments"], problems = arguments(given, names)
        for field, problem in problems.items():
            self.add_error(field, problem)
        try:
            given["gates"] = gates_in(str(given.get("gates", "")))
        except NoGate as why:
            self.add_error("gates", str(why))
        for room in ROOM:
            try:
                given[f"choices{room}"] = _choices(str(given.get(f"choices{room}", "")))
            except forms.ValidationError as why:
                self.add_error(f"choices{room}", why)
        return given

    def draft(self) -> SuiteDraft:
        given = self.cleaned_data
        pairs = [one.split(WITHIN) for one in given["functions"]]
        return SuiteDraft(
            name=given["name"],
            notes=given["notes"].strip(),
            functions=[(function, Level(level)) for function, level in pairs],
            arguments=given["arguments"],
            rubrics={
                name: Rubric(given[f"prompt{room}"], given[f"choices{room}"])
                for room in ROOM
                if (name := given[f"rubric{room}"].strip())
            },
            levels={
                given[f"rubric{room}"].strip(): Level(given[f"level{room}"] or Level.TURN)
                for room in ROOM
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


def builder_initial(draft: SuiteDraft) -> dict[str, Any]:
    """Return what the form shows of a draft that it has room for."""
    rubrics: dict[str, Any] = {}
    for room, (name, rubric) in zip(ROOM, draft.rubrics.items(), strict=False):
        lines = (f"{choice} = {worth:g}" for choice, worth in rubric.choices.items())
        rubrics |= {f"rubric{room}": name, f"prompt{room}": rubric.prompt}
        rubrics[f"level{room}"] = draft.levels.get(name, Level.TURN)
        rubrics[f"choices{room}"] = "\n".join(lines)
    return {
        "name": draft.name,
        "notes": draft.notes,
        "functions": [key(*one) for one in draft.functions],
        **initial_of(draft.arguments),
        "answers_only": draft.answers_only,
        **rubrics,
        "graders": list(draft.graders),
        "gates": as_lines(draft.gates),
        "completions": [json.dumps(one) for one in draft.completions],
        "samples": draft.samples,
        "turns": draft.turns,
    }


def _rubric_fields(room: str) -> dict[str, forms.Field]:
    return {
        f"rubric{room}": forms.CharField(
            label=gettext_lazy("Rubric"),
            required=False,
            max_length=80,
            help_text=gettext_lazy("Empty: functions only."),
        ),
        f"level{room}": forms.ChoiceField(
            label=gettext_lazy("What it judges"),
            required=False,
            initial=Level.TURN,
            choices=LEVELS,
        ),
        f"prompt{room}": forms.CharField(
            label=gettext_lazy("Question to the judge"),
            required=False,
            widget=forms.Textarea(attrs={"rows": 6}),
            help_text=gettext_lazy("With {content}, {context}, {conversation} or {tool_calls}."),
        ),
        f"choices{room}": forms.CharField(
            label=gettext_lazy("Choices"),
            required=False,
            widget=forms.Textarea(attrs={"rows": 3}),
            help_text=gettext_lazy("One per line: YES = 1"),
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
                _("“%(line)s” is no choice. Write it as YES = 1.") % {"line": line[:80]}
            ) from None
    return found


def offered(project: Project) -> list[tuple[str, str]]:
    """Return which systems can complete: releases by their connection, and endpoints without one."""
    return [(json.dumps(one), name) for *one, name in keeping.completers(project)]


def _whom(key: str) -> tuple[str, str, str]:
    endpoint, system, release = json.loads(key)
    return endpoint, system, release


@asks(permissions.CURATORS)
def suite_build(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Write a new suite by a form, or with ?suite= another version of one that the form can say."""
    suite = _suite(scope, request.GET.get("suite", ""))
    initial = _initial(suite) if suite is not None else {}
    if initial is None and suite is not None:
        messages.info(request, _("This suite says more than the form can. Change its YAML."))
        return redirect("suite_edit", scope.project.slug, suite.number)
    form = SuiteBuilder(run_start.sent(request), project=scope.project, initial=initial)
    if form.is_valid():
        try:
            made = _saved(scope, suite, writing.write(form.draft()))
        except errors.Refusal as refusal:
            form.add_error(None, refusal.message)
        else:
            if request.POST.get("deed") == "try":
                return _tried(request, scope, form, made)
            messages.success(request, _("Saved."))
            return redirect("suite", scope.project.slug, made.suite.number)
    context = {"form": form, "suite": suite}
    status = refusals.status_of(form)
    return render(request, "scoring/kinds/suites/build.html", context, status=status)


def _suite(scope: Scope, given: str) -> Suite | None:
    known = given.isascii() and given.isdigit() and len(given) < 10
    return keeping.find(scope.project, int(given)) if known else None


def _initial(suite: Suite) -> dict[str, Any] | None:
    """Return what the form shows of a suite, or None if the form cannot say all of it."""
    whole = definition.from_dict(keeping.newest(suite).definition)
    draft = writing.draft_of(whole)
    if len(draft.rubrics) > len(ROOM):
        return None
    try:
        again = keeping.read_suite(writing.write(draft))
    except errors.Refusal:
        return None
    if writing.plain(again) != writing.plain(whole):
        return None
    initial = builder_initial(draft)
    known = {key for key, _name in offered(suite.project)}
    return initial if known >= set(initial["completions"]) else None


def _tried(
    request: HttpRequest, scope: Scope, form: SuiteBuilder, made: SuiteVersion
) -> HttpResponse:
    """Have three conversations evaluated by the suite that was just saved, and go to what comes of it."""
    chosen = form.chosen_set()
    try:
        if chosen is None:
            raise NoConversations(
                _("Import conversations first; then the suite can be tried on three of them.")
            )
        wish = suite_runs.SuiteRun(
            key=uuid4(),
            name=_("%(name)s, tried") % {"name": made.suite.name[:100]},
            seed=made.number,
            sets=(chosen.name,),
            tries=True,
        )
        who: Any = {"user": scope.user, "now": timezone.now()}
        run = requests.started(suite_runs.START, suite_runs.Of(made), wish, **who)
    except errors.Refusal as refusal:
        messages.warning(request, _("Saved, not tried: %(why)s") % {"why": refusal.message})
        there = reverse("suite_build", args=[scope.project.slug])
        return redirect(f"{there}?suite={made.suite.number}")
    messages.success(request, _("Version %(n)d is being tried.") % {"n": made.number})
    return redirect("run_suite", scope.project.slug, run.number)


def _saved(scope: Scope, suite: Suite | None, text: str) -> SuiteVersion:
    now = timezone.now()
    if suite is None:
        return keeping.create(project=scope.project, text=text, by=scope.user, now=now)
    return keeping.change(suite=suite, text=text, by=scope.user, now=now)


_GATE: Final = re.compile(
    r"(?P<metric>\S.*?)\s+(?P<statistic>mean|min|max|sd|p\d+(?:\.\d+)?)(?:\s+of\s+(?P<role>\S+))?"
    r"\s*(?P<sign><=|>=|≤|≥)\s*(?P<bound>-?\d*\.?\d+)(?:\s+at\s+(?P<percent>\d+(?:\.\d+)?)\s*%?)?",
)


class NoGate(ValueError):
    """A line is no gate; the message shows one that is."""


def gates_in(text: str) -> list[SuiteGate]:
    """Return the gates of a text, one on each line.

    Raises:
        NoGate: a line is none.
    """
    return [_gate(line.strip()) for line in text.splitlines() if line.strip()]


def as_lines(gates: Iterable[SuiteGate]) -> str:
    return "\n".join(_line(one) for one in gates)


def _gate(line: str) -> SuiteGate:
    found = _GATE.fullmatch(line)
    if found is None:
        raise NoGate(
            _("“%(line)s” is no gate. Write it as: is_refusal mean of assistant <= 0.2 at 95 %%")
            % {"line": line[:80]}
        )
    bound = float(found["bound"])
    least = found["sign"] in {">=", "≥"}
    return SuiteGate(
        metric=found["metric"],
        statistic=found["statistic"],
        role=found["role"] or "",
        minimum=bound if least else None,
        maximum=None if least else bound,
        confidence=float(found["percent"]) / 100 if found["percent"] else None,
    )


def _line(one: SuiteGate) -> str:
    bounds = [(">=", one.minimum), ("<=", one.maximum)]
    role = f" of {one.role}" if one.role else ""
    sure = f" at {100 * one.confidence:g} %" if one.confidence is not None else ""
    return "\n".join(
        f"{one.metric} {one.statistic}{role} {sign} {bound:g}{sure}"
        for sign, bound in bounds
        if bound is not None
    )
