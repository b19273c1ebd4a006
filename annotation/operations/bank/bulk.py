"""Edit many questions at once: tried out first, then carried out in short writes, line by line.

A draft is changed by its author; what was accepted or returned gets a new draft version, which goes
through inspection like any other. A line whose question has moved on since it was tried out stays
as it is, and says so.
"""

import time
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Max, QuerySet
from django.utils.translation import gettext as _

from annotation.models import (
    BulkEdit,
    BulkLine,
    Project,
    Question,
    QuestionVersion,
    User,
)
from annotation.operations import audit
from annotation.operations.bank import changes, states, writing
from annotation.operations.bank.changes import Change
from annotation.operations.bank.refusals import NotNow
from annotation.operations.pace import Pace
from annotation.queries import bulk_edits as reads
from annotation.queries import standing
from annotation.rules import bulk as rules
from annotation.rules import questions as question_rules
from annotation.rules.bulk import Action, Fate
from evalsite import errors, queue

Clock = Callable[[], datetime]
State, Outcome = BulkEdit.State, BulkLine.Outcome
#: An edit that has not moved for so long has lost its worker.
QUIET = timedelta(seconds=30)
#: So few are carried out at once, while the person waits.
FEW = 25


class TooMany(errors.Invalid):
    code = "too_many"


class NotPlanned(errors.Conflict):
    code = "not_planned"


class Stale(errors.Conflict):
    """A question has moved on since it was tried out."""

    code = "stale"


def plan(
    *, project: Project, change: Change, rows: "QuerySet[QuestionVersion]", by: User, now: datetime
) -> BulkEdit:
    """Try a change out on the newest versions in `rows`; only what would come of it is written.

    A plan of theirs that was not carried out gives way.

    Raises:
        NotNow: their role does not write questions.
        Incomplete: the change says nothing, or something that cannot be; or there is no question.
        TooMany: these are more questions than are edited at a time.
    """
    if not standing.roles(project.pk, by) & question_rules.DESIGNERS:
        raise NotNow(_("Your role in this project does not write questions."))
    values = changes.stored(project, change)
    versions = _versions(rows, change.action)
    tried = reads.tried(project, versions, change.action, dict(change.values), by)
    with transaction.atomic():
        Project.objects.select_for_update().get(pk=project.pk)
        mine = BulkEdit.objects.filter(project=project, by=by, state=State.PLANNED)
        BulkLine.objects.filter(edit__in=mine).delete()
        mine.delete()
        last = BulkEdit.objects.filter(project=project).aggregate(last=Max("number"))["last"]
        made = BulkEdit.objects.create(
            project=project,
            number=(last or 0) + 1,
            action=change.action.value,
            values=values,
            note=change.note.strip()[:500],
            by=by,
            created_at=now,
            touched_at=now,
        )
        BulkLine.objects.bulk_create(_lines(made, tried), batch_size=500)
    return made


@transaction.atomic
def start(*, edit: BulkEdit, by: User, now: datetime) -> BulkEdit:
    """Have a plan carried out; the worker is rung for.

    Raises:
        NotPlanned: it was started before, is somebody else's, or would change nothing.
    """
    if edit.by_id != by.pk:
        raise NotPlanned(_("Somebody else tried this out. Try it out yourself, and confirm then."))
    if not edit.lines.filter(outcome=Outcome.WAITING).exists():
        raise NotPlanned(_("There is nothing to do: no question would change."))
    moved = BulkEdit.objects.filter(pk=edit.pk, state=State.PLANNED).update(
        state=State.RUNNING, touched_at=now
    )
    if not moved:
        raise NotPlanned(_("This was started already. Look at the page again."))
    edit.refresh_from_db()
    _record("bulk.started", edit, now, action=edit.action)
    ring(edit)
    return edit


@transaction.atomic
def drop(*, edit: BulkEdit, by: User) -> None:
    """Throw a plan away that was not started. No question is touched.

    Raises:
        NotPlanned: it was started, or is somebody else's.
    """
    mine = BulkEdit.objects.filter(pk=edit.pk, by=by, state=State.PLANNED)
    if not mine.exists():
        raise NotPlanned(_("Only what was tried out by yourself, and not started, is dropped."))
    edit.lines.all().delete()
    mine.delete()


def carry_on(
    *,
    edit_id: int,
    clock: Clock,
    seconds: float | None = None,
    others_wait: Callable[[], bool] = lambda: True,
) -> BulkEdit | None:
    """Work on a bulk edit until every line is settled, or the time is up and others wait.

    Starting this twice is harmless: whoever comes second sees that the first has moved on.
    """
    edit = BulkEdit.objects.select_related("project", "by").filter(pk=edit_id).first()
    if edit is None or edit.state != State.RUNNING:
        return edit
    began, pace = time.perf_counter(), Pace(start=4, most=60, target=0.08)
    while True:
        waiting = edit.lines.filter(outcome=Outcome.WAITING, position__gt=edit.cursor)
        lines = list(waiting.order_by("position")[: pace.size])
        if not lines:
            _finish(edit, clock())
            break
        at = time.perf_counter()
        if not _carry_out(edit, lines, clock()):
            break
        pace.learn(len(lines), time.perf_counter() - at)
        if seconds is not None and time.perf_counter() - began > seconds and others_wait():
            ring(edit)
            break
    edit.refresh_from_db()
    return edit


def ring_again(now: datetime) -> int:
    """Ring for edits that should move and have not for a while; return how many."""
    quiet = list(BulkEdit.objects.filter(state=State.RUNNING, touched_at__lt=now - QUIET))
    for edit in quiet:
        ring(edit)
    return len(quiet)


