"""Take questions out of use and back: retired, invalidated, live. Their history stays."""

from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from annotation.models import Question, QuestionChange, QuestionComment, QuestionVersion, User
from annotation.operations import audit
from annotation.operations.bank.refusals import Incomplete, NotNow, require
from annotation.rules import checklists
from annotation.rules import questions as rules


@transaction.atomic
def change_life(
    *, question: Question, act: rules.Act, reason: str, by: User, now: datetime
) -> QuestionChange:
    """Retire, invalidate or revive a question, with a reason.

    Raises:
        NotNow: the question is not in a state for it, or it is not theirs to do.
        Incomplete: no reason was given.
    """
    target = rules.OF_CURATORS[act][1]
    question = Question.objects.select_for_update().select_related("project").get(pk=question.pk)
    newest = QuestionVersion.objects.filter(question=question).select_related("question").first()
    if newest is None:
        raise NotNow(_("This question has no version any more."))
    require(
        act, newest, by, _("This is for owners and curators, and not from where it stands now.")
    )
    if not reason.strip():
        message = _("Say why; it stays on record.")
        raise Incomplete(message, fields={"reason": [message]})
    old = question.state
    moved = Question.objects.filter(pk=question.pk, state=old).update(state=target)
    if not moved:
        raise NotNow(_("Somebody has moved this question on. Load the page again."))
    made = QuestionChange.objects.create(
        question=question, old=old, new=target, reason=reason.strip(), by=by, at=now
    )
    audit.record(
        project=question.project,
        actor=by,
        verb=f"question.{act.name.lower()}d",
        subject=f"question:{question.external_id}",
        at=now,
        note=reason.strip(),
    )
    return made


@transaction.atomic
def comment(
    *,
    question: Question,
    text: str,
    by: User,
    now: datetime,
    version: QuestionVersion | None = None,
    field: str = "",
) -> QuestionComment:
    """Say something about a question, at a field of a version or in general.

    Raises:
        NotNow: their role has no part in the bank.
        Incomplete: nothing was said, or there is no such field.
    """
    newest = version or question.versions.select_related("question").first()
    if newest is None or newest.question_id != question.pk:
        raise NotNow(_("There is no such version of this question."))
    require(rules.Act.COMMENT, newest, by, _("Your role in this project has no part in the bank."))
    if not text.strip():
        message = _("Write the comment first.")
        raise Incomplete(message, fields={"text": [message]})
    if field and field not in checklists.FIELDS:
        message = _("A question has no such field.")
        raise Incomplete(message, fields={"field": [message]})
    return QuestionComment.objects.create(
        question=question, version=version, field=field, text=text.strip(), author=by, at=now
    )
