"""The audit: what was done, whether the chain is whole, and all of it as a file."""

import json
from collections.abc import Iterator

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from annotation import permissions
from annotation.forms.lists import EventFilter
from annotation.operations import audit as chain
from annotation.permissions import Scope, door
from annotation.queries import events as reads
from evalsite import keyset


@require_GET
@door(permissions.OWNERS)
def audit(request: HttpRequest, scope: Scope) -> HttpResponse:
    """List what was done; `?check=1` reads the whole chain and says where it breaks, if it does."""
    form = EventFilter(request.GET, project=scope.project)
    page = reads.page(scope.project, form.filters(), after=request.GET.get("after", ""))
    query = request.GET.copy()
    query.pop("after", None)
    query["check"] = "1"
    checked = request.GET.get("check") == "1"
    context = {
        "scope": scope,
        "form": form,
        "page": page,
        "lines": reads.lines(page.rows),
        "seal": reads.seal_of(scope.project),
        "checked": checked,
        "next_url": keyset.next_url(request.GET, page),
        "first_url": keyset.first_url(request.GET, page),
        "check_url": f"?{query.urlencode()}",
        "file_url": f"events.jsonl?{query.urlencode()}",
        "broken": chain.broken_link(scope.project) if checked else None,
    }
    return render(request, "annotation/audit.html", context)


@require_GET
@door(permissions.OWNERS)
def audit_jsonl(request: HttpRequest, scope: Scope) -> StreamingHttpResponse:
    """Send the events as lines of JSON; people by their public ids, not by their names."""
    filters = EventFilter(request.GET, project=scope.project).filters()

    def lines() -> Iterator[str]:
        for record in reads.as_records(scope.project, filters):
            yield json.dumps(record, ensure_ascii=False) + "\n"

    name = f"{scope.project.slug}-audit.jsonl"
    return StreamingHttpResponse(
        lines(),
        content_type="application/x-ndjson; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )
