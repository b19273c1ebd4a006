"""Is there room for what people save?

* Whether this installation can work: for monitors and load balancers, who say nothing of who they are.
"""

import logging
import os
import shutil
import tempfile
from pathlib import Path
from typing import Final

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.db import DatabaseError, connection
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from evalsite import queue
from evalsite.web import failures

#: So many bytes are written to see whether anything can be; a quota is not seen otherwise.
PROBE: Final = 64 * 1024


def places() -> list[Path]:
    """Return the folders that must have room: of the data, of a SQLite file, of what is being uploaded."""
    found = [Path(settings.DATA_DIR), Path(tempfile.gettempdir())]
    if connection.vendor == "sqlite" and not connection.is_in_memory_db():  # type: ignore[attr-defined]
        found.append(Path(str(connection.settings_dict["NAME"])).parent)
    return found


def has_room() -> bool:
    """Say whether enough is free everywhere, and something can be written into the data folder."""
    try:
        free = [shutil.disk_usage(place).free for place in places()]
        return min(free) >= settings.LEAST_SPACE and _can_write(Path(settings.DATA_DIR))
    except OSError:
        return False


def _can_write(folder: Path) -> bool:
    with tempfile.TemporaryFile(dir=folder, buffering=0) as file:  # has no name: nothing is left
        return file.write(os.urandom(PROBE)) == PROBE


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
        "disk": has_room() and not failures.was_full_lately(),
    }


def _database() -> bool:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
            return bool(cursor.fetchone())
    except DatabaseError as problem:
        logger.warning("The database does not answer: %s.", type(problem).__name__)
        return False
