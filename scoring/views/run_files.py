"""A run as files."""

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_GET

from annotation import permissions
from annotation.permissions import Scope, door
from evalsite import errors
from scoring.operations import run_exporting
from scoring.queries import run_reading
from scoring.views.files import stream


@require_GET
@door(permissions.UNBLINDED)
def run_export(request: HttpRequest, scope: Scope, number: int, form: str) -> HttpResponseBase:
    """Stream a run in one of its forms."""
    try:
        reading = run_reading.allowed(scope, number)
    except errors.Refusal:
        return redirect("run_steps", scope.project.slug, number)  # that page says why
    return stream(run_exporting.export_run(reading=reading, form=form, now=timezone.now()))
