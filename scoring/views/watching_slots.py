"""What the signals of annotators put into the named slots of annotation's pages."""

from datetime import datetime
from typing import Any

from django.urls import reverse
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation import permissions
from annotation.permissions import Scope
from scoring.operations import figures
from scoring.queries import open_signals, watching


def needs_a_look(*, scope: Scope, now: datetime, **_context: Any) -> list[dict[str, str]] | None:
    """Tell curators in which rounds a signal is raised that nobody has looked into."""
    if not scope.may(permissions.CURATORS):
        return None
    found = open_signals.found(scope.project, scope.user)
    for one in found.stale:  # asked for here, there when the page is looked at again
        wanted = watching.params(one)
        figures.get(name=watching.FIGURE, round_=one, params=wanted, now=now)
    return [
        {
            "title": _("%(round)s: signals of annotators") % {"round": one.round.name},
            "text": ngettext(
                "%(n)d annotator to look at, as of %(day)s.",
                "%(n)d annotators to look at, as of %(day)s.",
                one.n,
            )
            % {"n": one.n, "day": date_format(one.at, "j F Y")},
            "url": reverse("results_signals", args=[scope.project.slug, one.round.number]),
        }
        for one in found.open
    ]
