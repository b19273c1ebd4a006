"""Accounts, projects and who belongs to them.

* What operators of the installation decide about accounts.
* Set a section of a project's settings: each change is a version, and the audit says what it was before.
"""

import re
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.text import slugify
from django.utils.translation import gettext as _

from annotation.people import audit, rights
from annotation.people import queries as people
from annotation.people.models import (
    AuditEvent,
    Membership,
    Person,
    Project,
    Rater,
    RaterKind,
    Role,
    SettingsVersion,
    User,
)
from annotation.people.rules import Bank, Masks, Retention, Section, Verdicts
from evalsite import errors
from evalsite.outside import pictures
from evalsite.records import plain
from evalsite.web import languages

#: So many accounts one person makes within a day.
ACCOUNTS_A_DAY = 200
#: So many signs of a name make a user name, before what tells it from others.
LONGEST_STEM = 60


#: What a user name is made of; they are typed, and told by phone.
USER_NAME = re.compile(r"[\w.@+-]+")


class BadUserName(errors.Invalid): ...


class WeakPassword(errors.Invalid): ...


class WrongPassword(errors.Invalid): ...


class NotYourAccount(errors.NotAllowed): ...


class NoSuchAccount(errors.Invalid): ...


class TooManyAccounts(errors.Conflict): ...


class LastOwner(errors.Conflict): ...


@transaction.atomic
def create_account(
    *,
    username: str,
    name: str,
    password: str,
    by: User | None,
    now: datetime,
    email: str = "",
    public_id: UUID | None = None,
    may_start_projects: bool = False,
) -> User:
    """Make an account and the person behind it.

    Args:
        username: to sign in with; empty: made from the name.
        name: how others see the person.
        password: checked for its strength.
        by: who makes it for somebody else, who must set a password of their own at first; None for
            the command line, and for whoever makes their own.
        now: the clock.
        email: may be empty.
        public_id: the pseudonym, by which orders are drawn; by chance unless it is given.
        may_start_projects: whether they may, without owning one: the first account of a site.

    Raises:
        BadUserName: it is made of other signs than letters, digits and . @ + - _
        NameTaken: somebody has this user name.
        WeakPassword: the password is too easy to guess.
    """
    username = username or free_user_name(name)
    if USER_NAME.fullmatch(username) is None:
        message = _("Use letters, digits and . @ + - _ only.")
        raise BadUserName(message, fields={"username": [message]})
    if User.objects.filter(username__iexact=username).exists():
        message = _("This user name is taken. Choose another one.")
        raise errors.NameTaken(message, fields={"username": [message]})
    _check_strength(password, User(username=username), field="password")
    user = User.objects.create_user(
        username,
        password,
        public_id=public_id or uuid4(),
        may_start_projects=may_start_projects,
        must_set_password=by is not None,
    )
    Person.objects.create(user=user, name=name, email=email)
    audit.record(
        project=None, actor=by, verb="account.created", subject=f"user:{user.public_id}", at=now
    )
    return user


def free_user_name(name: str) -> str:
    """Return the first user name of a name that is free, as in anna.berg2."""
    words = slugify(name) or slugify(name, allow_unicode=True)
    stem = words.replace("-", ".").strip("._")[:LONGEST_STEM] or "user"
    used = User.objects.filter(username__istartswith=stem).values_list("username", flat=True)
    taken = {one.casefold() for one in used}
    names = (stem, *(f"{stem}{n}" for n in range(2, len(taken) + 3)))
    return next(one for one in names if one.casefold() not in taken)


@transaction.atomic
def create_project(*, slug: str, name: str, by: User, now: datetime, subtitle: str = "") -> Project:
    """Start a project; whoever does owns it.

    Raises:
        NameTaken: another project has this short name, in small letters or capitals.
    """
    if Project.objects.filter(slug__iexact=slug).exists():
        message = _("Another project has this short name. Choose another one.")
        raise errors.NameTaken(message, fields={"slug": [message]})
    project = Project.objects.create(slug=slug, name=name, subtitle=subtitle, created_at=now)
    audit.record(
        project=project, actor=by, verb="project.created", subject=f"project:{slug}", at=now
    )
    grant(project=project, user=by, role=Role.OWNER, by=by, now=now)
    return project


