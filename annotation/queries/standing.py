"""Where a question stands and how a person stands to it: what the rules of the bank decide by."""

from django.db.models import Exists, OuterRef, QuerySet

from annotation.models import Inspection, Membership, QuestionVersion, Round, RoundItem, User
from annotation.rules import questions as rules


def of(version: QuestionVersion, user: User) -> rules.Standing:
    """Return the standing of a person to a version (with `question` at hand)."""
    inspectors = set(
        Inspection.objects.filter(version=version).values_list("inspector_id", flat=True)
    )
    return rules.Standing(
        life=rules.Life(version.question.state),
        version=rules.Version(version.state),
        roles=roles(version.question.project_id, user),
        is_author=version.author_id == user.pk,
        inspected=bool(inspectors),
        inspected_by_me=user.pk in inspectors,
        wrote_before=written_since_accepted(version.question_id)
        .filter(author=user, number__lt=version.number)
        .exists(),
    )


def written_since_accepted(question: int | OuterRef) -> "QuerySet[QuestionVersion]":
    """Return the versions of a question after the last one that was accepted.

    Args:
        question: its id, or a reference to it in an outer query.
    """
    rows = QuestionVersion.objects.filter(question=question)
    return rows.exclude(
        Exists(
            QuestionVersion.objects.accepted().filter(
                question_id=OuterRef("question_id"), number__gte=OuterRef("number")
            )
        )
    )


def roles(project_id: int, user: User) -> frozenset[str]:
    rows = Membership.objects.active().filter(project_id=project_id, user=user)
    return frozenset(rows.values_list("role", flat=True))


def is_used(question_id: int) -> bool:
    """Return whether a round that was opened has put this question before people."""
    return (
        RoundItem.objects.filter(item__question_version__question_id=question_id)
        .exclude(round__state=Round.State.DRAFT)
        .exists()
    )
