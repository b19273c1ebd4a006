"""Write what is evaluated: capabilities and domains, as trees whose nodes can be moved.

* Write the question plan: how many of each kind are wanted, and who writes them until when.
"""

from collections.abc import Mapping
from datetime import date, datetime
from typing import Any, TypeVar

from django.db import transaction
from django.db.models import Max, ProtectedError

from annotation.common import trees
from annotation.common.sentences import gettext as _
from annotation.common.sentences import ngettext
from annotation.domains.models import (
    Capability,
    Difficulty,
    Domain,
    PlanCell,
    PlanShare,
)
from annotation.domains.plan import WRITERS
from annotation.domains.records import MOST_WANTED as MOST_WANTED
from annotation.domains.records import CapabilityText as CapabilityText
from annotation.domains.records import DomainText as DomainText
from annotation.domains.records import PlanSpot as PlanSpot
from annotation.people import audit
from annotation.people.models import Membership, Project, User
from evalsite import errors, records

N = TypeVar("N", Capability, Domain)


class BelowItself(errors.Invalid): ...


class NoSuchStep(errors.Conflict): ...


@transaction.atomic
def save_capability(
    *,
    project: Project,
    text: CapabilityText,
    by: User,
    now: datetime,
    old: Capability | None = None,
) -> Capability:
    """Add a capability, or change the one given as `old`.

    Raises:
        NameTaken: a sibling has this name.
        BelowItself: the parent lies below the capability itself.
    """
    _refuse_double(Capability, project, text.name, text.parent, old)
    _refuse_circle(text.parent, old)
    values = {**records.values(text), "difficulties": _difficulties(text.difficulties)}
    if old is None:
        position = _end(Capability, project)
        capability = Capability.objects.create(project=project, position=position, **values)
    else:
        capability = Capability.objects.select_for_update().get(pk=old.pk, project=project)
        for name, value in values.items():
            setattr(capability, name, value)
        capability.save(update_fields=list(values))
    verb = "capability.changed" if old else "capability.added"
    rubric = text.rubric.key if text.rubric else None
    _record(verb, capability, by, now, weight=str(text.weight), rubric=rubric)
    return capability


@transaction.atomic
def remove_capability(*, capability: Capability, by: User, now: datetime) -> None:
    """Take away a capability that nothing uses.

    Raises:
        StillUsed: questions, rounds or other capabilities use it.
    """
    _refuse_used(capability)
    _record("capability.removed", capability, by, now, name=capability.name)
    _delete(capability)


@transaction.atomic
def save_domain(
    *, project: Project, text: DomainText, by: User, now: datetime, old: Domain | None = None
) -> Domain:
    """Add a subject area, or change the one given as `old`.

    Raises:
        NameTaken: a sibling has this name.
        BelowItself: the parent lies below the area itself.
    """
    _refuse_double(Domain, project, text.name, text.parent, old)
    _refuse_circle(text.parent, old)
    values = records.values(text)
    if old is None:
        position = _end(Domain, project)
        domain = Domain.objects.create(project=project, position=position, **values)
    else:
        domain = Domain.objects.select_for_update().get(pk=old.pk, project=project)
        for name, value in values.items():
            setattr(domain, name, value)
        domain.save(update_fields=list(values))
    verb = "domain.changed" if old else "domain.added"
    _record(verb, domain, by, now, priority=str(text.priority), in_scope=text.in_scope)
    return domain


@transaction.atomic
def remove_domain(*, domain: Domain, by: User, now: datetime) -> None:
    """Take away a subject area that nothing uses.

    Raises:
        StillUsed: questions or other areas use it.
    """
    _refuse_used(domain)
    _record("domain.removed", domain, by, now, name=domain.name)
    _delete(domain)


@transaction.atomic
def move(*, node: N, parent: N | None, before: N | None, by: User, now: datetime) -> N:
    """Put a capability or an area below another one, or at the top, and before one of its parts.

    Without `before` it becomes the last.

    Raises:
        BelowItself: the parent lies below the node itself.
        NameTaken: there is one of this name at the new place.
    """
    model = type(node)
    node = model._default_manager.select_for_update().get(pk=node.pk)
    _refuse_circle(parent, node)
    _refuse_double(model, node.project, node.name, parent, node)
    siblings = model._default_manager.filter(project=node.project, parent=parent)
    row = list(siblings.exclude(pk=node.pk).order_by("position", "name"))
    place = next((rank for rank, one in enumerate(row) if before and one.pk == before.pk), len(row))
    row.insert(place, node)
    node.parent = parent
    for position, one in enumerate(row):
        one.position = position
    model._default_manager.bulk_update(row, ["position", "parent"])
    kind = model.__name__.lower()
    _record(f"{kind}.moved", node, by, now, parent=parent.pk if parent else None, position=place)
    return node


@transaction.atomic
def step(*, node: N, step: trees.TreeStep, by: User, now: datetime) -> N:
    """Move a capability or an area by one: up, down, into the one before it, or out.

    Raises:
        NoSuchStep: it is the first, the last, or at the top already.
        NameTaken: there is one of this name at the new place.
    """
    model = type(node)
    nodes = {
        one.pk: one
        for one in model._default_manager.filter(project=node.project).order_by("position", "name")
    }
    place = trees.place_after(
        [trees.TreeNode(one.pk, one.parent_id) for one in nodes.values()], node.pk, step
    )
    if place is None:
        message = _("%(name)s cannot be moved that way from where it stands.")
        raise NoSuchStep(message % {"name": node.name})
    parent = nodes[place.parent] if place.parent is not None else None
    before = nodes[place.before] if place.before is not None else None
    return move(node=node, parent=parent, before=before, by=by, now=now)


