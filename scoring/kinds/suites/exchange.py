"""What a file of a suite's results brought into a run.

* Bring in a results file of FlexEval: its conversations, and each of its evaluations as a run that is over.
* What a suite's run found, part by part, as CSV, as JSON Lines, and as one SQLite file.
* Take what a suite's run found out of the product; who did, and in which form, is written down.
* How a worker reads large files of conversations and dialogues, and how they are handed to it.
"""

import hashlib
import json
import secrets
import sqlite3
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any, Final
from uuid import UUID, uuid5

from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.common import texts
from annotation.common.pace import Pace
from annotation.files.models import Upload, WholeKind
from annotation.imports import wholes
from annotation.imports.wholes import Done, Pieces
from annotation.people import audit
from annotation.people.models import Project, RaterKind, User
from annotation.systems.models import SystemRelease
from scoring.engine import files as run_exporting
from scoring.engine import imported as imported_runs
from scoring.engine import requests as requesting
from scoring.engine.models import Judgment, Run
from scoring.engine.queries import Reading
from scoring.kinds.suites import conversations
from scoring.kinds.suites import kind as suiting
from scoring.kinds.suites import queries as suite_frame
from scoring.kinds.suites import raters as suite_raters
from scoring.kinds.suites.conversations import BadConversations, Brought, Wish
from scoring.kinds.suites.models import Conversation
from scoring.kinds.suites.protocol import flexeval_results
from scoring.kinds.suites.protocol.catalogue import Level
from scoring.kinds.suites.protocol.conversations import Unfit
from scoring.kinds.suites.protocol.definition import FUNCTION, Entry, Suite
from scoring.kinds.suites.protocol.flexeval_results import Results, Value
from scoring.kinds.suites.queries import LEVELS, Frame, Row, Series
from scoring.shown import names as banner
from scoring.shown import sheet as shown_sheet
from scoring.shown.sheet import CSV, JSONL

AT_ONCE: Final = 2_000


def parts(run: Run) -> Iterator[list[Any]]:
    """Yield all that a file of results brought: its conversations, and every value."""
    for row in suite_frame.conversations_of(run).select_related("response").iterator(AT_ONCE):
        yield [row.external_id, texts.response_sha(row.response.messages)]
    rows = suite_frame.judgments_of(run).order_by("pk")
    names = ("response", "rater", "criterion", "target_level", "target_index", "repeat")
    for one in rows.values_list(*names, "outcome", "value", "label", "text").iterator(AT_ONCE):
        yield list(one)


PROTOCOL: Final = "flexeval/file"
#: What every SQLite file begins with.
SIGNATURE: Final = b"SQLite format 3\x00"
MARK: Final = " · FlexEval"
#: What conversations that a program sent are called until a worker has read them.
SENT_NAME: Final = "conversations.jsonl"
LARGEST: Final = 512 * 1024 * 1024
RUNS: Final = UUID("5b6f3c1e-0d0b-4f5c-9f6e-6a1c6c1f7c52")
NO_VALUE: Final = "The file has no value here."


@dataclass(frozen=True)
class Imported:
    """What came in: the conversations, and a run for each evaluation of the file."""

    brought: Brought
    runs: tuple[Run, ...]
    n_values: int


def is_results(head: bytes) -> bool:
    """Say whether a file that begins like this may be a results file."""
    return head.startswith(SIGNATURE)


def bring(
    *, project: Project, wish: Wish, chunks: Iterable[bytes], user: User, now: datetime
) -> Imported:
    """Bring a results file in. The same file again goes on where it stopped, and changes nothing else.

    Values stand as they are in the file: nothing is computed or asked anew. A run is finished by one
    last write; until then its page says that it is not whole.

    Raises:
        BadConversations: it is no results file, or too large, or a conversation in it is none.
        conversations.NoName: the set or the system has no name.
    """
    results, sha = _read(chunks)
    if not results.lines:
        message = _("There is no conversation in it.")
        raise BadConversations(message, fields={"file": [message]})
    brought = conversations.bring_objects(
        project=project, wish=wish, key=sha, objects=results.lines, by=user, now=now
    )
    responses = conversations.responses_of(
        project=project, wish=wish, objects=results.lines, by=user, now=now
    )
    runs = []
    for number, name in results.runs.items():
        values = [one for one in results.values if one.run == number]
        if values:
            key = uuid5(RUNS, f"{sha} {number} {brought.set.pk} {wish.system} {wish.release}")
            plan = _Plan(project, wish, name, sha, brought, user, now)
            runs.append(_run(plan, key, values, responses))
    return Imported(brought, tuple(runs), len(results.values))


