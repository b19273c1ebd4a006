"""Whether a run that came from a file is still what came in. Nobody was asked, so nothing can be played back."""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass

from scoring.engine.models import Run

#: In `run.config`: what is known of the file, and there the checksum of all that came in.
IMPORTED, CONTENT = "imported", "content"


@dataclass(frozen=True, slots=True)
class ImportAudit:
    """What was compared, in words, and what is not as it came in."""

    compared: tuple[str, ...]
    differences: tuple[str, ...]


def is_imported(run: Run) -> bool:
    return IMPORTED in run.config


def content_sha(parts: Iterable[object]) -> str:
    """Return the checksum of all that a file brought: texts, verdicts, and what figures are made of."""
    digest = hashlib.sha256()
    for one in parts:
        digest.update(json.dumps(one, sort_keys=True, ensure_ascii=True, default=str).encode())
    return digest.hexdigest()


def audit(run: Run, parts: Iterable[object]) -> ImportAudit:
    """Compare a run with what came in, as far as that is known of it."""
    known = run.config[IMPORTED].get(CONTENT)
    if not known:
        return ImportAudit((), ())
    same = known == content_sha(parts)
    return ImportAudit(
        ("Everything in it is as it came in, by its checksum.",),
        () if same else ("Its texts or scores are not those that came in.",),
    )
