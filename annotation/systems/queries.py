"""Reads about the systems that are judged.

* Reads about items: the filtered list, one item with its responses and other versions.
* Open a round: freeze what is shown, deal the orders, set out the seats.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from django.db.models import Count, Exists, IntegerField, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from annotation.bank.models import Question
from annotation.common import parts, texts, traces
from annotation.people.models import Project
from annotation.rounds.models import Round, RoundItem
from annotation.systems.models import Item, Response, System, SystemRelease
from evalsite.text import markdown
from evalsite.web import keyset
from evalsite.web.keyset import Page


@dataclass(frozen=True)
class CountedRelease:
    """A release and how many responses there are of it."""

    release: SystemRelease
    n_responses: int
    n_items: int


@dataclass(frozen=True)
class SystemLine:
    """A system in the list."""

    system: System
    releases: list[CountedRelease]

    @property
    def n_responses(self) -> int:
        return sum(one.n_responses for one in self.releases)


def list_systems(project: Project) -> list[SystemLine]:
    """Return the systems of a project by name, each with its releases and their counts."""
    systems = System.objects.seen().filter(project=project).order_by("name")
    releases = SystemRelease.objects.seen().filter(system__project=project).order_by("label")
    counts = _counts(project)
    found: dict[int, list[CountedRelease]] = {}
    for release in releases:
        found.setdefault(release.system_id, []).append(
            CountedRelease(release, *counts.get(release.pk, (0, 0)))
        )
    return [SystemLine(system, found.get(system.pk, [])) for system in systems]


#: The columns of the file of releases.
COLUMNS = (
    "system",
    "family",
    "release",
    "web_access",
    "retrieval",
    "tools",
    "context_length",
    "knowledge_until",
    "n_responses",
    "n_items",
    "notes",
)


def records(project: Project) -> Iterator[tuple[str, ...]]:
    """Yield the releases of a project as lines of a file; what nobody has said is empty."""
    said = {True: "yes", False: "no", None: ""}
    for line in list_systems(project):
        for one in line.releases:
            release = one.release
            yield (
                line.system.name,
                line.system.family,
                release.label,
                said[release.web_access],
                said[release.retrieval],
                said[release.tools],
                str(release.context_length or ""),
                release.knowledge_until,
                str(one.n_responses),
                str(one.n_items),
                release.notes,
            )


def of_systems(project: Project) -> "QuerySet[System]":
    """Return the systems of a project that can be seen."""
    return System.objects.seen().filter(project=project)


def releases_of(system: System) -> list[CountedRelease]:
    """Return the releases of a system, each with its counts."""
    counts = _counts(system.project)
    releases = SystemRelease.objects.seen().filter(system=system).order_by("label")
    return [CountedRelease(release, *counts.get(release.pk, (0, 0))) for release in releases]


def _counts(project: Project) -> dict[int, tuple[int, int]]:
    rows = (
        Response.objects.seen()
        .filter(release__system__project=project)
        .order_by()
        .values("release")
        .annotate(n=Count("pk"), items=Count("item", distinct=True))
    )
    return {row["release"]: (row["n"], row["items"]) for row in rows}


ORDER = ("external_id", "pk")
#: How many turns of a conversation the search looks into.
SEARCHED_TURNS = 5


@dataclass(frozen=True)
class SystemFilters:
    """What of the list somebody wants to see; empty means all."""

    capability: int | None = None
    difficulty: str = ""
    text: str = ""
    batch: int | None = None
    origin: str = ""


class Origin(StrEnum):
    """Where a question comes from: of the bank, or from elsewhere and not taken over."""

    BANK = "BANK"
    IMPORT = "IMPORT"


@dataclass(frozen=True)
class Answers:
    """The responses of one release to an item."""

    release: Any
    responses: list[Response]


def page(
    project: Project, filters: SystemFilters, after: str = "", size: int = keyset.SIZE
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
        n_rounds=_count(RoundItem.objects.filter(item=OuterRef("pk"), occasion=1), "item", "round"),
    )


def filtered(project: Project, filters: SystemFilters) -> "QuerySet[Item]":
    rows = Item.objects.seen().filter(project=project)
    if filters.capability is not None:
        rows = rows.filter(capability_id=filters.capability)
    if filters.difficulty:
        rows = rows.filter(difficulty=filters.difficulty)
    if filters.batch is not None:
        rows = rows.filter(batch__number=filters.batch)
    if filters.text:
        rows = rows.filter(_containing(filters.text))
    if filters.origin:
        known = Question.objects.filter(project=project, external_id=OuterRef("external_id"))
        of_bank = Q(question_version__isnull=False) | Q(Exists(known))
        rows = rows.filter(of_bank if filters.origin == Origin.BANK else ~of_bank)
    return rows


def brought(rows: "QuerySet[Item]") -> "QuerySet[Item]":
    """Return those that people brought in, in files or with conversations; not what a run put out."""
    recorded = Response.objects.filter(item=OuterRef("pk"), origin=Response.Origin.RECORDED)
    return rows.filter(Q(batch__isnull=False) | Q(Exists(recorded)))


def items_of(project: Project) -> "QuerySet[Item]":
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
        items_of(item.project).filter(external_id=item.external_id).order_by("-created_at", "-pk")
    )


def imported(project: Project, external_ids: Iterable[str]) -> dict[str, Item]:
    """Return the imported items with these ids, by id; of several contents the newest."""
    rows = items_of(project).filter(question_version=None, external_id__in=list(external_ids))
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


def _count(rows: "QuerySet[Any]", group: str, of: str = "pk") -> Coalesce:
    """Return a count as a subquery: joins of two to-many relations would multiply each other."""
    n = Count(of, distinct=of != "pk")
    counted = rows.order_by().values(group).annotate(n=n).values("n")
    return Coalesce(Subquery(counted, output_field=IntegerField()), 0)


def face(of: RoundItem) -> dict[str, Any]:
    """Return what an annotator is shown of an item: plain values, no ids."""
    item = of.item
    read = traces.entries(item.messages)
    turns = [{"role": one.role, "html": str(one.html)} for one in read]
    return {
        "turns": turns[:-1],
        "question": turns[-1]["html"] if turns else "",
        "reference": markdown.render(texts.normalise(item.reference)) if item.reference else "",
        "key_points": [texts.normalise(str(point)) for point in item.key_points],
        "as_of": item.as_of,
        "capability": item.capability.name if item.capability else "",
        "difficulty": item.difficulty,
        **_own_principle(item.extra),
        **_of_part(item.extra, read),
    }


def _of_part(extra: Mapping[str, Any], read: Sequence[traces.TraceEntry]) -> dict[str, Any]:
    """Return, of a part of a conversation, what is graded and what went before: early, and of late."""
    part = parts.part_of(extra)
    if part is None:
        return {}
    asked = [at for at, one in enumerate(read) if one.role == "user"]
    cut = asked[-1] if asked else 0
    return {
        "part": part.level,
        "n_early": cut,
        "early": str(traces.shown(read[:cut])) if cut else "",
        "late": str(traces.shown(read[cut:])) if read else "",
    }


def _own_principle(extra: Mapping[str, Any]) -> dict[str, str]:
    """Return the principle that this question has instead of its rubric's, if it has one."""
    words = extra.get("principle")
    if not isinstance(words, str) or not words.strip():
        return {}
    return {"principle": markdown.render(texts.normalise(words))}