@dataclass(frozen=True)
class _Plan:
    """What every run of a file shares."""

    project: Project
    wish: Wish
    name: str
    sha: str
    brought: Brought
    user: User
    now: datetime


def _read(chunks: Iterable[bytes]) -> tuple[Results, str]:
    digest = hashlib.sha256()
    with tempfile.NamedTemporaryFile(suffix=".db") as file:
        size = 0
        for chunk in chunks:
            digest.update(chunk)
            file.write(chunk)
            size += len(chunk)
            if size > LARGEST:
                message = _("A results file may hold %(most)d MB.") % {"most": LARGEST // 2**20}
                raise BadConversations(message, fields={"file": [message]})
        file.flush()
        try:
            return flexeval_results.read(Path(file.name)), digest.hexdigest()
        except Unfit as problem:
            raise BadConversations(str(problem), fields={"file": [str(problem)]}) from problem


def _run(plan: _Plan, key: UUID, values: Sequence[Value], responses: Sequence[int]) -> Run:
    entries = _entries(values)
    run = _begun(plan, key, entries)
    if run.state != Run.State.CANCELLED:
        return run
    done = Judgment.objects.filter(run=run).count()
    raters: Mapping[str, int] = run.config["raters"]
    names: defaultdict[int, set[str]] = defaultdict(set)
    for one in values:
        names[entries[_key(one)][0]].add(_named(one))
    criteria = {
        at: suite_raters.criteria(raters[str(at)], sorted(some), plan.user, plan.now)
        for at, some in names.items()
    }
    # In one order always, so that what is there already are the first ones.
    left = islice(_judgments(run, values, entries, responses, criteria, plan.now), done, None)
    for batch in Pace(start=500, most=5000, breath=0.3).batches(left):
        with transaction.atomic():
            Judgment.objects.bulk_create(batch)
    content = imported_runs.content_sha(parts(run))
    imported = {**run.config[imported_runs.IMPORTED], imported_runs.CONTENT: content}
    run.config = {**run.config, imported_runs.IMPORTED: imported}
    run.state, run.problem, run.finished_at = Run.State.DONE, "", plan.now
    run.save(update_fields=["config", "state", "problem", "finished_at"])
    return run


Key = tuple[bool, str, str, Level, str]


def _key(one: Value) -> Key:
    given = ", ".join(f"{name}={one.arguments[name]!r}" for name in sorted(one.arguments))
    return one.is_rubric, one.metric, given, one.level, one.model


def _entries(values: Iterable[Value]) -> dict[Key, tuple[int, Entry]]:
    """Return the metrics of the values in the order in which they come, with their places."""
    found: dict[Key, tuple[int, Entry]] = {}
    for one in values:
        if _key(one) in found:
            continue
        name = one.metric
        if one.is_rubric:
            name = _("%(name)s, judged by %(model)s") % {
                "name": name,
                "model": one.model or _("an unknown model"),
            }
        # All are shown as they were counted elsewhere: no judge of this project gave them.
        entry = Entry(FUNCTION, name, one.level, dict(one.arguments))
        found[_key(one)] = (len(found), entry)
    return found


@transaction.atomic
def _begun(plan: _Plan, key: UUID, entries: Mapping[Key, tuple[int, Entry]]) -> Run:
    project = Project.objects.select_for_update().get(pk=plan.project.pk)
    if there := Run.objects.filter(project=project, key=key).first():
        return there
    home = plan.brought.set
    last = Conversation.objects.seen().filter(set=home).aggregate(last=Max("pk"))["last"]
    config = {
        "definition": Suite(
            name=plan.name, entries=tuple(entry for _at, entry in entries.values())
        ).as_dict(),
        "sets": [home.pk],
        "last": last,
        "raters": {
            str(at): suite_raters.metric(
                project,
                entry,
                plan.now,
                kind=RaterKind.JUDGE if is_rubric else RaterKind.METRIC,
                mark=MARK,
            )
            for (is_rubric, *_rest), (at, entry) in entries.items()
        },
        "judges": {},
        "graders": [],
        "imported": {"file": plan.wish.file_name[:200], "sha256": plan.sha},
    }
    number = (Run.objects.filter(project=project).aggregate(last=Max("number"))["last"] or 0) + 1
    run = Run.objects.create(
        project=project,
        key=key,
        number=number,
        kind=Run.Kind.SUITE,
        name=plan.name[:120],
        protocol=PROTOCOL,
        config=config,
        config_sha=requesting.config_sha(Run.Kind.SUITE, PROTOCOL, config, 0, None),
        seed=0,
        secret=secrets.token_hex(32),
        state=Run.State.CANCELLED,
        problem=_("These results did not come in whole. Bring in the file once more."),
        requested_by=plan.user,
        requested_at=plan.now,
        started_at=plan.now,
    )
    audit.record(
        project=project,
        actor=plan.user,
        verb="results.imported",
        subject=f"run:{number}",
        at=plan.now,
        file=plan.wish.file_name[:200],
        sha256=plan.sha,
    )
    return run


def _judgments(
    run: Run,
    values: Sequence[Value],
    entries: Mapping[Key, tuple[int, Entry]],
    responses: Sequence[int],
    criteria: Mapping[int, Mapping[str, int]],
    now: datetime,
) -> Iterator[Judgment]:
    """Yield a judgment for each value. One that a file gives twice for a part is its second repeat."""
    seen: Counter[tuple[Any, ...]] = Counter()
    for one in values:
        at, _entry = entries[_key(one)]
        place = None if one.level == Level.CONVERSATION else one.place
        response = responses[one.conversation]
        part = (at, _named(one), response, one.level, place)
        scored = one.value is not None
        yield Judgment(
            run=run,
            rater_id=run.config["raters"][str(at)],
            response_id=response,
            criterion_id=criteria[at][_named(one)],
            target_level=suiting.TARGETS[one.level],
            target_index=place,
            repeat=seen[part],
            outcome=Judgment.Outcome.SCORED if scored else Judgment.Outcome.UNSCORED,
            value=one.value,
            reason="" if scored else NO_VALUE,
            text=one.reason,
            at=now,
        )
        seen[part] += 1


def _named(one: Value) -> str:
    return one.name or one.metric


COLUMNS: Final = (
    "conversation", "system", "release", "level", "place", "role", "turn", "metric", "judge", "name",
    "value", "label", "outcome", "reason", "text",
)  # fmt: skip
_TABLES: Final = """
CREATE TABLE run (name TEXT PRIMARY KEY, value TEXT);
CREATE TABLE conversation (id INTEGER PRIMARY KEY, name TEXT, system TEXT, release TEXT,
    system_prompt TEXT, n_messages INTEGER, n_turns INTEGER, n_tool_calls INTEGER);
CREATE TABLE message (conversation INTEGER REFERENCES conversation, place INTEGER, turn INTEGER,
    role TEXT, content TEXT);
CREATE TABLE tool_call (conversation INTEGER REFERENCES conversation, place INTEGER, message INTEGER,
    name TEXT, arguments TEXT);
CREATE TABLE metric (conversation TEXT, system TEXT, release TEXT, level TEXT, place INTEGER,
    role TEXT, turn INTEGER, metric TEXT, judge TEXT, name TEXT, value REAL, label TEXT,
    outcome TEXT, reason TEXT, text TEXT);
CREATE INDEX metric_by_name ON metric (metric, name);
"""

_METRIC: Final = "INSERT INTO metric VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"


def records(run: Run) -> Iterator[dict[str, Any]]:
    """Yield one plain row for every value of every part of every conversation."""
    frame = Frame(run)
    rows = suite_frame.judgments_of(run).order_by("response_id", "pk")
    names = _releases(run)
    external = dict(_conversations(run).values_list("response_id", "external_id"))
    seen: dict[int, dict[Series, None]] = defaultdict(dict)
    for one in rows.select_related("criterion").iterator(chunk_size=AT_ONCE):
        place = one.target_index or 0
        role, turn, counts = suite_frame.place_in(
            frame.places, one.response_id, one.target_level, place
        )
        if not counts:
            continue
        release = names[one.response_id]
        level = LEVELS[one.target_level]
        seen[one.rater_id][Series(one.rater_id, one.criterion.name, level)] = None
        yield {
            "conversation": external.get(one.response_id, ""),
            "system": release.system.name,
            "release": release.label,
            "level": level.value,
            "place": one.target_index,
            "role": role,
            "turn": turn,
            "metric": frame.entries[one.rater_id].key,
            "judge": frame.judges.get(one.rater_id, ""),
            "name": one.criterion.name,
            "value": one.value,
            "label": one.label,
            "outcome": one.outcome,
            "reason": one.reason,
            "text": one.text,
        }
    for row in frame.missing(seen):
        yield _missing(row, frame, external, names)


def _missing(
    row: Row, frame: Frame, external: Mapping[int, str], names: Mapping[int, SystemRelease]
) -> dict[str, Any]:
    """Return the row of a part that was to be judged, and whose step failed."""
    release = names.get(row.response) or SystemRelease.objects.select_related("system").get(
        pk=row.release
    )
    level = row.series.level
    return {
        "conversation": external.get(row.response, ""),
        "system": release.system.name,
        "release": release.label,
        "level": level.value,
        "place": None if level == Level.CONVERSATION else row.place,
        "role": row.role,
        "turn": row.turn,
        "metric": frame.entries[row.series.rater].key,
        "judge": frame.judges.get(row.series.rater, ""),
        "name": row.series.name,
        "value": None,
        "label": "",
        "outcome": row.outcome,
        "reason": row.reason,
        "text": "",
    }


def csv_lines(run: Run) -> Iterator[str]:
    yield shown_sheet.as_csv([COLUMNS])
    for one in records(run):
        cells = [texts.neutral(cell) if isinstance(cell, str) else cell for cell in one.values()]
        yield shown_sheet.as_csv([["" if cell is None else cell for cell in cells]])


def jsonl_lines(run: Run) -> Iterator[str]:
    for one in records(run):
        yield json.dumps(one, ensure_ascii=False) + "\n"


def write_sqlite(run: Run, path: Path) -> None:
    """Write everything of a run into a new SQLite file: conversations, messages, calls, values."""
    with closing(sqlite3.connect(path)) as file:
        file.executescript(_TABLES)
        file.executemany("INSERT INTO run VALUES (?, ?)", list(_facts(run).items()))
        releases = _releases(run)
        for row in _conversations(run).select_related("response").iterator(chunk_size=200):
            _write_conversation(file, row, releases[row.response_id])
        file.executemany(_METRIC, (tuple(one.values()) for one in records(run)))
        file.commit()


def _write_conversation(
    file: sqlite3.Connection, row: Conversation, release: SystemRelease
) -> None:
    said = suite_frame.read(row)
    file.execute(
        "INSERT INTO conversation VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            row.pk,
            row.external_id,
            release.system.name,
            release.label,
            said.system,
            row.n_messages,
            row.n_turns,
            row.n_tool_calls,
        ),
    )
    file.executemany(
        "INSERT INTO message VALUES (?, ?, ?, ?, ?)",
        [(row.pk, one.index, one.turn, one.role, one.content) for one in said.messages],
    )
    file.executemany(
        "INSERT INTO tool_call VALUES (?, ?, ?, ?, ?)",
        [
            (row.pk, one.index, one.message, one.name, json.dumps(dict(one.arguments)))
            for one in said.tool_calls
        ],
    )


