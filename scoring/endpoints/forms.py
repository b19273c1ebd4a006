"""Forms of endpoints: what is said of one, and its key, which no page shows again.

* Forms about who answers as a release, and about collecting its answers.
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.common.forms import NameInput, RecordForm
from annotation.people.models import Project
from evalsite.kinds import Json, Wrong
from scoring.endpoints import queries as reads
from scoring.endpoints.models import Endpoint, SystemConnection
from scoring.endpoints.records import EndpointAbout, EndpointsOptions, EndpointWords
from scoring.llm import config, rest

NO_VARIABLE = ("", _("none"))
GROUPS = (
    (_("The model"), ("name", "url", "model_name", "family")),
    (_("The request"), ("method", "headers", "body", "answer")),
    (_("Its key"), ("key", "variable")),
    (_("Cost"), ("prompt_price", "completion_price", "cached_price", "currency")),
    (_("Limits"), ("max_in_flight", "per_minute", "timeout", "context_length")),
    (_("Parameters"), ("api", "limit_name", "thinking_room", "effort", "leave_out")),
    (_("Sent along"), ("own_headers", "query", "own_body", "certificates")),
)
#: Most servers need nothing of these: they are folded until something is said there.
FOLDED = {"api", "own_headers"}


#: What a field holds about which nothing is said.
EMPTY: Final[tuple[Any, ...]] = (None, "", [], (), {}, config.CHAT)


class EndpointForm(RecordForm, record=EndpointWords):
    """What an owner says of an endpoint. A scripted one has no address."""

    url = forms.CharField(
        label=_("Address"),
        max_length=500,
        widget=forms.URLInput(attrs={"placeholder": "https://models.example/v1"}),
        help_text=_("Most end in /v1."),
    )
    model_name = NameInput(label=_("Model"), max_length=200, help_text=_("As the server calls it."))
    currency = forms.RegexField(
        r"^[A-Z]{3}$",
        label=_("Currency"),
        initial="USD",
        help_text=_("Three capital letters."),
        error_messages={"invalid": _("Give three capital letters, such as USD or EUR.")},
    )

    def __init__(self, *args: Any, scripted: bool = False, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if scripted:
            del self.fields["url"], self.fields["certificates"]

    def groups(self) -> list[tuple[str, list[forms.BoundField], str]]:
        """Return the fields as a page shows them: title, fields, and "folded", "open" or nothing."""
        found = []
        for title, names in GROUPS:
            fields = [self[name] for name in names if name in self.fields]
            said = any(one.errors or one.value() not in EMPTY for one in fields)
            fold = ("open" if said else "folded") if FOLDED & set(names) else ""
            if fields:
                found.append((str(title), fields, fold))
        return found

    def about(self) -> EndpointAbout:
        """Return what the form says, as the operations take it."""
        names = EndpointWords.__dataclass_fields__.keys() & self.cleaned_data.keys()
        return EndpointAbout(**{name: self.cleaned_data[name] for name in names})


class KeyFields(forms.Form):
    """A key, or where it is found; the key itself is never sent back to a page."""

    key = forms.CharField(
        label=_("Key"),
        required=False,
        max_length=4000,
        widget=forms.PasswordInput(
            attrs={"autocomplete": "off", "spellcheck": "false"}, render_value=False
        ),
        help_text=_("Encrypted, never shown."),
    )
    variable = forms.ChoiceField(
        label=_("Or a variable that holds it"),
        required=False,
        help_text=_("Set by the operator."),
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


def named_lines(text: str, mark: str, wrong: Any) -> dict[str, str]:
    """Return what lines of name, mark and value say.

    Raises:
        ValidationError: a line has no name or no mark; says `wrong` of it.
    """
    found: dict[str, str] = {}
    for line in text.splitlines():
        if not line.strip():
            continue
        name, there, value = line.partition(mark)
        if not there or not name.strip():
            raise forms.ValidationError(wrong, params={"line": line[:80]})
        found[name.strip()] = value.strip()
    return found


NO_HEADER = _("“%(line)s” is no header. Write it as Name: value.")


def _area(rows: int) -> forms.Textarea:
    return forms.Textarea(attrs={"rows": rows, "spellcheck": "false", "class": "mono"})


class ServerFields(RecordForm, record=EndpointsOptions, leave_out=("query", "body")):
    """How a server is asked, where that is not as usual."""

    leave_out = forms.MultipleChoiceField(
        label=_("Never send"),
        required=False,
        choices=[(one, one) for one in config.OPTIONAL],
        widget=forms.CheckboxSelectMultiple,
        help_text=_("What it refuses is left out anyway."),
    )
    own_headers = forms.CharField(
        label=_("Headers"),
        required=False,
        max_length=20_000,
        widget=_area(2),
        help_text=_("One per line: api-key: {key}. Stored encrypted; ••• keeps a value."),
    )
    query = forms.CharField(
        label=_("Query"),
        required=False,
        max_length=20_000,
        widget=_area(1),
        help_text=_("One per line: api-version=2024-10-21."),
    )
    own_body = forms.CharField(
        label=_("Added to the body (JSON)"),
        required=False,
        max_length=20_000,
        widget=_area(2),
        help_text=_('Such as {"service_tier": "flex"}.'),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["api"].required = False

    def clean_own_headers(self) -> dict[str, str]:
        return named_lines(self.cleaned_data["own_headers"], ":", NO_HEADER)

    def clean_query(self) -> dict[str, str]:
        wrong = _("“%(line)s” is no part of a query. Write it as name=value.")
        return named_lines(self.cleaned_data["query"], "=", wrong)

    def clean_own_body(self) -> dict[str, Any]:
        try:
            given = json.loads(self.cleaned_data["own_body"].strip() or "{}")
            return dict(Json().read(given, sent=True))
        except (ValueError, RecursionError, Wrong):
            raise forms.ValidationError(_("Write a JSON object, in braces.")) from None

    def asked(self) -> dict[str, Any]:
        """Return what the form says of requests, as the operations take it."""
        given = self.cleaned_data
        names = ("api", "limit_name", "effort", "thinking_room", "leave_out", "query")
        options = {name: given[name] for name in names} | {"api": given["api"] or config.CHAT}
        return {"options": {**options, "body": given["own_body"]}, "headers": given["own_headers"]}


class ServerForm(ServerFields, EndpointForm):
    """What an owner says of an OpenAI-compatible server."""

    def about(self) -> EndpointAbout:
        return replace(super().about(), **self.asked())


def asked_initial(endpoint: Endpoint) -> dict[str, Any]:
    """Return what a form shows of how a server is asked."""
    options = endpoint.options
    query = "\n".join(f"{name}={value}" for name, value in options.get("query", {}).items())
    headers = "\n".join(f"{name}: {value}" for name, value in endpoint.headers.items())
    body = json.dumps(options["body"], ensure_ascii=False) if "body" in options else ""
    return {**options, "query": query, "own_headers": headers, "own_body": body}


class NewEndpointForm(ServerForm, KeyFields):
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
        help_text=_("One per line; {key} is the key below."),
    )
    body = forms.CharField(
        label=_("Body (JSON)"),
        required=False,
        max_length=rest.MOST_BODY,
        initial='{"question": "{message}"}',
        widget=forms.Textarea(attrs={"rows": 6, "spellcheck": "false", "class": "mono"}),
        help_text=_(
            "{message}: last turn; {messages}: list of role and content; {history}: earlier "
            "turns; {system}: system prompt; {session}: one name per conversation. In the "
            "address too."
        ),
    )
    answer = forms.CharField(
        label=_("Answer path"),
        required=False,
        max_length=500,
        help_text=_("Such as data.answers[0].text; empty: the whole reply."),
    )

    def clean_headers(self) -> dict[str, str]:
        return named_lines(self.cleaned_data["headers"], ":", NO_HEADER)


class ApplicationForm(ApplicationFields, EndpointForm):
    """What an owner says of an application."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["url"].help_text = ""
        self.fields["url"].widget = forms.TextInput(
            attrs={"placeholder": "https://tutor.example/api/answer", "inputmode": "url"}
        )
        self.fields["model_name"].required = False
        self.fields["model_name"].label = _("Version")
        self.fields["model_name"].help_text = ""

    def about(self) -> EndpointAbout:
        given = self.cleaned_data
        names = EndpointWords.__dataclass_fields__.keys() & given.keys()
        request = {name: given[name] for name in ("method", "headers", "body", "answer")}
        return EndpointAbout(**{name: given[name] for name in names}, request=request)


