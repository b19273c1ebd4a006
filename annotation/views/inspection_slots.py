"""What inspection puts on the first page: what waits, what came back, who is to be retrained."""

from datetime import datetime

from django.urls import NoReverseMatch, reverse
from django.utils.timesince import timesince
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation import permissions
from annotation.models import QuestionVersion
from annotation.permissions import Scope
from annotation.queries import inspection_figures, inspections
from annotation.rules import checklists
from annotation.rules.names import isolated

#: So many that came back are named one by one.
NAMED = 5


def looks(scope: Scope, now: datetime) -> list[dict[str, str]]:
    """Return what needs a look: title, text and address each."""
    return [*_returned(scope), *_waiting(scope, now), *_to_retrain(scope)]


def _waiting(scope: Scope, now: datetime) -> list[dict[str, str]]:
    if not scope.may(permissions.INSPECTORS):
        return []
    queue = inspections.queue(scope.project, scope.user)
    n, oldest = queue.count(), queue.order_by("submitted_at").first()
    if oldest is None:
        return []
    title = ngettext(
        "%(n)d question waits for your inspection", "%(n)d questions wait for your inspection", n
    )
    text = _("the oldest for %(spell)s") % {
        "spell": timesince(oldest.submitted_at or now, now, depth=1)
    }
    return [_look(title % {"n": n}, text, reverse("inspections", args=[scope.project.slug]))]


def _returned(scope: Scope) -> list[dict[str, str]]:
    if not scope.may(permissions.BANK):
        return []
    rows = inspections.returned_to(scope.project, scope.user)
    found = [
        _look(
            _("%(id)s came back to you") % {"id": one.question.external_id},
            "; ".join(dict.fromkeys(_reasons(one))),
            _page_of(scope, one),
        )
        for one in rows[:NAMED]
    ]
    more = len(rows) - NAMED
    if more > 0:
        said = ngettext("%(n)d more came back to you", "%(n)d more came back to you", more)
        figures = reverse("inspection_figures", args=[scope.project.slug])
        found.append(_look(said % {"n": more}, "", figures))
    return found


def _reasons(version: QuestionVersion) -> list[str]:
    return [
        _(checklists.REASONS.get(one.reason, one.reason))
        for inspection in version.inspections.all()
        for one in inspection.findings.all()
        if one.outcome == "FAIL"
    ]


def _page_of(scope: Scope, version: QuestionVersion) -> str:
    try:
        return reverse("question", args=[scope.project.slug, version.question_id])
    except NoReverseMatch:
        return reverse("inspection_figures", args=[scope.project.slug])


def _to_retrain(scope: Scope) -> list[dict[str, str]]:
    if not scope.may(permissions.CURATORS):
        return []
    entries = inspection_figures.retraining(scope.project)
    if not entries:
        return []
    n = len(entries)
    title = ngettext("%(n)d designer to retrain", "%(n)d designers to retrain", n) % {"n": n}
    names = ", ".join(isolated(one.designer.display_name) for one in entries[:NAMED])
    url = reverse("inspection_figures", args=[scope.project.slug]) + "#retraining"
    return [_look(title, names, url)]


def _look(title: str, text: str, url: str) -> dict[str, str]:
    return {"title": title, "text": text, "url": url}
