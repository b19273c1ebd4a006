"""Subject areas: the tree with its coverage, its picture, and one area of it."""

from collections.abc import Sequence

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
from annotation.models import Domain
from annotation.operations import taxonomy as operations
from annotation.permissions import Scope, door
from annotation.queries import coverage, stock
from annotation.queries.coverage import Covered
from annotation.views import trees
from evalsite import errors, panels


@require_GET
@door(permissions.READERS)
def domains(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Show the tree, and beside it the area that was chosen (`?area=`), or the first."""
    kinds = stock.by_kind(scope.project)
    lines = coverage.of_domains(scope.project, kinds)
    asked = request.GET.get("area", "")
    chosen = next((one for one in lines if str(one.node.pk) == asked), None)
    chosen = chosen or (lines[0] if lines else None)
    scores = scores_for(scope)
    left_out = request.GET.get("left_out") == "hide"
    context = {
        "scope": scope,
        "tabs": tabs(scope, "domains"),
        "lines": [one for one in lines if one.node.in_scope] if left_out else lines,
        "hides": left_out,
        "n": len(lines),
        "n_levels": max((one.branch.depth + 1 for one in lines), default=0),
        "n_in_scope": sum(one.node.in_scope for one in lines),
        "overlapping": [one for one in lines if one.overlaps],
        "chosen": chosen,
        "beside": beside(lines, chosen.node) if chosen else [],
        "parts": [one for one in lines if chosen and one.node.parent_id == chosen.node.pk],
        "missing": coverage.missing_in(chosen.node, kinds) if chosen else [],
        "score": scores.get(chosen.node.pk, "") if chosen else "",
        "may_edit": scope.may(permissions.CURATORS),
    }
    return render(request, "annotation/domains.html", context)


@require_GET
@door(permissions.READERS)
def domains_picture(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Draw the tree with the bank's coverage and the newest final scores on it."""
    lines = coverage.of_domains(scope.project)
    scores = scores_for(scope)
    picture, boxes = coverage.picture(lines, scores)
    context = {
        "scope": scope,
        "tabs": tabs(scope, "domains_picture"),
        "picture": picture,
        "boxes": boxes,
        "has_scores": bool(scores),
    }
    return render(request, "annotation/domains_picture.html", context)


@require_http_methods(["GET", "POST"])
@door(permissions.CURATORS)
def domain_new(request: HttpRequest, scope: Scope) -> HttpResponse:
    return _domain(request, scope, None)


@require_http_methods(["GET", "POST"])
@door(permissions.CURATORS)
def domain(request: HttpRequest, scope: Scope, pk: int) -> HttpResponse:
    """Change an area, with what stands beside it in sight."""
    return _domain(request, scope, get_object_or_404(Domain, project=scope.project, pk=pk))


@require_POST
@door(permissions.READERS, permissions.CURATORS)
def domain_move(request: HttpRequest, scope: Scope, pk: int) -> HttpResponse:
    return trees.move(request, scope, Domain, pk, "domains")


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
    return redirect("domains", scope.project.slug)


def scores_for(scope: Scope) -> dict[int, str]:
    """Return the scores by area that other parts of the product know, for those who may see them."""
    found: dict[int, str] = {}
    for scores in panels.fill("domain_scores", scope=scope):
        found.update(scores)
    return found


def beside(lines: Sequence[Covered[Domain]], node: Domain) -> list[Covered[Domain]]:
    """Return the areas that stand beside this one."""
    return [one for one in lines if one.node.parent_id == node.parent_id and one.node != node]


def tabs(scope: Scope, current: str) -> list[dict[str, object]]:
    pages = (("domains", _("Tree")), ("domains_picture", _("Picture")))
    return [
        {
            "label": label,
            "url": reverse(name, args=[scope.project.slug]),
            "current": name == current,
        }
        for name, label in pages
    ]


def _domain(request: HttpRequest, scope: Scope, old: Domain | None) -> HttpResponse:
    sent = request.POST if request.method == "POST" else None
    form = forms.DomainForm(
        sent, project=scope.project, old=old, below=request.GET.get("below", "")
    )
    if form.is_valid():
        try:
            made = operations.save_domain(
                project=scope.project, text=form.text(), old=old, by=scope.user, now=timezone.now()
            )
        except errors.Refusal as refusal:
            refusals.show(form, refusal)
        else:
            messages.success(request, _("Saved."))
            where = reverse("domains", args=[scope.project.slug])
            return redirect(f"{where}?area={made.pk}#node-{made.pk}")
    lines = coverage.of_domains(scope.project)
    context = {
        "scope": scope,
        "form": form,
        "node": old,
        "beside": beside(lines, old) if old else form.beside(lines),
        "parts": [one for one in lines if old and one.node.parent_id == old.pk],
        "alike": next((one.overlaps for one in lines if old and one.node == old), ()),
    }
    return render(request, "annotation/domain.html", context, status=status_of(form))
