"""Bring in a results file of FlexEval: its conversations, and each of its evaluations as a run that is over."""

import hashlib
import secrets
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any, Final
from uuid import UUID, uuid5

from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext as _

from annotation.common import texts
from annotation.common.pace import Batches
from annotation.people import audit
from annotation.people.models import Project, RaterKind, User
from scoring.engine import imported as imported_runs
from scoring.engine import requests as requesting
from scoring.engine.models import Judgment, Run
from scoring.kinds.suites import kind as suiting
from scoring.kinds.suites import queries as suite_frame
from scoring.kinds.suites import raters as suite_raters
from scoring.kinds.suites.conversations import operations as conversations
from scoring.kinds.suites.conversations.operations import BadConversations, Brought, Open, SetWish
from scoring.kinds.suites.models import Conversation
from scoring.kinds.suites.protocol import flexeval_results, langgraph
from scoring.kinds.suites.protocol.catalogue import Level
from scoring.kinds.suites.protocol.conversations import NoConversation
from scoring.kinds.suites.protocol.definition import FUNCTION, Entry, SuiteText
from scoring.kinds.suites.protocol.flexeval_results import FlexevalValue, Results

AT_ONCE: Final = 2_000
PROTOCOL: Final = "flexeval/file"
MARK: Final = " · FlexEval"
LARGEST: Final = 512 * 1024 * 1024
RUNS: Final = UUID("5b6f3c1e-0d0b-4f5c-9f6e-6a1c6c1f7c52")
NO_VALUE: Final = "The file has no value here."


@dataclass(frozen=True)
class Imported:
    """What came in: the conversations, and a run for each evaluation of the file."""

    brought: Brought
    runs: tuple[Run, ...]
    n_values: int


def is_results(open_file: Open) -> bool:
    """Say whether a file may be a results file: a database, and none of LangGraph's checkpoints."""
    head = b""
    for chunk in open_file():
        head += chunk
        if len(head) >= len(flexeval_results.SIGNATURE):
            break
    is_database = head.startswith(flexeval_results.SIGNATURE)
    return is_database and not langgraph.is_checkpoints(open_file())


def bring(
    *, project: Project, wish: SetWish, chunks: Iterable[bytes], user: User, now: datetime
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
    wish: SetWish
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
            return flexeval_results.read_results(Path(file.name)), digest.hexdigest()
        except NoConversation as problem:
            raise BadConversations(str(problem), fields={"file": [str(problem)]}) from problem


def _run(plan: _Plan, key: UUID, values: Sequence[FlexevalValue], responses: Sequence[int]) -> Run:
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
    for batch in Batches(start=500, most=5000, breath=0.3).batches(left):
        with transaction.atomic():
            Judgment.objects.bulk_create(batch)
    content = imported_runs.content_sha(parts(run))
    imported = {**run.config[imported_runs.IMPORTED], imported_runs.CONTENT: content}
    run.config = {**run.config, imported_runs.IMPORTED: imported}
    run.state, run.problem, run.finished_at = Run.State.DONE, "", plan.now
    run.save(update_fields=["config", "state", "problem", "finished_at"])
    return run


Key = tuple[bool, str, str, Level, str]


def _key(one: FlexevalValue) -> Key:
    given = ", ".join(f"{name}={one.arguments[name]!r}" for name in sorted(one.arguments))
    return one.is_rubric, one.metric, given, one.level, one.model


def _entries(values: Iterable[FlexevalValue]) -> dict[Key, tuple[int, Entry]]:
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
        "definition": SuiteText(
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
    values: Sequence[FlexevalValue],
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


def _named(one: FlexevalValue) -> str:
    return one.name or one.metric


def parts(run: Run) -> Iterator[list[Any]]:
    """Yield all that a file of results brought: its conversations, and every value."""
    for row in suite_frame.conversations_of(run).select_related("response").iterator(AT_ONCE):
        yield [row.external_id, texts.response_sha(row.response.messages)]
    rows = suite_frame.judgments_of(run).order_by("pk")
    names = ("response", "rater", "criterion", "target_level", "target_index", "repeat")
    for one in rows.values_list(*names, "outcome", "value", "label", "text").iterator(AT_ONCE):
        yield list(one)