def _facts(run: Run) -> Mapping[str, str]:
    return {
        "run": str(run.number),
        "name": run.name,
        "protocol": run.protocol,
        "seed": str(run.seed),
        "note": banner.of_run(run),
        "suite": json.dumps(run.config["definition"], ensure_ascii=False),
    }


def _conversations(run: Run) -> Any:
    return suite_frame.conversations_of(run).defer("text")


def _releases(run: Run) -> dict[int, SystemRelease]:
    pairs = dict(_conversations(run).values_list("response_id", "response__release"))
    rows = SystemRelease.objects.filter(pk__in=set(pairs.values())).select_related("system")
    found = {one.pk: one for one in rows}
    return {response: found[release] for response, release in pairs.items()}


CHUNK: Final = 256 * 1024
SQLITE: Final = "application/vnd.sqlite3"
LINES: Final = {
    "results.csv": (csv_lines, CSV),
    "results.jsonl": (jsonl_lines, JSONL),
}


@dataclass(frozen=True, slots=True)
class Download:
    """A file that streams, as text or as bytes."""

    pieces: Iterator[str] | Iterator[bytes]
    content_type: str
    headers: Mapping[str, str]


def export(*, reading: Reading, form: str, now: datetime) -> Download:
    """Begin to export a run: results.csv, results.jsonl, or else one SQLite file.

    The name of the file says where a script stood in for a language model.
    """
    named = banner.named(form, banner.of_run(reading.run))
    if form in LINES:
        lines, kind = LINES[form]
        made = run_exporting.export_lines(
            reading=reading, form=named, lines=lines(reading.run), now=now, content_type=kind
        )
        return Download(made.lines, made.content_type, made.headers)
    made = run_exporting.export_lines(
        reading=reading, form=named, lines=iter(()), now=now, content_type=SQLITE
    )
    return Download(_sqlite(reading.run), made.content_type, made.headers)


