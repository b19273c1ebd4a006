"""Fields for names: no door, form, program, command or file, brings in one that deceives the eye."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from django.db import models
from django.db.models.expressions import Combinable
from django.utils.html import escape
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from annotation.common import names
from evalsite import errors

if TYPE_CHECKING:
    _Characters = models.CharField[str | Combinable, str]
else:
    _Characters = models.CharField  # takes no arguments when it runs


class BadName(errors.Invalid):
    """A name holds a sign that nobody sees, or that turns the direction of writing."""


def fault_of(name: str) -> str:
    """Return what is wrong with a name, in words; nothing if it can be used."""
    sign = names.unseen_in(name)
    if not sign:
        return ""
    said = _("This holds a sign that cannot be seen (%(sign)s). Type it again without it.")
    return said % {"sign": names.called(sign)}


class StoredName(str):
    """A stored name whose direction differs: on a page it is isolated from what stands around it."""

    __slots__ = ()

    def apart(self) -> str:
        """Return the name for a sentence: what stands around it keeps its place."""
        return names.isolated(str(self))

    def __html__(self) -> SafeString:
        return escape(self.apart())


class NamePath(StoredName):
    """The names that lead to something, one of which has another direction: each stands apart on a page."""

    __slots__ = ()

    def apart(self) -> str:
        return names.STEP.join(map(names.isolated, str(self).split(names.STEP)))


def path_of(parts: Iterable[str]) -> str:
    """Return the path that leads to something: "Parent › Name"."""
    path = names.STEP.join(parts)
    return NamePath(path) if names.is_to_be_isolated(path) else path


class NamesField(models.JSONField):
    """A JSONField for a list of names, such as tags."""

    def deconstruct(self) -> Any:
        name, _path, args, kwargs = super().deconstruct()
        return name, "django.db.models.JSONField", args, kwargs

    def get_db_prep_save(self, value: Any, connection: Any) -> Any:
        """Return what is stored.

        Raises:
            BadName: one of them holds a sign that nobody sees.
        """
        for one in value if isinstance(value, list) else ():
            if isinstance(one, str) and (fault := fault_of(one)):
                raise BadName(fault, fields={self.name: [fault]})
        return super().get_db_prep_save(value, connection)


class NameColumn(_Characters):
    """A CharField for what people call something; to the database it is one."""

    def deconstruct(self) -> Any:
        name, _path, args, kwargs = super().deconstruct()
        return name, "django.db.models.CharField", args, kwargs

    def from_db_value(self, value: Any, expression: Any, connection: Any) -> Any:
        return StoredName(value) if value and names.is_to_be_isolated(value) else value

    def get_db_prep_save(self, value: Any, connection: Any) -> Any:
        """Return what is stored.

        Raises:
            BadName: it holds a sign that nobody sees.
        """
        if isinstance(value, str) and (fault := fault_of(value)):
            raise BadName(fault, fields={self.name: [fault]})
        return super().get_db_prep_save(value, connection)
