"""Reads about items: the filtered list, one item with its responses and other versions."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, IntegerField, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from annotation.models import Item, Project, Question, Response, Round, RoundItem
from evalsite import keyset
from evalsite.keyset import Page

ORDER = ("external_id", "pk")
#: How many turns of a conversation the search looks into.
SEARCHED_TURNS = 5


@dataclass(frozen=True)
class Filters:
    """What of the list somebody wants to see; empty means all."""

    capability: int | None = None
    difficulty: str = ""
    text: str = ""
    batch: int | None = None


@dataclass(frozen=True)
class Answers:
    """The responses of one release to an item."""

    release: Any
    responses: list[Response]


def page(
    project: Project, filters: Filters, after: str = "", size: int = keyset.SIZE
) -> Page[Item]:
    """Return a page of the items of a project, each with `n_responses` and `n_rounds`."""
    return keyset.page(counted(filtered(project, filters)), by=ORDER, after=after, size=size)


def has_answers(project: Project) -> bool:
    """Return whether any system has answered anything in the project."""
    return Response.objects.seen().filter(item__project=project).exists()


def counted(rows: "QuerySet[Item]") -> "QuerySet[Item]":
    """Return items with the number of their responses and of the rounds that use them."""
    return rows.select_related("capability").annotate(
        n_responses=_count(Response.objects.seen().filter(item=OuterRef("pk")), "item"),
        n_rounds=_count(RoundItem.objects.filter(item=OuterRef("pk"), occasion=1), "item"),
    )


def filtered(project: Project, filters: Filters) -> "QuerySet[Item]":
    rows = Item.objects.seen().filter(project=project)
    if filters.capability is not None:
        rows = rows.filter(capability_id=filters.capability)
    if filters.difficulty:
        rows = rows.filter(difficulty=filters.difficulty)
    if filters.batch is not None:
        rows = rows.filter(batch__number=filters.batch)
    if filters.text:
        rows = rows.filter(_containing(filters.text))
    return rows


def of(project: Project) -> "QuerySet[Item]":
    """Return the items of a project that can be seen."""
    return Item.objects.seen().filter(project=project)


def answers_to(item: Item) -> list[Answers]:
    """Return the responses to an item, release by release."""
    rows = (
        Response.objects.seen()
        .filter(item=item)
        .select_related("release__system")
        .order_by("release__system__name", "release__label", "sample_no", "pk")
    )
    found: dict[int, Answers] = {}
    for row in rows:
        found.setdefault(row.release_id, Answers(row.release, [])).responses.append(row)
    return list(found.values())


def versions_of(item: Item) -> Sequence[Item]:
    """Return the items with the same external id and another content, the newest first."""
    return list(
        of(item.project).filter(external_id=item.external_id).order_by("-created_at", "-pk")
    )


def imported(project: Project, external_ids: Iterable[str]) -> dict[str, Item]:
    """Return the imported items with these ids, by id; of several contents the newest."""
    rows = of(project).filter(question_version=None, external_id__in=list(external_ids))
    return {one.external_id: one for one in rows.order_by("created_at", "pk")}


def in_bank(project: Project, external_ids: Iterable[str]) -> dict[str, int]:
    """Return the questions of the bank with these ids: their primary keys by id."""
    rows = Question.objects.filter(project=project, external_id__in=set(external_ids))
    return dict(rows.values_list("external_id", "pk"))


def rounds_with(item: Item) -> list[Round]:
    return list(Round.objects.filter(items__item=item).distinct().order_by("-number"))


def _containing(text: str) -> Q:
    found = Q(external_id__icontains=text) | Q(reference__icontains=text)
    for turn in range(SEARCHED_TURNS):
        found |= Q(**{f"messages__{turn}__content__icontains": text})
    return found


def _count(rows: "QuerySet[Any]", group: str) -> Coalesce:
    """Return a count as a subquery: joins of two to-many relations would multiply each other."""
    counted = rows.order_by().values(group).annotate(n=Count("pk")).values("n")
    return Coalesce(Subquery(counted, output_field=IntegerField()), 0)
