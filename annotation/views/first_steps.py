"""A guided first visit: what a person's roles do first here, ticked off by what they have done."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from annotation import permissions
from annotation.models import Role
from annotation.operations import first_steps as operations
from annotation.permissions import Scope, door
from annotation.queries import first_steps as reads
from annotation.queries.first_steps import Guide, Step
from evalsite import panels


def guide_of(scope: Scope, *, whole: bool = False) -> Guide:
    """Return the guide of the person; other parts of the product add steps in the slot "first_steps"."""
    return reads.guide(scope.project, scope.user, _steps(scope), whole=whole)


def guide_of_annotator(scope: Scope) -> Guide | None:
    """Return the guide for the list of what there is to grade: of somebody who does nothing else."""
    return guide_of(scope) if scope.roles == {Role.ANNOTATOR} else None


def story_of(scope: Scope) -> list[dict[str, str]]:
    """Return what there is in the project already, in order: title, text and address each.

    Other parts of the product tell it in the slot "story".
    """
    return [one for several in panels.fill("story", scope=scope) for one in several]


@require_http_methods(["GET", "POST"])
@door(permissions.EVERYBODY)
def first_steps(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Show all first steps, also when they are put away; put them away, or bring them back."""
    if request.method == "POST":
        if request.POST.get("act") == "back":
            operations.bring_back(project=scope.project, user=scope.user)
            messages.success(request, _("The first steps stand on your first page again."))
        else:
            operations.put_away(project=scope.project, user=scope.user)
            messages.info(
                request, _("Put away. “First steps” above your name in the menu brings them back.")
            )
        return redirect("project_home", scope.project.slug)
    context = {
        "scope": scope,
        "project": scope.project,
        "guide": guide_of(scope, whole=True),
        "story": story_of(scope),
    }
    return render(request, "annotation/first_steps.html", context)


@require_POST
@door(permissions.EVERYBODY)
def first_step(request: HttpRequest, scope: Scope, step: str) -> HttpResponse:
    """Go to the page of a step, and say there what to look at."""
    found = next((one for one in _steps(scope) if one.key == step), None)
    if found is None:
        raise Http404(_("There is nothing here that you may see."))
    operations.open_step(project=scope.project, user=scope.user, key=found.key)
    messages.info(request, f"{found.title}. {found.hint}")
    args = [] if found.outside else [scope.project.slug]
    return redirect(reverse(found.page, args=args))


def _steps(scope: Scope) -> list[Step]:
    return reads.steps_of(scope.project, scope.roles, panels.fill("first_steps", scope=scope))
