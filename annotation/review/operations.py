"""Decisions of reviewers as they stand, and how a project reviews.

* What a decision writes once it holds: a grade beside the others, an invalidation, a seat, a version.
* Decide about disputed grades: each decision with its reason, confirmed, kept, and taken back.
* Keep what somebody found who looked into an annotator's signals. Nothing else follows from it.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields, replace
from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Count, Exists, F, Max, OuterRef, QuerySet, Subquery
from django.utils.translation import gettext as _

from annotation.bank import operations as bank
from annotation.bank import rules as questions
from annotation.bank.models import Question, QuestionVersion
from annotation.domains.models import Capability
from annotation.grading.models import Grade, Invalidation
from annotation.people import audit
from annotation.people import operations as people
from annotation.people.models import Project, Rater, User
from annotation.review import rules
from annotation.review.models import Decision, Effect, Look, ReviewRule
from annotation.review.rules import DecisionStanding, DecisionUndo, ReviewAct
from annotation.rounds import queries as unblinding
from annotation.rounds import rules as rounds
from annotation.rounds import states
from annotation.rounds import states as leases
from annotation.rounds.models import Assignment, ClaimEvent, Round, RoundItem, RoundResponse
from annotation.rubrics import operations as rubrics
from annotation.rubrics import queries as rubric_reads
from annotation.rubrics.models import Criterion
from annotation.running import operations as seats
from annotation.systems.models import Item, Response
from evalsite import errors


@dataclass(frozen=True, slots=True)
class ReviewSetting:
    n_reviewers: int = 1
    hide_people: bool = False


@dataclass(frozen=True, slots=True)
class DecisionLine:
    """A decision, where it stands, who confirmed it, what it is about in words of its own rows."""

    decision: Decision
    standing: DecisionStanding
    effect: Effect | None
    #: Of its question in the round, counted from 1.
    place: int = 0

    @property
    def waits(self) -> bool:
        return self.standing is DecisionStanding.WAITING

    @property
    def holds(self) -> bool:
        return self.standing is DecisionStanding.HOLDS

    @property
    def can_be_reversed(self) -> bool:
        act = rules.ReviewAct(self.decision.act)
        if self.standing is DecisionStanding.TAKEN_BACK or act is rules.ReviewAct.REVERSE:
            return False
        return self.waits or rules.KINDS[act].undo is not rules.DecisionUndo.NEVER


def rule_of(project: Project) -> ReviewSetting:
    """Return how a project reviews: as was said last, else one reviewer who sees who graded."""
    found = ReviewRule.objects.filter(project=project).order_by("-pk").first()
    return ReviewSetting(found.n_reviewers, found.hide_people) if found else ReviewSetting()


def annotated(rows: "QuerySet[Decision]") -> "QuerySet[Decision]":
    """Add whether a decision was taken back by one that holds, and read its effect with it."""
    return rows.annotate(is_reversed=_taken_back()).select_related("effect")


def _taken_back() -> Exists:
    return Exists(Decision.objects.filter(reverses=OuterRef("pk"), effect__isnull=False))


def standing_of(decision: Decision) -> DecisionStanding:
    """Return where a decision stands; `decision` comes from `annotated`."""
    return rules.standing(
        has_effect=getattr(decision, "effect", None) is not None,
        is_reversed=decision.is_reversed,  # type: ignore[attr-defined]
    )


def lines(rows: "QuerySet[Decision]") -> list[DecisionLine]:
    """Return decisions with where they stand, the newest first."""
    found = annotated(rows).select_related(
        "by__person",
        "effect__by__person",
        "item",
        "criterion",
        "rater",
        "capability",
        "reverses",
        "grade",
    )
    return [
        DecisionLine(one, standing_of(one), getattr(one, "effect", None), one.place)
        for one in found.annotate(place=_place())
    ]


def _place() -> Subquery:
    first = RoundItem.objects.filter(  # its own, or the first pair of the whole question
        round=OuterRef("round"), item=OuterRef("item"), pair__gte=OuterRef("pair"), occasion=1
    )
    return Subquery(first.order_by("pair").annotate(n=F("ordinal") + 1).values("n")[:1])


def decisions_of(round_: Round) -> "QuerySet[Decision]":
    return Decision.objects.filter(round=round_).order_by("-pk")


def one_of(round_: Round, pk: int) -> Decision | None:
    """Return a decision of a round by its key, with where it stands."""
    return annotated(decisions_of(round_)).filter(pk=pk).first()


def standings(
    round_: Round, items: Iterable[int] | None = None
) -> dict[tuple[int, int], list[Decision]]:
    """Return the decisions about each item (and pair) that were not taken back, the newest first.

    What is decided about a whole question stands at each of its pairs.
    """
    rows = decisions_of(round_).exclude(_taken_back()).exclude(act=Decision.Act.REVERSE)
    rows = rows.select_related("effect")
    if items is not None:
        rows = rows.filter(item__in=items)
    found: dict[tuple[int, int], list[Decision]] = {}
    pairs = _pairs_of_whole(round_, rows)
    for one in rows:
        for pair in pairs.get(one.item_id, (0,)) if one.pair == 0 else (one.pair,):
            found.setdefault((one.item_id, pair), []).append(one)
    return found


def _pairs_of_whole(round_: Round, decisions: Iterable[Decision]) -> dict[int, list[int]]:
    """Return the pairs of each item that was decided about as a whole; none unless there are pairs."""
    whole = {one.item_id for one in decisions if one.pair == 0}
    found: dict[int, list[int]] = {}
    if round_.of_pairs and whole:
        places = RoundItem.objects.filter(round=round_, item__in=whole, occasion=1)
        for item, pair in places.values_list("item_id", "pair").order_by("item_id", "pair"):
            found.setdefault(item, []).append(pair)
    return found


def has_part(round_: Round, user: User) -> bool:
    """Return whether this person grades in the round, or has: then they do not decide about it."""
    given = Grade.objects.filter(round=round_, rater__user=user, kind=Grade.Kind.GIVEN)
    return unblinding.grades_in(round_, user) or given.exists()


@dataclass(frozen=True, slots=True)
class WaitingDecisions:
    """How many decisions of a round wait for a second reviewer."""

    number: int
    name: str
    n: int


def waiting(project: Project, user: User) -> list[WaitingDecisions]:
    """Return the rounds with decisions of others that this person could confirm, the newest first."""
    rows = (
        Decision.objects.filter(round__project=project, effect__isnull=True)
        .exclude(by=user)
        .exclude(_taken_back())
        .order_by("-round__number")
        .values_list("round__number", "round__name")
        .annotate(n=Count("pk"))
    )
    return [WaitingDecisions(*row) for row in rows]


Made = dict[str, Any]


class NotFromTheBank(errors.Conflict): ...


def carry_out(*, decision: Decision, round_: Round, now: datetime) -> Made:
    """Write what a decision means; return what was made, as fields of its Effect.

    Raises:
        errors.Refusal: what it is about has moved on; the message says how.
    """
    return _DEEDS.get(ReviewAct(decision.act), _nothing)(decision, round_, now)


def _nothing(_decision: Decision, _round: Round, _now: datetime) -> Made:
    return {}


def _regrade(decision: Decision, round_: Round, now: datetime) -> Made:
    place = _place_of_effect(decision, round_)
    return {
        "assignment": seats.add_seat(
            round_item=place, by=decision.by, reason=decision.reason, now=now
        )
    }


def _hand_back(decision: Decision, _round: Round, now: datetime) -> Made:
    assert decision.assignment is not None
    seat = Assignment.objects.select_related("rater").get(pk=decision.assignment.pk)
    seats.reopen(assignment=seat, by=decision.by, reason=decision.reason, now=now)
    return {"assignment": seat}


def _adjudicate(decision: Decision, round_: Round, now: datetime) -> Made:
    """Write the grade beside those that were given; an earlier one of the same place stands back."""
    assert decision.response is not None
    assert decision.criterion is not None
    against = _against(decision, round_)
    both = [one.pk for one in (decision.response, against) if one is not None]
    before = Grade.objects.filter(
        round=round_,
        response__in=both,
        criterion=decision.criterion,
        kind=Grade.Kind.ADJUDICATED,
    )
    if against is not None:  # whichever of the two was named first
        before = before.filter(against__in=both)
    top = before.aggregate(top=Max("revision"))["top"] or 0
    before.filter(is_current=True).update(is_current=False)
    made = Grade.objects.create(
        round=round_,
        response=decision.response,
        against=against,
        criterion=decision.criterion,
        rater=people.rater_of(project=round_.project, user=decision.by, now=now),
        kind=Grade.Kind.ADJUDICATED,
        value=decision.value,
        revision=top + 1,
        given_at=now,
    )
    return {"grade": made}


def _against(decision: Decision, round_: Round) -> Response | None:
    """Return the other answer of the pair that a choice is about; None of a grade."""
    if not decision.pair:
        return None
    assert decision.response_id is not None
    others = Response.objects.exclude(pk=decision.response_id)
    place = RoundItem.objects.filter(round=round_, item=decision.item, pair=decision.pair)
    shown = RoundResponse.objects.filter(round_item__in=place).values("response")
    return others.get(pk__in=shown)


def _strike_grade(decision: Decision, round_: Round, now: datetime) -> Made:
    return _strike(decision, round_, now, kind=Invalidation.Kind.GRADE, grade=decision.grade)


def _strike_rater(decision: Decision, round_: Round, now: datetime) -> Made:
    about = {"rater": decision.rater, "capability": decision.capability}
    return _strike(decision, round_, now, kind=Invalidation.Kind.RATER, **about)


def _strike_question(decision: Decision, round_: Round, now: datetime) -> Made:
    """Declare the question invalid in the round, and in the bank if it comes from there."""
    version = decision.item.question_version
    if version is not None and version.question.state != Question.State.INVALIDATED:
        _move_question(version, questions.Act.INVALIDATE, decision, now)
    return _strike(decision, round_, now, kind=Invalidation.Kind.QUESTION, item=decision.item)


def _strike(decision: Decision, round_: Round, now: datetime, **about: Any) -> Made:
    made = Invalidation.objects.create(
        round=round_, reason=decision.reason[:500], by=decision.by, at=now, **about
    )
    return {"invalidation": made}


def _move_question(
    version: QuestionVersion, act: questions.Act, decision: Decision, now: datetime
) -> None:
    bank.change_life(
        question=version.question, act=act, reason=decision.reason, by=decision.by, now=now
    )


def _fix_answer(decision: Decision, _round: Round, now: datetime) -> Made:
    """Begin the next version of the question with the corrected answer; it takes its usual way."""
    version = decision.item.question_version
    if version is None:
        raise NotFromTheBank(
            _("This question is not from the bank. Take it over into the bank, or import it anew.")
        )
    bank.revise(version=version, by=decision.by, now=now, suggestion={"answer": decision.text})
    return {}


def _clarify_rubric(decision: Decision, round_: Round, now: datetime) -> Made:
    """Write the next version of the rubric, with what was said at the end of its principle."""
    used = _place_of_effect(decision, round_).rubric_version
    assert used is not None
    newest = rubric_reads.newest_of(round_.project, used.rubric.key) or used
    wording = rubric_reads.wording(newest)
    clearer = replace(wording, principle=f"{wording.principle}\n\n{decision.text}".strip())
    rubrics.new_version(
        rubric=used.rubric, wording=clearer, base_sha=wording.sha(), by=decision.by, now=now
    )
    return {}


def _reverse(decision: Decision, round_: Round, now: datetime) -> Made:
    """Take back what an earlier decision wrote, by a row of its own."""
    earlier = decision.reverses
    assert earlier is not None
    effect = Effect.objects.filter(decision=earlier).first()
    if effect is None:
        return {}  # it only waited
    undo = rules.KINDS[ReviewAct(earlier.act)].undo
    if undo is DecisionUndo.STRIKE:
        kind = Invalidation.Kind.GRADE
        return _strike(decision, round_, now, kind=kind, grade=effect.grade)
    if undo is DecisionUndo.LIFT and effect.invalidation is not None:
        return _lift(effect.invalidation, decision, round_, now)
    if undo is DecisionUndo.STAND and effect.assignment is not None:
        kind_of_event = ClaimEvent.Kind.HANDED_BACK
        leases.vacate(assignment=effect.assignment, kind=kind_of_event, now=now)
    return {}


def _lift(struck: Invalidation, decision: Decision, round_: Round, now: datetime) -> Made:
    version = decision.item.question_version
    of_question = struck.kind == Invalidation.Kind.QUESTION
    if of_question and version and version.question.state == Question.State.INVALIDATED:
        _move_question(version, questions.Act.REVIVE, decision, now)
    about = {"grade": struck.grade, "rater": struck.rater, "capability": struck.capability}
    return _strike(
        decision, round_, now, kind=struck.kind, item=struck.item, reverses=struck, **about
    )


def _place_of_effect(decision: Decision, round_: Round) -> RoundItem:
    """Return the item's first place in the round: a repeat is for those who graded it before."""
    rows = RoundItem.objects.filter(round=round_, item=decision.item, pair=decision.pair)
    rows = rows.order_by("occasion")
    return rows.select_related("round", "rubric_version__rubric")[0]


