"""The first steps of those who read results; what they have looked at is what the guide has opened."""

from django.utils.translation import gettext_lazy as _

from annotation import permissions
from annotation.models import Role
from annotation.permissions import Scope
from annotation.queries.first_steps import Step

RESULTS = Step(
    "results",
    _("Read what came out"),
    _("Scores with intervals, agreement and disputes of every round that people have graded."),
    _("Go to the results"),
    "insight",
    _("Choose a round. Every figure says how many grades it rests on, and why one is missing."),
)
MOVED = Step(
    "moved",
    _("See why a score moved"),
    _("Between two rounds, because of other questions, other responses or other annotators."),
    _("Compare two rounds"),
    "movement",
    _("Choose the earlier and the later round, then a system. The parts add up to the change."),
)
BESIDE = Step(
    "beside",
    _("Compare judges with people"),
    _("How far a machine’s judgments agree with grades, beside how far people agree."),
    _("Go to the judges"),
    "judges_people",
    _("The band is how far people agree with each other: no judge can be asked for more."),
)
GATES = Step(
    "gates",
    _("Look at a gate"),
    _("A suite says which release passes, and which does not and why."),
    _("Go to the suites"),
    "suites",
    _("Open a suite and its last run: a failed gate leads to the conversations that failed it."),
)


def steps(*, scope: Scope) -> tuple[Step, ...] | None:
    """Return what analysts look at first; of it, what owners and curators end their first steps with."""
    if Role.ANALYST in scope.roles:
        return (RESULTS, MOVED, BESIDE, GATES)
    return (RESULTS,) if scope.may(permissions.CURATORS) else None
