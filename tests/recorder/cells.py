"""Which requests are recorded: every route that there is, for everybody, in every world."""

import html
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from django.urls import (
    Resolver404,
    URLPattern,
    URLResolver,
    get_resolver,
    resolve,
    reverse,
)

from annotation import models
from annotation.people.models import Role
from tests.e2e import addresses, worlds
from tests.e2e.worlds import NOBODY, ROLES

#: Of the links that pages hold, so many are followed of each route and world.
MOST_LINKS = 8
#: Everybody looks at the demo and the empty project; the crowd has a row for every route.
EVERYBODY = {worlds.DEMO, worlds.EMPTY}
#: Who sends an empty form.
SENDERS = {Role.OWNER, Role.ANNOTATOR}
LINK = re.compile(r'(?:href|src)="(/[^"#]*)"')


@dataclass(frozen=True)
class Cell:
    """One request: who asks what of which world."""

    world: str
    role: str
    method: str
    name: str
    path: str

    @property
    def key(self) -> str:
        return f"{self.world} {self.role} {self.method} {self.name} {self.path}"


@dataclass(frozen=True)
class Route:
    """A route as the URLconf has it."""

    name: str
    arguments: tuple[str, ...]
    module: str


def routes() -> dict[str, Route]:
    """Return every route by its name."""
    return {one.name: one for one in _routes(get_resolver().url_patterns) if one.name}


def _routes(
    entries: list[URLPattern | URLResolver], above: tuple[str, ...] = ()
) -> Iterator[Route]:
    for entry in entries:
        arguments = (*above, *entry.pattern.converters)
        if isinstance(entry, URLResolver):
            yield from _routes(entry.url_patterns, arguments)
            continue
        view: Any = entry.callback
        view = getattr(view, "cls", None) or getattr(view, "view_class", view)
        yield Route(entry.name or "", arguments, view.__module__)


def chosen(only: str) -> list[Route]:
    """Return the routes whose name or module holds a word."""
    return [one for one in routes().values() if only in f"{one.name} {one.module}"]


def cells(only: str = "") -> list[Cell]:
    """Return the requests, those of one route and world beside each other."""
    found: list[Cell] = []
    for slug in worlds.SLUGS:
        home = models.Project.objects.get(slug=slug)
        for route in sorted(chosen(only), key=lambda one: one.name):
            for role in ROLES if slug in EVERYBODY else (Role.OWNER,):
                found += _of_role(slug, role, route, home)
    return list(dict.fromkeys(found))


def _of_role(slug: str, role: str, route: Route, home: models.Project) -> Iterator[Cell]:
    paths = _paths(route, home, _user(slug, role))
    if slug not in EVERYBODY:
        paths = paths[:1]
    for path in paths:
        yield Cell(slug, role, "GET", route.name, path)
    if role in SENDERS and paths:
        yield Cell(slug, role, "POST", route.name, paths[0])
    if role == Role.OWNER and slug in EVERYBODY:
        for path in _of_every_run(route, home):
            yield Cell(slug, role, "GET", route.name, path)


def linked(page: str, at: Cell) -> list[Cell]:
    """Return what the links of a page lead to, by page and by API, with what they ask."""
    found = []
    for link in LINK.findall(page):
        address = html.unescape(link)
        both = (address, address.replace("/p/", "/api/v1/projects/", 1))
        for path in both if f"/{at.world}/" in address else ():
            with suppress(Resolver404):
                name = resolve(path.partition("?")[0]).url_name or ""
                found.append(Cell(at.world, at.role, "GET", name, path))
    return found


def _user(slug: str, role: str) -> models.User | None:
    name = user_name(slug, role)
    return models.User.objects.get(username=name) if name else None


def user_name(slug: str, role: str) -> str:
    """Return who has the role in a world; "" for nobody who is signed in."""
    if role == NOBODY:
        return ""
    return worlds.World(None, slug).user_name(role)  # type: ignore[arg-type]


def _paths(route: Route, home: models.Project, user: models.User | None) -> list[str]:
    # An API route is filled as the page of the same name is.
    name = route.name.removeprefix("api_")
    with suppress(addresses.NoRecipe):
        made = addresses.fillings(name, route.arguments, home, user)
        return sorted({reverse(route.name, kwargs=one) for one in made})
    return []


def _of_every_run(route: Route, home: models.Project) -> list[str]:
    if not route.name.startswith(("run", "api_run")) or set(route.arguments) != {
        "project",
        "number",
    }:
        return []
    numbers = home.runs.order_by("number").values_list("number", flat=True)
    return [reverse(route.name, args=[home.slug, number]) for number in numbers]
