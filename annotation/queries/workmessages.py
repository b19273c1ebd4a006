"""What an annotator is told on their list: plain values, about their own rounds and seats."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Max
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.models import (
    Assignment,
    AuditEvent,
    ClaimEvent,
    FlagAnswer,
    Project,
    Rater,
    Remark,
    Round,
    RoundAnnotator,
)
from annotation.rules.names import isolated

#: So long an event is news, and so soon a round closes soon.
NEWS = timedelta(days=7)
SOON = timedelta(days=3)
MOST = 8


@dataclass(frozen=True)
class Message:
    """One thing to know; `token` leads to the page of a seat, if there is one to look at."""

    title: str
    text: str
    at: datetime
    token: str = ""


def list_messages(
    project: Project, rater: Rater, now: datetime, more: Iterable[Message] = ()
) -> list[Message]:
    """Return what somebody should know now, the newest first; `more` comes from elsewhere."""
    rounds = [
        place.round
        for place in RoundAnnotator.objects.filter(rater=rater, ended_at__isnull=True)
        .exclude(round__state=Round.State.DRAFT)
        .select_related("round")
        .order_by("-round__number")  # of what came at once; a database may have an order of its own
    ]
    found = [
        *_note(project),
        *_of_rounds(rounds, now),
        *_moved(project, rounds, now),
        *_discarded(project, rater, now),
        *_taken_back(rater, now),
        *_reopened(rater),
        *_answered(rater, now),
        *more,
    ]
    return sorted(found, key=lambda one: one.at, reverse=True)[:MOST]


def n_flagged(rater: Rater) -> int:
    """Return how many flags of somebody await an answer in rounds that are not final."""
    flags = Remark.objects.flags().filter(rater=rater, answers=None)
    return flags.exclude(slot__assignment__round__state=Round.State.FINAL).count()


def _note(project: Project) -> Iterator[Message]:
    if project.note and project.noted_at is not None:
        yield Message(_("A note from the owners"), project.note, project.noted_at)


def _of_rounds(rounds: Iterable[Round], now: datetime) -> Iterator[Message]:
    for one in rounds:
        named = {"name": isolated(one.name)}
        is_open = one.state == Round.State.OPEN
        if is_open and one.opened_at is not None and one.opened_at > now - NEWS:
            text = _("It is in your list. Nothing else is needed to begin.")
            if one.asks_qualification:
                text = _("You are given its questions about what you have qualified in.")
            yield Message(_("%(name)s is open") % named, text, one.opened_at)
        if one.state != Round.State.OPEN:
            continue
        if one.paused_at is not None:
            text = _("No new questions are handed out for now. A question you hold you may finish.")
            yield Message(_("%(name)s is paused") % named, text, one.paused_at)
        if one.deadline is not None and now < one.deadline < now + SOON:
            text = _("What you submit until then counts.")
            since = one.deadline - SOON
            since = max(since, one.opened_at or since)
            yield Message(_("%(name)s closes soon") % named, text, since)


def _moved(project: Project, rounds: Iterable[Round], now: datetime) -> Iterator[Message]:
    """Tell of closing times that were moved: the last time of each open round."""
    by_subject = {f"round:{one.number}": one for one in rounds if one.state == Round.State.OPEN}
    rows = (
        AuditEvent.objects.filter(project=project, verb="round.prolonged", at__gt=now - NEWS)
        .filter(subject__in=by_subject)
        .values_list("subject")
        .annotate(last=Max("at"))
        .order_by("-subject")
    )
    for subject, at in rows:
        one = by_subject[subject]
        text = _("The date in your list is the one that holds.")
        if one.deadline is None:
            text = _("It has no closing time any more.")
        title = _("The closing time of %(name)s was moved") % {"name": isolated(one.name)}
        yield Message(title, text, at)


def _discarded(project: Project, rater: Rater, now: datetime) -> Iterator[Message]:
    """Tell of rounds that were taken away before anything was graded in them."""
    rows = AuditEvent.objects.filter(project=project, verb="round.discarded", at__gt=now - NEWS)
    for one in rows.order_by("-at", "-pk"):
        if str(rater.public_id) in one.data.get("annotators", ()):
            text = _("It will not be graded, and nothing in it counted. The reason: %(why)s")
            title = _("%(name)s was discarded") % {"name": isolated(one.data.get("name", ""))}
            yield Message(title, text % {"why": one.note}, one.at)


def _taken_back(rater: Rater, now: datetime) -> Iterator[Message]:
    """Tell of seats that were lost with work in them: time ran out, or the curator handed them on."""
    kinds = ClaimEvent.Kind
    rows = (
        ClaimEvent.objects.filter(rater=rater, at__gt=now - NEWS)
        .filter(kind__in=[kinds.EXPIRED, kinds.REASSIGNED], kept__isnull=False)
        .order_by("-at", "-pk")
        .values_list("kind", "token", "assignment__round__name", "at")[:MOST]
    )
    for kind, token, name, at in rows:
        title = (
            _("A question of %(name)s was handed on")
            if kind == kinds.REASSIGNED
            else _("Your time for a question of %(name)s ran out")
        )
        text = _(
            "What you had entered is on record. You may open the question and submit it all the "
            "same; if somebody else has it by now, your grades are kept as late."
        )
        yield Message(title % {"name": isolated(name)}, text, at, token)


def _reopened(rater: Rater) -> Iterator[Message]:
    """Tell of questions that somebody is asked to look at again."""
    rows = (
        ClaimEvent.objects.filter(rater=rater, kind=ClaimEvent.Kind.REOPENED)
        .filter(assignment__rater=rater, assignment__state=Assignment.State.CLAIMED)
        .order_by("-at", "-pk")
        .values_list("assignment__token", "assignment__round__name", "reason", "at")[:MOST]
    )
    for token, name, reason, at in rows:
        title = _("Please look again at a question of %(name)s") % {"name": isolated(name)}
        text = _("Your grades count as they are until you submit them again.")
        yield Message(title, f"{reason}\n\n{text}", at, token or "")


def _answered(rater: Rater, now: datetime) -> Iterator[Message]:
    """Tell of answers to what somebody has asked about a question."""
    rows = (
        FlagAnswer.objects.filter(flag__in=Remark.objects.flags().filter(rater=rater))
        .filter(at__gt=now - NEWS)
        .order_by("-at", "-pk")
        .values_list("flag__text", "text", "flag__slot__assignment__token", "at")[:MOST]
    )
    for asked, text, token, at in rows:
        said = _("You asked: %(asked)s") % {"asked": asked}
        yield Message(_("The curator has answered"), f"{text}\n\n{said}", at, token or "")


def flagged_text(count: int) -> str:
    return ngettext(
        "%(n)d question you flagged awaits an answer.",
        "%(n)d questions you flagged await an answer.",
        count,
    ) % {"n": count}
