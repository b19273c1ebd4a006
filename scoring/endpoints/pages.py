"""Forms of endpoints: what is said of one, and its key, which no page shows again.

* Forms about who answers as a release, and about collecting its answers.
* Pages of the endpoints: the servers at which language models are asked.
* Who answers as a release: an endpoint, with the parameters of this configuration.
"""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.common import forms as refusals
from annotation.common.forms import NameField, RecordForm, status_of
from annotation.common.sentences import gettext
from annotation.people import permissions
from annotation.people.models import Project
from annotation.people.permissions import Scope, door
from annotation.systems.models import SystemRelease
from evalsite import errors
from scoring.endpoints import operations, testing
from scoring.endpoints import queries as reads
from scoring.endpoints.models import Endpoint, SystemConnection
from scoring.endpoints.records import About, Words
from scoring.llm import rest

NO_VARIABLE = ("", _("none"))
GROUPS = (
    (_("The model"), ("name", "url", "model_name", "family")),
    (_("The request"), ("method", "headers", "body", "answer")),
    (_("Its key"), ("key", "variable")),
    (_("What it costs"), ("prompt_price", "completion_price", "currency")),
    (_("How it may be asked"), ("max_in_flight", "per_minute", "timeout", "context_length")),
)


class EndpointForm(RecordForm, record=Words):
    """What an owner says of an endpoint. A scripted one has no address."""

    url = forms.CharField(
        label=_("Address"),
        max_length=500,
        widget=forms.URLInput(attrs={"placeholder": "https://models.example/v1"}),
        help_text=_("The base address of the API, which most often ends in /v1."),
    )
    model_name = NameField(label=_("Model"), max_length=200, help_text=_("As the server calls it."))
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


