"""Reads about collections of sources, for those who keep them."""

from django.db.models import Count, Exists, OuterRef, Q

from annotation.models import (
    Appointment,
    Membership,
    Project,
    Role,
    Source,
    SourceCollection,
    User,
)

#: So many sources of a collection are shown; the list of sources has a filter for all.
MOST_SHOWN = 100


def lines(project: Project) -> list[SourceCollection]:
    """Return the collections with `n_sources` and `n_designers`."""
    rows = SourceCollection.objects.filter(project=project).annotate(
        n_sources=Count("sources", distinct=True),
        n_designers=Count(
            "appointments", filter=Q(appointments__ended_at__isnull=True), distinct=True
        ),
    )
    return list(rows.order_by("name"))


def collection_of(project: Project, pk: int) -> SourceCollection | None:
    rows = SourceCollection.objects.filter(project=project, pk=pk)
    return rows.select_related("project", "created_by__person").first()


def appointments_of(collection: SourceCollection) -> list[Appointment]:
    """Return who is or was appointed, those who are first."""
    rows = collection.appointments.select_related(
        "user__person", "appointed_by__person", "ended_by__person"
    )
    return sorted(rows, key=lambda one: (one.ended_at is not None, one.pk))


def appointment_of(project: Project, collection: int, pk: int) -> Appointment | None:
    rows = Appointment.objects.filter(collection__project=project, collection=collection, pk=pk)
    return rows.select_related("collection__project", "user").first()


def designers_besides(collection: SourceCollection) -> list[User]:
    """Return the designers of the project who are not appointed to a collection."""
    active = Membership.objects.active().filter(
        project=collection.project_id, role=Role.DESIGNER, user=OuterRef("pk")
    )
    theirs = Appointment.objects.filter(collection=collection, ended_at=None, user=OuterRef("pk"))
    rows = User.objects.filter(Exists(active)).exclude(Exists(theirs))
    return list(rows.select_related("person").order_by("person__name"))


def sources_of(collection: SourceCollection) -> list[Source]:
    return list(collection.sources.order_by("title")[: MOST_SHOWN + 1])
