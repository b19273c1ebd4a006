"""Every page of a project that can be looked at, found through the URLconf."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from django.db.models import Count
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from annotation import models

#: No pages: they lead elsewhere, or are parts of a page.
NO_PAGES = {"logout", "home", "round_standing", "round_draw_count"}
#: Routes whose number is not a round's.
NUMBERED = ("import", "batch", "rubric")


@dataclass(frozen=True)
class Address:
    name: str
    path: str


def _first(rows: Any, field: str = "pk") -> list[Any]:
    return list(rows.order_by("pk").values_list(field, flat=True)[:1])


Values = Callable[[models.Project], list[Any]]
#: By route, by the first word of its name, or by argument.
VALUES: dict[str, Values] = {
    "person": lambda home: _first(
        models.User.objects.filter(memberships__project=home), "public_id"
    ),
    "capability": lambda home: _first(models.Capability.objects.filter(project=home)),
    "domain": lambda home: _first(models.Domain.objects.filter(project=home)),
    "item": lambda home: _first(models.Item.objects.filter(project=home)),
    "system": lambda home: _first(models.System.objects.filter(project=home)),
    "release": lambda home: _first(models.SystemRelease.objects.filter(system__project=home)),
    "key": lambda home: _first(models.Rubric.objects.filter(project=home), "key"),
    "rubric_version": lambda home: [1],
    "batch": lambda home: _first(models.ImportBatch.objects.filter(project=home), "number"),
    "import": lambda home: _first(models.Upload.objects.filter(project=home), "number"),
    "inspection": lambda home: _first(
        models.QuestionVersion.objects.filter(question__project=home, state="SUBMITTED")
    ),
    "place": lambda home: [1],
    "why": lambda home: ["all_done", "waiting"],
    "seat": lambda home: _first(models.Assignment.objects.filter(round__project=home)),
}


def _rounds(project: models.Project) -> list[int]:
    """Return the number of one round in every state there is."""
    by_state = dict(project.rounds.order_by("-pk").values_list("state", "number"))
    return sorted(by_state.values())


def of(project: models.Project, user: models.User) -> list[Address]:
    """Return an address of every route for this person, with a round in every state there is.

    A route for which the project holds no row is left out.
    """
    found = []
    for name, names in _routes():
        for kwargs in _fillings(name, names, project, user):
            found.append(Address(name, reverse(name, kwargs=kwargs)))
    return found


def _routes() -> Iterator[tuple[str, tuple[str, ...]]]:
    for pattern in _patterns(get_resolver().url_patterns):
        if pattern.name and pattern.name not in NO_PAGES:
            yield pattern.name, tuple(pattern.pattern.converters)


def _patterns(entries: list[URLPattern | URLResolver]) -> Iterator[URLPattern]:
    for entry in entries:
        if isinstance(entry, URLPattern):
            yield entry
        elif not str(entry.pattern).startswith("api/"):
            yield from _patterns(entry.url_patterns)


def _fillings(
    name: str, names: tuple[str, ...], project: models.Project, user: models.User
) -> list[dict[str, Any]]:
    fillings: list[dict[str, Any]] = [{}]
    for each in names:
        values = _seats(project, user) if each == "token" else _values(name, each, project)
        fillings = [{**one, each: value} for one in fillings for value in values]
    return fillings


def _seats(project: models.Project, user: models.User) -> list[Any]:
    """Return a seat of this person for each state and number of criteria: their pages differ."""
    seats = models.Assignment.objects.filter(round__project=project, rater__user=user)
    shapes = seats.exclude(token=None).annotate(n=Count("round_item__rubric_version__criteria"))
    rows = shapes.order_by("pk").values_list("state", "round__state", "n", "token")
    return list({row[:3]: row[3] for row in rows}.values())


def _values(name: str, argument: str, project: models.Project) -> list[Any]:
    if argument == "project":
        return [project.slug]
    if argument == "number" and not name.startswith(NUMBERED):
        return _rounds(project)
    if name == "release_new":
        return VALUES["system"](project)
    for key in (name, argument, name.partition("_")[0]):
        if key in VALUES:
            return VALUES[key](project)
    raise LookupError(f"tests/e2e/addresses.py needs a value for {argument} of {name}.")
