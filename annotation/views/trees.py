"""Moving a node of a tree, for areas and capabilities alike."""

from typing import TypeVar

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.forms import taxonomy as forms
from annotation.models import Capability, Domain
from annotation.operations import taxonomy as operations
from annotation.permissions import Scope
from annotation.rules import trees
from evalsite import errors

N = TypeVar("N", Capability, Domain)


def move(request: HttpRequest, scope: Scope, model: type[N], pk: int, back: str) -> HttpResponse:
    """Move a node as a button or a drag says, and return to its line in the tree."""
    node = get_object_or_404(model._default_manager, project=scope.project, pk=pk)
    form = forms.Move(request.POST)
    if not form.is_valid():
        messages.error(request, _("Say where to: a step, or a new place. Nothing was moved."))
    else:
        try:
            _moved(scope, node, form)
        except errors.Refusal as refusal:
            messages.error(request, refusal.message)
    return redirect(f"{reverse(back, args=[scope.project.slug])}#node-{pk}")


def _moved(scope: Scope, node: N, form: forms.Move) -> None:
    given = form.cleaned_data
    if given["step"]:
        operations.step(
            node=node, step=trees.Step(given["step"]), by=scope.user, now=timezone.now()
        )
        return
    operations.move(
        node=node,
        parent=_of(node, given["parent"]),
        before=_of(node, given["before"]),
        by=scope.user,
        now=timezone.now(),
    )


def _of(node: N, pk: int | None) -> N | None:
    if pk is None:
        return None
    found = type(node)._default_manager.filter(project=node.project, pk=pk).first()
    if found is None:
        raise Http404(_("What you moved it to is gone. Load the page again."))
    return found
