"""Take imported items into the bank: each becomes a question whose first version is a draft."""

from collections.abc import Iterable
from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from annotation.models import Item, Project, Question, QuestionVersion, User
from annotation.operations import audit
from annotation.operations.bank import writing
from annotation.operations.bank.refusals import IdTaken, Incomplete, NotNow
from annotation.queries import items as reads
from annotation.queries import standing
from annotation.rules import questions as rules

#: So many questions are begun in one transaction.
BATCH = 50
#: So many are taken at a time.
MOST = 500
#: A refusal names so many ids.
NAMED = 20


def adopt(
    *, project: Project, external_ids: Iterable[str], by: User, now: datetime
) -> list[QuestionVersion]:
    """Begin a question for each of these imported items; return the drafts, in this order.

    Of several contents under one id the newest is taken. A draft says what the item says and names
    no source yet. The items stay as they are, with their responses, rounds and grades. If somebody
    takes one of the ids meanwhile, the batches before it stay.

    Raises:
        NotNow: their role does not write questions.
        IdTaken: the bank has questions with some of these ids; nothing was begun.
        Incomplete: none was chosen, or too many, or there is no such item.
    """
    if not standing.roles(project.pk, by) & rules.DESIGNERS:
        raise NotNow(_("Your role in this project does not write questions."))
    wanted = list(dict.fromkeys(external_ids))
    _refuse_number(wanted)
    _refuse_taken(project, wanted)
    found = reads.imported(project, wanted)
    if unknown := [one for one in wanted if one not in found]:
        raise _incomplete(_("No imported item has these ids: %(ids)s.") % {"ids": _named(unknown)})
    made: list[QuestionVersion] = []
    for start in range(0, len(wanted), BATCH):
        items = [found[one] for one in wanted[start : start + BATCH]]
        made += _begin(project, items, by, now)
    return made


@transaction.atomic
def _begin(project: Project, items: list[Item], by: User, now: datetime) -> list[QuestionVersion]:
    made = [
        writing.create_question(
            project=project, text=_text(item), external_id=item.external_id, by=by, now=now
        )
        for item in items
    ]
    audit.record(
        project=project,
        actor=by,
        verb="items.adopted",
        subject=f"project:{project.slug}",
        at=now,
        questions=[one.question.external_id for one in made],
        items=[one.pk for one in items],
    )
    return made


def _text(item: Item) -> writing.Text:
    return writing.Text(
        turns=[
            {"role": str(one.get("role") or "user"), "content": str(one.get("content") or "")}
            for one in item.messages
        ],
        answer=item.reference,
        key_points=[str(one) for one in item.key_points],
        capability_id=item.capability_id,
        domain_id=item.domain_id,
        difficulty=item.difficulty,
        question_type=item.question_type,
        principle=str(item.extra.get("principle") or ""),
        as_of=item.as_of,
    )


def _refuse_number(wanted: list[str]) -> None:
    if not wanted:
        raise _incomplete(_("Choose the items that the bank is to have."))
    if len(wanted) > MOST:
        words = _("Take at most %(most)d items at a time; these are %(n)d.")
        raise _incomplete(words % {"most": MOST, "n": len(wanted)})


def _refuse_taken(project: Project, wanted: list[str]) -> None:
    rows = Question.everything.filter(project=project, external_id__in=wanted)
    if taken := sorted(rows.values_list("external_id", flat=True)):
        words = _("The bank has questions with these ids already: %(ids)s. Leave them out.")
        words %= {"ids": _named(taken)}
        raise IdTaken(words, fields={"id": [words]})


def _incomplete(words: str) -> Incomplete:
    return Incomplete(words, fields={"id": [words]})


def _named(ids: list[str]) -> str:
    return ", ".join(ids[:NAMED]) + (" …" if len(ids) > NAMED else "")
