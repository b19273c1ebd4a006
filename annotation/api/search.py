"""Finding things by their words, as JSON: the best first, of what the person who asks may see."""

from typing import Any

from django.http import HttpRequest
from django.utils.translation import gettext as _
from rest_framework.decorators import api_view
from rest_framework.response import Response

from annotation import permissions
from annotation.forms.search import SearchFilter
from annotation.models import SearchText
from annotation.permissions import Scope, door
from annotation.queries import search_results, sources, text_search
from annotation.queries.search_results import Line
from annotation.rules import searching
from evalsite import keyset
from evalsite.contract.calls import AFTER, InvalidParameter, Query, choice, contract, get, of_form
from evalsite.contract.filters import readable
from evalsite.contract.shapes import maybe, one_of, page, said, shape

KINDS = {one.lower(): one for one in SearchText.Kind.values}
#: Of the words that are sought so many signs are read.
LONGEST = 300

FOUND = page(
    shape(
        "Hit",
        kind=one_of(*KINDS),
        id=said(int, "Of the question, item or source; of the item for a response."),
        title=str,
        text=said(
            [shape("HitPiece", text=str, hit=said(bool, "Whether it is what was sought."))],
            "The surroundings of what was sought, piece by piece.",
        ),
        facts=[str],
        part=said(int, "Of a long text, from 2 on; 0 for its first part."),
    ),
    counts=said(
        maybe({str: int}), "How many there are of each kind; null where there are more than that."
    ),
    more=said(bool, "Whether more was found than is told of; seek with more words."),
)


@api_view(["GET"])
@contract(
    get(
        FOUND,
        query=[
            Query("q", "The words; those between double quotes stand together."),
            choice("kind", list(KINDS), "Of what kind."),
            *of_form(SearchFilter),
            AFTER,
        ],
    ),
)
@door(permissions.READERS)
def search(request: HttpRequest, scope: Scope) -> Response:
    """Search questions, items, sources and responses for all of the words, the best match first."""
    kinds = [kind for kind, who in permissions.FINDERS.items() if scope.may(who)]
    shelves = list(sources.collections_for(scope.project, scope.user, scope.roles))
    form = readable(
        SearchFilter(request.GET, project=scope.project, kinds=kinds, collections=shelves)
    )
    if wanted := request.GET.get("kind"):
        kinds = [one for one in kinds if one == KINDS[wanted]]
    words = " ".join(request.GET.get("q", "").replace("\0", "").split())
    if len(words) > LONGEST:
        message = _("At most %(n)d characters.") % {"n": LONGEST}
        raise InvalidParameter(message, fields={"q": [message]})
    sought = searching.sought(words)
    limits = form.limits(kinds, sources.only_seen(scope.project, scope.user, scope.roles))
    found = text_search.found(scope.project, sought, limits)
    rows = text_search.page(found.hits, after=request.GET.get("after", ""))
    return Response(
        {
            "results": [_told(one) for one in search_results.lines(rows.rows, sought)],
            "next": keyset.next_url(request.GET, rows),
            "counts": None
            if found.more
            else {name: found.counts[kind] for name, kind in KINDS.items() if kind in kinds},
            "more": found.more,
        }
    )


def _told(line: Line) -> dict[str, Any]:
    return {
        "kind": line.kind.lower(),
        "id": line.key,
        "title": "".join(one.text for one in line.title),
        "text": [{"text": one.text, "hit": one.hit} for one in line.pieces],
        "facts": list(line.facts),
        "part": line.part,
    }
