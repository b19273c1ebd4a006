"""Write what is evaluated: capabilities and domains, as trees."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.db import transaction
from django.db.models import ProtectedError
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.models import Capability, Domain, Priority, Project, QuestionType, Rubric, User
from annotation.operations import audit
from evalsite import errors


class NameTaken(errors.Invalid):
    code = "name_taken"


class BelowItself(errors.Invalid):
    code = "below_itself"


class StillUsed(errors.Conflict):
    code = "still_used"


@dataclass(frozen=True)
class CapabilityText:
    """Everything a person says of a capability."""

    name: str
    parent: Capability | None = None
    kind: str = Capability.Kind.DOMAIN
    definition: str = ""
    difficulties: Mapping[str, str] = field(default_factory=dict)
    weight: Decimal = Decimal(1)
    question_type: str = QuestionType.FACTUAL
    rubric: Rubric | None = None


@dataclass(frozen=True)
class DomainText:
    name: str
    parent: Domain | None = None
    priority: str = Priority.P1
    in_scope: bool = True


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
    values: dict[str, Any] = {
        "parent": text.parent,
        "name": text.name,
        "kind": text.kind,
        "definition": text.definition,
        "difficulties": {key: value for key, value in text.difficulties.items() if value},
        "weight": text.weight,
        "question_type": text.question_type,
        "rubric": text.rubric,
    }
    if old is None:
        position = Capability.objects.filter(project=project).count()
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
    _refuse_used(capability.name, capability.items.count(), capability.children.count())
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
    values: dict[str, Any] = {
        "parent": text.parent,
        "name": text.name,
        "priority": text.priority,
        "in_scope": text.in_scope,
    }
    if old is None:
        position = Domain.objects.filter(project=project).count()
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
    _refuse_used(domain.name, domain.items.count(), domain.children.count())
    _record("domain.removed", domain, by, now, name=domain.name)
    _delete(domain)


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
        raise NameTaken(message % {"name": name}, fields={"name": [message % {"name": name}]})


def _refuse_circle(parent: Capability | Domain | None, old: Capability | Domain | None) -> None:
    above = parent
    while above is not None and old is not None:
        if above.pk == old.pk:
            message = _("This would put it below itself. Choose another place.")
            raise BelowItself(message, fields={"parent": [message]})
        above = above.parent


def _refuse_used(name: str, n_items: int, n_children: int) -> None:
    if n_children:
        message = ngettext(
            "%(name)s has %(n)d part. Remove that first, or move it elsewhere.",
            "%(name)s has %(n)d parts. Remove those first, or move them elsewhere.",
            n_children,
        )
        raise StillUsed(message % {"name": name, "n": n_children})
    if n_items:
        message = ngettext(
            "%(n)d question belongs to %(name)s, which therefore stays. Rename it instead.",
            "%(n)d questions belong to %(name)s, which therefore stays. Rename it instead.",
            n_items,
        )
        raise StillUsed(message % {"name": name, "n": n_items})


def _delete(node: Capability | Domain) -> None:
    try:
        node.delete()
    except ProtectedError as problem:
        message = _("%(name)s is used in a round and therefore stays. Rename it instead.")
        raise StillUsed(message % {"name": node.name}) from problem


def _record(verb: str, node: Capability | Domain, by: User, now: datetime, **data: Any) -> None:
    kind = verb.partition(".")[0]
    audit.record(
        project=node.project, actor=by, verb=verb, subject=f"{kind}:{node.pk}", at=now, **data
    )
