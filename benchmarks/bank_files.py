"""Write a bank of 10,000 pairs into a file, read it through, and bring it into an empty project.

    python -m benchmarks.bank_files [--questions 10000]

Works in a throw-away folder on SQLite. Every question has two sources; each was inspected by six
lines and accepted, and every tenth has a second version. The bank is made by bringing in a file
that is made up, so that all three steps run over the same records.
"""

import argparse
import hashlib
import io
import json
import os
import shutil
import tempfile
import time
import uuid
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

EXPORT_S, IMPORT_S = 10, 20
N_SOURCES = 2_000
AT = "2026-01-05T09:00:00+00:00"
WRITER, READER = (str(uuid.UUID(int=n)) for n in (1, 2))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--questions", type=int, default=10_000)
    options = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="evalsite-bench-")
    os.environ.update(EVALSITE_DATA=folder, DJANGO_SETTINGS_MODULE="evalsite.settings")
    os.environ.pop("DATABASE_URL", None)
    try:
        measure(options.questions)
    finally:
        shutil.rmtree(folder)


def measure(n_questions: int) -> None:
    import django

    django.setup()
    from django.core.management import call_command
    from django.db import transaction
    from django.utils import timezone

    call_command("migrate", verbosity=0)
    from annotation import models
    from annotation.bankfile import checks, exporting, importing
    from annotation.bankfile.reading import BankArchive
    from annotation.people import operations as people

    owner = models.User.objects.create_user("owner", "x")
    shas = []
    kept = io.BytesIO(made_up(n_questions))
    for slug in ("first", "second"):
        home = people.create_project(slug=slug, name=slug, by=owner, now=timezone.now())
        archive = BankArchive(kept)
        with _timed(f"{slug}: reading {n_questions:,} pairs through") as read:
            report = checks.check(archive, home)
        assert not report.n_problems, report.problems[:3]
        with _timed(f"{slug}: bringing them in, in one transaction") as wrote, transaction.atomic():
            importing.write(
                archive=archive, project=home, keep_own=False, by=owner, now=timezone.now()
            )
        print(f"{slug}: import {read[0] + wrote[0]:.1f} s (at most {IMPORT_S} s)")
        kept = io.BytesIO()
        with _timed(f"{slug}: writing the bank into a file (at most {EXPORT_S} s)"):
            shas.append(exporting.write(home, kept, named=False)["sha256"])
        print(f"{slug}: file of {len(kept.getvalue()) / 1e6:.1f} MB, {shas[-1][:16]}")
    assert shas[0] == shas[1], "The round trip lost something."


def made_up(n_questions: int) -> bytes:
    """Return a bank file of so many questions."""
    from annotation.bankfile import records
    from annotation.common.texts import canonical

    parts: dict[str, list[dict[str, Any]]] = {
        "people": [{"id": WRITER, "name": ""}, {"id": READER, "name": ""}],
        "checklists": [{"number": 1, "lines": [], "by": None, "at": AT}],
        "rubrics": [],
        "domains": [_domain(n) for n in range(40)],
        "capabilities": [_capability(n) for n in range(12)],
        "collections": [],
        "sources": [_source(n) for n in range(N_SOURCES)],
        "plan": [],
    }
    shas = [one["versions"][0]["sha"] for one in parts["sources"]]
    parts["questions"] = [_question(n, shas) for n in range(n_questions)]
    kept = io.BytesIO()
    files = {}
    with zipfile.ZipFile(kept, "w", zipfile.ZIP_DEFLATED) as archive:
        for part, rows in parts.items():
            text = b"".join(canonical(one) + b"\n" for one in rows)
            sha = hashlib.sha256(text).hexdigest()
            files[f"{part}.jsonl"] = {"records": len(rows), "bytes": len(text), "sha256": sha}
            archive.writestr(f"{part}.jsonl", text)
        manifest = {"format": records.FORMAT, "version": records.VERSION, "files": files}
        manifest |= {"project": {"slug": "made-up", "name": "Made up"}, "people": "pseudonyms"}
        archive.writestr(records.MANIFEST, json.dumps(manifest))
    return kept.getvalue()


