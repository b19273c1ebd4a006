"""Bulk edits: what an action would do to each question, and what it has done."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.db.models import Count, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.models import BulkEdit, BulkLine, Citation, Project, QuestionVersion, User
from annotation.queries import standing
from annotation.rules import bulk
from annotation.rules import questions as rules
from annotation.rules.bulk import Action, Fate, Verdict, Why
from evalsite import keyset

#: So many questions are edited at a time.
MOST = 2_000
SIZE = 50
WHY_TEXTS = {
    Why.OUT_OF_USE: gettext_lazy("It is out of use. Take it back into use first."),
    Why.IN_INSPECTION: gettext_lazy(
        "It is in inspection. Wait for the decision, or let its author take it back."
    ),
    Why.NOT_THEIRS: gettext_lazy("It is a draft of somebody else, and only its author changes it."),
    Why.NO_DRAFT: gettext_lazy("It has no draft. Begin a new version first."),
    Why.NOT_LIVE: gettext_lazy("It is invalidated. Only live questions are retired."),
    Why.NO_ROLE: gettext_lazy("Your role in this project does not allow it."),
    Why.INCOMPLETE: gettext_lazy("Something is missing in it."),
}
#: Lines that do something.
DOING = (Fate.EDIT, Fate.REVISE, Fate.SUBMIT, Fate.RETIRE)


@dataclass(frozen=True)
class Tried:
    """A question, what would become of it, and why not."""

    version: QuestionVersion
    verdict: Verdict
    reason: str
    is_used: bool


@dataclass(frozen=True)
class Counts:
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
    action: Action,
    wanted: Mapping[str, Any],
    user: User,
) -> list[Tried]:
    """Return what an action would do to each of the newest versions; nothing is written."""
    where = standing.of_many(project.pk, versions, user)
    used = standing.used_among([one.question_id for one in versions])
    lacks = _lacking(versions, used) if action is Action.SUBMIT else {}
    found = []
    for one in versions:
        differs = action is not Action.CHANGE or bool(bulk.changed(fields_of(one), wanted))
        missing = lacks.get(one.pk, "")
        verdict = bulk.judge(action, where[one.pk], differs=differs, complete=not missing)
        reason = str(WHY_TEXTS[verdict.why]) if verdict.why else ""
        if verdict.why is Why.INCOMPLETE:
            reason = missing
        found.append(Tried(one, verdict, reason, one.question_id in used))
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
        problems = rules.problems(
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


def of(project: Project) -> "QuerySet[BulkEdit]":
    return BulkEdit.objects.filter(project=project).select_related("project", "by__person")


def counts(edits: Sequence[BulkEdit]) -> dict[int, Counts]:
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
            names += ["used"] if is_used and fate == Fate.REVISE else []
        for name in names:
            if name != "waiting":
                into[name] = into.get(name, 0) + n
    return {pk: Counts(**values) for pk, values in found.items()}


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