@transaction.atomic
def edit_project(*, project: Project, name: str, subtitle: str, by: User, now: datetime) -> None:
    """Change what a project is called; its short name stays, links lead by it."""
    old = Project.objects.select_for_update().get(pk=project.pk)
    if (old.name, old.subtitle) == (name, subtitle):
        return
    Project.objects.filter(pk=old.pk).update(name=name, subtitle=subtitle)
    audit.done(old, "project.renamed", by, now, old=[old.name, old.subtitle], new=[name, subtitle])


@transaction.atomic
def set_up_project(
    *,
    project: Project,
    name: str,
    subtitle: str,
    note: str,
    picture_hosts: Sequence[str],
    language: str,
    by: User,
    now: datetime,
) -> None:
    """Change what the settings of a project hold."""
    set_language(project=project, language=language, by=by, now=now)
    edit_project(project=project, name=name, subtitle=subtitle, by=by, now=now)
    tell_annotators(project=project, note=note, by=by, now=now)
    allow_pictures(project=project, hosts=picture_hosts, by=by, now=now)


@transaction.atomic
def allow_pictures(*, project: Project, hosts: Sequence[str], by: User, now: datetime) -> None:
    """Have the pictures of these hosts shown in answers, and of no others.

    Raises:
        BadHosts: one of them is no host.
    """
    named = pictures.read_hosts(hosts)
    old = Project.objects.select_for_update().get(pk=project.pk)
    if old.picture_hosts == named:
        return
    Project.objects.filter(pk=old.pk).update(picture_hosts=named)
    audit.done(old, "project.picture_hosts", by, now, old=old.picture_hosts, new=named)


class NoSuchLanguage(errors.Invalid): ...


def check_language(code: str) -> None:
    """Refuse a language that is not offered; "" is none.

    Raises:
        NoSuchLanguage: says which there are.
    """
    offered = languages.offered()
    if code and code not in offered:
        said = _("This language is not offered. Choose one of: %(codes)s.")
        message = said % {"codes": ", ".join(offered)}
        raise NoSuchLanguage(message, fields={"language": [message]})


@transaction.atomic
def set_language(*, project: Project, language: str, by: User, now: datetime) -> None:
    """Have the pages of a project be in a language for whoever has chosen none.

    Raises:
        NoSuchLanguage: it is not offered.
    """
    check_language(language)
    old = Project.objects.select_for_update().get(pk=project.pk)
    if old.language == language:
        return
    Project.objects.filter(pk=old.pk).update(language=language)
    audit.done(old, "project.language", by, now, old=old.language, new=language)


def keep_language(*, user: User, language: str) -> None:
    """Have every page that somebody opens be in this language.

    Raises:
        NoSuchLanguage: it is not offered.
    """
    check_language(language)
    if user.language != language:
        user.language = language
        user.save(update_fields=["language"])


@transaction.atomic
def tell_annotators(*, project: Project, note: str, by: User, now: datetime) -> None:
    """Put a note on the list of everybody who grades in the project, or take it away."""
    old = Project.objects.select_for_update().get(pk=project.pk)
    if old.note == note:
        return
    Project.objects.filter(pk=old.pk).update(note=note, noted_at=now if note else None)
    audit.done(old, "project.note_to_annotators", by, now, note=note)


@transaction.atomic
def edit_person(
    *, user: User, name: str, email: str, now: datetime, daily_mail: bool = False
) -> Person:
    """Change one's own name and address. What they were is kept nowhere."""
    person, _created = Person.objects.update_or_create(
        user=user, defaults={"name": name, "email": email, "daily_mail": daily_mail}
    )
    audit.record(
        project=None, actor=user, verb="person.changed", subject=f"user:{user.public_id}", at=now
    )
    return person


