"""Bulk edits: what an action would do to each question, and what it has done.

* What a bulk edit sets, and whether the project knows all of it.
* Edit many questions at once: tried out first, then carried out in short writes, line by line.
"""

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Count, F, Max, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.bank import operations as bank
from annotation.bank import questions as standing
from annotation.bank import rules as bulk
from annotation.bank.models import BulkEdit, BulkLine, Citation, Question, QuestionVersion
from annotation.bank.rules import BulkAction, BulkFate, BulkVerdict, WhyNot
from annotation.common import beats
from annotation.common.fields import fault_of
from annotation.common.pace import Batches
from annotation.domains.models import Capability, Difficulty, Domain, QuestionType
from annotation.people import audit
from annotation.people import queries as people_queries
from annotation.people import rules as people_rules
from annotation.people.models import Project, User
from evalsite import errors, queue
from evalsite.web import keyset

#: So many questions are edited at a time.
MOST = 2_000
SIZE = 50
WHY_TEXTS = {
    WhyNot.OUT_OF_USE: gettext_lazy("It is out of use. Take it back into use first."),
    WhyNot.IN_INSPECTION: gettext_lazy(
        "It is in inspection. Wait for the decision, or let its author take it back."
    ),
    WhyNot.NOT_THEIRS: gettext_lazy(
        "It is a draft of somebody else, and only its author changes it."
    ),
    WhyNot.NO_DRAFT: gettext_lazy("It has no draft. Begin a new version first."),
    WhyNot.NOT_LIVE: gettext_lazy("It is invalidated. Only live questions are retired."),
    WhyNot.NO_ROLE: gettext_lazy("Your role in this project does not allow it."),
    WhyNot.INCOMPLETE: gettext_lazy("Something is missing in it."),
}
#: Lines that do something.
DOING = (BulkFate.EDIT, BulkFate.REVISE, BulkFate.SUBMIT, BulkFate.RETIRE)


@dataclass(frozen=True)
class BulkOutcome:
    """A question, what would become of it, and why not."""

    version: QuestionVersion
    verdict: BulkVerdict
    reason: str
    is_used: bool


@dataclass(frozen=True)
class BulkCounts:
    """How many lines of a bulk edit there are of each kind."""

    edit: int = 0
    revise: int = 0
    submit: int = 0
    retire: int = 0
    same: int = 0
    refused: int = 0
    #: Of those that would change: how many have, and how many were refused after all.
    done: int = 0
    refused_later: int = 0
    stale: int = 0
    used: int = 0

    @property
    def changing(self) -> int:
        return self.edit + self.revise + self.submit + self.retire

    @property
    def left(self) -> int:
        return self.changing - self.done - self.refused_later - self.stale

    @property
    def settled(self) -> int:
        return self.changing - self.left

    @property
    def not_done(self) -> int:
        return self.refused + self.refused_later + self.stale


def tried(
    project: Project,
    versions: Collection[QuestionVersion],
    action: BulkAction,
    wanted: Mapping[str, Any],
    user: User,
) -> list[BulkOutcome]:
    """Return what an action would do to each of the newest versions; nothing is written."""
    where = standing.of_many(project.pk, versions, user)
    used = standing.used_among([one.question_id for one in versions])
    lacks = _lacking(versions, used) if action is BulkAction.SUBMIT else {}
    found = []
    for one in versions:
        differs = action is not BulkAction.CHANGE or bool(bulk.changed(fields_of(one), wanted))
        missing = lacks.get(one.pk, "")
        verdict = bulk.judge(action, where[one.pk], differs=differs, complete=not missing)
        reason = str(WHY_TEXTS[verdict.why]) if verdict.why else ""
        if verdict.why is WhyNot.INCOMPLETE:
            reason = missing
        found.append(BulkOutcome(one, verdict, reason, one.question_id in used))
    return found


def fields_of(version: QuestionVersion) -> dict[str, Any]:
    """Return the fields of a version that a change can set."""
    return {name: getattr(version, name) for name in (*bulk.SET, "tags")}


