"""Decide about disputed grades: each decision with its reason, confirmed, kept, and taken back."""

from dataclasses import dataclass, fields
from datetime import datetime
from decimal import Decimal
from uuid import UUID

from django.db import transaction
from django.db.models import F
from django.utils.translation import gettext as _

from annotation.models import (
    Assignment,
    Capability,
    Criterion,
    Decision,
    Effect,
    Grade,
    Item,
    Project,
    Rater,
    Response,
    ReviewRule,
    Round,
    RoundItem,
    User,
)
from annotation.operations import audit, review_effects
from annotation.operations.rounds import drafting
from annotation.queries import reviews
from annotation.rules import reviews as rules
from annotation.rules import rounds
from annotation.rules.reviews import Act, Standing
from evalsite import errors

LONGEST = 1000


class ReasonNeeded(errors.Invalid):
    code = "reason_needed"


class TargetMissing(errors.Invalid):
    """The decision does not say what it is about, or names something that is not of this round."""

    code = "target_missing"


class NotNow(errors.Conflict):
    code = "not_now"


class HasPart(errors.NotAllowed):
    """Whoever graded in the round does not decide about its grades."""

    code = "has_part"


class SamePerson(errors.NotAllowed):
    code = "same_person"


@dataclass(frozen=True)
class Wish:
    """What is decided about an item of a round."""

    act: Act
    item: Item
    response: Response | None = None
    criterion: Criterion | None = None
    value: Decimal | None = None
    grade: Grade | None = None
    rater: Rater | None = None
    capability: Capability | None = None
    assignment: Assignment | None = None
    text: str = ""
    reverses: Decision | None = None

    @property
    def given(self) -> frozenset[str]:
        """Return the names of what it is about."""
        return frozenset(one.name for one in fields(self) if getattr(self, one.name)) | (
            frozenset({"value"}) if self.value is not None else frozenset()
        )


@transaction.atomic
def decide(
    *, round_: Round, wish: Wish, reason: str, key: UUID, by: User, now: datetime
) -> Decision:
    """Decide; with one reviewer it holds at once, with two it waits for the second.

    The same `key` again is the same decision.

    Raises:
        ReasonNeeded: no reason is given, or too long a one.
        TargetMissing: it does not say what it is about, or that is not of this round.
        NotNow: the round does not allow it as it stands, or the decision was taken back already.
        HasPart: this person grades in the round, or has.
    """
    locked = Round.objects.select_for_update(no_key=True).get(pk=round_.pk)
    if again := Decision.objects.filter(round=locked, key=key).first():
        return again  # looked for under the lock: two at once are one
    _check_person(locked, by)
    said = reason.strip()
    if not 0 < len(said) <= LONGEST:
        message = _("Write down why, in at most %(n)d signs; it stays with the decision.")
        raise ReasonNeeded(message % {"n": LONGEST}, fields={"reason": [message % {"n": LONGEST}]})
    _check(locked, wish)
    made = Decision.objects.create(
        round=locked,
        item=wish.item,
        key=key,
        act=wish.act,
        response=wish.response,
        criterion=wish.criterion,
        value=None if wish.value is None or wish.criterion is None else wish.value,
        grade=wish.grade,
        rater=wish.rater,
        capability=wish.capability,
        assignment=wish.assignment,
        text=wish.text.strip(),
        reverses=wish.reverses,
        reason=said,
        by=by,
        at=now,
    )
    _record(made, "review.decided", by, now)
    if _n_wanted(locked.project, wish) == 1:
        _carry_out(made, locked, by, now)
    return made


@transaction.atomic
def confirm(*, decision: Decision, by: User, now: datetime) -> Effect:
    """Let a decision hold that waits for a second reviewer.

    Raises:
        SamePerson: they made it themselves.
        HasPart: they grade in the round, or have.
        NotNow: it holds already, was taken back, or the round does not allow it any more.
    """
    locked = Round.objects.select_for_update(no_key=True).get(pk=decision.round_id)
    found = reviews.one_of(locked, decision.pk)
    assert found is not None
    _check_person(locked, by)
    if reviews.standing_of(found) is not Standing.WAITING:
        raise NotNow(_("This decision does not wait for anybody any more. Load the page again."))
    if found.by_id == by.pk:
        raise SamePerson(_("Somebody else must confirm what you decided."))
    _check_state(locked, Act(found.act))
    return _carry_out(found, locked, by, now)


