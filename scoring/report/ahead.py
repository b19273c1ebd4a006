"""Figures of rounds that have become final are computed before somebody looks."""

from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db.models import Exists, OuterRef

from annotation.people.models import Membership, Role
from annotation.people.permissions import Scope
from annotation.rounds.models import Round
from scoring.figures import operations as figures
from scoring.figures.labels import Reading
from scoring.figures.models import Figure
from scoring.report import queries as reporting
from scoring.results import cells as breakdown
from scoring.results import queries as results

#: Rounds that became final longer ago are computed when they are looked at.
LATELY = timedelta(days=31)
#: Rounds that are asked for in one go: who looks at a page meanwhile takes turns with them.
AT_ONCE = 5


def sweep(now: datetime) -> int:
    """Ask for the figures of rounds that are final and have none yet; return for how many rounds."""
    asked = Figure.objects.filter(
        round=OuterRef("pk"),
        name=results.FIGURE,
        wanted_at__gte=OuterRef("final_at"),
        params__formula=figures.fingerprint(),
    )
    final = Round.objects.filter(state=Round.State.FINAL, final_at__range=(now - LATELY, now))
    waiting = final.exclude(kind=Round.Kind.TRIAL).filter(~Exists(asked)).order_by("-final_at")
    return sum(_ask(one, now) for one in _of_owners(waiting[:AT_ONCE]))


def _of_owners(rounds: Iterable[Round]) -> list[Reading]:
    """Return the rounds as an owner of their project reads them: under the usual settings."""
    made = []
    for round_ in rounds:
        owners = Membership.objects.with_role([Role.OWNER]).filter(project=round_.project_id)
        if owner := owners.select_related("user", "project").order_by("pk").first():
            scope = Scope(owner.project, owner.user, frozenset({Role.OWNER}))
            made.append(Reading(scope, round_))
    return made


def _ask(mine: Reading, now: datetime) -> bool:
    needs = reporting.needs(reporting.read(mine, {}))
    wanted = [(need.name, need.params) for need in needs]
    wanted.append((breakdown.FIGURE, breakdown.params(results.read(mine, {}))))
    wanted.append(("domains", {}))
    for name, params in wanted:
        figures.get(name=name, round_=mine.round, params=params, now=now)
    return True
