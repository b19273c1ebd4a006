"""Let the questions of an import be seen, all at once, and take them out of sight again."""

from collections.abc import Sequence

from django.db.models import OuterRef, QuerySet, Subquery

from annotation.models import (
    Capability,
    Citation,
    Domain,
    ImportBatch,
    IndexedText,
    Question,
    QuestionVersion,
    User,
)
from annotation.operations import searching, similarity, taxonomy

STEP = " › "


def appear(batch: ImportBatch) -> None:
    """Show the questions that an import brought, and hand next versions to their questions.

    Called in the transaction that applies the import. A question that got another version
    meanwhile is an IntegrityError: nothing appears.
    """
    holders = Question.everything.filter(batch=batch, stands_for__isnull=False)
    held = QuestionVersion.objects.filter(batch=batch, question__in=holders.values("pk"))
    target = Question.everything.filter(pk=OuterRef("question_id")).values("stands_for_id")
    changed = list(holders.values_list("stands_for_id", flat=True))
    if changed:
        searching.follow(questions=holders)
        held.update(question_id=Subquery(target))
        holders._raw_delete(holders.db)  # nothing refers to them now
        _read_anew(changed)
    Question.everything.filter(batch=batch, state=Question.State.STAGED).update(
        state=Question.State.LIVE
    )


def hide(batch: ImportBatch) -> None:
    """Take the questions of an import out of sight.

    Called in the transaction that begins to take the import back, before it is asked what stands
    on them: from here on nobody can begin to use them.
    """
    live = Question.everything.filter(batch=batch, state=Question.State.LIVE)
    live.update(state=Question.State.STAGED)


def take_later_versions(batch: ImportBatch) -> None:
    """Take next versions away from questions that were here before, all at once."""
    later = later_versions(batch)
    changed = list(later.values_list("question_id", flat=True))
    if changed:
        Citation.objects.filter(version__in=later.values("pk")).delete()
        later.delete()
        for start in range(0, len(changed), 500):
            searching.forget(questions=changed[start : start + 500])
        _read_anew(changed)
        # Their earlier wording is found as soon as a worker has read it.
        similarity.ring(batch.project_id)


def later_versions(batch: ImportBatch) -> "QuerySet[QuestionVersion]":
    """Return the versions that an import added to questions that were there before."""
    return QuestionVersion.objects.filter(batch=batch).exclude(question__batch=batch)


def _read_anew(questions: Sequence[int]) -> None:
    """Have near-duplicates of these questions be found by their newest wording, by and by."""
    for start in range(0, len(questions), 500):
        some = questions[start : start + 500]
        IndexedText.objects.filter(question__in=some).update(method=0)


def create_missing(
    *, batch: ImportBatch, capabilities: Sequence[str], domains: Sequence[str], by: User
) -> None:
    """Make the capabilities and subject areas that are missing, with what they stand below."""
    project, now = batch.project, batch.created_at
    for path in capabilities:
        above: Capability | None = None
        for name in path.split(STEP):
            here = Capability.objects.filter(project=project, parent=above, name=name).first()
            above = here or taxonomy.save_capability(
                project=project, text=taxonomy.CapabilityText(name, above), by=by, now=now
            )
    for path in domains:
        over: Domain | None = None
        for name in path.split(STEP):
            there = Domain.objects.filter(project=project, parent=over, name=name).first()
            over = there or taxonomy.save_domain(
                project=project, text=taxonomy.DomainText(name, over), by=by, now=now
            )
