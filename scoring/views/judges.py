"""The judges and metrics of a project."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from annotation import permissions
from annotation.permissions import Scope, door
from annotation.queries import items
from evalsite import keyset
from scoring.queries import machines


@require_GET
@door(permissions.UNBLINDED)
def judges(request: HttpRequest, scope: Scope) -> HttpResponse:
    """List the judges and metrics, with their ranges and where their scores came from."""
    page = machines.page(scope.project, after=request.GET.get("after", ""))
    lines = machines.lines(page.rows)
    context = {
        "scope": scope,
        "lines": lines,
        "is_scripted": any(one.is_scripted for one in lines),
        "may_import": scope.may(permissions.CURATORS),
        "has_answers": bool(lines) or items.has_answers(scope.project),
        "next_url": keyset.next_url(request.GET, page),
        "first_url": keyset.first_url(request.GET, page),
    }
    return render(request, "scoring/judges.html", context)
