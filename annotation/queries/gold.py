"""Gold: answers whose grades are known, and the items of a draft that could be mixed in as such."""

from collections.abc import Collection, Sequence
from decimal import Decimal

from annotation.models import (
    Criterion,
    Grade,
    Invalidation,
    Project,
    Round,
    RoundItem,
    RoundResponse,
)
from annotation.queries.draws import Candidate

CHUNK = 500
Place = tuple[int, str]  # response and key of a criterion


def known(project: Project, responses: Collection[int]) -> dict[Place, Decimal]:
    """Return the known grades of these responses by criterion, the newest of each.

    A reference grade that somebody gave goes before what reviewers adjudicated.
    """
    found: dict[Place, Decimal] = {}
    pks = sorted(responses)
    struck = Invalidation.objects.filter(
        grade__isnull=False, reverses__isnull=True, reversed_by__isnull=True
    )
    for start in range(0, len(pks), CHUNK):
        rows = (
            Grade.objects.current()
            .filter(round__project=project, response__in=pks[start : start + CHUNK])
            .filter(kind__in=[Grade.Kind.ADJUDICATED, Grade.Kind.REFERENCE], value__isnull=False)
            .exclude(pk__in=struck.values("grade_id"))
            .order_by("kind", "pk")  # ADJUDICATED first, so that REFERENCE takes its place
        )
        for response, criterion, value in rows.values_list(
            "response_id", "criterion__key", "value"
        ):
            if value is not None:
                found[response, criterion] = value
    return found


def usable(round_: Round, candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return the items of which every answer × criterion of the round's rubric is known."""
    versions = {row.capability_id: row.rubric_version_id for row in round_.rubrics.all()}
    criteria: dict[int, set[str]] = {}
    rows = Criterion.objects.filter(rubric_version__in=versions.values())
    for version, key in rows.values_list("rubric_version_id", "key"):
        criteria.setdefault(version, set()).add(key)
    grades = known(round_.project, {pk for one in candidates for pk in one.responses.values()})
    return [
        one
        for one in candidates
        if one.responses
        and (keys := criteria.get(versions.get(one.capability_id, versions.get(None, 0)) or 0))
        and all((pk, key) in grades for pk in one.responses.values() for key in keys)
    ]


def of_round(round_: Round) -> dict[Place, Decimal]:
    """Return the known grades of the gold items of a round."""
    served = RoundResponse.objects.filter(
        round_item__round=round_, round_item__purpose=RoundItem.Purpose.GOLD
    )
    return known(round_.project, set(served.values_list("response_id", flat=True)))
