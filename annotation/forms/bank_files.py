"""What a person says of a whole bank as one file."""

from django import forms
from django.utils.translation import gettext_lazy as _


class NewExport(forms.Form):
    named = forms.BooleanField(
        label=_("People by their names"),
        required=False,
        help_text=_(
            "Otherwise they stand in the file by pseudonyms that only this site can trace."
        ),
    )


class HandIn(forms.Form):
    file = forms.FileField(
        label=_("Bank file"),
        allow_empty_file=True,  # the operation says what is wrong with an empty one
        help_text=_("A .zip that was exported here or on another site, at most 200 MB."),
        error_messages={"required": _("Choose the file that was exported.")},
    )


class Confirm(forms.Form):
    keep_own = forms.BooleanField(
        label=_("What differs here stays as it is"),
        required=False,
        help_text=_("The rest of the file comes in. Nothing of this project is overwritten."),
    )
