"""What the bank puts on the first page: dates that have passed, drafts forgotten, meanings unsaid."""

from datetime import datetime

from django.urls import reverse
from django.utils.translation import ngettext

from annotation import permissions
from annotation.permissions import Scope
from annotation.queries import questions as reads

#: What came back and what waits is said by inspection itself.
SAID_ELSEWHERE = {"returned", "waiting"}


def looks(scope: Scope, now: datetime) -> list[dict[str, str]]:
    """Return what needs a look in the bank: curators see everybody's, designers their own."""
    if not scope.may(permissions.DESIGNERS):
        return []
    rows = reads.newest(scope.project)
    if not scope.may(permissions.CURATORS):
        rows = rows.filter(author=scope.user)
    found = []
    for look in reads.LOOKS:
        if look in SAID_ELSEWHERE:
            continue
        needed = reads.needed(rows, look, shown=5, user=scope.user, now=now)
        if needed.n:
            found.append(
                {
                    "title": _title(look, needed.n),
                    "text": ", ".join(one.question.external_id for one in needed.rows),
                    "url": _url(scope, look),
                }
            )
    return found


def _url(scope: Scope, look: str) -> str:
    url = reverse("questions", args=[scope.project.slug]) + f"?look={look}"
    return url if scope.may(permissions.CURATORS) else f"{url}&author={scope.user.pk}"


def _title(look: str, n: int) -> str:
    said = {
        "outdated": ngettext(
            "%(n)d question is past its date", "%(n)d questions are past their date", n
        ),
        "stale_source": ngettext(
            "%(n)d question rests on a source past its date",
            "%(n)d questions rest on a source past its date",
            n,
        ),
        "changed_source": ngettext(
            "%(n)d question quotes what its source says differently now",
            "%(n)d questions quote what their sources say differently now",
            n,
        ),
        "withdrawn_source": ngettext(
            "%(n)d question rests on a source that is withdrawn",
            "%(n)d questions rest on a source that is withdrawn",
            n,
        ),
        "old_draft": ngettext(
            "%(n)d draft is older than 30 days", "%(n)d drafts are older than 30 days", n
        ),
        "no_meaning": ngettext(
            "%(n)d new version does not say whether the meaning changed",
            "%(n)d new versions do not say whether the meaning changed",
            n,
        ),
    }
    return said[look] % {"n": n}
