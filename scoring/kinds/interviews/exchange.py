"""The dialogues of a run as an archive: lines of JSON that come in again, a table, and a manifest.

* Whether dialogues that came from a file are still what came in, and what their figures read.
* Bring in dialogues from a file as a run of interviews that is over: nobody is asked anything.
* How a worker reads large files of conversations and dialogues, and how they are handed to it.
"""

import hashlib
import json
import secrets
import tempfile
import zipfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import IO, Any, Final
from uuid import UUID

from django.db import transaction
from django.db.models import Max, Prefetch

from annotation.common import texts
from annotation.common.pace import Batches
from annotation.common.sentences import gettext as _
from annotation.files import stored as room
from annotation.files.models import Upload, WholeKind
from annotation.imports import wholes
from annotation.imports.wholes import Pieces, WholeFileDone
from annotation.people import audit as dialogue_imports_audit
from annotation.people.models import Project, User
from annotation.systems import operations as systems
from annotation.systems.models import Item, Response, System, SystemRelease
from annotation.systems.rules import Output
from evalsite import errors
from scoring.engine import imported as imported_runs
from scoring.engine import requests as requesting
from scoring.engine.imported import ImportAudit
from scoring.engine.models import Judgment, Run
from scoring.kinds.interviews import files as dialogue_files
from scoring.kinds.interviews import kind as interviewing
from scoring.kinds.interviews import operations as evaluators
from scoring.kinds.interviews import results as interview_voices
from scoring.kinds.interviews.files import (
    DIALOGUES,
    FORMAT,
    MANIFEST,
    NO_VERDICT,
    VERSION,
    DialogueSource,
    Read,
    Record,
    manifest_sha,
)
from scoring.kinds.interviews.models import Dialogue, Exchange
from scoring.kinds.interviews.results import Voice
from scoring.kinds.interviews.verdicts_v1 import SCORED
from scoring.shown import names as banner
from scoring.shown import scripts as script_marks
from scoring.shown import sheet as shown_sheet

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
    """Return a dialogue as scoring.kinds.interviews.files has it: no key of this database."""
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
            files = {DIALOGUES: written(made, DIALOGUES, lines(run))}
            files[TABLE] = written(made, TABLE, _table(run))
            manifest = _manifest(run, files, now)
            manifest["sha256"] = manifest_sha(manifest)
            text = json.dumps(manifest, ensure_ascii=False, indent=2)
            made.writestr(zipfile.ZipInfo(MANIFEST, EPOCH), text)
        out.seek(0)
        yield from pieces(out)


def lines(run: Run) -> Iterator[str]:
    """Yield a line of JSON for every dialogue, in the order in which they were written down."""
    for dialogue in paged(run):
        made = json.dumps(record_of(dialogue), ensure_ascii=False, sort_keys=True)
        yield made + "\n"


def _table(run: Run) -> Iterator[str]:
    note = banner.of_run(run)
    yield shown_sheet.as_csv([COLUMNS])
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
            yield shown_sheet.as_csv(
                [[texts.neutral(c) if isinstance(c, str) else c for c in cells]]
            )


def _manifest(run: Run, files: dict[str, Any], now: datetime) -> dict[str, Any]:
    voices: list[Voice] = interview_voices.voices_of(run)
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


def written(made: zipfile.ZipFile, name: str, parts: Iterator[str]) -> dict[str, Any]:
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


def pieces(out: IO[bytes]) -> Iterator[bytes]:
    while piece := out.read(PIECE):
        yield piece


def paged(run: Run, release: int | None = None) -> Iterator[Dialogue]:
    """Yield the dialogues, or those of a system, page by page, so that no cursor stays open."""
    of = {} if release is None else {"release": release}
    rows = Dialogue.objects.filter(run=run, **of).select_related(
        "run", "item", "release__system", "response"
    )
    whole = rows.prefetch_related(Prefetch("exchanges", Exchange.objects.order_by("k")))
    last = 0
    while found := list(whole.filter(pk__gt=last).order_by("pk")[:PAGE]):
        yield from found
        last = found[-1].pk


#: Of a dialogue, what people may rename later.
NAMES: Final = frozenset({"question", "group", "system", "release"})
AT_ONCE: Final = 2_000


def audit(run: Run) -> ImportAudit:
    """Compare imported interviews with what came in, and their verdicts with what figures read."""
    found = imported_runs.audit(run, parts(run))
    n = Dialogue.objects.filter(run=run).count()
    words = f"The verdicts of its {n} dialogues are those that its figures read."
    return ImportAudit(
        (*found.compared, *([words] if n else [])), (*found.differences, *_apart(run))
    )


