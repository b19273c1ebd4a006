"""What suites put into the named slots of annotation's pages."""

from typing import Any

from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.safestring import SafeString

from annotation import permissions
from annotation.permissions import Scope
from scoring.queries import suite_schedules as reads

SHOWN = 10


def home(*, scope: Scope, **_context: Any) -> SafeString | None:
    """Tell, on the project's home, of gates that were not kept when nobody watched."""
    if not scope.may(permissions.UNBLINDED):
        return None
    found = list(reads.failed(scope.project, timezone.now())[:SHOWN])
    if not found:
        return None
    return render_to_string("scoring/parts/home_gates.html", {"scope": scope, "found": found})
