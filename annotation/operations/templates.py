"""Start a project from a template: all of it is its own from then on, and can be changed."""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from annotation.models import Domain, Project, Role, Rubric, User
from annotation.operations import audit, people, plan, taxonomy
from annotation.operations.bank import inspecting
from annotation.operations.plan import Spot
from annotation.queries import projects
from annotation.queries import templates as reads
from annotation.rubrics import operations as rubrics
from annotation.rules.checklists import Line
from evalsite import allowances, errors

#: So many projects one person starts within a day.
MOST_A_DAY = 20


class NoSuchTemplate(errors.Invalid):
    code = "no_such_template"


class MayNotStart(errors.NotAllowed):
    code = "may_not_start_projects"


class NameReserved(errors.Invalid):
    code = "name_reserved"


class TooMany(errors.Conflict):
    code = "too_many_projects"


@transaction.atomic
def start_project(
    *, template: str, slug: str, name: str, by: User, now: datetime, subtitle: str = ""
) -> Project:
    """Start a project; with a template's key it begins with what stands in that.

    Raises:
        MayNotStart: the operator does not let this person.
        TooMany: they have started many within a day.
        NameReserved: the operator keeps this short name for a project with rights of its own.
        people.NameTaken: another project has this short name.
        NoSuchTemplate: there is none of this key.
    """
    _check_right(slug, by, now)
    project = people.create_project(slug=slug, name=name, subtitle=subtitle, by=by, now=now)
    if not template:
        return project
    found = reads.find(template)
    if found is None:
        names = ", ".join(one.key for one in reads.list_templates())
        message = _("There is no such template. There are: %(names)s.") % {"names": names}
        raise NoSuchTemplate(message, fields={"template": [message]})
    body = found.body
    rubrics.load_fixture(project=project, entries=body["rubrics"], by=by, now=now)
    capabilities = _capabilities(project, body["capabilities"], by, now)
    domains: dict[str, int] = {}
    _domains(project, body["domains"], None, domains, by, now)
    if body["checklist"]:
        base = inspecting.current_checklist(project=project, now=now)
        lines = [Line(*one) for one in body["checklist"]]
        inspecting.save_checklist(project=project, lines=lines, base=base, by=by, now=now)
    wanted = {
        Spot(
            capabilities[one["capability"]],
            one["difficulty"].upper(),
            domains[one["domain"]] if "domain" in one else None,
        ): one["wanted"]
        for one in body["plan"]
    }
    plan.set_wanted(project=project, wanted=wanted, by=by, now=now)
    subject = f"project:{slug}"
    audit.record(
        project=project,
        actor=by,
        verb="project.from_template",
        subject=subject,
        at=now,
        template=found.key,
    )
    return project


def refuse_starter(by: User) -> None:
    """Refuse somebody who may start no project, before anything is looked at that they gave.

    Raises:
        MayNotStart: says how to come to one.
    """
    if not projects.may_start(by):
        raise MayNotStart(projects.how_to_start())


def _check_right(slug: str, by: User, now: datetime) -> None:
    refuse_starter(by)
    if by.is_superuser:
        return
    if slug.casefold() in {one.casefold() for one in allowances.reserved()}:
        message = _("The operator keeps this short name. Choose another one, or ask an operator.")
        raise NameReserved(message, fields={"slug": [message]})
    lately = Project.objects.filter(
        memberships__user=by, memberships__role=Role.OWNER, created_at__gt=now - timedelta(days=1)
    )
    if lately.count() >= MOST_A_DAY:
        said = _("You have started %(n)d projects since yesterday. Go on tomorrow.")
        raise TooMany(said % {"n": MOST_A_DAY})


def _capabilities(
    project: Project, entries: Iterable[Mapping[str, Any]], by: User, now: datetime
) -> dict[str, int]:
    found = {one.key: one for one in Rubric.objects.filter(project=project)}
    made = {}
    for one in entries:
        text = taxonomy.CapabilityText(
            name=one["name"],
            kind=one["kind"].upper(),
            definition=one["definition"],
            difficulties={
                key.upper(): {"definition": words, "example": one["examples"][key]}
                for key, words in one["difficulties"].items()
            },
            weight=Decimal(str(one["weight"])),
            question_type=one["type"].upper(),
            rubric=found[one["rubric"]],
        )
        saved = taxonomy.save_capability(project=project, text=text, by=by, now=now)
        made[one["name"]] = saved.pk
    return made


def _domains(
    project: Project,
    entries: Iterable[Mapping[str, Any]],
    parent: Domain | None,
    made: dict[str, int],
    by: User,
    now: datetime,
) -> None:
    for one in entries:
        text = taxonomy.DomainText(
            name=one["name"],
            parent=parent,
            definition=one["note"],
            completeness_note=one["completeness"],
            priority=one["priority"],
            in_scope=one["in_scope"],
        )
        node = taxonomy.save_domain(project=project, text=text, by=by, now=now)
        made[one["name"]] = node.pk
        _domains(project, one["children"], node, made, by, now)
