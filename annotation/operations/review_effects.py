"""What a decision writes once it holds: a grade beside the others, an invalidation, a seat, a version."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from django.db.models import Max
from django.utils.translation import gettext as _

from annotation.models import (
    Assignment,
    ClaimEvent,
    Decision,
    Effect,
    Grade,
    Invalidation,
    Question,
    QuestionVersion,
    Round,
    RoundItem,
)
from annotation.operations import leases, people
from annotation.operations.bank import states, writing
from annotation.operations.rounds import seats
from annotation.rubrics import operations as rubrics
from annotation.rubrics import queries as rubric_reads
from annotation.rules import questions
from annotation.rules import reviews as rules
from annotation.rules.reviews import Act, Undo
from evalsite import errors

Made = dict[str, Any]


class NotFromTheBank(errors.Conflict):
    code = "not_from_the_bank"


def carry_out(*, decision: Decision, round_: Round, now: datetime) -> Made:
    """Write what a decision means; return what was made, as fields of its Effect.

    Raises:
        errors.Refusal: what it is about has moved on; the message says how.
    """
    return _DEEDS.get(Act(decision.act), _nothing)(decision, round_, now)


def _nothing(_decision: Decision, _round: Round, _now: datetime) -> Made:
    return {}


def _regrade(decision: Decision, round_: Round, now: datetime) -> Made:
    place = _place(decision, round_)
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
    before = Grade.objects.filter(
        round=round_,
        response=decision.response,
        criterion=decision.criterion,
        kind=Grade.Kind.ADJUDICATED,
    )
    top = before.aggregate(top=Max("revision"))["top"] or 0
    before.filter(is_current=True).update(is_current=False)
    made = Grade.objects.create(
        round=round_,
        response=decision.response,
        criterion=decision.criterion,
        rater=people.rater_of(project=round_.project, user=decision.by, now=now),
        kind=Grade.Kind.ADJUDICATED,
        value=decision.value,
        revision=top + 1,
        given_at=now,
    )
    return {"grade": made}


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
    states.change_life(
        question=version.question, act=act, reason=decision.reason, by=decision.by, now=now
    )


def _fix_answer(decision: Decision, _round: Round, now: datetime) -> Made:
    """Begin the next version of the question with the corrected answer; it takes its usual way."""
    version = decision.item.question_version
    if version is None:
        raise NotFromTheBank(
            _("This question is not from the bank. Take it over into the bank, or import it anew.")
        )
    writing.revise(version=version, by=decision.by, now=now, suggestion={"answer": decision.text})
    return {}


def _clarify_rubric(decision: Decision, round_: Round, now: datetime) -> Made:
    """Write the next version of the rubric, with what was said at the end of its principle."""
    used = _place(decision, round_).rubric_version
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
    undo = rules.KINDS[Act(earlier.act)].undo
    if undo is Undo.STRIKE:
        kind = Invalidation.Kind.GRADE
        return _strike(decision, round_, now, kind=kind, grade=effect.grade)
    if undo is Undo.LIFT and effect.invalidation is not None:
        return _lift(effect.invalidation, decision, round_, now)
    if undo is Undo.STAND and effect.assignment is not None:
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


def _place(decision: Decision, round_: Round) -> RoundItem:
    """Return the item's first place in the round: a repeat is for those who graded it before."""
    rows = RoundItem.objects.filter(round=round_, item=decision.item).order_by("occasion")
    return rows.select_related("round", "rubric_version__rubric")[0]


_DEEDS: Mapping[Act, Callable[[Decision, Round, datetime], Made]] = {
    Act.REGRADE: _regrade,
    Act.HAND_BACK: _hand_back,
    Act.ADJUDICATE: _adjudicate,
    Act.STRIKE_GRADE: _strike_grade,
    Act.STRIKE_RATER: _strike_rater,
    Act.STRIKE_QUESTION: _strike_question,
    Act.FIX_ANSWER: _fix_answer,
    Act.CLARIFY_RUBRIC: _clarify_rubric,
    Act.REVERSE: _reverse,
}
