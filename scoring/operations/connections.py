"""Say which endpoint answers as a release of a system."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from annotation.models import SystemRelease, User
from annotation.operations import audit
from evalsite import errors
from scoring.models import Endpoint, SystemConnection

#: What can be set; everything else is left to the endpoint.
SETTINGS = ("system_prompt", "temperature", "top_p", "max_tokens", "seed", "stop")
MOST_STOPS = 4


class BadSettings(errors.Invalid):
    code = "bad_connection_settings"


class EndpointNotThere(errors.Invalid):
    code = "endpoint_not_there"


class NotConnected(errors.Conflict):
    code = "not_connected"


@transaction.atomic
def connect(
    *,
    release: SystemRelease,
    endpoint: Endpoint,
    settings: Mapping[str, Any],
    by: User,
    now: datetime,
) -> SystemConnection:
    """Have an endpoint answer as a release. The connection that was there ends; the same one stays.

    Raises:
        EndpointNotThere: it belongs to another project, or is not used any more.
        BadSettings: a parameter is unknown or out of its range.
    """
    kept = checked(settings)
    SystemRelease.objects.select_for_update().get(pk=release.pk)
    if endpoint.project_id != release.system.project_id or endpoint.retired_at is not None:
        message = _("This project has no such endpoint in use. Choose another one.")
        raise EndpointNotThere(message, fields={"endpoint": [message]})
    mine = SystemConnection.objects.filter(release=release, ended_at__isnull=True)
    old = mine.first()
    if old is not None and (old.endpoint_id, old.settings) == (endpoint.pk, kept):
        return old
    mine.update(ended_at=now)
    made = SystemConnection.objects.create(
        release=release, endpoint=endpoint, settings=kept, created_by=by, created_at=now
    )
    _record(release, "release.connected", by, now, endpoint=endpoint.name, settings=kept)
    return made


@transaction.atomic
def disconnect(*, release: SystemRelease, by: User, now: datetime) -> None:
    """End the connection of a release; what was collected through it stays.

    Raises:
        NotConnected: nothing answers as it.
    """
    if not SystemConnection.objects.filter(release=release, ended_at__isnull=True).update(
        ended_at=now
    ):
        raise NotConnected(_("No endpoint answers as this release."))
    _record(release, "release.disconnected", by, now)


def checked(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings as they are kept: without what is left to the endpoint.

    Raises:
        BadSettings: a parameter is unknown or out of its range; `fields` says which.
    """
    given = {name: value for name, value in settings.items() if value not in (None, "", [], ())}
    problems = {name: [_("There is no such parameter.")] for name in given.keys() - set(SETTINGS)}
    for name, wanted in _wanted().items():
        if name in given and not _fits(name, given[name]):
            problems[name] = [wanted]
    if problems:
        said = " ".join(f"{name}: {texts[0]}" for name, texts in sorted(problems.items()))
        raise BadSettings(said, fields=problems)
    if "stop" in given:
        given["stop"] = list(given["stop"])
    return given


def _wanted() -> dict[str, str]:
    """Return what is wanted of each parameter."""
    return {
        "system_prompt": _("A text of up to 20,000 characters."),
        "temperature": _("A number from 0 to 2."),
        "top_p": _("A number above 0, up to 1."),
        "max_tokens": _("A whole number from 1."),
        "seed": _("A whole number from 0."),
        "stop": _("Up to four texts, none of them empty."),
    }


def _fits(name: str, value: Any) -> bool:
    if name == "system_prompt":
        return isinstance(value, str) and len(value) <= 20_000
    if name == "stop":
        return (
            isinstance(value, list | tuple)
            and len(value) <= MOST_STOPS
            and all(isinstance(one, str) and one for one in value)
        )
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    if name in {"max_tokens", "seed"}:
        return isinstance(value, int) and int(name == "max_tokens") <= value < 2**31
    return 0 <= value <= 2 if name == "temperature" else 0 < value <= 1


def _record(release: SystemRelease, verb: str, by: User, now: datetime, **data: Any) -> None:
    system = release.system
    audit.record(
        project=system.project,
        actor=by,
        verb=verb,
        subject=f"system:{system.pk}",
        at=now,
        release=release.label,
        **data,
    )
