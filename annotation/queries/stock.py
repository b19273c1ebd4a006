"""How many questions the bank holds of each kind, by how far they have come. Counted, never stored."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.db.models import CharField, Count, Exists, ExpressionWrapper, OuterRef, Q, QuerySet

from annotation.models import Capability, Domain, Project, Question, QuestionVersion, User


@dataclass(frozen=True)
class Kind:
    """What a question is about: capability, difficulty, domain; None and "" if not said."""

    capability: int | None
    difficulty: str
    domain: int | None


@dataclass(frozen=True)
class Stock:
    """Live questions. Each counts once: accepted if one of its versions is, else as its newest is."""

    accepted: int = 0
    inspected: int = 0
    drafted: int = 0

    def __add__(self, other: "Stock") -> "Stock":
        return Stock(
            self.accepted + other.accepted,
            self.inspected + other.inspected,
            self.drafted + other.drafted,
        )

    @property
    def under_way(self) -> int:
        return self.inspected + self.drafted

    @property
    def total(self) -> int:
        return self.accepted + self.under_way


#: The questions of a project, counted.
Kinds = Mapping[Kind, Stock]


def by_kind(project: Project, *, author: User | None = None) -> dict[Kind, Stock]:
    """Count the project's live questions; those of one author if given.

    Most questions have one version, and their number is read from an index of versions by kind.
    Of those that were written anew it is asked which version counts.
    """
    written_anew = QuestionVersion.objects.filter(number__gt=1).values("question")
    idle = Question.everything.filter(project=project).exclude(state=Question.State.LIVE)
    only = QuestionVersion.objects.exclude(question__in=written_anew).exclude(
        question__in=idle.values("pk")
    )
    own = Question.objects.filter(pk=OuterRef("question_id"), project=project)
    counts: Counter[tuple[Kind, str]] = Counter()
    for rows in (
        only.filter(capability__in=Capability.objects.filter(project=project).values("pk")),
        only.filter(Exists(own), capability=None),
        _counting().filter(
            question__in=written_anew,
            question__project=project,
            question__state=Question.State.LIVE,
        ),
    ):
        wanted = rows.filter(author=author) if author else rows
        grouped = wanted.order_by().values("capability", "difficulty", "domain", "state")
        for row in grouped.annotate(n=Count("pk")):
            kind = Kind(row["capability"], row["difficulty"], row["domain"])
            counts[kind, row["state"]] += row["n"]
    found: dict[Kind, Stock] = {}
    for (kind, state), n in counts.items():
        found[kind] = found.get(kind, Stock()) + _of(state, n)
    return found


def _counting() -> "QuerySet[QuestionVersion]":
    """Return the highest accepted version of each question, else the highest."""
    accepted = Q(state=QuestionVersion.State.ACCEPTED)
    later = Q(number__gt=OuterRef("number"))
    others = QuestionVersion.objects.alias(own=ExpressionWrapper(OuterRef("state"), CharField()))
    is_begun = ~Q(own=QuestionVersion.State.ACCEPTED)
    before = others.filter(
        (later & accepted) | (is_begun & (later | accepted)), question=OuterRef("question")
    )
    return QuestionVersion.objects.filter(~Exists(before))


def _of(state: str, n: int) -> Stock:
    if state == QuestionVersion.State.ACCEPTED:
        return Stock(accepted=n)
    if state == QuestionVersion.State.SUBMITTED:
        return Stock(inspected=n)
    return Stock(drafted=n)  # a returned version is its author's again


def total(stocks: Iterable[Stock]) -> Stock:
    return sum(stocks, Stock())


def lineages(domains: Iterable[Domain]) -> dict[int, tuple[int, ...]]:
    """Return of every domain itself and all it stands below, the nearest first."""
    parents: Mapping[int, int | None] = {one.pk: one.parent_id for one in domains}
    found = {}
    for pk in parents:
        line: list[int] = []
        above: int | None = pk
        while above is not None:
            line.append(above)
            above = parents.get(above)
        found[pk] = tuple(line)
    return found
