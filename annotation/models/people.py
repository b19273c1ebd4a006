"""Who uses the product: an account (kept as a pseudonym for ever) and the person behind it (erasable)."""

import uuid
from typing import Any, ClassVar

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.models import PermissionsMixin
from django.db import models
from django.utils.translation import gettext_lazy as _

from annotation.models.names import NameField


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
    username = NameField(
        _("user name"),
        max_length=150,
        unique=True,
        error_messages={"unique": _("This user name is taken. Choose another one.")},
    )
    is_active = models.BooleanField(default=True)
    #: Besides operators and owners of a project: whom an operator, or the set-up of the site, lets.
    may_start_projects = models.BooleanField(_("may start projects"), default=False)
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
    name = NameField(_("name"), max_length=200)
    email = models.EmailField(_("e-mail"), blank=True)
    #: A mail a day, when there is something new; until when that was told, and a hash of what waited.
    daily_mail = models.BooleanField(_("daily mail"), default=False)
    mailed_at = models.DateTimeField(null=True, blank=True)
    mailed_sha = models.CharField(max_length=64, blank=True)

    def __str__(self) -> str:
        return self.name
