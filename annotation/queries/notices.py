"""What is new for somebody in all their projects since they were last told: the body of a daily mail."""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from annotation.models import Membership, Project, Rater, RaterKind, Role, User
from annotation.queries import attention, training_news, workmessages
from evalsite import panels

CURATORS = frozenset({Role.OWNER, Role.CURATOR})


@dataclass(frozen=True)
class Notice:
    """One thing to know; `path` leads to where it is dealt with."""

    title: str
    text: str
    path: str


@dataclass(frozen=True)
class Digest:
    """What is to be told, by project. `waiting_sha` is of what waits for curators, told once only."""

    projects: tuple[tuple[Project, tuple[Notice, ...]], ...]
    waiting_sha: str

    def __bool__(self) -> bool:
        return bool(self.projects)


def digest(user: User, since: datetime | None, told_sha: str, now: datetime) -> Digest:
    """Return what an annotator should know since a time, and what waits for a curator.

    Args:
        since: until when the person was told; None for never.
        told_sha: the `waiting_sha` of the last digest: what waits is told again only if it changed.
    """
    rows = Membership.objects.active().filter(user=user).select_related("project")
    roles: dict[Project, set[str]] = {}
    for row in rows.order_by("project__name", "project"):
        roles.setdefault(row.project, set()).add(row.role)
    waiting = {
        project: tuple(_looks(project, user, now))
        for project, held in roles.items()
        if held & CURATORS
    }
    sha = _sha(waiting)
    found = []
    for project, held in roles.items():
        told = tuple(_messages(project, user, since, now)) if Role.ANNOTATOR in held else ()
        told += waiting.get(project, ()) if sha != told_sha else ()
        if told:
            found.append((project, told))
    return Digest(tuple(found), sha)


def _messages(
    project: Project, user: User, since: datetime | None, now: datetime
) -> Iterable[Notice]:
    rater = Rater.objects.filter(project=project, kind=RaterKind.PERSON, user=user).first()
    if rater is None:
        return
    learnt = training_news.messages(rater, now)
    for one in workmessages.list_messages(project, rater, now, learnt):
        if since is None or one.at > since:
            yield Notice(one.title, one.text, f"/p/{project.slug}/grade/")


def _looks(project: Project, user: User, now: datetime) -> Iterable[Notice]:
    for one in attention.looks(project, now):
        yield Notice(one.title, one.text, f"/p/{project.slug}/")
    for some in panels.fill("notices", project=project, user=user, now=now):
        yield from (Notice(*one) for one in some)


def _sha(waiting: dict[Project, tuple[Notice, ...]]) -> str:
    told = [
        [project.slug, one.title, one.text] for project, all_ in waiting.items() for one in all_
    ]
    if not told:
        return ""
    return hashlib.sha256(json.dumps(told, ensure_ascii=False).encode()).hexdigest()
