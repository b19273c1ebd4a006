"""Who may pass which door: membership decides, and what one may not know of is a 404."""

import functools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Concatenate, ParamSpec, TypedDict, TypeVar

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.people.models import Membership, Project, Role, User
from annotation.search.models import SearchText
from evalsite.db import prepared
from evalsite.web import languages

P = ParamSpec("P")
R = TypeVar("R")

EVERYBODY = frozenset(Role)
#: Who may see which system gave which answer.
UNBLINDED = frozenset({Role.OWNER, Role.CURATOR, Role.ANALYST})
CURATORS = frozenset({Role.OWNER, Role.CURATOR})
DESIGNERS = frozenset({Role.OWNER, Role.CURATOR, Role.DESIGNER})
INSPECTORS = frozenset({Role.OWNER, Role.CURATOR, Role.INSPECTOR})
BANK = frozenset({Role.OWNER, Role.CURATOR, Role.DESIGNER, Role.INSPECTOR})
#: Who may read questions and rubrics: everybody but those who only grade.
READERS = BANK | UNBLINDED
OWNERS = frozenset({Role.OWNER})
ANNOTATORS = frozenset({Role.ANNOTATOR})

#: Who may find what by its words: the same as at its own page.
FINDERS: Mapping[SearchText.Kind, frozenset[Role]] = {
    SearchText.Kind.QUESTION: READERS,
    SearchText.Kind.ITEM: READERS,
    SearchText.Kind.SOURCE: READERS,
    SearchText.Kind.RESPONSE: UNBLINDED,
}


class Who(TypedDict):
    """Who does something, and when, as an operation takes it."""

    by: User
    now: datetime


class Deed(Who):
    """The same of what is done in a project."""

    project: Project


@dataclass(frozen=True)
class Scope:
    """A person inside a project: what every door of a project hands down."""

    project: Project
    user: User
    roles: frozenset[Role]

    def may(self, roles: Iterable[Role]) -> bool:
        return not self.roles.isdisjoint(roles)

    def who(self) -> Who:
        """Return who does something now."""
        return {"by": self.user, "now": timezone.now()}

    def deed(self) -> Deed:
        """Return who does something in the project now."""
        return {"project": self.project, **self.who()}


_MEMBERSHIPS = prepared.PreparedQuery(
    lambda slug, user: (
        Membership.objects.active()
        .filter(project__slug=slug, user_id=user)
        .select_related("project")
    ),
    slug=str,
    user=int,
)


def scope_of(user: User, slug: str) -> Scope:
    """Return the person's scope in the project.

    Raises:
        Http404: there is no such project, or the person does not belong to it.
    """
    rows = _MEMBERSHIPS.all(slug=slug, user=user.pk)
    if not rows or user.confined_to not in {None, rows[0].project_id}:
        raise Http404(_("There is no such project, or you do not belong to it."))
    return Scope(rows[0].project, user, frozenset(Role(row.role) for row in rows))


def enter(request: HttpRequest, slug: str, see: Iterable[Role], do: Iterable[Role]) -> Scope:
    """Return the scope of the person who asks, if this door is theirs.

    Raises:
        Http404: the page is none of theirs.
        PermissionDenied: they may look, but not do this.
    """
    if not isinstance(request.user, User):
        raise Http404
    scope = scope_of(request.user, slug)
    if not scope.may(see):
        raise Http404(_("There is nothing here that you may see."))
    if request.method not in {"GET", "HEAD", "OPTIONS"} and not scope.may(do):
        raise PermissionDenied(_("Your role in this project does not allow this."))
    request.entered = scope  # type: ignore[attr-defined]
    if scope.project.language:
        languages.settle(request, scope.project.language)
    return scope


def context(request: HttpRequest) -> dict[str, Any]:
    """Give every template of a project `scope`: who looks at it, and where."""
    scope = getattr(request, "entered", None)
    return {"scope": scope} if scope else {}


def door(
    see: Iterable[Role], do: Iterable[Role] | None = None
) -> Callable[[Callable[Concatenate[HttpRequest, Scope, P], R]], Callable[..., R]]:
    """Make a view of a project: it gets the scope, and only those pass who may.

    `see` may look; `do` (by default the same) may change something.
    """
    seers, doers = frozenset(see), frozenset(see if do is None else do)

    def wrap(view: Callable[Concatenate[HttpRequest, Scope, P], R]) -> Callable[..., R]:
        @functools.wraps(view)
        def entered(request: Any, project: str, *args: P.args, **kwargs: P.kwargs) -> R:
            return view(request, enter(request, project, seers, doers), *args, **kwargs)

        # The contract of the API tells of them.
        entered.seers, entered.doers = seers, doers  # type: ignore[attr-defined]
        return entered

    return wrap


def shows(
    see: Iterable[Role], do: Iterable[Role] | None = None
) -> Callable[[Callable[Concatenate[HttpRequest, Scope, P], R]], Callable[..., R]]:
    """Make a view of a project that is looked at, and no more."""
    return lambda view: require_GET(door(see, do)(view))


def asks(
    see: Iterable[Role], do: Iterable[Role] | None = None
) -> Callable[[Callable[Concatenate[HttpRequest, Scope, P], R]], Callable[..., R]]:
    """Make a view of a project that shows a form and takes what it sends."""
    return lambda view: require_http_methods(["GET", "POST"])(door(see, do)(view))


def does(
    see: Iterable[Role], do: Iterable[Role] | None = None
) -> Callable[[Callable[Concatenate[HttpRequest, Scope, P], R]], Callable[..., R]]:
    """Make a view of a project that does what a button says."""
    return lambda view: require_POST(door(see, do)(view))