def parts(run: Run) -> Iterator[list[Any]]:
    """Yield all that a file of dialogues brought."""
    said = _verdicts(run)
    for dialogue in paged(run):
        record = record_of(dialogue)
        kept = {name: value for name, value in record.items() if name not in NAMES}
        yield [kept, texts.response_sha(dialogue.response.messages)]
        yield sorted(said.get(dialogue.response_id, {}).items())


#: The values of a response's exchanges, by exchange and criterion.
Verdicts = Mapping[int, Mapping[tuple[int, str], float | None]]


def _verdicts(run: Run) -> Verdicts:
    found: dict[int, dict[tuple[int, str], float | None]] = {}
    rows = Judgment.objects.filter(run=run, target_level=Judgment.Target.TURN).order_by("pk")
    for response, k, name, value in rows.values_list(
        "response", "target_index", "criterion__key", "value"
    ).iterator(AT_ONCE):
        found.setdefault(response, {})[k or 0, name] = value
    return found


def _apart(run: Run) -> Iterator[str]:
    """Yield the dialogues whose texts or verdicts are not those that figures read."""
    said = _verdicts(run)
    for dialogue in paged(run):
        name = f"{dialogue.item.external_id}, {dialogue.release}"
        response = dialogue.response
        spoken = [one["content"] for one in response.messages]
        exchanges = list(dialogue.exchanges.all())
        wanted = [
            dialogue.answer,
            *(text for one in exchanges for text in (one.question, one.answer)),
        ]
        if spoken != wanted or texts.response_sha(response.messages) != response.content_sha:
            yield f"{name}: the response is not what was said in the dialogue."
        read = said.get(dialogue.response_id, {})
        for one in exchanges:
            mine = {key: value for (k, key), value in read.items() if k == one.k}
            given = {key: float(value) for key, value in (one.scores or {}).items()}
            if {key: value for key, value in mine.items() if value is not None} != given:
                yield f"{name}, exchange {one.k + 1}: the verdict is not the one that figures read."


PROTOCOL: Final = "kieval/file"


@dataclass(frozen=True)
class DialoguesWish:
    """What a file of dialogues is brought in as; `source` says what the file may not say itself."""

    name: str
    file_name: str
    source: DialogueSource
    evaluator: str


def bring_in(
    *, project: Project, key: UUID, data: bytes, wish: DialoguesWish, user: User, now: datetime
) -> Run:
    """Return the run of the dialogues in a file; the same key again is the same run, and goes on with it.

    It is finished by one last write: until then its page says that it is not whole.

    Raises:
        FileRefused: says what is wrong, where, and how to mend it.
        evaluators.NoEvaluator: another sort of judge has the evaluator's name.
    """
    found = checked(data, wish.source)
    run = _begun(project, key, data, found, wish, user, now)
    if run.state != Run.State.CANCELLED:
        return run
    releases = _releases(project, found, user, now)
    held = set(Dialogue.objects.filter(run=run).values_list("item", "release"))
    criteria = evaluators.criteria_of(int(run.config["rater"]))
    items: list[int] = []
    for batch in Batches(start=10, most=200, breath=0.3).batches(found.records):
        with transaction.atomic():
            there = _known(project, batch)
            rows = [(_item(project, one, there, now), one) for one in batch]
            items += [item.pk for item, _record in rows]
            named = [(item, releases[one["system"], one["release"]], one) for item, one in rows]
            fresh = [row for row in named if (row[0].pk, row[1].pk) not in held]
            _write(run, fresh, criteria, now)
    return _finished(run, items, releases, found.records, now)


def checked(data: bytes, source: DialogueSource) -> Read:
    """Return the dialogues of a file.

    Raises:
        FileRefused: says what is wrong, where, and how to mend it.
    """
    try:
        found = dialogue_files.read_dialogues(data, source)
    except dialogue_files.UnreadableDialogues as problem:
        raise errors.FileRefused(str(problem), fields={"file": [str(problem)]}) from problem
    if found.problems:
        said = [str(one) for one in found.problems]
        more = found.n_problems - len(said)
        if more:
            said.append(_("… and %(n)d more.") % {"n": more})
        message = _("Nothing came in: %(n)d problems. %(first)s") % {
            "n": found.n_problems,
            "first": said[0],
        }
        raise errors.FileRefused(message, fields={"file": said})
    return found


