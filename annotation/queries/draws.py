"""Which items a round could draw, with the responses that stand for its releases."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from annotation.models import (
    Domain,
    Item,
    QuestionVersion,
    Response,
    Round,
    RoundItem,
)
from annotation.rules.draws import Draw

CHUNK = 5000
LOWEST = 3  # what has no domain is of the broadest priority


@dataclass(frozen=True, slots=True)
class Candidate:
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


class _Row(NamedTuple):
    pk: int
    external_id: str
    content_sha: str
    prompt_sha: str
    capability_id: int | None
    difficulty: str
    domain_id: int | None
    version: int | None


_FIELDS = (
    "pk",
    "external_id",
    "content_sha",
    "prompt_sha",
    "capability_id",
    "difficulty",
    "domain_id",
    "question_version_id",
)


def listed(
    round_: Round, releases: Sequence[int], wanted: Draw, now: datetime
) -> Iterator[Candidate]:
    """Yield the items of a draft's choice; those that lack answers do not fit (`fits`)."""
    if wanted.published:
        yield from _published(round_, releases, wanted, now)
        return
    answers = _answers(round_, releases)
    recent = recently_used(round_, wanted, now)
    priorities = _priorities(round_)
    least = len(releases) if wanted.complete_only else 1
    for row in rows(round_, wanted):
        given = answers.get((row.external_id, row.prompt_sha), {})
        yield Candidate(
            item_id=row.pk,
            external_id=row.external_id,
            content_sha=row.content_sha,
            capability_id=row.capability_id,
            difficulty=row.difficulty,
            domain_id=row.domain_id,
            priority=priorities.get(row.domain_id, LOWEST),
            recent=row.external_id in recent,
            responses=given,
            fits=wanted.unanswered or len(given) >= least,
        )


def _published(
    round_: Round, releases: Sequence[int], wanted: Draw, now: datetime
) -> Iterator[Candidate]:
    """Yield what was published for rating: these items, with these responses and no others."""
    taken, recent = wanted.published, recently_used(round_, wanted, now)
    named, capabilities = frozenset(wanted.external_ids), frozenset(wanted.capabilities)
    answers = _chosen_answers(releases, taken)
    priorities = _priorities(round_)
    items = Item.objects.seen().filter(
        project_id=round_.project_id, pk__in=[int(pk) for pk in taken]
    )
    for values in items.order_by("created_at", "pk").values_list(*_FIELDS):
        row = _Row(*values)
        if (named and row.external_id not in named) or (
            capabilities and row.capability_id not in capabilities
        ):
            continue
        given = answers.get(row.pk, {})
        yield Candidate(
            item_id=row.pk,
            external_id=row.external_id,
            content_sha=row.content_sha,
            capability_id=row.capability_id,
            difficulty=row.difficulty,
            domain_id=row.domain_id,
            priority=priorities.get(row.domain_id, LOWEST),
            recent=row.external_id in recent,
            responses=given,
            fits=bool(given),
            chance=float(taken[str(row.pk)]["chance"]),
        )


def _chosen_answers(
    releases: Sequence[int], taken: Mapping[str, Mapping[str, Any]]
) -> dict[int, dict[int, int]]:
    """Return for each published item the response of each release that takes part."""
    item_of = {pk: int(item) for item, one in taken.items() for pk in one["responses"]}
    answers: dict[int, dict[int, int]] = defaultdict(dict)
    pks = sorted(item_of)
    for start in range(0, len(pks), CHUNK):
        given = Response.objects.seen().filter(
            pk__in=pks[start : start + CHUNK], release_id__in=releases
        )
        for pk, release in given.values_list("pk", "release_id"):
            answers[item_of[pk]][release] = pk
    return answers


def rows(round_: Round, wanted: Draw) -> Iterator[_Row]:
    """Yield the items that can be drawn, answered or not.

    Of the bank that is the highest accepted version of a live question, of what was imported as it
    is the newest version of every item; what was published for rating belongs to its own rounds.
    """
    named = frozenset(wanted.external_ids)
    capabilities = frozenset(wanted.capabilities)
    for row in _latest(round_).values():
        if capabilities and row.capability_id not in capabilities:
            continue
        if not named or row.external_id in named:
            yield row


