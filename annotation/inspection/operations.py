"""Inspect questions: accept or return a version, by somebody other than its author.

* The retraining list of designers: settle an entry with a note, say from when on one stands there.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from annotation.bank import checklists, rules
from annotation.bank.checklists import Checked, ChecklistLine
from annotation.bank.models import Checklist, Finding, Inspection, Question, QuestionVersion
from annotation.bank.operations import require
from annotation.common import texts as contents
from annotation.inspection import queries as inspection_figures
from annotation.inspection.models import Retraining, RetrainingLimit
from annotation.people import audit
from annotation.people import queries as people_queries
from annotation.people import rules as people_rules
from annotation.people.models import Project, User
from annotation.systems.models import Item
from evalsite import errors

State = QuestionVersion.State
Verdict = Inspection.Verdict


class ChecklistMoved(errors.Conflict): ...


class LinesInvalid(errors.Invalid):
    code = "checklist_invalid"


@transaction.atomic
def inspect(
    *,
    version: QuestionVersion,
    verdict: str,
    checked: Sequence[Checked],
    by: User,
    now: datetime,
    checklist: Checklist | None = None,
    note: str = "",
    suggestion: Mapping[str, Any] | None = None,
) -> Inspection:
    """Record an inspection; the last one that is wanted moves the version on.

    A version of a core domain (P0) is accepted by two inspectors. Any return returns it.

    Args:
        checklist: the one that was on the inspector's page; by default the current one.

    Raises:
        NotNow: the version is not in inspection, or it is not theirs to inspect.
        Incomplete: a line is unanswered, or a failed one does not say why.
        ChecklistMoved: the project has a newer checklist than the one on the page.
    """
    Question.objects.select_for_update().get(pk=version.question_id)
    version = QuestionVersion.objects.select_related("question__project", "domain").get(
        pk=version.pk
    )
    require(
        rules.Act.INSPECT,
        version,
        by,
        _(
            "A question is inspected once by each inspector, while it is submitted, never by its author."
        ),
    )
    current = current_checklist(project=version.question.project, now=now)
    if checklist is not None and checklist.pk != current.pk:
        raise ChecklistMoved(
            _("The checklist has changed. Look at the new lines and decide again.")
        )
    proposed = checklists.suggested(suggestion or {}, stands(version))
    _refuse_problems(current, checked, verdict, note, proposed)
    made = _write(version, current, verdict, by, now, note.strip(), proposed)
    _write_findings(made, current, checked)
    _decide(version, verdict, now)
    audit.done(
        version,
        f"question.{Verdict(verdict).name.lower()}ed",
        by,
        now,
        note=note,
        failed={one.line: one.reason for one in checked if one.outcome == "FAIL"},
    )
    return made


def current_checklist(*, project: Project, now: datetime) -> Checklist:
    """Return the project's checklist; the first time it is made from the usual lines."""
    found = Checklist.objects.filter(project=project).first()
    if found is not None:
        return found
    usual = [{**row, "text": str(_(row["text"]))} for row in checklists.rows(checklists.DEFAULT)]
    made, _created = Checklist.objects.get_or_create(
        project=project, number=1, defaults={"lines": usual, "created_at": now}
    )
    return made


@transaction.atomic
def save_checklist(
    *, project: Project, lines: Sequence[ChecklistLine], base: Checklist, by: User, now: datetime
) -> Checklist:
    """Write the next version of the checklist; inspections keep the one they were made by.

    Raises:
        NotNow: their role does not decide on the checklist.
        ChecklistMoved: `base` is not the newest version.
        LinesInvalid: a line cannot be used.
    """
    if not people_queries.roles(project.pk, by) & people_rules.CURATORS:
        raise errors.NotNow(_("Owners and curators decide on the checklist."))
    found = checklists.line_problems(lines)
    if found:
        first = next(iter(found.values()))[0]
        raise LinesInvalid(_(first), fields=found)
    rows = checklists.rows(lines)
    moved = ChecklistMoved(_("Somebody else has changed the checklist. Load it again."))
    if Checklist.objects.filter(project=project, number__gt=base.number).exists():
        raise moved
    if rows == base.lines:
        return base
    try:
        with transaction.atomic():
            made = Checklist.objects.create(
                project=project, number=base.number + 1, lines=rows, created_by=by, created_at=now
            )
    except IntegrityError as problem:
        raise moved from problem
    audit.record(
        project=project,
        actor=by,
        verb="checklist.changed",
        subject=f"checklist:{made.number}",
        at=now,
        before={"number": base.number, "lines": len(base.lines)},
        after={"number": made.number, "lines": len(rows)},
    )
    return made


def stands(version: QuestionVersion) -> dict[str, Any]:
    """Return the texts of a version that an inspector may propose others for."""
    return {
        "question": str(version.turns[-1].get("content") or "") if version.turns else "",
        "answer": version.answer,
        "key_points": version.key_points,
        "principle": version.principle,
    }


def _refuse_problems(
    checklist: Checklist,
    checked: Sequence[Checked],
    verdict: str,
    note: str,
    proposed: Mapping[str, Any],
) -> None:
    lines = checklists.from_rows(checklist.lines)
    found = checklists.problems(lines, checked, verdict, note)
    found |= checklists.suggestion_problems(proposed)
    if found:
        first = next(iter(found.values()))[0]
        raise errors.Incomplete(
            _(first), fields={key: [_(one) for one in said] for key, said in found.items()}
        )