def _domain(n: int) -> dict[str, Any]:
    said = {"definition": "What belongs here.", "completeness_note": "", "priority": "P1"}
    return {"path": [f"Area {n:02}"], **said, "in_scope": True, "position": n}


def _capability(n: int) -> dict[str, Any]:
    said = {"kind": "DOMAIN", "definition": "", "difficulties": {}, "question_type": "FACTUAL"}
    return {"path": [f"Skill {n:02}"], **said, "weight": "1", "rubric": None, "position": n}


def _source(n: int) -> dict[str, Any]:
    from datetime import date

    from annotation.sources.records import SourceSaid

    version: dict[str, Any] = {
        "number": 1,
        "text": f"Chapter {n}. " + "Goods are taken over at the gate, weighed and noted. " * 30,
        "retrieved_on": None,
        "valid_from": "2026-01-01",
        "valid_until": None,
        "note": "",
        "file": None,
        "by": WRITER,
        "at": AT,
        "checks": [{"outcome": "VERIFIED", "how": "read", "by": READER, "at": AT}],
    }
    said = SourceSaid(version["text"], valid_from=date.fromisoformat(version["valid_from"]))
    version["sha"] = said.sha()
    about = {"kind": "DOCUMENT", "address": "", "publisher": "Port", "licence": ""}
    who = {"collection": None, "by": WRITER, "at": AT}
    return {"title": f"Handbook {n}", **about, **who, "versions": [version]}


def _question(n: int, shas: list[str]) -> dict[str, Any]:
    numbers = (1, 2) if n % 10 == 0 else (1,)
    versions = [_version(n, number, shas) for number in numbers]
    about = {"external_id": f"Q{n:06}", "state": "LIVE", "by": WRITER, "at": AT}
    return {**about, "versions": versions, "changes": [], "comments": []}


def _version(n: int, number: int, shas: list[str]) -> dict[str, Any]:
    finding = {"outcome": "PASS", "reason": "", "field": "", "note": ""}
    inspection = {
        "by": READER,
        "checklist": 1,
        "verdict": "ACCEPT",
        "note": "",
        "suggestion": {},
        "at": AT,
        "findings": [{"line": f"line-{place}", "position": place, **finding} for place in range(6)],
    }
    cited = [(n + place * 7) % N_SOURCES for place in range(2)]
    place = {"locator": "p. 1", "start": None, "end": None}
    return {
        "number": number,
        "state": "ACCEPTED",
        "author": WRITER,
        "turns": [{"role": "user", "content": f"Case {n}, take {number}: who weighs what?"}],
        "answer": "The gate weighs every load and notes it; the driver signs. " * 4,
        "key_points": ["the gate", "the driver signs"],
        "capability": [f"Skill {n % 12:02}"],
        "domain": [f"Area {n % 40:02}"],
        "difficulty": "SIMPLE",
        "question_type": "FACTUAL",
        "principle": "",
        "as_of": "2026",
        "valid_until": None,
        "tags": ["gate"],
        "language": "en",
        "meaning_changed": None,
        "meaning_note": "",
        "replies": {},
        "rev": 1,
        "created_at": AT,
        "saved_at": AT,
        "submitted_at": AT,
        "decided_at": f"2026-01-06T09:{n % 60:02}:{n // 60 % 60:02}+00:00",
        "citations": [
            {"source": f"Handbook {one}", "sha": shas[one], "position": at, **place}
            for at, one in enumerate(cited)
        ],
        "machine_drafts": [],
        "inspections": [inspection],
    }


@contextmanager
def _timed(what: str) -> Iterator[list[float]]:
    took: list[float] = []
    began, worked = time.perf_counter(), time.process_time()
    yield took
    took.append(time.perf_counter() - began)
    print(f"{what}: {took[0]:.1f} s, {time.process_time() - worked:.1f} CPU-s")


if __name__ == "__main__":
    main()
