"""The calls of a step as a model that plays them back, so that its procedure runs again and asks nobody."""

from typing import Final

from django.utils.translation import gettext as _

from evalsite import errors
from scoring.llm import records
from scoring.llm.base import (
    OF_THE_SYSTEM,
    Failed,
    MachineryFailed,
    Reply,
    Role,
    SystemFailed,
    Trouble,
)
from scoring.llm.replay import Key, ReplayModel
from scoring.models import CallText, LLMCall, Step

#: What would fail again, and what a procedure may answer by asking otherwise: one sample at a time, say.
COMES_AGAIN: Final = OF_THE_SYSTEM | {Trouble.BAD_REQUEST}


class TextGone(errors.Conflict):
    code = "text_gone"


def model_of(step: Step) -> ReplayModel:
    """Return a ChatModel that answers from a step's calls alone.

    What was tried again counts by what it came to. A failure that would come again, such as a
    filter's or a refusal to give several samples at once, fails again; others had no reply and are
    not in it.

    Raises:
        TextGone: the project keeps texts of calls for a time only, and it is over.
    """
    rows = list(LLMCall.objects.filter(step=step).order_by("pk"))
    shas = {row.text_sha for row in rows if row.text_sha}
    texts = CallText.objects.filter(run=step.run_id, sha__in=shas)
    text_of = dict(texts.values_list("sha", "text"))
    calls: dict[Key, Reply | Failed] = {}
    for row in rows:
        key = (row.request_sha, row.repeat)
        if not row.trouble:
            if row.text_sha not in text_of:
                raise TextGone(
                    _(
                        "The texts of this run’s calls are no longer kept, so it cannot be played back."
                    )
                )
            calls[key] = _reply(row, text_of[row.text_sha])
        elif row.trouble in COMES_AGAIN:
            calls.setdefault(key, _failure(row, text_of.get(row.text_sha, "")))
    return ReplayModel(calls)


def _reply(row: LLMCall, text: str) -> Reply:
    return records.reply_from(
        row.reply or {"finish": "stop"},
        text,
        prompt_tokens=row.prompt_tokens,
        completion_tokens=row.completion_tokens,
        seconds=row.seconds,
    )


def _failure(row: LLMCall, text: str) -> Failed:
    kind = SystemFailed if row.role == Role.CANDIDATE else MachineryFailed
    came = None if row.reply is None else _reply(row, text)
    return kind(Trouble(row.trouble), row.problem, status=row.status, reply=came)
