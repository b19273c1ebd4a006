"""Capabilities and subject areas: the trees, and one node of them."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation import permissions
from annotation.forms import refusals
from annotation.forms import taxonomy as forms
from annotation.forms.refusals import status_of
from annotation.models import Capability, Domain
from annotation.operations import taxonomy as operations
from annotation.permissions import Scope, door
from annotation.queries import taxonomy as reads
from evalsite import errors


@require_GET
@door(permissions.READERS)
def capabilities(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Show what is evaluated: capabilities and subject areas."""
    context = {
        "scope": scope,
        "capabilities": reads.capability_tree(scope.project),
        "domains": reads.domain_tree(scope.project),
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


def _capability(request: HttpRequest, scope: Scope, old: Capability | None) -> HttpResponse:
    sent = request.POST if request.method == "POST" else None
    form = forms.CapabilityForm(sent, project=scope.project, old=old)
    if form.is_valid():
        try:
            operations.save_capability(
                project=scope.project, text=form.text(), old=old, by=scope.user, now=timezone.now()
            )
        except errors.Refusal as refusal:
            refusals.show(form, refusal)
        else:
            messages.success(request, _("Saved."))
            return redirect("capabilities", scope.project.slug)
    return _node(request, scope, form, "annotation/capability.html", old)


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


@require_http_methods(["GET", "POST"])
@door(permissions.CURATORS)
def domain_new(request: HttpRequest, scope: Scope) -> HttpResponse:
    return _domain(request, scope, None)


@require_http_methods(["GET", "POST"])
@door(permissions.CURATORS)
def domain(request: HttpRequest, scope: Scope, pk: int) -> HttpResponse:
    return _domain(request, scope, get_object_or_404(Domain, project=scope.project, pk=pk))


def _domain(request: HttpRequest, scope: Scope, old: Domain | None) -> HttpResponse:
    sent = request.POST if request.method == "POST" else None
    form = forms.DomainForm(sent, project=scope.project, old=old)
    if form.is_valid():
        try:
            operations.save_domain(
                project=scope.project, text=form.text(), old=old, by=scope.user, now=timezone.now()
            )
        except errors.Refusal as refusal:
            refusals.show(form, refusal)
        else:
            messages.success(request, _("Saved."))
            return redirect("capabilities", scope.project.slug)
    return _node(request, scope, form, "annotation/domain.html", old)


@require_POST
@door(permissions.READERS, permissions.CURATORS)
def domain_remove(request: HttpRequest, scope: Scope, pk: int) -> HttpResponse:
    node = get_object_or_404(Domain, project=scope.project, pk=pk)
    try:
        operations.remove_domain(domain=node, by=scope.user, now=timezone.now())
    except errors.Refusal as refusal:
        messages.error(request, refusal.message)
        return redirect("domain", scope.project.slug, pk)
    messages.success(request, _("%(name)s is removed.") % {"name": node.name})
    return redirect("capabilities", scope.project.slug)


def _node(
    request: HttpRequest,
    scope: Scope,
    form: forms.CapabilityForm | forms.DomainForm,
    template: str,
    old: Capability | Domain | None,
) -> HttpResponse:
    context = {
        "scope": scope,
        "form": form,
        "node": old,
        "may_edit": scope.may(permissions.CURATORS),
    }
    return render(request, template, context, status=status_of(form))
