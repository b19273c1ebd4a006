"""Store what systems put out while somebody listens."""

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction

from annotation.models import Response
from annotation.operations import searching
from annotation.rules import contents
from annotation.rules.outputs import Output


@transaction.atomic
def record_response(*, item_id: int, output: Output, now: datetime) -> int:
    """Store what a release put out on an item; the same again is the one that is there.

    An answer without a word is one too: annotators are shown "[no answer]".
    """
    messages = [dict(one) for one in output.messages]
    made, created = Response.objects.get_or_create(
        item_id=item_id,
        release_id=output.release_id,
        sample_no=output.sample_no,
        content_sha=contents.response_sha(messages),
        defaults={
            "messages": messages,
            "origin": output.origin,
            "details": dict(output.details),
            "created_at": now,
        },
    )
    if created:
        searching.keep_responses(responses=[made])
    return made.pk


@transaction.atomic
def record_responses(*, outputs: Sequence[tuple[int, Output]], now: datetime) -> list[int]:
    """Store many outputs, each with the key of its item, none of which is there yet; return their keys."""
    made = Response.objects.bulk_create(_new(item, output, now) for item, output in outputs)
    searching.keep_responses(responses=made)
    return [one.pk for one in made]


def _new(item: int, output: Output, now: datetime) -> Response:
    messages = [dict(one) for one in output.messages]
    return Response(
        item_id=item,
        release_id=output.release_id,
        sample_no=output.sample_no,
        content_sha=contents.response_sha(messages),
        messages=messages,
        origin=output.origin,
        details=dict(output.details),
        created_at=now,
    )
