"""What could tie a round to an earlier one: items whose wording and answers have not changed."""

from collections import defaultdict
from collections.abc import Sequence

from django.db.models import QuerySet

from annotation.models import (
    Assignment,
    Response,
    Round,
    RoundItem,
    RoundResponse,
    SystemRelease,
)
from annotation.queries.draws import Candidate

CHUNK = 500


def earlier(round_: Round) -> "QuerySet[Round]":
    """Return the rounds of the project that anchors can come from, the newest first."""
    opened = Round.objects.filter(project_id=round_.project_id, opened_at__isnull=False)
    return opened.exclude(pk=round_.pk).filter(kind=Round.Kind.PRODUCTION).order_by("-number")


def unchanged(before: Round, candidates: Sequence[Candidate]) -> dict[str, int]:
    """Return for each item (by its key) how many of its pairs are as they were in that round.

    A pair is an item and a system's answer; it is unchanged if both have the same content, whatever
    the releases are called.
    """
    items = RoundItem.objects.filter(round=before, occasion=1).exclude(
        purpose=RoundItem.Purpose.GOLD
    )
    keys = {
        pk: f"{external_id}\n{sha}"
        for pk, external_id, sha in items.values_list(
            "pk", "item__external_id", "item__content_sha"
        )
    }
    shared = set(keys.values())
    mine = [one for one in candidates if one.key in shared]
    shown: dict[str, set[tuple[int, str]]] = defaultdict(set)
    rows = RoundResponse.objects.filter(round_item__round=before).values_list(
        "round_item_id", "release__system_id", "response__content_sha"
    )
    for pk, system, sha in rows:
        if pk in keys:
            shown[keys[pk]].add((system, sha))
    contents = _contents([pk for one in mine for pk in one.responses.values()])
    systems = dict(
        SystemRelease.objects.filter(
            pk__in={release for one in mine for release in one.responses}
        ).values_list("pk", "system_id")
    )
    counts = {
        one.key: sum(
            (systems[release], contents[pk]) in shown[one.key]
            for release, pk in one.responses.items()
        )
        for one in mine
    }
    return {key: count for key, count in counts.items() if count}


def _contents(responses: Sequence[int]) -> dict[int, str]:
    found: dict[int, str] = {}
    for start in range(0, len(responses), CHUNK):
        some = Response.objects.filter(pk__in=responses[start : start + CHUNK])
        found.update(some.values_list("pk", "content_sha"))
    return found


def n_returning(round_: Round, before: Round) -> int:
    """Return how many annotators of the round have graded in the earlier one."""
    graded = Assignment.objects.filter(round=before, state=Assignment.State.SUBMITTED)
    places = round_.annotators.filter(ended_at__isnull=True)
    return places.filter(rater__in=graded.values("rater")).count()
