"""Write the systems that are judged, and their releases.

* Store what systems put out while somebody listens.
"""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Max

from annotation.common import texts as contents
from annotation.common.sentences import gettext as _
from annotation.people import audit
from annotation.people.models import Project, User
from annotation.search import operations as searching
from annotation.systems.models import Response, System, SystemRelease
from annotation.systems.records import Attributes as Attributes
from annotation.systems.rules import Output
from evalsite import errors


@transaction.atomic
def create_system(
    *,
    project: Project,
    name: str,
    by: User,
    now: datetime,
    aliases: Sequence[str] = (),
    family: str = "",
    release: str = "",
    notes: str = "",
) -> System:
    """Add a system, with its first release if one is named; it gets the next colour.

    Raises:
        NameTaken: the project has a system of this name.
    """
    _refuse_double(project, name)
    last = System.objects.filter(project=project).aggregate(last=Max("colour"))["last"]
    system = System.objects.create(
        project=project,
        name=name,
        aliases=list(aliases),
        family=family.strip(),
        colour=(last or 0) + 1,
        created_at=now,
    )
    _record("system.added", system, by, now, name=name)
    if release:
        add_release(system=system, label=release, notes=notes, by=by, now=now)
    return system


@transaction.atomic
def edit_system(
    *,
    system: System,
    name: str,
    aliases: Sequence[str],
    by: User,
    now: datetime,
    family: str | None = None,
) -> System:
    """Give a system another name, or other names by which it may give itself away.

    Its family is changed if one is given; an empty one is none.

    Raises:
        NameTaken: the project has a system of this name.
    """
    old = System.objects.select_for_update().get(pk=system.pk)
    _refuse_double(old.project, name, but=old)
    kin = old.family if family is None else family.strip()
    if (old.name, list(old.aliases), old.family) == (name, list(aliases), kin):
        return old
    System.objects.filter(pk=old.pk).update(name=name, aliases=list(aliases), family=kin)
    if old.name != name:
        _record("system.renamed", old, by, now, old=old.name, new=name)
    if list(old.aliases) != list(aliases):
        _record("system.aliases_changed", old, by, now, old=old.aliases, new=list(aliases))
    if old.family != kin:
        _record("system.family_changed", old, by, now, old=old.family, new=kin)
    old.refresh_from_db()
    return old


@transaction.atomic
def add_release(
    *,
    system: System,
    label: str,
    by: User,
    now: datetime,
    notes: str = "",
    attributes: Attributes | None = None,
) -> SystemRelease:
    """Add a release of a system.

    Raises:
        NameTaken: the system has a release of this name.
    """
    _refuse_double_release(system, label)
    release = SystemRelease.objects.create(
        system=system,
        label=label,
        notes=notes,
        created_at=now,
        **asdict(attributes or Attributes()),
    )
    _record("release.added", system, by, now, release=label)
    return release


@transaction.atomic
def edit_release(
    *,
    release: SystemRelease,
    label: str,
    notes: str,
    by: User,
    now: datetime,
    attributes: Attributes | None = None,
) -> SystemRelease:
    """Change what a release is called, the notes about it, or its attributes (None: as they are).

    Raises:
        NameTaken: the system has a release of this name.
    """
    old = SystemRelease.objects.select_for_update().get(pk=release.pk)
    _refuse_double_release(old.system, label, but=old)
    were = Attributes.of(old)
    are = attributes or were
    if (old.label, old.notes, were) == (label, notes, are):
        return old
    SystemRelease.objects.filter(pk=old.pk).update(label=label, notes=notes, **asdict(are))
    changed = {} if are == were else {"attributes": asdict(are)}
    _record("release.changed", old.system, by, now, old=old.label, new=label, **changed)
    old.refresh_from_db()
    return old


def _refuse_double(project: Project, name: str, but: System | None = None) -> None:
    same = System.objects.filter(project=project, name=name).first()
    if same not in {None, but}:
        message = _("This project has a system called “%(name)s”. Choose another name.")
        raise errors.NameTaken(
            message % {"name": name}, fields={"name": [message % {"name": name}]}
        )


def _refuse_double_release(system: System, label: str, but: SystemRelease | None = None) -> None:
    same = SystemRelease.objects.filter(system=system, label=label).first()
    if same not in {None, but}:
        message = _("%(system)s has a release called “%(label)s”. Choose another name.") % {
            "system": system.name,
            "label": label,
        }
        raise errors.NameTaken(message, fields={"label": [message]})


def _record(verb: str, system: System, by: User, now: datetime, **data: Any) -> None:
    audit.done(system, verb, by, now, **data)


@transaction.atomic
def record_response(*, item_id: int, output: Output, now: datetime) -> int:
    """Store what a release put out on an item; the same again is the one that is there.

    An answer without a word is one too: annotators are shown "[no answer]".
    """
    messages = [dict(one) for one in output.messages]
    made, created = Response.objects.get_or_create(
        item_id=item_id,
        release_id=output.release_id,
        sample_no=output.sample_no,
        content_sha=contents.response_sha(messages),
        defaults={
            "messages": messages,
            "origin": output.origin,
            "details": dict(output.details),
            "created_at": now,
        },
    )
    if created:
        searching.keep_responses(responses=[made])
    return made.pk


@transaction.atomic
def record_responses(*, outputs: Sequence[tuple[int, Output]], now: datetime) -> list[int]:
    """Store many outputs, each with the key of its item, none of which is there yet; return their keys."""
    made = Response.objects.bulk_create(_new(item, output, now) for item, output in outputs)
    searching.keep_responses(responses=made)
    return [one.pk for one in made]


def _new(item: int, output: Output, now: datetime) -> Response:
    messages = [dict(one) for one in output.messages]
    return Response(
        item_id=item,
        release_id=output.release_id,
        sample_no=output.sample_no,
        content_sha=contents.response_sha(messages),
        messages=messages,
        origin=output.origin,
        details=dict(output.details),
        created_at=now,
    )
