"""The table of calls: every one is written before anybody sees its reply, and read when a step is resumed."""

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal

from evalsite import prepared
from scoring.llm import records
from scoring.llm.base import (
    OF_THE_SYSTEM,
    Failed,
    MachineryFailed,
    Reply,
    Request,
    Role,
    SystemFailed,
    Trouble,
)
from scoring.models import CallText, LLMCall, Step
from scoring.operations.runs import claiming

_CALLS = prepared.Insert(LLMCall)

#: The hash of a request, and which sample of it.
Key = tuple[str, int]


@dataclass
class Past:
    """What earlier attempts at a step brought."""

    replies: dict[Key, Reply] = field(default_factory=dict)
    #: What the endpoint said no to for a reason of its own, and would again.
    refusals: dict[Key, Failed] = field(default_factory=dict)
    #: How often each was asked, and how often it was too soon.
    n_asked: Counter[Key] = field(default_factory=Counter)
    n_limited: Counter[Key] = field(default_factory=Counter)


def past(step: Step) -> Past:
    """Return the calls of earlier attempts at a step."""
    found = Past()
    if step.attempt < 2:
        return found
    rows = list(LLMCall.objects.filter(step=step).order_by("pk"))
    wanted = {row.text_sha for row in rows if row.text_sha}
    texts = CallText.objects.filter(run=step.run_id, sha__in=wanted)
    text_of = dict(texts.values_list("sha", "text"))
    for row in rows:
        key = (row.request_sha, row.repeat)
        found.n_asked[key] += 1
        if not row.trouble:
            # A text that was kept for a time only is asked for once more.
            if row.text_sha in text_of:
                found.replies[key] = _reply(row, text_of[row.text_sha])
        elif row.trouble == Trouble.RATE_LIMITED:
            found.n_limited[key] += 1
        elif row.trouble in OF_THE_SYSTEM:
            found.refusals[key] = _refusal(row, text_of.get(row.text_sha, ""))
    return found


def call_row(
    *, step: Step, endpoint_id: int, request: Request, sha: str, attempt: int, at: datetime
) -> LLMCall:
    """Return the row of a call, without what came of it."""
    return LLMCall(
        step_id=step.pk,
        run_id=step.run_id,
        endpoint_id=endpoint_id,
        request_sha=sha,
        repeat=request.repeat,
        attempt=attempt,
        role=request.role.value,
        part=request.part[:80],
        exchange=request.exchange,
        messages=records.of_messages(request),
        settings=records.of_settings(request),
        schema_sha=records.schema_sha(request),
        at=at,
    )


def with_reply(row: LLMCall, reply: Reply, cost: Decimal | None) -> LLMCall:
    """Write down what came, with what it cost: also of a call that failed all the same."""
    if reply.text or not row.trouble:
        row.text_sha = records.text_sha(reply.text)
    row.reply = records.of_reply(reply)
    row.prompt_tokens, row.completion_tokens = reply.prompt_tokens, reply.completion_tokens
    row.cost, row.seconds = cost, reply.seconds or row.seconds
    return row


def with_failure(row: LLMCall, failed: Failed, seconds: float) -> LLMCall:
    row.trouble, row.problem = failed.trouble.value, str(failed)[:500]
    row.status, row.seconds = failed.status, seconds
    return row


def store(*, step: Step, row: LLMCall, texts: dict[str, str]) -> bool:
    """Write a call down, with those of its texts that the run has not yet; return whether the step was held.

    In the caller's transaction.
    """
    if not claiming.held(step):
        return False
    if texts:
        CallText.objects.bulk_create(
            [CallText(run_id=step.run_id, sha=sha, text=text) for sha, text in texts.items()],
            ignore_conflicts=True,
        )
    _CALLS.add(row)
    return True


def _reply(row: LLMCall, text: str) -> Reply:
    return records.reply_from(
        row.reply or {"finish": "stop"},
        text,
        prompt_tokens=row.prompt_tokens,
        completion_tokens=row.completion_tokens,
        seconds=row.seconds,
    )


def _refusal(row: LLMCall, text: str) -> Failed:
    kind = SystemFailed if row.role == Role.CANDIDATE else MachineryFailed
    came = None if row.reply is None else _reply(row, text)
    return kind(Trouble(row.trouble), row.problem, status=row.status, reply=came)
