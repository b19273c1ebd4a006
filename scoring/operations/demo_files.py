"""Bring in a file of fixtures/demo as a person would: receive it, say what is in it, check, apply."""

from datetime import datetime
from typing import Final

from annotation.models import ImportBatch, ImportKind, Project, User
from annotation.operations.imports import applying, checking, uploading
from annotation.rules.tabular.mappings import FileMapping
from evalsite import env

FOLDER: Final = env.BASE_DIR / "fixtures" / "demo"


def bring(
    *,
    project: Project,
    kind: ImportKind,
    name: str,
    mapping: FileMapping,
    by: User,
    now: datetime,
) -> ImportBatch:
    """Bring in a whole file, now, and return its import.

    Raises:
        errors.Refusal: it is there already.
    """
    content = (FOLDER / name).read_bytes()
    upload = uploading.receive(
        project=project, kind=kind, name=f"demo-{name}", pieces=[content], by=by, now=now
    )
    uploading.set_mapping(upload=upload, mapping=mapping)
    checking.check(upload=upload, clock=lambda: now)
    upload.refresh_from_db()
    batch = applying.start(upload=upload, by=by, now=now)
    applying.carry_on(batch_id=batch.pk, clock=lambda: now)
    return batch
