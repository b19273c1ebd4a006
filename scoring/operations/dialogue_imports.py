"""Bring in dialogues from a file as a run of interviews that is over: nobody is asked anything."""

import hashlib
import secrets
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext as _

from annotation.models import Item, Project, Response, System, SystemRelease, User
from annotation.operations import audit, responses, systems
from annotation.operations.pace import Pace
from annotation.queries import room
from annotation.rules import contents
from annotation.rules.outputs import Output
from evalsite import errors
from scoring.models import Dialogue, Exchange, Judgment, Run
from scoring.operations import evaluators
from scoring.operations.runs import interviewing, requesting
from scoring.queries import (
    dialogue_archives,
    dialogue_files,
    imported_dialogues,
    imported_runs,
    script_marks,
)
from scoring.queries.dialogue_files import Read, Source
from scoring.queries.dialogue_records import NO_VERDICT, Record

PROTOCOL: Final = "kieval/file"


class FileRefused(errors.Invalid):
    """The file, or something in it, cannot be taken. Nothing of it came in."""

    code = "file_refused"


@dataclass(frozen=True)
class Wish:
    """What a file of dialogues is brought in as; `source` says what the file may not say itself."""

    name: str
    file_name: str
    source: Source
    evaluator: str


def bring_in(
    *, project: Project, key: UUID, data: bytes, wish: Wish, user: User, now: datetime
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
    for batch in Pace(start=10, most=200, breath=0.3).batches(found.records):
        with transaction.atomic():
            there = _known(project, batch)
            rows = [(_item(project, one, there, now), one) for one in batch]
            items += [item.pk for item, _record in rows]
            named = [(item, releases[one["system"], one["release"]], one) for item, one in rows]
            fresh = [row for row in named if (row[0].pk, row[1].pk) not in held]
            _write(run, fresh, criteria, now)
    return _finished(run, items, releases, found.records, now)


def checked(data: bytes, source: Source) -> Read:
    """Return the dialogues of a file.

    Raises:
        FileRefused: says what is wrong, where, and how to mend it.
    """
    try:
        found = dialogue_files.read(data, source)
    except dialogue_archives.Unreadable as problem:
        raise FileRefused(str(problem), fields={"file": [str(problem)]}) from problem
    if found.problems:
        said = [str(one) for one in found.problems]
        more = found.n_problems - len(said)
        if more:
            said.append(_("… and %(n)d more.") % {"n": more})
        message = _("Nothing came in: %(n)d problems. %(first)s") % {
            "n": found.n_problems,
            "first": said[0],
        }
        raise FileRefused(message, fields={"file": said})
    return found


@transaction.atomic
def _begun(
    project: Project,
    key: UUID,
    data: bytes,
    found: Read,
    wish: Wish,
    user: User,
    now: datetime,
) -> Run:
    Project.objects.select_for_update().get(pk=project.pk)
    if there := Run.objects.filter(project=project, key=key).first():
        return there
    if problem := room.trouble(project):
        raise FileRefused(problem, fields={"file": [problem]})
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
    audit.record(
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


def _config(found: Read, wish: Wish, data: bytes, rater: int, evaluator: str) -> dict[str, Any]:
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
    sha = contents.prompt_sha(record["messages"])
    for one in there[record["question"]]:
        same = (one.prompt_sha, one.reference, one.extra)
        if same == (sha, record["reference"], record["extra"]):
            return one
    made = Item.objects.create(
        project=project,
        external_id=record["question"],
        content_sha=contents.content_sha(
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
    keys = responses.record_responses(outputs=outputs, now=now)
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
    content = imported_runs.content_sha(imported_dialogues.parts(run))
    run.config["imported"] = {**run.config["imported"], imported_runs.CONTENT: content}
    run.state, run.problem, run.finished_at = Run.State.DONE, "", now
    run.save(update_fields=["config", "state", "problem", "finished_at"])
    return run
