"""Who wrote or inspected a question that a round puts before raters, and so does not grade it."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from django.db.models import Q

from annotation.models import Inspection, QuestionVersion, Rater, Round, RoundAnnotator, RoundItem
from evalsite import prepared

FEW = 500


@dataclass(frozen=True)
class Involved:
    """An annotator of a round who wrote or inspected some of its questions."""

    place: RoundAnnotator
    name: str
    n_items: int


def is_banked(round_: Round) -> bool:
    """Return whether any item of the round comes from the bank; fixed when it was prepared."""
    return bool((round_.draw.get("prepared") or {}).get("banked"))


def closed_to(rater: Rater, round_items: Collection[int]) -> set[int]:
    """Return those of these round items whose question this person wrote or inspected."""
    if rater.user_id is None or not round_items:
        return set()
    rows = RoundItem.objects.filter(
        pk__in=round_items, item__question_version__isnull=False
    ).values_list("pk", "item__question_version__question_id")
    questions = dict(rows)
    mine = _questions_of([rater.user_id], set(questions.values()))[rater.user_id]
    return {pk for pk, question in questions.items() if question in mine}


_WROTE = prepared.Query(
    lambda user: (
        QuestionVersion.objects.filter(author=user).order_by().values_list("pk", flat=True)[:1]
    ),
    user=int,
)
_INSPECTED = prepared.Query(
    lambda user: (
        Inspection.objects.filter(inspector=user).order_by().values_list("pk", flat=True)[:1]
    ),
    user=int,
)


def has_part(rater: Rater) -> bool:
    """Return whether this person wrote or inspected any question at all."""
    if rater.user_id is None:
        return False
    wrote = _WROTE.first(user=rater.user_id) is not None
    return wrote or _INSPECTED.first(user=rater.user_id) is not None


def barred(rater: Rater, rounds: Sequence[Round]) -> list[tuple[int, int]]:
    """Return the items of these rounds that this person does not grade, each with its round."""
    banked = [one.pk for one in rounds if is_banked(one)]
    if not banked or not has_part(rater):
        return []
    allowed = RoundAnnotator.objects.filter(rater=rater, round__in=banked).exclude(own_override="")
    rows = RoundItem.objects.filter(round__in=banked, occasion=1).exclude(
        round__in=allowed.values("round")
    )
    written = QuestionVersion.objects.filter(author=rater.user_id).values("question")
    inspected = Inspection.objects.filter(inspector=rater.user_id).values("version__question")
    place = "item__question_version__question__in"
    mine = rows.filter(Q(**{place: written}) | Q(**{place: inspected}))
    return list(mine.values_list("round_id", "item_id"))


def involved(round_: Round) -> list[Involved]:
    """Return the annotators of the round who have a part in its questions, by name."""
    if not is_banked(round_):
        return []
    places = _places(round_)
    own = _items_of(round_, places)
    found = [
        Involved(place, user.display_name, len(own[user.pk]))
        for place in places
        if (user := place.rater.user) and own.get(user.pk)
    ]
    return sorted(found, key=lambda one: one.name.lower())


def n_short(round_: Round) -> int:
    """Return how many items have fewer annotators without a part in them than they have seats."""
    if not is_banked(round_):
        return 0
    places = _places(round_)
    barred: dict[int, int] = defaultdict(int)
    for user, items in _items_of(round_, places).items():
        if not any(one.own_override for one in places if one.rater.user_id == user):
            for item in items:
                barred[item] += 1
    seats = dict(round_.items.values_list("pk", "n_seats"))
    return sum(len(places) - count < seats[item] for item, count in barred.items())


def _places(round_: Round) -> list[RoundAnnotator]:
    active = round_.annotators.filter(ended_at__isnull=True)
    return list(active.select_related("rater__user__person"))


def _items_of(round_: Round, places: Iterable[RoundAnnotator]) -> dict[int, set[int]]:
    """Return the round items whose question they wrote or inspected, by person."""
    items: dict[int, list[int]] = defaultdict(list)
    rows = round_.items.filter(item__question_version__isnull=False)
    for pk, question in rows.values_list("pk", "item__question_version__question_id"):
        items[question].append(pk)
    users = [one.rater.user_id for one in places if one.rater.user_id is not None]
    return {
        user: {pk for question in mine for pk in items[question]}
        for user, mine in _questions_of(users, list(items)).items()
    }


def _questions_of(users: Collection[int], questions: Collection[int]) -> dict[int, set[int]]:
    """Return the questions, of these, of which they wrote or inspected any version."""
    found: dict[int, set[int]] = {user: set() for user in users}
    wanted = frozenset(questions)
    written = QuestionVersion.objects.filter(author__in=users)
    inspected = Inspection.objects.filter(inspector__in=users)
    if len(wanted) < FEW:  # more than a database takes as a list are sorted out here
        written = written.filter(question__in=wanted)
        inspected = inspected.filter(version__question__in=wanted)
    for user, question in written.order_by().values_list("author_id", "question_id").distinct():
        found[user].add(question)
    pairs = inspected.order_by().values_list("inspector_id", "version__question_id")
    for user, question in pairs.distinct():
        found[user].add(question)
    return {user: mine & wanted for user, mine in found.items()}
