"""Pages of the endpoints: the servers at which language models are asked."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation import permissions
from annotation.forms import refusals
from annotation.forms.refusals import status_of
from annotation.permissions import Scope, door
from evalsite import errors
from scoring.forms import endpoints as forms
from scoring.models import Endpoint
from scoring.operations import endpoint_scripts, endpoint_tests
from scoring.operations import endpoints as operations
from scoring.queries import endpoint_keys, endpoint_pages
from scoring.queries import endpoints as reads


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
    return render(request, "scoring/endpoints.html", context)


@require_http_methods(["GET", "POST"])
@door(permissions.OWNERS)
def endpoint_new(request: HttpRequest, scope: Scope) -> HttpResponse:
    form = forms.NewEndpointForm(
        request.POST if request.method == "POST" else None,
        variables=endpoint_keys.variables(scope.project.slug),
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
            messages.success(request, _("The endpoint is added. Test its connection next."))
            return redirect("endpoint", scope.project.slug, made.pk)
    context = {"scope": scope, "form": form}
    return render(request, "scoring/endpoint_new.html", context, status=status_of(form))


@require_http_methods(["GET", "POST"])
@door(permissions.OWNERS)
def endpoint_application(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Add an application that is asked over REST."""
    form = forms.NewApplicationForm(
        request.POST if request.method == "POST" else None,
        variables=endpoint_keys.variables(scope.project.slug),
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
            messages.success(request, _("The application is added. Test its connection next."))
            return redirect("endpoint", scope.project.slug, made.pk)
    context = {"scope": scope, "form": form, "is_rest": True}
    return render(request, "scoring/endpoint_new.html", context, status=status_of(form))


@require_POST
@door(permissions.UNBLINDED, permissions.OWNERS)
def endpoint_scripted(request: HttpRequest, scope: Scope) -> HttpResponse:
    made = endpoint_scripts.add_scripted(project=scope.project, by=scope.user, now=timezone.now())
    messages.success(request, _("The scripted endpoint is added, and is being tested."))
    return redirect("endpoint", scope.project.slug, made.pk)


@require_GET
@door(permissions.UNBLINDED)
def endpoint(request: HttpRequest, scope: Scope, pk: int) -> HttpResponse:
    """Show an endpoint; while it is tested the page asks again by itself, for the part alone."""
    found = _of(scope, pk)
    face = endpoint_pages.face(found)
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
        return render(request, "scoring/endpoint.html", context)
    if not face.is_moving:
        return HttpResponse(headers={"HX-Refresh": "true"})
    return render(request, "scoring/parts/endpoint_test.html", context)


@require_http_methods(["GET", "POST"])
@door(permissions.OWNERS)
def endpoint_edit(request: HttpRequest, scope: Scope, pk: int) -> HttpResponse:
    found = _of(scope, pk)
    sent = request.POST if request.method == "POST" else None
    initial = endpoint_pages.initial(found)
    form: forms.EndpointForm = (
        forms.ApplicationForm(sent, initial=initial | forms.initial_of(found.request))
        if found.is_rest
        else forms.EndpointForm(sent, initial=initial, scripted=found.is_scripted)
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
    return render(request, "scoring/endpoint_edit.html", context, status=status_of(form))


@require_http_methods(["GET", "POST"])
@door(permissions.OWNERS)
def endpoint_key(request: HttpRequest, scope: Scope, pk: int) -> HttpResponse:
    """Set the key of an endpoint, or take it away."""
    found = _of(scope, pk)
    form = forms.KeyForm(
        request.POST if request.method == "POST" else None,
        variables=endpoint_keys.variables(scope.project.slug),
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
                request, _("Saved. Test the connection to see whether it is accepted.")
            )
            return redirect("endpoint", scope.project.slug, pk)
    context = {"scope": scope, "endpoint": found, "form": form}
    return render(request, "scoring/endpoint_key.html", context, status=status_of(form))


@require_POST
@door(permissions.UNBLINDED, permissions.CURATORS)
def endpoint_try(request: HttpRequest, scope: Scope, pk: int) -> HttpResponse:
    """Have the connection tested by a worker."""
    try:
        endpoint_tests.request(endpoint=_of(scope, pk), by=scope.user, now=timezone.now())
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
        messages.success(request, _("%(name)s is retired.") % {"name": found.name})
    return redirect("endpoints", scope.project.slug)


def _of(scope: Scope, pk: int) -> Endpoint:
    return get_object_or_404(reads.of(scope.project).select_related("project"), pk=pk)


def _tell(request: HttpRequest, before: Endpoint, made: Endpoint) -> None:
    if made.pk != before.pk:
        said = _("Saved as number %(number)s, because the old one was used. Test its connection.")
        messages.success(request, said % {"number": made.number})
    else:
        messages.success(request, _("Saved."))
    if endpoint_pages.has_key(before) and not endpoint_pages.has_key(made):
        messages.warning(
            request, _("The address has another host, so the key was not taken along. Set it anew.")
        )
