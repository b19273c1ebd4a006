"""Reads about names of systems that were found in responses of a round."""

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Count, F, Q, Window
from django.db.models.functions import RowNumber

from annotation.models import IdentityHit, Round, RoundItem, System
from evalsite import keyset

TERMS_SHOWN = 30
EXAMPLES = 3
REACH = 60  # signs kept of an excerpt before the hit, annotation.operations.rounds.drawing
Decision = IdentityHit.Decision


@dataclass(frozen=True)
class Excerpt:
    """A place, cut so that the name can be marked."""

    hit: IdentityHit
    before: str
    name: str
    after: str


@dataclass(frozen=True)
class Term:
    """A name, how often it was found, and what was decided."""

    term: str
    n: int
    undecided: int
    masked: int
    systems: list[System] = field(default_factory=list)
    excerpts: list[Excerpt] = field(default_factory=list)

    @property
    def kept(self) -> int:
        return self.n - self.undecided - self.masked


@dataclass(frozen=True)
class Summary:
    n: int
    undecided: int
    masked: int

    @property
    def kept(self) -> int:
        return self.n - self.undecided - self.masked


def summary(round_: Round) -> Summary:
    return Summary(**round_.identity_hits.aggregate(**_tally()))


def _tally() -> dict[str, Any]:
    return {
        "n": Count("pk"),
        "undecided": Count("pk", filter=Q(decision=Decision.UNDECIDED)),
        "masked": Count("pk", filter=Q(decision=Decision.MASK)),
    }


def terms(round_: Round, *, start: int = 0) -> tuple[list[Term], bool]:
    """Return names found in the round, those to be decided first, and whether more follow."""
    counted: Any = round_.identity_hits.order_by().values("term").annotate(**_tally())
    ordered = counted.order_by("-undecided", "-n", "term")
    rows = list(ordered[start : start + TERMS_SHOWN + 1])
    shown = rows[:TERMS_SHOWN]
    names = [row["term"] for row in shown]
    systems, excerpts = _systems(round_, names), _examples(round_, names)
    found = [
        Term(**row, systems=systems[row["term"]], excerpts=excerpts[row["term"]]) for row in shown
    ]
    return found, len(rows) > TERMS_SHOWN


def _systems(round_: Round, names: list[str]) -> dict[str, list[System]]:
    """Return whose responses hold each name."""
    pairs = (
        round_.identity_hits.filter(term__in=names)
        .order_by()
        .values_list("term", "response__release__system")
        .distinct()
    )
    pairs_found = list(pairs)
    known = System.objects.in_bulk({system for _term, system in pairs_found})
    found: dict[str, list[System]] = defaultdict(list)
    for term, system in pairs_found:
        found[term].append(known[system])
    return found


def _examples(round_: Round, names: list[str]) -> dict[str, list[Excerpt]]:
    numbered = round_.identity_hits.filter(term__in=names).annotate(
        place=Window(RowNumber(), partition_by=F("term"), order_by=F("pk").asc())
    )
    found: dict[str, list[Excerpt]] = defaultdict(list)
    for hit in _with_system(numbered.filter(place__lte=EXAMPLES).order_by("pk")):
        found[hit.term].append(excerpt(hit))
    return found


def hits_page(
    round_: Round, term: str, *, after: str = ""
) -> tuple[list[Excerpt], keyset.Page[IdentityHit]]:
    """Return a page of all the places of one name."""
    hits = _with_system(round_.identity_hits.filter(term=term))
    found = keyset.page(hits, by=["pk"], after=after)
    return [excerpt(hit) for hit in found.rows], found


def _with_system(hits: Any) -> Any:
    return hits.select_related("response__release__system", "response__item")


def excerpt(hit: IdentityHit) -> Excerpt:
    lead = min(REACH, hit.start)
    end = lead + hit.end - hit.start
    return Excerpt(hit, hit.excerpt[:lead], hit.excerpt[lead:end], hit.excerpt[end:])


def masks_of(round_item: RoundItem) -> dict[int, list[tuple[int, int]]]:
    """Return the places to be covered in each response of an item."""
    rows = IdentityHit.objects.filter(
        round=round_item.round_id,
        decision=Decision.MASK,
        response__in=round_item.responses.values("response"),
    )
    spans: dict[int, list[tuple[int, int]]] = defaultdict(list)
    places = rows.order_by("start", "end").values_list("response_id", "start", "end")
    for response, start, end in places:
        spans[response].append((start, end))
    return spans
