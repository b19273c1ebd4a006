"""What training puts on the first page of curators: who is ready for a trial, which trial waits."""

from datetime import datetime

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation import permissions
from annotation.permissions import Scope
from annotation.queries import training_waits as reads
from annotation.rules.names import isolated

SHOWN = 5


def looks(scope: Scope, now: datetime) -> list[dict[str, str]]:
    """Return what waits for a curator: trials to decide first, then people who are ready for one."""
    if not scope.may(permissions.CURATORS):
        return []
    slug = scope.project.slug
    found = [
        {
            "title": _("A trial waits for its verdicts"),
            "text": one.name,
            "url": reverse("round", args=[slug, one.number]),
        }
        for one in reads.undecided(scope.project)[:SHOWN]
    ]
    ready = reads.ready(scope.project)
    if ready:
        said = ngettext(
            "%(n)d annotator is ready for a trial",
            "%(n)d annotators are ready for a trial",
            len(ready),
        )
        found.append(
            {
                "title": said % {"n": len(ready)},
                "text": ", ".join(map(isolated, ready[:SHOWN])),
                "url": reverse("trial_new", args=[slug]),
            }
        )
    return found
