"""Uploads and the batches they became."""

from typing import Any

from tests.doors.row import CURATORS, DESIGNERS, Row, row


def of_upload(**kwargs: Any) -> Row:
    return row(CURATORS, number=lambda world: world.upload.number, **kwargs)


def of_batch(**kwargs: Any) -> Row:
    return row(CURATORS, number=lambda world: world.batch.number, **kwargs)


IMPORTS: dict[str, Row] = {
    "imports": row(DESIGNERS),
    "import_new": row(DESIGNERS, DESIGNERS, done=[200, 422]),
    "import_template": row(CURATORS, kind=lambda _world: "answers", form=lambda _world: "csv"),
    "import_map": of_upload(),
    "import_check": of_upload(do=CURATORS, got=[], done=[302]),
    # Without a mapping, back to the file.
    "import_mapping": of_upload(do=CURATORS, got=[200, 302], done=[302]),
    "import_discard": of_upload(do=CURATORS, got=[], done=[302]),
    # Without a report, back to the file.
    "import_problems": of_upload(got=[200, 302]),
    "batch": of_batch(),
    "batch_undo": of_batch(do=CURATORS, got=[], done=[302]),
    "batch_drop": of_batch(do=CURATORS, got=[], done=[302]),
    "batch_resume": of_batch(do=CURATORS, got=[], done=[302]),
}
