"""What somebody is answered who comes with a link that does not work; it is counted."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from annotation.operations import failed_tries
from evalsite import addresses


def answer(request: HttpRequest, template: str, context: dict[str, Any]) -> HttpResponse:
    """Return the page that says so: 404, or 429 where too many links from one address were wrong."""
    barred = failed_tries.note_wrong_link(address=addresses.of(request), now=timezone.now())
    page = render(
        request, template, {**context, "is_barred": barred}, status=429 if barred else 404
    )
    if barred:
        page.headers["Retry-After"] = str(int(failed_tries.WITHIN.total_seconds()))
    return page
