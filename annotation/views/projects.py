"""The projects somebody belongs to, a new one, and its settings."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods

from annotation import permissions
from annotation.forms import people as forms
from annotation.forms import refusals
from annotation.forms.refusals import status_of
from annotation.models import User
from annotation.operations import people, templates
from annotation.permissions import Scope, door
from annotation.queries import projects as reads
from annotation.queries.templates import list_templates
from evalsite import errors


@require_GET
def projects(request: HttpRequest) -> HttpResponse:
    """List the projects of the person who asks."""
    assert isinstance(request.user, User)
    context = {"mine": reads.list_of(request.user), **_starting(request.user)}
    return render(request, "annotation/projects.html", context)


@require_http_methods(["GET", "POST"])
def project_new(request: HttpRequest) -> HttpResponse:
    """Start a project; whoever does owns it."""
    assert isinstance(request.user, User)
    starting = _starting(request.user)
    if not starting["may_start"]:
        status = 403 if request.method == "POST" else 200
        return render(request, "annotation/project_new.html", starting, status=status)
    form = forms.NewProject(request.POST if request.method == "POST" else None)
    if form.is_valid():
        given = form.cleaned_data
        try:
            project = templates.start_project(
                template=given["template"],
                slug=given["slug"],
                name=given["name"],
                subtitle=given["subtitle"],
                by=request.user,
                now=timezone.now(),
            )
        except errors.Refusal as refusal:
            refusals.show(form, refusal)
        else:
            return redirect("project_home", project.slug)
    context = {"form": form, "templates": list_templates(), **starting}
    return render(request, "annotation/project_new.html", context, status=status_of(form))


def _starting(user: User) -> dict[str, object]:
    """Return what a page says of starting projects."""
    return {"may_start": reads.may_start(user), "how_to_start": reads.how_to_start()}


@require_http_methods(["GET", "POST"])
@door(permissions.OWNERS)
def project_settings(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Change what the project is called, and what its annotators are told."""
    project = scope.project
    form = forms.ProjectSettings(
        request.POST if request.method == "POST" else None,
        initial={"name": project.name, "subtitle": project.subtitle, "note": project.note},
    )
    if form.is_valid():
        people.set_up_project(
            project=project, **form.cleaned_data, by=scope.user, now=timezone.now()
        )
        messages.success(request, _("Saved."))
        return redirect("project_settings", scope.project.slug)
    context = {"scope": scope, "form": form}
    return render(request, "annotation/project_settings.html", context, status=status_of(form))