@transaction.atomic
def _begun(
    project: Project,
    key: UUID,
    data: bytes,
    found: Read,
    wish: DialoguesWish,
    user: User,
    now: datetime,
) -> Run:
    Project.objects.select_for_update().get(pk=project.pk)
    if there := Run.objects.filter(project=project, key=key).first():
        return there
    if problem := room.trouble(project):
        raise errors.FileRefused(problem, fields={"file": [problem]})
    name = str(found.manifest.get("evaluator") or wish.evaluator)
    rater = evaluators.rater_of_file(project=project, name=name, by=user, now=now)
    config = _config(found, wish, data, rater, name)
    last = Run.objects.filter(project=project).aggregate(last=Max("number"))["last"]
    run = Run.objects.create(
        project=project,
        key=key,
        number=(last or 0) + 1,
        kind=Run.Kind.KIEVAL,
        name=wish.name[:120],
        protocol=PROTOCOL,
        config=config,
        config_sha=requesting.config_sha(Run.Kind.KIEVAL, PROTOCOL, config, 0, None),
        seed=_seed(found),
        secret=secrets.token_hex(32),
        scripted=_is_scripted(found, script_marks.SCRIPTED, script_marks.VERDICTS),
        asks_script=_is_scripted(found, script_marks.VERDICTS),
        state=Run.State.CANCELLED,
        problem=_("These dialogues did not come in whole. Bring in the file once more."),
        requested_by=user,
        requested_at=now,
        started_at=now,
    )
    dialogue_imports_audit.record(
        project=project,
        actor=user,
        verb="dialogues.imported",
        subject=f"run:{run.number}",
        at=now,
        file=wish.file_name,
        sha256=config["imported"]["sha256"],
        dialogues=len(found.records),
    )
    return run


def _config(
    found: Read, wish: DialoguesWish, data: bytes, rater: int, evaluator: str
) -> dict[str, Any]:
    told: Mapping[str, Any] = found.manifest.get("config") or {}
    known = ("prior", "decision", "language", "temperature", "mark_but_continue")
    return {
        **{name: told[name] for name in known if name in told},
        "imported": {
            "file": wish.file_name[:200],
            "format": found.sort,
            "sha256": hashlib.sha256(data).hexdigest(),
            "bytes": len(data),
            "checked": found.checked,
        },
        "evaluator": evaluator,
        "rater": rater,
        "planned": max(one["planned"] for one in found.records),
        "items": [],
        "releases": [],
    }


def _is_scripted(found: Read, *marks: str) -> bool:
    """Return whether a record of a file is marked; of older files, whether the run was scripted."""
    if any(one.get(mark) is not None for one in found.records for mark in marks):
        return any(one.get(mark) is True for one in found.records for mark in marks)
    return found.manifest.get("scripted") is True


def _seed(found: Read) -> int:
    seed = found.manifest.get("seed")
    return seed if isinstance(seed, int) and 0 <= seed < 2**63 else 0


def _releases(
    project: Project, found: Read, user: User, now: datetime
) -> dict[tuple[str, str], SystemRelease]:
    """Return the releases that are named, added where the project has none of the name."""
    made: dict[tuple[str, str], SystemRelease] = {}
    named = dict.fromkeys((one["system"], one["release"]) for one in found.records)
    # As the run had them; what else a manifest says of systems is not asked for.
    order = [one for one in found.manifest.get("systems", []) if isinstance(one, list)]
    first = [key for one in order for key in named if list(key) == one]
    for name, label in dict.fromkeys([*first, *named]):
        system = System.objects.filter(project=project, name=name).first()
        if system is None:
            system = systems.create_system(project=project, name=name, by=user, now=now)
        release = SystemRelease.objects.filter(system=system, label=label).first()
        made[name, label] = release or systems.add_release(
            system=system, label=label, by=user, now=now
        )
    return made


def _known(project: Project, records: Sequence[Record]) -> dict[str, list[Item]]:
    """Return the project's items that have the names of these questions, the oldest first."""
    names = {one["question"] for one in records}
    found: dict[str, list[Item]] = defaultdict(list)
    rows = Item.objects.seen().filter(project=project, external_id__in=names)
    for one in rows.order_by("pk"):
        found[one.external_id].append(one)
    return found


def _item(project: Project, record: Record, there: dict[str, list[Item]], now: datetime) -> Item:
    """Return the question as it stood when it was asked, added if the project has no such item."""
    sha = texts.prompt_sha(record["messages"])
    for one in there[record["question"]]:
        same = (one.prompt_sha, one.reference, one.extra)
        if same == (sha, record["reference"], record["extra"]):
            return one
    made = Item.objects.create(
        project=project,
        external_id=record["question"],
        content_sha=texts.content_sha(
            record["messages"], record["reference"], dict(record["extra"])
        ),
        prompt_sha=sha,
        group=record["group"] or record["question"],
        messages=record["messages"],
        reference=record["reference"],
        extra=dict(record["extra"]),
        created_at=now,
    )
    there[record["question"]].append(made)
    return made


Row = tuple[Item, SystemRelease, Record]