class NewApplicationForm(ApplicationForm, KeyFields):
    """All of a new application at once."""


def initial_of(request: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a form shows of the request to an application."""
    headers = request.get("headers") or {}
    lines = "\n".join(f"{name}: {value}" for name, value in headers.items())
    return {**request, "headers": lines}


class KeyForm(KeyFields):
    """A new key in place of the old one; nothing given: none is sent."""


class ConnectionForm(forms.Form):
    """Which endpoint answers as a release, and with what parameters; what is empty is left to it."""

    endpoint = forms.ModelChoiceField(
        label=_("Endpoint"),
        queryset=Endpoint.objects.none(),
        empty_label=_("Choose an endpoint"),
    )
    system_prompt = forms.CharField(
        label=_("First prompt"),
        required=False,
        max_length=20_000,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text=_("Before a question’s own."),
    )
    temperature = forms.FloatField(
        label=_("Temperature"), required=False, min_value=0, max_value=2, widget=forms.NumberInput
    )
    top_p = forms.FloatField(
        label=_("Top p"), required=False, min_value=0, max_value=1, widget=forms.NumberInput
    )
    max_tokens = forms.IntegerField(
        label=_("Answer tokens at most"),
        required=False,
        min_value=1,
        max_value=2**31 - 1,
        help_text=_("Longer ones are cut and marked."),
    )
    seed = forms.IntegerField(
        label=_("Seed"),
        required=False,
        min_value=0,
        max_value=2**31 - 1,
        help_text=_("Empty: the run’s."),
    )
    stop = forms.CharField(
        label=_("Stop at"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=_("Up to four, one per line."),
    )
    effort = forms.ChoiceField(
        label=_("Reasoning effort"),
        required=False,
        choices=[("", "–"), *((one, one) for one in config.EFFORTS)],
    )

    def __init__(
        self, *args: Any, project: Project, connection: SystemConnection | None, **kwargs: Any
    ) -> None:
        kwargs["initial"] = _initial(connection) | (kwargs.get("initial") or {})
        super().__init__(*args, **kwargs)
        for name in ("temperature", "top_p"):
            self.fields[name].widget.attrs["step"] = "any"
        field = self.fields["endpoint"]
        assert isinstance(field, forms.ModelChoiceField)
        field.queryset = reads.endpoints_of(project)

    def clean_stop(self) -> list[str]:
        return [line for line in self.cleaned_data["stop"].splitlines() if line.strip()]

    def settings(self) -> dict[str, Any]:
        given = self.cleaned_data
        return {name: given[name] for name in self.fields if name != "endpoint"}


def _initial(connection: SystemConnection | None) -> dict[str, Any]:
    if connection is None:
        return {}
    kept = connection.settings
    return {**kept, "stop": "\n".join(kept.get("stop", [])), "endpoint": connection.endpoint_id}
