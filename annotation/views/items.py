"""Items: the filtered list, and one item with everything that is known of it."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET

from annotation import permissions
from annotation.forms.lists import ItemFilter
from annotation.models import Item
from annotation.permissions import Scope, door
from annotation.queries import items as reads
from annotation.views import texts
from evalsite import keyset


@require_GET
@door(permissions.READERS)
def items(request: HttpRequest, scope: Scope) -> HttpResponse:
    form = ItemFilter(request.GET, project=scope.project)
    filters = form.filters()
    found = reads.filtered(scope.project, filters).count()
    page = reads.page(scope.project, filters, after=request.GET.get("after", ""))
    context = {
        "scope": scope,
        "form": form,
        "page": page,
        "n_all": reads.filtered(scope.project, reads.Filters()).count(),
        "count_text": ngettext("%(n)d question", "%(n)d questions", found) % {"n": found},
        "next_url": keyset.next_url(request.GET, page),
        "first_url": keyset.first_url(request.GET, page),
        "may_import": scope.may(permissions.CURATORS),
    }
    return render(request, "annotation/items.html", context)


@require_GET
@door(permissions.READERS)
def item(request: HttpRequest, scope: Scope, pk: int) -> HttpResponse:
    """Show an item; its responses only to those who may know which system gave them."""
    found = get_object_or_404(
        reads.of(scope.project).select_related("capability", "domain", "batch", "project"), pk=pk
    )
    may_see_systems = scope.may(permissions.UNBLINDED)
    context: dict[str, Any] = {
        "scope": scope,
        "item": found,
        "extra": list(found.extra.items()),
        "turns": texts.turns(found.messages),
        "reference": texts.rendered(found.reference) if found.reference else "",
        "may_see_systems": may_see_systems,
        "answers": _answers(found) if may_see_systems else [],
        "rounds": reads.rounds_with(found) if may_see_systems else [],
        "versions": [one for one in reads.versions_of(found) if one.pk != found.pk],
    }
    return render(request, "annotation/item.html", context)


def _answers(found: Item) -> list[dict[str, Any]]:
    return [
        {
            "release": answers.release,
            "responses": [
                {"response": response, "turns": texts.turns(response.messages)}
                for response in answers.responses
            ],
        }
        for answers in reads.answers_to(found)
    ]
