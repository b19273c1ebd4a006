"""Whether this installation can work: for monitors and load balancers, who say nothing of who they are.

The answer holds a word for each part and nothing else: no names, versions, addresses or counts.
"""

import logging

from django.contrib.auth.decorators import login_not_required
from django.db import DatabaseError, connection
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from evalsite import disk, failures, queue

logger = logging.getLogger(__name__)

OK, FAILING = "ok", "failing"
QUEUES = queue.NAMES


@require_GET
@never_cache
@login_not_required
def healthz(request: HttpRequest) -> JsonResponse:
    """Answer 200 if all is well, else 503; the parts say what is not."""
    found = parts()
    healthy = all(found.values())
    body = {
        "status": OK if healthy else FAILING,
        "checks": {name: OK if well else FAILING for name, well in found.items()},
    }
    return JsonResponse(body, status=200 if healthy else 503)


def parts() -> dict[str, bool]:
    """Return for each part whether it is well."""
    there = queue.is_reachable()
    return {
        "database": _database(),
        "queue": there,
        "workers": there and not set(QUEUES) - queue.attended(),
        "sweeper": there and queue.beats("sweeper"),
        "disk": disk.has_room() and not failures.was_full_lately(),
    }


def _database() -> bool:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
            return bool(cursor.fetchone())
    except DatabaseError as problem:
        logger.warning("The database does not answer: %s.", type(problem).__name__)
        return False