def set_password(
    *, user: User, new: str, field: str, by: User | None, now: datetime, but: str = ""
) -> None:
    """Put another password in place of somebody's; what got in by the old one is let in no more.

    Args:
        field: under which a refusal is shown.
        by: if it is somebody else, the person must set another one at their next sign-in; None, the
            command line, leaves that as it is.
        but: the session that stays.

    Raises:
        WeakPassword: it is too easy to guess.
    """
    _check_strength(new, user, field=field)
    user.set_password(new)
    if by is not None:
        user.must_set_password = by.pk != user.pk
    user.save(update_fields=["password", "must_set_password"])
    rights.end_with_password(user=user, by=by, now=now, but=but)


@transaction.atomic
def reset_password(*, user: User, new: str, by: User | None, now: datetime) -> None:
    """Give a new password to somebody whose account is still in one's hands.

    Owning a project is not enough: anybody may be added to one.

    Args:
        by: None for whoever has a shell on the machine.

    Raises:
        NotYourAccount: somebody else made the account, or it is the person's own by now.
        WeakPassword: the password is too easy to guess.
    """
    if by is not None and not people.keeps_account(by=by, user=user):
        raise NotYourAccount(people.who_keeps())
    set_password(user=user, new=new, field="password", by=by, now=now)
    audit.record(
        project=None, actor=by, verb="password.reset", subject=f"user:{user.public_id}", at=now
    )


@transaction.atomic
def add_account(
    *,
    project: Project,
    username: str,
    name: str,
    password: str,
    roles: Iterable[Role],
    by: User,
    now: datetime,
) -> User:
    """Make an account and give it roles in a project at once.

    Raises:
        NameTaken: somebody has this user name.
        WeakPassword: the password is too easy to guess.
        TooManyAccounts: this person has made many accounts within a day.
    """
    made = AuditEvent.objects.filter(
        project=None, verb="account.created", actor=by.public_id, at__gt=now - timedelta(days=1)
    )
    if not by.is_superuser and made.count() >= ACCOUNTS_A_DAY:
        said = _("You have made %(n)d accounts since yesterday. Invite people by link instead.")
        raise TooManyAccounts(said % {"n": ACCOUNTS_A_DAY})
    user = create_account(username=username, name=name, password=password, by=by, now=now)
    for role in sorted(roles):
        grant(project=project, user=user, role=role, by=by, now=now)
    return user


@transaction.atomic
def add_member(
    *, project: Project, username: str, roles: Iterable[Role], by: User, now: datetime
) -> User:
    """Give roles to somebody who has an account; roles they have already stay.

    Raises:
        NoSuchAccount: nobody has this user name.
    """
    user = User.objects.filter(username__iexact=username, is_active=True).first()
    if user is None:
        message = _("Nobody has this user name. Check how it is spelt, or create an account below.")
        raise NoSuchAccount(message, fields={"username": [message]})
    for role in sorted(roles):
        grant(project=project, user=user, role=role, by=by, now=now)
    return user


@transaction.atomic
def grant(*, project: Project, user: User, role: Role, by: User, now: datetime) -> Membership:
    """Give somebody a role, or give it back after it had ended. Having it already changes nothing."""
    membership, created = Membership.objects.get_or_create(
        project=project, user=user, role=role, defaults={"created_at": now}
    )
    revived = 0
    if not created:
        revived = Membership.objects.filter(pk=membership.pk, ended_at__isnull=False).update(
            ended_at=None
        )
        membership.ended_at = None
    if role is Role.ANNOTATOR:
        rater_of(project=project, user=user, now=now)
    if created or revived:
        audit.record(
            project=project,
            actor=by,
            verb="role.granted",
            subject=f"user:{user.public_id}",
            at=now,
            role=str(role),
        )
    return membership


