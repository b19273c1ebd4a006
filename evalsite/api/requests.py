"""How bodies are read.

* Browsers sign in to the API with the session of the site.
"""

from typing import Any

from django.utils.translation import gettext as _
from rest_framework import authentication, exceptions, parsers

from evalsite import errors


class CarefulJson(parsers.JSONParser):
    """JSON, but not so deeply nested that reading it breaks."""

    def parse(self, *args: Any, **kwargs: Any) -> Any:
        try:
            return super().parse(*args, **kwargs)
        except RecursionError as problem:
            raise exceptions.ParseError(_("The JSON is nested too deeply.")) from problem


class CsrfFailed(errors.NotAllowed):
    """A browser's session asks for a deed, but not from a page of this site."""


class SiteSession(authentication.SessionAuthentication):
    """The session of the site; a deed needs its CSRF token."""

    def enforce_csrf(self, request: Any) -> None:
        try:
            super().enforce_csrf(request)
        except exceptions.PermissionDenied as problem:
            raise CsrfFailed(
                _(
                    "The CSRF token is missing or wrong. Send the cookie csrftoken as the header "
                    "X-CSRFToken, or sign in with a personal token."
                )
            ) from problem