def _latest(round_: Round) -> dict[str, _Row]:
    items = Item.objects.seen().filter(project_id=round_.project_id, published_at__isnull=True)
    found: dict[str, _Row] = {}
    banked: dict[str, _Row | None] = {}
    drawable: frozenset[int] | None = None
    found_rows = items.order_by("created_at", "pk").values_list(*_FIELDS)
    for values in found_rows.iterator(chunk_size=CHUNK):
        row = _Row(*values)
        if row.version is None:
            found[row.external_id] = row
            continue
        if drawable is None:
            drawable = _drawable(round_)
        if row.version in drawable:
            banked[row.external_id] = row
        else:
            banked.setdefault(row.external_id, None)
    found.update({key: row for key, row in banked.items() if row})
    for key, kept in banked.items():
        if kept is None:  # what the bank does not give out is not drawn as an older import either
            found.pop(key, None)
    return found


def _drawable(round_: Round) -> frozenset[int]:
    versions = QuestionVersion.objects.drawable().filter(question__project_id=round_.project_id)
    return frozenset(versions.values_list("pk", flat=True))


def n_banked(items: Sequence[int]) -> int:
    """Return how many of these items come from the bank, so that somebody here wrote them."""
    return sum(
        Item.objects.filter(
            pk__in=items[start : start + CHUNK // 10], question_version__isnull=False
        ).count()
        for start in range(0, len(items), CHUNK // 10)
    )


def recently_used(round_: Round, wanted: Draw, now: datetime) -> frozenset[str]:
    """Return the items that were in one of the last rounds, or in a round of the last days."""
    opened = Round.objects.filter(project_id=round_.project_id, opened_at__isnull=False)
    opened = opened.exclude(pk=round_.pk).exclude(kind=Round.Kind.IMPORTED)
    used: set[int] = set()
    if wanted.avoid_rounds:
        last = opened.order_by("-opened_at", "-number").values_list("pk", flat=True)
        used.update(last[: wanted.avoid_rounds])
    if wanted.avoid_days:
        since = now - timedelta(days=wanted.avoid_days)
        used.update(opened.filter(opened_at__gte=since).values_list("pk", flat=True))
    if not used:
        return frozenset()
    items = RoundItem.objects.filter(round__in=used, occasion=1)
    return frozenset(items.values_list("item__external_id", flat=True))


def _priorities(round_: Round) -> dict[int | None, int]:
    domains = Domain.objects.filter(project_id=round_.project_id)
    return {pk: int(priority[1:]) for pk, priority in domains.values_list("pk", "priority")}


def _answers(round_: Round, releases: Sequence[int]) -> dict[tuple[str, str], dict[int, int]]:
    """Return for each prompt the response of each release: the first sample, by content if several.

    Responses belong to the prompt: a later version of an item that asks the same keeps them.
    """
    given = (
        Response.objects.seen()
        .filter(release_id__in=releases, item__project_id=round_.project_id)
        .values_list("item_id", "release_id", "sample_no", "content_sha", "pk")
    )
    prompts = _prompts(round_)
    ranks: dict[tuple[str, str, int], tuple[int, str, int]] = {}
    answers: dict[tuple[str, str], dict[int, int]] = defaultdict(dict)
    for item, release, sample, sha, pk in given.iterator(chunk_size=CHUNK):
        prompt = prompts[item]
        place, rank = (*prompt, release), (sample, sha, pk)
        if place not in ranks or rank < ranks[place]:
            ranks[place] = rank
            answers[prompt][release] = pk
    return answers


def _prompts(round_: Round) -> dict[int, tuple[str, str]]:
    items = Item.objects.filter(project_id=round_.project_id)
    values = items.values_list("pk", "external_id", "prompt_sha")
    return {pk: (key, sha) for pk, key, sha in values.iterator(chunk_size=CHUNK)}
