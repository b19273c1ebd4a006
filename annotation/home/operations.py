"""One mail a day to whoever asked for it, and only when there is something new.

* Remove what a project keeps for a time only, and nothing else; count beforehand what that would be.
* Start a project from a template: all of it is its own from then on, and can be changed.
"""

import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.contrib.sessions.models import Session
from django.core.mail import send_mail
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import translation
from django.utils.text import slugify

from annotation.bank.checklists import ChecklistLine
from annotation.bankfile.models import BankFile, BankPiece
from annotation.common.pace import Batches
from annotation.common.sentences import gettext as _
from annotation.common.sentences import ngettext
from annotation.domains import operations as plan
from annotation.domains.models import Domain
from annotation.domains.operations import PlanSpot
from annotation.files.models import ImportBatch, Upload, UploadChunk
from annotation.home import queries as home
from annotation.home.queries import Digest
from annotation.imports import uploading
from annotation.inspection import operations as inspecting
from annotation.people import access as failed_tries
from annotation.people import audit
from annotation.people import operations as people
from annotation.people import queries as projects
from annotation.people import tokens as kept_answers
from annotation.people.models import (
    LinkAsked,
    PasswordLink,
    Person,
    Project,
    Role,
    SettingsVersion,
    User,
)
from annotation.people.rules import Section
from annotation.rounds.models import ClaimEvent, Draft, Receipt, Round
from annotation.rubrics import operations as rubrics
from annotation.rubrics.models import Rubric
from evalsite import allowances, errors, panels, queue

logger = logging.getLogger(__name__)

MAIL_EVERY = timedelta(hours=24)
#: So often the sweeper looks whether a mail is due: a mail server that is down is not asked all the time.
LOOK_EVERY = timedelta(minutes=15)
#: Of a short name that is made from a name; the field takes 60, and a number may follow.
LONGEST_STEM = 50
MAIL_JOB = "annotation.jobs.send_mails"
_looked: datetime | None = None


def ring_for_mail(now: datetime) -> None:
    """Have a worker send the mails that are due; called by the sweeper."""
    global _looked
    if _looked is not None and _looked <= now < _looked + LOOK_EVERY:
        return
    _looked = now
    if due(now).exists():
        queue.enqueue(MAIL_JOB, key="mails")


def due(now: datetime) -> "QuerySet[Person]":
    """Return whom to look for news for: they asked, have an address, and were not mailed for a day."""
    waited = Q(mailed_at__isnull=True) | Q(mailed_at__lte=now - MAIL_EVERY)
    return (
        Person.objects.filter(waited, daily_mail=True, user__is_active=True)
        .exclude(email="")
        .select_related("user")
        .order_by("pk")
    )


def send_due(now: datetime) -> int:
    """Send every mail that is due; return how many went out.

    A mail is claimed before it is sent, so two workers never send one twice. One that the mail
    server does not take is due again at the next look; the log says so without the address.
    """
    return sum(_send(person, now) for person in due(now))


def _send(person: Person, now: datetime) -> int:
    with translation.override(projects.language_of(person.user)):
        return _send_worded(person, now)


def _send_worded(person: Person, now: datetime) -> int:
    told = home.digest(person.user, person.mailed_at, person.mailed_sha, now)
    claimed = Person.objects.filter(pk=person.pk, mailed_at=person.mailed_at).update(
        mailed_at=now, mailed_sha=told.waiting_sha
    )
    if not claimed or not told:
        return 0
    try:
        send_mail(subject(told), body(told, person.name), None, [person.email])
    except OSError as problem:  # smtplib's errors are OSErrors as well
        Person.objects.filter(pk=person.pk, mailed_at=now).update(
            mailed_at=person.mailed_at, mailed_sha=person.mailed_sha
        )
        logger.warning("The mail server did not take a daily mail: %s.", type(problem).__name__)
        return 0
    return 1


def subject(told: Digest) -> str:
    count = sum(len(notices_) for _project, notices_ in told.projects)
    return ngettext("%(n)d thing to know", "%(n)d things to know", count) % {"n": count}


def body(told: Digest, name: str) -> str:
    """Return the text of a mail: plain, with links where the site knows its own address."""
    address = settings.SITE_ADDRESS
    lines = [_("Hello %(name)s,") % {"name": name}, ""]
    for project, notices_ in told.projects:
        lines += [project.name, "-" * min(len(project.name), 60), ""]
        for one in notices_:
            lines.append(f"* {one.title}")
            lines += [f"  {line}" for line in one.text.splitlines() if line.strip()]
            lines += [f"  {address}{one.path}"] if address else []
            lines.append("")
    lines.append(_("Stop this mail on the page of your account."))
    return "\n".join(lines) + "\n"


