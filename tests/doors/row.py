"""A row: who may look at a route, who may change something there, and what they get."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from annotation.people import permissions
from annotation.people.models import Role
from tests.who_may_world import ANONYMOUS, STRANGER, World

ROLES = tuple(Role)
ACTORS: tuple[str, ...] = (ANONYMOUS, STRANGER, *ROLES)

EVERYBODY = permissions.EVERYBODY
READERS = permissions.READERS
UNBLINDED = permissions.UNBLINDED
CURATORS = permissions.CURATORS
OWNERS = permissions.OWNERS
ANNOTATORS = permissions.ANNOTATORS
DESIGNERS = permissions.DESIGNERS
INSPECTORS = permissions.INSPECTORS
NOBODY: frozenset[Role] = frozenset()


Kwargs = Callable[[World], Mapping[str, Any]]


@dataclass(frozen=True)
class Row:
    """Who may what at one route."""

    see: Collection[str] = ()
    do: Collection[str] = ()
    got: frozenset[int] = frozenset({200})
    done: frozenset[int] = frozenset()
    kwargs: Kwargs = field(default=lambda world: {})
    #: Anybody who is signed in, in whatever role or none.
    for_all: bool = False
    #: Does not even ask who is there.
    public: bool = False
    #: What is different for one actor and method.
    own: Mapping[tuple[str, str], Collection[int]] = field(default_factory=dict)

    def expected(self, actor: str, method: str, *, api: bool) -> Collection[int]:
        """Return the statuses that are right for this actor and method."""
        if (actor, method) in self.own:
            return self.own[actor, method]
        through, allowed = (self.got, self.see) if method == "GET" else (self.done, self.do)
        if actor == ANONYMOUS and not self.public:
            return {401} if api else {302}
        if not through:
            return {405} if self.for_all or self.public or actor in self.see else {404, 405}
        if self.public or self.for_all or actor in allowed:
            return through
        return {403} if method == "POST" and actor in self.see else {404}


def row(
    see: Collection[str],
    do: Collection[str] = (),
    *,
    got: Collection[int] = (200,),
    done: Collection[int] = (422,),
    own: Mapping[tuple[str, str], Collection[int]] | None = None,
    **kwargs: Callable[[World], Any],
) -> Row:
    """Return the row of a route in a project, whose short name is added to the address.

    Args:
        see: who may know of the route; they get `got` when they look.
        do: who may send something; they get `done`. Nobody: every POST is a 405.
        got: empty for a route that only takes POSTs.
        done: the answer to an empty POST.
        own: exceptions, by actor and method.
        kwargs: the other arguments of the address, each made from the world.
    """

    def arguments(world: World) -> dict[str, Any]:
        made = {name: make_one(world) for name, make_one in kwargs.items()}
        return {"project": world.project.slug, **made}

    sent = frozenset(done) if do else frozenset()
    return Row(see, do, frozenset(got), sent, arguments, own=own or {})


def for_starters(done: Collection[int]) -> Row:
    """Return the row of a page where projects are started: owners of one may, others are told how."""
    starters = {ANONYMOUS, STRANGER, Role.OWNER}
    own = {(actor, "POST"): {403} for actor in ACTORS if actor not in starters}
    return Row(done=frozenset(done), for_all=True, own=own)


def for_all(got: Collection[int] = (200,), done: Collection[int] = ()) -> Row:
    """Return the row of a page outside projects, for whoever is signed in."""
    return Row(got=frozenset(got), done=frozenset(done), for_all=True)
