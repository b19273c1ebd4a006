"""The part of a suite's form that chooses functions: by what they measure, each with its levels and arguments."""

import typing
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django import forms
from django.utils.translation import gettext as _

from scoring.protocols.suite.catalogue import Level, Metric
from scoring.queries import suite_catalogue, suite_metrics
from scoring.queries.suite_catalogue import Line

WITHIN: Final = " @ "
ARGUMENT: Final = "arg"
LONGEST: Final = 500


@dataclass(frozen=True, slots=True)
class Box:
    """A level at which a function can be chosen."""

    key: str
    level: str
    checked: bool

    @property
    def id(self) -> str:
        return f"function-{self.key.replace(WITHIN, '-')}"


@dataclass(frozen=True, slots=True)
class Row:
    """A function with what can be said of it."""

    line: Line
    boxes: Sequence[Box]
    arguments: Sequence[forms.BoundField]

    @property
    def is_chosen(self) -> bool:
        return any(one.checked for one in self.boxes)


@dataclass(frozen=True, slots=True)
class Group:
    title: str
    rows: Sequence[Row]


def key(name: str, level: Level) -> str:
    return f"{name}{WITHIN}{level.value}"


def choices() -> list[tuple[str, str]]:
    """Return every function at every level it works at."""
    return [
        (key(name, level), f"{name} · {level.value}")
        for name, one in sorted(suite_metrics.available().items())
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
        for name, metric in suite_metrics.available().items()
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
        for given, one in suite_metrics.available()[name].parameters.items():
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


def groups(form: forms.Form) -> list[Group]:
    """Return the functions of a form as it stands: those that are chosen first, then by what they measure."""
    chosen = set(form["functions"].value() or ())
    found = [
        Group(title, [_row(form, line, chosen) for line in lines])
        for title, lines in suite_catalogue.grouped()
    ]
    mine = [row for group in found for row in group.rows if row.is_chosen]
    rest = [Group(one.title, [row for row in one.rows if not row.is_chosen]) for one in found]
    first = [Group(_("Chosen"), mine)] if mine else []
    return [*first, *(one for one in rest if one.rows)]


def _row(form: forms.Form, line: Line, chosen: set[str]) -> Row:
    metric: Metric = line.metric
    boxes = [
        Box(key(metric.name, level), level.value, key(metric.name, level) in chosen)
        for level in Level
        if level in metric.levels
    ]
    names = [_field_name(metric.name, given) for given in metric.parameters]
    return Row(line, boxes, [form[name] for name in names])


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
