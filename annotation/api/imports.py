"""What was brought in, as JSON: the list, one import with how far it is, and taking it back."""

from typing import Any

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.utils import timezone
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.response import Response

from annotation import permissions
from annotation.models import ImportBatch
from annotation.operations.imports import applying, undoing
from annotation.permissions import Scope, door
from annotation.queries.imports import lists, reasons
from evalsite.contract.bodies import Body, valid
from evalsite.contract.calls import contract, get, post, whole
from evalsite.contract.shapes import maybe, page, said, shape

ACTS = {"undo": undoing.undo, "drop": undoing.drop}


class ImportLineOut(serializers.ModelSerializer[ImportBatch]):
    by = serializers.CharField(source="created_by.display_name")
    rows = serializers.IntegerField(source="n_rows")

    class Meta:
        model = ImportBatch
        fields = (
            "number",
            "kind",
            "file_name",
            "file_sha",
            "state",
            "stopped",
            "rows",
            "counts",
            "by",
            "created_at",
            "applied_at",
            "undone_at",
        )


class ActIn(Body):
    """`undo` takes back an applied import, `drop` one that stopped; `resume` lets that one go on."""

    act = serializers.ChoiceField(choices=["undo", "resume", "drop"])


IMPORT = shape(
    "Import",
    ImportLineOut,
    done=said(int, "Of `rows`, how many are written."),
    round=said(maybe(int), "The number of the round that imported grades became."),
    against_undo=said([str], "Why it cannot be taken back, if so."),
)


@api_view(["GET"])
@contract(
    get(page(ImportLineOut), query=[whole("before", "Only imports of a smaller number.")]),
)
@door(permissions.CURATORS)
def imports(request: HttpRequest, scope: Scope) -> Response:
    """Return a page of imports, the newest first."""
    before = request.GET.get("before", "")
    found = lists.list_batches(scope.project, int(before) if before.isdecimal() else None)
    return Response(
        {
            "results": ImportLineOut(found.batches, many=True).data,
            "next": found.older_query if found.older is not None else None,
        }
    )


@api_view(["GET", "POST"])
@contract(
    get(IMPORT, "Return an import: how far it is, what it brought, and what prevents undoing it."),
    post(IMPORT, "Undo an import, or resume one that stopped.", takes=ActIn),
)
@door(permissions.CURATORS)
def import_(request: HttpRequest, scope: Scope, number: int) -> Response:
    """Return an import, or take it back, or let it go on."""
    found = get_object_or_404(lists.batches(scope.project), number=number)
    if request.method == "POST":
        act = valid(ActIn, request)["act"]
        if act == "resume":
            applying.resume(batch=found, by=scope.user, now=timezone.now())
        else:
            ACTS[act](batch=found, by=scope.user, clock=timezone.now)
        found = lists.batches(scope.project).get(pk=found.pk)
    return Response(_whole(found))


def _whole(found: ImportBatch) -> dict[str, Any]:
    applied = found.state == ImportBatch.State.APPLIED
    round_ = lists.round_of(found) if applied else None
    return {
        **ImportLineOut(found).data,
        "done": lists.progress(found, timezone.now()).done,
        "round": round_.number if round_ else None,
        "against_undo": [str(one) for one in reasons.against_undo(found)] if applied else [],
    }
