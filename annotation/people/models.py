"""Who uses the product: an account (kept as a pseudonym for ever) and the person behind it (erasable).

* Projects, who belongs to them in which role, and whoever rates in them.
* How people come in: links that invite them to a project, and where they are signed in.
* Tokens that programs sign in with, and tries that failed.
* What was done, by whom and when: append-only, chained once sealed.
* What a project has set, section by section. Append-only: the newest version of a section holds.
* Answers that are given again to the same request: Idempotency-Key.
"""

import uuid
from collections.abc import Iterable
from datetime import datetime
from typing import Any, ClassVar, Self

from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.models import PermissionsMixin
from django.db import models
from django.utils.translation import gettext_lazy as _

from annotation.common.fields import NameColumn
from annotation.people.rules import Section
from evalsite.db.rules import holds, index, unique


class UserManager(BaseUserManager["User"]):
    def create_user(self, username: str, password: str | None = None, **fields: Any) -> "User":
        user = self.model(username=username, **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, username: str, password: str | None = None, **fields: Any) -> "User":
        return self.create_user(username, password, is_superuser=True, **fields)


class User(AbstractBaseUser, PermissionsMixin):
    """An account. Everything that is recorded refers to its public uuid; nothing here is private but the login name."""

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    username = NameColumn(
        _("user name"),
        max_length=150,
        unique=True,
        error_messages={"unique": _("This user name is taken. Choose another one.")},
    )
    is_active = models.BooleanField(default=True)
    #: Besides operators and owners of a project: whom an operator, or the set-up of the site, lets.
    may_start_projects = models.BooleanField(_("may start projects"), default=False)
    #: Whoever gave the password knows it too: the person sets their own before anything else.
    must_set_password = models.BooleanField(default=False)
    #: In which pages are read, as LANGUAGES names it; "" where nothing was chosen.
    language = models.CharField(_("language"), max_length=35, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    #: The only project that this sign-in opens; a personal token may be made for one.
    confined_to: int | None = None

    objects: ClassVar[UserManager] = UserManager()

    USERNAME_FIELD = "username"
    REQUIRED_FIELDS: ClassVar[list[str]] = []

    def __str__(self) -> str:
        return self.username

    @property
    def is_staff(self) -> bool:
        """Whether they are an operator, in the word that Django's admin asks for."""
        return self.is_superuser

    @property
    def display_name(self) -> str:
        person = getattr(self, "person", None)
        return person.name if person else str(_("Somebody who has left"))


class Person(models.Model):
    """What may be erased: the name and address of the human behind an account."""

    user = models.OneToOneField(User, on_delete=models.CASCADE, related_name="person")
    name = NameColumn(_("name"), max_length=200)
    email = models.EmailField(_("e-mail"), blank=True)
    #: A mail a day, when there is something new; until when that was told, and a hash of what waited.
    daily_mail = models.BooleanField(_("daily mail"), default=False)
    mailed_at = models.DateTimeField(null=True, blank=True)
    mailed_sha = models.CharField(max_length=64, blank=True)

    def __str__(self) -> str:
        return self.name


class Project(models.Model):
    """One evaluation programme. Everything belongs to one."""

    slug = models.SlugField(_("short name"), max_length=60, unique=True)
    name = NameColumn(_("name"), max_length=200)
    subtitle = NameColumn(_("subtitle"), max_length=200, blank=True)
    #: What the owners tell everybody who grades, on their list; and since when.
    note = models.TextField(_("note to the annotators"), blank=True)
    noted_at = models.DateTimeField(null=True, blank=True)
    #: From which the site fetches the pictures that answers point to.
    picture_hosts = models.JSONField(_("hosts of pictures"), default=list, blank=True)
    #: Of its pages, for whoever has chosen none; "" for what the browser asks for.
    language = models.CharField(_("language"), max_length=35, blank=True)
    created_at = models.DateTimeField()

    def __str__(self) -> str:
        return self.name

    @property
    def audited(self) -> tuple["Project", str]:
        return self, f"project:{self.slug}"


class Role(models.TextChoices):
    OWNER = "OWNER", _("owner")
    CURATOR = "CURATOR", _("curator")
    DESIGNER = "DESIGNER", _("designer")
    INSPECTOR = "INSPECTOR", _("inspector")
    ANNOTATOR = "ANNOTATOR", _("annotator")
    ANALYST = "ANALYST", _("analyst")


#: Roles whose holders can see which system gave which answer.
UNBLINDED = frozenset({Role.OWNER, Role.CURATOR, Role.ANALYST})


class MembershipQuerySet(models.QuerySet["Membership"]):
    def active(self) -> Self:
        return self.filter(ended_at__isnull=True)

    def with_role(self, roles: Iterable[str]) -> Self:
        return self.active().filter(role__in=list(roles))


class Membership(models.Model):
    """A role that somebody has in a project. Ended, never deleted."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="memberships")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="memberships"
    )
    role = models.CharField(max_length=12, choices=Role)
    created_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)

    objects = MembershipQuerySet.as_manager()

    class Meta:
        constraints = [
            unique("one_membership_per_project_user_and_role", "project", "user", "role"),
            holds("membership_role_is_known", models.Q(role__in=Role.values)),
        ]

    def __str__(self) -> str:
        return f"{self.user_id} {self.role} {self.project_id}"


class RaterKind(models.TextChoices):
    PERSON = "PERSON", _("person")
    IMPORTED = "IMPORTED", _("imported")
    JUDGE = "JUDGE", _("judge")
    METRIC = "METRIC", _("metric")
    DERIVED = "DERIVED", _("derived")


class Rater(models.Model):
    """Whoever rates in a project: a person, somebody in an imported file, a machine.

    `ref` is opaque: a user's public id, the name in the file, a judge's configuration.
    """

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="raters")
    kind = models.CharField(max_length=8, choices=RaterKind)
    ref = models.CharField(max_length=200)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT
    )
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            unique("one_rater_per_project_kind_and_ref", "project", "kind", "ref"),
            holds(
                "a_person_rater_has_a_user",
                models.Q(kind="PERSON", user__isnull=False)
                | (~models.Q(kind="PERSON") & models.Q(user__isnull=True)),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.ref}"


class Invitation(models.Model):
    """A link that lets one person into a project. Only a hash of it is kept; it works once, until a day."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="invitations")
    #: For the owners' list: for whom the link was made.
    whom = NameColumn(_("for whom"), max_length=200)
    roles = models.JSONField()
    token_sha = models.CharField(max_length=64, unique=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)
    used_at = models.DateTimeField(null=True, blank=True)
    used_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )

    class Meta:
        ordering = ["-pk"]
        constraints = [
            holds(
                "an_invitation_is_used_by_somebody_or_revoked",
                models.Q(used_at__isnull=True, used_by__isnull=True)
                | models.Q(used_at__isnull=False, used_by__isnull=False, revoked_at__isnull=True),
            )
        ]

    def __str__(self) -> str:
        return f"{self.whom} to {self.project_id}"

    @property
    def audited(self) -> tuple[Project, str]:
        return self.project, f"invitation:{self.pk}"


