"""Delete a draft, discard a round in which nothing was graded: what stood in it goes, its number stays taken."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.db import models, transaction
from django.utils.translation import gettext_noop

from annotation.common.pace import Batches
from annotation.common.sentences import gettext as _
from annotation.common.sentences import ngettext
from annotation.grading.models import Grade, Remark
from annotation.people import audit
from annotation.people.models import Rater, User
from annotation.qualification import operations as qualifying
from annotation.qualification import queries as qualifications
from annotation.qualification.models import Qualification
from annotation.qualification.rules import Event, PoolState
from annotation.rounds.models import (
    Assignment,
    ClaimEvent,
    Draft,
    IdentityHit,
    Receipt,
    Round,
    RoundItem,
    RoundResponse,
    Slot,
    Unblinding,
)
from annotation.running import operations as seats
from evalsite import errors, queue

#: What a request takes away by itself; more is left to a worker.
MOST_ITEMS = 500
#: What there is much of goes by batches.
MANY = frozenset({RoundItem, Assignment, IdentityHit})
#: Who has seen its names is not blind in its copies either; what people wrote is never taken away.
KEPT = frozenset({Unblinding, Remark})


class HasGrades(errors.Conflict):
    code = "round_has_grades"


class RoundStillUsed(errors.Conflict): ...


class CannotDiscard(errors.Conflict): ...


def discard(*, round_: Round, by: User, now: datetime, reason: str = "") -> None:
    """Take a round away: a draft, or one in which nothing was graded. Its annotators are told.

    What it drew, its seats with their history and drafts of grades go. Its number, who has seen its names
    and the audit stay; the audit says who held which seat, so that they are told why it is gone.

    Args:
        reason: why; needed once the round was opened, and told to its annotators.

    Raises:
        CannotDiscard: it is final, is being opened, or was discarded.
        ReasonNeeded: it was opened, and nobody says why.
        HasGrades: something was graded in it; the message says how much.
        RoundStillUsed: something else stands on it, such as a run.
        NamesASystem: the reason, which its annotators read, holds the name of a system or its maker.
    """
    _discard(round_.pk, by, now, reason.strip())
    round_.discarded_at = now
    if round_.items.count() > MOST_ITEMS:
        ring(round_.pk)
    else:
        clear(round_=round_)


@transaction.atomic
def _discard(pk: int, by: User, now: datetime, reason: str) -> None:
    locked = Round.everything.select_for_update(of=("self",)).select_related("project").get(pk=pk)
    was_open = locked.state != Round.State.DRAFT
    _check(locked, reason, was_open=was_open)
    raters = [place.rater for place in locked.annotators.select_related("rater")]
    held = Assignment.objects.filter(round=locked, state=Assignment.State.CLAIMED, warm=False)
    audit.done(
        locked,
        "round.discarded" if was_open else "round.deleted",
        by,
        now,
        note=reason,
        name=locked.name,
        manifest=locked.manifest.get("sha", ""),
        n_items=locked.items.count(),
        n_held=held.count(),
        annotators=sorted(str(one.public_id) for one in raters) if was_open else [],
        claims=_claims(locked),
    )
    for rater in raters:
        _take_out_of_trial(locked, rater, by, now)
    for rows in _standing_on(locked, models.CASCADE):
        if rows.model not in MANY | KEPT:
            rows.delete()
    # A draft takes no claim and no grade; nobody finds this one any more.
    Round.everything.filter(pk=locked.pk).update(
        state=Round.State.DRAFT, discarded_at=now, paused_at=None, draw={}
    )


def _claims(of: Round) -> list[tuple[str, int, int]]:
    """Return who has held which seats, and by which claim: of that the tokens of seats are made."""
    rows = ClaimEvent.objects.filter(assignment__round=of, kind=ClaimEvent.Kind.CLAIMED)
    claims = rows.order_by("pk").values_list("rater__public_id", "assignment__ordinal", "claim_no")
    return [(str(rater), seat, claim) for rater, seat, claim in claims]


def why_not(of: Round) -> str:
    """Return why a round cannot be taken away now, or ""."""
    try:
        _check(of, "?", was_open=False)
    except errors.Refusal as refusal:
        return refusal.message
    return ""


def _check(of: Round, reason: str, *, was_open: bool) -> None:
    if of.discarded_at is not None or of.state == Round.State.FINAL:
        raise CannotDiscard(_("A round that is final, or was discarded, stays as it is."))
    if of.opening_at is not None:
        raise CannotDiscard(_("This round is being opened. Withdraw the opening first."))
    n_grades = Grade.objects.filter(round=of).count()
    if n_grades:
        raise HasGrades(
            ngettext(
                "%(n)d grade was given in this round, and grades are kept. Close the round instead.",
                "%(n)d grades were given in this round, and grades are kept. Close the round instead.",
                n_grades,
            )
            % {"n": n_grades}
        )
    for rows in _standing_on(of, models.PROTECT):
        if rows.model not in {Grade, Qualification} and (n := rows.count()):
            message = _(
                "%(what)s: %(n)d stand on this round and are kept. Close the round instead."
            )
            what = str(rows.model._meta.verbose_name_plural)
            raise RoundStillUsed(message % {"what": what, "n": n})
    if was_open and not reason:
        message = _("Say why; the annotators of the round read it.")
        raise errors.ReasonNeeded(message, fields={"reason": [message]})
    if was_open:
        seats.check_names(of, reason)


def _standing_on(of: Round, how: Any) -> Iterator[models.QuerySet[Any]]:
    """Yield the rows that belong to a round; what says what it is, one to one, stays with it."""
    for relation in Round._meta.related_objects:
        if (
            relation.on_delete is how
            and not relation.one_to_one
            and relation.related_model != Round
        ):
            model: Any = relation.related_model
            yield model._base_manager.filter(**{relation.field.name: of})


def _take_out_of_trial(of: Round, rater: Rater, by: User, now: datetime) -> None:
    """Let somebody take another trial, who was put into this one."""
    if of.kind != Round.Kind.TRIAL:
        return
    trial = of.trial
    last = qualifications.last_steps([rater]).filter(capability=trial.capability_id).first()
    if last is None or last.round_id != of.pk or last.state != PoolState.TRIAL:
        return
    qualifying.step(
        rater=rater,
        capability=trial.capability,
        event=Event.WITHDRAWN,
        by=by,
        now=now,
        reason=gettext_noop("The trial was discarded."),
        round_=of,
    )


def ring(round_id: int) -> None:
    queue.enqueue("annotation.jobs.clear_round", key=f"clear-{round_id}", round_id=round_id)


def sweep(now: datetime) -> None:
    """Ring again for discarded rounds in which something still stands."""
    left = Round.everything.filter(discarded_at__isnull=False, items__isnull=False)
    for pk in left.values_list("pk", flat=True).distinct():
        ring(pk)


def clear(*, round_: Round) -> None:
    """Take away what stood in a discarded round, a batch at a time; running it again goes on."""
    pace = Batches(start=200)
    hits = IdentityHit.objects.filter(round=round_, round__discarded_at__isnull=False)
    while pks := list(hits.values_list("pk", flat=True)[: pace.size]):
        for batch in pace.batches(pks):
            IdentityHit.objects.filter(pk__in=batch).delete()
    mine = RoundItem.objects.filter(round=round_, round__discarded_at__isnull=False)
    while pks := list(mine.values_list("pk", flat=True)[: pace.size]):
        for batch in pace.batches(pks):
            with transaction.atomic():
                for model in (Receipt, Draft, Slot, ClaimEvent):
                    model.objects.filter(assignment__round_item__in=batch).delete()
                Assignment.objects.filter(round_item__in=batch).delete()
                RoundResponse.objects.filter(round_item__in=batch).delete()
                RoundItem.objects.filter(pk__in=batch).delete()
