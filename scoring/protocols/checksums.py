"""The checksums of protocol versions and prompts: what a run was made with stays as it was.

From release 0.2.0 on no file that is recorded here changes; a change is a file with the next number, which
`python -m scoring.protocols.checksums` records.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path

#: Versions stand in the folders of their kinds; what they share stands here.
ROOM = Path(__file__).parents[1]
RECORD = Path(__file__).with_name("checksums.json")
#: What versions are made of beside themselves: how texts are fenced in, how scores are read and sampled.
SHARED = ("protocols/reading.py", "protocols/samples.py", "protocols/untrusted.py")
_VERSIONED = re.compile(r"(?:.*_)?v[0-9]+\.py")


def current(room: Path = ROOM) -> dict[str, str]:
    """Return the checksum of every versioned file below a folder, and of what they share."""
    found = [one for one in room.rglob("*.py") if _VERSIONED.fullmatch(one.name)]
    shared = [room / name for name in SHARED if (room / name).exists()]
    return {
        one.relative_to(room).as_posix(): hashlib.sha256(one.read_bytes()).hexdigest()
        for one in sorted([*found, *shared])
    }


def recorded(record: Path = RECORD) -> dict[str, str]:
    found: dict[str, str] = json.loads(record.read_text())
    return found


def changed(now: Mapping[str, str], then: Mapping[str, str]) -> list[str]:
    """Return the files that are not as they were recorded, are gone, or were never recorded."""
    return sorted(name for name in {*now, *then} if now.get(name) != then.get(name))


def write(room: Path = ROOM, record: Path = RECORD) -> None:
    record.write_text(json.dumps(current(room), indent=2) + "\n")


if __name__ == "__main__":
    write()
