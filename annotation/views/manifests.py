"""The manifest of a round: what was frozen, whether it is still so, and the whole as a file."""

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from annotation import permissions
from annotation.models import Round
from annotation.permissions import Scope, door
from annotation.queries import draw_tables, manifests
from annotation.views.rounds import find

OPENED = (Round.State.OPEN, Round.State.REVIEW, Round.State.FINAL)


@require_GET
@door(permissions.UNBLINDED)
def round_manifest(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Compare the round with its manifest, text by text."""
    found = find(scope, number, *OPENED)
    stored = manifests.kept(found)
    context = {
        "scope": scope,
        "round": found,
        "frozen": stored.body if stored else None,
        "n_items": len(stored.body["items"]) if stored else 0,
        "strata": draw_tables.frozen(found),
        "differences": manifests.differences(found),
    }
    return render(request, "annotation/round_manifest.html", context)


@require_GET
@door(permissions.UNBLINDED)
def round_manifest_file(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    kept = manifests.kept(find(scope, number, *OPENED))
    if kept is None:
        raise Http404
    name = f"manifest-{scope.project.slug}-{number}.json"
    return JsonResponse(
        {**kept.body, "sha": kept.sha},
        json_dumps_params={"ensure_ascii": False, "indent": 1},
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )
