"""Keep collections of sources: what belongs to them, and which designers see them."""

from datetime import datetime

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from annotation.models import (
    Appointment,
    Membership,
    Project,
    Role,
    Source,
    SourceCollection,
    User,
)
from annotation.operations import audit
from annotation.operations.bank.refusals import Incomplete, NotNow
from annotation.queries import standing
from annotation.rules import questions as rules
from evalsite import errors


class CollectionNameTaken(errors.Invalid):
    code = "collection_name_taken"


class NoDesigner(errors.Invalid):
    code = "no_designer"


@transaction.atomic
def create_collection(
    *, project: Project, name: str, note: str, by: User, now: datetime
) -> SourceCollection:
    """Begin a collection without sources.

    Raises:
        NotNow: they do not curate the project.
        Incomplete: it has no name.
        CollectionNameTaken: there is one of this name.
    """
    _refuse_others(project, by)
    name = " ".join(name.split())
    if not name:
        words = _("Give the collection a name.")
        raise Incomplete(words, fields={"name": [words]})
    try:
        with transaction.atomic():
            made = SourceCollection.objects.create(
                project=project, name=name, note=note.strip(), created_by=by, created_at=now
            )
    except IntegrityError as problem:
        words = _("There is a collection called %(name)s. Choose another name.") % {"name": name}
        raise CollectionNameTaken(words, fields={"name": [words]}) from problem
    _record("collection.created", made, by, now)
    return made


@transaction.atomic
def appoint(*, collection: SourceCollection, user: User, by: User, now: datetime) -> Appointment:
    """Let a designer see a collection; one who is appointed already stays so.

    Raises:
        NotNow: they do not curate the project.
        NoDesigner: the person is no designer of the project.
    """
    _refuse_others(collection.project, by)
    members = Membership.objects.active().filter(
        project=collection.project_id, user=user, role=Role.DESIGNER
    )
    if not members.exists():
        words = _("Only designers of this project are appointed to a collection.")
        raise NoDesigner(words, fields={"user": [words]})
    made, is_new = Appointment.objects.get_or_create(
        collection=collection,
        user=user,
        ended_at=None,
        defaults={"appointed_by": by, "appointed_at": now},
    )
    if is_new:
        _record("collection.appointed", collection, by, now, who=str(user.public_id))
    return made


@transaction.atomic
def end_appointment(*, appointment: Appointment, by: User, now: datetime) -> None:
    """Take a collection out of a designer's sight; what they wrote from it stays.

    Raises:
        NotNow: they do not curate the project, or it was ended before.
    """
    collection = appointment.collection
    _refuse_others(collection.project, by)
    ended = Appointment.objects.filter(pk=appointment.pk, ended_at=None).update(
        ended_by=by, ended_at=now
    )
    if not ended:
        raise NotNow(_("This appointment was ended before. Load the page again."))
    _record("collection.ended", collection, by, now, who=str(appointment.user.public_id))


@transaction.atomic
def move(*, source: Source, collection: SourceCollection | None, by: User, now: datetime) -> Source:
    """Put a source into a collection, or out of all of them.

    Raises:
        NotNow: they do not curate the project.
        Incomplete: the collection is another project's.
    """
    _refuse_others(source.project, by)
    if collection is not None and collection.project_id != source.project_id:
        words = _("There is no such collection here.")
        raise Incomplete(words, fields={"collection": [words]})
    source.collection = collection
    source.save(update_fields=["collection"])
    audit.record(
        project=source.project,
        actor=by,
        verb="source.moved",
        subject=f"source:{source.pk}",
        at=now,
        collection=collection.pk if collection else None,
    )
    return source


def _refuse_others(project: Project, by: User) -> None:
    if not standing.roles(project.pk, by) & rules.CURATORS:
        raise NotNow(_("Owners and curators keep the collections of sources."))


def _record(verb: str, collection: SourceCollection, by: User, now: datetime, **said: str) -> None:
    audit.record(
        project=collection.project,
        actor=by,
        verb=verb,
        subject=f"collection:{collection.pk}",
        at=now,
        **said,
    )
