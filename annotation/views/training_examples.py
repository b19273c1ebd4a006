"""The examples that annotators train by: the list, a new one, those of the rubric, withdrawing."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation import permissions
from annotation.forms import refusals
from annotation.forms import training as forms
from annotation.forms.refusals import status_of
from annotation.models import Capability, RubricVersion, TrainingExample
from annotation.operations import training as operations
from annotation.permissions import Scope, door
from annotation.queries import example_lists as reads
from evalsite import errors


@require_GET
@door(permissions.CURATORS)
def examples(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Show the examples of every capability."""
    context = {"scope": scope, "lines": reads.lines(scope.project)}
    return render(request, "annotation/examples.html", context)


@require_http_methods(["GET", "POST"])
@door(permissions.CURATORS)
def example_new(request: HttpRequest, scope: Scope, pk: int) -> HttpResponse:
    """Write an example; `?response=` begins with an answer of the bank, without its system.

    `?instead=` begins with an example and puts the new one in its place.
    """
    capability = get_object_or_404(Capability, project=scope.project, pk=pk)
    version = operations.newest_version(capability)
    if version is None:
        messages.error(request, _("This capability has no rubric. Choose one for it first."))
        return redirect("capability", scope.project.slug, pk)
    sent = request.POST if request.method == "POST" else None
    earlier = _instead(capability, request.GET.get("instead", ""))
    begun = (
        reads.as_entered(earlier)
        if earlier
        else reads.begun(scope.project, request.GET.get("response", ""))
    )
    form = forms.ExampleForm(sent, version=version, initial=begun)
    if form.is_valid():
        try:
            _write(scope, capability, version, earlier, form.text())
        except errors.Refusal as refusal:
            refusals.show(form, refusal)
        else:
            messages.success(request, _("The example is there; annotators see it from now on."))
            return redirect("examples", scope.project.slug)
    context: dict[str, Any] = {
        "scope": scope,
        "capability": capability,
        "version": version,
        "form": form,
        "earlier": earlier,
        "answers": reads.answers_of(capability) if not begun and sent is None else [],
    }
    return render(request, "annotation/example_new.html", context, status=status_of(form))


def _instead(capability: Capability, number: str) -> TrainingExample | None:
    """Return the example of this capability that another is written for.

    Raises:
        Http404: there is none of this number, or it was withdrawn.
    """
    if not number:
        return None
    rows = TrainingExample.objects.in_use().filter(capability=capability)
    wanted = int(number) if number.isascii() and number.isdigit() and len(number) < 10 else 0
    return get_object_or_404(rows.select_related("project", "capability"), number=wanted)


def _write(
    scope: Scope,
    capability: Capability,
    version: RubricVersion,
    earlier: TrainingExample | None,
    text: operations.ExampleText,
) -> None:
    now = timezone.now()
    if earlier is not None:
        operations.replace(example=earlier, text=text, by=scope.user, now=now)
        return
    operations.add_example(
        project=scope.project,
        capability=capability,
        version=version,
        text=text,
        by=scope.user,
        now=now,
    )


@require_POST
@door(permissions.CURATORS)
def example_adopt(request: HttpRequest, scope: Scope, pk: int) -> HttpResponse:
    """Take the example answers of the capability's rubric over."""
    capability = get_object_or_404(Capability, project=scope.project, pk=pk)
    try:
        made = operations.adopt_levels(capability=capability, by=scope.user, now=timezone.now())
    except errors.Refusal as refusal:
        messages.error(request, refusal.message)
    else:
        done = ngettext("%(n)d example is added.", "%(n)d examples are added.", len(made))
        messages.success(request, done % {"n": len(made)})
    return redirect("examples", scope.project.slug)


@require_POST
@door(permissions.CURATORS)
def example_withdraw(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Use an example no more."""
    found = get_object_or_404(TrainingExample, project=scope.project, number=number)
    try:
        operations.withdraw(example=found, by=scope.user, now=timezone.now())
    except errors.Refusal as refusal:
        messages.error(request, refusal.message)
    else:
        messages.success(request, _("The example is withdrawn. What was practised stays."))
    return redirect("examples", scope.project.slug)
