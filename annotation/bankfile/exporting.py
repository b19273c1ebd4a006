"""Write a bank into a file: records by part, checksums in a manifest, all in one archive."""

import hashlib
import json
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from typing import IO, Any

from annotation.bank.models import Question
from annotation.bankfile import operations as files
from annotation.bankfile import records
from annotation.bankfile.models import BankFile
from annotation.bankfile.records import PARTS
from annotation.bankfile.writing import PAGE, BankWriter
from annotation.people.models import Project
from evalsite import errors
from evalsite.records import Record

Clock = Callable[[], datetime]
Tell = Callable[[int], object]
State = BankFile.State


def export(*, file: BankFile, clock: Clock) -> None:
    """Write the file that was asked for; a file that was begun before is begun anew.

    Of two workers that come to it the later one writes it.
    """
    if not files.take_turn(file):
        return
    files.clear(file)
    BankFile.objects.filter(pk=file.pk).update(total=n_questions(file.project), done=0)

    def tell(done: int) -> None:
        BankFile.objects.filter(pk=file.pk).update(done=done, touched_at=clock())

    with tempfile.SpooledTemporaryFile(max_size=files.SPOOLED) as kept:
        manifest = write(file.project, kept, named=file.named, tell=tell)
        kept.seek(0)
        try:
            size, sha = files.store(file, iter(lambda: kept.read(files.CHUNK), b""))
        except files.Overtaken:
            return
        except errors.FileRefused as refusal:
            if files.move(file, State.FAILED, clock(), said=refusal.message[:500]):
                files.clear(file)
            return
    counts = {part: manifest["files"][f"{part}.jsonl"]["records"] for part in PARTS}
    report = {"counts": counts, "sha": manifest["sha256"]}
    files.move(file, State.READY, clock(), size=size, sha=sha, report=report)


def write(
    project: Project, kept: IO[bytes], *, named: bool, tell: Tell = lambda done: None
) -> dict[str, Any]:
    """Write a project's bank as an archive and return its manifest.

    The same bank is the same archive but for the project's name: no file carries a date.
    """
    bank = BankWriter(project)
    told: dict[str, dict[str, Any]] = {}
    with zipfile.ZipFile(kept, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for part, read in bank.parts().items():
            rows = _counted(read(), tell) if part == "questions" else read()
            told[f"{part}.jsonl"] = _write(archive, part, rows)
        told["people.jsonl"] = _write(archive, "people", bank.people(named=named))
        manifest = {
            "format": records.FORMAT,
            "version": records.VERSION,
            "project": {"slug": project.slug, "name": project.name},
            "people": "names" if named else "pseudonyms",
            "sha256": records.bank_sha(
                {name.removesuffix(".jsonl"): one["sha256"] for name, one in told.items()}
            ),
            "files": dict(sorted(told.items())),
        }
        written = json.dumps(manifest, ensure_ascii=False, indent=2).encode()
        archive.writestr(_info(records.MANIFEST), written)
    return manifest


def n_questions(project: Project) -> int:
    return Question.objects.filter(project=project).count()


def _counted(rows: Iterable[Record], tell: Tell) -> Iterator[Record]:
    for n, one in enumerate(rows, start=1):
        yield one
        if n % PAGE == 0:
            tell(n)


def _write(archive: zipfile.ZipFile, part: str, rows: Iterable[Record]) -> dict[str, Any]:
    digest, n, size = hashlib.sha256(), 0, 0
    with archive.open(_info(f"{part}.jsonl"), "w", force_zip64=True) as out:
        for one in rows:
            line = records.line(one)
            out.write(line)
            digest.update(line)
            n, size = n + 1, size + len(line)
    return {"records": n, "bytes": size, "sha256": digest.hexdigest()}


def _info(name: str) -> zipfile.ZipInfo:
    made = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
    made.compress_type = zipfile.ZIP_DEFLATED
    return made
