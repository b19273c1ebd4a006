"""Pages of the endpoints: the servers at which language models are asked.

* Who answers as a release: an endpoint, with the parameters of this configuration.
"""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from annotation.common import forms as refusals
from annotation.common.forms import status_of
from annotation.common.sentences import gettext
from annotation.people import permissions
from annotation.people.permissions import Scope, asks, does, shows
from annotation.systems.models import SystemRelease
from scoring.endpoints import operations, testing
from scoring.endpoints import queries as reads
from scoring.endpoints.forms import (
    ApplicationForm,
    ConnectionForm,
    EndpointForm,
    KeyForm,
    NewApplicationForm,
    NewEndpointForm,
    ServerForm,
    asked_initial,
    initial_of,
)
from scoring.endpoints.models import Endpoint


@shows(permissions.UNBLINDED)
def endpoints(request: HttpRequest, scope: Scope) -> HttpResponse:
    lines = reads.list_endpoints(scope.project)
    context = {
        "lines": [line for line in lines if line.endpoint.retired_at is None],
        "retired": [line for line in lines if line.endpoint.retired_at is not None],
        "may_edit": scope.may(permissions.OWNERS),
    }
    return render(request, "scoring/endpoints/endpoints.html", context)


@asks(permissions.OWNERS)
def endpoint_new(request: HttpRequest, scope: Scope) -> HttpResponse:
    form = NewEndpointForm(
        request.POST if request.method == "POST" else None,
        variables=reads.variables(scope.project.slug),
    )
    if form.is_valid():
        with refusals.shown(form):
            made = operations.create(about=form.about(), **form.key_given(), **scope.deed())
            messages.success(request, gettext("Added. Test its connection."))
            return redirect("endpoint", scope.project.slug, made.pk)
    context = {"form": form}
    return render(request, "scoring/endpoints/endpoint_new.html", context, status=status_of(form))


@asks(permissions.OWNERS)
def endpoint_application(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Add an application that is asked over REST."""
    form = NewApplicationForm(
        request.POST if request.method == "POST" else None,
        variables=reads.variables(scope.project.slug),
    )
    if form.is_valid():
        with refusals.shown(form):
            made = operations.create(about=form.about(), **form.key_given(), **scope.deed())
            messages.success(request, gettext("Added. Test its connection."))
            return redirect("endpoint", scope.project.slug, made.pk)
    context = {"form": form, "is_rest": True}
    return render(request, "scoring/endpoints/endpoint_new.html", context, status=status_of(form))


@does(permissions.UNBLINDED, permissions.OWNERS)
def endpoint_scripted(request: HttpRequest, scope: Scope) -> HttpResponse:
    made = testing.add_scripted(**scope.deed())
    messages.success(request, gettext("Added, being tested."))
    return redirect("endpoint", scope.project.slug, made.pk)


@shows(permissions.UNBLINDED)
def endpoint(request: HttpRequest, scope: Scope, pk: int) -> HttpResponse:
    """Show an endpoint; while it is tested the page asks again by itself, for the part alone."""
    found = _of(scope, pk)
    face = reads.face(found)
    context = {
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


@asks(permissions.OWNERS)
def endpoint_edit(request: HttpRequest, scope: Scope, pk: int) -> HttpResponse:
    found = _of(scope, pk)
    sent = request.POST if request.method == "POST" else None
    form = _edit_form(found, sent)
    if form.is_valid():
        with refusals.shown(form):
            made = operations.edit(endpoint=found, about=form.about(), **scope.who())
            _tell(request, found, made)
            return redirect("endpoint", scope.project.slug, made.pk)
    context = {"endpoint": found, "form": form, "is_used": reads.is_used(found)}
    return render(request, "scoring/endpoints/endpoint_edit.html", context, status=status_of(form))


def _edit_form(found: Endpoint, sent: Any) -> EndpointForm:
    initial = reads.initial(found)
    if found.is_rest:
        return ApplicationForm(sent, initial=initial | initial_of(found.request))
    if found.is_scripted:
        return EndpointForm(sent, initial=initial, scripted=True)
    return ServerForm(sent, initial=initial | asked_initial(found))


@asks(permissions.OWNERS)
def endpoint_key(request: HttpRequest, scope: Scope, pk: int) -> HttpResponse:
    """Set the key of an endpoint, or take it away."""
    found = _of(scope, pk)
    form = KeyForm(
        request.POST if request.method == "POST" else None,
        variables=reads.variables(scope.project.slug),
        initial={"variable": found.key_env},
    )
    if form.is_valid():
        with refusals.shown(form):
            operations.set_key(endpoint=found, **form.key_given(), **scope.who())
            messages.success(request, gettext("Saved. Test the connection."))
            return redirect("endpoint", scope.project.slug, pk)
    context = {"endpoint": found, "form": form}
    return render(request, "scoring/endpoints/endpoint_key.html", context, status=status_of(form))


@does(permissions.UNBLINDED, permissions.CURATORS)
def endpoint_try(request: HttpRequest, scope: Scope, pk: int) -> HttpResponse:
    """Have the connection tested by a worker."""
    with refusals.told(request):
        testing.request(endpoint=_of(scope, pk), **scope.who())
    return redirect("endpoint", scope.project.slug, pk)


@does(permissions.UNBLINDED, permissions.OWNERS)
def endpoint_retire(request: HttpRequest, scope: Scope, pk: int) -> HttpResponse:
    found = _of(scope, pk)
    with refusals.told(request):
        operations.retire(endpoint=found, **scope.who())
        messages.success(request, gettext("%(name)s is retired.") % {"name": found.name})
    return redirect("endpoints", scope.project.slug)


def _of(scope: Scope, pk: int) -> Endpoint:
    return get_object_or_404(reads.of_endpoints(scope.project).select_related("project"), pk=pk)


def _tell(request: HttpRequest, before: Endpoint, made: Endpoint) -> None:
    if made.pk != before.pk:
        said = gettext("Saved as number %(number)s. Test its connection.")
        messages.success(request, said % {"number": made.number})
    else:
        messages.success(request, gettext("Saved."))
    if made.url != before.url and reads.has_key(before) and not reads.has_key(made):
        messages.warning(
            request,
            gettext("Another host: set the key anew."),
        )


def _release(scope: Scope, pk: int) -> SystemRelease:
    releases = SystemRelease.objects.seen().select_related("system")
    return get_object_or_404(releases, system__project=scope.project, pk=pk)


@asks(permissions.UNBLINDED, permissions.CURATORS)
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
        with refusals.shown(form):
            operations.connect(
                release=found,
                endpoint=form.cleaned_data["endpoint"],
                settings=form.settings(),
                **scope.who(),
            )
            messages.success(request, gettext("Connected. Collect its answers."))
            return redirect("connection", scope.project.slug, pk)
    context = {
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


@does(permissions.UNBLINDED, permissions.CURATORS)
def connection_end(request: HttpRequest, scope: Scope, pk: int) -> HttpResponse:
    """End the connection of a release."""
    with refusals.told(request):
        operations.disconnect(release=_release(scope, pk), **scope.who())
        messages.success(request, gettext("Disconnected."))
    return redirect("connection", scope.project.slug, pk)