@transaction.atomic
def set_rule(
    *, project: Project, n_reviewers: int, hide_people: bool, by: User, now: datetime
) -> ReviewRule:
    """Say how the project reviews from now on; what waits for a second reviewer still does."""
    before = reviews.rule_of(project)
    made = ReviewRule.objects.create(
        project=project, n_reviewers=n_reviewers, hide_people=hide_people, by=by, at=now
    )
    audit.record(
        project=project,
        actor=by,
        verb="review.rule",
        subject=f"project:{project.slug}",
        at=now,
        before={"reviewers": before.n_reviewers, "hide_people": before.hide_people},
        after={"reviewers": n_reviewers, "hide_people": hide_people},
    )
    return made


def _n_wanted(project: Project, wish: Wish) -> int:
    """Return how many must agree; to let go what only waits, one is enough."""
    if wish.reverses is not None and not Effect.objects.filter(decision=wish.reverses).exists():
        return 1
    return rules.n_wanted(wish.act, reviews.rule_of(project).n_reviewers)


def _check_person(round_: Round, by: User) -> None:
    if reviews.has_part(round_, by):
        raise HasPart(
            _(
                "You grade in this round, or have, so others decide about its grades. "
                "Ask another owner or curator."
            )
        )


def _check(round_: Round, wish: Wish) -> None:
    _check_state(round_, wish.act)
    if missing := rules.lacks(wish.act, wish.given):
        said = {name: _wanted(name) for name in missing}
        message = " ".join(dict.fromkeys(said.values()))
        raise TargetMissing(message, fields={name: [text] for name, text in said.items()})
    if wrong := _strangers(round_, wish):
        message = _("This is not part of the question in this round. Load the page again.")
        raise TargetMissing(message, fields={name: [message] for name in wrong})
    if wish.criterion is not None and wish.value is not None:
        try:
            wish.criterion.scale.check(wish.value)
        except ValueError as problem:
            raise TargetMissing(str(problem), fields={"value": [str(problem)]}) from problem
    if wish.reverses is not None:
        _check_reversal(round_, wish.reverses)


def _wanted(name: str) -> str:
    """Return what to do where a decision does not say this."""
    if name == "value":
        return _("Choose a grade.")
    if name == "text":
        return _("Write the text that this decision is about.")
    return _("Say what the decision is about.")


def _check_state(round_: Round, act: Act) -> None:
    if rules.allowed(act, rounds.State(round_.state)):
        return
    if act is Act.REGRADE:
        raise NotNow(_("One more annotator can grade only while the round is in review."))
    if act is Act.HAND_BACK:
        raise NotNow(_("Grades can be handed back only while the round is open or in review."))
    raise NotNow(_("Close the round for review first; until then its grades may still change."))


def _strangers(round_: Round, wish: Wish) -> list[str]:
    """Return the names of what is not part of this item in this round."""
    places = RoundItem.objects.filter(round=round_, item=wish.item)
    if not places.exists():
        return ["item"]
    known = {
        "response": wish.response is None
        or places.filter(responses__response=wish.response).exists(),
        "criterion": wish.criterion is None
        or places.filter(rubric_version__criteria=wish.criterion).exists(),
        "grade": wish.grade is None
        or (wish.grade.round_id, wish.grade.response.item_id, wish.grade.kind)
        == (round_.pk, wish.item.pk, Grade.Kind.GIVEN),
        "assignment": wish.assignment is None
        or places.filter(assignments=wish.assignment).exists(),
        "rater": wish.rater is None
        or Grade.objects.filter(round=round_, rater=wish.rater).exists(),
        "reverses": wish.reverses is None or wish.reverses.round_id == round_.pk,
    }
    return [name for name, fits in known.items() if not fits]


def _check_reversal(round_: Round, decision: Decision) -> None:
    found = reviews.one_of(round_, decision.pk)
    assert found is not None
    line = reviews.Line(found, reviews.standing_of(found), getattr(found, "effect", None))
    if line.standing is Standing.TAKEN_BACK:
        raise NotNow(_("This decision was taken back before."))
    if not line.can_be_reversed:
        raise NotNow(
            _("This decision cannot be taken back: it began work elsewhere, which is ended there.")
        )


def _carry_out(decision: Decision, round_: Round, by: User, now: datetime) -> Effect:
    """Write what the decision means; a final round gets its next result revision by it."""
    made = review_effects.carry_out(decision=decision, round_=round_, now=now)
    effect = Effect.objects.create(decision=decision, by=by, at=now, **made)
    if round_.state == Round.State.FINAL and (effect.grade_id or effect.invalidation_id):
        Round.objects.filter(pk=round_.pk).update(revision=F("revision") + 1)
    _record(decision, "review.holds", by, now)
    return effect


def _record(decision: Decision, verb: str, by: User, now: datetime) -> None:
    audit.record(
        project=decision.round.project,
        actor=by,
        verb=verb,
        subject=drafting.subject(decision.round),
        at=now,
        note=decision.reason if verb == "review.decided" else "",
        act=decision.act,
        item=decision.item.external_id,
        decision=decision.pk,
    )