class ConnectionForm(forms.Form):
    """Which endpoint answers as a release, and with what parameters; what is empty is left to it."""

    endpoint = forms.ModelChoiceField(
        label=_("Endpoint"),
        queryset=Endpoint.objects.none(),
        empty_label=_("Choose an endpoint"),
    )
    system_prompt = forms.CharField(
        label=_("What it is told first"),
        required=False,
        max_length=20_000,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text=_("The system prompt of the release, before any that a question has."),
    )
    temperature = forms.FloatField(
        label=_("Temperature"), required=False, min_value=0, max_value=2, widget=forms.NumberInput
    )
    top_p = forms.FloatField(
        label=_("Top p"), required=False, min_value=0, max_value=1, widget=forms.NumberInput
    )
    max_tokens = forms.IntegerField(
        label=_("Tokens of an answer at most"),
        required=False,
        min_value=1,
        max_value=2**31 - 1,
        help_text=_("An answer that is longer is cut off, and marked so."),
    )
    seed = forms.IntegerField(
        label=_("Seed"),
        required=False,
        min_value=0,
        max_value=2**31 - 1,
        help_text=_("Left empty, each run sends one of its own."),
    )
    stop = forms.CharField(
        label=_("Stop at"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=_("Up to four texts, one per line."),
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


@require_GET
@door(permissions.UNBLINDED)
def endpoints(request: HttpRequest, scope: Scope) -> HttpResponse:
    lines = reads.list_endpoints(scope.project)
    context = {
        "scope": scope,
        "lines": [line for line in lines if line.endpoint.retired_at is None],
        "retired": [line for line in lines if line.endpoint.retired_at is not None],
        "may_edit": scope.may(permissions.OWNERS),
    }
    return render(request, "scoring/endpoints/endpoints.html", context)


@require_http_methods(["GET", "POST"])
@door(permissions.OWNERS)
def endpoint_new(request: HttpRequest, scope: Scope) -> HttpResponse:
    form = NewEndpointForm(
        request.POST if request.method == "POST" else None,
        variables=reads.variables(scope.project.slug),
    )
    if form.is_valid():
        try:
            made = operations.create(
                project=scope.project,
                about=form.about(),
                by=scope.user,
                now=timezone.now(),
                **form.key_given(),
            )
        except errors.Refusal as refusal:
            refusals.show(form, refusal)
        else:
            messages.success(request, gettext("The endpoint is added. Test its connection next."))
            return redirect("endpoint", scope.project.slug, made.pk)
    context = {"scope": scope, "form": form}
    return render(request, "scoring/endpoints/endpoint_new.html", context, status=status_of(form))


@require_http_methods(["GET", "POST"])
@door(permissions.OWNERS)
def endpoint_application(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Add an application that is asked over REST."""
    form = NewApplicationForm(
        request.POST if request.method == "POST" else None,
        variables=reads.variables(scope.project.slug),
    )
    if form.is_valid():
        try:
            made = operations.create(
                project=scope.project,
                about=form.about(),
                by=scope.user,
                now=timezone.now(),
                **form.key_given(),
            )
        except errors.Refusal as refusal:
            refusals.show(form, refusal)
        else:
            messages.success(
                request, gettext("The application is added. Test its connection next.")
            )
            return redirect("endpoint", scope.project.slug, made.pk)
    context = {"scope": scope, "form": form, "is_rest": True}
    return render(request, "scoring/endpoints/endpoint_new.html", context, status=status_of(form))


@require_POST
@door(permissions.UNBLINDED, permissions.OWNERS)
def endpoint_scripted(request: HttpRequest, scope: Scope) -> HttpResponse:
    made = testing.add_scripted(project=scope.project, by=scope.user, now=timezone.now())
    messages.success(request, gettext("The scripted endpoint is added, and is being tested."))
    return redirect("endpoint", scope.project.slug, made.pk)


@require_GET
@door(permissions.UNBLINDED)
def endpoint(request: HttpRequest, scope: Scope, pk: int) -> HttpResponse:
    """Show an endpoint; while it is tested the page asks again by itself, for the part alone."""
    found = _of(scope, pk)
    face = reads.face(found)
    context = {
        "scope": scope,
        "face": face,
        "endpoint": found,
        "may_edit": scope.may(permissions.OWNERS) and found.retired_at is None,
        "may_key": scope.may(permissions.OWNERS)
        and not found.is_scripted
        and (found.retired_at is None or reads.is_waited_for(found)),
        "may_test": scope.may(permissions.CURATORS) and found.retired_at is None,
    }
    if not request.headers.get("HX-Request"):
        return render(request, "scoring/endpoints/endpoint.html", context)
    if not face.is_moving:
        return HttpResponse(headers={"HX-Refresh": "true"})
    return render(request, "scoring/endpoints/parts/endpoint_test.html", context)


@require_http_methods(["GET", "POST"])
@door(permissions.OWNERS)
def endpoint_edit(request: HttpRequest, scope: Scope, pk: int) -> HttpResponse:
    found = _of(scope, pk)
    sent = request.POST if request.method == "POST" else None
    initial = reads.initial(found)
    form: EndpointForm = (
        ApplicationForm(sent, initial=initial | initial_of(found.request))
        if found.is_rest
        else EndpointForm(sent, initial=initial, scripted=found.is_scripted)
    )
    if form.is_valid():
        try:
            made = operations.edit(
                endpoint=found, about=form.about(), by=scope.user, now=timezone.now()
            )
        except errors.Refusal as refusal:
            refusals.show(form, refusal)
        else:
            _tell(request, found, made)
            return redirect("endpoint", scope.project.slug, made.pk)
    context = {
        "scope": scope,
        "endpoint": found,
        "form": form,
        "is_used": reads.is_used(found),
    }
    return render(request, "scoring/endpoints/endpoint_edit.html", context, status=status_of(form))


@require_http_methods(["GET", "POST"])
@door(permissions.OWNERS)
def endpoint_key(request: HttpRequest, scope: Scope, pk: int) -> HttpResponse:
    """Set the key of an endpoint, or take it away."""
    found = _of(scope, pk)
    form = KeyForm(
        request.POST if request.method == "POST" else None,
        variables=reads.variables(scope.project.slug),
        initial={"variable": found.key_env},
    )
    if form.is_valid():
        try:
            operations.set_key(
                endpoint=found, by=scope.user, now=timezone.now(), **form.key_given()
            )
        except errors.Refusal as refusal:
            refusals.show(form, refusal)
        else:
            messages.success(
                request, gettext("Saved. Test the connection to see whether it is accepted.")
            )
            return redirect("endpoint", scope.project.slug, pk)
    context = {"scope": scope, "endpoint": found, "form": form}
    return render(request, "scoring/endpoints/endpoint_key.html", context, status=status_of(form))


@require_POST
@door(permissions.UNBLINDED, permissions.CURATORS)
def endpoint_try(request: HttpRequest, scope: Scope, pk: int) -> HttpResponse:
    """Have the connection tested by a worker."""
    try:
        testing.request(endpoint=_of(scope, pk), by=scope.user, now=timezone.now())
    except errors.Refusal as refusal:
        messages.error(request, refusal.message)
    return redirect("endpoint", scope.project.slug, pk)


@require_POST
@door(permissions.UNBLINDED, permissions.OWNERS)
def endpoint_retire(request: HttpRequest, scope: Scope, pk: int) -> HttpResponse:
    found = _of(scope, pk)
    try:
        operations.retire(endpoint=found, by=scope.user, now=timezone.now())
    except errors.Refusal as refusal:
        messages.error(request, refusal.message)
    else:
        messages.success(request, gettext("%(name)s is retired.") % {"name": found.name})
    return redirect("endpoints", scope.project.slug)


def _of(scope: Scope, pk: int) -> Endpoint:
    return get_object_or_404(reads.of_endpoints(scope.project).select_related("project"), pk=pk)


def _tell(request: HttpRequest, before: Endpoint, made: Endpoint) -> None:
    if made.pk != before.pk:
        said = gettext(
            "Saved as number %(number)s, because the old one was used. Test its connection."
        )
        messages.success(request, said % {"number": made.number})
    else:
        messages.success(request, gettext("Saved."))
    if reads.has_key(before) and not reads.has_key(made):
        messages.warning(
            request,
            gettext("The address has another host, so the key was not taken along. Set it anew."),
        )


def _release(scope: Scope, pk: int) -> SystemRelease:
    releases = SystemRelease.objects.seen().select_related("system")
    return get_object_or_404(releases, system__project=scope.project, pk=pk)


@require_http_methods(["GET", "POST"])
@door(permissions.UNBLINDED, permissions.CURATORS)
def connection(request: HttpRequest, scope: Scope, pk: int) -> HttpResponse:
    """Show what answers as a release, and what did before; curators change it."""
    found = _release(scope, pk)
    history = list(reads.of_release(found)[:50])
    current = next((one for one in history if one.ended_at is None), None)
    form = ConnectionForm(
        request.POST if request.method == "POST" else None,
        project=scope.project,
        connection=current,
    )
    if form.is_valid():
        try:
            operations.connect(
                release=found,
                endpoint=form.cleaned_data["endpoint"],
                settings=form.settings(),
                by=scope.user,
                now=timezone.now(),
            )
        except errors.Refusal as refusal:
            refusals.show(form, refusal)
        else:
            messages.success(request, gettext("Connected. Its answers can be collected now."))
            return redirect("connection", scope.project.slug, pk)
    context = {
        "scope": scope,
        "release": found,
        "connection": current,
        "earlier": [one for one in history if one.ended_at is not None],
        "n_collected": reads.n_collected(found),
        "form": form,
        "has_endpoints": reads.endpoints_of(scope.project).exists(),
        "may_edit": scope.may(permissions.CURATORS),
    }
    status = refusals.status_of(form)
    return render(request, "scoring/endpoints/connection.html", context, status=status)


@require_POST
@door(permissions.UNBLINDED, permissions.CURATORS)
def connection_end(request: HttpRequest, scope: Scope, pk: int) -> HttpResponse:
    """End the connection of a release."""
    try:
        operations.disconnect(release=_release(scope, pk), by=scope.user, now=timezone.now())
    except errors.Refusal as refusal:
        messages.error(request, refusal.message)
    else:
        messages.success(request, gettext("No endpoint answers as this release any more."))
    return redirect("connection", scope.project.slug, pk)
