"""Write the question plan: how many of each kind are wanted, and who writes them until when."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime

from django.db import transaction
from django.utils.translation import gettext as _

from annotation.models import (
    Capability,
    Difficulty,
    Domain,
    Membership,
    PlanCell,
    PlanShare,
    Project,
    User,
)
from annotation.operations import audit
from annotation.queries.plan import WRITERS
from evalsite import errors

MOST_WANTED = 100_000


class NoSuchPlace(errors.Invalid):
    code = "no_such_place"


class OutOfRange(errors.Invalid):
    code = "out_of_range"


class StillAssigned(errors.Conflict):
    code = "still_assigned"


class NoWriter(errors.Invalid):
    code = "no_writer"


@dataclass(frozen=True)
class Spot:
    """A place of the plan: ids of capability and domain; without a domain it is over all."""

    capability: int
    difficulty: str
    domain: int | None = None


@transaction.atomic
def set_wanted(
    *, project: Project, wanted: Mapping[Spot, int], by: User, now: datetime
) -> list[PlanCell]:
    """Write how many questions are wanted; 0 takes a number away. Return the cells that changed.

    Raises:
        NoSuchPlace: a capability or a domain is not of this project, or a difficulty unknown.
        OutOfRange: a number is below 0 or far too large.
        StillAssigned: somebody was asked for questions of a cell that is to go.
    """
    _refuse_unknown(project, wanted)
    old = {
        Spot(cell.capability_id, cell.difficulty, cell.domain_id): cell
        for cell in PlanCell.objects.select_for_update().filter(project=project)
    }
    changed = []
    for spot, n in wanted.items():
        cell = old.get(spot)
        if n == (cell.wanted if cell else 0):
            continue
        changed.append(_write(project, spot, n, cell))
        audit.record(
            project=project,
            actor=by,
            verb="plan.wanted",
            subject=f"plan:{spot.capability}/{spot.difficulty}/{spot.domain or 'all'}",
            at=now,
            old=cell.wanted if cell else 0,
            new=n,
        )
    return changed


@transaction.atomic
def assign(
    *, cell: PlanCell, designer: User, n: int, due_on: date | None, by: User, now: datetime
) -> PlanShare:
    """Ask somebody to write so many questions of a cell; asking again changes what was asked.

    Raises:
        NoWriter: the person cannot write questions in this project.
        OutOfRange: the number is below 1 or far too large.
    """
    if not 1 <= n <= MOST_WANTED:
        message = _("Ask for one question or more.")
        raise OutOfRange(message, fields={"n": [message]})
    may_write = Membership.objects.with_role(WRITERS).filter(project=cell.project, user=designer)
    if not may_write.exists():
        message = _("%(name)s does not write questions here. Give them the role of a designer.")
        message %= {"name": designer.display_name}
        raise NoWriter(message, fields={"designer": [message]})
    share, _created = PlanShare.objects.update_or_create(
        cell=cell, designer=designer, defaults={"n": n, "due_on": due_on}
    )
    due = due_on.isoformat() if due_on else None
    _record("plan.assigned", share, by, now, n=n, due_on=due)
    return share


@transaction.atomic
def release(*, share: PlanShare, by: User, now: datetime) -> None:
    """Take back what somebody was asked for; what they have written stays."""
    _record("plan.released", share, by, now, n=share.n, due_on=None)
    share.delete()


def _refuse_unknown(project: Project, wanted: Mapping[Spot, int]) -> None:
    capabilities = set(Capability.objects.filter(project=project).values_list("pk", flat=True))
    domains = set(Domain.objects.filter(project=project).values_list("pk", flat=True))
    for spot, n in wanted.items():
        known = spot.capability in capabilities and spot.difficulty in Difficulty.values
        if not known or (spot.domain is not None and spot.domain not in domains):
            raise NoSuchPlace(_("This capability, difficulty or area is not in the project."))
        if not 0 <= n <= MOST_WANTED:
            message = _("A number of questions lies between 0 and %(most)d.")
            raise OutOfRange(message % {"most": MOST_WANTED})


def _write(project: Project, spot: Spot, n: int, cell: PlanCell | None) -> PlanCell:
    if cell is None:
        return PlanCell.objects.create(
            project=project,
            capability_id=spot.capability,
            difficulty=spot.difficulty,
            domain_id=spot.domain,
            wanted=n,
        )
    if n:
        cell.wanted = n
        cell.save(update_fields=["wanted"])
        return cell
    if cell.shares.exists():
        message = _(
            "Somebody was asked for questions of “%(name)s”, %(difficulty)s. "
            "Take that back first, then set the number to 0."
        )
        given = {"name": cell.capability.name, "difficulty": cell.get_difficulty_display()}
        raise StillAssigned(message % given)
    cell.delete()
    return cell


def _record(
    verb: str, share: PlanShare, by: User, now: datetime, *, n: int, due_on: str | None
) -> None:
    cell = share.cell
    audit.record(
        project=cell.project,
        actor=by,
        verb=verb,
        subject=f"plan:{cell.capability_id}/{cell.difficulty}/{cell.domain_id or 'all'}",
        at=now,
        designer=str(share.designer.public_id),
        n=n,
        due_on=due_on,
    )