def _refuse_double(
    model: type[Capability] | type[Domain],
    project: Project,
    name: str,
    parent: Capability | Domain | None,
    old: Capability | Domain | None,
) -> None:
    same = model._default_manager.filter(project=project, name=name)
    same = same.filter(parent_id=parent.pk) if parent else same.filter(parent=None)
    if same.first() not in {None, old}:
        message = _("There is one called “%(name)s” at this place already. Choose another name.")
        raise errors.NameTaken(
            message % {"name": name}, fields={"name": [message % {"name": name}]}
        )


def _refuse_circle(parent: Capability | Domain | None, old: Capability | Domain | None) -> None:
    above = parent
    while above is not None and old is not None:
        if above.pk == old.pk:
            message = _("This would put it below itself. Choose another place.")
            raise BelowItself(message, fields={"parent": [message]})
        above = above.parent


def _refuse_used(node: Capability | Domain) -> None:
    n_children = node.children.count()
    if n_children:
        message = ngettext(
            "%(name)s has %(n)d part. Remove that first, or move it elsewhere.",
            "%(name)s has %(n)d parts. Remove those first, or move them elsewhere.",
            n_children,
        )
        raise errors.StillUsed(message % {"name": node.name, "n": n_children})
    n_questions = node.items.count() or node.versions.values("question").distinct().count()
    if n_questions:
        message = ngettext(
            "%(n)d question belongs to %(name)s, which therefore stays. Rename it instead.",
            "%(n)d questions belong to %(name)s, which therefore stays. Rename it instead.",
            n_questions,
        )
        raise errors.StillUsed(message % {"name": node.name, "n": n_questions})
    if node.plan_cells.exists():
        message = _("The plan wants questions of %(name)s. Set those numbers to 0 first.")
        raise errors.StillUsed(message % {"name": node.name})


def _delete(node: Capability | Domain) -> None:
    try:
        node.delete()
    except ProtectedError as problem:
        message = _("%(name)s is used in a round and therefore stays. Rename it instead.")
        raise errors.StillUsed(message % {"name": node.name}) from problem


def _difficulties(given: Mapping[str, Mapping[str, str] | str]) -> dict[str, dict[str, str]]:
    """Return what is kept of the difficulties: what is said of them, and nothing empty."""
    said = {
        code: {"definition": words} if isinstance(words, str) else dict(words)
        for code, words in given.items()
    }
    kept = {code: {name: text for name, text in one.items() if text} for code, one in said.items()}
    return {code: one for code, one in kept.items() if one}


def _end(model: type[N], project: Project) -> int:
    """Return the position after all others."""
    last = model._default_manager.filter(project=project).aggregate(last=Max("position"))["last"]
    return 0 if last is None else int(last) + 1


def _record(verb: str, node: Capability | Domain, by: User, now: datetime, **data: Any) -> None:
    kind = verb.partition(".")[0]
    audit.record(
        project=node.project, actor=by, verb=verb, subject=f"{kind}:{node.pk}", at=now, **data
    )


class NoSuchPlace(errors.Invalid): ...


class OutOfRange(errors.Invalid): ...


class StillAssigned(errors.Conflict): ...


class NoWriter(errors.Invalid): ...


@transaction.atomic
def set_wanted(
    *, project: Project, wanted: Mapping[PlanSpot, int], by: User, now: datetime
) -> list[PlanCell]:
    """Write how many questions are wanted; 0 takes a number away. Return the cells that changed.

    Raises:
        NoSuchPlace: a capability or a domain is not of this project, or a difficulty unknown.
        OutOfRange: a number is below 0 or far too large.
        StillAssigned: somebody was asked for questions of a cell that is to go.
    """
    _refuse_unknown(project, wanted)
    old = {
        PlanSpot(cell.capability_id, cell.difficulty, cell.domain_id): cell
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
    _record_plan("plan.assigned", share, by, now, n=n, due_on=due)
    return share


@transaction.atomic
def release(*, share: PlanShare, by: User, now: datetime) -> None:
    """Take back what somebody was asked for; what they have written stays."""
    _record_plan("plan.released", share, by, now, n=share.n, due_on=None)
    share.delete()


def _refuse_unknown(project: Project, wanted: Mapping[PlanSpot, int]) -> None:
    capabilities = set(Capability.objects.filter(project=project).values_list("pk", flat=True))
    domains = set(Domain.objects.filter(project=project).values_list("pk", flat=True))
    for spot, n in wanted.items():
        known = spot.capability in capabilities and spot.difficulty in Difficulty.values
        if not known or (spot.domain is not None and spot.domain not in domains):
            raise NoSuchPlace(_("This capability, difficulty or area is not in the project."))
        if not 0 <= n <= MOST_WANTED:
            message = _("A number of questions lies between 0 and %(most)d.")
            raise OutOfRange(message % {"most": MOST_WANTED})


def _write(project: Project, spot: PlanSpot, n: int, cell: PlanCell | None) -> PlanCell:
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


def _record_plan(
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
