"""The reference of the API: whoever does more than grade, in any project."""

from tests.doors.row import READERS, Row
from tests.who_may_world import STRANGER

SEEN_BY = frozenset({*READERS, STRANGER})
REFERENCE: dict[str, Row] = {
    "api_docs": Row(see=SEEN_BY),
    "api_docs_group": Row(see=SEEN_BY, kwargs=lambda world: {"group": "questions"}),
}
#: The document itself answers as the API does.
DOCUMENT: dict[str, Row] = {"api_openapi": Row(see=SEEN_BY)}
