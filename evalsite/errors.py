"""Refusals: what an operation says when it will not do what it was asked."""

import re
from typing import Any, Final


def body(code: str, message: str, fields: Any = None) -> dict[str, Any]:
    """Return the one shape in which programs are told of an error."""
    return {"code": code, "message": message, "fields": fields or {}}


#: What is refused for no reason that has a name.
_ROOTS: Final = frozenset({"refused", "conflict", "not_allowed", "invalid"})


class Refusal(Exception):
    """An operation refuses. The message is for the person who asked, the code for programs.

    The code is the name of the class in small letters, `AlreadyClosed` being `already_closed`, unless it
    says another; a kind of a refusal has the code of that one.
    """

    code = "refused"
    status = 400

    def __init_subclass__(cls) -> None:
        if "code" not in vars(cls) and cls.code in _ROOTS:
            cls.code = re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__).lower()

    def __init__(self, message: str, *, fields: dict[str, list[str]] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.fields = fields or {}


class Conflict(Refusal):
    """The thing has moved on since the person looked at it."""

    code = "conflict"
    status = 409


class NotAllowed(Refusal):
    """The person may see the thing but not do this to it."""

    code = "not_allowed"
    status = 403


class Invalid(Refusal):
    """What was given cannot be used; `fields` says which and why."""

    code = "invalid"
    status = 422


class NameTaken(Invalid):
    """Something else of the project is called so."""


class StillUsed(Conflict):
    """Something rests on it, so it cannot go."""


class StillADraft(Conflict):
    """A draft has no answers that stay."""


class FileRefused(Invalid):
    """The file, or something in it, cannot be taken. Nothing of it came in."""


class ReasonNeeded(Invalid):
    """Whoever does this has to say why."""


class NotNow(Conflict):
    """The thing is not in a state that allows this, or it is not theirs to do."""


class Incomplete(Invalid):
    """Something that has to be there is missing."""


class BadPeriod(Invalid):
    """It would hold for too short or too long a time."""
