"""The steps of a run that brought nothing, or less than they should, for a reason of the machinery."""

from dataclasses import dataclass

from django.db.models import Count, Q, QuerySet

from scoring.models import Run, Step

Outcome = Step.Outcome


@dataclass(frozen=True, slots=True)
class Lost:
    """How many of all steps; the reason that is most frequent, how often it is, and a step for an example."""

    n: int
    of: int
    reason: str = ""
    n_reason: int = 0
    example: str = ""
    n_failed: int = 0

    def beyond(self, tolerated: float) -> bool:
        """Say whether these are more than may be lost."""
        return self.n > tolerated * self.of


def of(run: Run) -> Lost:
    """Count the steps that failed or were not done.

    A judge's reply that cannot be read is its own outcome, and so is a system that fails, unless no step
    brought anything; a reply that its server kept back or spoilt is not.
    """
    steps = Step.objects.filter(run=run)
    found = steps.aggregate(
        n=Count("pk"),
        n_failed=Count("pk", filter=Q(state=Step.State.FAILED)),
        n_undone=Count("pk", filter=_undone()),
        n_good=Count("pk", filter=Q(outcome=Outcome.OK)),
    )
    unread = steps.filter(outcome__in=[Outcome.NO_READING, Outcome.SYSTEM_FAILED])
    if found["n_good"]:
        unread = unread.filter(outcome=Outcome.NO_READING).exclude(trouble="")
    bad = steps.filter(Q(state=Step.State.FAILED) | Q(pk__in=unread.values("pk")))
    reason, n_reason, example = _most_frequent(bad)
    n = found["n_undone"] + unread.count()
    return Lost(n, found["n"], reason, n_reason, example, found["n_failed"])


def _undone() -> Q:
    return ~Q(state=Step.State.DONE)


def _most_frequent(rows: "QuerySet[Step]") -> tuple[str, int, str]:
    counted = rows.order_by().values("problem", "trouble").annotate(n=Count("pk"))
    first = counted.order_by("-n", "problem").first()
    if first is None:
        return "", 0, ""
    same = rows.filter(problem=first["problem"], trouble=first["trouble"])
    example = same.order_by("ordinal").values_list("key", flat=True).first()
    return first["problem"] or first["trouble"], first["n"], example or ""