@transaction.atomic
def revoke(*, project: Project, user: User, role: Role, by: User, now: datetime) -> None:
    """End a role, and what rested on it.

    Raises:
        LastOwner: nobody else owns the project.
    """
    owners = list(
        Membership.objects.select_for_update().filter(
            project=project, role=Role.OWNER, ended_at__isnull=True
        )
    )
    if role is Role.OWNER and [row.user_id for row in owners] == [user.pk]:
        raise LastOwner(
            _("A project needs an owner. Make somebody else an owner first, then end this role.")
        )
    ended = Membership.objects.filter(
        project=project, user=user, role=role, ended_at__isnull=True
    ).update(ended_at=now)
    if ended:
        audit.record(
            project=project,
            actor=by,
            verb="role.ended",
            subject=f"user:{user.public_id}",
            at=now,
            role=str(role),
        )
        rights.end_with_role(project=project, user=user, role=role, by=by, now=now)


def set_roles(
    *, project: Project, user: User, roles: Iterable[Role], by: User, now: datetime
) -> None:
    """Make exactly these the roles of somebody in a project."""
    wanted = set(roles)
    held = {
        Role(role)
        for role in Membership.objects.active()
        .filter(project=project, user=user)
        .values_list("role", flat=True)
    }
    with transaction.atomic():
        for role in sorted(wanted - held):
            grant(project=project, user=user, role=role, by=by, now=now)
        for role in sorted(held - wanted):
            revoke(project=project, user=user, role=role, by=by, now=now)


def rater_of(*, project: Project, user: User, now: datetime) -> Rater:
    """Return the row under which a person's grades are counted in a project."""
    rater, _created = Rater.objects.get_or_create(
        project=project,
        kind=RaterKind.PERSON,
        ref=str(user.public_id),
        defaults={"user": user, "created_at": now},
    )
    return rater


def _check_strength(password: str, user: User, field: str) -> None:
    try:
        validate_password(password, user)
    except ValidationError as problem:
        messages = list(problem.messages)
        raise WeakPassword(" ".join(messages), fields={field: messages}) from problem


class LastOperator(errors.Conflict): ...


class NotAnOperator(errors.NotAllowed): ...


@transaction.atomic
def set_account(
    *,
    user: User,
    is_active: bool,
    is_operator: bool,
    by: User | None,
    now: datetime,
    may_start_projects: bool | None = None,
) -> User:
    """Let an account sign in or not, start projects or not, and make it an operator's or not.

    Args:
        may_start_projects: without owning one; None leaves it as it is.
        by: an operator; None for whoever has a shell on the machine.

    Raises:
        NotAnOperator: only operators decide this.
        LastOperator: nobody would be left who can sign in as an operator.
    """
    if by is not None and not (by.is_active and by.is_superuser):
        raise NotAnOperator(_("Only operators decide this."))
    User.objects.select_for_update().filter(is_superuser=True).count()
    account = User.objects.select_for_update().get(pk=user.pk)
    if may_start_projects is None:
        may_start_projects = account.may_start_projects
    was = account.is_active, account.is_superuser
    if (*was, account.may_start_projects) == (is_active, is_operator, may_start_projects):
        return account
    left = User.objects.filter(is_active=True, is_superuser=True).exclude(pk=account.pk)
    if all(was) and not (is_active and is_operator) and not left.exists():
        raise LastOperator(_("This is the last operator. Make another account one first."))
    account.is_active, account.is_superuser = is_active, is_operator
    account.may_start_projects = may_start_projects
    account.save(update_fields=["is_active", "is_superuser", "may_start_projects"])
    if not is_active:
        rights.end_with_account(user=account, by=by, now=now)
    audit.record(
        project=None,
        actor=by,
        verb="account.set",
        subject=f"user:{account.public_id}",
        at=now,
        is_active=is_active,
        is_operator=is_operator,
        may_start_projects=may_start_projects,
    )
    return account


#: Of lists the audit names what came and went; beyond so many it counts.
MOST_NAMED = 40


class SettingsInvalid(errors.Invalid): ...


class ChangedMeanwhile(errors.Conflict):
    code = "settings_changed_meanwhile"


