"""What of training waits for a curator: people who are ready for a trial, trials without verdicts."""

from django.db.models import Exists, OuterRef

from annotation.models import Membership, Project, Qualification, Rater, Role, Round
from annotation.queries import qualifications, trial_results
from annotation.rules.qualification import State


def ready(project: Project) -> list[str]:
    """Return the names of annotators who are ready for a trial in some capability."""
    held = Membership.objects.with_role([Role.ANNOTATOR]).filter(project=project)
    raters = Rater.objects.filter(project=project, user__in=held.values("user"))
    steps = qualifications.last_steps(raters).filter(state=State.TRAINED)
    users = {step.rater.user for step in steps.select_related("rater__user__person")}
    return sorted(user.display_name for user in users if user is not None)


def undecided(project: Project) -> list[Round]:
    """Return the trials that are closed and not decided, the oldest first."""
    decided = Qualification.objects.filter(round=OuterRef("pk"), event__in=trial_results.DECIDED)
    closed = Round.objects.filter(
        project=project,
        kind=Round.Kind.TRIAL,
        state__in=[Round.State.REVIEW, Round.State.FINAL],
    )
    return list(closed.filter(~Exists(decided)).order_by("number"))
