"""The form of who signs in: by user name and password, and not as often as one likes."""

from typing import Any, Final

from django.contrib.auth.forms import AuthenticationForm
from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.operations import failed_tries
from evalsite import addresses

#: The code of the error that is met by everybody who guesses.
TOO_MANY: Final = "too_many"


class SignInForm(AuthenticationForm):
    """A wrong password is written down; after some, none is looked at for a while, right or wrong."""

    def clean(self) -> dict[str, Any]:
        name = self.cleaned_data.get("username", "")
        if not name or not self.cleaned_data.get("password"):
            return self.cleaned_data
        known = {"name": name, "address": addresses.of(self.request) if self.request else ""}
        now = timezone.now()
        if failed_tries.is_barred(**known, now=now):
            raise ValidationError(self.wait(), code=TOO_MANY)
        try:
            found: dict[str, Any] = super().clean()
        except ValidationError:
            failed_tries.note_password(**known, now=now)
            raise
        failed_tries.forgive(**known)
        return found

    @staticmethod
    def wait() -> str:
        minutes = int(failed_tries.WITHIN.total_seconds() // 60)
        return _("Too many passwords were wrong. Wait %(n)d minutes and try again.") % {
            "n": minutes
        }

    @property
    def is_barred(self) -> bool:
        return self.has_error("__all__", TOO_MANY)
