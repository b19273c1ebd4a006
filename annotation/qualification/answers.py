"""Reference grades of a round: what is right for each of its answers, as somebody who knows said.

* Which items a round could draw, with the responses that stand for its releases.
* Gold: answers whose grades are known, and the items of a draft that could be mixed in as such.
"""

import itertools
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal

from django.db.models import Count, QuerySet

from annotation.common import scales
from annotation.common import texts as faces
from annotation.grading.models import Grade, Invalidation
from annotation.people.models import Project
from annotation.rounds.models import Round, RoundItem, RoundResponse
from annotation.rubrics.models import Criterion
from annotation.rubrics.queries import CriterionFace, criterion_face, ticked
from annotation.rubrics.rules import oriented
from evalsite.text import markdown
from evalsite.web import keyset

#: So many questions stand on a page with all their answers; fewer where so many answers are exceeded.
ON_A_PAGE = 20
ANSWERS_ON_A_PAGE = 16
#: Answers of a page for programs, and their order: that of the sheet, where a place says nothing of a system.
AT_ONCE = 100
ORDER = ("round_item__ordinal", "response__content_sha", "pk")
Place = tuple[int, int]  # response and criterion


@dataclass(frozen=True)
class ReferenceField:
    """A mark of the sheet of references: `name` in the form, what is stored."""

    name: str
    criterion: CriterionFace
    value: str
    place: Place

    @property
    def chosen(self) -> frozenset[str]:
        return ticked(self.value)


@dataclass(frozen=True)
class ReferenceAnswer:
    """An answer with what is right for it; its system is left out, as whoever says so should not mind it."""

    key: int
    letter: str
    html: str
    fields: tuple[ReferenceField, ...]
    explanation: str

    @property
    def explanation_name(self) -> str:
        return f"why-{self.key}"


@dataclass(frozen=True)
class ReferenceLine:
    ordinal: int
    question: str
    reference: str
    answers: tuple[ReferenceAnswer, ...]

    @property
    def meanings(self) -> list[CriterionFace]:
        """The criteria with a level that says when it is given: said once, not below every answer."""
        fields = self.answers[0].fields if self.answers else ()
        chosen = [one.criterion for one in fields if not one.criterion.by_number]
        return [one for one in chosen if any(level.anchor for level in one.levels)]

    @property
    def n_missing(self) -> int:
        return sum(not one.value for answer in self.answers for one in answer.fields)


def current(round_: Round) -> dict[Place, Grade]:
    """Return the reference grades that stand, by response and criterion."""
    return {(one.response_id, one.criterion_id): one for one in _given(round_)}


def _given(round_: Round) -> "QuerySet[Grade]":
    # By neither slot nor batch, an index finds them among a million grades.
    return Grade.objects.filter(
        round=round_,
        kind=Grade.Kind.REFERENCE,
        is_current=True,
        slot__isnull=True,
        batch__isnull=True,
    )


def wanted(round_: Round) -> set[Place]:
    """Return every response × criterion of a round that is prepared."""
    by_version: dict[int, list[int]] = {}
    rows = Criterion.objects.with_values().filter(
        rubric_version__in=round_.items.order_by().values("rubric_version")
    )
    for pk, version in rows.values_list("pk", "rubric_version_id"):
        by_version.setdefault(version, []).append(pk)
    answers = RoundResponse.objects.filter(round_item__round=round_)
    return {
        (response, criterion)
        for response, version in answers.values_list("response_id", "round_item__rubric_version_id")
        for criterion in by_version.get(version or 0, [])
    }


def n_missing(round_: Round) -> int:
    """Count what is wanted and nobody said; what is wanted is counted by the database, for it may be much."""
    answers = _asked(round_).order_by()
    by_version = answers.values_list("round_item__rubric_version").annotate(n=Count("pk"))
    counts: dict[int | None, int] = dict(by_version)
    rows = Criterion.objects.with_values().filter(rubric_version__in=[one for one in counts if one])
    version_of = dict(rows.values_list("pk", "rubric_version_id"))
    n_wanted = sum(counts[version] for version in version_of.values())
    said = list(_given(round_).values_list("response_id", "criterion_id"))
    if not said:
        return n_wanted
    versions = dict(answers.values_list("response_id", "round_item__rubric_version_id"))
    fitting = (
        response in versions and versions[response] == version_of.get(criterion)
        for response, criterion in said
    )
    return n_wanted - sum(fitting)


@dataclass(frozen=True)
class ReferenceSheet:
    """Some questions of a round, the place of the first one (from 1), how many there are and fit."""

    lines: tuple[ReferenceLine, ...]
    first: int
    n: int
    size: int

    @property
    def before(self) -> int | None:
        """Where the questions before these begin."""
        return max(self.first - self.size, 1) if self.first > 1 else None

    @property
    def after(self) -> int | None:
        """Where the questions after these begin."""
        last = self.first + len(self.lines)
        return last if last <= self.n else None


