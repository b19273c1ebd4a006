"""The dialogues of a run as an archive: lines of JSON that come in again, a table, and a manifest."""

import hashlib
import json
import tempfile
import zipfile
from collections.abc import Iterator
from datetime import datetime
from typing import IO, Any, Final

from django.db.models import Prefetch

from annotation.models import SystemRelease
from annotation.rules import sheets
from scoring.models import Dialogue, Exchange, Run
from scoring.protocols.kieval.verdicts_v1 import SCORED
from scoring.queries import banner, exports, interview_voices, script_marks
from scoring.queries.dialogue_archives import DIALOGUES, FORMAT, MANIFEST, VERSION, manifest_sha
from scoring.queries.interview_voices import Voice

TABLE: Final = "exchanges.csv"
COLUMNS: Final = (
    "question",
    "dataset",
    "system",
    "release",
    "k",
    "asked",
    "answered",
    *SCORED,
    "comment",
    "unscored",
    "stops",
    "stop_reason",
    "flags",
    "note",
)
PAGE: Final = 200
PIECE: Final = 64 * 1024
#: Up to this size the archive is put together in memory.
SPOOLED: Final = 8 * 1024 * 1024
#: Same moment in every archive, so that equal dialogues make equal bytes.
EPOCH: Final = (1980, 1, 1, 0, 0, 0)
#: Of `run.config`, what has keys of this database in it or is said elsewhere.
APART: Final = frozenset({"items", "prices", "releases", "interactor", "evaluators", "rater", "of"})


def record_of(dialogue: Dialogue) -> dict[str, Any]:
    """Return a dialogue as scoring.queries.dialogue_records has it: no key of this database."""
    item, release = dialogue.item, dialogue.release
    return {
        "question": item.external_id,
        "group": item.group,
        "dataset": dialogue.dataset,
        "system": release.system.name,
        "release": release.label,
        "messages": item.messages,
        "reference": item.reference,
        "extra": item.extra,
        "answer": dialogue.answer,
        "chosen": dialogue.chosen,
        "right": dialogue.right,
        "decided_by": dialogue.decided_by,
        "planned": dialogue.n_planned,
        "ended": dialogue.ended,
        "stopped_at": dialogue.stopped_at,
        "stop_reason": dialogue.stop_reason,
        "problem": dialogue.problem,
        "flags": dialogue.flags,
        script_marks.SCRIPTED: bool(script_marks.of_response(dialogue.response)),
        script_marks.VERDICTS: dialogue.run.asks_script,
        "exchanges": [
            {
                "k": one.k,
                "question": one.question,
                "answer": one.answer,
                "scores": one.scores,
                "comments": one.comments,
                "unscored": one.unscored,
                "stops": one.stops,
                "stop_reason": one.stop_reason,
                "flags": one.flags,
            }
            for one in dialogue.exchanges.all()
        ],
    }


def archive(run: Run, now: datetime) -> Iterator[bytes]:
    """Yield the archive in pieces: dialogues.jsonl, exchanges.csv, and the manifest with checksums."""
    with tempfile.SpooledTemporaryFile(max_size=SPOOLED) as out:
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
            files = {DIALOGUES: _write(made, DIALOGUES, lines(run))}
            files[TABLE] = _write(made, TABLE, _table(run))
            manifest = _manifest(run, files, now)
            manifest["sha256"] = manifest_sha(manifest)
            text = json.dumps(manifest, ensure_ascii=False, indent=2)
            made.writestr(zipfile.ZipInfo(MANIFEST, EPOCH), text)
        out.seek(0)
        yield from _pieces(out)


def lines(run: Run) -> Iterator[str]:
    """Yield a line of JSON for every dialogue, in the order in which they were written down."""
    for dialogue in paged(run):
        made = json.dumps(record_of(dialogue), ensure_ascii=False, sort_keys=True)
        yield made + "\n"


def _table(run: Run) -> Iterator[str]:
    note = banner.of_run(run)
    yield exports.as_csv([COLUMNS])
    for dialogue in paged(run):
        release = dialogue.release
        for one in dialogue.exchanges.all():
            scores = one.scores or {}
            cells = (
                dialogue.item.external_id,
                dialogue.dataset,
                release.system.name,
                release.label,
                one.k,
                one.question,
                one.answer,
                *(scores.get(name, "") for name in SCORED),
                one.comments.get("overall", ""),
                one.unscored,
                "yes" if one.stops else "no",
                one.stop_reason,
                " ".join(one.flags),
                note,
            )
            yield exports.as_csv([[sheets.neutral(c) if isinstance(c, str) else c for c in cells]])


def _manifest(run: Run, files: dict[str, Any], now: datetime) -> dict[str, Any]:
    voices: list[Voice] = interview_voices.of(run)
    return {
        "format": FORMAT,
        "version": VERSION,
        "note": banner.of_run(run),
        "scripted": run.scripted,
        "exported_at": now.isoformat(timespec="seconds"),
        "project": run.project.slug,
        "run": run.number,
        "name": run.name,
        "protocol": run.protocol,
        "seed": run.seed,
        "config_sha": run.config_sha,
        "config": {key: value for key, value in run.config.items() if key not in APART},
        "evaluator": voices[0].name,
        "evaluator_config": run.judge.config if run.judge else {},
        "systems": _systems(run),
        "files": files,
    }


def _systems(run: Run) -> list[list[str]]:
    """Return system and release of every candidate, in the order in which the run has them."""
    wanted = [one["release"] for one in run.config.get("releases", [])]
    held = Dialogue.objects.filter(run=run).values_list("release", flat=True).distinct()
    rows = SystemRelease.objects.select_related("system").in_bulk([*wanted, *held])
    keys = dict.fromkeys([*(one for one in wanted if one in set(held)), *sorted(held)])
    return [[rows[pk].system.name, rows[pk].label] for pk in keys]


def _write(made: zipfile.ZipFile, name: str, parts: Iterator[str]) -> dict[str, Any]:
    """Write a file into the archive; return its size and checksum."""
    sha, size, n = hashlib.sha256(), 0, 0
    info = zipfile.ZipInfo(name, EPOCH)
    info.compress_type = zipfile.ZIP_DEFLATED
    with made.open(info, "w", force_zip64=True) as file:
        for part in parts:
            data = part.encode()
            sha.update(data)
            size += len(data)
            n += 1
            file.write(data)
    return {"sha256": sha.hexdigest(), "bytes": size, "lines": n}


def _pieces(out: IO[bytes]) -> Iterator[bytes]:
    while piece := out.read(PIECE):
        yield piece


def paged(run: Run) -> Iterator[Dialogue]:
    """Yield the dialogues page by page, so that no cursor stays open."""
    rows = Dialogue.objects.filter(run=run).select_related(
        "run", "item", "release__system", "response"
    )
    whole = rows.prefetch_related(Prefetch("exchanges", Exchange.objects.order_by("k")))
    last = 0
    while found := list(whole.filter(pk__gt=last).order_by("pk")[:PAGE]):
        yield from found
        last = found[-1].pk
