"""Which items a round could draw, with the responses that stand for its releases."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.models import Item, Response, Round


@dataclass(frozen=True)
class Candidate:
    """An item that could be drawn, with the response that stands for each release."""

    item_id: int
    external_id: str
    key: str
    stratum: str
    capability_id: int | None
    responses: dict[int, int]


def eligible(
    round_: Round, releases: Sequence[int], wanted: Mapping[str, Any]
) -> Iterator[Candidate]:
    """Yield the items that fit what a draft wants to draw (`Round.draw`)."""
    named = frozenset(wanted.get("external_ids") or [])
    for one in _candidates(round_, releases, wanted.get("capabilities") or []):
        if named and one.external_id not in named:
            continue
        complete = len(one.responses) == len(releases)
        if one.responses and (complete or not wanted.get("complete_only", True)):
            yield one


def _candidates(
    round_: Round, releases: Sequence[int], capabilities: Sequence[int]
) -> Iterator[Candidate]:
    """Yield the newest version of every item, if it belongs to one of the capabilities."""
    items = Item.objects.seen().filter(project_id=round_.project_id)
    latest: dict[str, tuple[int, str, str, str, int | None, str]] = {}
    rows = items.order_by("created_at", "pk").values_list(
        "pk", "external_id", "content_sha", "prompt_sha", "capability_id", "difficulty"
    )
    for row in rows.iterator(chunk_size=5000):
        latest[row[1]] = row
    answers = _answers(round_, releases)
    for pk, external_id, content_sha, prompt_sha, capability_id, difficulty in latest.values():
        if capabilities and capability_id not in capabilities:
            continue
        yield Candidate(
            item_id=pk,
            external_id=external_id,
            key=f"{external_id}\n{content_sha}",
            stratum=f"{capability_id or ''}|{difficulty}",
            capability_id=capability_id,
            responses=answers.get((external_id, prompt_sha), {}),
        )


def _answers(round_: Round, releases: Sequence[int]) -> dict[tuple[str, str], dict[int, int]]:
    """Return for each prompt the response of each release: the first sample, by content if several.

    Responses belong to the prompt: a later version of an item that asks the same keeps them.
    """
    rows = (
        Response.objects.seen()
        .filter(release_id__in=releases, item__project_id=round_.project_id)
        .order_by("-sample_no", "-content_sha", "-pk")
        .values_list("item__external_id", "item__prompt_sha", "release_id", "pk")
    )
    answers: dict[tuple[str, str], dict[int, int]] = defaultdict(dict)
    for external_id, prompt_sha, release_id, pk in rows.iterator(chunk_size=5000):
        answers[external_id, prompt_sha][release_id] = pk
    return answers