_DEEDS: Mapping[ReviewAct, Callable[[Decision, Round, datetime], Made]] = {
    ReviewAct.REGRADE: _regrade,
    ReviewAct.HAND_BACK: _hand_back,
    ReviewAct.ADJUDICATE: _adjudicate,
    ReviewAct.STRIKE_GRADE: _strike_grade,
    ReviewAct.STRIKE_RATER: _strike_rater,
    ReviewAct.STRIKE_QUESTION: _strike_question,
    ReviewAct.FIX_ANSWER: _fix_answer,
    ReviewAct.CLARIFY_RUBRIC: _clarify_rubric,
    ReviewAct.REVERSE: _reverse,
}


LONGEST = 1000


class TargetMissing(errors.Invalid):
    """The decision does not say what it is about, or names something that is not of this round."""


class HasPart(errors.NotAllowed):
    """Whoever graded in the round does not decide about its grades."""


class SamePerson(errors.NotAllowed): ...


@dataclass(frozen=True)
class DecisionWish:
    """What is decided about an item of a round."""

    act: ReviewAct
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
    #: Which pair of the item's answers, in a round of pairs.
    pair: int = 0

    @property
    def is_whole(self) -> bool:
        """Return whether it is about the question with all its pairs."""
        undone = self.reverses.act if self.reverses is not None else None
        return ReviewAct.STRIKE_QUESTION in {self.act, undone}

    @property
    def about_pair(self) -> int:
        """Return which pair it is kept for: 0 for all of them, that of what it takes back."""
        if self.reverses is not None:
            return self.reverses.pair
        return 0 if self.is_whole else self.pair

    @property
    def given(self) -> frozenset[str]:
        """Return the names of what it is about."""
        return frozenset(one.name for one in fields(self) if getattr(self, one.name)) | (
            frozenset({"value"}) if self.value is not None else frozenset()
        )


