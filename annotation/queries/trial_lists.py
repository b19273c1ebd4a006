"""The trials of a project for their curators: how far each is, and how it ended."""

from collections import Counter
from dataclasses import dataclass

from django.db.models import Count, Q

from annotation.models import Assignment, Project, Qualification, Round, Trial
from annotation.queries import references, trial_results


@dataclass(frozen=True)
class Line:
    trial: Trial
    round: Round
    n_people: int
    n_done: int
    n_seats: int
    n_missing: int
    n_passed: int
    n_failed: int
    n_undecided: int

    @property
    def is_decided(self) -> bool:
        return bool(self.n_passed or self.n_failed or self.n_undecided)


def lines(project: Project) -> list[Line]:
    """Return the trials, the newest first."""
    rows = Trial.objects.filter(
        round__project=project, round__discarded_at__isnull=True
    ).select_related("round", "capability")
    trials = list(rows.order_by("-round__number"))
    rounds = [one.round for one in trials]
    submitted = Q(assignments__state=Assignment.State.SUBMITTED)
    counts = {
        one.pk: one
        for one in Round.objects.filter(pk__in=[row.pk for row in rounds]).annotate(
            n_all=Count("assignments", distinct=True),
            n_done=Count("assignments", filter=submitted, distinct=True),
            n_people=Count(
                "annotators", filter=Q(annotators__ended_at__isnull=True), distinct=True
            ),
        )
    }
    events: Counter[tuple[int, str]] = Counter()
    steps = Qualification.objects.filter(round__in=rounds, event__in=trial_results.DECIDED)
    for round_id, event in steps.values_list("round_id", "event"):
        events[round_id or 0, event] += 1
    return [
        Line(
            trial=one,
            round=one.round,
            n_people=counts[one.round_id].n_people,
            n_done=counts[one.round_id].n_done,
            n_seats=counts[one.round_id].n_all,
            n_missing=references.n_missing(one.round)
            if one.round.state == Round.State.DRAFT
            else 0,
            n_passed=events[one.round_id, "PASSED"],
            n_failed=events[one.round_id, "FAILED"],
            n_undecided=events[one.round_id, "UNDECIDED"],
        )
        for one in trials
    ]