class PasswordLink(models.Model):
    """A link to a new password that was mailed. It works until it is used, taken back, or its person signs in."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="password_links"
    )
    token_sha = models.CharField(max_length=64, unique=True)
    made_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"for {self.user_id}"


class SetUpLink(models.Model):
    """The link that makes the first account. Only a hash of it is kept; gone with the first account."""

    token_sha = models.CharField(max_length=64, unique=True)
    made_at = models.DateTimeField()
    expires_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"made at {self.made_at}"


class SignIn(models.Model):
    """A device that somebody signed in with; gone when they sign out there, or are signed out."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="sign_ins"
    )
    session_key = models.CharField(max_length=40, unique=True)
    agent = models.CharField(max_length=200, blank=True)
    at = models.DateTimeField()

    class Meta:
        ordering = ["-at", "-pk"]

    def __str__(self) -> str:
        return f"{self.user_id} since {self.at}"


class LinkAsked(models.Model):
    """Somebody asked for a link to a new password. Hashes only, and only for a day: to slow down guessing."""

    #: Of what was typed, whether or not somebody is called so.
    whom_sha = models.CharField(max_length=64)
    #: Of the network address that asked.
    from_sha = models.CharField(max_length=64)
    at = models.DateTimeField()

    class Meta:
        indexes = [
            index("link_asked_for_whom", "whom_sha", "at"),
            index("link_asked_from_where", "from_sha", "at"),
        ]

    def __str__(self) -> str:
        return f"asked at {self.at}"


class PersonalTokenQuerySet(models.QuerySet["PersonalToken"]):
    def working(self, now: datetime) -> Self:
        return self.filter(revoked_at__isnull=True, expires_at__gt=now)


