"""What the signals of annotators put into the named slots of annotation's pages."""

from typing import Any

from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.safestring import SafeString

from annotation import permissions
from annotation.permissions import Scope
from scoring.operations import figures
from scoring.queries import open_signals, watching


def home(*, scope: Scope, **_context: Any) -> SafeString | None:
    """Tell curators in which rounds a signal is raised that nobody has looked into."""
    if not scope.may(permissions.CURATORS):
        return None
    found = open_signals.found(scope.project)
    now = timezone.now()
    for one in found.stale:  # asked for here, there when the page is looked at again
        wanted = watching.params(one)
        figures.get(name=watching.FIGURE, round_=one, params=wanted, now=now)
    if not found.open:
        return None
    context = {"scope": scope, "lines": found.open}
    return render_to_string("scoring/parts/home_signals.html", context)