def _write(
    version: QuestionVersion,
    checklist: Checklist,
    verdict: str,
    by: User,
    now: datetime,
    note: str,
    proposed: Mapping[str, Any],
) -> Inspection:
    try:
        with transaction.atomic():
            return Inspection.objects.create(
                version=version,
                inspector=by,
                author_id=version.author_id,
                checklist=checklist,
                verdict=verdict,
                note=note,
                suggestion=dict(proposed),
                at=now,
            )
    except IntegrityError as problem:
        raise errors.NotNow(_("You have inspected this version already.")) from problem


def _write_findings(made: Inspection, checklist: Checklist, checked: Sequence[Checked]) -> None:
    said = {one.line: one for one in checked}
    Finding.objects.bulk_create(
        Finding(
            inspection=made,
            line=row["key"],
            outcome=said[row["key"]].outcome,
            reason=said[row["key"]].reason if said[row["key"]].outcome == "FAIL" else "",
            field=said[row["key"]].field if said[row["key"]].outcome == "FAIL" else "",
            note=said[row["key"]].note,
            position=place,
        )
        for place, row in enumerate(checklist.lines)
    )


def _decide(version: QuestionVersion, verdict: str, now: datetime) -> None:
    """Move the version on if this was the last inspection that is wanted."""
    wanted = rules.wanted_inspections(version.domain.priority if version.domain else None)
    accepted = version.inspections.filter(verdict=Verdict.ACCEPT).count()
    if verdict == Verdict.ACCEPT and accepted < wanted:
        return
    state = State.ACCEPTED if verdict == Verdict.ACCEPT else State.RETURNED
    moved = QuestionVersion.objects.filter(pk=version.pk, state=State.SUBMITTED).update(
        state=state, decided_at=now
    )
    if not moved:
        raise errors.NotNow(_("Somebody has moved this question on. Load the page again."))
    version.refresh_from_db()
    if state == State.ACCEPTED:
        _make_item(version, now)


def _make_item(version: QuestionVersion, now: datetime) -> Item:
    """Make what is put before systems and raters out of an accepted version."""
    made = item_of(version, now)
    made.save()
    return made


def item_of(version: QuestionVersion, now: datetime) -> Item:
    """Return what an accepted version puts before systems and raters, not yet saved."""
    extra = {"principle": version.principle} if version.principle else {}
    covered = {**extra, "key_points": version.key_points} if version.key_points else extra
    return Item(
        project_id=version.question.project_id,
        question_version=version,
        external_id=version.question.external_id,
        content_sha=contents.content_sha(version.turns, version.answer, covered),
        prompt_sha=contents.prompt_sha(version.turns),
        group=version.question.external_id,
        messages=version.turns,
        reference=version.answer,
        key_points=version.key_points,
        extra=extra,
        capability_id=version.capability_id,
        domain_id=version.domain_id,
        difficulty=version.difficulty,
        question_type=version.question_type,
        as_of=version.as_of,
        created_at=now,
    )


@transaction.atomic
def settle(*, project: Project, designer: User, note: str, by: User, now: datetime) -> Retraining:
    """Take a designer off the list; what was before no longer counts against them.

    Raises:
        NotNow: their role does not decide this, they stand on the list themselves, or nobody does.
        Incomplete: nothing was said about what was done.
    """
    _refuse_others(project, by)
    if designer.pk == by.pk:
        raise errors.NotNow(_("Somebody else settles this for you."))
    Project.objects.select_for_update().get(pk=project.pk)
    entry = next(
        (one for one in inspection_figures.retraining(project) if one.designer.pk == designer.pk),
        None,
    )
    if entry is None:
        raise errors.NotNow(_("They are not on the list. Somebody may have settled it just now."))
    note = note.strip()
    if not note or len(note) > 1000:
        message = _("Say what was done, in at most 1000 characters; it stays on record.")
        raise errors.Incomplete(message, fields={"note": [message]})
    made = Retraining.objects.create(
        project=project, designer=designer, note=note, because=asdict(entry.need), by=by, at=now
    )
    audit.record(
        project=project,
        actor=by,
        verb="retraining.settled",
        subject=f"user:{designer.public_id}",
        at=now,
        note=note,
    )
    return made


@transaction.atomic
def set_limit(*, project: Project, percent: int, by: User, now: datetime) -> RetrainingLimit:
    """Say above which share of returns designers stand on the list.

    Raises:
        NotNow: their role does not decide this.
        Incomplete: it is no percentage.
    """
    _refuse_others(project, by)
    if not 1 <= percent <= 100:
        message = _("Give a percentage from 1 to 100.")
        raise errors.Incomplete(message, fields={"percent": [message]})
    before = inspection_figures.limit_of(project)
    made = RetrainingLimit.objects.create(project=project, percent=percent, by=by, at=now)
    audit.record(
        project=project,
        actor=by,
        verb="retraining.limited",
        subject="retraining",
        at=now,
        before=before,
        after=percent,
    )
    return made


def _refuse_others(project: Project, by: User) -> None:
    if not people_queries.roles(project.pk, by) & people_rules.CURATORS:
        raise errors.NotNow(_("Owners and curators decide on the retraining of designers."))
