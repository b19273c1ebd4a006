"""The first stage of a suite's run: systems complete the starts of conversations, which are kept as theirs."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.utils.translation import gettext as _

from annotation.models import Response
from annotation.operations import responses
from annotation.rules import seeds
from annotation.rules.outputs import Output
from scoring.llm import tokens
from scoring.llm.base import ChatModel, Role
from scoring.models import Conversation, ConversationBatch, ConversationSet, Run, Step
from scoring.operations.conversations import home_of
from scoring.operations.runs.kinds import Estimated, StepPlan, Work
from scoring.protocols import untrusted
from scoring.protocols.suite import completing_v1 as protocol
from scoring.protocols.suite import conversations as talks
from scoring.protocols.suite import tools_v1
from scoring.queries import connections, script_marks, suite_frame

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
    response = responses.record_response(
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
    found = connections.manner_of(one["settings"], seed=seed)
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
    home = home_of(project=run.project, name=name, by=run.requested_by, now=now)
    batch = ConversationBatch.objects.create(
        set=home,
        key=key,
        state=ConversationBatch.State.APPLIED,
        created_by=run.requested_by,
        created_at=now,
    )
    return home, batch
