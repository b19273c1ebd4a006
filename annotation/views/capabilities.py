"""Capabilities: the tree, one of them, and what it means wherever somebody must choose one."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation import permissions
from annotation.forms import refusals
from annotation.forms import taxonomy as forms
from annotation.forms.refusals import status_of
from annotation.models import Capability
from annotation.operations import taxonomy as operations
from annotation.permissions import Scope, door
from annotation.queries import coverage
from annotation.queries import taxonomy as reads
from annotation.views import trees
from evalsite import errors


@require_GET
@door(permissions.READERS)
def capabilities(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Show what is evaluated, in general and in the field, with what the bank holds of it."""
    lines = coverage.of_capabilities(scope.project)
    context = {
        "scope": scope,
        "lines": lines,
        "overlapping": [one for one in lines if one.overlaps],
        "may_edit": scope.may(permissions.CURATORS),
    }
    return render(request, "annotation/capabilities.html", context)


@require_http_methods(["GET", "POST"])
@door(permissions.CURATORS)
def capability_new(request: HttpRequest, scope: Scope) -> HttpResponse:
    return _capability(request, scope, None)


@require_http_methods(["GET", "POST"])
@door(permissions.READERS, permissions.CURATORS)
def capability(request: HttpRequest, scope: Scope, pk: int) -> HttpResponse:
    """Show a capability to whoever may read; curators change it."""
    return _capability(request, scope, get_object_or_404(Capability, project=scope.project, pk=pk))


@require_POST
@door(permissions.READERS, permissions.CURATORS)
def capability_move(request: HttpRequest, scope: Scope, pk: int) -> HttpResponse:
    return trees.move(request, scope, Capability, pk, "capabilities")


@require_GET
@door(permissions.READERS)
def capability_help(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Show what a capability and its difficulties mean, or all of them, where one is chosen."""
    if "all" in request.GET:
        helps = {"scope": scope, "helps": reads.helps(scope.project)}
        return render(request, "includes/capability_helps_body.html", helps)
    helped = reads.help_of(scope.project, request.GET.get("capability", ""))
    context = {"scope": scope, "helped": helped, "difficulty": request.GET.get("difficulty", "")}
    return render(request, "includes/capability_help_body.html", context)


@require_POST
@door(permissions.READERS, permissions.CURATORS)
def capability_remove(request: HttpRequest, scope: Scope, pk: int) -> HttpResponse:
    node = get_object_or_404(Capability, project=scope.project, pk=pk)
    try:
        operations.remove_capability(capability=node, by=scope.user, now=timezone.now())
    except errors.Refusal as refusal:
        messages.error(request, refusal.message)
        return redirect("capability", scope.project.slug, pk)
    messages.success(request, _("%(name)s is removed.") % {"name": node.name})
    return redirect("capabilities", scope.project.slug)


def _capability(request: HttpRequest, scope: Scope, old: Capability | None) -> HttpResponse:
    sent = request.POST if request.method == "POST" else None
    form = forms.CapabilityForm(
        sent, project=scope.project, old=old, below=request.GET.get("below", "")
    )
    if form.is_valid():
        try:
            made = operations.save_capability(
                project=scope.project, text=form.text(), old=old, by=scope.user, now=timezone.now()
            )
        except errors.Refusal as refusal:
            refusals.show(form, refusal)
        else:
            messages.success(request, _("Saved."))
            where = reverse("capabilities", args=[scope.project.slug])
            return redirect(f"{where}#node-{made.pk}")
    context = {
        "scope": scope,
        "form": form,
        "node": old,
        "may_edit": scope.may(permissions.CURATORS),
    }
    return render(request, "annotation/capability.html", context, status=status_of(form))