def wanted_of(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of a stored change as they stand in a question: a day is a date."""
    day = values.get("valid_until")
    return {**values, "valid_until": date.fromisoformat(day)} if day else dict(values)


def _lacking(versions: Collection[QuestionVersion], used: set[int]) -> dict[int, str]:
    """Return what keeps versions from being handed in, one sentence each."""
    cited = dict(
        Citation.objects.filter(version__in=versions)
        .order_by()
        .values_list("version_id")
        .annotate(n=Count("pk"))
    )
    found = {}
    for one in versions:
        problems = bulk.problems(
            turns=one.turns,
            answer=one.answer,
            capability=one.capability_id,
            difficulty=one.difficulty,
            n_citations=cited.get(one.pk, 0),
            asks_meaning=one.number > 1 and one.question_id in used,
            meaning_changed=one.meaning_changed,
        )
        if problems:
            found[one.pk] = " ".join(_(words) for said in problems.values() for words in said)[:500]
    return found


def list_edits(project: Project, after: str = "") -> "keyset.Page[BulkEdit]":
    """Return a page of a project's bulk edits, the newest first."""
    rows = BulkEdit.objects.filter(project=project).select_related("by__person")
    return keyset.page(rows, by=("-number",), after=after)


def bulk_edits_of(project: Project) -> "QuerySet[BulkEdit]":
    return BulkEdit.objects.filter(project=project).select_related("project", "by__person")


def counts(edits: Sequence[BulkEdit]) -> dict[int, BulkCounts]:
    """Return the counts of each edit, by its id, in one query."""
    rows = (
        BulkLine.objects.filter(edit__in=edits)
        .order_by()
        .values_list("edit_id", "fate", "outcome", "is_used")
        .annotate(n=Count("pk"))
    )
    found: dict[int, dict[str, int]] = {one.pk: {} for one in edits}
    for edit, fate, outcome, is_used, n in rows:
        into = found[edit]
        names = [fate.lower()]
        if fate in DOING:
            names += [{"REFUSED": "refused_later"}.get(outcome, outcome.lower())]
            names += ["used"] if is_used and fate == BulkFate.REVISE else []
        for name in names:
            if name != "waiting":
                into[name] = into.get(name, 0) + n
    return {pk: BulkCounts(**values) for pk, values in found.items()}


def lines(
    edit: BulkEdit, which: str = "", after: str = "", size: int = SIZE
) -> "keyset.Page[BulkLine]":
    """Return a page of the lines of an edit: those `refused`, those `changing`, or all."""
    rows = BulkLine.objects.filter(edit=edit).select_related("question")
    if which == "refused":
        rows = rows.filter(outcome__in=[BulkLine.Outcome.REFUSED, BulkLine.Outcome.STALE])
    elif which == "changing":
        rows = rows.filter(fate__in=DOING).exclude(
            outcome__in=[BulkLine.Outcome.REFUSED, BulkLine.Outcome.STALE]
        )
    return keyset.page(rows, by=("position",), after=after, size=size)


def reasons(edit: BulkEdit) -> list[tuple[str, int]]:
    """Return why lines were refused and how often, the most frequent first."""
    rows = (
        BulkLine.objects.filter(edit=edit)
        .exclude(reason="")
        .order_by()
        .values_list("reason")
        .annotate(n=Count("pk"))
    )
    return sorted(rows, key=lambda row: (-row[1], row[0]))[:10]


MAX_TAG = 100


@dataclass(frozen=True)
class BulkChange:
    """What is to be done. `values`: fields of rules.bulk that are set, valid_until as a date.

    Args:
        meaning_same: say of questions that a round has used that their meaning stays; otherwise
            the author of the new version is asked when it is handed in.
    """

    action: BulkAction
    values: Mapping[str, Any] = field(default_factory=dict)
    note: str = ""
    meaning_same: bool = False


def stored(project: Project, change: BulkChange) -> dict[str, Any]:
    """Return what a change sets as it is stored, once all of it is known to the project.

    Raises:
        Incomplete: it says nothing, or something that cannot be.
    """
    if change.action is BulkAction.RETIRE and not change.note.strip():
        raise incomplete("note", _("Say why; it stays on record."))
    if change.action is not BulkAction.CHANGE:
        return {}
    given = {name: value for name, value in change.values.items() if name in _CHECKS}
    if not any(value or name in bulk.SET for name, value in given.items()):
        raise incomplete("values", _("Say what is to be changed."))
    for name, value in given.items():
        _CHECKS[name](project, name, value)
    day = given.get("valid_until")
    stored = {**given, "valid_until": day.isoformat()} if isinstance(day, date) else given
    return {**stored, "meaning_same": change.meaning_same}


def _in_project(model: Any) -> Callable[[Project, str, Any], None]:
    def check(project: Project, name: str, value: Any) -> None:
        if value is None and name == "domain_id":
            return
        if not model.objects.filter(project=project, pk=value).exists():
            raise incomplete(name, _("There is no such one in this project. Choose another."))

    return check


def _one_of(values: list[str]) -> Callable[[Project, str, Any], None]:
    def check(_project: Project, name: str, value: Any) -> None:
        if value not in values:
            raise incomplete(name, _("Choose one of the list."))

    return check


def _day(_project: Project, name: str, value: Any) -> None:
    if value is not None and not isinstance(value, date):
        raise incomplete(name, _("This is no day."))


def _tags(_project: Project, name: str, value: Any) -> None:
    if len(value) > bulk.MAX_TAGS or any(not one.strip() or len(one) > MAX_TAG for one in value):
        words = _("At most %(n)d tags, of at most %(m)d characters each.")
        raise incomplete(name, words % {"n": bulk.MAX_TAGS, "m": MAX_TAG})
    if name == bulk.ADDED and (fault := next(filter(None, map(fault_of, value)), "")):
        raise incomplete(name, fault)


_CHECKS: Mapping[str, Callable[[Project, str, Any], None]] = {
    "capability_id": _in_project(Capability),
    "domain_id": _in_project(Domain),
    "difficulty": _one_of(Difficulty.values),
    "question_type": _one_of(QuestionType.values),
    "valid_until": _day,
    bulk.ADDED: _tags,
    bulk.DROPPED: _tags,
}


def incomplete(name: str, words: str) -> errors.Incomplete:
    return errors.Incomplete(words, fields={name: [words]})


Clock = Callable[[], datetime]
State, Outcome = BulkEdit.State, BulkLine.Outcome
#: An edit that has not moved for so long has lost its worker.
QUIET = timedelta(seconds=30)
#: So few are carried out at once, while the person waits.
FEW = 25


class TooManyQuestions(errors.Invalid):
    code = "too_many"


class NotPlanned(errors.Conflict): ...


class Stale(errors.Conflict):
    """A question has moved on since it was tried out."""


def plan(
    *,
    project: Project,
    change: BulkChange,
    rows: "QuerySet[QuestionVersion]",
    by: User,
    now: datetime,
) -> BulkEdit:
    """Try a change out on the newest versions in `rows`; only what would come of it is written.

    A plan of theirs that was not carried out gives way.

    Raises:
        NotNow: their role does not write questions.
        Incomplete: the change says nothing, or something that cannot be; or there is no question.
        TooManyQuestions: these are more questions than are edited at a time.
    """
    if not people_queries.roles(project.pk, by) & people_rules.DESIGNERS:
        raise errors.NotNow(_("Your role in this project does not write questions."))
    values = stored(project, change)
    versions = _versions(rows, change.action)
    trial = tried(project, versions, change.action, dict(change.values), by)
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
        BulkLine.objects.bulk_create(_lines(made, trial), batch_size=500)
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
    began, pace = time.perf_counter(), Batches(start=1 if edit.tries else 4, most=60, target=0.08)
    _begin(edit, clock())
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


def _begin(edit: BulkEdit, now: datetime) -> None:
    """Count that a worker begins; a line over which those before it ended is left as it is."""
    running = BulkEdit.objects.filter(pk=edit.pk, state=State.RUNNING)
    if edit.tries < beats.TRIES:
        running.update(tries=F("tries") + 1, touched_at=now)
        return
    said = _("The worker ended over this question three times. Its log says why.")
    with transaction.atomic():
        first = edit.lines.filter(outcome=Outcome.WAITING, position__gt=edit.cursor)
        if line := first.order_by("position").first():
            line.outcome, line.reason = Outcome.REFUSED, said
            line.save(update_fields=["outcome", "reason"])
        running.update(tries=0, touched_at=now)


@transaction.atomic
def _carry_out(edit: BulkEdit, lines: list[BulkLine], now: datetime) -> bool:
    """Do some lines; False if another worker has taken them."""
    mine = BulkEdit.objects.filter(pk=edit.pk, state=State.RUNNING, cursor=edit.cursor)
    if not mine.update(cursor=lines[-1].position, touched_at=now, tries=0):
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
    if line.fate == BulkFate.SUBMIT:
        bank.submit(version=newest, base_rev=line.rev, **who)
        return
    if line.fate == BulkFate.RETIRE:
        act = bulk.Act.RETIRE
        bank.change_life(question=newest.question, act=act, reason=edit.note, **who)
        return
    changed = bulk.changed(fields_of(newest), wanted_of(edit.values))
    same = bool(edit.values.get("meaning_same")) and line.is_used
    if line.fate == BulkFate.EDIT:
        text = replace(bank.WholeDraft.of(newest), **changed)
        if same and newest.number > 1 and text.meaning_changed is None:
            text = replace(text, meaning_changed=False)
        made = bank.save_draft(version=newest, text=text, base_rev=line.rev, **who)
    else:
        made = bank.revise(version=newest, suggestion=changed, **who)
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
        found = counts([edit])[edit.pk]
        _record("bulk.done", edit, now, changed=found.done, not_changed=found.not_done)


def _versions(rows: "QuerySet[QuestionVersion]", action: BulkAction) -> list[QuestionVersion]:
    # Which they are is told by indexes alone; then they are read by their ids.
    ids = list(rows.order_by().values_list("pk", flat=True)[: MOST + 1])
    if len(ids) > MOST:
        words = _("At most %(n)d questions at a time. Filter further.")
        raise TooManyQuestions(words % {"n": MOST})
    found = QuestionVersion.objects.filter(pk__in=ids).select_related("question")
    if action is not BulkAction.SUBMIT:
        found = found.defer("turns", "answer", "key_points", "principle", "replies")
    if not ids:
        raise incomplete("id", _("Choose the questions first."))
    return sorted(found, key=lambda one: -one.question_id)


def _lines(edit: BulkEdit, tried: list[BulkOutcome]) -> list[BulkLine]:
    settled = {BulkFate.SAME: Outcome.DONE, BulkFate.REFUSED: Outcome.REFUSED}
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
