"""What a file of a suite's results brought into a run."""

from collections.abc import Iterator
from typing import Any, Final

from annotation.rules import contents
from scoring.models import Run
from scoring.queries import suite_frame

AT_ONCE: Final = 2_000


def parts(run: Run) -> Iterator[list[Any]]:
    """Yield all that a file of results brought: its conversations, and every value."""
    for row in suite_frame.conversations_of(run).select_related("response").iterator(AT_ONCE):
        yield [row.external_id, contents.response_sha(row.response.messages)]
    rows = suite_frame.judgments_of(run).order_by("pk")
    names = ("response", "rater", "criterion", "target_level", "target_index", "repeat")
    for one in rows.values_list(*names, "outcome", "value", "label", "text").iterator(AT_ONCE):
        yield list(one)
