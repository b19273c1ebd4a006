"""Write what was recorded elsewhere: openings of conversations as items, the whole as responses."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from annotation.models import Item, Project, Response
from annotation.operations import searching
from annotation.rules import contents

Message = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Record:
    """A conversation: what was there before a system said anything, and all that was said."""

    external_id: str
    opening: Sequence[Message]
    messages: Sequence[Message]
    details: Mapping[str, Any] = field(default_factory=dict)


def record(
    *, project: Project, release_id: int, records: Sequence[Record], now: datetime
) -> list[int]:
    """Store conversations, and return the key of each one's response; what is there stays as it is.

    Rounds do not draw these items by themselves. In the caller's transaction.
    """
    items = _items(project, records, now)
    shas = [contents.response_sha([dict(each) for each in one.messages]) for one in records]
    known = _responses(items, release_id)
    new: dict[tuple[int, str], Response] = {}
    for one, item, sha in zip(records, items, shas, strict=True):
        if (item, sha) not in known:
            new[item, sha] = Response(
                item_id=item,
                release_id=release_id,
                content_sha=sha,
                messages=[dict(each) for each in one.messages],
                origin=Response.Origin.RECORDED,
                details=dict(one.details),
                created_at=now,
            )
    searching.keep_responses(responses=Response.objects.bulk_create(new.values()))
    keys = known | {key: made.pk for key, made in new.items()}
    return [keys[item, sha] for item, sha in zip(items, shas, strict=True)]


def _items(project: Project, records: Sequence[Record], now: datetime) -> list[int]:
    """Return the key of each record's item, made where it is not there."""
    shas = [contents.content_sha([dict(each) for each in one.opening], "", {}) for one in records]
    wanted = [(one.external_id, sha) for one, sha in zip(records, shas, strict=True)]
    rows = Item.objects.filter(
        project=project, question_version=None, external_id__in={name for name, _sha in wanted}
    )
    known = {
        (name, sha): pk for pk, name, sha in rows.values_list("pk", "external_id", "content_sha")
    }
    new: dict[tuple[str, str], Item] = {}
    for one, key in zip(records, wanted, strict=True):
        if key not in known:
            opening = [dict(each) for each in one.opening]
            new[key] = Item(
                project=project,
                external_id=one.external_id,
                content_sha=key[1],
                prompt_sha=contents.prompt_sha(opening),
                group=one.external_id,
                messages=opening,
                created_at=now,
                published_at=now,
            )
    Item.objects.bulk_create(new.values())
    keys = known | {key: made.pk for key, made in new.items()}
    return [keys[key] for key in wanted]


def _responses(items: Sequence[int], release_id: int) -> dict[tuple[int, str], int]:
    rows = Response.objects.filter(item__in=set(items), release=release_id, sample_no=1)
    return {(item, sha): pk for pk, item, sha in rows.values_list("pk", "item_id", "content_sha")}
