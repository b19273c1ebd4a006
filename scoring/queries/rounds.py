"""Rounds that have results, as lists show them."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from threading import Lock

from django.db.models import Count, Exists, OuterRef, QuerySet

from annotation.models import Grade, Project, Round
from annotation.models.imports import SEEN
from annotation.queries import counting, grade_table
from evalsite import keyset

NEWEST = 5
#: Above so many grades a round's count is kept until its grades change.
LARGE = 50_000
MOST_KEPT = 100
_KEPT: dict[str, int] = {}
_KEEPING = Lock()


@dataclass(frozen=True, slots=True)
class Line:
    round: Round
    n_grades: int
    n_releases: int

    @property
    def since(self) -> datetime | None:
        """When the round came into its state."""
        one = self.round
        return one.final_at or one.review_at or one.opened_at


def of(project: Project) -> "QuerySet[Round]":
    return Round.objects.filter(SEEN, project=project)


def with_results(project: Project) -> "QuerySet[Round]":
    """Return the rounds that have been opened or imported; a trial counts in no result."""
    return of(project).exclude(state=Round.State.DRAFT).exclude(kind=Round.Kind.TRIAL)


def graded(project: Project) -> "QuerySet[Round]":
    """Return the rounds with results in which somebody has graded."""
    given = Grade.objects.current().filter(
        round=OuterRef("pk"), kind=Grade.Kind.GIVEN, outcome=Grade.Outcome.VALUE
    )
    return with_results(project).filter(Exists(given))


def page(project: Project, *, after: str = "") -> keyset.Page[Round]:
    return keyset.page(with_results(project), by=("-number",), after=after)


def newest(project: Project) -> list[Line]:
    return lines(list(with_results(project).order_by("-number")[:NEWEST]))


def lines(rounds: list[Round]) -> list[Line]:
    """Return the rounds, each with the grades its results count and its releases counted."""
    grades = _counted(rounds)
    releases = dict(
        Round.objects.filter(pk__in=[one.pk for one in rounds])
        .order_by()
        .values_list("pk")
        .annotate(n=Count("systems"))
    )
    return [Line(one, grades.get(one.pk, 0), releases.get(one.pk, 0)) for one in rounds]


def _counted(rounds: Sequence[Round]) -> dict[int, int]:
    """Return how many grades count in the results of each round; of large ones as often as they change."""
    versions = grade_table.versions(rounds)
    kept = {pk: _KEPT.get(version) for pk, version in versions.items()}
    known = {pk: n for pk, n in kept.items() if n is not None}
    left = [one for one in rounds if one.pk not in known]
    if not left:
        return known
    given = counting.given(left).order_by().values_list("round_id").annotate(n=Count("pk"))
    grades = Counter(dict(given))
    # Those that count are a million at times, the others few: these are read, and taken away.
    grades.subtract(Counter(round_ for round_, _pk in counting.uncounted(left)))
    for one in left:
        if grades[one.pk] > LARGE:
            _keep(versions[one.pk], grades[one.pk])
    return {**grades, **known}


def _keep(version: str, n_grades: int) -> None:
    """Keep a count in place of the oldest ones; requests in other threads do so too."""
    with _KEEPING:
        while len(_KEPT) >= MOST_KEPT:
            _KEPT.pop(next(iter(_KEPT)), None)
        _KEPT[version] = n_grades
