"""What the review desk puts into the named slots of annotation's pages."""

from typing import Any

from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from annotation import permissions
from annotation.permissions import Scope
from annotation.queries import reviews


def home(*, scope: Scope, **_context: Any) -> SafeString | None:
    """Tell curators of decisions that wait for a second reviewer."""
    if not scope.may(permissions.CURATORS):
        return None
    waiting = reviews.waiting(scope.project, scope.user)
    if not waiting:
        return None
    context = {"scope": scope, "waiting": waiting}
    return render_to_string("scoring/parts/home_review.html", context)
