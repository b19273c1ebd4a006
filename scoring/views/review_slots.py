"""What the review desk puts into the named slots of annotation's pages."""

from typing import Any

from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.safestring import SafeString

from annotation import permissions
from annotation.models import Round
from annotation.permissions import Scope
from annotation.queries import reviews
from evalsite import errors
from scoring.models import Figure
from scoring.operations import figures
from scoring.queries import asked, disputes, labels, reading, review_queue


def home(*, scope: Scope, **_context: Any) -> SafeString | None:
    """Tell curators of decisions that wait for a second reviewer."""
    if not scope.may(permissions.CURATORS):
        return None
    waiting = reviews.waiting(scope.project, scope.user)
    if not waiting:
        return None
    context = {"scope": scope, "waiting": waiting}
    return render_to_string("scoring/parts/home_review.html", context)


def finish(*, scope: Scope, round: Round, **_context: Any) -> SafeString | None:
    """Say to whoever is about to make a round final what is not decided at the review desk."""
    try:
        reading.allowed(scope, round.number)
    except errors.Refusal:
        return None
    wish = asked.of_disputes({}, scope.project)
    figure = figures.get(name=disputes.FIGURE, round_=round, params=wish.params, now=timezone.now())
    n_open = None
    if figure.state == Figure.State.READY and figure.data is not None:
        found = disputes.Disputes(figure.data, labels.of(round))
        n_open = review_queue.queue(round, found).n_open
    context = {"scope": scope, "round": round, "figure": figure, "n_open": n_open}
    return render_to_string("scoring/parts/finish_review.html", context)