def _write(run: Run, rows: Sequence[Row], criteria: Mapping[str, int], now: datetime) -> None:
    """Write dialogues with their responses, exchanges and judgments."""
    outputs = [(item.pk, _output(run, release, record)) for item, release, record in rows]
    keys = systems.record_responses(outputs=outputs, now=now)
    dialogues = Dialogue.objects.bulk_create(
        _dialogue(run, row, response) for row, response in zip(rows, keys, strict=True)
    )
    pairs = list(zip(dialogues, (record for _item, _release, record in rows), strict=True))
    Exchange.objects.bulk_create(
        _exchange(dialogue, one) for dialogue, record in pairs for one in record["exchanges"]
    )
    Judgment.objects.bulk_create(
        judgment
        for dialogue, record in pairs
        for judgment in interviewing.judgments(
            run=run,
            step=None,
            rater=int(run.config["rater"]),
            criteria=criteria,
            response_id=dialogue.response_id,
            exchanges=[_judged(one) for one in record["exchanges"]],
            now=now,
        )
    )


def _output(run: Run, release: SystemRelease, record: Record) -> Output:
    messages = [{"role": "assistant", "content": record["answer"]}]
    for one in record["exchanges"]:
        messages += [
            {"role": "user", "content": one["question"]},
            {"role": "assistant", "content": one["answer"]},
        ]
    details = {"run": run.number, "imported": True}
    scripted = record.get(script_marks.SCRIPTED, run.scripted)
    return Output(
        release_id=release.pk,
        messages=messages,
        origin=Response.Origin.DIALOGUE,
        details=details | ({script_marks.SCRIPTED: True} if scripted else {}),
        sample_no=run.pk,
    )


def _dialogue(run: Run, row: Row, response: int) -> Dialogue:
    item, release, record = row
    names = ("dataset", "answer", "chosen", "right", "decided_by", "ended", "stopped_at")
    return Dialogue(
        run=run,
        item=item,
        release=release,
        response_id=response,
        n_planned=record["planned"],
        stop_reason=record["stop_reason"],
        problem=record["problem"],
        flags=record.get("flags", []),
        **{name: record[name] for name in names},
    )


def _exchange(dialogue: Dialogue, one: Mapping[str, Any]) -> Exchange:
    names = ("question", "answer", "scores", "stops", "stop_reason")
    return Exchange(
        dialogue=dialogue,
        k=one["k"],
        comments=dict(one["comments"]),
        unscored="" if one["scores"] else (one["unscored"] or NO_VERDICT)[:300],
        flags=one.get("flags", []),
        **{name: one[name] for name in names},
    )


def _judged(one: Mapping[str, Any]) -> dict[str, Any]:
    verdict = {"scores": one["scores"], "comments": one["comments"]} if one["scores"] else None
    return {
        "exchange": one["k"],
        "answer": one["answer"],
        "verdict": verdict,
        "unscored": one["unscored"] or NO_VERDICT,
    }


@transaction.atomic
def _finished(
    run: Run,
    items: Sequence[int],
    releases: Mapping[tuple[str, str], SystemRelease],
    records: Sequence[Record],
    now: datetime,
) -> Run:
    run.config = {
        **run.config,
        "items": list(dict.fromkeys(items)),
        "releases": [
            {"release": one.pk, "name": f"{system} · {label}"}
            for (system, label), one in releases.items()
        ],
        "dialogues": len(records),
    }
    content = imported_runs.content_sha(parts(run))
    run.config["imported"] = {**run.config["imported"], imported_runs.CONTENT: content}
    run.state, run.problem, run.finished_at = Run.State.DONE, "", now
    run.save(update_fields=["config", "state", "problem", "finished_at"])
    return run


def hand_in_dialogues(
    *,
    project: Project,
    key: UUID,
    wish: DialoguesWish,
    pieces: Iterable[bytes],
    by: User,
    now: datetime,
) -> Upload:
    """Keep a file of dialogues until a worker has read it.

    Raises:
        errors.Refusal: it is too large, or too much waits.
    """
    given = {
        "key": str(key),
        "name": wish.name,
        "evaluator": wish.evaluator,
        "source": asdict(wish.source),
    }
    return wholes.hand_in(
        project=project,
        kind=WholeKind.DIALOGUES,
        name=wish.file_name,
        pieces=pieces,
        wish=given,
        by=by,
        now=now,
    )


def read_dialogues(upload: Upload, pieces: Pieces, now: datetime) -> WholeFileDone:
    """Bring the dialogues of a file in as a run that is over."""
    given: dict[str, Any] = upload.mapping or {}
    run = bring_in(
        project=upload.project,
        key=UUID(given["key"]),
        data=b"".join(pieces()),
        wish=DialoguesWish(
            given["name"], upload.name, DialogueSource(**given["source"]), given["evaluator"]
        ),
        user=upload.created_by,
        now=now,
    )
    return WholeFileDone(
        said_of_dialogues(), {"run": run.number}, "run_dialogues", (upload.project.slug, run.number)
    )


def said_of_dialogues() -> str:
    """Return in words that dialogues came in."""
    return _("The dialogues are here. No system was asked.")
