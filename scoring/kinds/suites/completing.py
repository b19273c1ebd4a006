"""Settle which releases complete the starts of a suite's conversations, by which endpoints and how.

* The first stage of a suite's run: systems complete the starts of conversations, which are kept as theirs.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.utils.translation import gettext as _

from annotation.common import draws as seeds
from annotation.people.models import Project, User
from annotation.systems import operations as systems
from annotation.systems.models import Response, SystemRelease
from annotation.systems.rules import Output
from evalsite import errors
from scoring.endpoints import operations as connections
from scoring.endpoints import queries as reads
from scoring.endpoints.models import Endpoint, SystemConnection
from scoring.engine.kinds import Estimated, StepPlan, Work
from scoring.engine.models import Run, Step
from scoring.kinds.suites import keeping as suites
from scoring.kinds.suites import queries as suite_frame
from scoring.kinds.suites.models import Conversation, ConversationBatch, ConversationSet
from scoring.kinds.suites.protocol import completing_v1 as protocol
from scoring.kinds.suites.protocol import conversations as talks
from scoring.kinds.suites.protocol import tools_v1
from scoring.kinds.suites.protocol.definition import Completion
from scoring.llm import base as tokens
from scoring.llm.base import ChatModel, Role
from scoring.protocols import untrusted
from scoring.shown import scripts as script_marks

#: Conversations that a run makes: it writes down a step for each.
MOST: Final = 20_000


class NoSuchEndpoint(errors.Invalid): ...


class WhichRelease(errors.Invalid):
    """It cannot be told as what a completion is kept."""


class TooManyCompletions(errors.Invalid): ...


@dataclass(frozen=True, slots=True)
class Settled:
    """A completion with its endpoint. `release` is None where it has to be made first."""

    completion: Completion
    endpoint: Endpoint
    user: Endpoint | None
    release: SystemRelease | None
    system: str
    label: str
    settings: Mapping[str, Any]


def settle(project: Project, completions: Sequence[Completion]) -> list[Settled]:
    """Return who completes, for each of a suite's completions.

    Raises:
        NoSuchEndpoint: the project has none of this name in use.
        WhichRelease: several releases could be meant, or one twice, or one that another endpoint is.
        connections.BadSettings: a parameter is out of its range.
    """
    names = [name for one in completions for name in (one.endpoint, one.user) if name]
    endpoints = suites.endpoints_named(project, names)
    if missing := [name for name in names if name not in endpoints]:
        raise NoSuchEndpoint(
            _("The suite names the endpoint “%(name)s”, and none of this name is in use here.")
            % {"name": missing[0]}
        )
    found = [_settled(project, one, endpoints) for one in completions]
    seen: set[tuple[str, str]] = set()
    for one in found:
        if (one.system, one.label) in seen:
            raise WhichRelease(
                _("%(name)s is named twice in the suite. For several answers, say “n”.")
                % {"name": f"{one.system} {one.label}"}
            )
        seen.add((one.system, one.label))
    return found


def configured(settled: Sequence[Settled]) -> list[dict[str, Any]]:
    """Return completions as a run keeps them, by release; those to be made have none yet."""
    return [_kept_completions(one, one.release) for one in settled]


def written(
    project: Project, settled: Sequence[Settled], *, by: User, now: datetime
) -> list[dict[str, Any]]:
    """Return completions as a run keeps them; releases that are not there are added and connected."""
    return [_kept_completions(one, one.release or _made(project, one, by, now)) for one in settled]


def check_size(n_starts: int, completions: Sequence[Mapping[str, Any]]) -> None:
    """Refuse a run that makes more conversations than one can.

    Raises:
        TooManyCompletions: so many would be made.
    """
    n = n_starts * sum(one["n"] for one in completions)
    if n > MOST:
        message = _(
            "%(n)d conversations would be made, and a run makes %(most)d at most. Choose fewer sets, "
            "systems or answers."
        )
        raise TooManyCompletions(message % {"n": n, "most": MOST})


def _settled(project: Project, one: Completion, endpoints: Mapping[str, Endpoint]) -> Settled:
    user = endpoints[one.user] if one.user else None
    own = connections.checked(one.settings)
    if not one.endpoint:
        connection = _of_system(project, one)
        return _connected(one, connection, user, own)
    endpoint = endpoints[one.endpoint]
    if one.system:
        label = one.release or endpoint.model_name or "1"
        release = _release(project, one.system, label)
        if release is None:
            return Settled(one, endpoint, user, None, one.system, label, own)
        there = reads.current([release.pk]).get(release.pk)
        if there is not None and there.endpoint_id != endpoint.pk:
            raise WhichRelease(
                _(
                    "%(release)s is answered by the endpoint “%(name)s”. Name that one, or another "
                    "release."
                )
                % {"release": release, "name": there.endpoint.name}
            )
        settings = own if there is None else {**there.settings, **own}
        return Settled(one, endpoint, user, release, one.system, label, settings)
    return _of_endpoint(project, one, endpoint, user, own)


def _of_system(project: Project, one: Completion) -> SystemConnection:
    """Return what answers as the system that is named."""
    rows = SystemConnection.objects.filter(
        ended_at__isnull=True,
        endpoint__retired_at__isnull=True,
        release__system__project=project,
        release__system__name=one.system,
    )
    if one.release:
        rows = rows.filter(release__label=one.release)
    return _only(one, list(rows.select_related("endpoint", "release__system").order_by("pk")))


def _of_endpoint(
    project: Project, one: Completion, endpoint: Endpoint, user: Endpoint | None, own: Any
) -> Settled:
    rows = SystemConnection.objects.filter(endpoint=endpoint, ended_at__isnull=True)
    found = list(rows.select_related("endpoint", "release__system").order_by("pk"))
    if found:
        return _connected(one, _only(one, found), user, own)
    label = endpoint.model_name or "1"
    release = _release(project, endpoint.name, label)
    return Settled(one, endpoint, user, release, endpoint.name, label, own)


def _only(one: Completion, found: Sequence[SystemConnection]) -> SystemConnection:
    if not found:
        raise WhichRelease(
            _(
                "No endpoint answers as %(name)s. Connect the release on its page, or name an endpoint."
            )
            % {"name": one.words}
        )
    if len(found) > 1:
        names = ", ".join(str(each.release) for each in found[:5])
        raise WhichRelease(
            _(
                "Several releases could be meant by “%(name)s”: %(names)s. Say “system” and “release”."
            )
            % {"name": one.words, "names": names}
        )
    return found[0]


def _connected(
    one: Completion, connection: SystemConnection, user: Endpoint | None, own: Mapping[str, Any]
) -> Settled:
    release = connection.release
    return Settled(
        one,
        connection.endpoint,
        user,
        release,
        release.system.name,
        release.label,
        {**connection.settings, **own},
    )


def _release(project: Project, system: str, label: str) -> SystemRelease | None:
    rows = SystemRelease.objects.filter(system__project=project, system__name=system, label=label)
    return rows.select_related("system").first()


def _made(project: Project, one: Settled, by: User, now: datetime) -> SystemRelease:
    home = project.systems.filter(name=one.system).first()
    if home is None:
        home = systems.create_system(project=project, name=one.system[:120], by=by, now=now)
    made = systems.add_release(system=home, label=one.label, by=by, now=now)
    connections.connect(release=made, endpoint=one.endpoint, settings=one.settings, by=by, now=now)
    return made


def _kept_completions(one: Settled, release: SystemRelease | None) -> dict[str, Any]:
    said = one.completion
    return {
        "release": release.pk if release else None,
        "name": f"{one.system} {one.label}",
        "endpoint": one.endpoint.pk,
        "user": one.user.pk if one.user else None,
        "about": said.about,
        "settings": dict(one.settings),
        "with_prompt": said.with_prompt,
        "n": said.n,
        "turns": said.turns,
        "start": said.start,
    }


PAGE: Final = 200
SHORT: Final = 80
SEEDS: Final = 2**31
#: Tokens of an answer where nobody sets a limit.
USUAL: Final = 300
START: Final = "start"


@dataclass(frozen=True, slots=True)
class Start:
    """The start of a stored conversation, and what its user said after it."""

    row: Conversation
    messages: Sequence[Mapping[str, Any]]
    said: Sequence[Sequence[Mapping[str, Any]]]


def plan(run: Run) -> Iterator[StepPlan]:
    """Yield a step for each start, system and sample, in an order that is the same every time."""
    for at, one in enumerate(_kept(run)):
        for start in starts(run, one["start"]):
            row = start.row
            parts = [row.external_id[:SHORT], row.pk, one["name"][: SHORT // 2], one["release"]]
            for sample in range(1, one["n"] + 1):
                yield StepPlan(
                    key=" / ".join(["complete", *map(str, parts), str(sample)]),
                    item_id=row.item_id,
                    release_id=one["release"],
                    spec={START: row.pk, "completion": at, "sample": sample},
                )


def starts(run: Run, which: str) -> Iterator[Start]:
    """Yield the starts that a run is over, page by page: of conversations that start alike the first."""
    seen: set[str] = set()
    last = 0
    rows = suite_frame.starts_of(run).select_related("response").defer("text")
    while found := list(rows.filter(pk__gt=last)[:PAGE]):
        for row in found:
            messages, said = protocol.begin(row.response.messages, which)
            kept = said if which == protocol.FIRST else []
            sha = _sha(row, messages, kept)
            if sha not in seen:
                seen.add(sha)
                yield Start(row, messages, kept)
        last = found[-1].pk


def prompts(run: Run, most: int) -> Iterator[Estimated]:
    """Yield what is asked of systems, and of whoever plays the user, about the first starts."""
    for one in _kept(run):
        n_seen = 0
        mine: list[Estimated] = []
        manner = _manner(one, 0)
        expected = manner.settings.max_tokens or USUAL
        for start in starts(run, one["start"]):
            if n_seen >= most:
                break
            n_seen += 1
            if start.messages:
                mine += _estimated(one, start, manner, expected)
        yield from mine
        n_left = suite_frame.starts_of(run).count() - n_seen
        if n_left > 0 and mine and n_seen:
            yield from alike(mine, n_left / n_seen)


def alike(seen: Sequence[Estimated], times: float) -> Iterator[Estimated]:
    """Yield the requests of so many times what was looked at, by role and endpoint."""
    for role, endpoint in {(one.role, one.endpoint_id): None for one in seen}:
        mine = [one for one in seen if (one.role, one.endpoint_id) == (role, endpoint)]
        prompt = round(sum(one.prompt_tokens for one in mine) / len(mine))
        reply = round(sum(one.completion_tokens for one in mine) / len(mine))
        n = sum(one.calls for one in mine)
        yield Estimated(role, endpoint, prompt, reply, calls=round(n * times))


def prepare(step: Step) -> Work:
    run = step.run
    one = _kept(run)[step.spec["completion"]]
    row = Conversation.objects.select_related("response").get(pk=step.spec[START])
    messages, said = protocol.begin(row.response.messages, one["start"])
    if not messages:

        async def skip(_model: ChatModel) -> dict[str, Any]:
            return {"skipped": True}

        return Work(skip)
    task = protocol.Task(
        messages,
        said if one["start"] == protocol.FIRST else [],
        one["turns"],
        plays=one["user"] is not None,
        about=one["about"],
        results=tools_v1.results(row.response.messages),
    )
    seed = seeds.integer(run.seed, "complete", step.key, below=SEEDS)
    manner = _manner(one, seed)
    fence = untrusted.Fence(run.secret, step.key)
    repeat = step.spec["sample"] - 1

    async def complete(model: ChatModel) -> dict[str, Any]:
        made = await protocol.complete(model, task, manner, fence=fence, seed=seed, repeat=repeat)
        return made.as_dict()

    roles = {Role.CANDIDATE: one["endpoint"]}
    if one["user"] is not None:
        roles[Role.INTERACTOR] = one["user"]
    return Work(complete, roles)


def record(step: Step, result: Mapping[str, Any], now: datetime) -> Step.Outcome:
    """Keep the start with what came after it as a conversation of the release."""
    mine = Step.objects.filter(pk=step.pk, state=Step.State.CLAIMED)
    if result.get("skipped"):
        mine.update(problem=_("No user speaks in it, so there is nothing to answer."))
        return Step.Outcome.SKIPPED
    one = _kept(step.run)[step.spec["completion"]]
    row = Conversation.objects.select_related("response").get(pk=step.spec[START])
    messages, _said = protocol.begin(row.response.messages, one["start"])
    whole = [*messages, *result["messages"]]
    response = systems.record_response(
        item_id=row.item_id,
        output=Output(
            release_id=one["release"],
            messages=whole,
            origin=Response.Origin.GENERATED,
            details=_details(step, row, result),
            sample_no=step.spec["sample"],
        ),
        now=now,
    )
    _keep(step, row, response, whole, len(messages), now)
    mine.update(
        response_id=response,
        trouble=result["failed"],
        problem=str(result.get("problem") or "")[:500],
    )
    return Step.Outcome.SYSTEM_FAILED if result["failed"] else Step.Outcome.OK


def expected(row: Conversation, one: Mapping[str, Any]) -> talks.Conversation | None:
    """Return a start with answers of the usual length, for an estimate; none where there is no start."""
    messages, said = protocol.begin(row.response.messages, one["start"])
    if not messages:
        return None
    answer = {"role": protocol.ASSISTANT, "content": "said" * USUAL}
    player = [{"role": protocol.USER, "content": "said" * (USUAL // 4), talks.PLAYED: True}]
    whole: list[Mapping[str, Any]] = [*messages, answer]
    for turn in range(one["turns"] - 1):
        if turn >= len(said) and one["user"] is None:
            break
        whole += [*(said[turn] if turn < len(said) else player), answer]
    return talks.read({"messages": whole, "id": row.external_id}, n_before=len(messages))


def count(run: Run) -> None:
    """Write down how many conversations a run has made."""
    mine = ConversationBatch.objects.filter(key=suite_frame.completions_key(run))
    for batch in mine.filter(set__project=run.project_id):
        n = Conversation.objects.filter(batch=batch).count()
        ConversationBatch.objects.filter(pk=batch.pk).exclude(n=n).update(n=n)


def _kept(run: Run) -> Sequence[Mapping[str, Any]]:
    found: Sequence[Mapping[str, Any]] = run.config["completions"]
    return found


def _estimated(
    one: Mapping[str, Any], start: Start, manner: protocol.Manner, expected: int
) -> Iterator[Estimated]:
    key = start.row.external_id
    task = protocol.Task(start.messages, start.said, one["turns"])
    n_prompt = tokens.of_messages(protocol.candidate(task, [], manner).messages)
    for turn in range(one["turns"]):
        yield Estimated(Role.CANDIDATE, one["endpoint"], n_prompt, expected, one["n"], key)
        if turn + 1 == one["turns"]:
            return
        if turn < len(start.said):
            asked = sum(tokens.of_text(str(each.get("content"))) for each in start.said[turn])
        elif one["user"] is not None:
            asked = USUAL // 4
            n_told = n_prompt + expected + tokens.of_text(protocol.PLAYER)
            yield Estimated(Role.INTERACTOR, one["user"], n_told, asked, one["n"], key)
        else:
            return
        n_prompt += expected + asked


def _manner(one: Mapping[str, Any], seed: int) -> protocol.Manner:
    found = reads.manner_of(one["settings"], seed=seed)
    return protocol.Manner(found.system_prompt, one["with_prompt"], found.settings)


def _sha(
    row: Conversation,
    messages: Sequence[Mapping[str, Any]],
    said: Sequence[Sequence[Mapping[str, Any]]],
) -> str:
    if not messages:
        return f"{row.pk} has none"
    # Two systems may have recorded the same start with details of their own.
    told = [[talks.role_of(each), each.get("content", each.get("value"))] for each in messages]
    more = [[each.get("content", each.get("value")) for each in turn] for turn in said]
    whole = json.dumps([row.external_id, told, more], ensure_ascii=True, default=str)
    return hashlib.sha256(whole.encode()).hexdigest()


def _details(step: Step, row: Conversation, result: Mapping[str, Any]) -> dict[str, Any]:
    made: dict[str, Any] = {
        "run": step.run.number,
        "step": step.ordinal,
        "start_of": row.pk,
        "truncated": bool(result["truncated"]),
    }
    if result["failed"]:
        made["failed"] = result["failed"]
    if result.get("ended"):
        made["ended"] = result["ended"]
    if result.get("reasoning"):
        made["reasoning"] = list(result["reasoning"])
    one = _kept(step.run)[step.spec["completion"]]
    return made | script_marks.of_text(step.run, [one["endpoint"], one["user"]])


def _keep(
    step: Step,
    row: Conversation,
    response: int,
    whole: Sequence[Mapping[str, Any]],
    n_before: int,
    now: datetime,
) -> None:
    one = talks.read({"messages": whole}, name=row.external_id)
    home, batch = _batch(step.run, now)
    Conversation.objects.get_or_create(
        set=home,
        response_id=response,
        defaults={
            "batch": batch,
            "item_id": row.item_id,
            "external_id": row.external_id,
            "n_messages": len(one.messages),
            "n_turns": len(one.turns),
            "n_tool_calls": len(one.tool_calls),
            "n_before": n_before,
            "text": "\n".join([one.system, *(each.content for each in one.messages)]).strip(),
        },
    )


def _batch(run: Run, now: datetime) -> tuple[ConversationSet, ConversationBatch]:
    """Return where the conversations of a run are kept: a set of its own."""
    key = suite_frame.completions_key(run)
    mine = ConversationBatch.objects.filter(set__project=run.project_id, key=key)
    if batch := mine.select_related("set").first():
        return batch.set, batch
    assert run.requested_by is not None
    name = _("%(name)s, run %(number)d") % {"name": run.name[:90], "number": run.number}
    home = suites.home_of(project=run.project, name=name, by=run.requested_by, now=now)
    batch = ConversationBatch.objects.create(
        set=home,
        key=key,
        state=ConversationBatch.State.APPLIED,
        created_by=run.requested_by,
        created_at=now,
    )
    return home, batch
