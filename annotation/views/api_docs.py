"""The reference of the API as pages; for everybody but those who only grade."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotation import permissions
from annotation.models import Membership, User
from evalsite.contract import pages


@require_safe
def api_docs(request: HttpRequest) -> HttpResponse:
    """Show every address of the API, group by group."""
    _let_in(request)
    return render(request, "annotation/api_docs.html", {"groups": pages.groups()})


@require_safe
def api_docs_group(request: HttpRequest, group: str) -> HttpResponse:
    """Show a group of addresses: what they take and answer, with examples."""
    _let_in(request)
    chapters = pages.groups()
    place = next((n for n, one in enumerate(chapters) if one.slug == group), None)
    if place is None:
        raise Http404
    shown = {
        "group": chapters[place],
        "before": chapters[place - 1] if place else None,
        "after": chapters[place + 1] if place + 1 < len(chapters) else None,
    }
    return render(request, "annotation/api_docs_group.html", shown)


def _let_in(request: HttpRequest) -> None:
    """Raise Http404 for whoever has no role in any project but that of an annotator."""
    mine = Membership.objects.active().with_role(permissions.READERS)
    if not (isinstance(request.user, User) and mine.filter(user=request.user).exists()):
        raise Http404
