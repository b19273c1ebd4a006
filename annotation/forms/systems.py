"""Forms about systems and releases."""

from django import forms
from django.utils.translation import gettext_lazy as _


class SystemForm(forms.Form):
    name = forms.CharField(label=_("Name"), max_length=200)
    aliases = forms.CharField(
        label=_("Other names"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_(
            "One a line: maker, product, nickname. Before a round opens, responses that hold one "
            "of these names are shown to the curator."
        ),
    )

    def clean_aliases(self) -> list[str]:
        lines = (line.strip() for line in self.cleaned_data["aliases"].splitlines())
        return list(dict.fromkeys(line for line in lines if line))


class NewSystem(SystemForm):
    release = forms.CharField(
        label=_("First release"),
        required=False,
        max_length=120,
        help_text=_("One configuration of the system: a version, a date, a setting."),
    )


class ReleaseForm(forms.Form):
    label = forms.CharField(
        label=_("Release"),
        max_length=120,
        help_text=_("One configuration of the system: a version, a date, a setting."),
    )
    notes = forms.CharField(
        label=_("Notes"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_("Parameters, prompt, date of collection: what somebody will ask later."),
    )