def set_bank(*, project: Project, bank: Bank, base: int, by: User, now: datetime) -> bool:
    """Set the languages of the bank and what counts as a near-duplicate; return whether that is new.

    Raises:
        SettingsInvalid: a value cannot be used; `fields` says which.
        ChangedMeanwhile: `base` is not the version that holds.
    """
    check(bank)
    return save(project=project, section=Section.BANK, body=plain(bank), base=base, by=by, now=now)


def set_masks(*, project: Project, masks: Masks, base: int, by: User, now: datetime) -> bool:
    """Set by which words of its own a project finds systems that name themselves.

    Raises:
        SettingsInvalid: a word or a pattern cannot be used; `fields` says why.
        ChangedMeanwhile: `base` is not the version that holds.
    """
    check(masks)
    return save(
        project=project, section=Section.MASKS, body=plain(masks), base=base, by=by, now=now
    )


def set_retention(
    *, project: Project, retention: Retention, base: int, by: User, now: datetime
) -> bool:
    """Set how long what can be made anew, or has served its purpose, is kept.

    Raises:
        SettingsInvalid: a number of days is out of reach; `fields` says which.
        ChangedMeanwhile: `base` is not the version that holds.
    """
    check(retention)
    return save(
        project=project,
        section=Section.RETENTION,
        body={"days": dict(retention.days)},
        base=base,
        by=by,
        now=now,
    )


def set_verdicts(
    *, project: Project, verdicts: Verdicts, base: int, by: User, now: datetime
) -> bool:
    """Set how far apart two systems may be and still be called equal.

    Raises:
        SettingsInvalid: the number is out of reach.
        ChangedMeanwhile: `base` is not the version that holds.
    """
    check(verdicts)
    body = plain(verdicts)
    return save(project=project, section=Section.VERDICTS, body=body, base=base, by=by, now=now)


@transaction.atomic
def save(
    *, project: Project, section: Section, body: dict[str, Any], base: int, by: User, now: datetime
) -> bool:
    """Write the next version of a section; what stands already is not written once more.

    Args:
        base: the number of the version that was on the page; 0: the section was never set.

    Raises:
        ChangedMeanwhile: another version holds by now.
    """
    Project.objects.select_for_update().get(pk=project.pk)
    held = people.newest(project, section)
    number, before = (held.number, held.body) if held else (0, {})
    if number != base:
        raise ChangedMeanwhile(
            _(
                "Somebody has changed these settings since you opened the page. "
                "What you typed is still here: load the page in a second window and compare."
            )
        )
    if before == body:
        return False
    SettingsVersion.objects.create(
        project=project, section=section, number=number + 1, body=body, by=by, at=now
    )
    old, new = _changes(before, body)
    audit.record(
        project=project,
        actor=by,
        verb="settings.changed",
        subject=f"settings:{section.lower()}",
        at=now,
        number=number + 1,
        before=old,
        after=new,
    )
    return True


def _changes(before: dict[str, Any], after: dict[str, Any]) -> tuple[dict[str, Any], ...]:
    """Return what differs, as it was and as it is; of lists what went and what came."""
    old: dict[str, Any] = {}
    new: dict[str, Any] = {}
    for name in sorted(before.keys() | after.keys()):
        was, now_is = before.get(name), after.get(name)
        if was == now_is:
            continue
        if isinstance(now_is, list):
            was = was or []
            old[name], new[name] = _named(was, now_is), _named(now_is, was)
        else:
            old[name], new[name] = was, now_is
    return old, new


def _named(these: list[Any], those: list[Any]) -> list[Any]:
    found = [one for one in these if one not in those]
    rest = len(found) - MOST_NAMED
    return [*found[:MOST_NAMED], f"… {rest} more"] if rest > 0 else found


def check(wanted: Bank | Masks | Retention | Verdicts) -> None:
    """Refuse a section that cannot be used.

    Raises:
        SettingsInvalid: `fields` says what is wrong with which value.
    """
    if problems := wanted.problems():
        told = {name: [_(one) for one in said] for name, said in problems.items()}
        raise SettingsInvalid(next(iter(told.values()))[0], fields=told)
