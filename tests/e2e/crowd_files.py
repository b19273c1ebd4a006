"""Files that were brought into a project with many rows."""

from collections.abc import Iterator

from annotation import models
from annotation.files.mappings import AnswerMapping, ColumnTarget
from annotation.imports import operations as checking
from annotation.imports import uploading
from annotation.people.models import Role
from tests import make
from tests.e2e.crowd import Crowd, name, text

N_FILES = 30


def imported(crowd: Crowd) -> models.Round:
    """Make a round whose grades came in a file."""
    by = crowd.people[Role.CURATOR][0]
    return models.Round.objects.create(
        project=crowd.home,
        number=crowd.home.rounds.count() + 1,
        name=name(5),
        kind="IMPORTED",
        state="FINAL",
        seed="s",
        secret=b"",
        batch=_batch(crowd, 0, "APPLIED"),
        created_by=by,
        created_at=make.NOW,
    )


def bring_in(crowd: Crowd) -> None:
    """Make batches in every state, and uploads whose dry run found much to say."""
    for place in range(1, N_FILES):
        _batch(crowd, place, "UNDONE" if place % 3 == 0 else "APPLIED")
    by = crowd.people[Role.OWNER][0]
    rest = [ColumnTarget(column, "ignore") for column in _columns()]
    for place in range(6):
        upload = uploading.receive(
            project=crowd.home,
            kind=models.ImportKind.ANSWERS,
            name=f"{name(place)}.csv",
            pieces=list(_file(place)),
            by=by,
            now=make.NOW,
        )
        uploading.set_mapping(
            upload=upload,
            mapping=AnswerMapping(
                (ColumnTarget("id", "external_id"), ColumnTarget("question", "question"), *rest)
            ),
        )
        checking.check(upload=upload, clock=lambda: make.NOW)


def _columns() -> list[str]:
    return [name(number, 60).replace(",", " ") for number in range(30)]


def _file(place: int) -> Iterator[bytes]:
    yield ",".join(["id", "question", *_columns()]).encode() + b"\n"
    for number in range(200):
        said = text(number + place).replace('"', "'").replace("\n", " ")
        # Every fifth line has no id.
        yield f'{"" if number % 5 == 0 else number},"{said}"{",x" * 30}\n'.encode()


def _batch(crowd: Crowd, place: int, state: str) -> models.ImportBatch:
    return models.ImportBatch.objects.create(
        project=crowd.home,
        number=place + 1,
        kind=models.ImportKind.values[place % 2],
        file_name=f"{name(place)}.csv",
        file_sha=f"{place:064}",
        mapping={},
        mapping_sha="e" * 64,
        state=state,
        n_rows=10_000 * place,
        counts={"items": 1000 * place, "responses": 8000 * place},
        created_by=crowd.people[Role.OWNER][0],
        created_at=make.NOW,
        touched_at=make.NOW,
        applied_at=make.NOW,
        undone_at=make.at(5) if state == "UNDONE" else None,
    )