#: The sweeper rings this often.
EVERY = timedelta(hours=1)
JOB = "annotation.jobs.keep_for_a_time"
_rung: datetime | None = None

Rows = Callable[[Project, datetime], "QuerySet[Any]"]


@dataclass(frozen=True)
class KeptRows:
    """Rows that may go: those of a project that were last of use before a moment.

    `beside` are rows that go with each of them, by the name of their foreign key; of rows that stay,
    `emptied` is the field that goes.
    """

    rows: Rows
    beside: tuple[tuple[type[Any], str], ...] = ()
    emptied: str = ""


def _drafts(project: Project, before: datetime) -> "QuerySet[Any]":
    return Draft.objects.filter(
        assignment__round__project=project,
        assignment__round__state=Round.State.FINAL,
        saved_at__lt=before,
    )


def _kept(project: Project, before: datetime) -> "QuerySet[Any]":
    """Return claims that still hold the draft of a seat that went to somebody else."""
    return ClaimEvent.objects.filter(
        assignment__round__project=project,
        assignment__round__state=Round.State.FINAL,
        kept__isnull=False,
        at__lt=before,
    )


def _receipts(project: Project, before: datetime) -> "QuerySet[Any]":
    return Receipt.objects.filter(
        assignment__round__project=project,
        assignment__round__state=Round.State.FINAL,
        at__lt=before,
    )


def _files(project: Project, before: datetime) -> "QuerySet[Any]":
    """Return files that nothing is being made of; an import keeps its name, hash and mapping."""
    busy = ImportBatch.objects.filter(upload=OuterRef("pk")).filter(
        Q(state=ImportBatch.State.STAGED) | Q(undoing=True)
    )
    return Upload.objects.filter(
        ~Exists(busy), Q(report__isnull=True) | ~Q(report__running=True), project=project
    ).filter(created_at__lt=before)


def _bank_files(project: Project, before: datetime) -> "QuerySet[Any]":
    """Return files of whole banks that no worker is at; the audit keeps name and checksum."""
    moving = [BankFile.State.ASKED, BankFile.State.CONFIRMED]
    rows = BankFile.objects.filter(project=project, touched_at__lt=before)
    return rows.exclude(state__in=moving)


#: What is meant by the keys of annotation.people.rules.KEPT; the slot "kept_for_a_time" names them.
DRAFTS = (KeptRows(_drafts), KeptRows(_kept, emptied="kept"))
RECEIPTS = (KeptRows(_receipts),)
FILES = (
    KeptRows(_files, ((UploadChunk, "upload"),)),
    KeptRows(_bank_files, ((BankPiece, "file"),)),
)


def _kinds() -> Mapping[str, tuple[KeptRows, ...]]:
    return panels.supplied("kept_for_a_time")


def count(*, project: Project, days: dict[str, int | None], now: datetime) -> dict[str, int | None]:
    """Return how many rows of each kind would go now; None where nothing is to go."""
    return {
        key: None
        if n is None
        else sum(kind.rows(project, now - timedelta(days=n)).count() for kind in kinds)
        for key, kinds in _kinds().items()
        for n in [days.get(key)]
    }


def sweep(*, now: datetime) -> int:
    """Remove what is kept for a time only and has had it, in every project; return how many rows."""
    Session.objects.filter(expire_date__lt=now).delete()
    LinkAsked.objects.filter(at__lt=now - timedelta(days=1)).delete()
    PasswordLink.objects.filter(expires_at__lt=now - timedelta(days=1)).delete()
    failed_tries.forget(now=now)
    uploading.forget_halves(now=now)
    while kept_answers.forget(now=now):
        pass
    told = SettingsVersion.objects.filter(section=Section.RETENTION).values("project")
    return sum(tidy(project=one, now=now) for one in Project.objects.filter(pk__in=told))


def tidy(*, project: Project, now: datetime) -> int:
    """Remove what a project keeps for a time only; the audit says how much of what."""
    days, kinds = projects.retention_of(project).days, _kinds()
    removed = {
        key: sum(_remove(kind, project, now - timedelta(days=n)) for kind in kinds.get(key, ()))
        for key, n in days.items()
    }
    gone = {key: n for key, n in removed.items() if n}
    if gone:
        audit.record(
            project=project,
            actor=None,
            verb="retention.removed",
            subject="settings:retention",
            at=now,
            removed=gone,
            days={key: days[key] for key in gone},
        )
    return sum(gone.values())


