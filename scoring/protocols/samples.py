"""Samples of a judge: what one reply says of each criterion, and what several come to.

A reply that was cut off is asked for once more with more room; one that gives no reading is asked for
once more in its form. What then still has no reading has no score, and says why.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from statistics import stdev
from typing import Any, Final, Literal

from scoring.llm import base
from scoring.llm.base import ChatModel, Reply, Request, Trouble
from scoring.protocols import hearing, reading
from scoring.protocols.reading import Wanted

MOST_TEXT: Final = hearing.MOST_TOLD
#: So many samples are asked for in one request at most: servers set limits, and a failure costs all of them.
AT_ONCE: Final = 8

DECLINED: Final = "The judge declined."
FILTERED: Final = "A content filter withheld the judge's reply."
EMPTY: Final = "The judge's reply was empty."
TOO_LONG: Final = "The prompt is too long for the judge."
#: Reasons that say nothing of what a judge wrote.
PLAIN_REASONS: Final = frozenset(
    {
        hearing.CUT_OFF,
        base.ONLY_THOUGHT,
        base.ONLY_THOUGHT_CUT,
        DECLINED,
        FILTERED,
        EMPTY,
        TOO_LONG,
    }
)

Outcome = Literal["SCORED", "UNSCORED", "REFUSED", "SKIPPED"]
#: Says to a judge what was wrong with its reply, given the problems.
Repair = Callable[[Sequence[str]], str]


@dataclass(frozen=True, slots=True)
class Mark:
    """What one sample says of one criterion."""

    outcome: Outcome
    value: Decimal | None = None
    reason: str = ""
    text: str = ""

    def plain(self) -> dict[str, Any]:
        value = None if self.value is None else float(self.value)
        return {
            "outcome": self.outcome,
            "value": value,
            "reason": self.reason,
            "text": self.text,
        }


def is_turned(repeat: int) -> bool:
    """Return whether a reading (counted from 1) sees the opposite order, where a judge does that."""
    return repeat % 2 == 0


def alike(requests: Sequence[Request], *, turned: bool, together: bool) -> list[Sequence[Request]]:
    """Return requests of samples in groups that may go together: those in turned order are apart."""
    if not together:
        return [[one] for one in requests]
    if not turned:
        return [requests]
    groups = ([one for one in requests if is_turned(one.repeat) is way] for way in (False, True))
    return [one for one in groups if one]


async def take(
    model: ChatModel, request: Request, wanted: Sequence[Wanted], repair: Repair
) -> dict[str, Mark]:
    """Return what a judge says of the criteria, by key, after at most a longer and a repaired reply.

    Raises:
        Failed: the request got no reply for a reason that is not the judge's own.
    """
    try:
        said = await hearing.ask_with_room(model, request)
        return await _taken(model, said, wanted, repair)
    except base.Failed as failed:
        return of_failure(failed, wanted)


async def draw(
    model: ChatModel,
    requests: Sequence[Request],
    wanted: Sequence[Wanted],
    repair: Repair,
    *,
    together: bool,
) -> list[dict[str, Mark]]:
    """Return what each of several samples says.

    Args:
        requests: one for each sample, told apart by `repeat`, that differ in their delimiters at most.
        together: ask for several in one request; what a server does not give then is asked for singly.

    Raises:
        Failed: as `take` does.
    """
    if not together:
        return [await take(model, one, wanted, repair) for one in requests]
    found: list[dict[str, Mark]] = []
    for start in range(0, len(requests), AT_ONCE):
        found += await _together(model, requests[start : start + AT_ONCE], wanted, repair)
    return found


async def _together(
    model: ChatModel, requests: Sequence[Request], wanted: Sequence[Wanted], repair: Repair
) -> list[dict[str, Mark]]:
    first = requests[0]
    given: list[Reply] = []
    if len(requests) > 1:
        asked = replace(first, settings=replace(first.settings, n=len(requests)))
        try:
            given = base.unpacked(await model.reply(asked))[: len(requests)]
        except base.Failed as failed:
            if failed.trouble is not Trouble.BAD_REQUEST:
                return [of_failure(failed, wanted) for _one in requests]
    found = []
    for one, reply in zip(requests, given, strict=False):
        same = replace(one, messages=first.messages)
        try:
            said = await hearing.with_room(model, same, _with_text(hearing.heard(reply)))
            found.append(await _taken(model, said, wanted, repair))
        except base.Failed as failed:
            found.append(of_failure(failed, wanted))
    rest = [await take(model, one, wanted, repair) for one in requests[len(given) :]]
    return [*found, *rest]


def _with_text(reply: Reply) -> Reply:
    """Return one of several replies; one without text fails here as it would by itself."""
    if reply.text.strip() or hearing.is_only_thought(reply):
        return reply
    withheld = reply.finish == "content_filter"
    trouble = Trouble.FILTERED if withheld else Trouble.EMPTY
    raise base.MachineryFailed(trouble, "One of several replies held no text.")


async def _taken(
    model: ChatModel, said: hearing.Said, wanted: Sequence[Wanted], repair: Repair
) -> dict[str, Mark]:
    """Return what a reply says, and of criteria that it leaves open the one that was asked for in its place.

    Raises:
        Failed: what was asked for again got no reply.
    """
    made = await hearing.tries(
        model,
        said,
        lambda reply: read(reply, wanted),
        fails=lambda marks: any(mark.outcome == "UNSCORED" for mark in marks.values()),
        tell=lambda marks: repair(
            [mark.reason for mark in marks.values() if mark.outcome != "SCORED"]
        ),
    )
    first, last = made[0].found, made[-1].found
    return {key: mark if mark.outcome == "SCORED" else last[key] for key, mark in first.items()}


def read(reply: Reply, wanted: Sequence[Wanted]) -> dict[str, Mark]:
    """Return what one reply says of each criterion."""
    if why := hearing.why_unread(reply):
        unread = Mark("UNSCORED", reason=why, text=reply.text[:MOST_TEXT])
        return {one.key: unread for one in wanted}
    found = reading.scores(reply.text, wanted)
    declines = bool(reply.notes.get("refusal")) or reading.declines(reply.text)
    if declines and all(one.value is None for one in found.values()):
        words = reply.text.strip()[:MOST_TEXT]
        refused = Mark("REFUSED", reason=DECLINED, text=words)
        return {one.key: refused for one in wanted}
    return {key: _mark(one) for key, one in found.items()}


def mean(marks: Sequence[Mark], fewest: int) -> dict[str, Any]:
    """Return the mean of the readings, as plain data; the deviation is that of a sample (n − 1).

    Without `fewest` readings there is no mean, and the reason says so.
    """
    values = [mark.value for mark in marks if mark.value is not None]
    made: dict[str, Any] = {
        "outcome": "SCORED",
        "value": None,
        "reason": "",
        "text": "",
        "n_valid": len(values),
        "sd": None,
    }
    if len(values) >= max(1, fewest):
        found = sum(values, Decimal(0)) / len(values)
        spread = float(stdev(values)) if len(values) > 1 else None
        return made | {"value": float(found), "sd": spread, "text": _nearest(marks, found).text}
    first = next(mark for mark in marks if mark.value is None)
    refused = all(mark.outcome == "REFUSED" for mark in marks)
    reason = first.reason
    if values:
        reason = f"{len(values)} of {len(marks)} samples could be read; {fewest} are needed."
    outcome: Outcome = "REFUSED" if refused else "UNSCORED"
    return made | {"outcome": outcome, "reason": reason, "text": first.text}


def _mark(found: reading.Reading) -> Mark:
    text = found.text.strip()[:MOST_TEXT]
    if found.value is None:
        return Mark("UNSCORED", reason=found.problem, text=text)
    return Mark("SCORED", found.value, text=text)


def of_failure(failed: base.Failed, wanted: Sequence[Wanted]) -> dict[str, Mark]:
    """Return what a failure of the judge's own says of the criteria; any other goes on upwards."""
    known = {
        Trouble.FILTERED: Mark("REFUSED", reason=FILTERED),
        Trouble.EMPTY: Mark("UNSCORED", reason=EMPTY),
        Trouble.TOO_LONG: Mark("UNSCORED", reason=TOO_LONG),
    }
    if failed.trouble not in known:
        raise failed
    return {one.key: known[failed.trouble] for one in wanted}


def _nearest(marks: Sequence[Mark], found: Decimal) -> Mark:
    """Return the first of the samples that lie closest to the mean: its reasons stand for it."""
    scored = [mark for mark in marks if mark.value is not None]
    return min(scored, key=lambda mark: abs((mark.value or Decimal(0)) - found))


#: How a score was come by.
WEIGHTED, SAMPLED = "weighted", "samples"
