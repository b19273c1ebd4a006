"""Settle which releases complete the starts of a suite's conversations, by which endpoints and how."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.utils.translation import gettext as _

from annotation.models import Project, SystemRelease, User
from annotation.operations import systems
from evalsite import errors
from scoring.models import Endpoint, SystemConnection
from scoring.operations import connections
from scoring.protocols.suite.definition import Completion
from scoring.queries import connections as reads
from scoring.queries import suites

#: Conversations that a run makes: it writes down a step for each.
MOST: Final = 20_000


class NoSuchEndpoint(errors.Invalid):
    code = "no_such_endpoint"


class WhichRelease(errors.Invalid):
    """It cannot be told as what a completion is kept."""

    code = "which_release"


class TooMany(errors.Invalid):
    code = "too_many_completions"


@dataclass(frozen=True, slots=True)
class Settled:
    """A completion with its endpoint. `release` is None where it has to be made first."""

    completion: Completion
    endpoint: Endpoint
    user: Endpoint | None
    release: SystemRelease | None
    system: str
    label: str
    settings: Mapping[str, Any]


def settle(project: Project, completions: Sequence[Completion]) -> list[Settled]:
    """Return who completes, for each of a suite's completions.

    Raises:
        NoSuchEndpoint: the project has none of this name in use.
        WhichRelease: several releases could be meant, or one twice, or one that another endpoint is.
        connections.BadSettings: a parameter is out of its range.
    """
    names = [name for one in completions for name in (one.endpoint, one.user) if name]
    endpoints = suites.endpoints_named(project, names)
    if missing := [name for name in names if name not in endpoints]:
        raise NoSuchEndpoint(
            _("The suite names the endpoint “%(name)s”, and none of this name is in use here.")
            % {"name": missing[0]}
        )
    found = [_settled(project, one, endpoints) for one in completions]
    seen: set[tuple[str, str]] = set()
    for one in found:
        if (one.system, one.label) in seen:
            raise WhichRelease(
                _("%(name)s is named twice in the suite. For several answers, say “n”.")
                % {"name": f"{one.system} {one.label}"}
            )
        seen.add((one.system, one.label))
    return found


def configured(settled: Sequence[Settled]) -> list[dict[str, Any]]:
    """Return completions as a run keeps them, by release; those to be made have none yet."""
    return [_kept(one, one.release) for one in settled]


def written(
    project: Project, settled: Sequence[Settled], *, by: User, now: datetime
) -> list[dict[str, Any]]:
    """Return completions as a run keeps them; releases that are not there are added and connected."""
    return [_kept(one, one.release or _made(project, one, by, now)) for one in settled]


def check_size(n_starts: int, completions: Sequence[Mapping[str, Any]]) -> None:
    """Refuse a run that makes more conversations than one can.

    Raises:
        TooMany: so many would be made.
    """
    n = n_starts * sum(one["n"] for one in completions)
    if n > MOST:
        message = _(
            "%(n)d conversations would be made, and a run makes %(most)d at most. Choose fewer sets, "
            "systems or answers."
        )
        raise TooMany(message % {"n": n, "most": MOST})


def _settled(project: Project, one: Completion, endpoints: Mapping[str, Endpoint]) -> Settled:
    user = endpoints[one.user] if one.user else None
    own = connections.checked(one.settings)
    if not one.endpoint:
        connection = _of_system(project, one)
        return _connected(one, connection, user, own)
    endpoint = endpoints[one.endpoint]
    if one.system:
        label = one.release or endpoint.model_name or "1"
        release = _release(project, one.system, label)
        if release is None:
            return Settled(one, endpoint, user, None, one.system, label, own)
        there = reads.current([release.pk]).get(release.pk)
        if there is not None and there.endpoint_id != endpoint.pk:
            raise WhichRelease(
                _(
                    "%(release)s is answered by the endpoint “%(name)s”. Name that one, or another "
                    "release."
                )
                % {"release": release, "name": there.endpoint.name}
            )
        settings = own if there is None else {**there.settings, **own}
        return Settled(one, endpoint, user, release, one.system, label, settings)
    return _of_endpoint(project, one, endpoint, user, own)


def _of_system(project: Project, one: Completion) -> SystemConnection:
    """Return what answers as the system that is named."""
    rows = SystemConnection.objects.filter(
        ended_at__isnull=True,
        endpoint__retired_at__isnull=True,
        release__system__project=project,
        release__system__name=one.system,
    )
    if one.release:
        rows = rows.filter(release__label=one.release)
    return _only(one, list(rows.select_related("endpoint", "release__system").order_by("pk")))


def _of_endpoint(
    project: Project, one: Completion, endpoint: Endpoint, user: Endpoint | None, own: Any
) -> Settled:
    rows = SystemConnection.objects.filter(endpoint=endpoint, ended_at__isnull=True)
    found = list(rows.select_related("endpoint", "release__system").order_by("pk"))
    if found:
        return _connected(one, _only(one, found), user, own)
    label = endpoint.model_name or "1"
    release = _release(project, endpoint.name, label)
    return Settled(one, endpoint, user, release, endpoint.name, label, own)


def _only(one: Completion, found: Sequence[SystemConnection]) -> SystemConnection:
    if not found:
        raise WhichRelease(
            _(
                "No endpoint answers as %(name)s. Connect the release on its page, or name an endpoint."
            )
            % {"name": one.words}
        )
    if len(found) > 1:
        names = ", ".join(str(each.release) for each in found[:5])
        raise WhichRelease(
            _(
                "Several releases could be meant by “%(name)s”: %(names)s. Say “system” and “release”."
            )
            % {"name": one.words, "names": names}
        )
    return found[0]


def _connected(
    one: Completion, connection: SystemConnection, user: Endpoint | None, own: Mapping[str, Any]
) -> Settled:
    release = connection.release
    return Settled(
        one,
        connection.endpoint,
        user,
        release,
        release.system.name,
        release.label,
        {**connection.settings, **own},
    )


def _release(project: Project, system: str, label: str) -> SystemRelease | None:
    rows = SystemRelease.objects.filter(system__project=project, system__name=system, label=label)
    return rows.select_related("system").first()


def _made(project: Project, one: Settled, by: User, now: datetime) -> SystemRelease:
    home = project.systems.filter(name=one.system).first()
    if home is None:
        home = systems.create_system(project=project, name=one.system[:120], by=by, now=now)
    made = systems.add_release(system=home, label=one.label, by=by, now=now)
    connections.connect(release=made, endpoint=one.endpoint, settings=one.settings, by=by, now=now)
    return made


def _kept(one: Settled, release: SystemRelease | None) -> dict[str, Any]:
    said = one.completion
    return {
        "release": release.pk if release else None,
        "name": f"{one.system} {one.label}",
        "endpoint": one.endpoint.pk,
        "user": one.user.pk if one.user else None,
        "about": said.about,
        "settings": dict(one.settings),
        "with_prompt": said.with_prompt,
        "n": said.n,
        "turns": said.turns,
        "start": said.start,
    }
