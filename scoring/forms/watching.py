"""What somebody found who looked into an annotator's signals."""

from typing import Any

from django import forms
from django.core.validators import RegexValidator
from django.utils.translation import gettext_lazy as _

#: As the page writes the signals that stand: "gold:12,pace:40".
WRITTEN = r"^((gold|drift|retest|pace):\d{1,9}(,(?!$)|$)){1,4}$"


class LookForm(forms.Form):
    rater = forms.IntegerField(widget=forms.HiddenInput, min_value=1, max_value=2**63 - 1)
    because = forms.CharField(
        label=_("Signals"), widget=forms.HiddenInput, validators=[RegexValidator(WRITTEN)]
    )
    note = forms.CharField(label=_("What you found"), max_length=1000)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.of:  # so that an error leads to the field beside the annotator
            self.auto_id = f"%s-{self.of}"

    @property
    def of(self) -> int | None:
        """Return whose form was sent; None for none."""
        sent = str(self.data.get("rater", ""))
        return int(sent) if sent.isascii() and sent.isdecimal() and len(sent) < 19 else None

    @property
    def signals(self) -> dict[str, Any]:
        """Return the signals that stood on the page, with how much each rested on."""
        parts = [one.split(":") for one in self.cleaned_data["because"].split(",")]
        return {name: int(n) for name, n in parts}