class PersonalToken(models.Model):
    """What a program shows instead of a password. Only a hash of it is kept; it may never do more than its person."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="personal_tokens"
    )
    name = NameColumn(_("name"), max_length=100)
    #: The first characters, by which its person knows it again.
    start = models.CharField(max_length=12)
    token_sha = models.CharField(max_length=64, unique=True)
    #: Of evalsite.web.scopes.NAMES.
    scopes = models.JSONField()
    #: The only project that it opens; none is every project of its person.
    project = models.ForeignKey(
        Project, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    #: To the minute.
    last_used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    objects = PersonalTokenQuerySet.as_manager()

    class Meta:
        ordering = ["-pk"]
        constraints = [
            holds("a_token_ends_after_it_was_made", models.Q(expires_at__gt=models.F("created_at")))
        ]

    def __str__(self) -> str:
        return f"{self.start}… of {self.user_id}"


class FailedTry(models.Model):
    """Somebody showed what lets nobody in. Hashes only, and only for a day: to slow down guessing."""

    #: Of the network address that tried.
    from_sha = models.CharField(max_length=64)
    at = models.DateTimeField()

    class Meta:
        indexes = [index("failed_try_from_where", "from_sha", "at")]

    def __str__(self) -> str:
        return f"failed at {self.at}"


class AuditEvent(models.Model):
    """One deed. `actor` is a user's public id; free text stands beside it and only its hash is chained."""

    project = models.ForeignKey(
        Project, null=True, blank=True, on_delete=models.PROTECT, related_name="events"
    )
    actor = models.UUIDField(null=True, blank=True)
    verb = models.CharField(max_length=60)
    subject = models.CharField(max_length=120)
    data = models.JSONField(default=dict)
    note = models.TextField(blank=True)
    note_sha = models.CharField(max_length=64, blank=True)
    at = models.DateTimeField()
    seq = models.PositiveBigIntegerField(null=True, blank=True)
    sha = models.CharField(max_length=64, blank=True)

    class Meta:
        ordering = ["-pk"]
        constraints = [
            unique(
                "sealed_event_is_unique_in_its_project",
                "project",
                "seq",
                where=models.Q(seq__isnull=False, project__isnull=False),
            ),
            unique(
                "sealed_event_is_unique_outside_projects",
                "seq",
                where=models.Q(seq__isnull=False, project__isnull=True),
            ),
        ]
        indexes = [
            index("event_by_project", "project", "-id"),
            index("event_to_seal", "id", where=models.Q(seq__isnull=True)),
        ]

    def __str__(self) -> str:
        return f"{self.verb} {self.subject}"


class SettingsVersion(models.Model):
    """A section as it was set at one time (annotation/people/rules.py says what is in it)."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="settings_versions")
    section = models.CharField(max_length=9, choices=[(one.value, one.value) for one in Section])
    number = models.PositiveIntegerField()
    body = models.JSONField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField()

    class Meta:
        ordering = ["project", "section", "-number"]
        constraints = [unique("settings_are_numbered_by_section", "project", "section", "number")]

    def __str__(self) -> str:
        return f"{self.project_id} {self.section} {self.number}"


class KeptAnswer(models.Model):
    """A deed that a program asked for under a key of its own: taken on, and then what was answered.

    The answer is written in the transaction of the deed, and only by whoever holds the claim.
    """

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="kept_answers"
    )
    key_sha = models.CharField(max_length=64)
    #: Of method, address and body.
    request_sha = models.CharField(max_length=64)
    claim = models.UUIDField()
    begun_at = models.DateTimeField()
    answered_at = models.DateTimeField(null=True, blank=True)
    status = models.PositiveSmallIntegerField(null=True, blank=True)
    headers = models.JSONField(default=dict, blank=True)
    body = models.BinaryField(null=True, blank=True)

    class Meta:
        constraints = [
            unique("a_key_stands_for_one_deed", "user", "key_sha"),
            holds(
                "an_answer_is_kept_whole",
                models.Q(answered_at__isnull=True, status__isnull=True, body__isnull=True)
                | models.Q(answered_at__isnull=False, status__isnull=False, body__isnull=False),
            ),
        ]
        indexes = [index("answer_kept_since", "begun_at")]

    def __str__(self) -> str:
        return f"{self.status or 'begun'} at {self.begun_at}"
