"""Where a question stands and how a person stands to it: what the rules of the bank decide by."""

from collections import defaultdict
from collections.abc import Collection

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


def of_many(
    project_id: int, versions: Collection[QuestionVersion], user: User
) -> dict[int, rules.Standing]:
    """Return the standing of a person to each version of one project (with `question` at hand).

    By the version's id, in as many queries however many they are.
    """
    inspectors: defaultdict[int, set[int]] = defaultdict(set)
    rows = Inspection.objects.filter(version__in=versions)
    for version, inspector in rows.values_list("version_id", "inspector_id"):
        inspectors[version].add(inspector)
    wrote = _wrote_before(versions, user)
    held = roles(project_id, user)
    return {
        one.pk: rules.Standing(
            life=rules.Life(one.question.state),
            version=rules.Version(one.state),
            roles=held,
            is_author=one.author_id == user.pk,
            inspected=bool(inspectors[one.pk]),
            inspected_by_me=user.pk in inspectors[one.pk],
            wrote_before=one.pk in wrote,
        )
        for one in versions
    }


def _wrote_before(versions: Collection[QuestionVersion], user: User) -> set[int]:
    """Return the ids of those versions before which the person wrote one that nobody has accepted."""
    later = [one for one in versions if one.number > 1]
    rows = QuestionVersion.objects.filter(question__in=[one.question_id for one in later])
    accepted: defaultdict[int, int] = defaultdict(int)
    written: defaultdict[int, set[int]] = defaultdict(set)
    for question, number, state, author in rows.values_list(
        "question_id", "number", "state", "author_id"
    ):
        if state == rules.Version.ACCEPTED:
            accepted[question] = max(accepted[question], number)
        if author == user.pk:
            written[question].add(number)
    return {
        one.pk
        for one in later
        if any(accepted[one.question_id] < n < one.number for n in written[one.question_id])
    }


def used_among(questions: Collection[int]) -> set[int]:
    """Return those of the questions that a round that was opened has put before people."""
    rows = RoundItem.objects.filter(item__question_version__question__in=questions).exclude(
        round__state=Round.State.DRAFT
    )
    return set(rows.values_list("item__question_version__question_id", flat=True).distinct())


def since_accepted() -> "QuerySet[QuestionVersion]":
    """Return the versions of questions after the last one that was accepted."""
    return QuestionVersion.objects.exclude(
        Exists(
            QuestionVersion.objects.accepted().filter(
                question_id=OuterRef("question_id"), number__gte=OuterRef("number")
            )
        )
    )


def written_since_accepted(question: int | OuterRef) -> "QuerySet[QuestionVersion]":
    """Return the versions of a question after the last one that was accepted.

    Args:
        question: its id, or a reference to it in an outer query.
    """
    return since_accepted().filter(question=question)


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
