"""Is there room for what people save?"""

import os
import shutil
import tempfile
from pathlib import Path
from typing import Final

from django.conf import settings
from django.db import connection

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
