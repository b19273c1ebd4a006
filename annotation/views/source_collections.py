"""Collections of sources: the list, and one with its sources and the designers who see it."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from annotation import permissions
from annotation.forms.refusals import show, status_of
from annotation.forms.sources import AppointForm, CollectionForm
from annotation.operations.bank import collections as operations
from annotation.permissions import Scope, door
from annotation.queries import source_collections as reads
from evalsite import errors


@require_http_methods(["GET", "POST"])
@door(permissions.CURATORS)
def source_collections(request: HttpRequest, scope: Scope) -> HttpResponse:
    """List the collections of a project; a POST begins one."""
    form = CollectionForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            made = operations.create_collection(
                project=scope.project, by=scope.user, now=timezone.now(), **form.cleaned_data
            )
        except errors.Refusal as refusal:
            show(form, refusal)
        else:
            messages.success(request, _("The collection is begun. Appoint designers to it."))
            return redirect("source_collection", scope.project.slug, made.pk)
    context = {"scope": scope, "form": form, "lines": reads.lines(scope.project)}
    template = "annotation/source_collections.html"
    return render(request, template, context, status=status_of(form))


@require_http_methods(["GET", "POST"])
@door(permissions.CURATORS)
def source_collection(request: HttpRequest, scope: Scope, pk: int) -> HttpResponse:
    """Show a collection; a POST appoints a designer, or ends an appointment."""
    found = reads.collection_of(scope.project, pk)
    if found is None:
        raise Http404(_("There is no such collection."))
    designers = reads.designers_besides(found)
    ends = request.POST.get("act") == "end"
    sent = request.method == "POST" and not ends
    form = AppointForm(request.POST if sent else None, designers=designers)
    try:
        if ends:
            _end(request, scope, pk)
            return redirect("source_collection", scope.project.slug, pk)
        if sent and form.is_valid():
            chosen = next(one for one in designers if one.pk == form.cleaned_data["user"])
            operations.appoint(collection=found, user=chosen, by=scope.user, now=timezone.now())
            messages.success(request, _("They see this collection from now on."))
            return redirect("source_collection", scope.project.slug, pk)
    except errors.Refusal as refusal:
        messages.error(request, refusal.message)
    context = {
        "scope": scope,
        "collection": found,
        "form": form,
        "designers": designers,
        "appointments": reads.appointments_of(found),
        "sources": reads.sources_of(found),
        "most": reads.MOST_SHOWN,
    }
    template = "annotation/source_collection.html"
    return render(request, template, context, status=status_of(form))


def _end(request: HttpRequest, scope: Scope, pk: int) -> None:
    wanted = request.POST.get("appointment", "")
    found = reads.appointment_of(scope.project, pk, int(wanted) if wanted.isdecimal() else 0)
    if found is None:
        raise Http404(_("There is no such appointment."))
    operations.end_appointment(appointment=found, by=scope.user, now=timezone.now())
    messages.success(request, _("They do not see this collection any more."))
