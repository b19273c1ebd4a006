"""Reads of a project's things as JSON. A list says where its next page is."""

import re
from collections.abc import Iterable, Iterator

from django.http import Http404, HttpRequest
from django.urls import URLPattern, URLResolver, get_resolver
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from annotation import permissions
from annotation.api import serializers
from annotation.forms.lists import ItemFilter
from annotation.models import User
from annotation.permissions import Scope, door
from annotation.queries import items as item_reads
from annotation.queries import projects as project_reads
from evalsite import keyset
from evalsite.contract.calls import AFTER, contract, get, of_form
from evalsite.contract.filters import readable
from evalsite.contract.shapes import (
    page,
    said,
    shape,
)

INDEX = shape("Addresses", addresses=said([str], "`{…}` stands for what is filled in."))
ME = shape(
    "WhoAsks",
    serializers.Me,
    projects=[shape("MyProject", serializers.ProjectName, roles=said([str], "Yours there."))],
)


@api_view(["GET"])
@contract(
    get(INDEX),
)
def index(request: Request) -> Response:
    """Return the addresses of the API; `{…}` stands for what is filled in."""
    patterns = get_resolver().url_patterns
    return Response({"addresses": sorted(_addresses(patterns, "/"))})


def _addresses(patterns: Iterable[URLPattern | URLResolver], before: str) -> Iterator[str]:
    for pattern in patterns:
        address = before + re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", str(pattern.pattern))
        if isinstance(pattern, URLResolver):
            yield from _addresses(pattern.url_patterns, address)
        elif address.startswith("/api/"):
            yield address


@api_view(["GET"])
@contract(
    get(ME),
)
def me(request: Request) -> Response:
    """Return who you are, and your roles in each of your projects."""
    assert isinstance(request.user, User)
    roles = [
        {**serializers.ProjectName(one).data, "roles": one.roles}
        for one in project_reads.list_of(request.user)
    ]
    return Response({**serializers.Me(request.user).data, "projects": roles})


@api_view(["GET"])
@contract(
    get(page(serializers.ItemOut), query=[*of_form(ItemFilter), AFTER]),
)
@door(permissions.READERS)
def items(request: HttpRequest, scope: Scope) -> Response:
    """Return a page of items; the filters are those of the page (text, capability, …)."""
    filters = readable(ItemFilter(request.GET, project=scope.project)).filters()
    page = item_reads.page(scope.project, filters, after=request.GET.get("after", ""))
    return Response(
        {
            "results": serializers.ItemOut(page.rows, many=True).data,
            "next": keyset.next_url(request.GET, page),
        }
    )


@api_view(["GET"])
@contract(
    get(serializers.ItemOut, "Return an item."),
)
@door(permissions.READERS)
def item(request: HttpRequest, scope: Scope, pk: int) -> Response:
    found = item_reads.counted(item_reads.of(scope.project)).filter(pk=pk).first()
    if found is None:
        raise Http404
    return Response(serializers.ItemOut(found).data)
