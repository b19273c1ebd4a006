"""Gold: answers whose grades are known, and the items of a draft that could be mixed in as such."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from django.db.models import QuerySet

from annotation.models import (
    Criterion,
    Grade,
    Invalidation,
    Project,
    Round,
    RoundItem,
    RoundResponse,
)
from annotation.queries.draws import Candidate

CHUNK = 500
KINDS = (Grade.Kind.ADJUDICATED, Grade.Kind.REFERENCE)
Place = tuple[int, str]  # response and key of a criterion


@dataclass(frozen=True, slots=True)
class Spell:
    """A known grade and how long it stood; None: from the beginning, until now."""

    value: Decimal
    since: datetime | None
    until: datetime | None

    def stood(self, at: datetime | None) -> bool:
        if at is None:
            return self.until is None
        return (self.since is None or self.since <= at) and (self.until is None or at < self.until)


@dataclass(frozen=True, slots=True)
class Course:
    """What was known of a place over time, in the order in which one goes before another."""

    spells: tuple[Spell, ...]

    def at(self, moment: datetime | None) -> Decimal | None:
        """Return what was known at a moment (None: now); None if nothing was."""
        return next((one.value for one in reversed(self.spells) if one.stood(moment)), None)


def known(project: Project, responses: Collection[int]) -> dict[Place, Decimal]:
    """Return the known grades of these responses by criterion, the newest of each.

    A reference grade that somebody gave goes before what reviewers adjudicated.
    """
    found: dict[Place, Decimal] = {}
    pks = sorted(responses)
    for start in range(0, len(pks), CHUNK):
        rows = (
            Grade.objects.current()
            .filter(round__project=project, response__in=pks[start : start + CHUNK])
            .filter(kind__in=KINDS, value__isnull=False)
            .exclude(pk__in=_struck().values("grade_id"))
            .order_by("kind", "pk")  # ADJUDICATED first, so that REFERENCE takes its place
        )
        for response, criterion, value in rows.values_list(
            "response_id", "criterion__key", "value"
        ):
            if value is not None:
                found[response, criterion] = value
    return found


def usable(round_: Round, candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return the items of which every answer × criterion of the round's rubric is known."""
    versions = {row.capability_id: row.rubric_version_id for row in round_.rubrics.all()}
    criteria: dict[int, set[str]] = {}
    rows = Criterion.objects.filter(rubric_version__in=versions.values())
    for version, key in rows.values_list("rubric_version_id", "key"):
        criteria.setdefault(version, set()).add(key)
    grades = known(round_.project, {pk for one in candidates for pk in one.responses.values()})
    return [
        one
        for one in candidates
        if one.responses
        and (keys := criteria.get(versions.get(one.capability_id, versions.get(None, 0)) or 0))
        and all((pk, key) in grades for pk in one.responses.values() for key in keys)
    ]


def of_round(round_: Round) -> dict[Place, Course]:
    """Return what was known of the gold items of a round, and when.

    An answer is compared with what was known when it was submitted: a later reference changes
    nothing that was said before. What does count backwards is done on purpose, at the review desk:
    an adjudicated grade that is taken back, or a gold question that is declared invalid.
    """
    ended = Invalidation.objects.filter(
        round=round_,
        kind=Invalidation.Kind.QUESTION,
        reverses__isnull=True,
        reversed_by__isnull=True,
    )
    served = RoundResponse.objects.filter(
        round_item__round=round_, round_item__purpose=RoundItem.Purpose.GOLD
    ).exclude(round_item__item__in=ended.values("item_id"))
    return _courses(round_.project, sorted(set(served.values_list("response_id", flat=True))))


def _courses(project: Project, responses: Sequence[int]) -> dict[Place, Course]:
    found: dict[Place, list[Spell]] = defaultdict(list)
    struck = set(_struck().filter(round__project=project).values_list("grade_id", flat=True))
    for start in range(0, len(responses), CHUNK):
        rows = (
            Grade.objects.seen()
            .filter(round__project=project, response__in=responses[start : start + CHUNK])
            .filter(kind__in=KINDS, late=False)
            .select_related("criterion", "batch")
            .order_by("kind", "pk")  # as in `known`: the last that stood goes before the others
        )
        grades = list(rows)
        ends = _ends(grades)
        for one in grades:
            if one.pk in ends and one.pk not in struck and one.value is not None:
                spell = Spell(one.value, _since(one), ends[one.pk])
                found[one.response_id, one.criterion.key].append(spell)
    return {place: Course(tuple(spells)) for place, spells in found.items()}


def _ends(grades: Sequence[Grade]) -> dict[int, datetime | None]:
    """Return until when each grade stood: until the next revision in its round came."""
    ends: dict[int, datetime | None] = {}
    later: dict[tuple[object, ...], datetime | None] = {}
    for one in reversed(grades):
        chain = (one.round_id, one.response_id, one.criterion_id, one.kind, one.slot_id)
        if one.is_current:
            ends[one.pk] = None
        elif chain in later:
            ends[one.pk] = later[chain]
        later[chain] = _since(one)
    return ends


def _since(grade: Grade) -> datetime | None:
    return grade.given_at or (grade.batch.applied_at if grade.batch else None)


def _struck() -> "QuerySet[Invalidation]":
    """Return the grades that were declared invalid, and not taken back."""
    return Invalidation.objects.filter(
        grade__isnull=False, reverses__isnull=True, reversed_by__isnull=True
    )
