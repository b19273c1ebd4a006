"""What the first page of a project says: counts, rounds under way, what is still missing."""

from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Q, QuerySet

from annotation.models import (
    Assignment,
    Capability,
    ImportBatch,
    Item,
    Membership,
    Project,
    Response,
    Role,
    Round,
    RubricVersion,
    SystemRelease,
)

SHOWN_ROUNDS = 8


@dataclass(frozen=True)
class RoundLine:
    """A round and how far its seats are filled."""

    round: Round
    n_seats: int
    n_done: int
    n_held: int

    @property
    def n_left(self) -> int:
        return self.n_seats - self.n_done


@dataclass(frozen=True)
class Standing:
    """How a project stands, counted when the page is asked for."""

    n_items: int
    n_responses: int
    n_releases: int
    n_rubrics: int
    n_without_rubric: int
    n_annotators: int
    n_rounds: int
    n_final: int
    open_import: ImportBatch | None
    rounds: list[RoundLine]

    @property
    def is_new(self) -> bool:
        """Whether a first step is still to be done."""
        return not (self.n_items and self.n_rubrics and self.n_rounds)


def standing(project: Project) -> Standing:
    rounds = Round.objects.filter(project=project).aggregate(
        n=Count("pk"), final=Count("pk", filter=Q(state=Round.State.FINAL))
    )
    return Standing(
        n_items=Item.objects.seen().filter(project=project).count(),
        n_responses=n_responses(project),
        n_releases=SystemRelease.objects.seen().filter(system__project=project).count(),
        n_rubrics=RubricVersion.objects.filter(
            rubric__project=project, kind=RubricVersion.Kind.HUMAN
        )
        .values("rubric")
        .distinct()
        .count(),
        n_without_rubric=Capability.objects.filter(project=project, rubric=None).count(),
        n_annotators=Membership.objects.with_role([Role.ANNOTATOR]).filter(project=project).count(),
        n_rounds=rounds["n"],
        n_final=rounds["final"],
        open_import=ImportBatch.objects.filter(
            project=project, state=ImportBatch.State.STAGED
        ).first(),
        rounds=rounds_under_way(project),
    )


def n_responses(project: Project) -> int:
    """Count the responses of a project by its releases, less those that an import still brings in."""
    of = Response.objects.filter(
        release__in=_keys(SystemRelease.objects.filter(system__project=project))
    )
    staged = ImportBatch.objects.filter(project=project).exclude(state=ImportBatch.State.APPLIED)
    unseen = _keys(staged)
    return of.count() - (of.filter(batch__in=unseen).count() if unseen else 0)


def _keys(rows: "QuerySet[Any]") -> list[int]:
    return list(rows.order_by().values_list("pk", flat=True))


def rounds_under_way(project: Project) -> list[RoundLine]:
    """Return the newest rounds that are not final, each with its seats counted."""
    rounds = list(
        Round.objects.filter(project=project).exclude(state=Round.State.FINAL)[:SHOWN_ROUNDS]
    )
    counts = {
        row["round"]: row
        for row in Assignment.objects.wanted()
        .filter(round__in=rounds)
        .order_by()
        .values("round")
        .annotate(
            n=Count("pk"),
            done=Count("pk", filter=Q(state=Assignment.State.SUBMITTED)),
            held=Count("pk", filter=Q(state=Assignment.State.CLAIMED, warm=False)),
        )
    }
    nothing = {"n": 0, "done": 0, "held": 0}
    return [
        RoundLine(one, *(counts.get(one.pk, nothing)[key] for key in ("n", "done", "held")))
        for one in rounds
    ]