def ring(edit: BulkEdit) -> None:
    queue.enqueue(
        "annotation.jobs.edit_in_bulk",
        queue="bulk",
        key=f"bulk-{edit.pk}",
        turn=f"user-{edit.by_id}",
        edit_id=edit.pk,
    )


@transaction.atomic
def _carry_out(edit: BulkEdit, lines: list[BulkLine], now: datetime) -> bool:
    """Do some lines; False if another worker has taken them."""
    mine = BulkEdit.objects.filter(pk=edit.pk, state=State.RUNNING, cursor=edit.cursor)
    if not mine.update(cursor=lines[-1].position, touched_at=now):
        return False
    edit.cursor = lines[-1].position
    for line in lines:
        line.outcome, line.reason = _settled(edit, line, now)
    BulkLine.objects.bulk_update(lines, ["outcome", "reason"])
    return True


def _settled(edit: BulkEdit, line: BulkLine, now: datetime) -> tuple[str, str]:
    """Do a line, or leave its question as it was; return the outcome and why not."""
    try:
        with transaction.atomic():
            _do(edit, line, now)
    except Stale as refusal:
        return Outcome.STALE, refusal.message[:500]
    except errors.Refusal as refusal:
        return Outcome.REFUSED, refusal.message[:500]
    except IntegrityError as problem:
        return Outcome.REFUSED, str(problem)[:500]
    return Outcome.DONE, ""


def _do(edit: BulkEdit, line: BulkLine, now: datetime) -> None:
    newest = _newest(line)
    who: dict[str, Any] = {"by": edit.by, "now": now}
    if line.fate == Fate.SUBMIT:
        writing.submit(version=newest, base_rev=line.rev, **who)
        return
    if line.fate == Fate.RETIRE:
        act = question_rules.Act.RETIRE
        states.change_life(question=newest.question, act=act, reason=edit.note, **who)
        return
    changed = rules.changed(reads.fields_of(newest), reads.wanted_of(edit.values))
    same = bool(edit.values.get("meaning_same")) and line.is_used
    if line.fate == Fate.EDIT:
        text = replace(writing.Text.of(newest), **changed)
        if same and newest.number > 1 and text.meaning_changed is None:
            text = replace(text, meaning_changed=False)
        made = writing.save_draft(version=newest, text=text, base_rev=line.rev, **who)
    else:
        made = writing.revise(version=newest, suggestion=changed, **who)
        if same:
            QuestionVersion.objects.filter(pk=made.pk).update(meaning_changed=False)
    audit.record(
        project=edit.project,
        actor=edit.by,
        verb="question.bulk_edited",
        subject=f"question:{line.external_id}/{made.number}",
        at=now,
        bulk=edit.number,
        fields=sorted(changed),
    )


def _newest(line: BulkLine) -> QuestionVersion:
    """Return the newest version of a line's question, if it is as it was when it was tried out."""
    question = Question.objects.select_for_update().filter(pk=line.question_id or 0).first()
    if question is None:
        raise Stale(_("It was thrown away since this was tried out."))
    newest = (
        QuestionVersion.objects.filter(question=question)
        .select_related("question__project")
        .order_by("-number")
        .first()
    )
    was = (line.number, line.rev, line.version_state, line.life)
    if newest is None or was != (newest.number, newest.rev, newest.state, question.state):
        raise Stale(_("It was changed since this was tried out. It stays as it is."))
    return newest


@transaction.atomic
def _finish(edit: BulkEdit, now: datetime) -> None:
    moved = BulkEdit.objects.filter(pk=edit.pk, state=State.RUNNING).update(
        state=State.DONE, touched_at=now, done_at=now
    )
    if moved:
        found = reads.counts([edit])[edit.pk]
        _record("bulk.done", edit, now, changed=found.done, not_changed=found.not_done)


def _versions(rows: "QuerySet[QuestionVersion]", action: Action) -> list[QuestionVersion]:
    # Which they are is told by indexes alone; then they are read by their ids.
    ids = list(rows.order_by().values_list("pk", flat=True)[: reads.MOST + 1])
    if len(ids) > reads.MOST:
        words = _("At most %(n)d questions are edited at a time; these are more. Filter further.")
        raise TooMany(words % {"n": reads.MOST})
    found = QuestionVersion.objects.filter(pk__in=ids).select_related("question")
    if action is not Action.SUBMIT:
        found = found.defer("turns", "answer", "key_points", "principle", "replies")
    if not ids:
        raise changes.incomplete("id", _("Choose the questions first."))
    return sorted(found, key=lambda one: -one.question_id)


def _lines(edit: BulkEdit, tried: list[reads.Tried]) -> list[BulkLine]:
    settled = {Fate.SAME: Outcome.DONE, Fate.REFUSED: Outcome.REFUSED}
    return [
        BulkLine(
            edit=edit,
            position=place,
            question_id=one.version.question_id,
            external_id=one.version.question.external_id,
            number=one.version.number,
            rev=one.version.rev,
            version_state=one.version.state,
            life=one.version.question.state,
            is_used=one.is_used,
            fate=one.verdict.fate.value,
            outcome=settled.get(one.verdict.fate, Outcome.WAITING),
            reason=one.reason,
        )
        for place, one in enumerate(tried, 1)
    ]


def _record(verb: str, edit: BulkEdit, now: datetime, **data: Any) -> None:
    audit.record(
        project=edit.project,
        actor=edit.by,
        verb=verb,
        subject=f"bulk:{edit.number}",
        at=now,
        note=edit.note,
        **data,
    )
