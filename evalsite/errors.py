"""Refusals: what an operation says when it will not do what it was asked."""

from typing import Any


def body(code: str, message: str, fields: Any = None) -> dict[str, Any]:
    """Return the one shape in which programs are told of an error."""
    return {"code": code, "message": message, "fields": fields or {}}


class Refusal(Exception):
    """An operation refuses. The message is for the person who asked, the code for programs."""

    code = "refused"
    status = 400

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
