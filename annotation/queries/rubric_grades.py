"""Which grades were given by which version of a rubric: what a new wording leaves behind."""

from collections import defaultdict
from dataclasses import dataclass

from django.db.models import Count

from annotation.models import Grade, Round, Rubric


@dataclass(frozen=True)
class Given:
    """The grades of a round by one version of a rubric."""

    round: Round
    n_grades: int
    n_responses: int
    n_raters: int


@dataclass(frozen=True)
class OfVersion:
    number: int
    is_newest: bool
    rounds: tuple[Given, ...]

    @property
    def n_grades(self) -> int:
        return sum(one.n_grades for one in self.rounds)


def by_version(rubric: Rubric) -> list[OfVersion]:
    """Return the versions by which grades were given, the newest first, with their rounds.

    Reference grades are not counted: they are nobody's opinion.
    """
    rows = (
        Grade.objects.current()
        .filter(criterion__rubric_version__rubric=rubric, kind=Grade.Kind.GIVEN)
        .order_by()
        .values_list("criterion__rubric_version__number", "round_id")
        .annotate(
            n=Count("pk"),
            n_responses=Count("response", distinct=True),
            n_raters=Count("rater", distinct=True),
        )
    )
    found = list(rows)
    rounds = Round.objects.in_bulk({row[1] for row in found})
    newest = rubric.versions.order_by("-number").values_list("number", flat=True).first()
    given: dict[int, list[Given]] = defaultdict(list)
    for number, round_id, n, n_responses, n_raters in found:
        given[number].append(Given(rounds[round_id], n, n_responses, n_raters))
    return [
        OfVersion(
            number,
            number == newest,
            tuple(sorted(given[number], key=lambda one: -one.round.number)),
        )
        for number in sorted(given, reverse=True)
    ]
