"""Write the demo's question plan, and ask its designer for some of it."""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any

from annotation.models import Capability, Domain, Project, User
from annotation.operations import plan
from annotation.operations.plan import Spot


def write(
    *, project: Project, entries: Iterable[Mapping[str, Any]], by: User, now: datetime
) -> None:
    """Write the numbers and shares of the demo's file, capabilities and areas by their names.

    The days of a share count from the end of the demo's history, a month from its beginning.
    """
    capabilities = {one.name: one.pk for one in Capability.objects.filter(project=project)}
    domains = {one.name: one.pk for one in Domain.objects.filter(project=project)}
    spots = {
        Spot(
            capabilities[entry["capability"]],
            entry["difficulty"].upper(),
            domains[entry["domain"]] if "domain" in entry else None,
        ): entry
        for entry in entries
    }
    cells = plan.set_wanted(
        project=project,
        wanted={spot: entry["wanted"] for spot, entry in spots.items()},
        by=by,
        now=now,
    )
    for cell in cells:
        entry = spots[Spot(cell.capability_id, cell.difficulty, cell.domain_id)]
        for share in entry.get("shares", []):
            plan.assign(
                cell=cell,
                designer=User.objects.get(username=share["who"]),
                n=share["n"],
                due_on=(now + timedelta(days=30 + share["days"])).date(),
                by=by,
                now=now,
            )
