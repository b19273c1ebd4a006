"""Forms of endpoints: what is said of one, and its key, which no page shows again."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.forms.names import NameField
from scoring.llm import rest
from scoring.operations.endpoints import About

NO_VARIABLE = ("", _("none"))
GROUPS = (
    (_("The model"), ("name", "url", "model_name", "family")),
    (_("The request"), ("method", "headers", "body", "answer")),
    (_("Its key"), ("key", "variable")),
    (_("What it costs"), ("prompt_price", "completion_price", "currency")),
    (_("How it may be asked"), ("max_in_flight", "per_minute", "timeout", "context_length")),
)


class EndpointForm(forms.Form):
    """What an owner says of an endpoint. A scripted one has no address."""

    name = NameField(
        label=_("Name"), max_length=80, help_text=_("As it stands in lists and beside judges.")
    )
    url = forms.CharField(
        label=_("Address"),
        max_length=500,
        widget=forms.URLInput(attrs={"placeholder": "https://models.example/v1"}),
        help_text=_("The base address of the API, which most often ends in /v1."),
    )
    model_name = NameField(label=_("Model"), max_length=200, help_text=_("As the server calls it."))
    family = NameField(
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


class ApplicationFields(forms.Form):
    """How an application is asked, and where its answer stands."""

    method = forms.ChoiceField(label=_("Method"), choices=[(one, one) for one in rest.METHODS])
    headers = forms.CharField(
        label=_("Headers"),
        required=False,
        max_length=10_000,
        widget=forms.Textarea(attrs={"rows": 3, "spellcheck": "false", "class": "mono"}),
        help_text=_(
            "One per line, such as Authorization: Bearer {key}. Write {key} where the key belongs; the "
            "key itself is set below, and shown to nobody."
        ),
    )
    body = forms.CharField(
        label=_("Body (JSON)"),
        required=False,
        max_length=rest.MOST_BODY,
        initial='{"question": "{message}"}',
        widget=forms.Textarea(attrs={"rows": 6, "spellcheck": "false", "class": "mono"}),
        help_text=_(
            "{message} is what the user said last, {messages} the whole conversation as a list of role "
            "and content, {history} what went before as lines of text, {system} the system prompt, "
            "{session} a name that stays the same through a conversation. In the address they are "
            "allowed too."
        ),
    )
    answer = forms.CharField(
        label=_("Where the answer stands"),
        required=False,
        max_length=500,
        help_text=_(
            "A path in the JSON of the reply, such as data.answers[0].text; left empty, the whole "
            "reply is the answer."
        ),
    )

    def clean_headers(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for line in str(self.cleaned_data["headers"]).splitlines():
            if not line.strip():
                continue
            name, colon, value = line.partition(":")
            if not colon or not name.strip():
                raise forms.ValidationError(
                    _("“%(line)s” is no header. Write it as Name: value."),
                    params={"line": line[:80]},
                )
            found[name.strip()] = value.strip()
        return found


class ApplicationForm(ApplicationFields, EndpointForm):
    """What an owner says of an application."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["url"].help_text = _("Where it is asked, all of it.")
        self.fields["url"].widget = forms.TextInput(
            attrs={"placeholder": "https://tutor.example/api/answer", "inputmode": "url"}
        )
        self.fields["model_name"].required = False
        self.fields["model_name"].label = _("Version")
        self.fields["model_name"].help_text = _("What you call the version that answers there.")

    def about(self) -> About:
        given = self.cleaned_data
        names = About.__dataclass_fields__.keys() & given.keys()
        request = {name: given[name] for name in ("method", "headers", "body", "answer")}
        return About(**{name: given[name] for name in names}, request=request)


class NewApplicationForm(ApplicationForm, KeyFields):
    """All of a new application at once."""


def initial_of(request: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a form shows of the request to an application."""
    headers = request.get("headers") or {}
    lines = "\n".join(f"{name}: {value}" for name, value in headers.items())
    return {**request, "headers": lines}


class KeyForm(KeyFields):
    """A new key in place of the old one; nothing given: none is sent."""