def _remove(kind: KeptRows, project: Project, before: datetime) -> int:
    pace, removed = Batches(start=100, breath=0.3), 0
    while pks := list(
        kind.rows(project, before).order_by("pk").values_list("pk", flat=True)[: pace.size]
    ):
        for batch in pace.batches(pks):
            removed += _take(kind, project, before, batch)
    return removed


def _take(kind: KeptRows, project: Project, before: datetime, pks: list[int]) -> int:
    for model, name in kind.beside:
        for pk in pks:
            _pieces(model, name, pk)
    with transaction.atomic():
        found = kind.rows(project, before).filter(pk__in=pks)
        n = found.count()
        if kind.emptied:
            found.update(**{kind.emptied: None})
        else:
            found.delete()
    return n


def _pieces(model: type[Any], name: str, pk: int) -> None:
    """Take large rows away a few at a time."""
    while some := list(model.objects.filter(**{name: pk}).values_list("pk", flat=True)[:20]):
        model.objects.filter(pk__in=some).delete()


def ring(now: datetime) -> None:
    """Have a worker remove what has had its time; called by the sweeper."""
    global _rung
    if _rung is not None and _rung <= now < _rung + EVERY:
        return
    _rung = now
    queue.enqueue(JOB, queue="bulk", key="retention")


#: So many projects one person starts within a day.
MOST_A_DAY = 20


class NoSuchTemplate(errors.Invalid): ...


class MayNotStart(errors.NotAllowed):
    code = "may_not_start_projects"


class NameReserved(errors.Invalid): ...


class TooMany(errors.Conflict):
    code = "too_many_projects"


@transaction.atomic
def start_project(
    *, template: str, slug: str, name: str, by: User, now: datetime, subtitle: str = ""
) -> Project:
    """Start a project; with a template's key it begins with what stands in that.

    Without a short name, one is made from the name.

    Raises:
        MayNotStart: the operator does not let this person.
        TooMany: they have started many within a day.
        NameReserved: the operator keeps this short name for a project with rights of its own.
        people.NameTaken: another project has this short name.
        NoSuchTemplate: there is none of this key.
    """
    slug = slug or _short_name(name)
    _check_right(slug, by, now)
    project = people.create_project(slug=slug, name=name, subtitle=subtitle, by=by, now=now)
    if not template:
        return project
    found = home.find(template)
    if found is None:
        names = ", ".join(one.key for one in home.list_templates())
        message = _("There is no such template. There are: %(names)s.") % {"names": names}
        raise NoSuchTemplate(message, fields={"template": [message]})
    body = found.body
    rubrics.load_fixture(project=project, entries=body["rubrics"], by=by, now=now)
    capabilities = _capabilities(project, body["capabilities"], by, now)
    domains: dict[str, int] = {}
    _domains(project, body["domains"], None, domains, by, now)
    if body["checklist"]:
        base = inspecting.current_checklist(project=project, now=now)
        lines = [ChecklistLine(*one) for one in body["checklist"]]
        inspecting.save_checklist(project=project, lines=lines, base=base, by=by, now=now)
    wanted = {
        PlanSpot(
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


def _short_name(name: str) -> str:
    """Return the first short name of a name that is free, as in harbour-desk-2."""
    stem = slugify(name)[:LONGEST_STEM].strip("-_") or "project"
    used = Project.objects.filter(slug__istartswith=stem).values_list("slug", flat=True)
    taken = {one.casefold() for one in (*used, *allowances.reserved())}
    names = (stem, *(f"{stem}-{n}" for n in range(2, len(taken) + 3)))
    return next(one for one in names if one.casefold() not in taken)


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
        text = plan.CapabilityText(
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
        saved = plan.save_capability(project=project, text=text, by=by, now=now)
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
        text = plan.DomainText(
            name=one["name"],
            parent=parent,
            definition=one["note"],
            completeness_note=one["completeness"],
            priority=one["priority"],
            in_scope=one["in_scope"],
        )
        node = plan.save_domain(project=project, text=text, by=by, now=now)
        made[one["name"]] = node.pk
        _domains(project, one["children"], node, made, by, now)
