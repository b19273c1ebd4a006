"""Accounts, projects and who belongs to them."""

import re
from collections.abc import Iterable
from datetime import datetime, timedelta
from uuid import UUID, uuid4

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext as _

from annotation.models import AuditEvent, Membership, Person, Project, Rater, RaterKind, Role, User
from annotation.operations import audit, rights
from annotation.queries import projects
from evalsite import errors

#: So many accounts one person makes within a day.
ACCOUNTS_A_DAY = 200


class NameTaken(errors.Invalid):
    code = "name_taken"


#: What a user name is made of; they are typed, and told by phone.
USER_NAME = re.compile(r"[\w.@+-]+")


class BadUserName(errors.Invalid):
    code = "bad_user_name"


class WeakPassword(errors.Invalid):
    code = "weak_password"


class WrongPassword(errors.Invalid):
    code = "wrong_password"


class NotYourAccount(errors.NotAllowed):
    code = "not_your_account"


class NoSuchAccount(errors.Invalid):
    code = "no_such_account"


class TooMany(errors.Conflict):
    code = "too_many_accounts"


class LastOwner(errors.Conflict):
    code = "last_owner"


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
        username: to sign in with.
        name: how others see the person.
        password: checked for its strength.
        by: who makes it; None for the command line.
        now: the clock.
        email: may be empty.
        public_id: the pseudonym, by which orders are drawn; by chance unless it is given.
        may_start_projects: whether they may, without owning one: the first account of a site.

    Raises:
        BadUserName: it is made of other signs than letters, digits and . @ + - _
        NameTaken: somebody has this user name.
        WeakPassword: the password is too easy to guess.
    """
    if USER_NAME.fullmatch(username) is None:
        message = _("Use letters, digits and . @ + - _ only.")
        raise BadUserName(message, fields={"username": [message]})
    if User.objects.filter(username__iexact=username).exists():
        message = _("This user name is taken. Choose another one.")
        raise NameTaken(message, fields={"username": [message]})
    _check_strength(password, User(username=username), field="password")
    user = User.objects.create_user(
        username,
        password,
        public_id=public_id or uuid4(),
        may_start_projects=may_start_projects,
    )
    Person.objects.create(user=user, name=name, email=email)
    audit.record(
        project=None, actor=by, verb="account.created", subject=f"user:{user.public_id}", at=now
    )
    return user


@transaction.atomic
def create_project(*, slug: str, name: str, by: User, now: datetime, subtitle: str = "") -> Project:
    """Start a project; whoever does owns it.

    Raises:
        NameTaken: another project has this short name, in small letters or capitals.
    """
    if Project.objects.filter(slug__iexact=slug).exists():
        message = _("Another project has this short name. Choose another one.")
        raise NameTaken(message, fields={"slug": [message]})
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
    audit.record(
        project=old,
        actor=by,
        verb="project.renamed",
        subject=f"project:{old.slug}",
        at=now,
        old=[old.name, old.subtitle],
        new=[name, subtitle],
    )


@transaction.atomic
def set_up_project(
    *, project: Project, name: str, subtitle: str, note: str, by: User, now: datetime
) -> None:
    """Change what the settings of a project hold."""
    edit_project(project=project, name=name, subtitle=subtitle, by=by, now=now)
    tell_annotators(project=project, note=note, by=by, now=now)


@transaction.atomic
def tell_annotators(*, project: Project, note: str, by: User, now: datetime) -> None:
    """Put a note on the list of everybody who grades in the project, or take it away."""
    old = Project.objects.select_for_update().get(pk=project.pk)
    if old.note == note:
        return
    Project.objects.filter(pk=old.pk).update(note=note, noted_at=now if note else None)
    audit.record(
        project=old,
        actor=by,
        verb="project.note_to_annotators",
        subject=f"project:{old.slug}",
        at=now,
        note=note,
    )


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
        but: the session that stays.

    Raises:
        WeakPassword: it is too easy to guess.
    """
    _check_strength(new, user, field=field)
    user.set_password(new)
    user.save(update_fields=["password"])
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
    if by is not None and not projects.keeps_account(by=by, user=user):
        raise NotYourAccount(projects.who_keeps())
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
        TooMany: this person has made many accounts within a day.
    """
    made = AuditEvent.objects.filter(
        project=None, verb="account.created", actor=by.public_id, at__gt=now - timedelta(days=1)
    )
    if not by.is_superuser and made.count() >= ACCOUNTS_A_DAY:
        said = _("You have made %(n)d accounts since yesterday. Invite people by link instead.")
        raise TooMany(said % {"n": ACCOUNTS_A_DAY})
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
