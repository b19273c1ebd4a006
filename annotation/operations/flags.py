"""Answer what annotators have asked about a question."""

from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from annotation.models import FlagAnswer, Remark, Round, User
from annotation.operations import audit
from annotation.operations.rounds import drafting, drawing
from annotation.rules import display, identity
from evalsite import errors

LONGEST = 1000


class AnswerMissing(errors.Invalid):
    code = "answer_missing"


class NamesASystem(errors.Invalid):
    """An annotator would learn from the answer who is judged."""

    code = "names_a_system"


@transaction.atomic
def answer(*, flag: Remark, round_: Round, text: str, by: User, now: datetime) -> FlagAnswer:
    """Answer a flag of a round; the person who asked reads it on their list and at the question.

    Raises:
        AnswerMissing: nothing is said, or too much.
        NamesASystem: the answer holds the name of a system or its maker.
    """
    said = display.normalise(text).strip()
    if not 0 < len(said) <= LONGEST:
        message = _("Write an answer of at most %(n)d signs.") % {"n": LONGEST}
        raise AnswerMissing(message, fields={"text": [message]})
    if hits := identity.scan(said, drawing.lexicon(round_)):
        names = ", ".join(sorted({said[hit.start : hit.end] for hit in hits}))
        message = _(
            "Annotators must not learn who is judged. Write the answer without: %(names)s."
        ) % {"names": names}
        raise NamesASystem(message, fields={"text": [message]})
    made = FlagAnswer.objects.create(flag=flag, text=said, by=by, at=now)
    audit.record(
        project=round_.project,
        actor=by,
        verb="flag.answered",
        subject=drafting.subject(round_),
        at=now,
        note=said,
        flag=flag.pk,
    )
    return made
