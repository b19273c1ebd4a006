"""Share the report of a final round with people who have no account: by links that end.

A link shows what it was made for, nothing else of the site. It works until its day, until it is taken
back, and as long as whoever made it owns the project.
"""

import hashlib
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from typing import Annotated, Any, Final

from django.db import transaction
from django.db.models import Exists, F, OuterRef, QuerySet

from annotation.common.names import NameKind
from annotation.common.sentences import gettext as _
from annotation.people import audit
from annotation.people.models import Membership, Role, User
from annotation.people.permissions import Scope
from annotation.rounds.models import Round
from evalsite import errors
from evalsite.kinds import Choice, Whole, YesNo, gettext_noop
from evalsite.records import Ask, Record
from scoring.figures.labels import ReadRound
from scoring.report import queries as reporting
from scoring.report.models import ReportLink

TOKEN_BYTES: Final = 32
MOST_DAYS: Final = 365
#: Links of a round that work at a time.
MOST: Final = 50
SHOWN: Final = 50
PEOPLE: Final = (
    ("none", gettext_noop("left out")),
    ("numbers", gettext_noop("by number")),
    ("names", gettext_noop("by name")),
)


class NotFinal(errors.Conflict):
    code = "round_not_final"


class NamesNotSeen(errors.Invalid):
    """Whoever shares has the names of systems hidden."""


class TooManyLinks(errors.Conflict): ...


class LinkNotOpen(errors.Conflict): ...


@dataclass(frozen=True, kw_only=True)
class ReportShare(Record):
    """What a link shows, for whom, and how long it works."""

    whom: Annotated[
        str,
        NameKind(200, empty=False),
        Ask(gettext_noop("For whom")),
    ]
    days: Annotated[int, Whole(1, MOST_DAYS), Ask(gettext_noop("Days the link works"))] = 30
    names: Annotated[
        bool,
        YesNo(),
        Ask(gettext_noop("Show systems by name"), gettext_noop("Else numbered.")),
    ] = True
    annotators: Annotated[
        str,
        Choice(tuple(key for key, _title in PEOPLE), titles=PEOPLE),
        Ask(gettext_noop("Annotators")),
    ] = "none"


@dataclass
class Shared(ReadRound):
    """The reading of whoever follows a link: as its maker's, with the names that the link shows."""

    names_shown: bool = False

    @cached_property
    def shown(self) -> bool:
        return self.names_shown


@transaction.atomic
def share(
    *, mine: ReadRound, wish: ReportShare, query: dict[str, list[str]], by: User, now: datetime
) -> tuple[ReportLink, str]:
    """Make a link to a report; return it with its secret, which is kept nowhere.

    Args:
        mine: the reading of whoever shares.
        wish: what the link shows.
        query: what else the report is asked for, by the names of its address.
        by: who shares.
        now: when.

    Raises:
        NotFinal: the round is not final; its figures may change.
        NamesNotSeen: names are to be shown that whoever shares has not had shown.
        BadReport: something of the address cannot be used.
        TooManyLinks: many links to this report work.
    """
    round_ = mine.round
    if round_.state != Round.State.FINAL:
        raise NotFinal(_("A report is shared once its round is final: until then figures change."))
    if wish.names and not mine.shown:
        message = _("You have the names of the systems hidden. Show them first, or share numbers.")
        raise NamesNotSeen(message, fields={"names": [message]})
    if open_ones(now).filter(round=round_).count() >= MOST:
        said = _("%(n)d links to this report work. Take back those that nobody needs.")
        raise TooManyLinks(said % {"n": MOST})
    asked = {**query, "annotators": [wish.annotators]}
    if problem := reporting.read_report_choice(mine, asked).problem:
        raise reporting.BadReport(problem)
    token = secrets.token_urlsafe(TOKEN_BYTES)
    made = ReportLink.objects.create(
        round=round_,
        whom=wish.whom,
        names=wish.names,
        query=asked,
        token_sha=_sha(token),
        created_by=by,
        created_at=now,
        expires_at=now + timedelta(days=wish.days),
    )
    told = {"round": round_.number, "days": wish.days, "names": wish.names}
    _record(made, "report.shared", by, now, note=wish.whom, annotators=wish.annotators, **told)
    return made, token


@transaction.atomic
def revoke(*, link: ReportLink, by: User, now: datetime) -> None:
    """Take a link back.

    Raises:
        LinkNotOpen: it does not work any more.
    """
    if not open_ones(now).filter(pk=link.pk).update(revoked_at=now):
        raise LinkNotOpen(_("This link does not work any more."))
    link.refresh_from_db()
    _record(link, "report.link_revoked", by, now, round=link.round.number)


def seen(link: ReportLink, now: datetime) -> None:
    """Count that somebody looked."""
    ReportLink.objects.filter(pk=link.pk).update(n_seen=F("n_seen") + 1, seen_at=now)


def open_one(token: str, now: datetime) -> ReportLink | None:
    """Return the link that works with this secret."""
    rows = open_ones(now).filter(token_sha=_sha(token))
    return rows.select_related("round__project", "created_by").first()


def open_ones(now: datetime) -> "QuerySet[ReportLink]":
    """Return the links that work: as long as whoever made one may make links."""
    owners = Membership.objects.active().filter(
        project=OuterRef("round__project"), user=OuterRef("created_by"), role=Role.OWNER
    )
    rows = ReportLink.objects.filter(revoked_at=None, expires_at__gt=now)
    return rows.filter(Exists(owners.filter(user__is_active=True)))


def listed(round_: Round, now: datetime) -> list[tuple[ReportLink, bool]]:
    """Return the links to a report and whether each works: all that do, and the newest others."""
    rows = ReportLink.objects.filter(round=round_).select_related("created_by__person")
    working = open_ones(now).filter(round=round_).values("pk")
    works, others = rows.filter(pk__in=working), rows.exclude(pk__in=working)[:SHOWN]
    return [*((one, True) for one in works), *((one, False) for one in others)]


def reading_of(link: ReportLink) -> Shared:
    """Return what a link lets be read."""
    scope = Scope(link.project, link.created_by, frozenset({Role.OWNER}))
    return Shared(scope, link.round, names_shown=link.names)


def _sha(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def _record(link: ReportLink, verb: str, by: User, now: datetime, **data: Any) -> None:
    subject = f"report_link:{link.pk}"
    audit.record(project=link.project, actor=by, verb=verb, subject=subject, at=now, **data)
