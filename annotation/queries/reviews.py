"""Decisions of reviewers as they stand, and how a project reviews."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Count, Exists, F, OuterRef, QuerySet, Subquery

from annotation.models import Decision, Effect, Grade, Project, ReviewRule, Round, RoundItem, User
from annotation.queries import unblinding
from annotation.rules import reviews as rules
from annotation.rules.reviews import Standing


@dataclass(frozen=True, slots=True)
class Rule:
    n_reviewers: int = 1
    hide_people: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """A decision, where it stands, who confirmed it, what it is about in words of its own rows."""

    decision: Decision
    standing: Standing
    effect: Effect | None
    #: Of its question in the round, counted from 1.
    place: int = 0

    @property
    def waits(self) -> bool:
        return self.standing is Standing.WAITING

    @property
    def holds(self) -> bool:
        return self.standing is Standing.HOLDS

    @property
    def can_be_reversed(self) -> bool:
        act = rules.Act(self.decision.act)
        if self.standing is Standing.TAKEN_BACK or act is rules.Act.REVERSE:
            return False
        return self.waits or rules.KINDS[act].undo is not rules.Undo.NEVER


def rule_of(project: Project) -> Rule:
    """Return how a project reviews: as was said last, else one reviewer who sees who graded."""
    found = ReviewRule.objects.filter(project=project).order_by("-pk").first()
    return Rule(found.n_reviewers, found.hide_people) if found else Rule()


def annotated(rows: "QuerySet[Decision]") -> "QuerySet[Decision]":
    """Add whether a decision was taken back by one that holds, and read its effect with it."""
    return rows.annotate(is_reversed=_taken_back()).select_related("effect")


def _taken_back() -> Exists:
    return Exists(Decision.objects.filter(reverses=OuterRef("pk"), effect__isnull=False))


def standing_of(decision: Decision) -> Standing:
    """Return where a decision stands; `decision` comes from `annotated`."""
    return rules.standing(
        has_effect=getattr(decision, "effect", None) is not None,
        is_reversed=decision.is_reversed,  # type: ignore[attr-defined]
    )


def lines(rows: "QuerySet[Decision]") -> list[Line]:
    """Return decisions with where they stand, the newest first."""
    found = annotated(rows).select_related(
        "by__person",
        "effect__by__person",
        "item",
        "criterion",
        "rater",
        "capability",
        "reverses",
        "grade",
    )
    return [
        Line(one, standing_of(one), getattr(one, "effect", None), one.place)
        for one in found.annotate(place=_place())
    ]


def _place() -> Subquery:
    first = RoundItem.objects.filter(round=OuterRef("round"), item=OuterRef("item"), occasion=1)
    return Subquery(first.order_by().annotate(n=F("ordinal") + 1).values("n")[:1])


def of(round_: Round) -> "QuerySet[Decision]":
    return Decision.objects.filter(round=round_).order_by("-pk")


def one_of(round_: Round, pk: int) -> Decision | None:
    """Return a decision of a round by its key, with where it stands."""
    return annotated(of(round_)).filter(pk=pk).first()


def standings(round_: Round, items: Iterable[int] | None = None) -> dict[int, list[Decision]]:
    """Return the decisions about each item that were not taken back, the newest first."""
    rows = of(round_).exclude(_taken_back()).exclude(act=Decision.Act.REVERSE)
    rows = rows.select_related("effect")
    if items is not None:
        rows = rows.filter(item__in=items)
    found: dict[int, list[Decision]] = {}
    for one in rows:
        found.setdefault(one.item_id, []).append(one)
    return found


def has_part(round_: Round, user: User) -> bool:
    """Return whether this person grades in the round, or has: then they do not decide about it."""
    given = Grade.objects.filter(round=round_, rater__user=user, kind=Grade.Kind.GIVEN)
    return unblinding.grades_in(round_, user) or given.exists()


@dataclass(frozen=True, slots=True)
class Waiting:
    """How many decisions of a round wait for a second reviewer."""

    number: int
    name: str
    n: int


def waiting(project: Project, user: User) -> list[Waiting]:
    """Return the rounds with decisions of others that this person could confirm, the newest first."""
    rows = (
        Decision.objects.filter(round__project=project, effect__isnull=True)
        .exclude(by=user)
        .exclude(_taken_back())
        .order_by("-round__number")
        .values_list("round__number", "round__name")
        .annotate(n=Count("pk"))
    )
    return [Waiting(*row) for row in rows]
