"""What reviewers made of a round, as its results offer it: what was settled, what was declared invalid."""

from django.db.models import F

from annotation.models import Decision, Grade, Invalidation, Round
from scoring.queries import results

#: What the scores are computed with: of the filter "review", as an address names them.
VARIANTS = {"struck": ("struck",), "given": (), "adjudicated": ("adjudicated",)}


def counts(round_: Round) -> dict[str, int]:
    """Return how many adjudicated grades stand, and how many invalidations."""
    standing = Invalidation.objects.filter(
        round=round_, reverses__isnull=True, reversed_by__isnull=True
    )
    # Only decisions make adjudicated grades: a round has few of them, and perhaps a million grades.
    # Adding nothing to the round's key keeps SQLite from going through all of those by it.
    decided = Decision.objects.filter(round=round_, response__isnull=False).values("response_id")
    settled = (
        Grade.objects.current()
        .alias(of=F("round_id") + 0)
        .filter(of=round_.pk, kind=Grade.Kind.ADJUDICATED, response__in=decided)
    )
    valid = settled.exclude(pk__in=standing.filter(grade__isnull=False).values("grade_id"))
    struck = standing.exclude(grade__kind=Grade.Kind.ADJUDICATED)
    return {"adjudicated": valid.count(), "struck": struck.count()}


def params(round_: Round) -> dict[str, dict[str, object]]:
    """Return what the figure of scores depends on, for each of the variants."""
    return {
        name: results.params(round_, selection={"review": list(chosen)} if chosen else None)
        for name, chosen in VARIANTS.items()
    }