def _sqlite(run: Run) -> Iterator[bytes]:
    """Write a file when somebody begins to read it, yield it piece by piece, and take it away."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "results.sqlite"
        write_sqlite(run, path)
        with path.open("rb") as file:
            while piece := file.read(CHUNK):
                yield piece


def hand_in_talks(
    *,
    project: Project,
    wish: conversations.Wish,
    pieces: Iterable[bytes],
    by: User,
    now: datetime,
) -> Upload:
    """Keep a file of conversations until a worker has read it.

    Raises:
        conversations.NoName: the set or the system has no name.
        errors.Refusal: it is too large, or too much waits.
    """
    conversations.check(wish)
    given = {"set_name": wish.set_name, "system": wish.system, "release": wish.release}
    return wholes.hand_in(
        project=project,
        kind=WholeKind.TALKS,
        name=wish.file_name,
        pieces=pieces,
        wish=given,
        by=by,
        now=now,
    )


def hand_in_objects(
    *, project: Project, wish: Wish, key: str, objects: Sequence[Any], by: User, now: datetime
) -> Upload:
    """Keep conversations of a large request until a worker has brought them in.

    Raises:
        conversations.NoName: the set or the system has no name.
        errors.Refusal: too much waits, or is kept.
    """
    conversations.check(wish)
    given = {"set_name": wish.set_name, "system": wish.system, "release": wish.release}
    return wholes.hand_in(
        project=project,
        kind=WholeKind.TALKS,
        name=SENT_NAME,
        pieces=(json.dumps(one).encode() + b"\n" for one in objects),
        wish={**given, "key": key},
        by=by,
        now=now,
    )


def read_talks(upload: Upload, pieces: Pieces, now: datetime) -> Done:
    """Bring the conversations of a file in, or the results of FlexEval."""
    given: dict[str, Any] = dict(upload.mapping or {})
    if key := given.pop("key", ""):
        brought = conversations.bring_objects(
            project=upload.project,
            wish=conversations.Wish(**given),
            key=key,
            objects=[json.loads(line) for line in b"".join(pieces()).splitlines()],
            by=upload.created_by,
            now=now,
        )
        return _of_talks(upload.project, brought)
    wish = conversations.Wish(**given, file_name=upload.name)
    home: dict[str, Any] = {"project": upload.project, "wish": wish, "now": now}
    if is_results(next(pieces(), b"")):
        found = bring(**home, chunks=pieces(), user=upload.created_by)
        return _of_results(upload.project, found)
    brought = conversations.bring_file(**home, open_file=pieces, by=upload.created_by)
    return _of_talks(upload.project, brought)


def said_of(found: Brought) -> str:
    """Return in words what came in."""
    new = ngettext("%(n)d conversation is new.", "%(n)d conversations are new.", found.n) % {
        "n": found.n
    }
    said = [new]
    if found.n_known:
        said.append(_("%(n)d were there already.") % {"n": found.n_known})
    words = {"assistant": _("“%(role)s” is the assistant."), "user": _("“%(role)s” is the user.")}
    asked = [words[who] % {"role": role} for role, who in found.asked.items()]
    if asked:
        said += [*asked, _("Please check.")]
    return " ".join(said)


def said_of_values(found: Imported) -> str:
    """Return in words how many values came in."""
    said = ngettext("%(n)d value came in.", "%(n)d values came in.", found.n_values)
    return said % {"n": found.n_values}


def _of_talks(project: Project, found: Brought) -> Done:
    counts = {"set": found.set.name, "new": found.n, "known": found.n_known}
    query = f"set={found.set.number}"
    return Done(said_of(found), counts, "conversations", (project.slug,), query)


def _of_results(project: Project, found: Imported) -> Done:
    done = _of_talks(project, found.brought)
    if not found.runs:
        return done
    last = found.runs[-1].number
    counts = {**done.counts, "values": found.n_values, "run": last}
    said = f"{done.said} {said_of_values(found)}"
    return Done(said, counts, "run_suite", (project.slug, last))