def sheet(round_: Round, first: int = 1) -> ReferenceSheet:
    """Return the questions of a round from a place on, to enter references on."""
    asked = RoundItem.objects.filter(round=round_, occasion=1).order_by("ordinal")
    n = asked.count()
    first = min(max(first, 1), max(n, 1))
    size = min(max(ANSWERS_ON_A_PAGE // max(round_.systems.count(), 1), 1), ON_A_PAGE)
    items = list(asked.select_related("item", "rubric_version")[first - 1 : first - 1 + size])
    return ReferenceSheet(_lines(round_, items), first, n, size)


def _lines(round_: Round, items: Sequence[RoundItem]) -> tuple[ReferenceLine, ...]:
    known = current(round_)
    criteria: dict[int, list[Criterion]] = {}
    versions = [one.rubric_version_id for one in items]
    rows = Criterion.objects.with_values().filter(rubric_version__in=versions)
    for row in rows.order_by("position", "pk").prefetch_related("levels"):
        criteria.setdefault(row.rubric_version_id, []).append(row)
    answers: dict[int, list[RoundResponse]] = {}
    shown = RoundResponse.objects.filter(round_item__in=items).select_related("response")
    # In an order of their contents, so that a place says nothing of a system.
    for one in shown.order_by("response__content_sha"):
        answers.setdefault(one.round_item_id, []).append(one)
    return tuple(
        ReferenceLine(
            ordinal=item.ordinal + 1,
            question=markdown.render(faces.conversation(item.item.messages)),
            reference=markdown.render(item.item.reference) if item.item.reference else "",
            answers=tuple(
                _answer(one, n, criteria.get(item.rubric_version_id or 0, []), known)
                for n, one in enumerate(answers.get(item.pk, []))
            ),
        )
        for item in items
    )


@dataclass(frozen=True)
class KnownGrade:
    """An answer on a criterion, what is right for it (None: nobody said) and why."""

    place: Place
    response: int
    question: str
    criterion: str
    value: Decimal | None
    explanation: str


@dataclass(frozen=True)
class KnownPage:
    """What is known of some answers, and the key of those that follow."""

    rows: list[KnownGrade]
    after: str | None
    first: bool


def page(round_: Round, *, after: str = "") -> KnownPage:
    """Return what is right for the next answers of a prepared round, in the order of its sheet."""
    asked = _asked(round_).select_related("round_item__item", "response")
    found = keyset.page(asked.defer("response__messages"), by=ORDER, after=after, size=AT_ONCE)
    return KnownPage(_known(round_, found.rows), found.after, found.first)


def places(round_: Round, responses: Collection[int]) -> list[KnownGrade]:
    """Return what is right for some answers of a prepared round, in the order of its sheet."""
    asked = _asked(round_).filter(response__in=responses).order_by(*ORDER)
    rows = asked.select_related("round_item__item", "response").defer("response__messages")
    return _known(round_, list(rows))


def _asked(round_: Round) -> "QuerySet[RoundResponse]":
    return RoundResponse.objects.filter(round_item__round=round_, round_item__occasion=1)


def _known(round_: Round, rows: Sequence[RoundResponse]) -> list[KnownGrade]:
    grades = _given(round_).filter(response__in=[one.response_id for one in rows])
    known = {(one.response_id, one.criterion_id): one for one in grades}
    versions = {one.round_item.rubric_version_id for one in rows}
    criteria: dict[int, list[tuple[int, str]]] = {}
    wanted_by = Criterion.objects.with_values().filter(rubric_version__in=versions - {None})
    for pk, version, key in wanted_by.order_by("pk").values_list("pk", "rubric_version_id", "key"):
        criteria.setdefault(version, []).append((pk, key))
    found = []
    for one in rows:
        for criterion, key in criteria.get(one.round_item.rubric_version_id or 0, []):
            grade = known.get((one.response_id, criterion))
            found.append(
                KnownGrade(
                    (one.response_id, criterion),
                    one.response_id,
                    one.round_item.item.external_id,
                    key,
                    grade.value if grade else None,
                    grade.reason if grade else "",
                )
            )
    return found


def _answer(
    row: RoundResponse, n: int, criteria: list[Criterion], known: Mapping[Place, Grade]
) -> ReferenceAnswer:
    fields = []
    why = ""
    for one in criteria:
        grade = known.get((row.response_id, one.pk))
        value = "" if grade is None or grade.value is None else scales.text(grade.value)
        name = f"reference-{row.response_id}-{one.pk}"
        fields.append(ReferenceField(name, criterion_face(one), value, (row.response_id, one.pk)))
        why = why or (grade.reason if grade else "")
    return ReferenceAnswer(
        key=row.response_id,
        letter=f"{n + 1}",
        html=markdown.render(faces.conversation(row.response.messages)),
        fields=tuple(fields),
        explanation=why,
    )


def values(round_: Round) -> dict[Place, Decimal]:
    """Return the reference values that stand."""
    return {
        place: grade.value for place, grade in current(round_).items() if grade.value is not None
    }


@dataclass(frozen=True, slots=True)
class TrialCandidate:
    """An item that could be drawn, with the response that stands for each release."""

    item_id: int
    external_id: str
    content_sha: str
    capability_id: int | None
    difficulty: str
    domain_id: int | None
    priority: int
    recent: bool
    responses: Mapping[int, int]
    fits: bool = True
    #: With what chance it was chosen before this draw; of all there is.
    chance: float = 1.0

    @property
    def key(self) -> str:
        return f"{self.external_id}\n{self.content_sha}"


CHUNK = 500
KINDS = (Grade.Kind.ADJUDICATED, Grade.Kind.REFERENCE)
#: Response and key of a criterion; of a choice, both answers (`rubrics.rules.oriented`).
GoldPlace = tuple[int, str]


@dataclass(frozen=True, slots=True)
class KnownSpell:
    """A known grade and how long it stood; None: from the beginning, until now."""

    value: Decimal
    since: datetime | None
    until: datetime | None

    def stood(self, at: datetime | None) -> bool:
        if at is None:
            return self.until is None
        return (self.since is None or self.since <= at) and (self.until is None or at < self.until)


@dataclass(frozen=True, slots=True)
class KnownCourse:
    """What was known of a place over time, in the order in which one goes before another."""

    spells: tuple[KnownSpell, ...]

    def at(self, moment: datetime | None) -> Decimal | None:
        """Return what was known at a moment (None: now); None if nothing was."""
        return next((one.value for one in reversed(self.spells) if one.stood(moment)), None)


def known(project: Project, responses: Collection[int]) -> dict[GoldPlace, Decimal]:
    """Return the known grades of these responses by criterion, the newest of each.

    A reference grade that somebody gave goes before what reviewers adjudicated.
    """
    found: dict[GoldPlace, Decimal] = {}
    pks = sorted(responses)
    for start in range(0, len(pks), CHUNK):
        rows = (
            Grade.objects.current()
            .filter(round__project=project, response__in=pks[start : start + CHUNK])
            .filter(kind__in=KINDS, value__isnull=False)
            .exclude(pk__in=_struck().values("grade_id"))
            .order_by("kind", "pk")  # ADJUDICATED first, so that REFERENCE takes its place
        )
        for told in rows.values_list("response_id", "criterion__key", "against_id", "value"):
            response, criterion, value = oriented(*told)
            if value is not None:
                found[response, criterion] = value
    return found


def usable(round_: Round, candidates: Sequence[TrialCandidate]) -> list[TrialCandidate]:
    """Return the items of which every answer × criterion of the round's rubric is known."""
    versions = {row.capability_id: row.rubric_version_id for row in round_.rubrics.all()}
    criteria: dict[int, set[str]] = {}
    rows = Criterion.objects.with_values().filter(rubric_version__in=versions.values())
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


def known_pairs(
    round_: Round, candidates: Sequence[TrialCandidate]
) -> dict[str, list[frozenset[int]]]:
    """Return for items (by key) the pairs of releases between which the right choices are known."""
    rows = Criterion.objects.filter(rubric_version__in=round_.rubrics.values("rubric_version"))
    criteria: dict[int, set[str]] = {}
    for version, key in rows.values_list("rubric_version_id", "key"):
        criteria.setdefault(version, set()).add(key)
    versions = {row.capability_id: row.rubric_version_id for row in round_.rubrics.all()}
    choices = known(round_.project, {pk for one in candidates for pk in one.responses.values()})
    found: dict[str, list[frozenset[int]]] = {}
    for one in candidates:
        keys = criteria.get(versions.get(one.capability_id, versions.get(None, 0)) or 0, set())
        for two in itertools.combinations(sorted(one.responses), 2):
            places = [
                oriented(one.responses[two[0]], key, one.responses[two[1]], None)[:2]
                for key in sorted(keys)
            ]
            if places and all(place in choices for place in places):
                found.setdefault(one.key, []).append(frozenset(two))
    return found


def of_round(round_: Round) -> dict[GoldPlace, KnownCourse]:
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


def _courses(project: Project, responses: Sequence[int]) -> dict[GoldPlace, KnownCourse]:
    found: dict[GoldPlace, list[KnownSpell]] = defaultdict(list)
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
                spell = KnownSpell(one.value, _since(one), ends[one.pk])
                place = (one.response_id, one.criterion.key, one.against_id, one.value)
                response, criterion, value = oriented(*place)
                found[response, criterion].append(replace(spell, value=value or one.value))
    return {place: KnownCourse(tuple(spells)) for place, spells in found.items()}


def _ends(grades: Sequence[Grade]) -> dict[int, datetime | None]:
    """Return until when each grade stood: until the next revision in its round came."""
    ends: dict[int, datetime | None] = {}
    later: dict[tuple[object, ...], datetime | None] = {}
    for one in reversed(grades):
        of = frozenset((one.response_id, one.against_id))
        chain = (one.round_id, of, one.criterion_id, one.kind, one.slot_id)
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
