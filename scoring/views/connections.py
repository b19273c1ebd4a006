"""Who answers as a release: an endpoint, with the parameters of this configuration."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from annotation import permissions
from annotation.forms import refusals
from annotation.models import SystemRelease
from annotation.permissions import Scope, door
from evalsite import errors
from scoring.forms.connections import ConnectionForm
from scoring.operations import connections as operations
from scoring.queries import connections as reads


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
            messages.success(request, _("Connected. Its answers can be collected now."))
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
    return render(request, "scoring/connection.html", context, status=status)


@require_POST
@door(permissions.UNBLINDED, permissions.CURATORS)
def connection_end(request: HttpRequest, scope: Scope, pk: int) -> HttpResponse:
    """End the connection of a release."""
    try:
        operations.disconnect(release=_release(scope, pk), by=scope.user, now=timezone.now())
    except errors.Refusal as refusal:
        messages.error(request, refusal.message)
    else:
        messages.success(request, _("No endpoint answers as this release any more."))
    return redirect("connection", scope.project.slug, pk)
