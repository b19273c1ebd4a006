"""Forms of endpoints: what is said of one, and its key, which no page shows again."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from scoring.operations.endpoints import About

NO_VARIABLE = ("", _("none"))
GROUPS = (
    (_("The model"), ("name", "url", "model_name", "family")),
    (_("Its key"), ("key", "variable")),
    (_("What it costs"), ("prompt_price", "completion_price", "currency")),
    (_("How it may be asked"), ("max_in_flight", "per_minute", "timeout", "context_length")),
)


class EndpointForm(forms.Form):
    """What an owner says of an endpoint. A scripted one has no address."""

    name = forms.CharField(
        label=_("Name"), max_length=80, help_text=_("As it stands in lists and beside judges.")
    )
    url = forms.CharField(
        label=_("Address"),
        max_length=500,
        widget=forms.URLInput(attrs={"placeholder": "https://models.example/v1"}),
        help_text=_("The base address of the API, which most often ends in /v1."),
    )
    model_name = forms.CharField(
        label=_("Model"), max_length=200, help_text=_("As the server calls it.")
    )
    family = forms.CharField(
        label=_("Family"),
        max_length=80,
        required=False,
        help_text=_(
            "In the same word as the family of a system that rests on the same language model: "
            "then it is tested whether a judge favours its own."
        ),
    )
    prompt_price = forms.DecimalField(
        label=_("Price of a million tokens of the prompt"),
        required=False,
        min_value=0,
        max_digits=12,
        decimal_places=6,
        widget=forms.NumberInput(attrs={"step": "any", "inputmode": "decimal"}),
        help_text=_("Left empty, the cost is not known; 0 says that it costs nothing."),
    )
    completion_price = forms.DecimalField(
        label=_("Price of a million tokens of the reply"),
        required=False,
        min_value=0,
        max_digits=12,
        decimal_places=6,
        widget=forms.NumberInput(attrs={"step": "any", "inputmode": "decimal"}),
    )
    currency = forms.RegexField(
        r"^[A-Z]{3}$",
        label=_("Currency"),
        initial="USD",
        help_text=_("Three capital letters."),
        error_messages={"invalid": _("Give three capital letters, such as USD or EUR.")},
    )
    max_in_flight = forms.IntegerField(
        label=_("Requests at once"),
        min_value=1,
        max_value=256,
        initial=8,
        help_text=_("Over all workers together."),
    )
    per_minute = forms.IntegerField(
        label=_("Requests a minute"), required=False, min_value=1, max_value=1_000_000
    )
    timeout = forms.IntegerField(
        label=_("Seconds to wait for a reply"), min_value=1, max_value=3600, initial=120
    )
    context_length = forms.IntegerField(
        label=_("Context in tokens"),
        required=False,
        min_value=1,
        max_value=100_000_000,
        help_text=_("Prompts that are too long are then refused before a run starts."),
    )

    def __init__(self, *args: Any, scripted: bool = False, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if scripted:
            del self.fields["url"]

    def groups(self) -> list[tuple[str, list[forms.BoundField]]]:
        """Return the fields as a page shows them, each group with its title."""
        groups = [
            (title, [self[name] for name in names if name in self.fields])
            for title, names in GROUPS
        ]
        return [(str(title), fields) for title, fields in groups if fields]

    def about(self) -> About:
        """Return what the form says, as the operations take it."""
        names = About.__dataclass_fields__.keys() & self.cleaned_data.keys()
        return About(**{name: self.cleaned_data[name] for name in names})


class KeyFields(forms.Form):
    """A key, or where it is found; the key itself is never sent back to a page."""

    key = forms.CharField(
        label=_("Key"),
        required=False,
        max_length=4000,
        widget=forms.PasswordInput(
            attrs={"autocomplete": "off", "spellcheck": "false"}, render_value=False
        ),
        help_text=_("It is stored encrypted, and nobody is shown it again."),
    )
    variable = forms.ChoiceField(
        label=_("Or a variable that holds it"),
        required=False,
        help_text=_("Set by the operator where the site runs. The site then stores no key at all."),
    )

    def __init__(self, *args: Any, variables: list[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["variable"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [NO_VARIABLE, *((name, name) for name in variables)]
        if not variables:
            del self.fields["variable"]

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        if given.get("key") and given.get("variable"):
            self.add_error("variable", _("Give a key or name a variable, not both."))
        return given

    def key_given(self) -> dict[str, str]:
        """Return what the form says of the key, as the operations take it."""
        return {
            "key": self.cleaned_data.get("key", ""),
            "variable": self.cleaned_data.get("variable", ""),
        }


class NewEndpointForm(EndpointForm, KeyFields):
    """All of a new endpoint at once; most servers in the house need no key."""

    field_order = ("name", "url", "model_name", "family", "key", "variable")


class KeyForm(KeyFields):
    """A new key in place of the old one; nothing given: none is sent."""
