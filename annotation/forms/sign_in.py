"""The form of who signs in: by user name and password, and not as often as one likes."""

from typing import Any, Final

from django.contrib.auth.forms import AuthenticationForm
from django.core.exceptions import ValidationError
from django.utils import timezone

from annotation.operations import failed_tries
from evalsite import addresses, devices

#: The code of the error that is met by everybody who guesses.
TOO_MANY: Final = "too_many"


class SignInForm(AuthenticationForm):
    """A try is written down first; after some wrong ones, none is looked at for a while, right or wrong."""

    def clean(self) -> dict[str, Any]:
        name = self.cleaned_data.get("username", "")
        if not name or not self.cleaned_data.get("password"):
            return self.cleaned_data
        now = timezone.now()
        try:
            tried = failed_tries.begin(doors=self._doors(name, now), now=now)
        except failed_tries.TooManyTries as refusal:
            raise ValidationError(refusal.message, code=TOO_MANY) from refusal
        found: dict[str, Any] = super().clean()
        failed_tries.succeed(tried)
        return found

    def _doors(self, name: str, now: Any) -> list[failed_tries.Door]:
        asked = self.request
        return failed_tries.sign_in_doors(
            name=name,
            address=addresses.of(asked) if asked else "",
            device=devices.known(asked, name) if asked else "",
            now=now,
        )

    @property
    def is_barred(self) -> bool:
        return self.has_error("__all__", TOO_MANY)
