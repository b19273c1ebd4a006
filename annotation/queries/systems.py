"""Reads about the systems that are judged."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.db.models import Count, QuerySet

from annotation.models import Project, Response, System, SystemRelease


@dataclass(frozen=True)
class Counted:
    """A release and how many responses there are of it."""

    release: SystemRelease
    n_responses: int
    n_items: int


@dataclass(frozen=True)
class Line:
    """A system in the list."""

    system: System
    releases: list[Counted]

    @property
    def n_responses(self) -> int:
        return sum(one.n_responses for one in self.releases)


def list_systems(project: Project) -> list[Line]:
    """Return the systems of a project by name, each with its releases and their counts."""
    systems = System.objects.seen().filter(project=project).order_by("name")
    releases = SystemRelease.objects.seen().filter(system__project=project).order_by("label")
    counts = _counts(project)
    found: dict[int, list[Counted]] = {}
    for release in releases:
        found.setdefault(release.system_id, []).append(
            Counted(release, *counts.get(release.pk, (0, 0)))
        )
    return [Line(system, found.get(system.pk, [])) for system in systems]


#: The columns of the file of releases.
COLUMNS = (
    "system",
    "family",
    "release",
    "web_access",
    "retrieval",
    "tools",
    "context_length",
    "knowledge_until",
    "n_responses",
    "n_items",
    "notes",
)


def records(project: Project) -> Iterator[tuple[str, ...]]:
    """Yield the releases of a project as lines of a file; what nobody has said is empty."""
    said = {True: "yes", False: "no", None: ""}
    for line in list_systems(project):
        for one in line.releases:
            release = one.release
            yield (
                line.system.name,
                line.system.family,
                release.label,
                said[release.web_access],
                said[release.retrieval],
                said[release.tools],
                str(release.context_length or ""),
                release.knowledge_until,
                str(one.n_responses),
                str(one.n_items),
                release.notes,
            )


def of(project: Project) -> "QuerySet[System]":
    """Return the systems of a project that can be seen."""
    return System.objects.seen().filter(project=project)


def releases_of(system: System) -> list[Counted]:
    """Return the releases of a system, each with its counts."""
    counts = _counts(system.project)
    releases = SystemRelease.objects.seen().filter(system=system).order_by("label")
    return [Counted(release, *counts.get(release.pk, (0, 0))) for release in releases]


def _counts(project: Project) -> dict[int, tuple[int, int]]:
    rows = (
        Response.objects.seen()
        .filter(release__system__project=project)
        .order_by()
        .values("release")
        .annotate(n=Count("pk"), items=Count("item", distinct=True))
    )
    return {row["release"]: (row["n"], row["items"]) for row in rows}