@transaction.atomic
def decide(
    *, round_: Round, wish: DecisionWish, reason: str, key: UUID, by: User, now: datetime
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
        raise errors.ReasonNeeded(
            message % {"n": LONGEST}, fields={"reason": [message % {"n": LONGEST}]}
        )
    _check(locked, wish)
    made = Decision.objects.create(
        round=locked,
        item=wish.item,
        pair=wish.about_pair,
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
    found = one_of(locked, decision.pk)
    assert found is not None
    _check_person(locked, by)
    if standing_of(found) is not DecisionStanding.WAITING:
        raise errors.NotNow(
            _("This decision does not wait for anybody any more. Load the page again.")
        )
    if found.by_id == by.pk:
        raise SamePerson(_("Somebody else must confirm what you decided."))
    _check_state(locked, ReviewAct(found.act))
    return _carry_out(found, locked, by, now)


@transaction.atomic
def set_rule(
    *, project: Project, n_reviewers: int, hide_people: bool, by: User, now: datetime
) -> ReviewRule:
    """Say how the project reviews from now on; what waits for a second reviewer still does."""
    before = rule_of(project)
    made = ReviewRule.objects.create(
        project=project, n_reviewers=n_reviewers, hide_people=hide_people, by=by, at=now
    )
    audit.done(
        project,
        "review.rule",
        by,
        now,
        before={"reviewers": before.n_reviewers, "hide_people": before.hide_people},
        after={"reviewers": n_reviewers, "hide_people": hide_people},
    )
    return made


def _n_wanted(project: Project, wish: DecisionWish) -> int:
    """Return how many must agree; to let go what only waits, one is enough."""
    if wish.reverses is not None and not Effect.objects.filter(decision=wish.reverses).exists():
        return 1
    return rules.n_wanted(wish.act, rule_of(project).n_reviewers)


def _check_person(round_: Round, by: User) -> None:
    if has_part(round_, by):
        raise HasPart(
            _(
                "You grade in this round, or have, so others decide about its grades. "
                "Ask another owner or curator."
            )
        )


def _check(round_: Round, wish: DecisionWish) -> None:
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


def _check_state(round_: Round, act: ReviewAct) -> None:
    if rules.allowed(act, rounds.RoundState(round_.state)):
        return
    if act is ReviewAct.REGRADE:
        raise errors.NotNow(_("One more annotator can grade only while the round is in review."))
    if act is ReviewAct.HAND_BACK:
        raise errors.NotNow(
            _("Grades can be handed back only while the round is open or in review.")
        )
    raise errors.NotNow(
        _("Close the round for review first; until then its grades may still change.")
    )


def _strangers(round_: Round, wish: DecisionWish) -> list[str]:
    """Return the names of what is not part of this item in this round."""
    places = RoundItem.objects.filter(round=round_, item=wish.item)
    if wish.pair or not wish.is_whole:
        places = places.filter(pair=wish.pair)
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
    found = one_of(round_, decision.pk)
    assert found is not None
    line = DecisionLine(found, standing_of(found), getattr(found, "effect", None))
    if line.standing is DecisionStanding.TAKEN_BACK:
        raise errors.NotNow(_("This decision was taken back before."))
    if not line.can_be_reversed:
        raise errors.NotNow(
            _("This decision cannot be taken back: it began work elsewhere, which is ended there.")
        )


def _carry_out(decision: Decision, round_: Round, by: User, now: datetime) -> Effect:
    """Write what the decision means; a final round gets its next result revision by it."""
    made = carry_out(decision=decision, round_=round_, now=now)
    effect = Effect.objects.create(decision=decision, by=by, at=now, **made)
    if round_.state == Round.State.FINAL and (effect.grade_id or effect.invalidation_id):
        Round.objects.filter(pk=round_.pk).update(revision=F("revision") + 1)
    _record(decision, "review.holds", by, now)
    return effect


def _record(decision: Decision, verb: str, by: User, now: datetime) -> None:
    audit.done(
        decision.round,
        verb,
        by,
        now,
        note=decision.reason if verb == "review.decided" else "",
        act=decision.act,
        item=decision.item.external_id,
        decision=decision.pk,
    )


class NoteMissing(errors.Invalid): ...


class OwnSignals(errors.NotAllowed): ...


@transaction.atomic
def look(
    *, round_: Round, rater: Rater, because: Mapping[str, Any], note: str, by: User, now: datetime
) -> Look:
    """Say what was found; the annotator leaves the list until another signal is raised.

    Args:
        round_: whose signals.
        rater: the annotator.
        because: the signals that stood, with how much each rested on.
        note: what was found.
        by: who looked.
        now: the clock.

    Raises:
        NoteMissing: nothing is said, or too much.
        NotOfThisRound: the annotator has graded nothing in it.
        OwnSignals: the signals are of who looks.
    """
    said = note.strip()
    if not 0 < len(said) <= LONGEST:
        message = _("Write down what you found, in at most %(n)d signs.") % {"n": LONGEST}
        raise NoteMissing(message, fields={"note": [message]})
    if not Grade.objects.filter(round=round_, rater=rater).exists():
        raise states.NotOfThisRound(_("This annotator has graded nothing in the round."))
    if rater.user_id == by.pk:
        raise OwnSignals(
            _("These signals are about your own grades: somebody else looks into them.")
        )
    made = Look.objects.create(
        round=round_, rater=rater, because=dict(because), note=said, by=by, at=now
    )
    audit.done(
        round_,
        "annotator.looked_into",
        by,
        now,
        note=said,
        rater=str(rater.public_id),
        signals=sorted(because),
    )
    return made
